//! Several processes write small pieces to one file, by turns.

use super::common::{Bounded, Claims, ProcessCounts, plain, thing};
use crate::counts::index::{Index, Observed};
use crate::counts::kinds::{Io, io, is_write};
use crate::report::finding::{Candidate, Confidence, Evidence};
use crate::report::quantity::{CALLS, MEAN_BYTES, OVERLAPPING, TURNS, WRITERS};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::shared::{GOOD_BUFFER, SMALL_TRANSFER};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::Tid;
use stride_syscalls::Syscall;
use stride_track::{ObjectId, Tracker};

const SHARED_TURNS: Threshold =
    Threshold::count("shared-turns", 200, "small writes to one file right after a small write of another process");
const SHARED_WRITES: Threshold =
    Threshold::count("shared-writes", 50, "a process counts as one of the writers from so many small writes on");

pub const RULE: RuleInfo = RuleInfo {
    id: "shared-writes",
    title: "small writes of several processes to one file",
    explanation: "Two or more processes write pieces of less than a page (4,096 bytes) to the same file, by turns: records of a \
        result, lines of a log. Each write takes the file's lock, and where two of them write into the same page, or their \
        ranges overlap, the page goes from one processor to the other, or over the network.\n\n\
        At least 200 writes must follow one of another process, and at least two processes must have made fifty such \
        writes. The estimate is all writes but those that are needed if each process collects 64 KiB. A log whose lines must \
        be there at once is as it must be.\n\n\
        Example: four processes write 2,000 results of 100 bytes each to one file, each at its place with pwrite(2): 8,000 \
        writes. With a part of the file for each process, which it writes in pieces of 64 KiB, 16 writes are enough.",
    thresholds: &[SHARED_TURNS, SHARED_WRITES],
    make: || Box::new(SharedWrites::default()),
};

#[derive(Default)]
struct SharedWrites {
    files: Bounded<ObjectId, Shared>,
}

#[derive(Default)]
struct Shared {
    by: Vec<Writer>,
    latest: Option<Latest>,
    turns: u64,
    /// Writes that began or ended in the page that the write before, of another process, had changed.
    same_page: u64,
    overlaps: u64,
    line: u64,
}

#[derive(Clone, Copy)]
struct Latest {
    pid: Tid,
    /// The offset of the write, if the call gives one.
    range: Option<(u64, u64)>,
}

struct Writer {
    pid: Tid,
    calls: u64,
    bytes: u64,
    claims: Claims,
}

/// Writers of one file that are told apart.
const MAX_WRITERS: usize = 64;
const PAGE: u64 = 4096;

impl Rule for SharedWrites {
    fn wants(&self, row: &'static Syscall) -> bool {
        is_write(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (Some(object), Some(bytes @ 1..)) = (observed.seen.object, observed.seen.bytes) else { return };
        // Programs should not buffer what they write to stderr.
        if bytes >= SMALL_TRANSFER.get() || observed.seen.fd == Some(2) || io(object, observed.tracker) != Io::File {
            return;
        }
        let pid = observed.seen.pid;
        self.files.make_room(|file| file.turns > 0);
        let Some(file) = self.files.entry(object, Shared::default) else { return };
        let at_offset = observed.row.transfer().is_some_and(|transfer| transfer.at_offset);
        let range = at_offset.then(|| observed.arg("offset")).map(|from| (from, from.saturating_add(bytes)));
        if let Some(before) = file.latest.replace(Latest { pid, range }).filter(|before| before.pid != pid) {
            file.turns += 1;
            file.line = observed.line;
            if let (Some((from, to)), Some((other_from, other_to))) = (range, before.range) {
                file.overlaps += u64::from(from < other_to && other_from < to);
                let page = |at: u64| at / PAGE;
                file.same_page += u64::from(page(from) <= page(other_to - 1) && page(other_from) <= page(to - 1));
            }
        }
        let writer = match file.by.iter().rposition(|writer| writer.pid == pid) {
            Some(at) => &mut file.by[at],
            None if file.by.len() < MAX_WRITERS => {
                file.by.push(Writer { pid, calls: 0, bytes: 0, claims: Claims::default() });
                let last = file.by.len() - 1;
                &mut file.by[last]
            }
            None => return,
        };
        writer.calls += 1;
        writer.bytes += bytes;
        writer.claims.add(observed.key, 1);
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let mut shared: Vec<_> = self.files.iter().filter(|(_, file)| file.is_shared()).collect();
        shared.sort_by_key(|(object, file)| (Reverse(file.turns), **object));
        let Some((object, worst)) = shared.first() else { return Vec::new() };
        let mut processes = ProcessCounts::default();
        worst.by.iter().for_each(|writer| processes.add(writer.pid, writer.calls, index.comm(writer.pid, tracker)));
        let mut claims = Claims::default();
        for writer in shared.iter().flat_map(|(_, file)| &file.by) {
            let part = 1.0 - writer.bytes.div_ceil(GOOD_BUFFER) as f64 / writer.calls as f64;
            writer.claims.iter().for_each(|(key, calls)| claims.add(key, (calls as f64 * part.max(0.0)) as u64));
        }
        let evidence = shared.iter().map(|(object, file)| {
            let mut evidence: Evidence = thing(**object, file.calls(), tracker);
            evidence.bytes = Some(file.bytes());
            evidence.line = Some(file.line);
            evidence
        });
        let where_to = match (worst.overlaps, worst.same_page) {
            (0, 0) => "".into(),
            (0, n) => say!(", {} of them in the same page", OVERLAPPING.of(n)),
            (n, _) => say!(", {} of them over what that one had written", OVERLAPPING.of(n)),
        };
        vec![Candidate {
            sentence: say!(
                "{} processes wrote to {} by turns, {} bytes at a time on average: {} of {} writes came after one of another \
                 process{}.",
                WRITERS.of(worst.writers() as u64),
                plain(tracker.name(**object)),
                MEAN_BYTES.of(worst.bytes() / worst.calls()),
                TURNS.of(worst.turns),
                CALLS.of(worst.calls()),
                where_to,
            ),
            evidence: evidence.take(2).chain(processes.most(2)).collect(),
            advice: "Let each process collect its output and write it in large pieces, to a part of the file of its own or to its \
                     own file; or send it to one process that writes for all (collective I/O in MPI)."
                .into(),
            confidence: Confidence::Possible,
            claims: claims.list(),
            estimate: "all writes but those that are needed if each process collects 64 KiB".into(),
            ..Candidate::default()
        }]
    }
}

impl Shared {
    fn writers(&self) -> usize {
        self.by.iter().filter(|writer| writer.calls >= SHARED_WRITES.get()).count()
    }

    fn calls(&self) -> u64 {
        self.by.iter().map(|writer| writer.calls).sum()
    }

    fn bytes(&self) -> u64 {
        self.by.iter().map(|writer| writer.bytes).sum()
    }

    fn is_shared(&self) -> bool {
        self.turns >= SHARED_TURNS.get() && self.writers() >= 2
    }
}
