//! Why a program hangs: the call of each thread when tracing ends.

mod culprit;
mod dismissed;
mod ended;
mod enders;
mod holders;
mod interrupted;
mod knot;
mod stuck;
mod verdict;
mod words;

use super::common::plain;
use crate::counts::index::{Index, Observed, OpenFile};
use crate::report::finding::{Candidate, Confidence, FactRow, FactTable};
use crate::report::quantity::{ENDED_PID, FD, LASTED, OTHERS, PID, THREADS, TID, WAITING};
use crate::report::statement::{Statement, say};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use dismissed::{DismissedServers, waits_for_work};
use ended::{EndedThreads, waits_forever};
use enders::{Enders, enders, the_other_end};
use holders::{Holders, is_file_lock};
use interrupted::SignalFacts;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use stride_event::{Event, Ns, Tid};
use stride_syscalls::{Abi, Effect, Flow, For, Syscall};
use stride_track::{Awaited, Cloned, Futex, ObjectKind, Thread, Tracker, Wait};
use words::{AwaitedProcess, awaited_processes, ends, on, thread_label};

const HANG: Threshold =
    Threshold::time("hang", 1_000_000_000, "a thread that has been in one call for so long is worth a table");
/// So many threads of a process are shown that wait for work.
const ALIKE: usize = 3;
/// The table shows at most this many threads.
const HANG_ROWS: usize = 200;

pub const RULE: RuleInfo = RuleInfo {
    id: "hang",
    title: "waiting",
    explanation: "When tracing ends while threads are in a call (Stride was told to stop, or the program was killed), a table shows \
        for each thread which call it is in, since when, and on what: the file, pipe or socket and who has its other end on this \
        machine, the lock and the thread that holds it, the thread that is joined, the descriptors that an epoll instance \
        watches, or the child that is waited for. The table is shown if at least one thread has been waiting for a second. \
        A thread that only its own timeout wakes, and that then does no more than write (a progress meter), counts as still \
        waiting.\n\n\
        The holder of a lock is read from the lock itself: that works for the mutexes of glibc and musl, not for every lock there \
        is. A futex is called a lock, a condition variable or a join only where the call or the memory shows which it is. \
        Semaphores, barriers and most condition variables look alike from outside, and are shown as a futex. An idle server \
        waits, too, so this finding need not mean a fault. A recording made without -f lacks other threads of the process.\n\n\
        Threads or processes that wait for each other in a circle are called a deadlock: for locks, for file locks (flock), for \
        the other end of a pipe or a connection that only the other process has, or for a child. So are processes that are entangled in another way, if all who could end their waits wait among them. A stopped process for which others wait is told, a lock that was taken when fork(2) copied the memory, and bytes that lie unread \
        in a socket: in that of a thread that waits for events of it, or at the other end. A reader of a pipe whose last \
        other writer has ended is told, too. So is a process of which all threads wait in futex(2) without a time limit: then none of them \
        is left that could wake another, and the table tells which thread had ended that used to do so.\n\n\
        If calls were lost, and nobody knows of which threads, none is said to wait: the end of its call may be among them.\n\n\
        If a program handles the signal that ends it, as Python does with Ctrl-C, then its waits are over when it ends, and there is no table. A single wait for a child, a lock or another process \
        that took half of the run, and that a signal ended, is told all the same.\n\n\
        Example: a program hangs. stride -f -p PID --advise, and Ctrl-C after a while, shows two threads in futex, each waiting for \
        a lock that the other holds: a deadlock. Or a parent in wait4 for a child that reads from a pipe of which the parent \
        itself has the other end: it forgot to close it.",
    thresholds: &[HANG],
    make: || Box::new(Hang::default()),
};

const MAX_PROCESSES: usize = 1 << 17;
/// A signal that interrupts a call kills the thread within this time.
const AT_ONCE: Ns = 2_000_000;

