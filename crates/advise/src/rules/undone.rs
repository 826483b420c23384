//! Something is set up for each piece of work and undone right after, although the next piece needs the same.

use super::common::{Bounded, Claims, ProcessCounts, and_others, largest, plain, thing};
use crate::counts::index::{Index, Observed, OpenFile};
use crate::report::finding::{Candidate, Confidence, Evidence};
use crate::report::quantity::TIMES;
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::{Ns, Tid};
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{FileId, ObjectId, Tracker, takes_file_lock};

const UNDONE: Threshold = Threshold::count("undone", 100, "times that one thing was set up and undone");

pub const RULE: RuleInfo = RuleInfo {
    id: "undone",
    title: "set up and undone for each piece of work",
    explanation: "A process tells an epoll instance to watch a descriptor, waits, takes the descriptor out again, and soon adds the same open file \
        again. Or it locks a file for each record and unlocks it, although nobody else wants the lock. Each round costs two calls or more that change \
        nothing in the end.\n\n\
        Reported are open files for which this happened at least 100 times in one process. The first round does not count. A lock counts only if \
        nine of ten times getting it took at most 0.5 ms, and no other traced process locked the same file; programs that are not traced may want it all the same.\n\n\
        Example: a client adds its socket to a selector before each answer and removes it afterwards: 60,000 epoll_ctl(2) calls for 30,000 answers. \
        Adding it once saves all but one. A writer that locks a file around each of 100,000 records makes 200,000 fcntl(2) calls; a lock around a \
        hundred records makes 2,000, and others still have their turn.",
    thresholds: &[UNDONE],
    make: || Box::new(Undone::default()),
};

/// Getting a lock that nobody else has takes no longer.
const WAITED: Ns = 500_000;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Kind {
    Watch,
    Lock,
}

#[derive(Default)]
struct Undone {
    /// By the process and the open file: that in the epoll instance, or the locked one.
    rounds: Bounded<(Tid, (Kind, FileId)), Rounds>,
    /// How each file is locked.
    locked: Bounded<ObjectId, Locked>,
}

struct Locked {
    /// The process that does it. `None`: there are several.
    by: Option<Tid>,
    calls: u64,
    /// Calls that took long: the lock was another's.
    late: u64,
}

impl Locked {
    /// Nobody else wants the lock. (A busy machine makes some calls slow.)
    fn is_alone(&self) -> bool {
        self.by.is_some() && self.late <= self.calls / 10
    }
}

struct Rounds {
    object: ObjectId,
    /// Calls that set something up which is not undone yet.
    pending: Claims,
    finished: u64,
    claims: Claims,
    line: u64,
}

impl Rule for Undone {
    fn wants(&self, row: &'static Syscall) -> bool {
        [Effect::Watches, Effect::LocksFile, Effect::ControlsDescriptor]
            .into_iter()
            .any(|effect| row.has_effect(effect))
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        if !observed.ok() {
            return;
        }
        if observed.has(Effect::Watches) {
            self.watch(observed);
        } else if let Some(takes) = takes_file_lock(observed.call, observed.row) {
            self.lock(observed, takes);
        }
    }

    /// A server watches each of its connections once.
    fn closed(&mut self, file: &OpenFile, _: &Index, _: &Tracker) {
        for kind in [Kind::Watch, Kind::Lock] {
            let of = (file.pid, (kind, file.id));
            if self.rounds.get(&of).is_some_and(|rounds| rounds.finished < UNDONE.get()) {
                self.rounds.remove(&of);
            }
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let locked = self.locked.take();
        let is_alone = |kind, object: &ObjectId| kind != Kind::Lock || locked.get(object).is_some_and(Locked::is_alone);
        let mut often: [Vec<(Tid, Rounds)>; 2] = Default::default();
        for ((pid, (kind, _)), rounds) in self.rounds.take() {
            if rounds.finished >= UNDONE.get() && is_alone(kind, &rounds.object) {
                often[kind as usize].push((pid, rounds));
            }
        }
        let kinds = [Kind::Watch, Kind::Lock].into_iter().zip(often);
        kinds.filter_map(|(kind, rounds)| candidate(kind, &rounds, index, tracker)).collect()
    }
}

impl Undone {
    fn watch(&mut self, observed: &Observed<'_>) {
        let pid = observed.seen.pid;
        let Some((file, object)) = observed.tracker.open_file(pid, observed.arg("fd") as i32) else { return };
        match observed.arg("op") {
            c::EPOLL_CTL_ADD => self.sets_up(Kind::Watch, file, object, observed),
            c::EPOLL_CTL_DEL => self.undoes(Kind::Watch, file, observed),
            _ => {}
        }
    }

