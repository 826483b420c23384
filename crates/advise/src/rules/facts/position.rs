//! A program asks again and again where it stands in a file.

use super::super::common::{Bounded, Claims, ProcessCounts, largest, plain, thing};
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Confidence, Evidence};
use crate::report::quantity::{OTHERS, REPEATED};
use crate::report::statement::say;
use crate::rule::Rule;
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::Tid;
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{FileId, ObjectId, Tracker};

pub const TELLS_PER_FILE: Threshold =
    Threshold::count("tells-per-file", 16, "repeated questions of one process about one open file");

#[derive(Default)]
pub struct TellAgain {
    files: Bounded<(Tid, FileId), Asked>,
}

struct Asked {
    key: CallKey,
    file: ObjectId,
    again: u64,
    line: u64,
}

impl Rule for TellAgain {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Seeks)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let moves = observed.arg("offset") != 0 || observed.upper_half() != 0;
        if moves || observed.arg("whence") != c::SEEK_CUR || !observed.ok() {
            return;
        }
        let (Some(id), Some(file)) = (observed.seen.file, observed.seen.object) else { return };
        let at = (observed.seen.pid, id);
        match self.files.get_mut(&at) {
            Some(asked) => asked.again += 1,
            None => {
                self.files.make_room(|asked| asked.again >= TELLS_PER_FILE.get());
                self.files.entry(at, || Asked { key: observed.key, file, again: 0, line: observed.line });
            }
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let (mut claims, mut processes) = (Claims::default(), ProcessCounts::default());
        let often: Vec<_> = self.files.iter().filter(|(_, asked)| asked.again >= TELLS_PER_FILE.get()).collect();
        for ((pid, _), asked) in &often {
            claims.add(asked.key, asked.again);
            processes.add(*pid, asked.again, index.comm(*pid, tracker));
        }
        let top = largest(often.iter(), 4, |((_, id), asked)| (asked.again, Reverse(*id)));
        let Some((_, worst)) = top.first().filter(|_| !claims.few()) else { return Vec::new() };
        let sentence = say!(
            "The position in {} was asked for {} more times after the first (lseek with offset 0 and SEEK_CUR){}.",
            plain(tracker.name(worst.file)),
            REPEATED.of(worst.again),
            match often.len() - 1 {
                0 => "".into(),
                1 => ", and that in one other open file likewise".into(),
                n => say!(", and that in {} other open files likewise", OTHERS.of(n as u64)),
            }
        );
        let evidence =
            top.iter().map(|(_, asked)| Evidence { line: Some(asked.line), ..thing(asked.file, asked.again, tracker) });
        vec![Candidate {
            sentence,
            evidence: evidence.chain(processes.evidence()).collect(),
            advice:
                "Add up what read(2) and write(2) return, instead of calling lseek(2) or ftell(3) each time. A shell's \
                `while read` asks for each line, which mapfile or awk does not."
                    .into(),
            confidence: Confidence::Likely,
            claims: claims.list(),
            estimate: "every question but the first for each open file".into(),
            ..Candidate::default()
        }]
    }
}
