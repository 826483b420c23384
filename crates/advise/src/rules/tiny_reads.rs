//! Files are read in small pieces.

use super::pieces::{Moved, Pieces, needed};
use crate::finding::{Confidence, Draft};
use crate::index::{Index, Io, OpenFile, io};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::{FULL_READS, SEEKS_PER_TRANSFER};
use stride_track::Tracker;

pub const RULE: RuleInfo = RuleInfo {
    id: "tiny-reads",
    title: "tiny reads",
    explanation: "Files are read from beginning to end in pieces of less than a page (4,096 bytes), though more was there to be \
        had: each call costs as much as one that reads sixteen pages.\n\n\
        Only those reads count that were asked for less than a page, in open files where at least three of them got all they asked \
        for: so more was there. Reads that seek about, reads at an offset (pread), terminals, sockets, /proc and \
        devices do not count; of pipes, only reads that come one right after another. What could be saved is all but what a buffer \
        of 64 KiB needs, and the read that finds the end.\n\n\
        Example: a program counts the lines of 30,600 files of 5,000 bytes with a buffer of 1,024 bytes. Each file takes six \
        reads, of which the last finds the end; with a buffer of 64 KiB it is two.",
    make: || Box::new(TinyReads::default()),
};

#[derive(Default)]
struct TinyReads {
    pieces: Pieces,
}

impl TinyReads {
    fn look(&mut self, file: &OpenFile, index: &Index, tracker: &Tracker) {
        let small = file.reads.small;
        if small.full < FULL_READS || file.seeks as f64 > small.calls as f64 * SEEKS_PER_TRANSFER {
            return;
        }
        let (calls, bytes, needed) = match io(file.object, tracker) {
            // One more finds the end, unless the program knew it.
            Io::File => (small.calls, small.bytes, needed(small.bytes) + u64::from(small.calls > small.full)),
            Io::Pipe => (small.full.min(small.in_a_row), small.full_bytes, needed(small.full_bytes)),
            Io::Socket | Io::Terminal | Io::Other => return,
        };
        self.pieces.add(
            file,
            &file.reads,
            Moved { calls, bytes, size: small.full_bytes / small.full, wasted: calls.saturating_sub(needed) },
            index.comm(file.pid, tracker),
        );
    }
}

impl Rule for TinyReads {
    fn closed(&mut self, file: &OpenFile, index: &Index, tracker: &Tracker) {
        self.look(file, index, tracker);
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Draft> {
        index.open_files().for_each(|file| self.look(file, index, tracker));
        let draft = self.pieces.draft("read", "reads", tracker);
        let advice = "Read through a buffer of 64 KiB (setvbuf(3), bufio.NewReaderSize, BufReader::with_capacity, \
            io.BufferedReader), or a small file whole.";
        let draft = draft.map(|draft| Draft {
            advice: advice.into(),
            confidence: Confidence::Likely,
            estimate: "all reads but those that a buffer of 64 KiB needs".into(),
            ..draft
        });
        draft.into_iter().collect()
    }
}
