//! Small processes are started again and again, one or several for each item.

use super::common::plain;
use crate::finding::{Confidence, Draft, Evidence, EvidenceKind};
use crate::index::{Index, Observed, opens};
use crate::quantity::{CHILDREN, MEAN_LIFE, OTHERS, PID};
use crate::rule::{Rule, RuleInfo};
use crate::statement::say;
use crate::threshold::Threshold;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::ops::AddAssign;
use stride_event::{Event, Ns, Tid};
use stride_syscalls::{Syscall, uapi::consts as c};
use stride_track::{ObjectId, Process, Tracker};

const SHORT_CHILD: Threshold =
    Threshold::time("short-child", 100_000_000, "a child that ends within this time is short");
const SHORT_CHILD_CALLS: Threshold =
    Threshold::count("short-child-calls", 300, "a child that makes a file counts only up to so many calls");
const SHORT_CHILDREN: Threshold =
    Threshold::count("short-children", 50, "short children that run one program, of one process");
const FEWER_CHILDREN: Threshold =
    Threshold::count("fewer-children", 30, "so many are enough if they take more than half of the run");
const SHORT_CHILDREN_PART: Threshold =
    Threshold::part("short-children-part", 0.8, "the part of all children with that program that are short");

pub const RULE: RuleInfo = RuleInfo {
    id: "short-children",
    title: "many short children",
    explanation: "One process starts the same program many times, itself or through children that are as short. Each ends within \
                  a tenth of a second. Most of that time goes into starting it (fork, exec, loading its libraries or an \
                  interpreter's modules) rather than into its work. Shells do this in loops: $(basename $f), expr, \
        $(echo \"$line\" | cut -d, -f2), and subshells for what a builtin could do; find -exec ... \\; does it for each file.\n\n\
        Children count for the nearest ancestor that lives longer than they do: a subshell that starts cut(1) is as short as \
        cut. At least 50 children of one program are reported, or 30 that take more than half of the run. A child that makes a file of its own is left out if it makes more than 300 calls, because then it may be a \
        compiler. The estimate is the time in which such children lived, without that of the first.\n\n\
        Example: a script runs sed for each of 500 lines. One sed that reads all lines does the same job. In the shell, ${f##*/} does what basename does.",
    thresholds: &[SHORT_CHILD, SHORT_CHILD_CALLS, SHORT_CHILDREN, FEWER_CHILDREN, SHORT_CHILDREN_PART],
    make: || Box::new(ShortChildren::default()),
};

#[derive(Default)]
struct ShortChildren {
    /// Living processes, and what their ended descendants were.
    below: FxHashMap<Tid, Below>,
    /// The children of processes that were not short themselves.
    parents: Vec<Parent>,
    /// Living processes that have made a file.
    makers: FxHashSet<Tid>,
}

/// How many processes and groups are told apart.
const MAX_PROCESSES: usize = 1 << 17;
const MAX_GROUPS: usize = 32;
const MAX_PARENTS: usize = 256;

/// The short descendants of one process.
#[derive(Default)]
struct Below {
    groups: Vec<Group>,
    /// When the latest child ended, and the time in which any lived.
    until: Ns,
    covered: Ns,
}

struct Group {
    /// `None` in `command`: these executed nothing, and so run their parent's program.
    program: Option<ObjectId>,
    command: Option<Vec<u8>>,
    short: u64,
    long: u64,
    lived: Ns,
}

struct Parent {
    pid: Tid,
    comm: Vec<u8>,
    groups: Vec<Group>,
    /// The number of children of the largest group.
    most: u64,
    saves: Ns,
}

