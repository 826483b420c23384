//! A program looks, sleeps and looks again, for a large part of the run.

use super::common::{Bounded, Covered, count_stack, family, plain, process};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::{opens, waits_for_any};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{MEAN_WAIT, RUN, TIMES, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use stride_event::{Ns, Outcome, Stack, Tid};
use stride_syscalls::{Effect, For, Syscall, uapi::consts as c};
use stride_track::{ObjectId, ObjectKind, Tracker, takes_file_lock};

const POLLS: Threshold =
    Threshold::count("polls", 5, "sleeps after a look that was in vain and before the next one of its kind");
const FEW_POLLS: Threshold = Threshold::count("few-polls", 3, "so many are enough if they take most of the run");
const POLLING_PART: Threshold = Threshold::part("polling-part", 0.3, "the part of the run that these sleeps took");

const MOSTLY_POLLING: Threshold = Threshold::part("mostly-polling", 0.6, "most of the run, for so few sleeps");

pub const RULE: RuleInfo = RuleInfo {
    id: "polling",
    title: "looking and sleeping in turn",
    explanation: "A program waits for something by looking for it, sleeping, and looking again: for a file, a process, a child, a lock. On average it \
        learns of the change half a sleep too late, and a short sleep costs calls instead. What a change saves is at most the last sleep before each change.\n\n\
        Reported are five sleeps of threads of one name, each after a look that was in vain and before the next one of its kind, if they took three tenths of the run, or three that took three fifths. (A lock file counts once the thread has it.) The objects may differ, \
        unless they are files, and the sleeps may be those of a child, as in a shell, of an event loop whose timer ran out, or waits of poll(2), select(2) or futex(2) whose time ran out. `retries` has the loops that look for one thing very often.\n\n\
        Example: a script starts jobs, two at a time, and asks with kill -0 each 200 ms whether one of them has ended: 1.4 s of 1.5 s are sleeps. wait -n returns \
        as soon as one has ended.",
    thresholds: &[POLLS, FEW_POLLS, POLLING_PART, MOSTLY_POLLING],
    make: || Box::new(Polling::default()),
};

/// The kind of thing that a program looks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Look {
    Lock,
    Process,
    Child,
    /// A name that only one can make at a time: a file opened with O_EXCL, a directory, a link.
    LockFile,
    /// (Last: whoever looks for something else may look for files on the way.)
    File,
}

#[derive(Default)]
struct Polling {
    /// By thread: the latest vain looks of each kind, the latest first.
    latest: Bounded<(Tid, Look), [Option<Latest>; LATEST]>,
    /// The time that each thread, or its children, has slept so far. (Children sleep at the same time.)
    slept: Bounded<Tid, Slept>,
    /// The time that the event loop of each process has slept so far.
    loops: Bounded<Tid, Ns>,
    polls: Bounded<(Tid, Look), Polls>,
    /// By name of processes: the time in which at least one of them slept so.
    covered: Bounded<(Box<[u8]>, Look), Sleeping>,
}

/// Sleeps of several processes, some of which sleep at the same time.
#[derive(Default)]
struct Sleeping {
    all: Covered,
    /// The last ones before what was looked for was there.
    late: Covered,
}

#[derive(Clone, Copy, Default)]
struct Slept {
    time: Ns,
    /// The part of that which belongs to a look that is counted already.
    counted: Ns,
}

#[derive(Clone, Copy)]
struct Latest {
    object: Option<ObjectId>,
    at: Ns,
    /// The time that the thread had slept by then.
    slept: Ns,
    /// For a lock file: the number of sleeps since the first look in vain, and their time.
    series: (u64, Ns),
}

/// A program that waits looks for a file again after few others. (A shell looks for its commands, too.)
const LATEST: usize = 8;

#[derive(Default)]
struct Polls {
    sleeps: u64,
    time: Ns,
    looks: Vec<(CallKey, u64)>,
    /// The stacks of these looks, as far as calls have one.
    stacks: Vec<(Arc<Stack>, u64)>,
    /// For several processes: the time of all of them.
    slept: Ns,
    /// The last sleeps before what was looked for was there: how late the threads can have been.
    late: Ns,
}

/// The descriptors whose names are compared.
const MOST_OPEN: usize = 64;
const MOST_STACKS: usize = 32;
/// Kinds of calls that are told apart.
const MOST_KINDS: usize = 8;

