//! Files are read in small pieces.

use super::pieces::{Moved, Pieces, needed};
use crate::counts::index::{Index, OpenFile};
use crate::counts::kinds::{Io, io};
use crate::report::finding::{Candidate, Confidence};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::shared::SEEKS_PER_TRANSFER;
use crate::thresholds::threshold::Threshold;
use stride_track::Tracker;

const FULL_READS: Threshold = Threshold::count(
    "full-reads",
    3,
    "reads of one open file that got all they asked for; with fewer, the file may have had no more",
);

pub const RULE: RuleInfo = RuleInfo {
    id: "tiny-reads",
    title: "tiny reads",
    explanation: "Files are read from beginning to end in pieces of less than a page (4,096 bytes), although more could \
                  have been read at once. Each call costs as much as one that reads sixteen pages.\n\n\
        A read counts if it asked for less than a page, and at least three reads of that open file got all the bytes that \
        they asked for. Reads after a seek, reads at an offset (pread), and reads of terminals, sockets, /proc and devices \
        do not count. Reads of pipes count only if one comes right after another. With a buffer of 64 KiB, all could be \
        saved but one for each 64 KiB, and the one that finds the end.\n\n\
        Example: a program counts the lines of 30,600 files of 5,000 bytes with a buffer of 1,024 bytes. Each file takes six reads, the last of which finds the end. With a buffer of 64 KiB it takes two.",
    thresholds: &[FULL_READS],
    make: || Box::new(TinyReads::default()),
};

#[derive(Default)]
struct TinyReads {
    pieces: Pieces,
    /// The calls that could be saved, and those of them that read pipes.
    wasted: u64,
    wasted_at_pipes: u64,
}

impl TinyReads {
    fn look(&mut self, file: &OpenFile, index: &Index, tracker: &Tracker) {
        let small = file.reads.small;
        // The rest of a larger piece may be small.
        if small.calls * 2 < file.reads.calls {
            return;
        }
        if small.full < FULL_READS.get() || file.seeks as f64 > small.calls as f64 * SEEKS_PER_TRANSFER.ratio() {
            return;
        }
        let (calls, bytes, needed) = match io(file.object, tracker) {
            // One more read finds the end, unless the program knew the size.
            Io::File => (small.calls, small.bytes, needed(small.bytes) + u64::from(small.calls > small.full)),
            Io::Pipe => (small.full.min(small.in_a_row), small.full_bytes, needed(small.full_bytes)),
            Io::Socket | Io::Terminal | Io::Other => return,
        };
        let wasted = calls.saturating_sub(needed);
        self.wasted += wasted;
        self.wasted_at_pipes += if io(file.object, tracker) == Io::Pipe { wasted } else { 0 };
        let moved = Moved { calls, bytes, size: small.full_bytes / small.full, wasted };
        self.pieces.add(file, &file.reads, moved, index, tracker);
    }
}

impl Rule for TinyReads {
    fn closed(&mut self, file: &OpenFile, index: &Index, tracker: &Tracker) {
        self.look(file, index, tracker);
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        index.open_files().for_each(|file| self.look(file, index, tracker));
        let candidate = self.pieces.candidate("read", "reads", tracker);
        let advice = match self.wasted_at_pipes * 2 > self.wasted {
            true => {
                "Read through a buffer of 64 KiB (setvbuf(3), bufio.NewReaderSize, BufReader::with_capacity, io.BufferedReader). If each piece is a part of a message, \
                 let the writer put many items into one message (in Python's multiprocessing, a chunksize for map and imap)."
            }
            false => {
                "Read through a buffer of 64 KiB (setvbuf(3), bufio.NewReaderSize, BufReader::with_capacity, \
                 io.BufferedReader), or read a small file as a whole."
            }
        };
        let candidate = candidate.map(|candidate| Candidate {
            advice: advice.into(),
            confidence: Confidence::Likely,
            estimate: "all reads but those that are needed with a buffer of 64 KiB".into(),
            ..candidate
        });
        candidate.into_iter().collect()
    }
}
