//! The order of events for small programs.

mod common;

use common::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use stride_engine_base::{Engine as _, StartError};
use stride_engine_ptrace::PtraceEngine;
use stride_event::{Event, Memory, Phase, Seccomp};
use stride_test_support::program;
use stride_test_support::state::wait_until;

#[test]
fn nothing_of_the_start_shows() {
    program!("victim");
    let lines = trace(command(&["exit", "3"]));
    assert_eq!(lines[..3], ["0 Spawned", "0 execve", "0 execve = 0"]);
    assert_eq!(lines[lines.len() - 3..], ["0 exit_group", "0 exit_group = ?", "0 exited 3"]);
}

#[test]
fn a_command_that_cannot_be_executed() {
    program!("victim");
    let mut spec = command(&[]);
    spec.command.as_mut().unwrap().path = "/nonexistent/x".into();
    assert_eq!(trace(spec), ["0 Spawned", "0 execve", "0 execve = -2", "0 exited 1"]);
}

#[test]
fn calls_outside_the_set_are_skipped() {
    program!("victim");
    let spec = stride_event::TraceSpec { calls: calls(&["exit_group"]), ..command(&["exit", "0"]) };
    assert_eq!(trace(spec), ["0 Spawned", "0 exit_group", "0 exit_group = ?", "0 exited 0"]);
}

#[test]
fn without_entries_calls_come_when_they_return() {
    program!("victim");
    let spec =
        stride_event::TraceSpec { calls: calls(&["execve", "exit_group"]), entries: false, ..command(&["exit", "0"]) };
    assert_eq!(trace(spec), ["0 Spawned", "0 execve = 0", "0 exit_group = ?", "0 exited 0"]);
}

#[test]
fn memory_is_captured() {
    let path = program!("victim");
    let spec = stride_event::TraceSpec { calls: calls(&["execve"]), ..command(&["exit", "0"]) };
    let mut engine = PtraceEngine::start(spec).unwrap();
    let mut seen = false;
    while let Some(event) = engine.next().unwrap() {
        let Event::Exit(call) = event else { continue };
        let bytes = call.blocks.prefix(Phase::Entry, call.args[0], 4096);
        assert_eq!(bytes.strip_suffix(b"\0").unwrap(), path.as_os_str().as_encoded_bytes());
        let argv = call.blocks.prefix(Phase::Entry, call.args[1], 8);
        let argv0 = u64::from_ne_bytes(argv.try_into().unwrap());
        assert_eq!(call.blocks.prefix(Phase::Entry, argv0, 100), b"victim\0");
        seen = true;
    }
    assert!(seen);
}

const FEW: &[&str] = &["getppid", "exit_group", "execve", "wait4"];

#[test]
fn a_forked_child() {
    program!("victim");
    let lines = trace(stride_event::TraceSpec { follow: true, calls: calls(FEW), ..command(&["fork"]) });
    assert!(lines.contains(&"1 born of 0".into()), "{lines:?}");
    assert_eq!(of(&lines, 1)[1..], ["getppid", "getppid = big", "exit_group", "exit_group = ?", "exited 4"]);
    let parent = of(&lines, 0);
    assert!(parent.contains(&"signal 17"), "{lines:?}");
    assert_eq!(parent[parent.len() - 1], "exited 3");
    let unfollowed = trace(stride_event::TraceSpec { calls: calls(&["exit_group"]), ..command(&["fork"]) });
    assert!(of(&unfollowed, 1).is_empty(), "{unfollowed:?}");
}

/// Processes below the depth run untraced and undisturbed, and no event tells of them.
#[test]
fn children_are_followed_so_deep() {
    let script = "cd /; (cd /; (cd /; exit 7); exit $?); exit $?";
    for (depth, expected) in [(0, 1), (1, 2), (2, 3), (9, 3)] {
        let args = ["sh", "-c", script].map(Into::into).into();
        let shell = stride_event::Command { path: "/bin/sh".into(), args, env: Vec::new(), user: None };
        let spec = stride_event::TraceSpec {
            command: Some(shell),
            follow: true,
            max_depth: Some(depth),
            calls: calls(&["chdir"]),
            ..spec()
        };
        let lines = trace(spec);
        let count = |what: &str| lines.iter().filter(|line| line.ends_with(what)).count();
        assert_eq!((count(" chdir = 0"), count(" exited 7")), (expected, expected), "{depth}: {lines:?}");
        assert_eq!(lines.iter().filter(|line| line.contains(" born of ")).count(), expected - 1, "{depth}: {lines:?}");
        assert!(!lines.iter().any(|line| line.contains("detached")), "{lines:?}");
    }
}

