//! Made-up runs, and the activities that their time was spent on.

use super::{Activity, CallOn};
use crate::causes::apart::TimeOwner;
use crate::causes::shares::{TimeSpent, Who};
use crate::causes::tests::{CHILD, MAIN, OTHER, causes, does};
use stride_event::{Call, CallWaits, Event, NamedThread, Ns, Sleep, StartKind, Tid, WaitKind, WaitTimes, Waker};
use stride_syscalls::table;
use stride_test_support::calls::{exited, forked, spawned};

fn spent(events: &[Event<'_>]) -> TimeSpent {
    let mut causes = causes(events);
    let path = causes.critical_path();
    causes.spent(&path)
}

/// The names of the parts, with their times.
fn named(spent: &TimeSpent) -> Vec<(String, Ns)> {
    let name = |on: CallOn| table(on.abi).name(on.nr).to_string();
    let word = |activity| match activity {
        Activity::Computing => "computing".into(),
        Activity::InCall(on) => name(on),
        Activity::Asleep(on, kind, _) => format!("{} in {}", kind.name(), name(on)),
        Activity::Off(kind) => kind.name().into(),
        Activity::Unmeasured(on) => format!("unmeasured {}", name(on)),
        Activity::Held | Activity::Busy | Activity::Unknown | Activity::Other => format!("{activity:?}"),
    };
    spent.shares.iter().map(|share| (word(share.activity), share.time)).collect()
}

fn is(spent: &TimeSpent, parts: &[(&str, Ns)]) {
    let expected: Vec<_> = parts.iter().map(|&(name, time)| (name.to_owned(), time)).collect();
    assert_eq!(named(spent), expected);
    assert_eq!(spent.total, parts.iter().map(|(_, time)| time).sum::<Ns>());
}

/// The path comes to a thread in the middle of a wait: something else than its longest sleep was ended before. The thread has not worked for
/// longer than it did.
#[test]
fn nothing_lasts_longer_than_it_did() {
    let waits_for = |tid, by, from, to| {
        let waker = NamedThread { tid: by, process: by, comm: [0; 16] };
        let longest = Sleep { time: to - from, kind: WaitKind::Blocked, waker: Some(Waker::Thread(waker, None)) };
        let in_call = WaitTimes::from_iter([(WaitKind::Blocked, to - from)]);
        let waits = CallWaits { in_call, sleeps: 1, longest: Some(longest), ..CallWaits::default() };
        Call { waits: Some(Box::new(waits)), ..does(tid, "ioctl", &[3, 1, 0], 0, from, to) }
    };
    let (other, child) = (waits_for(OTHER, CHILD, 20, 60), waits_for(CHILD, MAIN, 25, 90));
    let wait = does(MAIN, "wait4", &[OTHER as u64, 0, 0, 0], OTHER.into(), 15, 95);
    let run = [
        spawned(MAIN, 1),
        forked(MAIN, CHILD, CHILD, 10),
        forked(MAIN, OTHER, OTHER, 12),
        Event::Exit(&other),
        Event::Exit(&child),
        exited(CHILD, 92),
        exited(OTHER, 94),
        Event::Exit(&wait),
        exited(MAIN, 100),
    ];
    // The parent 9 and 5 at its ends, and 1 of its wait; the other one 34 behind its wait; the child 50, of which it computed for 17.
    is(&spent(&run), &[("computing", 14 + 34 + 17), ("blocked in ioctl", 50 - 17), ("wait4", 1)]);
}

/// A thread sleeps while the run waits for another one, and computes later, when the run waits for it.
#[test]
fn a_sleep_off_the_path_is_not_told() {
    let sleep = does(OTHER, "nanosleep", &[0, 0], 0, 12_000, 72_000);
    let wait = does(MAIN, "wait4", &[OTHER as u64, 0, 0, 0], OTHER.into(), 70_000, 100_000);
    let run = [
        spawned(MAIN, 1),
        forked(MAIN, OTHER, OTHER, 10_000),
        Event::Exit(&sleep),
        exited(OTHER, 98_000),
        Event::Exit(&wait),
        exited(MAIN, 110_000),
    ];
    is(&spent(&run), &[("computing", 69_999 + 26_000 + 10_000), ("nanosleep", 2_000), ("wait4", 2_000)]);
}

/// The name of a program that is started again and again keeps its time.
#[test]
fn many_processes_of_one_name_are_told_together() {
    const CHILDREN: Tid = 40;
    let mut run = vec![spawned(MAIN, 0)];
    let sleeps: Vec<Call> = (0..CHILDREN)
        .map(|i| does(CHILD + i, "nanosleep", &[0, 0], 0, Ns::from(i as u32) * 100 + 20, Ns::from(i as u32) * 100 + 80))
        .collect();
    for (i, sleep) in (0..CHILDREN).zip(&sleeps) {
        let at = Ns::from(i as u32) * 100;
        run.extend([forked(MAIN, CHILD + i, CHILD + i, at + 10), Event::Exit(sleep), exited(CHILD + i, at + 90)]);
    }
    let mut causes = causes(&run);
    let owners = causes.ended_waits.spent.apart(false);
    // Eight of them are told apart, and the thirty-two others together.
    let further: Vec<Ns> = owners.iter().filter(|(owner, _)| owner.pid == 0).map(|(_, spent)| spent.total).collect();
    assert_eq!((owners.len(), further), (8 + 1, vec![32 * 80]));
}

/// The time of the parent's wait is what the child did meanwhile.
#[test]
fn a_wait_for_a_child_is_the_childs_time() {
    let sleep = does(CHILD, "nanosleep", &[0, 0], 0, 130, 165);
    let wait = does(MAIN, "wait4", &[CHILD as u64, 0, 0, 0], CHILD.into(), 120, 175);
    let run = [
        spawned(MAIN, 100),
        forked(MAIN, CHILD, CHILD, 110),
        Event::Exit(&sleep),
        exited(CHILD, 170),
        Event::Exit(&wait),
        exited(MAIN, 200),
    ];
    let spent = spent(&run);
    assert!(spent.of_run && !spent.measured && spent.threads == 2);
    // The child: 20 before its sleep and 5 behind. The parent: 10 before it forks, 25 at the end, and 5 until its wait is over. Of
    // its active time of 50, 10 passed beside the child.
    is(&spent, &[("computing", 25 + 36), ("nanosleep", 35), ("wait4", 4)]);
}

/// A program waits for its child, and the child sleeps.
#[test]
fn a_sleep_tells_who_waited_meanwhile() {
    const MS: Ns = 1_000_000;
    let sleep = does(CHILD, "nanosleep", &[0, 0], 0, 20 * MS, 80 * MS);
    let wait = does(MAIN, "wait4", &[CHILD as u64, 0, 0, 0], CHILD.into(), 15 * MS, 85 * MS);
    let run = [
        spawned(MAIN, 1),
        forked(MAIN, CHILD, CHILD, 10 * MS),
        Event::Exit(&sleep),
        exited(CHILD, 84 * MS),
        Event::Exit(&wait),
        exited(MAIN, 100 * MS),
    ];
    let spent = spent(&run);
    assert_eq!(named(&spent)[0], ("nanosleep".to_owned(), 60 * MS));
    let told = |(who, on): &(Who, CallOn)| (who.pid, table(on.abi).name(on.nr).to_string());
    let waits = |at: usize| spent.shares[at].awaited_by.iter().map(told).collect::<Vec<_>>();
    // The parent waited meanwhile. For most of the rest, nobody waited for anybody.
    assert_eq!(waits(0), [(Some(MAIN), "wait4".to_owned())]);
    assert_eq!(waits(1), []);
    assert_eq!((spent.shares[0].calls.calls, spent.shares[0].calls.interrupted), (1, 0));
}

/// Stride read the stack of a call for 30. Hostile recordings may claim more than the time between two calls.
#[test]
fn the_time_for_which_a_thread_was_held_is_not_its_own() {
    let [read, write] = [(120, 125), (180, 190)].map(|(from, to)| does(MAIN, "read", &[3, 0, 0], 0, from, to));
    let held = |by| {
        let write = Call { held: by, ..write.clone() };
        spent(&[spawned(MAIN, 100), Event::Exit(&read), Event::Exit(&write), exited(MAIN, 200)])
    };
    is(&held(30), &[("computing", 20 + 25 + 10), ("Held", 30), ("read", 15)]);
    is(&held(u64::MAX), &[("Held", 85), ("read", 15)]);
}

#[test]
fn measured_waits_are_told_from_work() {
    let waker = NamedThread { tid: 7, process: 7, comm: *b"server\0\0\0\0\0\0\0\0\0\0" };
    let longest = Sleep { time: 50, kind: WaitKind::Blocked, waker: Some(Waker::Thread(waker, None)) };
    let waits = CallWaits {
        in_call: WaitTimes::from_iter([(WaitKind::Blocked, 50), (WaitKind::Runnable, 3)]),
        before: WaitTimes::from_iter([(WaitKind::Throttled, 5), (WaitKind::Blocked, 2)]),
        sleeps: 1,
        longest: Some(longest),
        taker: None,
        taker_before: None,
    };
    let read = Call { waits: Some(Box::new(waits)), ..does(MAIN, "read", &[3, 0, 0], 0, 120, 180) };
    let run = [spawned(MAIN, 100), Event::Exit(&read), exited(MAIN, 200)];
    let spent = spent(&run);
    assert!(spent.of_run && spent.measured);
    let expected = [
        ("blocked in read", 50),
        ("computing", 13 + 20),
        ("read", 7),
        ("throttled", 5),
        ("runnable", 3),
        ("blocked", 2),
    ];
    is(&spent, &expected);
    let Activity::Asleep(_, _, Some(Waker::Thread(by, _))) = spent.shares[0].activity else { panic!("{spent:?}") };
    assert_eq!(by.process, 7);
}

/// The thread slept in the call in which tracing left it.
#[test]
fn waits_of_a_call_that_lasts_are_told_from_work() {
    let longest = Sleep { time: 60, kind: WaitKind::Blocked, waker: None };
    let waits = CallWaits {
        in_call: WaitTimes::from_iter([(WaitKind::Blocked, 60)]),
        before: WaitTimes::from_iter([(WaitKind::Runnable, 4)]),
        sleeps: 1,
        longest: Some(longest),
        taker: None,
        taker_before: None,
    };
    let first = does(MAIN, "getpid", &[], 1, 110, 120);
    let read = does(MAIN, "read", &[3, 0, 0], 0, 130, 130);
    let left = Call { waits: Some(Box::new(waits)), ..read.clone() };
    let end = Event::Detached { tid: MAIN, call: Some(&left), at: 200 };
    // The entry may be told with the end only.
    for entry in [Some(Event::Enter(&read)), None] {
        let run: Vec<_> = [spawned(MAIN, 100), Event::Exit(&first)].into_iter().chain(entry).chain([end]).collect();
        is(&spent(&run), &[("blocked in read", 60), ("computing", 16), ("getpid", 10), ("read", 10), ("runnable", 4)]);
    }
}

/// The engine knows the waker of any wait, whatever the thing is that the threads have in common.
#[test]
fn a_measured_wait_for_a_traced_thread_is_that_threads_time() {
    let waker = NamedThread { tid: CHILD, process: CHILD, comm: [0; 16] };
    let longest = Sleep { time: 50, kind: WaitKind::Blocked, waker: Some(Waker::Thread(waker, None)) };
    let in_call = WaitTimes::from_iter([(WaitKind::Blocked, 50)]);
    let waits = CallWaits { in_call, sleeps: 1, longest: Some(longest), ..CallWaits::default() };
    let wait = Call { waits: Some(Box::new(waits)), ..does(MAIN, "ioctl", &[3, 1, 0], 0, 120, 170) };
    let run = [
        spawned(MAIN, 100),
        forked(MAIN, CHILD, CHILD, 110),
        Event::Exit(&wait),
        exited(CHILD, 190),
        exited(MAIN, 200),
    ];
    let spent = spent(&run);
    assert!(named(&spent).iter().all(|(name, _)| name == "computing"), "{spent:?}");
    assert_eq!((spent.total, spent.threads), (100, 2));
}

/// If tracing ends before the threads do, the table has the time of all threads but those that did nothing.
#[test]
fn a_run_that_goes_on_has_the_time_of_its_threads() {
    let started = |tid| Event::Started { tid, process: MAIN, origin: StartKind::Attached, at: 10 };
    let left = |tid| Event::Detached { tid, call: None, at: 110 };
    let read = does(MAIN, "read", &[0, 0, 0], 0, 30, 100);
    let run = [started(MAIN), started(CHILD), Event::Exit(&read), left(MAIN), left(CHILD)];
    let spent = spent(&run);
    assert!(!spent.of_run);
    assert_eq!((spent.threads, spent.idle), (1, 1));
    is(&spent, &[("read", 70), ("computing", 30)]);
}

/// The first call of a thread that was attached to may have been a sleep, which was not measured.
#[test]
fn calls_that_were_not_measured_are_told_apart() {
    let waits = CallWaits { in_call: WaitTimes::from_iter([(WaitKind::Blocked, 30)]), ..CallWaits::default() };
    let started = Event::Started { tid: MAIN, process: MAIN, origin: StartKind::Attached, at: 10 };
    let first = does(MAIN, "read", &[0, 0, 0], 0, 10, 55);
    let second = Call { waits: Some(Box::new(waits)), ..does(MAIN, "read", &[0, 0, 0], 0, 60, 100) };
    let left = Event::Detached { tid: MAIN, call: None, at: 120 };
    let run = [started, Event::Exit(&first), Event::Exit(&second), left];
    is(&spent(&run), &[("unmeasured read", 45), ("blocked in read", 30), ("computing", 25), ("read", 10)]);
}

/// So is the call in which tracing leaves a thread, whether its entry was told or not.
#[test]
fn a_call_that_goes_on_is_told_apart() {
    let waits = CallWaits { in_call: WaitTimes::from_iter([(WaitKind::Blocked, 30)]), ..CallWaits::default() };
    let read = Call { waits: Some(Box::new(waits)), ..does(MAIN, "read", &[0, 0, 0], 0, 110, 150) };
    let pause = does(MAIN, "pause", &[], 0, 160, 160);
    let pause = Call { outcome: stride_event::Outcome::Pending, ..pause };
    let left = Event::Detached { tid: MAIN, call: Some(&pause), at: 200 };
    for entry in [Some(Event::Enter(&pause)), None] {
        let run = [spawned(MAIN, 100), Event::Exit(&read)].into_iter().chain(entry).chain([left]);
        let (mut tracker, mut spent) = (crate::Tracker::default(), super::Spent::default());
        for event in run {
            tracker.event(&event, &());
            spent.event(&event, &tracker);
        }
        let (_, spent) = spent.apart(true).remove(0);
        is(&spent, &[("unmeasured pause", 40), ("blocked in read", 30), ("computing", 20), ("read", 10)]);
    }
}

/// Each process, and each thread, has its own time, whatever the critical path is.
#[test]
fn each_process_and_thread_has_its_time() {
    let sleep = does(CHILD, "nanosleep", &[0, 0], 0, 130, 165);
    let other = does(OTHER, "nanosleep", &[0, 0], 0, 125, 185);
    let wait = does(MAIN, "wait4", &[CHILD as u64, 0, 0, 0], CHILD.into(), 120, 175);
    let run = [
        spawned(MAIN, 100),
        forked(MAIN, CHILD, CHILD, 110),
        forked(MAIN, OTHER, MAIN, 120),
        Event::Exit(&sleep),
        exited(CHILD, 170),
        Event::Exit(&wait),
        Event::Exit(&other),
        exited(OTHER, 190),
        exited(MAIN, 200),
    ];
    let (mut tracker, mut spent) = (crate::Tracker::default(), super::Spent::default());
    for event in &run {
        tracker.event(event, &());
        spent.event(event, &tracker);
    }
    let owners = |apart: Vec<(TimeOwner, TimeSpent)>| -> Vec<_> {
        apart.into_iter().map(|(owner, spent)| (owner.pid, owner.tid, spent.total, spent.threads)).collect()
    };
    let processes = spent.apart(false);
    is(&processes[1].1, &[("nanosleep", 35), ("computing", 25)]);
    assert_eq!(owners(processes), [(MAIN, None, 170, 2), (CHILD, None, 60, 1)]);
    let threads = owners(spent.apart(true));
    assert_eq!(threads, [(MAIN, Some(MAIN), 100, 1), (MAIN, Some(OTHER), 70, 1), (CHILD, Some(CHILD), 60, 1)]);
}

/// A hostile recording has as many things as it likes.
#[test]
fn what_very_many_things_cost_is_bounded() {
    let calls: Vec<Call> =
        (0..1000).map(|at| Call { nr: at, ..does(MAIN, "getpid", &[], 1, 10 * at + 105, 10 * at + 110) }).collect();
    let run: Vec<_> = [spawned(MAIN, 100)].into_iter().chain(calls.iter().map(Event::Exit)).collect();
    let spent = spent(&run);
    assert!(spent.shares.len() <= crate::causes::path_parts::MAX_ACTIVITIES + 1, "{}", spent.shares.len());
    assert_eq!(spent.total, 10_000);
}

/// The activity that takes most of a thread's time has its own place, also if very many others came before it.
#[test]
fn what_comes_late_has_its_own_place() {
    let early = (0..1000).map(|at| Call { nr: at, ..does(MAIN, "getpid", &[], 1, 10 * at + 105, 10 * at + 110) });
    let late =
        (0..1000).map(|at| Call { nr: 5_000, ..does(MAIN, "getpid", &[], 1, 10 * at + 10_105, 10 * at + 10_110) });
    let calls: Vec<Call> = early.chain(late).collect();
    let run: Vec<_> = [spawned(MAIN, 100)].into_iter().chain(calls.iter().map(Event::Exit)).collect();
    let spent = spent(&run);
    assert_eq!(spent.total, 20_000);
    let is_late = |activity: &Activity| matches!(activity, Activity::InCall(on) if on.nr == 5_000);
    let time: Ns = spent.shares.iter().filter(|share| is_late(&share.activity)).map(|share| share.time).sum();
    assert_eq!(time, 5_000);
}