    fn lock(&mut self, observed: &Observed<'_>, takes: bool) {
        let (Some(file), Some(object)) = (observed.seen.file, observed.seen.object) else { return };
        if !takes {
            return self.undoes(Kind::Lock, file, observed);
        }
        let pid = observed.seen.pid;
        self.locked.make_room(|locked| locked.by.is_none());
        if let Some(locked) = self.locked.entry(object, || Locked { by: Some(pid), calls: 0, late: 0 }) {
            locked.by = locked.by.filter(|by| *by == pid);
            locked.calls += 1;
            locked.late += u64::from(observed.time_waiting() > WAITED);
        }
        self.sets_up(Kind::Lock, file, object, observed);
    }

    fn sets_up(&mut self, kind: Kind, file: FileId, object: ObjectId, observed: &Observed<'_>) {
        let new = || Rounds {
            object,
            pending: Claims::default(),
            finished: 0,
            claims: Claims::default(),
            line: observed.line,
        };
        self.rounds.forget_ended(observed.tracker, |rounds| rounds.finished >= UNDONE.get());
        self.rounds.make_room(|rounds| rounds.finished > 1);
        if let Some(rounds) = self.rounds.entry((observed.seen.pid, (kind, file)), new) {
            rounds.pending.add(observed.key, 1);
        }
    }

    fn undoes(&mut self, kind: Kind, file: FileId, observed: &Observed<'_>) {
        let Some(rounds) = self.rounds.get_mut(&(observed.seen.pid, (kind, file))) else { return };
        let set_up = std::mem::take(&mut rounds.pending);
        if set_up.total() == 0 {
            return;
        }
        rounds.finished += 1;
        if rounds.finished > 1 {
            rounds.claims.add_all(set_up.iter());
            rounds.claims.add(observed.key, 1);
        }
    }
}

fn candidate(kind: Kind, rounds: &[(Tid, Rounds)], index: &Index, tracker: &Tracker) -> Option<Candidate> {
    let top = largest(rounds, 4, |(pid, rounds)| (rounds.finished, Reverse((rounds.object, *pid))));
    let (_, worst) = top.first()?;
    let (mut claims, mut processes) = (Claims::default(), ProcessCounts::default());
    for (pid, rounds) in rounds {
        claims.add_all(rounds.claims.iter());
        processes.add(*pid, rounds.claims.total(), index.comm(*pid, tracker));
    }
    if claims.few() {
        return None;
    }
    let (name, times) = (plain(tracker.name(worst.object)), TIMES.of(worst.finished));
    let (sentence, advice, confidence) = match kind {
        Kind::Watch => (
            say!("{name} was given to epoll and taken out again {} times, as one and the same open file", times),
            "Give the descriptor to epoll once, and leave it there until it is closed. EPOLL_CTL_MOD changes or pauses what is watched for, and \
             EPOLLONESHOT pauses by itself. In Python, make one selector, and register each socket once, outside the loop.",
            Confidence::Likely,
        ),
        Kind::Lock => (
            say!(
                "{name} was locked and unlocked {} times by one process, and no other traced process locked it",
                times
            ),
            "Hold the lock for several records or changes at a time: a transaction for all that belongs together. If other programs need the file \
             in between, or nobody else uses it at all, the lock decides how often: give it back now and then, or leave it out.",
            Confidence::Possible,
        ),
    };
    let evidence = top
        .iter()
        .map(|(_, rounds)| Evidence { line: Some(rounds.line), ..thing(rounds.object, rounds.finished, tracker) });
    Some(Candidate {
        sentence: say!("{}{}", sentence, and_others(rounds.len())),
        evidence: evidence.chain(processes.evidence()).collect(),
        advice: advice.into(),
        confidence,
        claims: claims.list(),
        estimate: "all rounds but the first for each open file".into(),
        ..Candidate::default()
    })
}
