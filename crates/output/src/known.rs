//! Names of descriptors that do not come with the call, from following the calls before.

use stride_event::Tid;
use stride_track::{ObjectKind, Tracker};

/// Knows the descriptors of a call.
#[derive(Clone, Copy)]
pub struct Known<'o> {
    pub tracker: &'o Tracker,
    pub tid: Tid,
    /// It returned just now.
    pub returned: bool,
}

impl<'o> Known<'o> {
    /// The name, and whether it is a socket's. What the call closed is no longer where the others are.
    pub fn fd(&self, fd: i32) -> Option<(&'o [u8], bool)> {
        let seen = self.tracker.seen().filter(|_| self.returned);
        let given = seen.and_then(|seen| seen.object.filter(|_| seen.fd == Some(fd)));
        let made = || seen.and_then(|seen| seen.made.filter(|made| made.0 == fd)).map(|made| made.2);
        let object = given.or_else(made).or_else(|| self.tracker.descriptor(self.tid, fd))?;
        Some((self.tracker.name(object), self.tracker.kind(object) == ObjectKind::Socket))
    }
}
