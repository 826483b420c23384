//! Memory is mapped and unmapped again and again.

use super::common::{Bounded, ProcessCounts, plain, process, thing};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::page_faults::touching_at_most;
use crate::report::finding::{Candidate, Claim, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{EACH, OTHERS, PID, TIMES};
use crate::report::statement::say;
use crate::report::trial::Trial;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use stride_event::{Ns, Outcome, Tid, grouped};
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{ObjectId, Tracker};

const MAPPED_AGAIN: Threshold =
    Threshold::count("mapped-again", 50, "mappings of one size that one process maps and unmaps again");

const MAPPED_FEW: Threshold =
    Threshold::count("mapped-few", 5, "the same, if the mappings come to as much as mapped-volume and were touched");
const MAPPED_VOLUME: Threshold = Threshold::bytes("mapped-volume", 1 << 30, "so much in all, if the mappings are few");

const PIECES_MAPPED: Threshold =
    Threshold::count("pieces-mapped", 1_000, "mappings of one file that one process makes and unmaps again");

pub const RULE: RuleInfo = RuleInfo {
    id: "map-churn",
    title: "memory mapped and unmapped",
    explanation: "A process maps fresh memory with mmap(2), unmaps it, and does so again with the same size. Each time the kernel \
        hands out zeroed pages, with a page fault for each page that is touched, and takes them back. The page faults cost \
        more than the calls seen here.\n\n\
        Mappings without a file that were unmapped as a whole are reported if one process makes at least fifty of one size, or five of one size that come to 1 GiB and whose pages were touched: to take back pages that nobody touched takes no time. \
        Keeping the memory would save all but the first. So are pieces of one file that a process maps and unmaps at least 1,000 times: one mapping of the whole file serves \
        them all.\n\n\
        Example: a program takes a buffer of 1 MiB for each of 5,000 pictures and frees it; its allocator uses mmap for \
        blocks of that size. One buffer for all pictures saves 9,998 of 10,000 calls, and 1,280,000 page faults. With the C \
        library, \
        mallopt(M_MMAP_THRESHOLD) above the size has the same effect.",
    thresholds: &[MAPPED_AGAIN, MAPPED_FEW, MAPPED_VOLUME, PIECES_MAPPED],
    make: || Box::new(MapChurn::default()),
};

#[derive(Default)]
struct MapChurn {
    /// Anonymous mappings: their size, by process and address.
    mapped: Bounded<(Tid, u64), u64>,
    /// Pairs of map and unmap, by process and size.
    again: Bounded<(Tid, u64), Pairs>,
    processes: ProcessCounts,
    /// Mapped pieces of files: the file and the size, by process and address.
    pieces: Bounded<(Tid, u64), (ObjectId, u64)>,
    /// Their pairs of map and unmap, by process and file.
    files: Bounded<(Tid, ObjectId), Pairs>,
}

struct Pairs {
    map: CallKey,
    unmap: CallKey,
    pairs: u64,
    line: u64,
    /// The time that unmapping took.
    unmapping: Ns,
}

/// To take a page back takes longer, and to unmap one that nobody touched takes less. (A huge page is taken back as a whole.)
const TOUCHED_PAGE: Ns = 2;
const PAGE: u64 = 4096;

impl Pairs {
    /// So much memory of this size was mapped and given back that it matters.
    fn is_often(&self, size: u64) -> bool {
        let bytes = size.saturating_mul(self.pairs);
        let touched = self.unmapping >= bytes / PAGE * TOUCHED_PAGE;
        self.pairs >= MAPPED_AGAIN.get() || self.pairs >= MAPPED_FEW.get() && bytes >= MAPPED_VOLUME.get() && touched
    }
}

impl Rule for MapChurn {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Maps) || row.has_effect(Effect::Unmaps)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let Outcome::Value(value) = observed.call.outcome else { return };
        let pid = observed.seen.pid;
        let (addr, size) = (observed.arg("addr"), observed.arg("length"));
        if observed.has(Effect::Maps) {
            if is_anonymous(observed) {
                self.mapped.forget_ended(observed.tracker, |_| false);
                self.again.forget_ended(observed.tracker, |pairs| pairs.pairs >= MAPPED_FEW.get());
                if let Some(known) = self.mapped.entry((pid, value as u64), || size) {
                    *known = size;
                }
                self.again.entry((pid, size), || Pairs {
                    map: observed.key,
                    unmap: observed.key,
                    pairs: 0,
                    line: observed.line,
                    unmapping: 0,
                });
            }
            if let Some(object) = observed.seen.object.filter(|_| observed.arg("flags") & c::MAP_FIXED == 0) {
                self.mapped_piece(observed, value as u64, object, size);
            }
            return;
        }
        if self.pieces.len() > 0
            && let Some((object, _)) = self.pieces.remove(&(pid, addr)).filter(|(_, mapped)| *mapped == size)
            && let Some(pairs) = self.files.get_mut(&(pid, object))
        {
            pairs.unmap = observed.key;
            pairs.pairs += 1;
        }
        // Memory that is unmapped in parts was not mapped for a single use.
        if self.mapped.remove(&(pid, addr)) != Some(size) {
            return;
        }
        let Some(pairs) = self.again.get_mut(&(pid, size)) else { return };
        pairs.unmap = observed.key;
        pairs.pairs += 1;
        pairs.unmapping += observed.time();
        if pairs.is_often(size) {
            self.processes.count(pid, observed.tracker);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        self.memory().into_iter().chain(self.pieces_of_file(index, tracker)).collect()
    }
}