/// The look that the call is, and whether it was in vain.
fn look(observed: &Observed<'_>) -> Option<(Look, bool)> {
    const ENOENT: u32 = c::ENOENT as u32;
    const EAGAIN: u32 = c::EAGAIN as u32;
    const EEXIST: u32 = c::EEXIST as u32;
    const ESRCH: u32 = c::ESRCH as u32;
    let (row, outcome) = (observed.row, observed.call.outcome);
    if row.has_effect(Effect::SendsSignal) {
        let is_look = observed.call.arg("signum").or(observed.call.arg("sig")) == Some(0);
        let vain = matches!(outcome, Outcome::Value(_));
        return (is_look && (vain || outcome == Outcome::Error(ESRCH))).then_some((Look::Process, vain));
    }
    if row.waits() == Some(For::Child) {
        let Outcome::Value(child) = outcome else { return None };
        return (observed.arg("options") & c::WNOHANG != 0).then_some((Look::Child, child == 0));
    }
    let look = match row.may_wait() {
        Some(For::Turn) => Look::Lock,
        _ if takes_file_lock(observed.call, row) == Some(true) => Look::Lock,
        // A name that only one can make is a lock.
        _ if makes_name(observed) => Look::LockFile,
        _ if row.has_effect(Effect::Asks) || opens(row) => Look::File,
        _ => return None,
    };
    match (look, outcome) {
        (Look::LockFile, Outcome::Error(EEXIST)) => Some((look, true)),
        (_, Outcome::Value(_)) => Some((look, false)),
        (Look::Lock, Outcome::Error(EAGAIN)) | (Look::File, Outcome::Error(ENOENT)) => Some((look, true)),
        _ => None,
    }
}

fn is_file_look(observed: &Observed<'_>) -> bool {
    observed.has(Effect::Asks) || opens(observed.row)
}

/// True if the path continues the name of a file that the process has open: the journal of a database, the lock of a mailbox. Programs look
/// for such files on the way to something else.
fn is_companion(observed: &Observed<'_>) -> bool {
    let (Some(path), tracker) = (observed.seen.path, observed.tracker) else { return false };
    let path = tracker.name(path);
    let continues = |object: ObjectId| {
        let rest = path.strip_prefix(tracker.name(object));
        rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(b"/"))
    };
    let open = tracker.open_descriptors(observed.seen.pid);
    open.iter().take(MOST_OPEN).any(|(_, object)| tracker.kind(*object) == ObjectKind::Path && continues(*object))
}

fn makes_name(observed: &Observed<'_>) -> bool {
    let row = observed.row;
    let flags = || observed.arg("flags") & (c::O_CREAT | c::O_EXCL);
    let makes = row.has_effect(Effect::MakesDirectory) || row.has_effect(Effect::Links);
    makes || opens(row) && flags() == c::O_CREAT | c::O_EXCL
}

