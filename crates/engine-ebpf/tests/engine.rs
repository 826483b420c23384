//! The engine by itself: attaching, losing, following.

mod common;

use common::{command, everything, stand_still};
use std::cell::RefCell;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::Duration;
use stride_engine_base::Engine as _;
use stride_engine_ebpf::{EbpfEngine, Overflow, Settings};
use stride_event::{Event, Limits, Memory as _, Outcome, Phase, StackRate, StartKind, TraceSpec};
use stride_stacks::{StackDetail, Stacks};
use stride_test_support::state::wait_until_inside;
use stride_test_support::{need_ebpf, program, skip};

#[test]
fn attaches_to_a_process_that_is_blocked() {
    need_ebpf!();
    let mut cat = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let pid = cat.id() as i32;
    wait_until_inside(pid, libc::SYS_read);
    let mut engine = EbpfEngine::start(TraceSpec { attach: vec![pid], ..everything() }).unwrap();
    let mut input = cat.stdin.take();
    input.as_mut().unwrap().write_all(b"hello\n").unwrap();
    let mut seen = Vec::new();
    while let Some(event) = engine.next().unwrap() {
        match event {
            Event::Started { tid, process, origin, .. } => {
                assert_eq!((tid, process, origin), (pid, pid, StartKind::Attached));
                seen.push("started".to_owned());
            }
            Event::Exit(call) if call.nr == libc::SYS_write as u64 => {
                let (_, addr, _, bytes) = call.blocks.get(0).unwrap();
                assert_eq!(addr, call.args[1]);
                seen.push(format!("write {} {:?}", String::from_utf8_lossy(bytes), call.outcome));
                input = None;
            }
            Event::Exited { status, .. } => seen.push(format!("exited {status}")),
            _ => {}
        }
    }
    drop(input);
    assert_eq!(seen, ["started", &format!("write hello\n {:?}", Outcome::Value(6)), "exited 0"]);
    cat.wait().unwrap();
}

#[test]
fn received_data_can_be_left_out() {
    need_ebpf!();
    for received in [true, false] {
        let spec = command(Path::new("/bin/cat"), &["/proc/self/comm"]);
        let limits = Limits { received, ..spec.limits };
        let mut engine = EbpfEngine::start(TraceSpec { limits, ..spec }).unwrap();
        let (mut read, mut written) = (Vec::new(), Vec::new());
        while let Some(event) = engine.next().unwrap() {
            let Event::Exit(call) = event else { continue };
            let data =
                (call.blocks.prefix(Phase::Exit, call.args[1], 16), call.blocks.prefix(Phase::Entry, call.args[1], 16));
            match call.nr as i64 {
                libc::SYS_read => read.push(data.0.to_vec()),
                libc::SYS_write => written.push(data.1.to_vec()),
                _ => {}
            }
        }
        assert_eq!(written, [b"cat\n"]);
        assert_eq!(read.contains(&b"cat\n".to_vec()), received);
        assert!(received || read.iter().all(Vec::is_empty), "{read:?}");
    }
}

#[test]
fn no_such_process() {
    need_ebpf!();
    assert!(EbpfEngine::start(TraceSpec { attach: vec![i32::MAX], ..everything() }).is_err());
}

/// The numbers of calls shown and of calls lost.
fn count(settings: Settings, stands_still: bool) -> (u64, u64) {
    let spec = command(Path::new("/bin/dd"), &["if=/dev/zero", "of=/dev/null", "bs=1", "count=20000", "status=none"]);
    let mut engine = EbpfEngine::start_with(spec, settings).unwrap();
    let (mut shown, mut lost, mut ended) = (0, 0, 0);
    while let Some(event) = engine.next().unwrap() {
        match event {
            Event::Exit(_) => {
                // The command runs by now, and its calls fill the ring meanwhile.
                if shown == 0 && stands_still {
                    stand_still(&engine, Duration::from_millis(200));
                }
                shown += 1;
            }
            Event::Lost { count, .. } => lost += count,
            Event::Exited { status: 0, .. } => ended += 1,
            _ => {}
        }
    }
    assert_eq!(ended, 1);
    assert_eq!(engine.lost().threads, 0);
    (shown, lost)
}

