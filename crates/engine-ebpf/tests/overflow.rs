//! Calls that come faster than they are read: none is lost silently, and with `Overflow::Wait` none at all.

mod common;
#[path = "common/counter.rs"]
mod counter;

use common::{available, command, compile, everything};
use counter::Counter;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use stride_engine_ebpf::{EbpfEngine, Held, Overflow, Settings};
use stride_event::{Event, Tid, TraceSpec};

/// The smallest ring.
fn small(on_overflow: Overflow) -> Settings {
    Settings { ring_bytes: Some(64 << 10), on_overflow: Some(on_overflow), rings: 1 }
}

#[derive(Debug, Default)]
struct Seen {
    calls: u64,
    /// As told in place, and as told at the end.
    lost: u64,
    lost_in_all: u64,
    signals: u64,
    started: BTreeSet<Tid>,
    ended: u64,
    killed: u64,
    command: Option<Tid>,
    status: Option<i32>,
    unseen: u64,
    held: Held,
}

/// Traces to the end, with a reader that sleeps for `pause` before every so many events.
fn trace(spec: TraceSpec, settings: Settings, every: u64, pause: Duration) -> Seen {
    let mut engine = EbpfEngine::start_with(spec, settings).unwrap();
    read_all(&mut engine, every, pause)
}

fn read_all(engine: &mut EbpfEngine, every: u64, pause: Duration) -> Seen {
    let mut seen = Seen { command: engine.command(), ..Seen::default() };
    let mut events = 0;
    loop {
        if events % every == 0 {
            std::thread::sleep(pause);
        }
        events += 1;
        let Some(event) = engine.next().unwrap() else { break };
        match event {
            Event::Exit(_) => seen.calls += 1,
            Event::Lost { count, .. } => seen.lost += count,
            Event::Signal { .. } => seen.signals += 1,
            Event::Started { tid, .. } => assert!(seen.started.insert(tid), "{tid} starts twice"),
            Event::Exited { tid, status, .. } => {
                seen.ended += 1;
                if Some(tid) == seen.command {
                    seen.status = Some(status);
                }
            }
            Event::Killed { .. } => seen.killed += 1,
            Event::Superseded { .. } => seen.ended += 1,
            _ => {}
        }
    }
    seen.lost_in_all = engine.lost_calls();
    seen.unseen = engine.unseen_threads();
    seen.held = engine.held();
    seen
}

fn dd(count: &str) -> TraceSpec {
    command(Path::new("/bin/dd"), &["if=/dev/zero", "of=/dev/null", "bs=1", count, "status=none"])
}

/// What the threads' calls come to by the second account. Tracing the command begins with its execve; all others return from a
/// clone that they did not call. None returns from its last call, exit_group.
fn made(counter: &Counter, seen: &Seen) -> u64 {
    let of = |&tid: &Tid| match counter.returned(tid) {
        (all, before) if Some(tid) == seen.command => all - before + 1,
        (all, _) => all - 1 + 1,
    };
    seen.started.iter().map(of).sum()
}

#[test]
fn shown_and_lost_are_what_a_second_counter_saw() {
    let name = "shown_and_lost_are_what_a_second_counter_saw";
    if !available(name) {
        return;
    }
    let Some(counter) = Counter::start(name) else { return };
    let seen = trace(dd("count=200000"), small(Overflow::Drop), 50_000, Duration::from_millis(50));
    assert!(seen.lost > 0, "{seen:?}");
    assert_eq!(seen.held, Held::default());
    assert_eq!((seen.lost_in_all, seen.unseen), (seen.lost, 0), "{seen:?}");
    assert_eq!(seen.calls + seen.lost, made(&counter, &seen), "{seen:?}");
}

#[test]
fn who_waits_loses_nothing() {
    let name = "who_waits_loses_nothing";
    if !available(name) {
        return;
    }
    let Some(counter) = Counter::start(name) else { return };
    let seen = trace(dd("count=200000"), small(Overflow::Wait), 50_000, Duration::from_millis(50));
    assert_eq!((seen.lost_in_all, seen.unseen, seen.status), (0, 0, Some(0)), "{seen:?}");
    assert!(seen.held.times > 0 && seen.held.refused == 0, "{seen:?}");
    assert_eq!(seen.calls, made(&counter, &seen), "{seen:?}");
}

