//! Threads that have ended before others of their process, which may still wait for them.

use super::super::common::{Bounded, plain};
use crate::counts::index::Observed;
use crate::report::quantity::{EARLIER, ENDED_TID};
use crate::report::statement::{Statement, say};
use stride_event::{Event, Ns, Tid};
use stride_track::{Futex, Tracker, Wait};

#[derive(Default)]
pub struct EndedThreads {
    /// The thread that was the latest to wake another at a word of its process.
    wakers: Bounded<(Tid, u64), Tid>,
    /// By process.
    threads: Bounded<Tid, Vec<Gone>>,
    latest: Ns,
}

struct Gone {
    tid: Tid,
    comm: Vec<u8>,
    at: Ns,
}

/// At most this many threads of a process are known that were the last to end.
const MAX_GONE: usize = 64;

/// True if only another thread of the process can end the call: a futex that other processes do not share, without a
/// time limit. (A signal's handler could, too.)
pub fn waits_forever(wait: &Wait) -> bool {
    const TIMEOUT: usize = 3;
    wait.seen.row.is_some_and(Futex::is)
        && matches!(Futex::of(&wait.args), Some(Futex::Wait { .. }))
        && (Futex::is_private(&wait.args) || Futex::may_join(&wait.args).is_some())
        && wait.args[TIMEOUT] == 0
}

impl EndedThreads {
    pub fn woke(&mut self, observed: &Observed<'_>) {
        let args = &observed.call.args;
        if !matches!(Futex::of(args), Some(Futex::Wake)) || !Futex::is_private(args) {
            return;
        }
        let tid = observed.call.tid;
        self.wakers.make_room_of_ended(observed.tracker, |_| false);
        if let Some(waker) = self.wakers.entry((observed.seen.pid, args[0]), || tid) {
            *waker = tid;
        }
    }

    pub fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.latest = self.latest.max(event.at().unwrap_or(0));
        let Event::Exited { tid, at, .. } = *event else { return };
        let Some(thread) = tracker.thread(tid) else { return };
        if tracker.process(thread.pid).is_none_or(|process| process.threads <= 1) {
            self.threads.remove(&thread.pid);
            return;
        }
        let Some(gone) = self.threads.entry(thread.pid, Vec::new) else { return };
        if gone.len() == MAX_GONE {
            gone.remove(0);
        }
        gone.push(Gone { tid, comm: thread.comm.clone(), at });
    }

    /// The thread that used to wake those that wait at one of these words, or the one that was the last to end.
    pub fn before(&self, pid: Tid, words: &[u64]) -> Option<Statement> {
        let gone = self.threads.get(&pid)?;
        let woke = |gone: &&Gone| words.iter().any(|word| self.wakers.get(&(pid, *word)) == Some(&gone.tid));
        let label = |gone: &Gone, which: &str| {
            let earlier = EARLIER.of(self.latest.saturating_sub(gone.at));
            say!("thread {} ({}), {which}, had ended {} earlier", ENDED_TID.id(gone.tid), plain(&gone.comm), earlier)
        };
        let waker = gone.iter().rev().find(woke).map(|gone| label(gone, "which had been the last to wake one there"));
        waker.or_else(|| gone.last().map(|gone| label(gone, "the last to end")))
    }
}
