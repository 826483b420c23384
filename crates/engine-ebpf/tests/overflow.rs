//! Calls that come faster than they are read: none is lost without a report, and with `Overflow::Wait` none is lost.

mod common;
#[path = "common/counter.rs"]
mod counter;

use common::{command, everything, stand_still};
use counter::Counter;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;
use stride_engine_base::{Delayed, Engine as _};
use stride_engine_ebpf::{EbpfEngine, Overflow, Settings};
use stride_event::{Event, Tid, TraceSpec};
use stride_test_support::state::{state, wait_until};
use stride_test_support::{need_ebpf, or_skip, program, skip};

/// Runs one test at a time. Some tests make ten thousand threads, so the kernel would reuse ids by which another test
/// counts.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(|e| e.into_inner())
}

/// The smallest ring.
fn small(on_overflow: Overflow) -> Settings {
    Settings { ring_bytes: Some(64 << 10), on_overflow: Some(on_overflow), rings: 1, ..Settings::default() }
}

#[derive(Debug, Default)]
struct Seen {
    calls: u64,
    /// The sum of the `Lost` events, and the engine's total at the end.
    lost: u64,
    lost_in_all: u64,
    signals: u64,
    started: BTreeSet<Tid>,
    ended: u64,
    killed: u64,
    command: Option<Tid>,
    status: Option<i32>,
    unseen: u64,
    lost_signals: u64,
    delayed: Delayed,
    /// The time of all calls.
    in_calls: Duration,
}

/// How a reader reads.
#[derive(Clone, Copy)]
enum Reader {
    Steady,
    /// The reader pauses after the first call, and then each time after this many events: for this long, and until the
    /// ring is full.
    Halting(u64, Duration),
}

fn halting(every: u64, millis: u64) -> Reader {
    Reader::Halting(every, Duration::from_millis(millis))
}

/// Traces to the end.
fn trace(spec: TraceSpec, settings: Settings, reader: Reader) -> Seen {
    let mut engine = EbpfEngine::start_with(spec, settings).unwrap();
    read_all(&mut engine, reader)
}

