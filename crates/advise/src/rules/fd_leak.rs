//! Descriptors are opened and never closed.

use super::common::{largest, plain, process, thing};
use crate::counts::index::{CallKey, Index, OpenFile};
use crate::report::finding::{Candidate, Confidence, Evidence};
use crate::report::quantity::{DESCRIPTORS, MEAN_MESSAGES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use rustc_hash::FxHashMap;
use stride_event::{Event, Tid};
use stride_syscalls::table;
use stride_track::{ObjectId, ObjectKind, Tracker};

const LEAKED: Threshold =
    Threshold::count("leaked", 64, "descriptors of one path that stay open, or a quarter of those made by one syscall");
const LEAKED_PART: Threshold = Threshold::part("leaked-part", 0.9, "the part of all that were opened in the same way");

pub const RULE: RuleInfo = RuleInfo {
    id: "fd-leak",
    title: "descriptors never closed",
    explanation: "A process opens more and more descriptors and closes few of them. When the process or the run ended, most \
                  of those that it had opened for the same path, or by the same call, were still open. One day it will \
                  reach the limit on descriptors (EMFILE). Until then each one uses memory, and may keep a lock or the \
                  space of a deleted file.\n\n\
        Only descriptors that were opened in this run count. At least 64 for one path, or 256 from one call, must have \
        stayed open, and these must be nine tenths of all that were opened that way. A server with many clients has many \
        descriptors, too, but it closes those of clients that have left.\n\n\
        Example: a function opens /etc/hosts for each request and returns early without closing it. The descriptor's number \
        rises by one with each request.",
    thresholds: &[LEAKED, LEAKED_PART],
    make: || Box::new(FdLeak::default()),
};

/// Files that were opened in the same way: by process and path, or by process and syscall.
type Way = (Tid, Option<ObjectId>, u32);

#[derive(Default)]
struct FdLeak {
    /// The number of files whose last descriptor is gone.
    ended: FxHashMap<Way, u64>,
    /// The files that a process had opened and still held at its end.
    held: FxHashMap<Way, Held>,
}

struct Held {
    files: u64,
    line: u64,
    object: ObjectId,
    made: Option<CallKey>,
    /// Sends through them.
    sends: u64,
}

impl Held {
    fn is_accepted(&self) -> bool {
        let made = self.made.and_then(|made| table(made.abi).get(made.nr.into()));
        made.is_some_and(|entry| entry.row.accepts())
    }
}

const MAX_WAYS: usize = 1 << 18;

fn ways(file: &OpenFile, tracker: &Tracker) -> Option<[Way; 2]> {
    let made = file.made?;
    Some([(file.pid, Some(tracker.group(file.object)), 0), (file.pid, None, made.nr)])
}

impl FdLeak {
    /// A process ends, or tracing does. It does not matter whether other processes hold its files too: this one did not
    /// close them.
    fn ends(&mut self, pid: Tid, index: &Index, tracker: &Tracker) {
        let mut files = tracker.held_files(pid);
        // Two descriptors may refer to one file.
        files.sort_unstable();
        files.dedup();
        let opened = files.into_iter().filter_map(|id| index.file(id)).filter(|file| file.pid == pid);
        for (file, way) in opened.flat_map(|file| ways(file, tracker).into_iter().flatten().map(move |way| (file, way)))
        {
            if self.held.len() < MAX_WAYS || self.held.contains_key(&way) {
                let held = self.held.entry(way).or_insert(Held {
                    files: 0,
                    line: file.line,
                    object: file.object,
                    made: file.made,
                    sends: 0,
                });
                held.files += 1;
                held.sends += file.writes.calls;
                held.line = held.line.min(file.line);
            }
        }
    }
}

impl Rule for FdLeak {
    fn closed(&mut self, file: &OpenFile, _: &Index, tracker: &Tracker) {
        for way in ways(file, tracker).into_iter().flatten() {
            if self.ended.len() < MAX_WAYS || self.ended.contains_key(&way) {
                *self.ended.entry(way).or_default() += 1;
            }
        }
    }

    fn event(&mut self, event: &Event<'_>, index: &Index, tracker: &Tracker) {
        let (Event::Exited { tid, .. } | Event::Killed { tid, .. } | Event::Detached { tid, .. }) = *event else {
            return;
        };
        let Some(pid) = tracker.thread(tid).map(|thread| thread.pid) else { return };
        if tracker.process(pid).is_some_and(|process| process.threads == 1) {
            self.ends(pid, index, tracker);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        // They may have closed the files.
        if index.has_unseen_operations() {
            return Vec::new();
        }
        // In a recording that breaks off, these processes have no end.
        tracker.live_processes().for_each(|pid| self.ends(pid, index, tracker));
        let mut opened = std::mem::take(&mut self.ended);
        for way in index.open_files().filter_map(|file| ways(file, tracker)).flatten() {
            *opened.entry(way).or_default() += 1;
        }
        let leaks = self.held.iter().filter(|(way, held)| {
            let opened = opened.get(way).copied().unwrap_or(0);
            let least = if way.1.is_some() { LEAKED.get() } else { LEAKED.get() * 4 };
            held.files >= least && held.files as f64 >= opened as f64 * LEAKED_PART.ratio()
        });
        let worst = largest(leaks, 1, |((pid, path, nr), open)| {
            // Those that a server accepted are left behind by its clients.
            (path.is_some(), !open.is_accepted(), open.files, *pid, *nr)
        });
        let Some(((pid, path, _), open)) = worst.first() else { return Vec::new() };
        let comm = index.comm(*pid, tracker);
        let what = match path {
            Some(path) => plain(tracker.name(*path)),
            None => format!("files such as {}", plain(tracker.name(open.object))),
        };
        let are_connections = tracker.kind(open.object) == ObjectKind::Socket && open.sends > 0;
        let (sentence, advice) = if are_connections {
            (
                say!(
                    "{} connections ({what}) were opened and never closed; sends on each, on average: {}.",
                    DESCRIPTORS.of(open.files),
                    MEAN_MESSAGES.mean(open.sends, open.files),
                ),
                "Make the client with its pool of connections once, and use it for all requests; a client that is made for each request leaves its \
                 connections behind. Read answers to their ends and close them.",
            )
        } else {
            (
                say!("{} descriptors of {what} were opened and never closed.", DESCRIPTORS.of(open.files)),
                "Close each descriptor when it is no longer needed, on every path out of the function, also after \
                 errors.",
            )
        };
        vec![Candidate {
            sentence,
            evidence: vec![
                Evidence { line: Some(open.line), ..thing(tracker.group(open.object), 0, tracker) },
                process(*pid, comm, open.files),
            ],
            advice: advice.into(),
            confidence: Confidence::Likely,
            makers: open.made.map(|made| (made, open.files)).into_iter().collect(),
            matters: true,
            ..Candidate::default()
        }]
    }
}

#[cfg(test)]
mod tests {
    use crate::Scope;
    use crate::test_run::TestRun;
    use stride_event::{Event, Outcome};
    use stride_test_support::calls::{attached, call, exited, naming, operation};

    /// The findings about a program that opens one path again and again. `then` shows the events behind each
    /// descriptor.
    fn found(operations: bool, then: impl Fn(i64, &mut TestRun)) -> Vec<&'static str> {
        let mut run = TestRun::of(Scope { operations, ..Scope::default() }, true);
        run.show(attached(7, 1));
        for fd in 3..400 {
            let open = naming(call(7, "open", &[0x1000, 0], Outcome::Value(fd)), 0x1000, "/config");
            run.show(Event::Exit(&open));
            then(fd, &mut run);
        }
        run.show(exited(7, 1000));
        run.finding_ids()
    }

    #[test]
    fn operations_of_io_uring_close_files() {
        assert!(found(true, |_, _| ()).contains(&"fd-leak"));
        let closed = found(true, |fd, run| run.show(Event::Library(&operation(7, "close", &[fd as u64], &[], 0))));
        assert!(!closed.contains(&"fd-leak"), "{closed:?}");
        // Operations that are not reported may have closed the files.
        let enter = call(7, "io_uring_enter", &[3, 1], Outcome::Value(1));
        let unseen = found(false, |_, run| run.show(Event::Exit(&enter)));
        assert!(!unseen.contains(&"fd-leak"), "{unseen:?}");
        let seen = found(true, |_, run| run.show(Event::Exit(&enter)));
        assert!(seen.contains(&"fd-leak"), "{seen:?}");
    }
}
