//! The kernel is asked again and again for facts that do not change.

use super::super::common::{Bounded, Claims, ProcessCounts, largest};
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{CALLS, REPEATED};
use crate::report::statement::say;
use crate::rule::Rule;
use crate::thresholds::threshold::Threshold;
use rustc_hash::{FxHashMap, FxHasher};
use std::cmp::Reverse;
use std::hash::{Hash, Hasher};
use stride_event::{Memory, Outcome, Phase, Tid};
use stride_syscalls::{Dir, Effect, Syscall, Ty, uapi::consts as c};
use stride_track::{FileId, Tracker};

pub const SAME_FACTS: Threshold = Threshold::count("same-facts", 16, "repeated answers to one thread");
pub const SAME_FACTS_PART: Threshold =
    Threshold::part("same-facts-part", 0.1, "the part of all calls that repeats are");

/// The number of bytes of an answer that are compared.
const ANSWER: usize = 4096;
const IS_A_TERMINAL: &str = "ioctl TCGETS (isatty)";
#[derive(Default)]
pub struct SameFacts {
    asked: Bounded<(Tid, CallKey, Option<FileId>), Asked>,
}

struct Asked {
    name: &'static str,
    pid: Tid,
    answer: u64,
    calls: u64,
    repeats: u64,
    line: u64,
}

impl Rule for SameFacts {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::AsksOfItself) || row.has_effect(Effect::ControlsDevice)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let name = match observed.arg("op") {
            _ if !observed.has(Effect::ControlsDevice) => observed.row.name,
            c::TCGETS => IS_A_TERMINAL,
            _ => return,
        };
        let answer = answer(observed);
        let new = || Asked { name, pid: observed.seen.pid, answer, calls: 0, repeats: 0, line: observed.line };
        self.asked.forget_ended(observed.tracker, |asked| asked.repeats >= SAME_FACTS.get());
        let Some(asked) = self.asked.entry((observed.call.tid, observed.key, observed.seen.file), new) else { return };
        asked.calls += 1;
        asked.repeats += u64::from(asked.calls > 1 && asked.answer == answer);
        asked.answer = answer;
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let (mut claims, mut processes) = (Claims::default(), ProcessCounts::default());
        let mut names: FxHashMap<&str, (u64, u64, u64)> = FxHashMap::default();
        for ((_, key, _), asked) in self.asked.iter().filter(|(_, asked)| asked.repeats >= SAME_FACTS.get()) {
            claims.add(*key, asked.repeats);
            processes.add(asked.pid, asked.calls, index.comm(asked.pid, tracker));
            let (calls, repeats, line) = names.entry(asked.name).or_insert((0, 0, asked.line));
            *calls += asked.calls;
            *repeats += asked.repeats;
            *line = asked.line.min(*line);
        }
        let top = largest(names, 4, |(_, (_, repeats, line))| (*repeats, Reverse(*line)));
        let Some((name, (calls, repeats, _))) = top
            .first()
            .filter(|_| !claims.few() && claims.total() as f64 >= index.calls as f64 * SAME_FACTS_PART.ratio())
        else {
            return Vec::new();
        };
        let same = if repeats + 1 == *calls { "always".into() } else { say!("{} times", REPEATED.of(*repeats)) };
        let sentence = say!("{name} was called {} times and {} had the same answer as before.", CALLS.of(*calls), same);
        let evidence = top.iter().map(|(name, (calls, _, line))| Evidence {
            line: Some(*line),
            ..Evidence::new(EvidenceKind::Syscall, *name, *calls)
        });
        vec![Candidate {
            sentence,
            evidence: evidence.chain(processes.evidence()).collect(),
            advice: if *name == IS_A_TERMINAL {
                "Ask once for each open file; a shell's `while read` asks for each line, which mapfile or awk does not."
            } else {
                "Ask once and keep the answer; ask again only after what changes it: fork(2), setuid(2), chdir(2)."
            }
            .into(),
            confidence: Confidence::Certain,
            claims: claims.list(),
            estimate: "every call whose answer was the same as the one before".into(),
            ..Candidate::default()
        }]
    }
}

/// A hash of the arguments and of the kernel's answer.
fn answer(observed: &Observed<'_>) -> u64 {
    let call = observed.call;
    let mut hasher = FxHasher::default();
    match call.outcome {
        Outcome::Error(errno) => errno.hash(&mut hasher),
        Outcome::Value(value) => value.hash(&mut hasher),
        Outcome::Pending | Outcome::Gone => {}
    }
    // isatty(3)'s descriptor is part of the key already.
    let args = if observed.has(Effect::ControlsDevice) { &[] } else { observed.row.args };
    for (at, arg) in args.iter().enumerate() {
        let held = observed.row.held(at, &call.args, call.abi);
        match arg.ty {
            // A call that passes data in, if any, sets something: its answer is always new.
            Ty::Ptr(Dir::In, _) => (held != 0).then_some(observed.line).hash(&mut hasher),
            ty if ty.is_pointer() => call.blocks.prefix(Phase::Exit, held, ANSWER).hash(&mut hasher),
            _ => held.hash(&mut hasher),
        }
    }
    hasher.finish()
}