#[test]
fn a_vforked_child_that_executes() {
    program!("victim");
    let lines = trace(stride_event::TraceSpec {
        follow: true,
        calls: calls(&["vfork", "execve", "exit_group"]),
        ..command(&["vfork"])
    });
    assert_eq!(of(&lines, 1)[..], ["born of 0", "execve", "execve = 0", "exit_group", "exit_group = ?", "exited 5"]);
    let at = |what: &str| lines.iter().position(|l| l == what).unwrap_or_else(|| panic!("{what}: {lines:?}"));
    assert!(at("0 vfork") < at("1 execve") && at("1 execve") < at("0 vfork = big"));
}

#[test]
fn threads() {
    program!("victim");
    let lines =
        trace(stride_event::TraceSpec { follow: true, calls: calls(&["getppid", "exit"]), ..command(&["threads"]) });
    for i in 1..=8 {
        assert_eq!(
            of(&lines, i),
            ["born of 0", "getppid", "getppid = big", "exit", "exit = ?", "exited 0"],
            "{lines:?}"
        );
    }
}

#[test]
fn many_children_at_once_are_all_seen_whole() {
    program!("victim");
    for seccomp in [Seccomp::Off, Seccomp::On] {
        let lines = trace(stride_event::TraceSpec {
            seccomp,
            follow: true,
            calls: calls(&["getppid", "exit_group"]),
            ..command(&["forks"])
        });
        for i in 1..=50 {
            assert_eq!(
                of(&lines, i),
                ["born of 0", "getppid", "getppid = big", "exit_group", "exit_group = ?", "exited 0"],
                "{lines:?}"
            );
        }
    }
}

#[test]
fn a_thread_that_is_not_the_leader_executes() {
    program!("victim");
    let lines = trace(stride_event::TraceSpec {
        follow: true,
        calls: calls(&["pause", "execve", "exit_group"]),
        ..command(&["exec-thread"])
    });
    let at = |what: &str| lines.iter().position(|l| l == what).unwrap_or_else(|| panic!("{what}: {lines:?}"));
    // Thread 2 executes and goes on as thread 0.
    assert!(at("2 execve") < at("0 superseded by 2"));
    assert!(at("0 pause = ?") < at("0 superseded by 2"));
    assert!(at("1 pause = ?") < at("1 exited 0"));
    assert_eq!(lines[lines.len() - 4..], ["0 execve = 0", "0 exit_group", "0 exit_group = ?", "0 exited 7"]);
}

#[test]
fn signals() {
    program!("victim");
    let lines = trace(stride_event::TraceSpec { calls: calls(&["kill", "rt_sigreturn"]), ..command(&["signal"]) });
    assert_eq!(
        lines[1..],
        [
            "0 kill",
            "0 kill = 0",
            "0 signal 10",
            "0 rt_sigreturn",
            "0 rt_sigreturn = 0",
            "0 kill",
            "0 kill = 0",
            "0 signal 15",
            "0 killed 15"
        ]
    );
}

#[test]
fn a_group_stop_lasts_until_it_is_continued() {
    program!("victim");
    let start = Instant::now();
    let mut waker = None;
    let lines =
        trace_with(stride_event::TraceSpec { calls: calls(&["exit_group"]), ..command(&["stop"]) }, |engine, line| {
            if line == "0 stopped 19" {
                let pid = engine.command().unwrap();
                waker = Some(std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(150));
                    let state = state(pid);
                    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::SIGCONT).unwrap();
                    state
                }));
            }
        });
    let state = waker.expect("stopped").join().unwrap();
    assert!(matches!(state, 't' | 'T'), "{state}");
    assert!(start.elapsed() >= Duration::from_millis(150));
    assert_eq!(
        lines[1..],
        ["0 signal 19", "0 stopped 19", "0 signal 18", "0 exit_group", "0 exit_group = ?", "0 exited 2"]
    );
}

