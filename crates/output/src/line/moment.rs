//! The moment that a line is about.

use stride_event::{Ns, Tid};

/// The values that the leader may show.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    pub tid: Tid,
    pub at: Ns,
    /// The number of tracees.
    pub tracees: usize,
    pub nr: Option<u64>,
    pub ip: Option<u64>,
    /// The thread's name, if ids are shown with names.
    pub comm: Option<&'a [u8]>,
    /// The thread's container or SELinux context, if that is shown.
    pub label: Option<&'a [u8]>,
}
