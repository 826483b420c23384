//! A file is read in small pieces here and there, or at the same places again and again.

use super::common::{Claims, has_own_rule, largest, plain, process, thing};
use super::placed_reads::{PlacedReads, Reads};
use crate::counts::index::{CallKey, Index, Observed, OpenFile};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{BYTES, CALLS, EXTENT, MEAN_BYTES, REPEATED, TIMES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::shared::SMALL_TRANSFER;
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::Ns;
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
        begins anew. A file of which one process reads twenty times as many bytes as the part of it that it reads has, or 256 MiB and five times as many, is also reported if locks or changes come between: so does a query that goes through a whole table because there is no index, and a program that follows a file by reading all of it each time.\n\n\
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
        let random = self.candidate(
            index,
            tracker,
            |reads| &reads.claims,
            |reads| {
                !again(reads)
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
        let same = self.candidate(index, tracker, |reads| &reads.claims_again, repeated);
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
        let over =
            self.candidate(index, tracker, |reads| &reads.claims, |reads| !repeated(reads) && is_read_over(reads));
        let over = over.map(|(name, reads, candidate)| Candidate {
            sentence: say!(
                "{name} was read {} times over: {} in all, of the {} that were read of the file. Between the reads, the file was locked or changed.",
                TIMES.of(reads.bytes / reads.extent.max(1)),
                BYTES.of(reads.bytes),
                EXTENT.of(reads.extent),
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
        random.into_iter().chain(same).chain(over).collect()
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
    /// The parts of a candidate that both kinds have in common, with the name and the reads of the worst file.
    fn candidate(
        &self,
        index: &Index,
        tracker: &Tracker,
        claimed: fn(&Reads) -> &Claims,
        wasteful: impl Fn(&Reads) -> bool,
    ) -> Option<(String, &Reads, Candidate)> {
        let is_free = |object: ObjectId| !has_own_rule(tracker.name(object));
        let files = self.placed.reads.iter().filter(|((_, object), reads)| wasteful(reads) && is_free(*object));
        let files = largest(files, 4, |((pid, object), reads)| (claimed(reads).total(), Reverse((*object, *pid))));
        let ((pid, object), worst) = *files.first()?;
        let evidence = files.iter().map(|((_, object), reads)| {
            let mut evidence = thing(*object, reads.calls, tracker);
            evidence.bytes = Some(reads.bytes);
            evidence.line = Some(reads.line);
            evidence
        });
        let process = process(*pid, index.comm(*pid, tracker), worst.calls);
        let mut claims = Claims::default();
        claims.add_all(files.iter().flat_map(|(_, reads)| claimed(reads).iter()));
        let candidate = Candidate {
            evidence: evidence.chain([process]).collect(),
            confidence: Confidence::Likely,
            claims: claims.list(),
            ..Candidate::default()
        };
        Some((plain(tracker.name(*object)), worst, candidate))
    }
}