#[test]
fn attaching_to_a_blocked_call() {
    program!("victim");
    let mut target = Target::start(&["read"]);
    target.wait_inside("read", 1);
    let mut stdin = target.0.0.stdin.take();
    let spec = stride_event::TraceSpec { attach: vec![target.tid()], calls: calls(&["read", "exit_group"]), ..spec() };
    let lines = trace_with(spec, |_, line| {
        if line == "0 read" {
            use std::io::Write;
            stdin.take().unwrap().write_all(b"A").unwrap();
        }
    });
    assert_eq!(lines, ["0 Attached", "0 read", "0 read = 1", "0 exit_group", "0 exit_group = ?", "0 exited 65"]);
}

#[test]
fn attaching_to_a_sleep_names_what_is_resumed() {
    program!("victim");
    let target = Target::start(&["sleep", "600000"]);
    target.wait_inside("nanosleep", 1);
    let spec = stride_event::TraceSpec { attach: vec![target.tid()], calls: calls(&["restart_syscall"]), ..spec() };
    let lines = trace_with(spec, |engine, line| {
        if line.contains("restart_syscall") {
            engine.stop();
        }
    });
    if cfg!(target_arch = "x86_64") {
        assert_eq!(lines[1], "0 restart_syscall resuming nanosleep");
    }
    assert_eq!(lines[2..], ["0 detached in restart_syscall"]);
}

#[test]
fn a_call_that_is_resumed_returns() {
    program!("victim");
    need_poll!();
    let mut target = Target::start(&["poll"]);
    target.wait_inside("poll", 1);
    let mut stdin = target.0.0.stdin.take();
    let spec = stride_event::TraceSpec {
        attach: vec![target.tid()],
        calls: calls(&["restart_syscall", "exit_group"]),
        ..spec()
    };
    let lines = trace_with(spec, |_, line| {
        if line.contains("restart_syscall") {
            // The victim waits for the end of its input.
            stdin.take();
        }
    });
    assert_eq!(lines[2..], ["0 restart_syscall = 1", "0 exit_group", "0 exit_group = ?", "0 exited 0"]);
}

#[test]
fn attaching_follows_all_threads() {
    program!("victim");
    let target = Target::start(&["pause-threads"]);
    target.wait_inside("pause", 4);
    for (follow, threads) in [(true, 4), (false, 1)] {
        let mut seen = 0;
        let spec = stride_event::TraceSpec { attach: vec![target.tid()], follow, calls: calls(&["pause"]), ..spec() };
        let lines = trace_with(spec, |engine, line| {
            seen += line.ends_with(" pause") as usize;
            if seen == threads {
                engine.stop();
            }
        });
        for i in 0..threads {
            assert_eq!(of(&lines, i), ["Attached", "pause", "detached in pause"], "{lines:?}");
        }
        target.wait_inside("pause", 4);
    }
}