#[test]
fn several_processes_at_once() {
    let name = "several_processes_at_once";
    if !available(name) {
        return;
    }
    let Some(counter) = Counter::start(name) else { return };
    let dd = "dd if=/dev/zero of=/dev/null bs=1 count=50000 status=none";
    let script = format!("{dd} & {dd} & {dd} & {dd} & wait");
    for (how, rings) in [(Overflow::Wait, 1), (Overflow::Drop, 1), (Overflow::Wait, 3), (Overflow::Drop, 3)] {
        let spec = command(Path::new("/bin/sh"), &["-c", &script]);
        let seen = trace(spec, Settings { rings, ..small(how) }, 20_000, Duration::from_millis(20));
        assert_eq!(seen.started.len(), 5);
        assert_eq!(seen.lost_in_all > 0, how == Overflow::Drop, "{seen:?}");
        assert_eq!((seen.lost, seen.unseen, seen.status), (seen.lost_in_all, 0, Some(0)), "{seen:?}");
        assert_eq!(seen.calls + seen.lost, made(&counter, &seen), "{how:?}: {seen:?}");
    }
}

/// The program is out to notice that it is held.
#[test]
fn nobody_notices_being_held() {
    if !available("nobody_notices_being_held") {
        return;
    }
    let program = compile("held");
    let path = program.to_str().unwrap();
    let spec = command(&program, &[]);
    let seen = trace(spec, small(Overflow::Wait), 5_000, Duration::from_millis(5));
    assert_eq!((seen.status, seen.lost_in_all, seen.unseen), (Some(0), 0, 0), "{path}: {seen:?}");
    assert!(seen.held.times > 10, "{seen:?}");
    // Every queued signal once, one of each child that ends, and what stops() sends.
    assert!(seen.signals >= 500, "{seen:?}");
}

#[test]
fn two_thousand_short_processes() {
    if !available("two_thousand_short_processes") {
        return;
    }
    let program = compile("threads");
    for (how, rings) in [(Overflow::Wait, 1), (Overflow::Drop, 1), (Overflow::Wait, 3)] {
        let spec = command(&program, &["2000", "processes"]);
        let seen = trace(spec, Settings { rings, ..small(how) }, 5_000, Duration::from_millis(50));
        // A start or an end that is missing is told of.
        assert!(4002 - seen.started.len() as u64 - seen.ended <= seen.unseen, "{how:?}: {seen:?}");
        assert_eq!(seen.status, Some(0));
        if how == Overflow::Wait {
            assert_eq!((seen.started.len(), seen.ended, seen.unseen, seen.lost_in_all), (2001, 2001, 0, 0), "{seen:?}");
        }
    }
}

#[test]
fn ten_thousand_threads() {
    if !available("ten_thousand_threads") {
        return;
    }
    let program = compile("threads");
    // As a command: its input is this test's, so it ends at once where that is empty.
    let mut child = Command::new(&program).arg("10000").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    if child.stdout.take().unwrap().read(&mut [0]).unwrap() == 0 {
        println!("skipped: ten_thousand_threads: this many threads are not allowed here: {}", child.wait().unwrap());
        return;
    }
    let spec = TraceSpec { attach: vec![child.id() as Tid], ..everything() };
    let mut engine = EbpfEngine::start(spec).unwrap();
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    let seen = read_all(&mut engine, u64::MAX, Duration::ZERO);
    assert!(child.wait().unwrap().success());
    assert_eq!((seen.started.len(), seen.ended, seen.unseen), (10_001, 10_001, 0), "{seen:?}");
    assert_eq!(seen.lost, seen.lost_in_all);
}

/// Each of the three processes has a ring of its own.
#[test]
fn several_rings_are_read_by_time() {
    if !available("several_rings_are_read_by_time") {
        return;
    }
    let dd = "dd if=/dev/zero of=/dev/null bs=1 count=100000 status=none";
    let spec = TraceSpec { want_times: true, ..command(Path::new("/bin/sh"), &["-c", &format!("{dd} & {dd} & wait")]) };
    let mut engine = EbpfEngine::start_with(spec, Settings { rings: 3, ..Settings::default() }).unwrap();
    let (mut last, mut last_tid, mut turns, mut calls) = (0, 0, 0, 0);
    while let Some(event) = engine.next().unwrap() {
        // Calls whose records have their place before their time.
        if let Event::Exit(call) = event
            && [libc::SYS_read, libc::SYS_write].contains(&(call.nr as i64))
            && call.args[2] == 1
        {
            assert!(call.returned >= last, "{} after {last}, {calls} calls", call.returned);
            calls += 1;
            turns += u32::from(call.tid != last_tid);
            (last, last_tid) = (call.returned, call.tid);
        }
    }
    assert_eq!((calls, engine.lost_calls()), (400_000, 0));
    assert!(turns > 2, "the processes ran one after the other");
}
