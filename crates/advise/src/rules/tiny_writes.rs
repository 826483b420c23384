//! Output is written in small pieces.

use super::pieces::{Moved, Pieces, needed};
use crate::finding::{Confidence, Draft};
use crate::index::{Index, Io, OpenFile, io};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::{SEEKS_PER_TRANSFER, SYNCS_PER_WRITE, WRITES_IN_A_ROW};
use stride_event::grouped;
use stride_track::Tracker;

pub const RULE: RuleInfo = RuleInfo {
    id: "tiny-writes",
    title: "tiny writes",
    explanation: "A file or a pipe is written in pieces of less than a page (4,096 bytes), one after another: a line at a time, a \
        number at a time. A buffer would collect them, and write many at once.\n\n\
        Only those writes count between which the thread did not wait for anything (input, a child, a timer): what was written \
        could just as well have been written a little later. A server's log, a progress report and a terminal are no \
        such places. Nor is stderr; nor files that are written here and there, or synced as they are written.\n\n\
        Example: a report of 100,000 lines is printed with print(..., flush=True), fmt.Println or a stdio that was told to be \
        unbuffered: 100,000 writes. With a buffer of 64 KiB, 3 MB of lines take 46.",
    make: || Box::new(TinyWrites::default()),
};

const O_DSYNC: u64 = 0o10000;
const O_DIRECT: u64 = 0o40000;

#[derive(Default)]
struct TinyWrites {
    pieces: Pieces,
    calls: u64,
    lines: u64,
}

impl TinyWrites {
    fn look(&mut self, file: &OpenFile, index: &Index, tracker: &Tracker) {
        let small = file.writes.small;
        let often = |what: u64, part: f64| what as f64 > small.calls as f64 * part;
        if small.in_a_row < WRITES_IN_A_ROW
            || small.in_a_row * 2 < small.calls
            || often(file.seeks, SEEKS_PER_TRANSFER)
            || often(file.syncs, SYNCS_PER_WRITE)
            || file.flags & (O_DSYNC | O_DIRECT) != 0
            || !matches!(io(file.object, tracker), Io::File | Io::Pipe)
        {
            return;
        }
        self.calls += small.calls;
        self.lines += small.lines;
        let wasted = small.in_a_row.saturating_sub(needed(small.bytes));
        self.pieces.add(
            file,
            &file.writes,
            Moved { calls: small.calls, bytes: small.bytes, size: small.bytes / small.calls, wasted },
            index.comm(file.pid, tracker),
        );
    }
}

impl Rule for TinyWrites {
    fn closed(&mut self, file: &OpenFile, index: &Index, tracker: &Tracker) {
        self.look(file, index, tracker);
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Draft> {
        index.open_files().for_each(|file| self.look(file, index, tracker));
        let Some(mut draft) = self.pieces.draft("written", "writes", tracker) else { return Vec::new() };
        if self.lines * 2 > self.calls {
            draft.sentence.pop();
            draft.sentence += &format!("; {} of them were a line.", grouped(self.lines));
        }
        draft.advice =
            "Collect output in a buffer of 64 KiB (setvbuf(3) with _IOFBF, bufio.Writer, BufWriter, no flush after \
            each line) and flush it at the end; in a shell, redirect the whole loop and let one command write."
                .into();
        draft.confidence = Confidence::Likely;
        draft.estimate = "all writes in a row but those that a buffer of 64 KiB needs".into();
        vec![draft]
    }
}
