//! Transfers that bypass the page cache are refused, because they are not aligned, and then made in another way.

use super::common::{Bounded, Claims, ProcessCounts, plain, thing};
use crate::counts::index::{Index, Observed};
use crate::counts::kinds::{Io, io};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{EACH, LEAST, MOST, OTHERS, REFUSED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{FileId, ObjectId, Tracker};

const REFUSED_TRANSFERS: Threshold =
    Threshold::count("refused-transfers", 50, "transfers of one file that fail with EINVAL");

pub const RULE: RuleInfo = RuleInfo {
    id: "direct-refused",
    title: "direct transfers refused",
    explanation: "A file is opened with O_DIRECT, and reads or writes of it fail with EINVAL, again and again. O_DIRECT requires \
        that the address of the buffer, the offset in the file and the length are multiples of the device's block size, mostly 512 \
        or 4096 bytes. The program then makes each transfer again in another way: without O_DIRECT (fcntl F_SETFL), through \
        another descriptor, or with another buffer.\n\n\
        At least fifty refused transfers of one file are reported. The estimate is these calls, and the calls of fcntl(2) about \
        the file that follow them.\n\n\
        Example: a program copies 2,000 records of 1,000 bytes with O_DIRECT. Each write fails, is repeated without O_DIRECT, and \
        O_DIRECT is set again: 8,000 calls. With a buffer from posix_memalign(3) and records that fill whole blocks, it makes 500.",
    thresholds: &[REFUSED_TRANSFERS],
    make: || Box::new(DirectRefused::default()),
};

#[derive(Default)]
struct DirectRefused {
    files: Bounded<ObjectId, Refused>,
    /// Open files of which a transfer was refused, and whether fcntl(2) calls about them follow that.
    open: Bounded<FileId, ObjectId>,
    processes: ProcessCounts,
}

#[derive(Default)]
struct Refused {
    refused: u64,
    done: u64,
    line: u64,
    /// The shortest and the longest length that was asked for.
    least: u64,
    most: u64,
    claims: Claims,
}

impl Rule for DirectRefused {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.returns_moved() || row.has_effect(Effect::ControlsDescriptor)
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        const EINVAL: u32 = c::EINVAL as u32;
        let Some((file, object)) = observed.seen.file.zip(observed.seen.object) else { return };
        if observed.has(Effect::ControlsDescriptor) {
            if self.open.get(&file).is_some()
                && observed.arg("op") != c::F_GETFL
                && let Some(refused) = self.files.get_mut(&object)
            {
                refused.claims.add(observed.key, 1);
            }
            return;
        }
        match observed.errno() {
            None => {
                if let Some(refused) = self.files.get_mut(&object) {
                    refused.done += 1;
                }
            }
            Some(EINVAL) if index.file(file).is_some_and(|file| file.is_direct()) => {
                if io(object, observed.tracker) != Io::File {
                    return;
                }
                let Some(refused) = self.files.entry(object, Refused::default) else { return };
                let asked = observed.arg("count");
                refused.least = if refused.refused == 0 { asked } else { refused.least.min(asked) };
                refused.most = refused.most.max(asked);
                refused.refused += 1;
                refused.line = observed.line;
                refused.claims.add(observed.key, 1);
                self.open.entry(file, || object);
                self.processes.count(observed.seen.pid, observed.tracker);
            }
            Some(_) => {}
        }
    }

    fn findings(&mut self, _: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let mut often: Vec<_> = self.files.iter().filter(|(_, file)| file.refused >= REFUSED_TRANSFERS.get()).collect();
        often.sort_by_key(|(object, file)| (Reverse(file.refused), **object));
        let Some((object, worst)) = often.first() else { return Vec::new() };
        let evidence = often.iter().map(|(object, file)| {
            let mut evidence = thing(**object, file.refused, tracker);
            evidence.line = Some(file.line);
            evidence
        });
        let mut claims = Claims::default();
        claims.add_all(often.iter().flat_map(|(_, file)| file.claims.iter()));
        let asked = match (worst.least, worst.most) {
            (0, 0) => "".into(),
            (least, most) if least == most => say!(", of {} bytes each,", EACH.of(least)),
            (least, most) => say!(", of {} to {} bytes,", LEAST.of(least), MOST.of(most)),
        };
        let again = match worst.done {
            0 => "".into(),
            n => say!("; {} others were done", OTHERS.of(n)),
        };
        vec![Candidate {
            sentence: say!(
                "{} is open with O_DIRECT, and {} transfers of it{} failed with EINVAL{}.",
                plain(tracker.name(**object)),
                REFUSED.of(worst.refused),
                asked,
                again,
            ),
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice: "Align the buffer's address, the offset and the length to the block size (posix_memalign(3); statx(2) with \
                     STATX_DIOALIGN tells it), or open the file without O_DIRECT."
                .into(),
            confidence: Confidence::Certain,
            claims: claims.list(),
            estimate: "the refused transfers, and the fcntl calls about the file after them".into(),
            ..Candidate::default()
        }]
    }
}
