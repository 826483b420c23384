//! Made-up runs, and what they waited for.

use super::Causes;
use crate::{CriticalPath, Tracker, Way};
use stride_event::{Call, CallWaits, Event, NamedThread, Ns, Outcome, Phase, Sleep, Tid, WaitKind, WaitTimes, Waker};
use stride_syscalls::uapi::consts as c;
use stride_test_support::calls::{call, exited, forked, holding, lasting, naming, spawned};

pub(super) const MAIN: Tid = 100;
pub(super) const CHILD: Tid = 101;
pub(super) const OTHER: Tid = 102;

/// The causes of the waits of a run.
pub(super) fn causes(events: &[Event<'_>]) -> Causes {
    let (mut tracker, mut causes) = (Tracker::default(), Causes::default());
    for event in events {
        tracker.event(event, &());
        causes.event(event, &tracker);
    }
    causes
}

fn path(events: &[Event<'_>]) -> CriticalPath {
    causes(events).critical_path()
}

/// The time of the main thread, the child and the other one on the path.
fn times(events: &[Event<'_>]) -> [Ns; 3] {
    let path = path(events);
    [MAIN, CHILD, OTHER].map(|tid| path.time(tid))
}

pub(super) fn does(tid: Tid, name: &str, args: &[u64], value: i64, from: Ns, to: Ns) -> Call {
    lasting(call(tid, name, args, Outcome::Value(value)), from, to - from)
}

fn pipe(tid: Tid) -> Call {
    let ends: Vec<u8> = [3, 4].iter().flat_map(|fd: &i32| fd.to_ne_bytes()).collect();
    holding(does(tid, "pipe2", &[0x3000, 0], 0, 1, 2), Phase::Exit, 0x3000, &ends)
}

#[test]
fn a_parent_waits_for_its_child() {
    let wait = does(MAIN, "wait4", &[CHILD as u64, 0, 0, 0], CHILD.into(), 20, 75);
    let last = does(MAIN, "getpid", &[], 1, 99, 100);
    let run = [
        spawned(MAIN, 0),
        forked(MAIN, CHILD, CHILD, 10),
        exited(CHILD, 70),
        Event::Exit(&wait),
        Event::Exit(&last),
        exited(MAIN, 100),
    ];
    assert_eq!(times(&run), [10 + 30, 60, 0]);
    let path = path(&run);
    // It was active for all but the time in which it waited for the child.
    assert_eq!((path.share(MAIN), path.share(CHILD)), (40.0 / 50.0, 1.0));
}

/// The parent began to wait long before the child waited for something that the calls do not tell: a message of a server.
#[test]
fn a_late_wait_for_something_unknown_is_the_childs_own() {
    const MS: Ns = 1_000_000;
    let wait = does(MAIN, "wait4", &[CHILD as u64, 0, 0, 0], CHILD.into(), 20 * MS, 95 * MS);
    let answer = does(CHILD, "accept", &[3, 0, 0], 4, 80 * MS, 85 * MS);
    let run = [
        spawned(MAIN, 0),
        forked(MAIN, CHILD, CHILD, 10 * MS),
        Event::Exit(&answer),
        exited(CHILD, 90 * MS),
        Event::Exit(&wait),
        exited(MAIN, 100 * MS),
    ];
    assert_eq!(times(&run), [(10 + 10) * MS, 80 * MS, 0]);
}

/// A watchdog looks every 50 ms. The run waits for its last look only.
#[test]
fn a_run_does_not_wait_for_the_sleeps_of_a_watchdog_that_it_ends() {
    const MS: Ns = 1_000_000;
    let looks: Vec<Call> =
        (0..8).map(|look| does(OTHER, "nanosleep", &[0x1000, 0], 0, look * 50 * MS, (look + 1) * 50 * MS)).collect();
    let join = does(MAIN, "wait4", &[OTHER as u64, 0, 0, 0], OTHER.into(), 370 * MS, 401 * MS);
    let run = [spawned(MAIN, 0), forked(MAIN, OTHER, OTHER, 1)];
    let run = run.into_iter().chain(looks.iter().map(Event::Exit));
    let end = [exited(OTHER, 400 * MS + 1), Event::Exit(&join), exited(MAIN, 402 * MS)];
    assert_eq!(times(&run.chain(end).collect::<Vec<_>>()), [370 * MS + 2 * MS - 1, 0, 30 * MS + 1]);
}

/// Two children sleep and then work. The second one's sleep ends while the parent still waits for the first.
#[test]
fn a_path_goes_back_to_a_waiter_when_it_waited_for_nobody_else() {
    let sleep = |tid, to| does(tid, "nanosleep", &[0x1000, 0], 0, 10_000, to);
    let (first_sleep, second_sleep) = (sleep(CHILD, 300_000), sleep(OTHER, 390_000));
    let join = |tid: Tid, from, to| does(MAIN, "wait4", &[tid as u64, 0, 0, 0], tid.into(), from, to);
    let (first, second) = (join(CHILD, 20_000, 401_000), join(OTHER, 402_000, 500_000));
    let run = [
        spawned(MAIN, 0),
        forked(MAIN, CHILD, CHILD, 1),
        forked(MAIN, OTHER, OTHER, 2),
        Event::Exit(&first_sleep),
        Event::Exit(&second_sleep),
        exited(CHILD, 400_000),
        Event::Exit(&first),
        exited(OTHER, 499_000),
        Event::Exit(&second),
        exited(MAIN, 510_000),
    ];
    // From 20 to 400 µs the parent waited for the first child, and from 402 to 499 for the second one.
    assert_eq!(times(&run), [20_000 + 2_000 + 11_000, 380_000, 97_000]);
}

#[test]
fn a_child_that_had_ended_is_not_waited_for() {
    let wait = does(MAIN, "wait4", &[CHILD as u64, 0, 0, 0], CHILD.into(), 80, 81);
    let run =
        [spawned(MAIN, 0), forked(MAIN, CHILD, CHILD, 10), exited(CHILD, 70), Event::Exit(&wait), exited(MAIN, 100)];
    assert_eq!(times(&run), [100, 0, 0]);
}

#[test]
fn a_reader_waits_for_the_writer_whose_call_returns_later() {
    let pipe = pipe(MAIN);
    let read = does(MAIN, "read", &[3, 0x1000, 10], 5, 20, 62);
    let write = does(CHILD, "write", &[4, 0x1000, 5], 5, 60, 65);
    let run = [
        spawned(MAIN, 0),
        Event::Exit(&pipe),
        forked(MAIN, CHILD, CHILD, 10),
        Event::Exit(&read),
        Event::Exit(&write),
        exited(CHILD, 90),
        exited(MAIN, 100),
    ];
    assert_eq!(times(&run), [10 + 40, 50, 0], "the child's time after its write is not on the path");
}

#[test]
fn a_writer_does_not_wait_for_the_reader_that_waits_for_it() {
    let pipe = pipe(MAIN);
    let write = does(CHILD, "write", &[4, 0x1000, 5], 5, 60, 65);
    let read = does(MAIN, "read", &[3, 0x1000, 10], 5, 20, 66);
    let events = [
        spawned(MAIN, 0),
        Event::Exit(&pipe),
        forked(MAIN, CHILD, CHILD, 10),
        Event::Exit(&write),
        Event::Exit(&read),
        exited(MAIN, 100),
    ];
    assert_eq!(times(&events), [10 + 40, 50, 0]);
}

#[test]
fn the_end_of_the_last_writer_ends_a_read() {
    let (pipe, close) = (pipe(MAIN), does(MAIN, "close", &[4], 0, 11, 12));
    let read = does(MAIN, "read", &[3, 0x1000, 10], 0, 20, 72);
    let run = [
        spawned(MAIN, 0),
        Event::Exit(&pipe),
        forked(MAIN, CHILD, CHILD, 10),
        Event::Exit(&close),
        exited(CHILD, 70),
        Event::Exit(&read),
        exited(MAIN, 100),
    ];
    assert_eq!(times(&run), [10 + 30, 60, 0]);
}

#[test]
fn poll_and_the_read_after_it_are_one_wait() {
    let pipe = pipe(MAIN);
    let write = does(CHILD, "write", &[4, 0x1000, 5], 5, 60, 61);
    let poll = does(MAIN, "poll", &[0x2000, 1, u64::MAX], 1, 20, 62);
    let read = does(MAIN, "read", &[3, 0x1000, 10], 5, 63, 64);
    let run = [
        spawned(MAIN, 0),
        Event::Exit(&pipe),
        forked(MAIN, CHILD, CHILD, 10),
        Event::Exit(&write),
        Event::Exit(&poll),
        Event::Exit(&read),
        exited(MAIN, 100),
    ];
    assert_eq!(times(&run), [10 + 40, 50, 0]);
}

#[test]
fn threads_hand_a_lock_on() {
    const WORD: u64 = 0x5000;
    let wait = |tid, from, to| does(tid, "futex", &[WORD, 0x80, 2], 0, from, to);
    let wake = |tid, at| does(tid, "futex", &[WORD, 0x81, 1], 1, at, at + 2);
    let (child, other) = (wait(CHILD, 20, 41), wait(OTHER, 20, 71));
    let (first, second) = (wake(MAIN, 40), wake(CHILD, 70));
    let run = [
        spawned(MAIN, 0),
        forked(MAIN, CHILD, MAIN, 10),
        forked(MAIN, OTHER, MAIN, 12),
        Event::Exit(&child),
        Event::Exit(&first),
        Event::Exit(&other),
        Event::Exit(&second),
        exited(MAIN, 80),
        exited(CHILD, 80),
        exited(OTHER, 100),
    ];
    assert_eq!(times(&run), [40, 30, 30]);
}

#[test]
fn the_thread_that_ends_the_process_is_its_end() {
    let idle = does(CHILD, "nanosleep", &[0x1000], 0, 15, 20);
    let exit = lasting(call(MAIN, "exit_group", &[0], Outcome::Gone), 100, 0);
    let run = [
        spawned(MAIN, 0),
        forked(MAIN, CHILD, MAIN, 10),
        Event::Exit(&idle),
        Event::Exit(&exit),
        exited(MAIN, 100),
        exited(CHILD, 101),
    ];
    assert_eq!(times(&run), [101, 0, 0]);
}

/// A server has a thread that never works. When the server ends, this thread goes last, and so the client is woken by it.
#[test]
fn the_end_of_a_process_ends_the_waits_of_its_idle_threads() {
    let waker = NamedThread { tid: OTHER, process: CHILD, comm: [0; 16] };
    let longest = Sleep { time: 50_000, kind: WaitKind::Blocked, waker: Some(Waker::Thread(waker, None)) };
    let in_call = WaitTimes::from_iter([(WaitKind::Blocked, 50_000)]);
    let waits = CallWaits { in_call, sleeps: 1, longest: Some(longest), ..CallWaits::default() };
    let client =
        Call { waits: Some(Box::new(waits)), ..does(MAIN, "epoll_wait", &[5, 0x1000, 8, 0], 1, 25_000, 75_000) };
    let idle = lasting(call(OTHER, "futex", &[0x1000, 0x80, 0, 0], Outcome::Gone), 1_500, 70_500);
    let exit = lasting(call(CHILD, "exit_group", &[0], Outcome::Gone), 70_000, 0);
    let run = [
        spawned(MAIN, 0),
        forked(MAIN, CHILD, CHILD, 1_000),
        forked(CHILD, OTHER, CHILD, 1_200),
        Event::Exit(&exit),
        Event::Exit(&idle),
        exited(CHILD, 71_000),
        exited(OTHER, 72_000),
        Event::Exit(&client),
        exited(MAIN, 100_000),
    ];
    assert_eq!(times(&run), [1_000 + 25_000, 69_000, 5_000]);
}

#[test]
fn a_parent_in_vfork_waits_for_the_program_of_its_child() {
    let exec = does(CHILD, "execve", &[0x1000, 0x2000, 0x3000], 0, 50, 58);
    let vfork = does(MAIN, "vfork", &[], CHILD.into(), 10, 57);
    let run = [
        spawned(MAIN, 0),
        forked(MAIN, CHILD, CHILD, 12),
        Event::Exit(&vfork),
        Event::Exit(&exec),
        exited(CHILD, 90),
        exited(MAIN, 100),
    ];
    assert_eq!(times(&run), [12 + 50, 38, 0]);
}

/// A parent that waited for a CPU first, and slept then, is said to have been woken before its child existed.
#[test]
fn a_path_goes_on_where_a_wake_up_is_told_too_early() {
    let waker = NamedThread { tid: CHILD, process: CHILD, comm: [0; 16] };
    let longest = Sleep { time: 3, kind: WaitKind::Blocked, waker: Some(Waker::Thread(waker, None)) };
    let in_call = WaitTimes::from_iter([(WaitKind::Blocked, 3), (WaitKind::Runnable, 20)]);
    let waits = CallWaits { in_call, sleeps: 1, longest: Some(longest), ..CallWaits::default() };
    let vfork = Call { waits: Some(Box::new(waits)), ..does(MAIN, "vfork", &[], CHILD.into(), 10, 57) };
    let exec = does(CHILD, "execve", &[0x1000, 0x2000, 0x3000], 0, 50, 58);
    let run = [
        spawned(MAIN, 0),
        forked(MAIN, CHILD, CHILD, 32),
        Event::Exit(&vfork),
        Event::Exit(&exec),
        exited(CHILD, 90),
        exited(MAIN, 100),
    ];
    let times = times(&run);
    assert_eq!(times.iter().sum::<Ns>(), 100, "{times:?}");
    assert_eq!(times[0], 32 + 68);
}

/// A child writes before its parent, which has no CPU, knows of it: then the start of the child is told too late.
#[test]
fn a_path_goes_on_where_a_start_is_told_too_late() {
    let made = pipe(MAIN);
    let read = does(OTHER, "read", &[3, 0x2000, 1], 1, 5, 20);
    let write = does(CHILD, "write", &[4, 0x2000, 1], 1, 18, 19);
    let wait = does(MAIN, "wait4", &[OTHER as u64, 0, 0, 0], OTHER.into(), 30, 65);
    let run = [
        spawned(MAIN, 0),
        Event::Exit(&made),
        forked(MAIN, OTHER, OTHER, 3),
        forked(MAIN, CHILD, CHILD, 25),
        Event::Exit(&write),
        Event::Exit(&read),
        exited(OTHER, 60),
        Event::Exit(&wait),
        exited(MAIN, 100),
    ];
    let path = path(&run);
    assert!(path.is_of_run());
    assert_eq!([MAIN, CHILD, OTHER].map(|tid| path.time(tid)), [18 + 40, 0, 42]);
}

/// A worker waits for another one's lock, and asks its service as soon as it has the lock. The service is said to have been woken before the worker had the lock.
#[test]
fn a_path_goes_on_where_a_wake_up_is_told_in_the_last_moments_of_a_wait() {
    let waker = NamedThread { tid: CHILD, process: CHILD, comm: [0; 16] };
    let longest = Sleep { time: 58, kind: WaitKind::Blocked, waker: Some(Waker::Thread(waker, None)) };
    let in_call = WaitTimes::from_iter([(WaitKind::Blocked, 58)]);
    let waits = CallWaits { in_call, sleeps: 1, longest: Some(longest), ..CallWaits::default() };
    let open = naming(does(MAIN, "open", &[0x1000, 2, 0], 3, 1, 2), 0x1000, "/lock");
    let calls = [
        does(MAIN, "flock", &[3, c::LOCK_EX], 0, 4, 5),
        does(MAIN, "flock", &[3, c::LOCK_UN], 0, 70, 71),
        does(CHILD, "flock", &[3, c::LOCK_EX], 0, 20, 74),
        Call { waits: Some(Box::new(waits)), ..does(OTHER, "accept", &[5, 0, 0], 6, 15, 77) },
    ];
    let wait = does(MAIN, "wait4", &[OTHER as u64, 0, 0, 0], OTHER.into(), 72, 92);
    let mut run =
        vec![spawned(MAIN, 0), Event::Exit(&open), forked(MAIN, CHILD, CHILD, 10), forked(MAIN, OTHER, OTHER, 11)];
    run.extend(calls.iter().map(Event::Exit));
    run.extend([exited(OTHER, 90), Event::Exit(&wait), exited(MAIN, 100)]);
    assert_eq!(times(&run), [70 + 10, 4, 16]);
}

#[test]
fn nobody_waits_for_what_outlives_the_command() {
    let run = [spawned(MAIN, 0), forked(MAIN, CHILD, CHILD, 10), exited(MAIN, 100), exited(CHILD, 200)];
    assert_eq!(times(&run), [100, 0, 0]);
}

#[test]
fn a_server_that_is_told_to_end_was_not_waited_for() {
    let accept = does(CHILD, "accept", &[3, 0, 0], 4, 15, 200_000);
    let wait = does(MAIN, "wait4", &[CHILD as u64, 0, 0, 0], CHILD.into(), 200_010, 200_050);
    let run = [
        spawned(MAIN, 0),
        forked(MAIN, CHILD, CHILD, 10),
        Event::Exit(&accept),
        exited(CHILD, 200_030),
        Event::Exit(&wait),
        exited(MAIN, 200_060),
    ];
    assert_eq!(times(&run), [200_000 + 30, 30, 0]);
}

#[test]
fn many_waits_take_little_memory() {
    let mut timelines = super::Timelines::default();
    for i in 0..100_000 {
        let at = i * 1_000_000;
        let long = i % 1000 == 0;
        let (tid, by) = if i % 2 == 0 { (MAIN, CHILD) } else { (CHILD, MAIN) };
        timelines.seen(tid, at + 900_000);
        let to = at + if long { 800_000 } else { 20_000 };
        timelines.waited(tid, super::EndedWait { from: at, to, activity: 0, by: Some((by, at + 10_000)) });
    }
    let path = timelines.critical_path();
    let whole = path.time(MAIN) + path.time(CHILD);
    assert!(whole <= 100_000 * 1_000_000, "{whole}");
    assert!(whole > 90_000 * 1_000_000, "{whole}");
}

/// The hand-overs of these events: the thread that waited, the one that ended the wait, the way, and the time.
fn handed_over(events: &[Event<'_>]) -> Vec<(Tid, Tid, Way, Ns)> {
    let (mut tracker, mut causes) = (Tracker::default(), Causes::default());
    for event in events {
        tracker.event(event, &());
        causes.event(event, &tracker);
    }
    causes.critical_path();
    let all = causes.hand_overs().iter();
    all.map(|(between, pair)| (between.waiter.0, between.waker.0, between.way, pair.time)).collect()
}

/// The lock of a file goes from one process to the next: by flock(2), by fcntl(2), and at the end of the descriptor.
#[test]
fn locks_of_files_are_handed_over() {
    const EX: u64 = c::LOCK_EX;
    let open = naming(does(MAIN, "open", &[0x1000, 2, 0], 3, 1, 2), 0x1000, "/lock");
    let mut events = vec![spawned(MAIN, 0), Event::Exit(&open), forked(MAIN, CHILD, CHILD, 10)];
    let flocks = [
        does(MAIN, "flock", &[3, EX], 0, 20, 21),
        does(MAIN, "flock", &[3, c::LOCK_UN], 0, 60, 64),
        // The child waited until then. Its call returns first, and is seen later.
        does(CHILD, "flock", &[3, EX], 0, 30, 63),
    ];
    events.extend(flocks.iter().map(Event::Exit));
    assert_eq!(handed_over(&events), [(CHILD, MAIN, Way::Lock, 33)]);
    let lock = |kind: u64| (kind as u16).to_ne_bytes();
    let fcntl = |tid, op, kind, from, to| {
        holding(does(tid, "fcntl", &[3, op, 0x2000], 0, from, to), Phase::Entry, 0x2000, &lock(kind))
    };
    let fcntls = [
        fcntl(CHILD, c::F_SETLKW, c::F_WRLCK, 70, 71),
        fcntl(MAIN, c::F_SETLKW, c::F_WRLCK, 72, 90),
        fcntl(CHILD, c::F_SETLK, c::F_UNLCK, 85, 91),
    ];
    events.extend(fcntls.iter().map(Event::Exit));
    let mut found = handed_over(&events);
    found.sort_unstable_by_key(|(waiter, ..)| *waiter);
    assert_eq!(found, [(MAIN, CHILD, Way::Lock, 18), (CHILD, MAIN, Way::Lock, 33)]);
}

/// A thread that waits for a lock, too, ended the longest of several sleeps. The lock came from the last unlock.
#[test]
fn a_lock_comes_from_its_holder() {
    let open = naming(does(MAIN, "open", &[0x1000, 2, 0], 3, 1, 2), 0x1000, "/lock");
    let waiter = NamedThread { tid: OTHER, process: OTHER, comm: [0; 16] };
    let longest = Sleep { time: 15, kind: WaitKind::Blocked, waker: Some(Waker::Thread(waiter, None)) };
    let in_call = WaitTimes::from_iter([(WaitKind::Blocked, 30)]);
    let waits = CallWaits { in_call, sleeps: 3, longest: Some(longest), ..CallWaits::default() };
    let takes = does(MAIN, "flock", &[3, c::LOCK_EX], 0, 20, 21);
    let gives = does(MAIN, "flock", &[3, c::LOCK_UN], 0, 60, 61);
    let had = Call { waits: Some(Box::new(waits)), ..does(CHILD, "flock", &[3, c::LOCK_EX], 0, 30, 63) };
    let events = [
        spawned(MAIN, 0),
        Event::Exit(&open),
        forked(MAIN, CHILD, CHILD, 10),
        forked(MAIN, OTHER, OTHER, 11),
        Event::Exit(&takes),
        Event::Exit(&gives),
        Event::Exit(&had),
    ];
    assert_eq!(handed_over(&events), [(CHILD, MAIN, Way::Lock, 33)]);
}

#[test]
fn semaphores_are_handed_over() {
    let semop = |tid, add: i16, from, to| {
        let change = [0u16.to_ne_bytes(), add.to_ne_bytes(), 0u16.to_ne_bytes()].concat();
        holding(does(tid, "semop", &[5, 0x2000, 1], 0, from, to), Phase::Entry, 0x2000, &change)
    };
    let calls = [semop(MAIN, -1, 20, 21), semop(CHILD, -1, 30, 61), semop(MAIN, 1, 60, 62), semop(CHILD, 1, 70, 71)];
    let mut events = vec![spawned(MAIN, 0), forked(MAIN, CHILD, CHILD, 10)];
    events.extend(calls.iter().map(Event::Exit));
    assert_eq!(handed_over(&events), [(CHILD, MAIN, Way::Lock, 31)]);
}
