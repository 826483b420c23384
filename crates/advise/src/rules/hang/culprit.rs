//! The one thing that explains why threads wait: a stopped process, a lock that a fork copied, or bytes that nobody reads.

use super::super::common::plain;
use super::verdict::Verdict;
use super::words::{AwaitedProcess, at_work};
use super::{Hang, Row};
use crate::report::quantity::{FD, HOLDER, OTHER_PID, TID, UNREAD};
use crate::report::statement::{Statement, say};

impl Hang {
    /// The first of these that is found.
    pub fn culprit(&self, lasts: &dyn Fn(&Row) -> bool) -> Option<Verdict> {
        let rows = || self.waits.iter().filter(|row| lasts(row));
        let stopped = rows().find_map(Row::for_stopped);
        let copied = || rows().find_map(|row| self.copied_lock(row));
        let here = || rows().find_map(Row::has_not_read);
        let there = || rows().find_map(|row| self.is_not_read(row));
        stopped.or_else(copied).or_else(here).or_else(there)
    }

    /// The lock is in memory that processes do not share, and its holder is a thread of another process: the memory was copied while the lock was taken.
    fn copied_lock(&self, row: &Row) -> Option<Verdict> {
        let holder = row.private_lock_of?;
        let pid = self.left.iter().find(|left| left.tid == holder).map(|left| left.pid);
        if pid.or((row.parent == Some(holder)).then_some(holder))? == row.pid {
            return None;
        }
        Some(Verdict {
            sentence: say!(
                "{} waits for a lock that thread {} of another process held when fork(2) copied the memory: nobody gives the copy back.",
                row.label(),
                HOLDER.id(holder)
            ),
            advice: "In a child of a process with several threads, call nothing but async-signal-safe functions before execve(2): malloc(3), printf(3) and loggers take \
                     locks. Fork before the threads start, use posix_spawn(3), or take the locks in pthread_atfork(3). In Python, take the start methods `spawn` or \
                     `forkserver` of multiprocessing.",
        })
    }

    /// The other end does not read what the thread has sent.
    fn is_not_read(&self, row: &Row) -> Option<Verdict> {
        let (fd, _, there) = row.unread.iter().find(|(_, _, there)| *there > 0)?;
        let [AwaitedProcess { pid, comm, doing }] = &row.others[..] else { return None };
        let at_work = at_work(doing, row.abi).map_or(String::new(), |words| format!(", which is {words},"));
        Some(Verdict {
            sentence: say!(
                "{} has sent {} bytes (fd {}) that process {} ({}){} has not read.",
                row.label(),
                UNREAD.of(*there),
                FD.id(*fd),
                OTHER_PID.id(*pid),
                plain(comm),
                at_work,
            ),
            advice: "Look at why that process does not read: attach to it, too (-f -p PID), or look at the threads of it in the table. It may be busy with \
                     something else, wait for a lock, or not know that data have come.",
        })
    }
}

impl Row {
    fn label(&self) -> Statement {
        say!("{} ({})", plain(&self.comm), TID.id(self.tid))
    }

    /// A signal has stopped the process for which the thread waits.
    fn for_stopped(&self) -> Option<Verdict> {
        let AwaitedProcess { pid, comm, .. } = self.others.iter().find(|other| other.doing.is_stopped())?;
        Some(Verdict {
            sentence: say!(
                "{} waits for process {} ({}), which a signal has stopped.",
                self.label(),
                OTHER_PID.id(*pid),
                plain(comm)
            ),
            advice: "Let the stopped process go on (kill -CONT PID), and find out who stopped it: Ctrl-Z, a debugger, a call of kill(2), or a terminal from \
                     which it read in the background (SIGTTIN). A parent learns of stopped children only with WUNTRACED.",
        })
    }

    /// The thread waits for events of a socket that has had data for some time.
    fn has_not_read(&self) -> Option<Verdict> {
        let (fd, here, _) = self.unread.iter().find(|(_, here, _)| *here > 0 && self.watches)?;
        Some(Verdict {
            sentence: say!(
                "{} waits in {}, although {} bytes lie unread in its socket fd {}: it watches that socket for changes only, only once, or not for input.",
                self.label(),
                self.call.to_owned(),
                UNREAD.of(*here),
                FD.id(*fd)
            ),
            advice: "Where a descriptor is watched with EPOLLET, read until EAGAIN; with EPOLLONESHOT, watch it again (EPOLL_CTL_MOD). Or leave these flags out.",
        })
    }
}
