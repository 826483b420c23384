//! Attributes of files are set to the values that they have already.

use super::common::{Bounded, Claims, ProcessCounts, and_others, largest, plain, thing};
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Confidence, Evidence};
use crate::report::quantity::TIMES;
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use rustc_hash::FxHasher;
use std::cmp::Reverse;
use std::hash::{Hash, Hasher};
use stride_event::Tid;
use stride_syscalls::{Effect, Syscall};
use stride_track::{ObjectId, Tracker};

pub const RULE: RuleInfo = RuleInfo {
    id: "set-again",
    title: "attributes set to what they are",
    explanation: "The mode, the owner or an extended attribute of a file is set again and again to the same value (chmod(2), chown(2), setxattr(2)). The kernel \
        does all that a change takes: it looks the path up, changes the inode's time, and has the file system write the inode to its journal.\n\n\
        Reported are calls whose values are those of the latest call of the same kind for the same file, by any traced process. The first call for each file \
        does not count, although it may change nothing either. Times are not looked at: a file that was written in between has another one.\n\n\
        Example: a program calls fchmod(2) after each of 20,000 records of one file. One call saves the others. Where the state of the file is not known, \
        ask with stat(2) first: that writes nothing.",
    thresholds: &[],
    make: || Box::new(SetAgain::default()),
};

#[derive(Default)]
struct SetAgain {
    /// By the file and the kind of call.
    files: Bounded<(ObjectId, u32), Set>,
}

struct Set {
    pid: Tid,
    key: CallKey,
    values: u64,
    again: u64,
    line: u64,
}

impl Rule for SetAgain {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::SetsAttributes)
            && VALUES.iter().any(|value| row.args.iter().any(|arg| arg.name == *value))
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let Some(object) = observed.key.object.filter(|_| observed.ok()) else { return };
        let Some(values) = values(observed) else { return };
        self.files.make_room(|set| set.again > 0);
        let pid = observed.seen.pid;
        let new = || Set { pid, key: observed.key, values: !values, again: 0, line: observed.line };
        let Some(set) = self.files.entry((object, observed.key.nr), new) else { return };
        set.again += u64::from(set.values == values);
        set.values = values;
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let sets: Vec<_> = self.files.take().into_values().filter(|set| set.again > 0).collect();
        let (mut claims, mut processes) = (Claims::default(), ProcessCounts::default());
        for set in &sets {
            claims.add(set.key, set.again);
            processes.add(set.pid, set.again, index.comm(set.pid, tracker));
        }
        let top = largest(&sets, 4, |set| (set.again, Reverse(set.line)));
        let Some(worst) = top.first().filter(|_| !claims.few()) else { return Vec::new() };
        let Some(object) = worst.key.object else { return Vec::new() };
        let evidence = top
            .iter()
            .filter_map(|set| Some(Evidence { line: Some(set.line), ..thing(set.key.object?, set.again, tracker) }));
        vec![Candidate {
            sentence: say!(
                "{} times, {} was given the mode, owner or attribute that it had already{}",
                TIMES.of(worst.again),
                plain(tracker.name(object)),
                and_others(sets.len())
            ),
            evidence: evidence.chain(processes.evidence()).collect(),
            advice: "Set attributes once, when the file is made (the mode of open(2), fchmod(2) after it), or ask for them first and set those that differ.".into(),
            confidence: Confidence::Certain,
            claims: claims.list(),
            estimate: "the calls whose values were those of the call before".into(),
            ..Candidate::default()
        }]
    }
}

/// The arguments that are compared.
const VALUES: [&str; 4] = ["mode", "owner", "group", "value"];

/// A hash of the values that the call sets. `None` if they are not known whole.
fn values(observed: &Observed<'_>) -> Option<u64> {
    let call = observed.call;
    let mut hasher = FxHasher::default();
    for name in &VALUES[..3] {
        call.arg(name).hash(&mut hasher);
    }
    if call.arg("value").is_some() {
        let size = observed.arg("size") as usize;
        let value = call.bytes("value", size);
        (value.len() == size).then_some(())?;
        (call.path("name")?, value, observed.arg("flags")).hash(&mut hasher);
    }
    Some(hasher.finish())
}
