//! Small processes are started again and again, one or several for each item.

mod below;

use super::common::{Claims, MOST_FOLLOWED, base_name, closes_nothing, on_path, plain, runs_own_program};
use crate::counts::index::{Index, Observed};
use crate::counts::kinds::opens;
use crate::report::finding::{Candidate, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{CHILDREN, MEAN_LIFE, OTHERS, PID};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use below::{Below, ProgramGroup};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::ops::AddAssign;
use std::sync::Arc;
use stride_event::{Event, Ns, Outcome, Stack, Tid};
use stride_syscalls::{Effect, For, Syscall, uapi::consts as c};
use stride_track::{Cloned, ObjectKind, Process, Tracker};

const SHORT_CHILD: Threshold =
    Threshold::time("short-child", 100_000_000, "a child that ends within this time is short");
const SHORT_CHILD_CALLS: Threshold =
    Threshold::count("short-child-calls", 300, "a child that makes a file counts only up to so many calls");
const SHORT_CHILDREN: Threshold =
    Threshold::count("short-children", 50, "short children that run one program, of one process");
const FEWER_CHILDREN: Threshold =
    Threshold::count("fewer-children", 30, "so many are enough if they take more than a third of the run");
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
        cut. At least 50 children of one program are reported, or 30 that take more than a third of the run. A child that makes a file of its own is left out if it makes more than 300 calls, because then it may be a \
        compiler. The estimate is the calls of such children, and the time from the fork of each to the moment when its parent \
        knows its end, as far as the run waited for them, without the first of each kind. Children that sleep for most of \
        their lives (sleep(1) in a loop), or wait for somebody at a socket, are counted, but the time of their sleep is not saved: something is waited for.\n\n\
        Example: a script runs sed for each of 500 lines. One sed that reads all lines does the same job. In the shell, ${f##*/} does what basename does.",
    thresholds: &[SHORT_CHILD, SHORT_CHILD_CALLS, SHORT_CHILDREN, FEWER_CHILDREN, SHORT_CHILDREN_PART],
    make: || Box::new(ShortChildren::default()),
};

#[derive(Default)]
struct ShortChildren {
    /// Living processes, and what their ended descendants were.
    below: FxHashMap<Tid, Below>,
    /// The time at which the parent of a living process began to make it.
    forked: FxHashMap<Tid, Ns>,
    /// The children of processes that were not short themselves.
    parents: Vec<Parent>,
    /// Living processes that have made a file.
    makers: FxHashSet<Tid>,
}

/// The number of processes that are told apart, and of kinds of calls of one process.
const MAX_PROCESSES: usize = 1 << 17;
const MAX_PARENTS: usize = 256;
const MAX_KINDS: usize = 1 << 9;
/// A parent makes a call of one kind at most so often for each child.
const CALLS_FOR_CHILD: u64 = 4;

struct Parent {
    pid: Tid,
    comm: Vec<u8>,
    groups: Vec<ProgramGroup>,
    /// The number of children of the largest group.
    most: u64,
    making: Claims,
    /// The stacks with which it made children.
    makers: Vec<(Arc<Stack>, u64)>,
    saves: Ns,
    pids: Vec<Tid>,
    /// The time in which any of the short children lived.
    lived: Ns,
}

impl Rule for ShortChildren {
    fn wants(&self, _: &'static Syscall) -> bool {
        true
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (call, pid) = (observed.call, observed.seen.pid);
        if opens(observed.row) {
            self.opened(observed);
        }
        let Outcome::Value(value) = call.outcome else { return self.made(observed) };
        let waits = observed.row.waits() == Some(For::Child) && value > 0;
        let forks = observed.has(Effect::Forks) && !Cloned::of(call).makes_thread();
        if forks {
            if self.forked.len() < MAX_PROCESSES {
                self.forked.insert(value as Tid, call.began());
            }
            if let Some(below) = self.of(pid) {
                below.alive += 1;
                call.stack.iter().for_each(|stack| below.makes(stack, call.stack_calls.into()));
            }
        }
        if let Some(below) = self.below.get_mut(&pid).filter(|below| below.alive > 0) {
            if below.making.kinds() < MAX_KINDS {
                below.making.add(observed.key, 1);
            }
            // The parent waited until it knew of the end.
            if waits && below.covered.until > call.began() {
                below.covered.add(call.began(), call.returned);
            }
            below.alive -= u64::from(waits);
        }
        self.made(observed);
    }

    fn event(&mut self, event: &Event<'_>, index: &Index, tracker: &Tracker) {
        let Event::Exited { tid, at, .. } = *event else { return };
        let Some(process) = tracker.process(tid) else { return };
        let makes_files = self.makers.remove(&tid);
        let below = self.below.remove(&tid).unwrap_or_default();
        let forked = self.forked.remove(&tid).filter(|at| *at <= process.started).unwrap_or(process.started);
        let lived = at.saturating_sub(process.started);
        let small = !makes_files || index.pace(tid).calls <= SHORT_CHILD_CALLS.get();
        let short = lived <= SHORT_CHILD.get() && small && process.parent.is_some();
        let of = ProgramGroup { program: process.program, ..ProgramGroup::default() };
        let Some(parent) = process.parent else { return self.ends(tid, &process.comm, below) };
        let own = runs_own_program(process, parent, tracker);
        if let Some(to) = self.of(parent) {
            let group = to.group(ProgramGroup { command: own.then(|| command(process)), ..of });
            if let Some(group) = group {
                (if short { &mut group.short } else { &mut group.long }).add_assign(1);
                if short {
                    group.lived += lived;
                    group.slept += below.slept;
                    group.vain += below.vain;
                    group.claim(below.own);
                }
            }
            if short {
                to.lived.add(process.started, at);
                to.covered.add(forked, at);
                let room = MOST_FOLLOWED.saturating_sub(to.pids.len());
                to.pids.extend(below.pids.into_iter().chain([tid]).take(room));
                // The children of a short child count as children of its parent. Their time is part of the short
                // child's time.
                for group in below.groups {
                    let ProgramGroup { short, long, lived, slept, vain, claims, program, command } = group;
                    if let Some(sum) = to.group(ProgramGroup { program, command, ..ProgramGroup::default() }) {
                        sum.short += short;
                        sum.long += long;
                        sum.lived += lived;
                        sum.slept += slept;
                        sum.vain += vain;
                        sum.claim(claims);
                    }
                }
                return;
            }
        }
        self.ends(tid, &process.comm, Below { own: Claims::default(), ..below });
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        for (pid, below) in std::mem::take(&mut self.below) {
            let comm = index.comm(pid, tracker).to_vec();
            self.ends(pid, &comm, below);
        }
        let untraced = index.untraced_part();
        for parent in &mut self.parents {
            parent.saves = (parent.saves as f64 * on_path(&parent.pids, parent.lived, index.path()) * untraced) as Ns;
        }
        let third = index.span() / 3;
        self.parents.retain(|parent| parent.most >= SHORT_CHILDREN.get() || parent.saves > third);
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
        vec![Candidate {
            sentence: say!(
                "{} (pid {}) {ran} {} times{} and each ended after {} on average.",
                plain(&worst.comm),
                PID.id(worst.pid),
                CHILDREN.of(group.short),
                also,
                MEAN_LIFE.of(group.lived / group.short),
            ),
            evidence: evidence.take(4).collect(),
            advice: advice_to(&worst.comm).into(),
            confidence: Confidence::Likely,
            estimate: "the calls of such children and of those who start them, without the first of each kind".into(),
            claims: self.claims().list(),
            stacks: worst.makers.clone(),
            whole_time: Some(self.parents.iter().map(|parent| parent.saves).sum()),
            ..Candidate::default()
        }]
    }
}

/// The change that the author of the parent's program, or of its command line, can make.
fn advice_to(comm: &[u8]) -> &'static str {
    match base_name(comm) {
        b"sh" | b"bash" | b"dash" | b"ash" | b"ksh" | b"zsh" | b"busybox" => {
            "Give all items to one child (a filter that reads them, xargs, find -exec ... +), or use what the shell has built in: ${f##*/} does what basename \
             does."
        }
        b"find" => {
            "Let find give many files to one child: -exec ... {} + instead of -exec ... {} \\;, or -print0 into xargs -0."
        }
        b"xargs" => "Let xargs give more items to one child: without -I, -L and -n, or with a larger -n.",
        b"make" | b"gmake" | b"ninja" => {
            "Put commands that belong together into one, such as one compiler run with several files, and give make's functions what a shell does for $(shell ...)."
        }
        _ => {
            "Give all items to one child that reads them, keep a child for later items, or do the same without a child: with a library, or a call of the \
             language."
        }
    }
}