#[derive(Default)]
struct Hang {
    waits: Vec<Row>,
    more: usize,
    /// Threads that were detached or killed, in a call or not.
    threads: usize,
    killed: usize,
    /// The processes that a signal killed when they returned from a call.
    killed_after_call: Vec<Tid>,
    /// The program made a thread.
    made_threads: bool,
    /// A thread ran before tracing began, so there may be others.
    attached: bool,
    holders: Holders,
    /// The number of threads of each process that were detached or killed.
    of: FxHashMap<Tid, usize>,
    /// These threads, as far as there is room.
    left: Vec<Left>,
    ended: EndedThreads,
    dismissed: DismissedServers,
}

/// A thread that was detached or killed.
struct Left {
    tid: Tid,
    pid: Tid,
    parent: Option<Tid>,
}

struct Row {
    tid: Tid,
    pid: Tid,
    comm: Vec<u8>,
    call: &'static str,
    /// `None`: since before tracing began.
    lasted: Option<Ns>,
    on: String,
    /// The thread that this one waits for: a lock's holder, or a thread to join.
    waits_for: Option<Tid>,
    /// The one process that this thread waits for: it holds a file lock, or the other end of a pipe or a connection, or
    /// is its child.
    waits_for_process: Option<Tid>,
    parent: Option<Tid>,
    any_child: bool,
    /// The holder of the lock for which the thread waits, if processes do not share that lock.
    private_lock_of: Option<Tid>,
    enders: Option<Enders>,
    watches: bool,
    abi: Abi,
    /// The first processes for which it waits, as they were at the end of tracing.
    others: Vec<AwaitedProcess>,
    /// Unread bytes at the end of tracing, as in [`stride_track::AtEnd`].
    unread: Vec<(i32, u64, u64)>,
    /// Nobody else has the other end of the pipe.
    orphaned: Option<Statement>,
    /// Only another thread of the process can end this wait. The word at which the thread waits.
    word: Option<u64>,
    /// It waits for clients, for what they send, or for anything to come.
    for_work: bool,
    /// It waits at a futex, perhaps with a time limit.
    at_futex: bool,
}

impl Row {
    /// The thread waits at a futex of which nobody knows more, as those that wait for work do.
    fn is_like_others(&self) -> bool {
        self.word.is_some() && self.tid != self.pid && self.waits_for.is_none()
    }

    /// The thread waits for work, or for a thread that hands out work.
    fn is_idle(&self) -> bool {
        self.for_work || self.is_like_others()
    }

    /// In a process that is at work, the thread may have nothing to do: no other thread is known that keeps it from its work.
    fn may_lack_work(&self) -> bool {
        let at_futex = self.at_futex && self.tid != self.pid && self.waits_for.is_none();
        (at_futex || self.for_work) && self.unread.is_empty()
    }

    /// The wait is worth a table.
    fn is_long(&self) -> bool {
        self.lasted.is_none_or(|lasted| lasted >= HANG.get())
    }
}

