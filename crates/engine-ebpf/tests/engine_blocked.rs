//! Threads that are blocked, and the order of calls of several threads.

mod common;

use common::{command, everything};
use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, Stdio};
use stride_engine_base::Engine as _;
use stride_engine_ebpf::{EbpfEngine, Settings};
use stride_event::{Event, Outcome, Tid, TraceSpec};
use stride_test_support::state::{threads, wait_until_inside};
use stride_test_support::{Killed, need_ebpf, program};

/// The call behind the C library's `pause`.
#[cfg(target_arch = "x86_64")]
const PAUSE: libc::c_long = libc::SYS_pause;
#[cfg(not(target_arch = "x86_64"))]
const PAUSE: libc::c_long = libc::SYS_ppoll;

const READ: u64 = libc::SYS_read as u64;

#[test]
fn a_call_in_flight_is_known_when_tracing_ends() {
    need_ebpf!();
    let mut cat = Killed(Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap());
    let pid = cat.0.id() as Tid;
    wait_until_inside(pid, libc::SYS_read);
    let mut engine = EbpfEngine::start(TraceSpec { attach: vec![pid], entries: true, ..everything() }).unwrap();
    let mut seen = Vec::new();
    while let Some(event) = engine.next().unwrap() {
        match event {
            Event::Started { .. } => seen.push("started".to_owned()),
            Event::Enter(call) => {
                assert!(call.began() > 0);
                seen.push(format!("enters {} {}", call.nr, call.args[0]));
                cat.0.stdin.as_mut().unwrap().write_all(b"x").unwrap();
            }
            Event::Exit(call) if call.nr == READ => {
                seen.push(format!("{:?}", call.outcome));
                // The thread is back in read(2) too soon for the blocked-call poller to notice.
                wait_until_inside(pid, libc::SYS_read);
                engine.stop();
            }
            Event::Detached { call, .. } => {
                seen.push(format!("detached in {:?}", call.map(|call| (call.nr, call.args[0]))))
            }
            _ => {}
        }
    }
    let (enters, detached) = (format!("enters {READ} 0"), format!("detached in Some(({READ}, 0))"));
    assert_eq!(seen, ["started", &enters, &format!("{:?}", Outcome::Value(1)), &detached]);
    assert!(cat.0.try_wait().unwrap().is_none(), "it lives on");
}

/// The ring has no room for the return of a call whose entry was shown.
#[test]
fn a_return_that_is_lost() {
    need_ebpf!();
    let program = program!("flood");
    let mut child = Killed(Command::new(program).stdin(Stdio::piped()).spawn().unwrap());
    let pid = child.0.id() as Tid;
    wait_until_inside(pid, libc::SYS_read);
    let tids = threads(pid);
    wait_until_inside(tids[1], libc::SYS_rt_sigtimedwait);

    let spec = TraceSpec { attach: vec![pid], entries: true, ..everything() };
    let mut engine =
        EbpfEngine::start_with(spec, Settings { ring_bytes: Some(64 << 10), rings: 1, ..Settings::default() }).unwrap();
    let mut entered = 0;
    while entered < 2 {
        entered += u32::from(matches!(engine.next().unwrap(), Some(Event::Enter(_))));
    }
    // One thread fills the ring, which nobody reads. Then the other thread's call returns.
    let kill = |signal| assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
    kill(libc::SIGUSR1);
    wait_until_inside(tids[1], PAUSE);
    child.0.stdin.as_mut().unwrap().write_all(b"x").unwrap();
    wait_until_inside(pid, libc::SYS_rt_sigtimedwait);

    let mut seen = Vec::new();
    let mut told = false;
    while let Some(event) = engine.next().unwrap() {
        match event {
            Event::Idle if !told => {
                told = true;
                kill(libc::SIGUSR2);
            }
            Event::Enter(call) if call.tid == pid => seen.push(format!("enters {}", call.nr)),
            Event::Exit(call) if call.tid == pid => seen.push(format!("{} {:?}", call.nr, call.outcome)),
            Event::Lost { tid, count, .. } if tid == pid => seen.push(format!("lost {count}")),
            _ => {}
        }
    }
    let signal = Outcome::Value(i64::from(libc::SIGUSR2));
    assert_eq!(
        seen[..3],
        [format!("{READ} Gone"), "lost 1".to_owned(), format!("{} {signal:?}", libc::SYS_rt_sigtimedwait)],
        "{seen:?}"
    );
}

#[test]
fn calls_of_several_threads_come_in_order() {
    need_ebpf!();
    let program = program!("turns");
    let mut engine = EbpfEngine::start(command(program, &[])).unwrap();
    let mut turns = Vec::new();
    let mut threads = HashMap::new();
    while let Some(event) = engine.next().unwrap() {
        if let Event::Exit(call) = event
            && call.nr == libc::SYS_close as u64
            && let Some(turn) = call.args[0].checked_sub(100_000)
        {
            turns.push(turn);
            *threads.entry(call.tid).or_insert(0) += 1;
        }
    }
    assert!(turns.is_sorted(), "{turns:?}");
    assert_eq!((turns.len(), threads.len()), (300, 2));
}

#[test]
fn times_of_several_threads_come_in_order() {
    need_ebpf!();
    let program = program!("turns");
    let mut engine = EbpfEngine::start(TraceSpec { want_times: true, ..command(program, &[]) }).unwrap();
    let mut last = 0;
    while let Some(event) = engine.next().unwrap() {
        if let Event::Exit(call) = event
            && call.nr == libc::SYS_close as u64
            && call.args[0] >= 100_000
        {
            assert!(call.returned > last && call.entered > Some(last), "turn {}", call.args[0] - 100_000);
            last = call.returned;
        }
    }
    assert!(last > 0);
}
