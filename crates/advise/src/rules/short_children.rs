//! One program is started again and again and ends at once.

use super::common::{Bounded, plain};
use crate::finding::{Confidence, Draft, Evidence, EvidenceKind};
use crate::index::Index;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::{SHORT_CHILD, SHORT_CHILD_CALLS, SHORT_CHILDREN, SHORT_CHILDREN_PART};
use rustc_hash::FxHashSet;
use stride_event::{Event, Ns, Tid, duration, grouped};
use stride_track::{ObjectId, Process, Tracker};

pub const RULE: RuleInfo = RuleInfo {
    id: "short-children",
    title: "many short children",
    explanation: "One process starts the same program many times. Each child ends after a few calls, within a tenth of a \
                  second, and without children of its own. Most of that time goes into starting it (fork, exec, loading its \
                  libraries) rather than into its work. Shells do this in loops: $(basename $f), expr, cat \
        FILE | ..., and subshells for what a builtin could do; find -exec ... \\; does it for each file.\n\n\
        The estimate is the time that all of these children but the first lived.\n\n\
        Example: a script runs sed for each of 500 lines. One sed that reads all lines does the same job. In the shell, ${f##*/} does what basename does.",
    make: || Box::new(ShortChildren::default()),
};

#[derive(Default)]
struct ShortChildren {
    /// By parent and program. A child that executes nothing runs its parent's program.
    children: Bounded<(Tid, Option<ObjectId>), Children>,
    /// Live processes that have had children.
    parents: FxHashSet<Tid>,
}

const MAX_PARENTS: usize = 1 << 18;

#[derive(Default)]
struct Children {
    short: u64,
    long: u64,
    time: Ns,
    /// The command line of one child. `None`: the child executed nothing.
    command: Option<Vec<u8>>,
    parent: Vec<u8>,
}

impl Rule for ShortChildren {
    fn event(&mut self, event: &Event<'_>, index: &Index, tracker: &Tracker) {
        let Event::Exited { tid, at, .. } = *event else { return };
        let Some(process) = tracker.process(tid) else { return };
        let Some(parent) = process.parent else { return };
        // A process with children of its own is no small job.
        let has_children = self.parents.remove(&tid);
        if self.parents.len() < MAX_PARENTS {
            self.parents.insert(parent);
        }
        let Some(children) = self.children.entry((parent, process.program), Children::default) else { return };
        let lived = at.saturating_sub(process.started);
        if lived > SHORT_CHILD || has_children || index.pace(tid).calls > SHORT_CHILD_CALLS {
            children.long += 1;
            return;
        }
        children.short += 1;
        children.time += lived;
        if children.short == 1 {
            let parent = tracker.process(parent);
            children.parent = parent.map(|parent| parent.comm.clone()).unwrap_or_default();
            let own =
                parent.is_none_or(|parent| parent.program != process.program || parent.command != process.command);
            children.command = own.then(|| command(process));
        }
    }

    fn findings(&mut self, _: &Index, tracker: &Tracker) -> Vec<Draft> {
        let often = |c: &Children| {
            c.short >= SHORT_CHILDREN && c.short as f64 >= (c.short + c.long) as f64 * SHORT_CHILDREN_PART
        };
        let mut often: Vec<_> = self.children.iter().filter(|(_, children)| often(children)).collect();
        often.sort_by_key(|((pid, _), children)| (std::cmp::Reverse(children.time), *pid));
        let Some(((pid, program), worst)) = often.first() else { return Vec::new() };
        let ran = match (&worst.command, program) {
            (Some(_), Some(program)) => format!("ran {}", plain(tracker.name(*program))),
            _ => "forked itself".into(),
        };
        let evidence = often.iter().map(|((pid, program), children)| {
            let name = match (&children.command, program) {
                (Some(command), _) => command.clone(),
                (None, _) => [&children.parent[..], b" (forked)"].concat(),
            };
            let by = format!(", by {pid} ").into_bytes();
            let name = [&name[..], &by, &children.parent].concat();
            Evidence { time: Some(children.time), ..Evidence::new(EvidenceKind::Program, name, children.short) }
        });
        vec![Draft {
            sentence: format!(
                "{} (pid {pid}) {ran} {} times, and each ended after {} on average.",
                plain(&worst.parent),
                grouped(worst.short),
                duration(worst.time / worst.short),
            ),
            evidence: evidence.take(4).collect(),
            advice: "Give all items to one child (xargs, find -exec ... +, a filter that reads them), or use what the shell has \
                built in."
                .into(),
            confidence: Confidence::Likely,
            estimate: "the time that all of them but the first lived".into(),
            more_time: often.iter().map(|(_, c)| c.time - c.time / c.short).sum(),
            ..Draft::default()
        }]
    }
}

fn command(process: &Process) -> Vec<u8> {
    const LONGEST: usize = 60;
    let mut command = Vec::new();
    for (i, word) in process.command.iter().enumerate() {
        if i > 0 {
            command.push(b' ');
        }
        command.extend_from_slice(word);
        if command.len() >= LONGEST {
            // A command may have a hundred thousand words.
            break;
        }
    }
    command.truncate(LONGEST);
    command
}