impl Rule for Hang {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Forks)
            || row.has_effect(Effect::SendsSignal)
            || row.accepts()
            || is_file_lock(row)
            || Futex::is(row)
    }

    fn closed(&mut self, file: &OpenFile, _: &Index, _: &Tracker) {
        self.holders.closed(file);
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        if is_file_lock(observed.row) {
            return self.holders.locked(observed);
        }
        if Futex::is(observed.row) {
            return self.ended.woke(observed);
        }
        if observed.has(Effect::SendsSignal) {
            return self.dismissed.signalled(observed);
        }
        if observed.row.accepts() {
            return self.dismissed.accepts(observed.seen.pid, observed.tracker);
        }
        self.made_threads |= observed.ok() && Cloned::of(observed.call).makes_thread();
    }

    fn event(&mut self, event: &Event<'_>, index: &Index, tracker: &Tracker) {
        self.waits(event, index, tracker);
        // After the wait of the same thread, which is about those that ended before.
        self.holders.event(event, tracker);
        self.ended.event(event, tracker);
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        // A thread may have returned since from the call in which it was seen last.
        if index.has_untold_losses {
            return Vec::new();
        }
        let busy = self.busy_processes(index);
        let may_lack_work = |row: &Row| row.may_lack_work() || self.joins_one_without_work(row);
        let is_idle = |row: &Row| self.was_idle_server(row) || busy.contains(&row.pid) && may_lack_work(row);
        let lasts = |row: &Row| row.is_long() && !is_idle(row);
        let lasting = self.waits.iter().filter(|row| lasts(row)).count();
        if lasting == 0 {
            let signals = SignalFacts { killed: &self.killed_after_call, has_servers: self.dismissed.has_servers() };
            return interrupted::candidate(HANG.get(), &signals, index, tracker).into_iter().collect();
        }
        if !self.attached
            && self.waits.iter().filter(|row| lasts(row)).all(|row| self.waits_for_one_at_work(row, index))
        {
            return Vec::new();
        }
        let circle = self.circle(&lasts);
        let follows = index.scope.follows;
        let culprit = self.culprit(&lasts).or_else(|| self.none_left(follows)).or_else(|| self.knot(follows, &lasts));
        // In a recording made without -f, new threads were not traced, nor the other threads of an attached process.
        let unseen = match () {
            () if index.scope.follows => None,
            () if self.made_threads => Some(" Its other threads were not looked at."),
            () if self.attached || index.scope.partial => Some(" Other threads, if it has any, were not looked at."),
            () => None,
        };
        let when = match self.killed {
            0 => "when tracing ended",
            n if n < self.threads => "when tracing ended or they were killed",
            1 => "when it was killed",
            _ => "when they were killed",
        };
        let mut sentence = match &circle {
            Some(tids) => say!(
                "{} {} wait for each other: a deadlock.",
                if self.is_one_process(tids) { "threads" } else { "processes" },
                tids.iter().map(|tid| self.named(*tid)).collect::<Vec<_>>().join(" and ")
            ),
            None if let Some(orphaned) = self.waits.iter().find_map(|row| row.orphaned.as_ref()) => orphaned.clone(),
            None if let Some(culprit) = &culprit => culprit.sentence.clone(),
            None if let Some(row) = self.waits.first().filter(|_| self.threads == 1) => {
                let name = say!("{} ({})", plain(&row.comm), TID.id(row.tid));
                let which = match unseen {
                    Some(_) => say!("the one thread that was traced, {},", name),
                    None => say!("the only thread of {}", name),
                };
                say!("{} was waiting {when}, and had been for a second or more.", which)
            }
            None => {
                let whose = if unseen.is_some() { " that were traced" } else { "" };
                let of = say!("{} of {} threads{whose}", WAITING.of(lasting as u64), THREADS.of(self.threads as u64));
                let (was, had) = if lasting == 1 { ("was", "it had") } else { ("were", "they had") };
                say!("{} {was} waiting {when}, and {had} been for a second or more.", of)
            }
        };
        let mut advice: String = match circle {
            Some(_) => {
                "Take locks in the same order everywhere, and do not join a thread while holding a lock that it may \
                        need. A program that writes to a filter must read its answers meanwhile, and each process must close \
                        the ends of pipes that it does not use."
            }
            None if self.waits.iter().any(|row| row.orphaned.is_some()) => {
                "Close the end of the pipe that this process does not use: then the read ends when the last writer is gone. Look \
                 at how a worker ended before waiting for what it sends."
            }
            None if let Some(culprit) = &culprit => culprit.advice,
            None => {
                "Look at the thread or process that is waited for: can it still do what the others wait for? If the \
                     program is an idle server, this is normal."
            }
        }
        .into();
        if let Some(unseen) = unseen {
            sentence = say!("{}{}", sentence, unseen);
            advice += " Record with -f to see all threads.";
        }
        vec![Candidate {
            sentence,
            advice,
            confidence: if circle.is_some() || culprit.is_some() { Confidence::Likely } else { Confidence::Possible },
            matters: true,
            ..Candidate::default()
        }]
    }

    fn table(&self) -> Option<FactTable> {
        let mut waits: Vec<&Row> = self.waits.iter().collect();
        // Threads of a language's runtime wait for work at futexes, and tell least.
        waits.sort_by_key(|row| (row.word.is_some() && row.tid != row.pid, Reverse(row.waits_for.is_some())));
        // Threads that wait for work look alike: a few of each process stand for all.
        let mut alike: BTreeMap<(Tid, &str), usize> = BTreeMap::new();
        waits.retain(|row| {
            let seen = alike.entry((row.pid, row.call)).or_default();
            *seen += usize::from(row.is_like_others());
            !row.is_like_others() || *seen <= ALIKE
        });
        let rows = waits.into_iter().map(|row| {
            let since = match row.lasted {
                Some(ns) => format!("{}.{:03} s", ns / 1_000_000_000, ns / 1_000_000 % 1000),
                None => "before tracing".into(),
            };
            let who = format!("{} {}", row.tid, plain(&row.comm));
            let who = if row.tid == row.pid { who } else { format!("{who} (of {})", row.pid) };
            let figures = [TID.id(row.tid), PID.id(row.pid)].into_iter().chain(row.lasted.map(|ns| LASTED.of(ns)));
            FactRow { cells: vec![who, row.call.to_owned(), since, row.on.clone()], figures: figures.collect() }
        });
        let mut rows: Vec<FactRow> = rows.collect();
        for ((pid, call), n) in alike.into_iter().filter(|(_, n)| *n > ALIKE) {
            let who = format!("and {} more of {pid}", n - ALIKE);
            let cells = vec![who, call.to_owned(), String::new(), String::new()];
            rows.push(FactRow { cells, figures: vec![OTHERS.of((n - ALIKE) as u64), PID.id(pid)] });
        }
        if self.more > 0 {
            let cells = vec![format!("and {} more", self.more), String::new(), String::new(), String::new()];
            rows.push(FactRow { cells, figures: vec![OTHERS.of(self.more as u64)] });
        }
        (!rows.is_empty()).then(|| FactTable { heads: vec!["thread", "call", "since", "on"], rows })
    }
}