fn read_all(engine: &mut EbpfEngine, reader: Reader) -> Seen {
    let mut seen = Seen { command: engine.command(), ..Seen::default() };
    let (mut events, mut next_halt) = (0, 0);
    loop {
        // The command runs once its first call has been read.
        if let Reader::Halting(every, pause) = reader
            && seen.calls > 0
            && events >= next_halt
        {
            stand_still(engine, pause);
            next_halt = events + every;
        }
        events += 1;
        let Some(event) = engine.next().unwrap() else { break };
        match event {
            Event::Exit(call) => {
                seen.calls += 1;
                seen.in_calls += Duration::from_nanos(call.returned - call.began());
            }
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
    let lost = engine.lost();
    (seen.lost_in_all, seen.unseen, seen.lost_signals) = (lost.calls, lost.threads, lost.signals);
    seen.delayed = engine.delayed();
    seen
}

fn dd(count: &str) -> TraceSpec {
    command(Path::new("/bin/dd"), &["if=/dev/zero", "of=/dev/null", "bs=1", count, "status=none"])
}

/// The threads' calls by the second count. Tracing the command begins with its execve. All other threads return from a
/// clone that they did not call. No thread returns from its last call, exit_group.
fn made(counter: &Counter, seen: &Seen) -> u64 {
    let of = |&tid: &Tid| match counter.returned(tid) {
        (all, before) if Some(tid) == seen.command => all - before + 1,
        (all, _) => all - 1 + 1,
    };
    seen.started.iter().map(of).sum()
}

#[test]
fn shown_and_lost_are_what_a_second_counter_saw() {
    need_ebpf!();
    let _alone = alone();
    let counter = or_skip!(Counter::start());
    let seen = trace(dd("count=200000"), small(Overflow::Drop), halting(50_000, 50));
    assert!(seen.lost > 0, "{seen:?}");
    assert_eq!(seen.delayed, Delayed::default());
    assert_eq!((seen.lost_in_all, seen.unseen), (seen.lost, 0), "{seen:?}");
    assert_eq!(seen.calls + seen.lost, made(&counter, &seen), "{seen:?}");
}

#[test]
fn a_delay_is_no_part_of_a_call() {
    need_ebpf!();
    let _alone = alone();
    let spec = TraceSpec { want_times: true, ..dd("count=200000") };
    let seen = trace(spec, small(Overflow::Wait), halting(2_000, 5));
    assert!(seen.in_calls < seen.delayed.time, "{seen:?}");
}

#[test]
fn waiting_writers_lose_nothing() {
    need_ebpf!();
    let _alone = alone();
    let counter = or_skip!(Counter::start());
    let seen = trace(dd("count=200000"), small(Overflow::Wait), halting(50_000, 50));
    assert_eq!((seen.lost_in_all, seen.unseen, seen.status), (0, 0, Some(0)), "{seen:?}");
    assert!(seen.delayed.calls > 0 && !seen.delayed.time.is_zero(), "{seen:?}");
    assert_eq!(seen.calls, made(&counter, &seen), "{seen:?}");
}

/// A burst has more bytes than the ring, and nobody reads before the program has ended. Memory takes the rest, and the program need
/// not wait.
#[test]
fn a_burst_is_not_delayed() {
    need_ebpf!();
    let _alone = alone();
    let counter = or_skip!(Counter::start());
    let settings = Settings { ring_bytes: Some(1 << 20), ..small(Overflow::Wait) };
    let mut engine = EbpfEngine::start_with(dd("count=10000"), settings).unwrap();
    let mut seen = Seen { command: engine.command(), ..Seen::default() };
    while seen.calls == 0 {
        match engine.next().unwrap().unwrap() {
            Event::Exit(_) => seen.calls += 1,
            Event::Started { tid, .. } => assert!(seen.started.insert(tid)),
            _ => {}
        }
    }
    wait_until("the program's end", || engine.command().and_then(state).is_none_or(|state| state == 'Z'));
    let rest = read_all(&mut engine, Reader::Steady);
    seen.calls += rest.calls;
    seen.started.extend(&rest.started);
    assert_eq!((rest.lost_in_all, rest.unseen, rest.status), (0, 0, Some(0)), "{rest:?}");
    assert_eq!(seen.calls, made(&counter, &seen), "{rest:?}");
    // (A few calls are delayed if the drain thread gets no CPU at once. Without it, half of them are.)
    assert!(rest.delayed.calls * 4 < seen.calls, "{rest:?}");
}

#[test]
fn several_processes_at_once() {
    need_ebpf!();
    let _alone = alone();
    let counter = or_skip!(Counter::start());
    let dd = "dd if=/dev/zero of=/dev/null bs=1 count=50000 status=none";
    let script = format!("{dd} & {dd} & {dd} & {dd} & wait");
    for (how, rings) in [(Overflow::Wait, 1), (Overflow::Drop, 1), (Overflow::Wait, 3), (Overflow::Drop, 3)] {
        let spec = command(Path::new("/bin/sh"), &["-c", &script]);
        let seen = trace(spec, Settings { rings, ..small(how) }, halting(20_000, 20));
        assert_eq!(seen.started.len(), 5);
        assert_eq!(seen.lost_in_all > 0, how == Overflow::Drop, "{seen:?}");
        assert_eq!((seen.lost, seen.unseen, seen.status), (seen.lost_in_all, 0, Some(0)), "{seen:?}");
        assert_eq!(seen.calls + seen.lost, made(&counter, &seen), "{how:?}: {seen:?}");
    }
}

/// The reader, the drain thread and the writers share one CPU.
#[test]
fn one_cpu_for_all() {
    need_ebpf!();
    let _alone = alone();
    let counter = or_skip!(Counter::start());
    // SAFETY: fills in a set, which outlives its use; concerns this test's thread and what it starts.
    unsafe {
        let mut one: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(libc::sched_getcpu() as usize, &mut one);
        assert_eq!(libc::sched_setaffinity(0, size_of_val(&one), &one), 0);
    }
    let dd = "dd if=/dev/zero of=/dev/null bs=1 count=50000 status=none";
    let spec = command(Path::new("/bin/sh"), &["-c", &format!("{dd} & {dd} & wait")]);
    let seen = trace(spec, small(Overflow::Wait), Reader::Steady);
    assert_eq!((seen.lost_in_all, seen.unseen, seen.status), (0, 0, Some(0)), "{seen:?}");
    assert_eq!(seen.calls, made(&counter, &seen), "{seen:?}");
}

/// A pipe that nobody reads stalls the reader. Memory keeps what the ring has no room for.
#[test]
fn a_reader_that_stalls() {
    need_ebpf!();
    let _alone = alone();
    let counter = or_skip!(Counter::start());
    for rings in [1, 3] {
        let dd = "dd if=/dev/zero of=/dev/null bs=1 count=50000 status=none";
        let spec = command(Path::new("/bin/sh"), &["-c", &format!("{dd} & {dd} & wait")]);
        let mut engine = EbpfEngine::start_with(spec, Settings { rings, ..small(Overflow::Wait) }).unwrap();
        let mut seen = Seen { command: engine.command(), ..Seen::default() };
        for _ in 0..200 {
            match engine.next().unwrap().unwrap() {
                Event::Exit(_) => seen.calls += 1,
                Event::Started { tid, .. } => assert!(seen.started.insert(tid)),
                _ => {}
            }
        }
        stand_still(&engine, Duration::from_secs(2));
        let rest = read_all(&mut engine, Reader::Steady);
        seen.calls += rest.calls;
        seen.started.extend(&rest.started);
        assert_eq!((rest.lost_in_all, rest.unseen, rest.status), (0, 0, Some(0)), "{rest:?}");
        assert_eq!(seen.calls, made(&counter, &seen), "{rings} rings: {rest:?}");
        assert!(seen.calls > 200_000 && rest.delayed.calls > 0, "{rest:?}");
    }
}

/// Gives this test's reader priority over other programs, where allowed, because the drain thread has it too. The drain
/// thread waits while the reader copies records, so a reader without a CPU would keep both waiting.
fn come_first() {
    let first = libc::sched_param { sched_priority: 1 };
    // SAFETY: reads one sched_param, which outlives the call; concerns this test's thread, and not what it starts.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &first) };
}

#[test]
fn a_thousand_threads_that_write() {
    need_ebpf!();
    let _alone = alone();
    let counter = or_skip!(Counter::start());
    let program = program!("threads");
    let spec = command(program, &["1000", "calls"]);
    let mut engine = EbpfEngine::start_with(spec, small(Overflow::Wait)).unwrap();
    come_first();
    let seen = read_all(&mut engine, halting(20_000, 20));
    assert_eq!((seen.started.len(), seen.lost_in_all, seen.unseen, seen.status), (1001, 0, 0, Some(0)), "{seen:?}");
    assert!(seen.calls > 200_000, "{seen:?}");
    // exit does not return, but is shown. The return from a clone that the thread did not call makes up for that.
    assert_eq!(seen.calls, made(&counter, &seen), "{seen:?}");
}

/// Threads with real-time priority on every CPU leave Stride hardly any time. All losses are counted.
#[test]
fn real_time_writers_on_every_cpu() {
    need_ebpf!();
    let _alone = alone();
    let chrt = Command::new("chrt").args(["-f", "10", "true"]).output();
    if !chrt.as_ref().is_ok_and(|done| done.status.success()) {
        skip!("chrt gives no real-time priority: {chrt:?}");
    }
    let counter = or_skip!(Counter::start());
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
    let dd = "chrt -f 10 dd if=/dev/zero of=/dev/null bs=1 count=20000 status=none";
    for writers in [1, cpus] {
        let script = format!("{} wait", format!("{dd} & ").repeat(writers));
        let spec = command(Path::new("/bin/sh"), &["-c", &script]);
        let seen = trace(spec, small(Overflow::Wait), Reader::Steady);
        assert_eq!((seen.lost, seen.unseen, seen.status), (seen.lost_in_all, 0, Some(0)), "{seen:?}");
        assert_eq!(seen.calls + seen.lost, made(&counter, &seen), "{seen:?}");
        if writers < cpus {
            assert_eq!(seen.lost, 0, "{seen:?}");
        }
    }
}

/// The program tries to notice backpressure.
#[test]
fn nobody_notices_backpressure() {
    need_ebpf!();
    let _alone = alone();
    let program = program!("unnoticed");
    let path = program.to_str().unwrap();
    let spec = command(program, &[]);
    let seen = trace(spec, small(Overflow::Wait), halting(5_000, 5));
    assert_eq!((seen.status, seen.lost_in_all, seen.unseen), (Some(0), 0, 0), "{path}: {seen:?}");
    assert!(seen.delayed.calls > 1000, "{seen:?}");
    // Each queued signal once, one for each child that ends, and the signals of stops().
    assert!(seen.signals >= 500, "{seen:?}");
}

/// Senders of signals cannot be delayed. Signals that find no room are counted, and starts and ends of threads are seen
/// anyway.
#[test]
fn a_flood_of_signals() {
    need_ebpf!();
    let _alone = alone();
    let program = program!("signal-flood");
    for how in [Overflow::Wait, Overflow::Drop] {
        let seen = trace(command(program, &["50000"]), small(how), halting(20_000, 200));
        assert_eq!((seen.started.len(), seen.ended + seen.killed, seen.unseen), (4, 4, 0), "{how:?}: {seen:?}");
        // The three children's SIGCHLD may come together, and the last of the command's wait for nobody.
        let (told, sent) = (seen.signals + seen.lost_signals, 100_000);
        assert!((sent..=sent + 3).contains(&told), "{how:?}: {seen:?}");
        assert!(how == Overflow::Wait || seen.lost_signals > 0, "{seen:?}");
    }
}

#[test]
fn two_thousand_short_processes() {
    need_ebpf!();
    let _alone = alone();
    let program = program!("threads");
    for (how, rings) in [(Overflow::Wait, 1), (Overflow::Drop, 1), (Overflow::Wait, 3)] {
        let spec = command(program, &["2000", "processes"]);
        let seen = trace(spec, Settings { rings, ..small(how) }, halting(5_000, 50));
        // The engine reports each start or end that is missing.
        assert!(4002 - seen.started.len() as u64 - seen.ended <= seen.unseen, "{how:?}: {seen:?}");
        assert_eq!(seen.status, Some(0));
        if how == Overflow::Wait {
            assert_eq!((seen.started.len(), seen.ended, seen.unseen, seen.lost_in_all), (2001, 2001, 0, 0), "{seen:?}");
        }
    }
}

#[test]
fn ten_thousand_threads() {
    need_ebpf!();
    let _alone = alone();
    let program = program!("threads");
    // The test attaches to the program. A traced command would share this test's input, and end at once where that is
    // empty.
    let mut child = Command::new(program).arg("10000").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    if child.stdout.take().unwrap().read(&mut [0]).unwrap() == 0 {
        skip!("this many threads are not allowed here: {}", child.wait().unwrap());
    }
    let spec = TraceSpec { attach: vec![child.id() as Tid], ..everything() };
    let mut engine = EbpfEngine::start(spec).unwrap();
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    let seen = read_all(&mut engine, Reader::Steady);
    assert!(child.wait().unwrap().success());
    assert_eq!((seen.started.len(), seen.ended, seen.unseen), (10_001, 10_001, 0), "{seen:?}");
    assert_eq!(seen.lost, seen.lost_in_all);
}

/// Each of the three processes has a ring of its own.
#[test]
fn several_rings_are_read_by_time() {
    need_ebpf!();
    let _alone = alone();
    let dd = "dd if=/dev/zero of=/dev/null bs=1 count=100000 status=none";
    let spec = TraceSpec { want_times: true, ..command(Path::new("/bin/sh"), &["-c", &format!("{dd} & {dd} & wait")]) };
    let mut engine = EbpfEngine::start_with(spec, Settings { rings: 3, ..Settings::default() }).unwrap();
    let (mut last, mut last_tid, mut turns, mut calls) = (0, 0, 0, 0);
    while let Some(event) = engine.next().unwrap() {
        // Records of these calls get their place in the ring before their time.
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
    assert_eq!((calls, engine.lost().calls), (400_000, 0));
    assert!(turns > 2, "the processes ran one after the other");
}
