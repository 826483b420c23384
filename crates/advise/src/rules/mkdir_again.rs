//! Directories are made that exist already.

use super::common::{Bounded, Claims, ProcessCounts, largest, plain, thing};
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Confidence, Evidence};
use crate::report::quantity::{CALLS, DIRECTORIES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::Tid;
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{ObjectId, Tracker};

const MKDIRS_PER_PATH: Threshold = Threshold::count("mkdirs-per-path", 4, "failures for one path");

pub const RULE: RuleInfo = RuleInfo {
    id: "mkdir-again",
    title: "directories made again",
    explanation: "A process makes directories that it has made, or found to be there, before: mkdir(2) fails with \
        EEXIST, and that is taken for success.\n\n\
        A failed mkdir counts if the process had made that directory itself, or had got EEXIST for it before, and if there \
        are at least four for one path. The first EEXIST does not count: trying is the right way to find out.\n\n\
        Example: a program that unpacks 10,000 files makes sure of a/, a/b/ and a/b/c/ before each: 30,000 failed \
        calls. Keeping a set of the directories made, or trying to open the file first, saves all.",
    thresholds: &[MKDIRS_PER_PATH],
    make: || Box::new(MkdirAgain::default()),
};

const EEXIST: u32 = c::EEXIST as u32;

#[derive(Default)]
struct MkdirAgain {
    paths: Bounded<(Tid, ObjectId), Made>,
}

struct Made {
    key: CallKey,
    again: u64,
    line: u64,
}

impl Rule for MkdirAgain {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::MakesDirectory)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let Some(path) = observed.seen.path else { return };
        let at = (observed.seen.pid, path);
        match (self.paths.get_mut(&at), observed.errno()) {
            (Some(made), Some(EEXIST)) => made.again += 1,
            (None, None | Some(EEXIST)) => {
                self.paths.forget_ended(observed.tracker, |made| made.again >= MKDIRS_PER_PATH.get());
                self.paths.entry(at, || Made { key: observed.key, again: 0, line: observed.line });
            }
            _ => {}
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let (mut claims, mut processes) = (Claims::default(), ProcessCounts::default());
        let often: Vec<_> = self.paths.iter().filter(|(_, made)| made.again >= MKDIRS_PER_PATH.get()).collect();
        for ((pid, _), made) in &often {
            claims.add(made.key, made.again);
            processes.add(*pid, made.again, index.comm(*pid, tracker));
        }
        let top = largest(often.iter(), 4, |((_, path), made)| (made.again, Reverse(*path)));
        let Some(((_, path), made)) = top.first().filter(|_| !claims.few()) else { return Vec::new() };
        let sentence = say!(
            "mkdir was called for {} {} more times although the directory existed; {} in all.",
            plain(tracker.name(*path)),
            CALLS.of(made.again),
            if often.len() == 1 {
                "one directory".into()
            } else {
                say!("{} directories", DIRECTORIES.of(often.len() as u64))
            }
        );
        let evidence =
            top.iter().map(|((_, path), made)| Evidence { line: Some(made.line), ..thing(*path, made.again, tracker) });
        vec![Candidate {
            sentence,
            evidence: evidence.chain(processes.evidence()).collect(),
            advice: "Keep the names of the directories that were made, or make them only when creating the file \
                fails with ENOENT."
                .into(),
            confidence: Confidence::Certain,
            claims: claims.list(),
            estimate: "every failed mkdir for a directory that the process knew".into(),
            ..Candidate::default()
        }]
    }
}
