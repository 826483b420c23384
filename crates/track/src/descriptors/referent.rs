//! The referents of descriptors that calls name. All views get the referent of a number from here.

use crate::descriptors::noted::Referent;
use crate::{Seen, Tracker};
use stride_event::FdOf;

impl Tracker {
    /// The referent of a descriptor of a call. If the latest event is the return of a call of this thread, the call may have given the number
    /// to another file: an argument has the referent from before the call, and a descriptor that the call made the one from after it.
    /// `AT_FDCWD` is the working directory.
    pub fn referent(&self, of: FdOf) -> Referent {
        let referent = self.noted.told(of).unwrap_or_else(|| {
            let by_call = self.seen().filter(|seen| seen.tid == of.tid).and_then(|seen| seen.referent(of));
            by_call.unwrap_or_else(|| self.descriptor(of.tid, of.fd).map_or(self.unnamed(), Referent::Object))
        });
        self.noted.asked(of, referent);
        referent
    }

    /// The descriptors that `ask` asks about, with their referents.
    pub fn noting_questions(&self, noted: &mut Vec<(FdOf, Referent)>, ask: impl FnOnce()) {
        self.noted.during(noted, ask);
    }

    /// The referent of a descriptor of which nothing is known.
    pub(crate) fn unnamed(&self) -> Referent {
        if self.follows_descriptors() { Referent::Nothing } else { Referent::Unknown }
    }
}

impl Seen {
    /// The referent of a descriptor that the call was given or has made.
    pub(crate) fn referent(&self, of: FdOf) -> Option<Referent> {
        if of.made {
            return self.made.filter(|made| made.0 == of.fd).map(|made| Referent::Object(made.2));
        }
        let directory = || self.directory.filter(|directory| directory.0 == of.fd).map(|directory| directory.1);
        let first = self.object.filter(|_| self.fd == Some(of.fd)).or_else(directory).map(Referent::Object);
        let replaced = || self.replaced.filter(|replaced| replaced.0 == of.fd);
        first.or_else(|| Some(replaced()?.1.map_or(Referent::Nothing, Referent::Object)))
    }
}

#[cfg(test)]
#[path = "referent_tests.rs"]
mod tests;