impl Rule for Polling {
    fn wants(&self, row: &'static Syscall) -> bool {
        matches!(row.waits(), Some(For::Time | For::Readiness | For::Lock))
            || row.has_effect(Effect::SendsSignal)
            || row.waits() == Some(For::Child)
            || row.may_wait() == Some(For::Turn)
            || row.has_effect(Effect::ControlsDescriptor)
            || row.has_effect(Effect::Asks)
            || opens(row)
            || row.has_effect(Effect::MakesDirectory)
            || row.has_effect(Effect::Links)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let pid = observed.seen.pid;
        // Any thread of a pool looks for a file for the event loop.
        let is_pool = self.loops.get(&pid).is_some() && is_file_look(observed);
        let tid = if is_pool { pid } else { observed.call.tid };
        // A wait for descriptors or for a lock whose time ran out is a sleep, too.
        let is_sleep = observed.row.waits() == Some(For::Time);
        let is_own_wait = !waits_for_any(observed.row) && observed.row.waits().is_some();
        if is_sleep || is_own_wait && observed.time_ran_out() {
            // A shell has a child that sleeps.
            let parent = observed.tracker.process(pid).and_then(|process| process.parent).filter(|_| is_sleep);
            for tid in parent.into_iter().chain([tid]) {
                if let Some(slept) = self.slept.get_mut(&tid) {
                    slept.time += observed.time_waiting();
                }
            }
            return;
        }
        if waits_for_any(observed.row) {
            // The time of a timer ran out: a task of the process has slept.
            if observed.call.outcome == Outcome::Value(0)
                && let Some(slept) = self.loops.entry(pid, || 0)
            {
                *slept += observed.time_waiting();
            }
            return;
        }
        let Some((look, vain)) = look(observed) else { return };
        if vain && look == Look::File && is_companion(observed) {
            return;
        }
        if !vain && self.latest.get(&(tid, look)).is_none() {
            return;
        }
        self.slept.forget_ended(observed.tracker, |_| false);
        let Some(so_far) = self.slept.entry(tid, Slept::default) else { return };
        let all_slept = so_far.time + self.loops.get(&pid).copied().unwrap_or(0);
        self.latest.forget_ended(observed.tracker, |_| false);
        let Some(latest) = self.latest.entry((tid, look), || [None; LATEST]) else { return };
        // Programs look for many files that are not there, and not all of those are waited for.
        let is_it =
            |before: &Latest| !matches!(look, Look::File | Look::LockFile) || before.object == observed.key.object;
        let place = latest.iter().position(|before| before.as_ref().is_some_and(is_it));
        let before = place.and_then(|place| latest[place].take());
        // The part of the time since that look in which the thread may have slept.
        let slept = before.map_or(0, |before| {
            let since = all_slept.saturating_sub(before.slept.max(so_far.counted));
            since.min(observed.call.began().saturating_sub(before.at))
        });
        let mut series = before.map_or((0, 0), |before| before.series);
        if slept > 0 {
            series = (series.0 + 1, series.1 + slept);
            so_far.counted = all_slept;
        }
        let object = observed.key.object;
        // Whoever makes a directory that is there each time does not wait for it: a lock is had in the end.
        let goes_on = vain && look == Look::LockFile;
        if vain {
            let series = if goes_on { series } else { (0, 0) };
            latest[..=place.unwrap_or(LATEST - 1)].rotate_right(1);
            latest[0] = Some(Latest { object, at: observed.call.returned, slept: all_slept, series });
        }
        if goes_on || series.0 == 0 {
            return;
        }
        let Some(polls) = self.polls(look, observed) else { return };
        polls.sleeps += series.0;
        polls.time += series.1;
        let Some(process) = observed.tracker.process(pid) else { return };
        let of = (family(&process.comm).into(), look);
        let Some(covered) = self.covered.entry(of, Sleeping::default) else { return };
        let until = observed.call.began();
        covered.all.add(until.saturating_sub(series.1), until);
        if !vain {
            // It was there, perhaps for as long as the thread slept.
            covered.late.add(until.saturating_sub(slept), until);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let total = index.account().total;
        // Processes of one name may look at the same time, or one after the other.
        let mut families: BTreeMap<(&[u8], Look), (Tid, Polls)> = BTreeMap::new();
        for ((pid, look), polls) in self.polls.iter() {
            let of = (family(index.comm(*pid, tracker)), *look);
            let (longest, sum) = families.entry(of).or_insert((*pid, Polls::default()));
            if (polls.time, Reverse(*pid)) > (sum.time, Reverse(*longest)) {
                (*longest, sum.time) = (*pid, polls.time);
            }
            sum.sleeps += polls.sleeps;
            for look in &polls.looks {
                if sum.looks.len() < MOST_KINDS && !sum.looks.contains(look) {
                    sum.looks.push(*look);
                }
            }
            for (stack, calls) in &polls.stacks {
                count_stack(&mut sum.stacks, MOST_STACKS, stack, *calls);
            }
            sum.slept += polls.time;
        }
        for ((name, look), (_, sum)) in &mut families {
            if let Some(covered) = self.covered.get(&(Box::from(*name), *look)) {
                (sum.time, sum.late) = (sum.time.max(covered.all.time), covered.late.time);
            }
        }
        let often = families.into_iter().filter(|(_, (_, polls))| {
            let part = if polls.sleeps >= POLLS.get() { POLLING_PART } else { MOSTLY_POLLING };
            polls.sleeps >= FEW_POLLS.get() && polls.time as f64 >= index.own_total() as f64 * part.ratio()
        });
        let worst = often.max_by_key(|((_, look), (pid, polls))| (polls.time, Reverse((*pid, *look))));
        let Some(((_, look), (pid, polls))) = worst else { return Vec::new() };
        let comm = index.comm(pid, tracker);
        let (what, advice) = match look {
            Look::File => (
                "looked for a file that was not there",
                "Let the kernel say when the file appears (inotify(7)), or have its maker say it through a pipe, a socket or its exit status.",
            ),
            Look::Process => (
                "asked with signal 0 whether a process lived",
                "Wait for the process: wait(2) for a child (`wait -n` in a shell), poll(2) on a descriptor of pidfd_open(2) for any process.",
            ),
            Look::Child => (
                "asked whether a child had ended",
                "Wait for the child without WNOHANG, in a thread of its own if there is other work, or take SIGCHLD or a descriptor of pidfd_open(2) \
                 into the event loop.",
            ),
            Look::LockFile => (
                "tried to make a lock file that was there already",
                "Lock a file that stays there (flock(2), fcntl(2) with F_SETLKW): then the kernel wakes the next one at once, and a lock ends with its \
                 holder. In a shell, use flock(1).",
            ),
            Look::Lock => (
                "tried to get a lock",
                "Wait for the lock: flock(2) without LOCK_NB, fcntl(2) with F_SETLKW, semop(2) without IPC_NOWAIT. And look at those that have it: whatever they wait for \
                 (an answer, a sleep) should come before they take the lock. In a database, ask others before the transaction begins.",
            ),
        };
        vec![Candidate {
            perhaps_more: polls.late,
            estimate: "the last sleep before each time that there was what it looked for, or a part of that sleep"
                .into(),
            sentence: say!(
                "{} {what} and slept, {} times: it slept for {} of the run's {}, {} each time on average.",
                if comm.is_empty() { format!("process {pid}") } else { plain(comm) },
                TIMES.of(polls.sleeps),
                WAITED.of(polls.time),
                RUN.of(total),
                MEAN_WAIT.of(polls.slept / polls.sleeps.max(1)),
            ),
            evidence: vec![process(pid, comm, polls.sleeps)],
            advice: advice.into(),
            confidence: Confidence::Likely,
            makers: if polls.stacks.is_empty() { makers(index, &polls) } else { Vec::new() },
            stacks: polls.stacks.clone(),
            matters: true,
            unless_saved: Some(polls.time / 2),
            ..Candidate::default()
        }]
    }
}

impl Polling {
    fn polls(&mut self, look: Look, observed: &Observed<'_>) -> Option<&mut Polls> {
        self.polls.make_room_of_ended(observed.tracker, |polls| polls.sleeps >= FEW_POLLS.get());
        let polls = self.polls.entry((observed.seen.pid, look), Polls::default)?;
        if let Some(stack) = &observed.call.stack {
            count_stack(&mut polls.stacks, MOST_STACKS, stack, observed.call.stack_calls.into());
        }
        let key = CallKey { object: None, ..observed.key };
        if let Some((_, looks)) = polls.looks.iter_mut().find(|(known, _)| *known == key) {
            *looks += 1;
        } else if polls.looks.len() < MOST_KINDS {
            polls.looks.push((key, 1));
        }
        Some(polls)
    }
}

/// The looks, about any object.
fn makers(index: &Index, polls: &Polls) -> Vec<(CallKey, u64)> {
    let is_look = |key: &CallKey| polls.looks.iter().any(|(look, _)| (look.abi, look.nr) == (key.abi, key.nr));
    index.tallies().filter(|(key, _)| is_look(key)).map(|(key, cost)| (key, cost.calls)).collect()
}

#[cfg(test)]
mod tests {
    use crate::Finding;
    use crate::test_run::TestRun;
    use stride_event::{Event, Ns, Outcome, Tid};
    use stride_test_support::calls::{call, exited, lasting, spawned};

