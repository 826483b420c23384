//! Names of descriptors that a call does not carry. The tracker knows them from earlier calls.

use stride_event::Tid;
use stride_track::{ObjectKind, Tracker};

/// Knows the descriptors of a call.
#[derive(Clone, Copy)]
pub struct Known<'o> {
    pub tracker: &'o Tracker,
    pub tid: Tid,
    /// True if the call has just returned.
    pub returned: bool,
}

impl<'o> Known<'o> {
    /// The name, and whether it is a socket's. If the call closed the descriptor, the name comes from the call itself.
    pub fn fd(&self, fd: i32) -> Option<(&'o [u8], bool)> {
        let seen = self.tracker.seen().filter(|_| self.returned);
        let given = seen.and_then(|seen| seen.object.filter(|_| seen.fd == Some(fd)));
        let made = || seen.and_then(|seen| seen.made.filter(|made| made.0 == fd)).map(|made| made.2);
        let object = given.or_else(made).or_else(|| self.tracker.descriptor(self.tid, fd))?;
        Some((self.tracker.name(object), self.tracker.kind(object) == ObjectKind::Socket))
    }
}
