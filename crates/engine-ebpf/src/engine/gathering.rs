//! Lets the records of a busy program gather.
//!
//! A reader that takes each record as soon as it is there has its CPU and the program's fetch the same memory from each other, record by record. So the reader
//! rests for a moment after the records of a busy program. That moment is shorter than anybody sees. Urgent records end the rest, and so does a ring that fills.

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::time::TimeSpec;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

/// A program is busy if so many records came since the ring was empty last.
const BUSY: u64 = 16;
const REST: Duration = Duration::from_micros(200);

#[derive(Default)]
pub struct Gathering {
    /// Becomes readable when a ring wakes the reader. (A ring itself is readable as long as records are in it.) `None` before the first rest.
    wakeups: Option<Epoll>,
    /// The number of records that had come when the ring was empty last.
    at_empty: u64,
}

impl Gathering {
    /// The ring is empty, and so many records have come in all. Tells whether the reader should rest.
    pub fn is_due(&mut self, records: u64) -> bool {
        records - std::mem::replace(&mut self.at_empty, records) >= BUSY
    }

    /// Rests. The rings must have been told that the reader waits.
    pub fn rest(&mut self, rings: &[BorrowedFd<'_>]) {
        // If any of this fails, the reader does not rest.
        let _ = self.is_woken(rings);
    }

    /// Rests. Tells whether a ring ended the rest.
    fn is_woken(&mut self, rings: &[BorrowedFd<'_>]) -> nix::Result<bool> {
        let wakeups = match &mut self.wakeups {
            Some(wakeups) => wakeups,
            none => {
                let wakeups = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
                for ring in rings {
                    wakeups.add(ring, EpollEvent::new(EpollFlags::EPOLLIN | EpollFlags::EPOLLET, 0))?;
                }
                none.insert(wakeups)
            }
        };
        let woken =
            ppoll(&mut [PollFd::new(wakeups.0.as_fd(), PollFlags::POLLIN)], Some(TimeSpec::from_duration(REST)), None)?;
        if woken > 0 {
            wakeups.wait(&mut [EpollEvent::empty(); 8], EpollTimeout::ZERO)?;
        }
        Ok(woken > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_busy_programs_have_the_reader_rest() {
        let mut gathering = Gathering::default();
        assert!(!gathering.is_due(3));
        assert!(gathering.is_due(3 + BUSY));
        assert!(!gathering.is_due(3 + BUSY));
    }

    /// Only news end a rest, and not the bytes that were there before.
    #[test]
    fn a_wakeup_ends_the_rest() {
        let (reader, writer) = nix::unistd::pipe().unwrap();
        nix::unistd::write(&writer, b"old").unwrap();
        let mut gathering = Gathering::default();
        let mut is_woken = || gathering.is_woken(&[reader.as_fd()]).unwrap();
        // (All is news when the reader rests first.)
        assert!(is_woken());
        assert!(!is_woken());
        nix::unistd::write(&writer, b"new").unwrap();
        assert!(is_woken());
        assert!(!is_woken());
    }
}