impl Hang {
    /// Notes what a thread was waiting for that is detached or killed.
    fn waits(&mut self, event: &Event<'_>, index: &Index, tracker: &Tracker) {
        let (Event::Detached { tid, at, .. } | Event::Killed { tid, at, .. }) = *event else { return };
        let Some(thread) = tracker.thread(tid) else { return };
        self.threads += 1;
        if self.of.len() < MAX_PROCESSES || self.of.contains_key(&thread.pid) {
            *self.of.entry(thread.pid).or_default() += 1;
        }
        if self.left.len() < MAX_PROCESSES {
            let parent = tracker.process(thread.pid).and_then(|process| process.parent);
            self.left.push(Left { tid, pid: thread.pid, parent });
        }
        if matches!(event, Event::Killed { .. }) {
            self.killed += 1;
            let has_room = self.killed_after_call.len() < HANG_ROWS;
            if has_room && tid == thread.pid && at.saturating_sub(index.pace(tid).at) < AT_ONCE {
                self.killed_after_call.push(tid);
            }
        }
        self.attached |= thread.attached;
        let Some(wait) = tracker.wait(tid).filter(|wait| !ends(wait)) else { return };
        if wait.seen.row.is_some_and(Syscall::accepts) {
            self.dismissed.accepts(thread.pid, tracker);
        }
        if self.waits.len() >= HANG_ROWS {
            self.more += 1;
            return;
        }
        // The thread may be looking again and again: then it has waited since `idle_since`.
        let since = thread.idle_since.map_or(wait.since, |idle| idle.min(wait.since));
        self.waits.push(Row {
            tid,
            pid: thread.pid,
            comm: thread.comm.clone(),
            call: wait.name(),
            lasted: (!was_there(since, thread)).then(|| at.saturating_sub(since)),
            on: self.on(wait, index, tracker),
            waits_for: wait.awaited.as_ref().and_then(Awaited::thread),
            waits_for_process: self
                .holders
                .of_lock(wait)
                .or_else(|| the_other_end(wait))
                .or_else(|| wait.child().filter(|pid| *pid > 0)),
            parent: tracker
                .process(thread.pid)
                .and_then(|process| process.parent)
                .or(Some(wait.end.parent).filter(|pid| *pid > 0)),
            private_lock_of: Some(wait).filter(|_| Futex::is_private(&wait.args)).and_then(lock_holder),
            enders: enders(wait, self.holders.of_lock(wait)),
            watches: wait.seen.row.and_then(Syscall::waits) == Some(For::Readiness),
            abi: wait.abi,
            others: awaited_processes(wait, index, tracker),
            unread: wait.end.unread.clone(),
            any_child: wait.child().is_some_and(|pid| pid <= 0),
            orphaned: self.orphaned(wait, tracker),
            word: waits_forever(wait).then_some(wait.args[0]),
            for_work: waits_for_work(wait, tracker),
            at_futex: wait.seen.row.is_some_and(Futex::is),
        });
    }