#[test]
fn what_a_small_ring_loses_is_counted_to_the_call() {
    need_ebpf!();
    let (all, none) = count(Settings::default(), false);
    assert_eq!(none, 0);
    assert!(all > 40000);
    let (shown, lost) =
        count(Settings { ring_bytes: Some(64 << 10), on_overflow: Some(Overflow::Drop), ..Settings::default() }, true);
    assert!(lost > 0);
    assert_eq!(shown + lost, all);
}

#[test]
fn a_program_that_cannot_be_executed() {
    need_ebpf!();
    let mut engine = EbpfEngine::start(command(Path::new("/nonexistent"), &[])).unwrap();
    let mut seen = Vec::new();
    while let Some(event) = engine.next().unwrap() {
        match event {
            Event::Exit(call) => seen.push(format!("{} {:?}", call.nr, call.outcome)),
            Event::Exited { status, .. } => seen.push(format!("exited {status}")),
            _ => {}
        }
    }
    assert_eq!(
        seen,
        [format!("{} {:?}", libc::SYS_execve, Outcome::Error(libc::ENOENT as u32)), "exited 1".to_owned()]
    );
}

#[test]
fn many_short_children_are_all_seen() {
    need_ebpf!();
    let spec = command(Path::new("/bin/sh"), &["-c", "i=0; while [ $i -lt 300 ]; do ( : ) ; i=$((i+1)); done"]);
    let mut engine = EbpfEngine::start(spec).unwrap();
    let (mut started, mut ended) = (0, 0);
    while let Some(event) = engine.next().unwrap() {
        match event {
            Event::Started { .. } => started += 1,
            Event::Exited { .. } => ended += 1,
            _ => {}
        }
    }
    assert_eq!((started, ended), (301, 301));
}

#[test]
fn stopping_lets_go_of_what_lives_on() {
    need_ebpf!();
    let mut cat = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let pid = cat.id() as i32;
    wait_until_inside(pid, libc::SYS_read);
    let mut engine = EbpfEngine::start(TraceSpec { attach: vec![pid], ..everything() }).unwrap();
    engine.stop();
    let mut detached = 0;
    while let Some(event) = engine.next().unwrap() {
        if let Event::Detached { tid, .. } = event {
            assert_eq!(tid, pid);
            detached += 1;
        }
    }
    assert_eq!(detached, 1);
    drop(cat.stdin.take());
    assert!(cat.wait().unwrap().success());
}

/// Samples of stacks are few, and stand for all calls.
#[test]
fn samples_stand_for_all_calls() {
    need_ebpf!();
    if !EbpfEngine::CAPABILITIES.stacks {
        skip!("Stride unwinds no stacks of this architecture");
    }
    let stacks = Rc::new(RefCell::new(Stacks::new(StackDetail { frames: 256, source: false })));
    let args = ["if=/dev/zero", "of=/dev/null", "bs=1", "count=20000", "status=none"];
    let spec = TraceSpec { stacks: StackRate::Sampled, ..command(Path::new("/bin/dd"), &args) };
    let mut engine = EbpfEngine::start(spec).unwrap();
    engine.unwind_with(stacks.clone());
    let (mut calls, mut taken, mut told) = (0, 0, 0);
    while let Some(event) = engine.next().unwrap() {
        stacks.borrow_mut().note(&event);
        let Event::Exit(call) = event else { continue };
        // The dynamic loader reads more at once.
        if call.nr != libc::SYS_read as u64 || call.args[2] != 1 {
            continue;
        }
        calls += 1;
        if let Some(stack) = &call.stack {
            taken += 1;
            told += call.stack_calls;
            assert!(!stack.frames.is_empty());
        }
    }
    assert!(calls == 20_000 && (calls / 64..calls / 16).contains(&taken), "{taken} of {calls}");
    // The calls behind a site's last sample are told by none.
    assert!((calls - 200..=calls).contains(&told), "{told} of {calls}");
}

#[test]
fn a_signal_to_a_process_that_has_ended_is_not_reported() {
    need_ebpf!();
    let program = program!("late-signal");
    let mut engine = EbpfEngine::start(command(program, &[])).unwrap();
    let (mut ended, mut late) = (Vec::new(), 0);
    while let Some(event) = engine.next().unwrap() {
        match event {
            Event::Exited { tid, .. } => ended.push(tid),
            // (The parent gets SIGCHLD.)
            Event::Signal { tid, .. } if ended.contains(&tid) => late += 1,
            _ => {}
        }
    }
    assert_eq!(ended.len(), 2);
    assert_eq!(late, 0);
}
