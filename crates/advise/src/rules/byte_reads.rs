//! Input is read one byte at a time.

use super::pieces::{Moved, Pieces, needed};
use crate::counts::index::{Index, OpenFile};
use crate::counts::kinds::{Io, io};
use crate::report::finding::{Candidate, Confidence};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::shared::SEEKS_PER_TRANSFER;
use crate::thresholds::threshold::Threshold;
use stride_track::Tracker;

const SINGLE_READS: Threshold = Threshold::count("single-reads", 16, "reads of one byte in a row from one open file");

pub const RULE: RuleInfo = RuleInfo {
    id: "byte-reads",
    title: "one byte at a time",
    explanation: "A pipe, socket or file is read one byte per call, one right after another. A call costs hundreds \
        of times what moving a byte does.\n\n\
        A shell's read does this on purpose: bytes that it reads beyond the line cannot be given back to the commands that \
        share the pipe. Other programs do it to find the end of a line. Single bytes of a pipe or socket with other calls in \
        between do not count (they may be a token, or wake up another thread), and neither do terminals.\n\n\
        Example: `producer | while read -r line; do ...; done` with 1,000 lines of 80 characters takes 81,000 reads \
        of one byte. mapfile, awk, or a program with a buffer needs two.",
    thresholds: &[SINGLE_READS],
    make: || Box::new(ByteReads::default()),
};

#[derive(Default)]
struct ByteReads {
    pieces: Pieces,
}

impl ByteReads {
    fn look(&mut self, file: &OpenFile, index: &Index, tracker: &Tracker) {
        let single = file.reads.single;
        let here_and_there = file.seeks as f64 > single as f64 * SEEKS_PER_TRANSFER.ratio();
        if single >= SINGLE_READS.get()
            && !here_and_there
            && matches!(io(file.object, tracker), Io::File | Io::Pipe | Io::Socket)
        {
            self.pieces.add(
                file,
                &file.reads,
                Moved { calls: single, bytes: single, size: 1, wasted: single - needed(single) },
                index,
                tracker,
            );
            if io(file.object, tracker) == Io::Pipe {
                self.pieces.claim_others(file);
            }
        }
    }
}

impl Rule for ByteReads {
    fn closed(&mut self, file: &OpenFile, index: &Index, tracker: &Tracker) {
        self.look(file, index, tracker);
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        index.open_files().for_each(|file| self.look(file, index, tracker));
        let candidate = self.pieces.candidate("read", "reads", tracker);
        let advice = "Read into a buffer and look for the end of the line there; in a shell, use mapfile \
            (readarray), awk, or a file instead of a pipe for `while read`.";
        let candidate = candidate.map(|candidate| Candidate {
            advice: advice.into(),
            confidence: Confidence::Certain,
            estimate: "all such reads but those that are needed with a buffer of 64 KiB, and what comes with them"
                .into(),
            ..candidate
        });
        candidate.into_iter().collect()
    }
}