impl ShortChildren {
    fn of(&mut self, pid: Tid) -> Option<&mut Below> {
        if self.below.len() >= MAX_PROCESSES && !self.below.contains_key(&pid) {
            return None;
        }
        Some(self.below.entry(pid).or_default())
    }

    fn opened(&mut self, observed: &Observed<'_>) {
        if observed.ok()
            && observed.open_flags() & c::O_CREAT != 0
            && self.makers.len() < MAX_PROCESSES
            && observed.seen.path.is_some_and(|path| !observed.tracker.name(path).starts_with(b"/dev/"))
        {
            self.makers.insert(observed.seen.pid);
        }
    }

    /// A process makes a call that is saved if the process is a short child.
    fn made(&mut self, observed: &Observed<'_>) {
        let pid = observed.seen.pid;
        let Some(process) = observed.tracker.process(pid).filter(|process| process.parent.is_some()) else { return };
        if observed.call.began().saturating_sub(process.started) > SHORT_CHILD.get() {
            return;
        }
        let Some(below) = self.of(pid) else { return };
        // Another rule tells of these. A child without them would be worth its while.
        if closes_nothing(observed) {
            // The time between two of them is that of their loop.
            let since = below.vain_until.unwrap_or(observed.call.began());
            below.vain += observed.call.returned.saturating_sub(since);
            below.vain_until = Some(observed.call.returned);
            return;
        }
        below.vain_until = None;
        if below.own.kinds() < MAX_KINDS {
            below.own.add(observed.key, 1);
        }
        if waits_for_others(observed) {
            below.slept += observed.time_waiting();
        }
    }

