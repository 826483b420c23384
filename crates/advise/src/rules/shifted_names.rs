//! Files are renamed one after another, so that a new one gets the first name: each old file moves each time.

use super::common::{Bounded, Claims, count_stack, plain, process, thing};
use crate::counts::index::{Index, Observed};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{CALLS, PID, TIMES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use std::sync::Arc;
use stride_event::{Stack, Tid};
use stride_syscalls::{Effect, Syscall};
use stride_track::{ObjectId, Tracker};

const SHIFTS: Threshold =
    Threshold::count("shifts", 500, "renames of a file to the name that another file has just given up");
const ROTATIONS: Threshold = Threshold::count("rotations", 10, "rows of such renames");

pub const RULE: RuleInfo = RuleInfo {
    id: "shifted-names",
    title: "old files renamed for each new one",
    explanation: "Old files have numbers, and for each new file all of them get the next number: log.149 becomes log.150, log.148 becomes log.149, and so on. Each rotation of a log costs as many renames as there are old files, \
        mostly with a look at each name and the removal of the last file. If the files are small and many, this takes longer than writing them.\n\n\
        Reported are five hundred renames of one process to a name that the rename before has given up, in ten rows or more.\n\n\
        Let the files become larger, keep fewer of them, or give each one a name that lasts, such as its date or a number that grows: then nothing moves. In Python's logging, that is a larger maxBytes or a smaller backupCount of \
        RotatingFileHandler, or a TimedRotatingFileHandler; in logrotate, `dateext`. It is fine for a rotation each day.\n\n\
        Example: a service keeps 150 logs of 2 KiB each. Every 25 lines it renames 150 files: 20,025 renames for 5,700 lines, 0.4 s of 1.1 s.",
    thresholds: &[SHIFTS, ROTATIONS],
    make: || Box::new(ShiftedNames::default()),
};

#[derive(Default)]
struct ShiftedNames {
    processes: Bounded<Tid, Shifts>,
}

#[derive(Default)]
struct Shifts {
    /// The name that the latest rename has given up, and whether that rename continued a row.
    free: Option<(ObjectId, bool)>,
    shifts: u64,
    rows: u64,
    /// A file that was moved.
    name: Option<ObjectId>,
    claims: Claims,
    stacks: Vec<(Arc<Stack>, u64)>,
}

const MOST_STACKS: usize = 32;

impl Rule for ShiftedNames {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Renames)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (Some(from), Some(to)) = (observed.seen.path, observed.seen.other_path) else { return };
        if !observed.ok() {
            return;
        }
        self.processes.make_room_of_ended(observed.tracker, |process| process.shifts >= SHIFTS.get());
        let Some(process) = self.processes.entry(observed.seen.pid, Shifts::default) else { return };
        let in_row = process.free.filter(|(free, _)| *free == to);
        process.free = Some((from, in_row.is_some()));
        let Some((_, continues)) = in_row else { return };
        process.shifts += 1;
        process.rows += u64::from(!continues);
        process.name = Some(from);
        process.claims.add(observed.key, 1);
        if let Some(stack) = &observed.call.stack {
            count_stack(&mut process.stacks, MOST_STACKS, stack, observed.call.stack_calls.into());
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let often = self.processes.iter().filter(|(_, of)| of.shifts >= SHIFTS.get() && of.rows >= ROTATIONS.get());
        let Some((pid, of)) = often.max_by_key(|(pid, of)| (of.shifts, Reverse(**pid))) else { return Vec::new() };
        let comm = index.comm(*pid, tracker);
        let name = of.name.map_or(String::new(), |name| plain(tracker.name(name)));
        let mut claims = Claims::default();
        claims.add_all(of.claims.iter());
        vec![Candidate {
            sentence: say!(
                "{} (pid {}) renamed old files one after another to make room for a new one, such as {name}: {} renames in {} rows.",
                plain(comm),
                PID.id(*pid),
                CALLS.of(of.shifts),
                TIMES.of(of.rows),
            ),
            evidence: of.name.map(|name| thing(name, of.shifts, tracker)).into_iter().chain([process(*pid, comm, of.shifts)]).collect(),
            advice: "Give each file a name that lasts (its date, a number that grows; TimedRotatingFileHandler, logrotate's dateext), so that no file moves; or let the files become larger and keep fewer (maxBytes and backupCount of \
                     RotatingFileHandler)."
                .into(),
            confidence: Confidence::Likely,
            claims: claims.list(),
            stacks: of.stacks.clone(),
            estimate: "all of these renames".into(),
            ..Candidate::default()
        }]
    }
}
