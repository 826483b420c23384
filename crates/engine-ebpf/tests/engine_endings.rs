//! Calls that return otherwise than wanted, or in other threads, send nothing, unless they name what a thread runs.

mod common;

use common::{command, everything};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use stride_engine_base::Engine as _;
use stride_engine_ebpf::EbpfEngine;
use stride_event::{Bounds, Call, CallSet, Endings, ErrnoSet, Event, Outcome, Tid, TraceSpec, WantedThreads};
use stride_syscalls::Abi;
use stride_test_support::{need_ebpf, program};

const ENOENT: u32 = libc::ENOENT as u32;

/// Runs a script and returns the calls that come, but those that never return.
fn returned(endings: Endings, names: CallSet) -> Vec<Call> {
    let script = "cat /nonexistent 2>/dev/null; sleep 0.1; exec cat /proc/self/stat >/dev/null";
    let spec = command(Path::new("/bin/sh"), &["-c", script]);
    let spec = TraceSpec { endings, names, want_times: true, follow: true, ..spec };
    let mut engine = EbpfEngine::start(spec).unwrap();
    let mut calls = Vec::new();
    while let Some(event) = engine.next().unwrap() {
        if let Event::Exit(call) = event
            && call.outcome != Outcome::Gone
        {
            calls.push(call.clone());
        }
    }
    assert!(calls.iter().all(|call| call.entered.is_some_and(|entered| call.returned >= entered)));
    calls
}

#[track_caller]
fn check(endings: Endings, enough: usize) {
    let calls = returned(endings.clone(), CallSet::empty());
    assert!(calls.len() >= enough, "{endings:?}: {calls:?}");
    // The kernel reads its clock a little earlier than for the record, so a call may last longer in the record.
    let exact = Endings { durations: Bounds { most: u64::MAX, ..endings.durations }, ..endings };
    let wrong: Vec<&Call> = calls.iter().filter(|call| !exact.contain(call)).collect();
    assert!(wrong.is_empty(), "{exact:?}: {wrong:?}");
}

#[test]
fn other_calls_send_nothing() {
    need_ebpf!();
    let all = Endings::default();
    let mut errors = ErrnoSet::empty();
    errors.insert(ENOENT);
    check(Endings { errors: errors.clone(), successes: false, ..all.clone() }, 2);
    check(Endings { errors: errors.inverted(), ..all.clone() }, 20);
    check(Endings { errors: ErrnoSet::empty(), ..all.clone() }, 20);
    check(Endings { results: Bounds { least: i64::MIN, most: -1 }, ..all.clone() }, 2);
    check(Endings { results: Bounds { least: 3, most: 3 }, ..all.clone() }, 2);
    check(Endings { bytes: Some(Bounds { least: 1, most: u64::MAX }), ..all.clone() }, 2);
    check(Endings { durations: Bounds { least: 50_000_000, most: u64::MAX }, ..all.clone() }, 2);
    check(Endings { durations: Bounds { least: 0, most: 50_000_000 }, ..all.clone() }, 20);
    let none = returned(Endings { durations: Bounds { least: 0, most: 50_000_000 }, ..all }, CallSet::empty());
    assert!(!none.iter().any(|call| call.nr == libc::SYS_clock_nanosleep as u64), "{none:?}");
}

#[test]
fn calls_that_name_programs_come_nevertheless() {
    need_ebpf!();
    let mut names = CallSet::empty();
    names.insert(Abi::NATIVE, libc::SYS_execve as u32);
    let endings = Endings { durations: Bounds { least: 3_600_000_000_000, most: u64::MAX }, ..Endings::default() };
    let calls = returned(endings, names);
    assert!(calls.len() >= 4, "{calls:?}");
    assert!(calls.iter().all(|call| call.nr == libc::SYS_execve as u64), "{calls:?}");
}

/// Traces two processes, wanting the calls of some ids. Returns the two, and the threads whose calls came.
fn callers(wanted: impl Fn([Tid; 2]) -> WantedThreads) -> ([Tid; 2], BTreeSet<Tid>) {
    let start = || Command::new("/bin/cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut two = [start(), start()];
    let pids = two.each_ref().map(|child| child.id() as Tid);
    let mut engine =
        EbpfEngine::start(TraceSpec { attach: pids.to_vec(), wanted_threads: wanted(pids), ..everything() }).unwrap();
    // They read the end of the pipe, and then exit.
    two.iter_mut().for_each(|child| drop(child.stdin.take()));
    let (mut called, mut ended) = (BTreeSet::new(), BTreeSet::new());
    while let Some(event) = engine.next().unwrap() {
        match event {
            Event::Exit(call) if call.outcome != Outcome::Gone => _ = called.insert(call.tid),
            Event::Exited { tid, .. } => _ = ended.insert(tid),
            _ => {}
        }
    }
    two.iter_mut().for_each(|child| _ = child.wait());
    assert_eq!(ended, BTreeSet::from(pids), "both are followed to their end");
    (pids, called)
}

#[test]
fn calls_of_other_threads_send_nothing() {
    need_ebpf!();
    let only = |id: Tid| Bounds { least: id.into(), most: id.into() };
    let (pids, called) = callers(|_| WantedThreads::default());
    assert_eq!(called, BTreeSet::from(pids));
    let (pids, called) = callers(|pids| WantedThreads { processes: only(pids[0]), ..WantedThreads::default() });
    assert_eq!(called, BTreeSet::from([pids[0]]));
    let (pids, called) = callers(|pids| WantedThreads { threads: only(pids[1]), ..WantedThreads::default() });
    assert_eq!(called, BTreeSet::from([pids[1]]));
    let (_, called) = callers(|pids| WantedThreads { processes: only(pids[0]), threads: only(pids[1]), comm: None });
    assert_eq!(called, BTreeSet::new());
    let (pids, called) = callers(|_| WantedThreads::named(b"cat"));
    assert_eq!(called, BTreeSet::from(pids));
    let (_, called) = callers(|_| WantedThreads::named(b"ca"));
    assert_eq!(called, BTreeSet::new());
    let (_, called) = callers(|_| WantedThreads::named(b"cat and others"));
    assert_eq!(called, BTreeSet::new());
}

#[test]
fn the_call_that_seccomp_ends_a_thread_for_is_its_last() {
    need_ebpf!();
    let program = program!("confined");
    for args in [&["strict"][..], &["strict", "thread"], &["thread", "thread"]] {
        let mut calls = CallSet::empty();
        calls.insert(Abi::NATIVE, libc::SYS_lseek as u32);
        let spec = TraceSpec { calls, want_times: true, ..command(program, args) };
        let mut engine = EbpfEngine::start(spec).unwrap();
        let (mut last, mut killed) = (None, None);
        while let Some(event) = engine.next().unwrap() {
            match event {
                Event::Exit(call) => {
                    assert_eq!((call.args[1], call.outcome), (123_456_789, Outcome::Gone), "{args:?}");
                    assert_eq!(call.entered, Some(call.returned), "{args:?}: seccomp lets nothing of the call happen");
                    assert_eq!(last.replace(call.tid), None, "{args:?}: one call");
                }
                Event::Killed { tid, .. } => _ = killed.get_or_insert(tid),
                _ => {}
            }
        }
        assert!(last.is_some() && last == killed, "{args:?}: {last:?} has called, and {killed:?} was killed");
    }
}