impl Rule for ShortChildren {
    fn wants(&self, row: &'static Syscall) -> bool {
        opens(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        if observed.ok()
            && observed.open_flags() & c::O_CREAT != 0
            && self.makers.len() < MAX_PROCESSES
            && observed.seen.path.is_some_and(|path| !observed.tracker.name(path).starts_with(b"/dev/"))
        {
            self.makers.insert(observed.seen.pid);
        }
    }

    fn event(&mut self, event: &Event<'_>, index: &Index, tracker: &Tracker) {
        let Event::Exited { tid, at, .. } = *event else { return };
        let Some(process) = tracker.process(tid) else { return };
        let makes_files = self.makers.remove(&tid);
        let below = self.below.remove(&tid).unwrap_or_default();
        let lived = at.saturating_sub(process.started);
        let small = !makes_files || index.pace(tid).calls <= SHORT_CHILD_CALLS.get();
        let short = lived <= SHORT_CHILD.get() && small && process.parent.is_some();
        let of = Group { program: process.program, command: None, short: 0, long: 0, lived: 0 };
        let Some(parent) = process.parent else { return self.ends(tid, &process.comm, below) };
        let own = tracker
            .process(parent)
            .is_none_or(|parent| parent.program != process.program || parent.command != process.command);
        if self.below.len() < MAX_PROCESSES || self.below.contains_key(&parent) {
            let to = self.below.entry(parent).or_default();
            let group = to.group(Group { command: own.then(|| command(process)), ..of });
            if let Some(group) = group {
                (if short { &mut group.short } else { &mut group.long }).add_assign(1);
                group.lived += if short { lived } else { 0 };
            }
            if short {
                to.covered += at.saturating_sub(process.started.max(to.until));
                to.until = to.until.max(at);
                // The children of a short child count as children of its parent. Their time is part of the short child's time.
                for group in below.groups {
                    let Group { short, long, lived, .. } = group;
                    if let Some(sum) = to.group(Group { short: 0, long: 0, lived: 0, ..group }) {
                        sum.short += short;
                        sum.long += long;
                        sum.lived += lived;
                    }
                }
                return;
            }
        }
        self.ends(tid, &process.comm, below);
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Draft> {
        for (pid, below) in std::mem::take(&mut self.below) {
            let comm = tracker.process(pid).map(|process| process.comm.clone()).unwrap_or_default();
            self.ends(pid, &comm, below);
        }
        let half = index.span() / 2;
        self.parents.retain(|parent| parent.most >= SHORT_CHILDREN.get() || parent.saves > half);
        self.parents.sort_by_key(|parent| (Reverse(parent.saves), parent.pid));
        let Some(worst) = self.parents.first() else { return Vec::new() };
        let Some(group) = worst.groups.first() else { return Vec::new() };
        let ran = match (&group.command, group.program) {
            (Some(_), Some(program)) => format!("ran {}", plain(tracker.name(program))),
            _ => "forked itself".into(),
        };
        let also: u64 = worst.groups[1..].iter().map(|group| group.short).sum();
        let also = match also {
            0 => "".into(),
            n => say!(", and {} other short children,", OTHERS.of(n)),
        };
        let evidence = self.parents.iter().flat_map(|parent| parent.groups.iter().map(move |group| (parent, group)));
        let evidence = evidence.map(|(parent, group)| {
            let name = match &group.command {
                Some(command) => command.clone(),
                None => [&parent.comm[..], b" (forked)"].concat(),
            };
            let by = format!(", by {} ", parent.pid).into_bytes();
            let name = [&name[..], &by, &parent.comm].concat();
            Evidence { time: Some(group.lived), ..Evidence::new(EvidenceKind::Program, name, group.short) }
        });
        vec![Draft {
            sentence: say!(
                "{} (pid {}) {ran} {} times{} and each ended after {} on average.",
                plain(&worst.comm),
                PID.id(worst.pid),
                CHILDREN.of(group.short),
                also,
                MEAN_LIFE.of(group.lived / group.short),
            ),
            evidence: evidence.take(4).collect(),
            advice: "Give all items to one child (xargs, find -exec ... +, a filter that reads them), or use what the shell or the \
                language has built in."
                .into(),
            confidence: Confidence::Likely,
            estimate: "the time in which such children lived, without the first of each kind".into(),
            more_time: self.parents.iter().map(|parent| parent.saves).sum(),
            ..Draft::default()
        }]
    }
}

impl ShortChildren {
    /// A process that is not short ends, or the run does.
    fn ends(&mut self, pid: Tid, comm: &[u8], below: Below) {
        let often = |group: &Group| {
            group.short >= FEWER_CHILDREN.get()
                && group.short as f64 >= (group.short + group.long) as f64 * SHORT_CHILDREN_PART.ratio()
        };
        let Below { mut groups, covered, .. } = below;
        let all: Ns = groups.iter().map(|group| group.lived).sum();
        groups.retain(often);
        let Some(most) = groups.iter().map(|group| group.short).max() else { return };
        let of_these: Ns = groups.iter().map(|group| group.lived).sum();
        // A program says more than a fork does.
        groups.sort_by_key(|group| (group.command.is_none(), Reverse(group.lived)));
        let part = of_these as f64 / all.max(1) as f64 * (1.0 - 1.0 / most as f64);
        self.parents.push(Parent { pid, comm: comm.to_vec(), groups, most, saves: (covered as f64 * part) as Ns });
        if self.parents.len() > MAX_PARENTS {
            self.parents.sort_by_key(|parent| (Reverse(parent.saves), parent.pid));
            self.parents.truncate(MAX_PARENTS / 2);
        }
    }
}

impl Below {
    /// The group of the same program, which may be new.
    fn group(&mut self, new: Group) -> Option<&mut Group> {
        let same = |group: &Group| group.program == new.program && group.command.is_some() == new.command.is_some();
        let at = match self.groups.iter().position(same) {
            Some(at) => at,
            None if self.groups.len() < MAX_GROUPS => {
                self.groups.push(new);
                self.groups.len() - 1
            }
            None => return None,
        };
        self.groups.get_mut(at)
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
