//! Descriptors are opened and never closed.

use super::common::{largest, plain, process_name, thing};
use crate::finding::{Confidence, Draft, Evidence, EvidenceKind};
use crate::index::{Index, OpenFile};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::{LEAKED, LEAKED_PART};
use rustc_hash::FxHashMap;
use stride_event::{Tid, grouped};
use stride_track::{ObjectId, Tracker};

pub const RULE: RuleInfo = RuleInfo {
    id: "fd-leak",
    title: "descriptors never closed",
    explanation: "A process opens more and more, and closes little of it: at the end of the run, or of the process, most of what it \
        had opened in one way (the same path, or by the same call) was still open. It will meet the limit on descriptors \
        (EMFILE) some day, and until then keeps memory and locks, and the space of deleted files.\n\n\
        It counts what was opened in this run and stayed open: at least 64 of one path, or 256 by one call, and nine of ten of all that \
        were opened so. A server with many clients has many descriptors, too, but closes those of clients who left.\n\n\
        Example: a function opens /etc/hosts for each request and returns early without closing it. The descriptor's number \
        rises by one with each request.",
    make: || Box::new(FdLeak::default()),
};

/// What was opened in the same way: of one path, or, with none, by one syscall.
type Way = (Tid, Option<ObjectId>, u32);

#[derive(Default)]
struct FdLeak {
    closed: FxHashMap<Way, u64>,
}

const MAX_WAYS: usize = 1 << 18;

fn ways(file: &OpenFile) -> Option<[Way; 2]> {
    let made = file.made?;
    Some([(file.pid, Some(file.object), 0), (file.pid, None, made.nr)])
}

impl Rule for FdLeak {
    fn closed(&mut self, file: &OpenFile, _: &Index, _: &Tracker) {
        // That a process ended is no merit.
        if file.closed.is_none() {
            return;
        }
        for way in ways(file).into_iter().flatten() {
            if self.closed.len() < MAX_WAYS || self.closed.contains_key(&way) {
                *self.closed.entry(way).or_default() += 1;
            }
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Draft> {
        struct Open {
            files: u64,
            line: u64,
            object: ObjectId,
        }
        let mut open: FxHashMap<Way, Open> = FxHashMap::default();
        for file in index.open_files() {
            for way in ways(file).into_iter().flatten() {
                let entry = open.entry(way).or_insert(Open { files: 0, line: file.line, object: file.object });
                entry.files += 1;
                entry.line = entry.line.min(file.line);
            }
        }
        let leaks = open.iter().filter(|(way, open)| {
            let closed = self.closed.get(way).copied().unwrap_or(0);
            let least = if way.1.is_some() { LEAKED } else { LEAKED * 4 };
            open.files >= least && open.files as f64 >= (open.files + closed) as f64 * LEAKED_PART
        });
        let worst = largest(leaks, 1, |((pid, path, nr), open)| (path.is_some(), open.files, *pid, *nr));
        let Some(((pid, path, _), open)) = worst.first() else { return Vec::new() };
        let comm = index.comm(*pid, tracker);
        let what = match path {
            Some(path) => plain(tracker.name(*path)),
            None => format!("files such as {}", plain(tracker.name(open.object))),
        };
        let process = process_name(*pid, comm);
        vec![Draft {
            sentence: format!("{} descriptors of {what} were opened and never closed.", grouped(open.files)),
            evidence: vec![
                Evidence { line: Some(open.line), ..thing(open.object, 0, tracker) },
                Evidence::new(EvidenceKind::Process, process, open.files),
            ],
            advice: "Close them where they are done with, on every way out; with -k or a debugger, see who opens them."
                .into(),
            confidence: Confidence::Likely,
            matters: true,
            ..Draft::default()
        }]
    }
}