    const MS: Ns = 1_000_000;
    const MAIN: Tid = 7;

    /// A thread asks ten times whether a process lives, and sleeps 50 ms in between. Each round ends with an answer.
    fn asks(rounds: u64) -> Finding {
        const ESRCH: u32 = 3;
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        let mut now = MS;
        for _ in 0..rounds {
            for look in 0..10 {
                let outcome = if look == 9 { Outcome::Error(ESRCH) } else { Outcome::Value(0) };
                run.show(Event::Exit(&lasting(call(MAIN, "kill", &[9, 0], outcome), now, 1_000)));
                let sleep = lasting(call(MAIN, "nanosleep", &[0x1000, 0], Outcome::Value(0)), now + MS, 50 * MS);
                if look < 9 {
                    run.show(Event::Exit(&sleep));
                    now += 51 * MS;
                }
            }
        }
        run.show(exited(MAIN, now));
        let mut findings = run.findings().reported;
        assert_eq!(findings.iter().map(|finding| finding.id).collect::<Vec<_>>(), ["polling"]);
        findings.remove(0)
    }

    #[test]
    fn the_last_sleep_of_each_round_is_late() {
        for rounds in [1, 4] {
            let saving = asks(rounds).saving;
            assert_eq!(saving.time, 0);
            let late = 50 * MS * rounds;
            assert!((late - MS..=late).contains(&saving.up_to), "{}", saving.up_to);
        }
    }
}