#[test]
fn what_cannot_be_attached_to_is_told() {
    match PtraceEngine::start(stride_event::TraceSpec { attach: vec![999_999_999], ..spec() }) {
        Err(StartError::Attach(failures)) => {
            assert_eq!(failures[0].what, "attach: ptrace(PTRACE_SEIZE, 999999999): No such process");
            assert!(failures[0].hint.as_ref().is_some_and(|hint| hint.contains("pgrep")));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn detaching_leaves_a_sleep_undisturbed() {
    program!("victim");
    need_poll!();
    let mut target = Target::start(&["poll"]);
    target.wait_inside("poll", 1);
    let spec = stride_event::TraceSpec { attach: vec![target.tid()], ..spec() };
    let lines = trace_with(spec, |engine, line| {
        if line.contains("restart_syscall") {
            engine.stop();
        }
    });
    assert_eq!(lines.last().unwrap(), "0 detached in restart_syscall");
    target.wait_asleep();
    assert_eq!(target.0.0.try_wait().unwrap(), None, "it did not fail");
    drop(target.0.0.stdin.take());
    assert_eq!(target.0.0.wait().unwrap().code(), Some(0), "it did not fail later, either");
}

#[test]
fn detaching_from_a_group_stop_leaves_it_stopped() {
    program!("victim");
    let target = Target::start(&["stop"]);
    wait_until("its stop", || state(target.tid()) == 'T');
    let spec = stride_event::TraceSpec { attach: vec![target.tid()], ..spec() };
    let mut idle = 0;
    let lines = trace_with(spec, |engine, line| {
        idle += (line == "idle") as i32;
        if idle == 1 {
            engine.stop();
        }
    });
    assert_eq!(lines, ["0 Attached", "0 stopped 19", "0 detached"]);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(state(target.tid()), 'T');
}

#[test]
fn detaching_while_much_happens() {
    program!("victim");
    use std::io::Read;
    for round in 0..20 {
        let mut target = Target::start(&["spawner"]);
        let mut n = 0;
        let mut engine =
            PtraceEngine::start(stride_event::TraceSpec { attach: vec![target.tid()], follow: true, ..spec() })
                .unwrap();
        let mut out = target.0.0.stdout.take().unwrap();
        let written = std::sync::Arc::new(AtomicU64::new(0));
        let drain = std::thread::spawn({
            let written = written.clone();
            move || {
                let mut buf = [0; 4096];
                while let Ok(k @ 1..) = out.read(&mut buf) {
                    written.fetch_add(k as u64, Ordering::Relaxed);
                }
            }
        });
        while let Some(_event) = engine.next().unwrap() {
            n += 1;
            if n == 50 + 37 * round {
                engine.stop();
            }
        }
        drop(engine);
        let before = written.load(Ordering::Relaxed);
        wait_until(&format!("round {round}: progress"), || written.load(Ordering::Relaxed) > before);
        assert!(!matches!(state(target.tid()), 't' | 'T'), "round {round}: stopped");
        drop(target);
        drain.join().unwrap();
    }
}

#[test]
fn a_seccomp_filter_stops_only_what_was_asked_for() {
    program!("victim");
    let quiet =
        |seccomp| trace(stride_event::TraceSpec { seccomp, follow: true, calls: calls(FEW), ..command(&["fork"]) });
    let (with, without) = (quiet(Seccomp::On), quiet(Seccomp::Off));
    for thread in [0, 1] {
        assert_eq!(of(&with, thread), of(&without, thread));
    }
    // With execve not traced, no call of the start is shown.
    let spec = stride_event::TraceSpec {
        seccomp: Seccomp::On,
        follow: true,
        calls: calls(&["exit_group", "write", "read"]),
        ..command(&["exit", "6"])
    };
    let lines = trace(spec);
    assert_eq!(lines[lines.len() - 3..], ["0 exit_group", "0 exit_group = ?", "0 exited 6"]);
    let mut spec = stride_event::TraceSpec {
        seccomp: Seccomp::On,
        follow: true,
        calls: calls(&["exit_group", "write", "read"]),
        ..command(&[])
    };
    spec.command.as_mut().unwrap().path = "/nonexistent/x".into();
    assert_eq!(trace(spec), ["0 Spawned", "0 exited 1"]);
}

#[test]
fn quiet_is_told_once() {
    program!("victim");
    let mut target = Target::start(&["read"]);
    target.wait_inside("read", 1);
    let mut stdin = target.0.0.stdin.take();
    let spec = stride_event::TraceSpec { attach: vec![target.tid()], calls: calls(&["read"]), ..spec() };
    let mut engine = PtraceEngine::start(spec).unwrap();
    let (mut reads, mut idles, mut waker) = (false, 0, None);
    while let Some(event) = engine.next().unwrap() {
        match event {
            Event::Enter(_) => (reads, idles) = (true, 0),
            Event::Idle => {
                idles += 1;
                if let (true, Some(stdin)) = (reads, stdin.take()) {
                    // Quiet that lasts longer gives no second `Idle`.
                    waker = Some(std::thread::spawn(move || {
                        std::thread::sleep(Duration::from_millis(350));
                        drop(stdin);
                    }));
                }
            }
            Event::Exit(_) => {
                assert_eq!(idles, 1);
                reads = false;
            }
            _ => {}
        }
    }
    waker.expect("it was quiet").join().unwrap();
}

#[test]
fn detaching_on_execve() {
    program!("victim");
    let spec = stride_event::TraceSpec {
        follow: true,
        detach_on_execve: true,
        calls: calls(&["execve", "exit_group"]),
        ..command(&["vfork"])
    };
    let lines = trace(spec);
    assert_eq!(of(&lines, 1), ["born of 0", "execve", "detached in execve"]);
    assert_eq!(lines.last().unwrap(), "0 exited 3");
}