    /// A parent waits for a child that made calls until the end, or for one that itself waits for such a child.
    fn waits_for_one_at_work(&self, row: &Row, index: &Index) -> bool {
        let mut row = row;
        // A row for each generation.
        for _ in 0..HANG_ROWS {
            let is_child = |left: &&Left| {
                left.parent == Some(row.pid) && (row.any_child || row.waits_for_process == Some(left.pid))
            };
            let children = || self.left.iter().filter(is_child);
            let mut next = None;
            for child in children() {
                let its_row = self.waits.iter().find(|row| row.tid == child.tid);
                match its_row.filter(|row| row.lasted.is_none_or(|lasted| lasted >= HANG.get())) {
                    Some(waiting) => next = Some(waiting),
                    None if index.last.saturating_sub(index.pace(child.tid).at) < HANG.get() => return true,
                    None => {}
                }
            }
            let Some(waiting) = next else { return false };
            row = waiting;
        }
        false
    }

    /// The processes of which a thread made calls until the end. Others of their threads may wait for work that this one has none of for them.
    fn busy_processes(&self, index: &Index) -> FxHashSet<Tid> {
        let waits_long = |tid: Tid| self.waits.iter().any(|row| row.tid == tid && row.is_long());
        let is_at_work = |tid: Tid| index.last.saturating_sub(index.pace(tid).at) < HANG.get();
        let busy = self.left.iter().filter(|left| is_at_work(left.tid) && !waits_long(left.tid));
        busy.map(|left| left.pid).collect()
    }

    /// The thread waited for work, or for a thread that hands out work, in a server that a traced process ended.
    fn was_idle_server(&self, row: &Row) -> bool {
        // A thread for which another one of the process waits would not be idle.
        let all_idle = || self.waits.iter().filter(|other| other.pid == row.pid).all(Row::is_idle);
        let parent = self.left.iter().find(|left| left.pid == row.pid).and_then(|left| left.parent);
        self.dismissed.has(row.pid, parent) && (row.for_work || row.is_like_others() && all_idle())
    }

    /// The thread waits for the end of a thread that may have nothing to do, as the first thread of Java does.
    fn joins_one_without_work(&self, row: &Row) -> bool {
        let joined = row.waits_for.filter(|_| row.private_lock_of.is_none());
        let joined = joined.and_then(|tid| self.waits.iter().find(|other| other.tid == tid));
        row.at_futex && joined.is_some_and(|other| other.pid == row.pid && other.may_lack_work())
    }

