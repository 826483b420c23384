//! Output is written in small pieces.

use super::pieces::{Moved, Pieces, needed};
use crate::counts::index::{Index, OpenFile};
use crate::counts::kinds::{Io, io};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::LINES;
use crate::report::statement::say;
use crate::report::trial::Trial;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::shared::SEEKS_PER_TRANSFER;
use crate::thresholds::threshold::Threshold;
use stride_syscalls::uapi::consts::O_DSYNC;
use stride_track::Tracker;

const SYNCS_PER_WRITE: Threshold =
    Threshold::part("syncs-per-write", 0.1, "with more syncs than this for each write, small writes are on purpose");
const WRITES_IN_A_ROW: Threshold = Threshold::count("writes-in-a-row", 16, "small writes in a row into one open file");

pub const RULE: RuleInfo = RuleInfo {
    id: "tiny-writes",
    title: "tiny writes",
    explanation: "A file or a pipe is written in pieces of less than a page (4,096 bytes), one after another: a line \
        at a time, a number at a time. A buffer would collect them, and write many at once.\n\n\
        Writes count only if the thread did not wait for anything in between (input, a child, a timer): then the data could \
        as well have been written a little later. Terminals and stderr do not count. Neither do files that are written at \
        changing offsets, or synced between writes.\n\n\
        Example: a report of 100,000 lines is printed with print(..., flush=True), fmt.Println or a stdio that was \
        told to be unbuffered: 100,000 writes. With a buffer of 64 KiB, 46 writes are enough for these 3 MB.",
    thresholds: &[SYNCS_PER_WRITE, WRITES_IN_A_ROW],
    make: || Box::new(TinyWrites::default()),
};

#[derive(Default)]
struct TinyWrites {
    pieces: Pieces,
    calls: u64,
    lines: u64,
    /// Such writes went to the standard output of a process.
    to_stdout: bool,
}

impl TinyWrites {
    fn look(&mut self, file: &OpenFile, index: &Index, tracker: &Tracker) {
        let small = file.writes.small;
        let often = |what: u64, part: f64| what as f64 > small.calls as f64 * part;
        if small.in_a_row < WRITES_IN_A_ROW.get()
            || small.in_a_row * 2 < small.calls
            || small.calls * 2 < file.writes.calls
            || often(file.seeks, SEEKS_PER_TRANSFER.ratio())
            || often(file.syncs, SYNCS_PER_WRITE.ratio())
            || file.flags & O_DSYNC != 0
            || file.is_direct()
            || !matches!(io(file.object, tracker), Io::File | Io::Pipe)
        {
            return;
        }
        self.calls += small.calls;
        self.lines += small.lines;
        self.to_stdout |= file.writes.fd == Some(1);
        let wasted = small.in_a_row.saturating_sub(needed(small.bytes));
        self.pieces.add(
            file,
            &file.writes,
            Moved { calls: small.calls, bytes: small.bytes, size: small.bytes / small.calls, wasted },
            index,
            tracker,
        );
    }
}

impl Rule for TinyWrites {
    fn closed(&mut self, file: &OpenFile, index: &Index, tracker: &Tracker) {
        self.look(file, index, tracker);
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        index.open_files().for_each(|file| self.look(file, index, tracker));
        let Some(mut candidate) = self.pieces.candidate("written", "writes", tracker) else { return Vec::new() };
        if self.lines * 2 > self.calls {
            candidate.sentence.text.pop();
            candidate.sentence = say!("{}; {} of them wrote one line.", candidate.sentence, LINES.of(self.lines));
        }
        candidate.advice =
            "Collect output in a buffer of 64 KiB (setvbuf(3) with _IOFBF, bufio.Writer, BufWriter, no flush after \
            each line) and flush it at the end; in a shell, redirect the whole loop and let one command write."
                .into();
        candidate.confidence = Confidence::Likely;
        candidate.trial = self.to_stdout.then_some(Trial::Buffered);
        candidate.estimate = "all such writes but those that are needed with a buffer of 64 KiB".into();
        vec![candidate]
    }
}
