//! Names for new files are tried although they were found to be taken before.

use super::common::{Bounded, Claims, ProcessCounts, largest, plain, thing};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::opens;
use crate::report::finding::{Candidate, Confidence, Evidence};
use crate::report::quantity::{CALLS, FILES, MEAN_CALLS};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use rustc_hash::FxBuildHasher;
use std::cmp::Reverse;
use std::hash::BuildHasher;
use stride_event::Tid;
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{ObjectId, Tracker, directory};

const TRIES_PER_FILE: Threshold =
    Threshold::count("tries-per-new-file", 4, "tries of names known to be taken, for each file that was made");
const NEW_FILES: Threshold = Threshold::count("new-files", 3, "files that were made under new names, in one directory");

pub const RULE: RuleInfo = RuleInfo {
    id: "taken-names",
    title: "names tried although they are taken",
    explanation: "A process looks for a free name for each new file, and begins with the first one each time: name, name (1), name (2), and so on. All that it \
        has made before are in the way, so the number of tries grows with the square of the number of files. open(2) with O_EXCL, link(2) and symlink(2) fail \
        with EEXIST then.\n\n\
        A try counts if the same process had got EEXIST for the same name before, and has made three files or more in that directory, each after four such \
        tries or more on average. The same name tried again and again counts once, because it is a lock.\n\n\
        Remember the number that was free last and go on from there, or ask for the largest number once (readdir(3)); or take names that hardly anybody has: \
        mkstemp(3), or a part that is random or made of the time and the process's number. It is fine for a few files.\n\n\
        Example: 1,400 attachments of the same name are unpacked into one directory: 490,000 tries, 0.7 s. With the last number remembered there are 1,400, and it takes 0.1 s.",
    thresholds: &[TRIES_PER_FILE, NEW_FILES],
    make: || Box::new(TakenNames::default()),
};

#[derive(Default)]
struct TakenNames {
    /// Names that a process has found to be taken.
    names: Bounded<(Tid, ObjectId), Taken>,
    /// Files that a process has made, by a hash of their directory.
    places: Bounded<(Tid, u64), Place>,
}

struct Taken {
    key: CallKey,
    /// The hash of its directory.
    place: u64,
    /// The tries after the first.
    again: u64,
    line: u64,
}

#[derive(Default)]
struct Place {
    made: u64,
    /// The tries of names that were known to be taken.
    again: u64,
    /// The name that was tried last in vain.
    last: Option<ObjectId>,
}

impl Place {
    fn is_searched(&self) -> bool {
        self.made >= NEW_FILES.get() && self.again >= self.made * TRIES_PER_FILE.get()
    }
}

/// The call makes a file under a name that must be new.
fn needs_new_name(observed: &Observed<'_>) -> bool {
    observed.row.has_effect(Effect::Links) || observed.arg("flags") & c::O_EXCL != 0
}

impl Rule for TakenNames {
    fn wants(&self, row: &'static Syscall) -> bool {
        opens(row) || row.has_effect(Effect::Links)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let Some(path) = observed.seen.path else { return };
        let is_taken = observed.errno() == Some(c::EEXIST as u32);
        let is_made = observed.ok() && needs_new_name(observed);
        if !is_taken && !is_made {
            return;
        }
        let (pid, tracker) = (observed.seen.pid, observed.tracker);
        self.places.forget_ended(tracker, |place| place.made >= NEW_FILES.get());
        let hash = FxBuildHasher.hash_one(directory(tracker.name(path)));
        let Some(place) = self.places.entry((pid, hash), Place::default) else { return };
        if !is_taken {
            place.made += 1;
            return;
        }
        if place.last.replace(path) == Some(path) {
            return;
        }
        match self.names.get_mut(&(pid, path)) {
            Some(taken) => {
                taken.again += 1;
                place.again += 1;
            }
            None => {
                self.names.forget_ended(tracker, |taken| taken.again > 0);
                let new = || Taken { key: observed.key, place: hash, again: 0, line: observed.line };
                self.names.entry((pid, path), new);
            }
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let is_searched = |at| self.places.get(&at).is_some_and(Place::is_searched);
        let searched: Vec<_> = self.names.iter().filter(|((pid, _), taken)| is_searched((*pid, taken.place))).collect();
        let made =
            self.places.iter().map(|(_, place)| place).filter(|place| place.is_searched()).map(|place| place.made);
        let made: u64 = made.sum();
        let (mut claims, mut processes) = (Claims::default(), ProcessCounts::default());
        for ((pid, _), taken) in &searched {
            claims.add(taken.key, taken.again);
            processes.add(*pid, taken.again, index.comm(*pid, tracker));
        }
        let top = largest(searched.iter(), 4, |((_, path), taken)| (taken.again, Reverse(*path)));
        let Some(((_, path), taken)) = top.first().filter(|_| !claims.few()) else { return Vec::new() };
        let evidence = top
            .iter()
            .map(|((_, path), taken)| Evidence { line: Some(taken.line), ..thing(*path, taken.again, tracker) });
        vec![Candidate {
            sentence: say!(
                "Names for new files were tried although they had been found to be taken (EEXIST): {} times for each of {} files; {} alone was tried {} more times.",
                MEAN_CALLS.mean(claims.total(), made),
                FILES.of(made),
                plain(tracker.name(*path)),
                CALLS.of(taken.again),
            ),
            evidence: evidence.chain(processes.evidence()).collect(),
            advice: "Remember the number that was free last, and go on from there; or take names that hardly anybody has: mkstemp(3), or a part that is random \
                or made of the time and the process's number."
                .into(),
            confidence: Confidence::Certain,
            claims: claims.list(),
            estimate: "every try of a name that the process had found to be taken, and at most the work until the next try".into(),
            work_after: true,
            ..Candidate::default()
        }]
    }
}
