//! The moment that a line is about.

use stride_event::{Ns, Tid};

/// The values that the leader may show.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    pub tid: Tid,
    pub at: Ns,
    /// How many tracees there are.
    pub tracees: usize,
    pub nr: Option<u64>,
    pub ip: Option<u64>,
    /// The thread's name, if ids are shown with names.
    pub comm: Option<&'a [u8]>,
    /// The container that the thread is in, if it is in one.
    pub container: Option<&'a str>,
}