impl MapChurn {
    fn mapped_piece(&mut self, observed: &Observed<'_>, addr: u64, object: ObjectId, size: u64) {
        let pid = observed.seen.pid;
        self.pieces.forget_ended(observed.tracker, |_| false);
        self.files.forget_ended(observed.tracker, |pairs| pairs.pairs >= PIECES_MAPPED.get());
        if let Some(known) = self.pieces.entry((pid, addr), || (object, size)) {
            *known = (object, size);
        }
        let (map, line) = (observed.key, observed.line);
        self.files.entry((pid, object), || Pairs { map, unmap: map, pairs: 0, line, unmapping: 0 });
    }

    fn pieces_of_file(&self, index: &Index, tracker: &Tracker) -> Option<Candidate> {
        let often = self.files.iter().filter(|(_, pairs)| pairs.pairs >= PIECES_MAPPED.get());
        let ((pid, object), worst) = often.max_by_key(|(key, pairs)| (pairs.pairs, std::cmp::Reverse(**key)))?;
        let evidence = Evidence { line: Some(worst.line), ..thing(*object, 2 * worst.pairs, tracker) };
        Some(Candidate {
            sentence: say!(
                "Pieces of {} were mapped and unmapped again {} times by one process. Each time, the pages that it touches cost page faults.",
                plain(tracker.name(*object)),
                TIMES.of(worst.pairs),
            ),
            evidence: vec![evidence, process(*pid, index.comm(*pid, tracker), worst.pairs)],
            advice: "Map the whole file once and keep the mapping: a mapping takes addresses, and memory only for pages that are touched. Or read the pieces with pread(2)."
                .into(),
            confidence: Confidence::Likely,
            claims: [worst.map, worst.unmap].map(|key| Claim { key, calls: worst.pairs - 1 }).into(),
            estimate: "every mapping of the file but one".into(),
            ..Candidate::default()
        })
    }

    fn memory(&self) -> Option<Candidate> {
        let mut often: Vec<_> = self.again.iter().filter(|((_, size), pairs)| pairs.is_often(*size)).collect();
        often.sort_by_key(|((pid, size), pairs)| (std::cmp::Reverse(pairs.pairs), *size, *pid));
        let ((pid, size), worst) = often.first()?;
        let evidence = often.iter().map(|((pid, size), pairs)| {
            let name = format!("{} bytes in process {pid}", grouped(*size));
            let mut evidence = Evidence::new(EvidenceKind::Other, name, 2 * pairs.pairs);
            evidence.line = Some(pairs.line);
            evidence
        });
        let saved = |pairs: &Pairs| pairs.pairs - 1;
        Some(Candidate {
            sentence: say!(
                "Process {} mapped {} bytes of fresh memory and unmapped them again {} times{}. Each time, every page \
                 that it touches costs a page fault.",
                PID.id(*pid),
                EACH.of(*size),
                TIMES.of(worst.pairs),
                match often.len() - 1 {
                    0 => "".into(),
                    1 => ", and did much the same with another size".into(),
                    n => say!(", and did much the same with {} other sizes", OTHERS.of(n as u64)),
                }
            ),
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice: "Keep the memory and use it again: one buffer for all rounds, a pool, or an allocator that is told not to \
                give so much back (mallopt(3): M_MMAP_THRESHOLD, M_TRIM_THRESHOLD)."
                .into(),
            confidence: Confidence::Likely,
            // 32 MiB is the most that the C library takes.
            trial: Some(Trial::Environment(&[("MALLOC_MMAP_THRESHOLD_", "33554432"), ("MALLOC_TRIM_THRESHOLD_", "268435456")])),
            claims: often
                .iter()
                .flat_map(|(_, pairs)| {
                    [pairs.map, pairs.unmap].map(|key| Claim { key, calls: saved(pairs) })
                })
                .collect(),
            perhaps_more: often
                .iter()
                .map(|((_, size), pairs)| touching_at_most(size.saturating_mul(saved(pairs))))
                .fold(0, Ns::saturating_add),
            estimate: "every mapping but the first of its size; more if the program touches the memory".into(),
            ..Candidate::default()
        })
    }
}

/// True if the call maps anonymous memory at an address that the kernel chooses, and not the stack of a thread.
pub fn is_anonymous(observed: &Observed<'_>) -> bool {
    observed.arg("flags") & (c::MAP_FIXED | c::MAP_ANONYMOUS | c::MAP_STACK) == c::MAP_ANONYMOUS
}
