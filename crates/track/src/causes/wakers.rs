//! The processes that woke threads: one by one, as long as they are few, and else by their name alone.

use rustc_hash::FxHashMap;
use stride_event::{Comm, NamedThread, Tid, Waker};

/// So many processes of one name are told apart for threads of one party. A shell may wait for thousands of children.
const MOST_APART: usize = 16;
const MAX_NAMES: usize = 1 << 14;

/// The processes that woke threads of a party, by name.
#[derive(Default)]
pub(super) struct Wakers(FxHashMap<(u32, Comm), Vec<Tid>>);

impl Wakers {
    /// The waker of a thread of this party as its process. All threads of one process with one name are one waker. A process beyond those that are told
    /// apart has the number 0.
    pub fn note(&mut self, party: u32, waker: Waker) -> Waker {
        let Waker::Thread(thread, _) = waker else { return waker };
        let key = (party, thread.comm);
        let room = self.0.len() < MAX_NAMES || self.0.contains_key(&key);
        let apart = room && {
            let known = self.0.entry(key).or_default();
            if known.len() <= MOST_APART && !known.contains(&thread.process) {
                known.push(thread.process);
            }
            known.len() <= MOST_APART
        };
        process(thread, if apart { thread.process } else { 0 })
    }

    /// The same waker as it is told at the end: by its name alone, if there were many of that name.
    pub fn told(&self, party: u32, waker: Waker) -> Waker {
        let Waker::Thread(thread, _) = waker else { return waker };
        let many = self.0.get(&(party, thread.comm)).is_some_and(|known| known.len() > MOST_APART);
        if many { process(thread, 0) } else { waker }
    }
}

fn process(thread: NamedThread, process: Tid) -> Waker {
    Waker::Thread(NamedThread { tid: process, process, ..thread }, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(pid: Tid) -> Waker {
        Waker::Thread(NamedThread { tid: pid + 1, process: pid, comm: *b"true\0\0\0\0\0\0\0\0\0\0\0\0" }, None)
    }

    fn pid(waker: Waker) -> Tid {
        let Waker::Thread(thread, None) = waker else { panic!("{waker:?}") };
        thread.process
    }

    #[test]
    fn many_wakers_of_one_name_are_one() {
        let mut wakers = Wakers::default();
        for pid in 1..=MOST_APART as Tid {
            assert_eq!(self::pid(wakers.note(1, child(pid))), pid);
        }
        // The first ones may come again.
        let first = wakers.note(1, child(1));
        assert_eq!((pid(first), pid(wakers.told(1, first))), (1, 1));
        assert_eq!(pid(wakers.note(1, child(99))), 0);
        assert_eq!(pid(wakers.told(1, first)), 0);
        assert_eq!(pid(wakers.note(2, child(99))), 99, "threads of another party have their own");
        assert_eq!(wakers.told(1, Waker::Hidden), Waker::Hidden);
    }
}