    fn is_one_process(&self, tids: &[Tid]) -> bool {
        let pid = |tid: &Tid| self.waits.iter().find(|row| row.tid == *tid).map(|row| row.pid);
        tids.iter().all(|tid| pid(tid) == pid(&tids[0]))
    }

    /// A thread of a deadlock: with its name, unless all have the same.
    fn named(&self, tid: Tid) -> String {
        let row = self.waits.iter().find(|row| row.tid == tid);
        let others = row.is_some_and(|row| self.waits.iter().any(|other| other.comm != row.comm));
        row.filter(|_| others).map_or(tid.to_string(), |row| format!("{tid} ({})", plain(&row.comm)))
    }

    /// Says in words for which event, lock, child or time a call waits.
    fn on(&self, wait: &Wait, index: &Index, tracker: &Tracker) -> String {
        let text = on(wait, index, tracker);
        match self.holders.of_lock(wait) {
            Some(pid) => {
                format!("{text}, locked by {}", thread_label(pid, index.comm(pid, tracker)))
            }
            None => text,
        }
    }

    /// A read of a pipe that no other process can write to any more, after one that could has ended.
    fn orphaned(&self, wait: &Wait, tracker: &Tracker) -> Option<Statement> {
        let pipe = wait.seen.object.is_some_and(|object| tracker.kind(object) == ObjectKind::Pipe);
        let alone = pipe && !wait.others.is_empty() && wait.others.iter().all(|(pid, _)| *pid == wait.seen.pid);
        let reads = wait.seen.row?.transfer()?.flow == Flow::In;
        let (pid, how) = self.holders.last_of_pipe(wait, tracker).filter(|_| alone && reads)?;
        let process = tracker.process(wait.seen.pid)?;
        Some(say!(
            "{} ({}) reads from a pipe (fd {}) whose other end only it has itself: process {}, which had that end, too, {how}.",
            PID.id(wait.seen.pid),
            plain(&process.comm),
            FD.id(wait.seen.fd?),
            ENDED_PID.id(pid),
        ))
    }
}

fn lock_holder(wait: &Wait) -> Option<Tid> {
    match &wait.awaited {
        Some(Awaited::Lock(Some((holder, _)))) => Some(*holder),
        _ => None,
    }
}

/// True if the call had begun before the thread was attached to. An engine sees such a call at its first look.
fn was_there(since: Ns, thread: &Thread) -> bool {
    const FIRST_LOOK: Ns = 100_000_000;
    thread.attached && since < thread.started + FIRST_LOOK
}

#[cfg(test)]
mod tests {
    use crate::test_run::TestRun;
    use stride_event::{Event, Ns, Outcome, Tid};
    use stride_test_support::calls::{call, lasting, spawned};

    const MAIN: Tid = 7;
    const SECOND: Ns = 1_000_000_000;

    /// A thread is killed three seconds after it has begun to read from descriptor 3. So many calls were lost, and an event tells of so many of them.
    fn found(lost: u64, told: u64) -> Vec<&'static str> {
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        run.show(Event::Exit(&lasting(call(MAIN, "pipe2", &[0x1000, 0], Outcome::Value(0)), 1_000, 1_000)));
        if told > 0 {
            run.show(Event::Lost { tid: MAIN, count: told, at: SECOND });
        }
        run.show(Event::Enter(&lasting(call(MAIN, "read", &[3, 0x1000, 1], Outcome::Pending), SECOND, 0)));
        run.show(Event::Killed { tid: MAIN, signal: 15, core: false, at: 4 * SECOND });
        run.lost = lost;
        run.finding_ids()
    }

    #[test]
    fn nobody_waits_whose_return_may_be_lost() {
        assert_eq!(found(0, 0), ["hang"]);
        assert_eq!(found(5, 5), ["hang"]);
        assert!(found(5, 0).is_empty());
        assert!(found(6, 5).is_empty());
    }
}