    /// A process that is not short ends, or the run does.
    fn ends(&mut self, pid: Tid, comm: &[u8], below: Below) {
        let often = |group: &ProgramGroup| {
            group.short >= FEWER_CHILDREN.get()
                && group.short as f64 >= (group.short + group.long) as f64 * SHORT_CHILDREN_PART.ratio()
        };
        let Below { mut groups, lived, covered, pids, making, makers, .. } = below;
        let all: Ns = groups.iter().map(|group| group.lived).sum();
        groups.retain(often);
        let Some(most) = groups.iter().map(|group| group.short).max() else { return };
        // A child that sleeps again and again waits for something, which will not come earlier.
        let of_these: Ns = groups.iter().filter(|group| !group.sleeps()).map(ProgramGroup::busy).sum();
        // A program says more than a fork does.
        groups.sort_by_key(|group| (group.command.is_none(), Reverse(group.lived)));
        let part = of_these as f64 / all.max(1) as f64 * (1.0 - 1.0 / most as f64);
        let saves = (covered.time as f64 * part) as Ns;
        let lived = lived.time;
        self.parents.push(Parent { pid, comm: comm.to_vec(), groups, most, making, makers, saves, pids, lived });
        if self.parents.len() > MAX_PARENTS {
            self.parents.sort_by_key(|parent| (Reverse(parent.saves), parent.pid));
            self.parents.truncate(MAX_PARENTS / 2);
        }
    }

    fn claims(&self) -> Claims {
        let mut claims = Claims::default();
        for parent in &self.parents {
            let mut short = 0;
            for group in &parent.groups {
                short += group.short - 1;
                // The first one is needed.
                let part = 1.0 - 1.0 / group.short as f64;
                group.claims.iter().for_each(|(key, calls)| claims.add(key, (calls as f64 * part).round() as u64));
            }
            // Most calls between a fork and the child's end are about the child, but a parent may have other work.
            parent.making.iter().for_each(|(key, calls)| claims.add(key, calls.min(short * CALLS_FOR_CHILD)));
        }
        claims
    }
}

/// The call lets time pass, or waits for somebody at a socket: no start of a program.
fn waits_for_others(observed: &Observed<'_>) -> bool {
    let is_socket = |object| observed.tracker.kind(object) == ObjectKind::Socket;
    observed.row.waits() == Some(For::Time) || observed.time_ran_out() || observed.seen.object.is_some_and(is_socket)
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
