//! A file is read in small pieces here and there, or at the same places again and again.

use super::common::{Claims, has_own_rule, largest, plain, process, thing};
use super::placed_reads::{PlacedReads, Reads};
use crate::counts::index::{CallKey, Index, Observed, OpenFile};
use crate::report::finding::{Candidate, Claim, Confidence};
use crate::report::quantity::{BYTES, CALLS, EXTENT, MEAN_BYTES, PROCESSES, REPEATED, TIMES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::shared::SMALL_TRANSFER;
use crate::thresholds::threshold::Threshold;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use stride_event::{Ns, Tid};
use stride_syscalls::Syscall;
use stride_track::{ObjectId, Tracker};

const RANDOM_READS: Threshold = Threshold::count("random-reads", 1000, "reads of one file at places all over it");
const READ_AGAIN: Threshold = Threshold::count("read-again", 300, "reads of ranges that were read before");
const READ_OVER: Threshold = Threshold::count("read-over", 20, "how many times over a file is read");
const READ_OVER_VOLUME: Threshold =
    Threshold::bytes("read-over-volume", 256 << 20, "so much in all, if the reads or the times are fewer than that");
const READ_OVER_FEW: Threshold = Threshold::count("read-over-few", 5, "how many times over so much is read");
const READ_OVER_BYTES: Threshold =
    Threshold::bytes("read-over-bytes", 16 << 10, "less of a file is a record that others change, or a short list");

pub const RULE: RuleInfo = RuleInfo {
    id: "random-reads",
    title: "reads here and there",
    explanation: "A program reads small records (less than a page on average) at places all over one file, with a call for each: \
        pread, or lseek and read. Or it reads the same ranges of a file again and again. A call costs more than copying the \
        bytes from the page cache does.\n\n\
        A file that one process read at least 1,000 times is reported if at least half of the reads did not begin where \
        the one before had ended. Reads of whole pages do not count: databases do that, and keep the pages. A read counts as \
        made before if the same process read as many bytes at the same place; 300 of these, if they are half of all reads of \
        the file, are reported. After a write to the file, or a lock on it (another process may have changed it), counting \
        begins anew. From 1,000 reads on, if half of them begin within the bytes of the one before and half of all bytes were so read twice, the file is reported as a stream that is moved by a seek before each record. A file of which one process reads twenty times as many bytes as the part of it that it reads has, or 256 MiB and five times as many, is also reported if locks or changes come between: so does a query that goes through a whole table because there is no index, and a program that follows a file by reading all of it each time. The same is reported of five or more children of one process together that each read the file: a loop that appends to an archive with a process for each item.\n\n\
        Example: a program looks up 20,000 records of 256 bytes in a file of 16 MiB: 20,000 calls of pread. With mmap(2) and \
        madvise(MADV_RANDOM) it makes two calls. Or sort the places first, and read neighbours together. An analysis that \
        reads the 16 pages of an index before each of 500 steps makes 8,000 reads; if it keeps the index, 16.",
    thresholds: &[RANDOM_READS, READ_AGAIN, READ_OVER, READ_OVER_VOLUME, READ_OVER_FEW, READ_OVER_BYTES],
    make: || Box::new(RandomReads::default()),
};

#[derive(Default)]
struct RandomReads {
    placed: PlacedReads,
}

impl Rule for RandomReads {
    fn wants(&self, row: &'static Syscall) -> bool {
        PlacedReads::wants(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        self.placed.call(observed);
    }

    fn closed(&mut self, file: &OpenFile, _: &Index, _: &Tracker) {
        self.placed.closed(file.id);
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let again = |reads: &Reads| reads.again * 2 >= reads.calls;
        let repeated = |reads: &Reads| again(reads) && reads.again >= READ_AGAIN.get();
        let reads = || self.placed.reads.iter().map(|(of, reads)| (*of, reads));
        let random = candidate(
            index,
            tracker,
            reads(),
            |reads| &reads.claims,
            |reads| {
                !again(reads)
                    && !reads.is_buffer_lost()
                    && reads.extent > SMALL_TRANSFER.get()
                    && reads.calls >= RANDOM_READS.get()
                    && reads.jumps * 2 >= reads.calls
                    && reads.bytes / reads.calls < SMALL_TRANSFER.get()
            },
        );
        let random = random.map(|(name, reads, candidate)| Candidate {
            sentence: say!(
                "{name} was read {} times in small pieces at places all over the file: {} bytes each on average.",
                CALLS.of(reads.calls),
                MEAN_BYTES.of(reads.bytes / reads.calls),
            ),
            advice:
                "Map the file (mmap(2), with MADV_RANDOM) and read records from memory; or sort the places and read \
                neighbours together; or keep what is asked for often."
                    .into(),
            estimate: "all of these reads".into(),
            ..candidate
        });
        let same = candidate(index, tracker, reads(), |reads| &reads.claims_again, repeated);
        let same = same.map(|(name, reads, candidate)| Candidate {
            sentence: say!(
                "{name} was read at the same places again and again: {} of {} reads, {} in all, were of bytes that the same \
                 process had read before and no traced process had written since.",
                REPEATED.of(reads.again),
                CALLS.of(reads.calls),
                BYTES.of(reads.bytes),
            ),
            advice: "Read these ranges once and keep what is in them (a table in memory, an index, a cache). If it is the reads that cost, map the file (mmap(2))."
                .into(),
            estimate: "all reads of a range but the first, and at most the work on what they brought".into(),
            work_after: true,
            ..candidate
        });
        let lost =
            candidate(index, tracker, reads(), |reads| &reads.claims, |reads| !again(reads) && reads.is_buffer_lost());
        let lost = lost.map(|(name, reads, candidate)| Candidate {
            sentence: say!(
                "{name} was read {} times, and {} of the reads began within the bytes of the read before: {} in all, of the {} that were read of the file. A seek before a record throws the bytes away that a stream has in its buffer.",
                CALLS.of(reads.calls),
                REPEATED.of(reads.overlaps),
                BYTES.of(reads.bytes),
                EXTENT.of(reads.extent),
            ),
            advice: "Read the records in order without a seek, and pass over bytes by reading them: a stream (std::ifstream, FILE, a BufReader, RandomAccessFile with a buffer) drops its buffer at a seek, though the new place be in it (in Rust, seek_relative keeps it). \
                     Or read each record alone, with pread(2) and its size, or map the file (mmap(2))."
                .into(),
            estimate: "all of these reads but for once, with the seeks before them".into(),
            claims: reads.claims_but_once(),
            ..candidate
        });
        let is_over = |reads: &Reads| !repeated(reads) && !reads.is_buffer_lost() && is_read_over(reads);
        let over = candidate(index, tracker, reads(), |reads| &reads.claims, is_over);
        let over = over.map(|(name, reads, candidate)| Candidate {
            sentence: say!(
                "{name} was read {} times over: {} in all, of the {} that were read of the file.{}",
                TIMES.of(reads.bytes / reads.extent.max(1)),
                BYTES.of(reads.bytes),
                EXTENT.of(reads.extent),
                if reads.changed { " Between the reads, the file was locked or changed." } else { "" },
            ),
            advice: "See what goes through the file each time. For a database: an index (EXPLAIN QUERY PLAN tells which queries go through a whole table), or a larger cache, \
                     which must hold what is asked for. For a file to which others append: remember the place up to which it was read, and read on from there."
                .into(),
            estimate: "all of that if what was read is kept, or found by an index, and at most the work on it".into(),
            confidence: Confidence::Possible,
            claims: Vec::new(),
            perhaps_more: price(index, reads),
            makers: reads.claims.iter().collect(),
            ..candidate
        });
        let in_turn = if over.is_some() { None } else { self.by_children(index, tracker) };
        random.into_iter().chain(same).chain(lost).chain(over).chain(in_turn).collect()
    }
}

/// A lock or a change comes between the reads, so nobody knows whether they bring the same bytes.
fn is_read_over(reads: &Reads) -> bool {
    let times = reads.bytes / reads.extent.max(1);
    let many = reads.calls >= RANDOM_READS.get() && times >= READ_OVER.get();
    let much = reads.bytes >= READ_OVER_VOLUME.get() && times >= READ_OVER_FEW.get();
    reads.extent >= READ_OVER_BYTES.get() && (many || much)
}

/// The time of the reads, and of the work that follows them.
fn price(index: &Index, reads: &Reads) -> Ns {
    let price = |(key, calls): (CallKey, u64)| index.price_on_path(key, calls) as Ns + index.work_after(key, calls);
    reads.claims.iter().map(price).fold(0, Ns::saturating_add)
}

impl RandomReads {
    /// The children of a process each read the same file.
    fn by_children(&self, index: &Index, tracker: &Tracker) -> Option<Candidate> {
        let mut families: FxHashMap<(Tid, ObjectId), (Reads, u64)> = FxHashMap::default();
        for ((_, object), reads) in self.placed.reads.iter() {
            let Some(parent) = reads.parent.filter(|_| reads.bytes >= READ_OVER_BYTES.get()) else { continue };
            let (sum, children) = families.entry((parent, *object)).or_default();
            sum.calls += reads.calls;
            sum.bytes += reads.bytes;
            sum.extent = sum.extent.max(reads.extent);
            sum.line = reads.line;
            sum.claims.add_all(reads.claims.iter());
            *children += 1;
        }
        families.retain(|_, (_, children)| *children >= READ_OVER_FEW.get());
        let all = families.iter().map(|(of, (reads, _))| (*of, reads));
        let (name, reads, candidate) = candidate(index, tracker, all, |reads| &reads.claims, is_read_over)?;
        let children = families.values().find(|(sum, _)| std::ptr::eq(sum, reads)).map_or(0, |(_, children)| *children);
        Some(Candidate {
            sentence: say!(
                "{name} was read {} times over, by {} processes: {} in all, of the {} that were read of the file.",
                TIMES.of(reads.bytes / reads.extent.max(1)),
                PROCESSES.of(children),
                BYTES.of(reads.bytes),
                EXTENT.of(reads.extent),
            ),
            advice: "Let one process do the work on the file for all items, and read the file once: many programs take a list of names (tar with -T), several expressions, or all items on standard input. \
                     If each process adds to the file and goes through the rest for that, the whole takes the square of the number of items."
                .into(),
            estimate: "all of these reads but for once, and at most the work on what they brought".into(),
            claims: reads.claims_but_once(),
            work_after: true,
            ..candidate
        })
    }
}

impl Reads {
    /// Most reads bring the bytes once more that the read before had brought.
    fn is_buffer_lost(&self) -> bool {
        self.calls >= RANDOM_READS.get() && self.overlaps * 2 >= self.calls && self.overlapping * 2 >= self.bytes
    }

    /// The calls that would be left out if each byte of the file were read once, by reads of the same size.
    fn claims_but_once(&self) -> Vec<Claim> {
        let again = 1.0 - self.extent as f64 / self.bytes.max(1) as f64;
        self.claims.iter().map(|(key, calls)| Claim { key, calls: (calls as f64 * again) as u64 }).collect()
    }
}

/// The parts of a candidate that all kinds have in common, with the name and the reads of the worst file.
fn candidate<'r>(
    index: &Index,
    tracker: &Tracker,
    reads: impl Iterator<Item = ((Tid, ObjectId), &'r Reads)>,
    claimed: fn(&Reads) -> &Claims,
    wasteful: impl Fn(&Reads) -> bool,
) -> Option<(String, &'r Reads, Candidate)> {
    let is_free = |object: ObjectId| !has_own_rule(tracker.name(object));
    let files = reads.filter(|((_, object), reads)| wasteful(reads) && is_free(*object));
    let files = largest(files, 4, |((pid, object), reads)| (claimed(reads).total(), Reverse((*object, *pid))));
    let ((pid, object), worst) = *files.first()?;
    let evidence = files.iter().map(|((_, object), reads)| {
        let mut evidence = thing(*object, reads.calls, tracker);
        evidence.bytes = Some(reads.bytes);
        evidence.line = Some(reads.line);
        evidence
    });
    let process = process(pid, index.comm(pid, tracker), worst.calls);
    let mut claims = Claims::default();
    claims.add_all(files.iter().flat_map(|(_, reads)| claimed(reads).iter()));
    let candidate = Candidate {
        evidence: evidence.chain([process]).collect(),
        confidence: Confidence::Likely,
        claims: claims.list(),
        ..Candidate::default()
    };
    Some((plain(tracker.name(object)), worst, candidate))
}
