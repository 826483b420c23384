//! The fate of tracees when Stride ends first: by a signal that it handles, or by one that it cannot handle.

mod common;

use common::*;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use stride_event::Tid;
use stride_test_support::state::{minds, wait_until};
use stride_test_support::{Scratch, or_skip, program, wait_for};

/// `examples/raw.rs`, which cargo builds along with the tests.
fn raw() -> Result<PathBuf, &'static str> {
    let test = std::env::current_exe().expect("/proc/self/exe");
    let path = test.ancestors().nth(2).expect("a test lies in target/PROFILE/deps").join("examples/raw");
    if path.exists() { Ok(path) } else { Err("examples/raw is not built") }
}

fn kill(pid: Tid, signal: i32) {
    let signal = nix::sys::signal::Signal::try_from(signal).unwrap();
    let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), signal);
}

/// A spawner, and the number of bytes that it has written so far.
fn spawner() -> (Target, Arc<AtomicU64>) {
    let mut target = Target::start(&["spawner"]);
    let mut out = target.0.0.stdout.take().unwrap();
    let progress = Arc::new(AtomicU64::new(0));
    let count = progress.clone();
    std::thread::spawn(move || {
        let mut buf = [0; 4096];
        while let Ok(n @ 1..) = out.read(&mut buf) {
            count.fetch_add(n as u64, Ordering::Relaxed);
        }
    });
    (target, progress)
}

fn attach(raw: &Path, target: &Target) -> Child {
    let mut tracer = Process::new(raw);
    tracer.args(["-f", "-q", "-p"]).arg(target.tid().to_string()).stderr(Stdio::null());
    tracer.spawn().unwrap()
}

/// A random number, from the clock.
fn some(below: u64) -> u64 {
    let t = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    ((t.subsec_nanos() as u64 / 7).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) % below
}

fn assert_runs_on(target: &Target, progress: &AtomicU64, what: &str) {
    let before = progress.load(Ordering::Relaxed);
    wait_until(&format!("{what}: progress"), || progress.load(Ordering::Relaxed) > before);
    assert!(!matches!(state(target.tid()), 't' | 'T'), "{what}: stopped");
}

/// Sends SIGKILL at random moments, 100 times or for 20 seconds, and at least 20 times.
#[test]
fn killing_stride_strands_no_one() {
    program!("victim");
    let raw = or_skip!(raw());
    let (target, progress) = spawner();
    let end = Instant::now() + Duration::from_secs(20);
    let mut rounds = 0;
    while rounds < 20 || rounds < 100 && Instant::now() < end {
        let mut tracer = attach(&raw, &target);
        std::thread::sleep(Duration::from_micros(500 + some(1 << 16)));
        tracer.kill().unwrap();
        tracer.wait().unwrap();
        assert_runs_on(&target, &progress, &format!("round {rounds}"));
        rounds += 1;
    }
    println!("{rounds} rounds");
}

#[test]
fn a_signal_detaches_from_attached_processes() {
    program!("victim");
    let raw = or_skip!(raw());
    let (target, progress) = spawner();
    for signal in [2, 15, 1, 3, 13] {
        let mut tracer = attach(&raw, &target);
        let status = format!("/proc/{}/status", target.tid());
        let traced = format!("TracerPid:\t{}\n", tracer.id());
        wait_until("being attached", || std::fs::read_to_string(&status).unwrap().contains(&traced));
        wait_until("handlers", || minds(tracer.id(), "SigCgt", signal));
        std::thread::sleep(Duration::from_micros(some(1 << 16)));
        kill(tracer.id() as Tid, signal);
        assert_eq!(tracer.wait().unwrap().signal(), Some(signal));
        assert_runs_on(&target, &progress, &format!("signal {signal}"));
    }
}

/// A signal to Stride reaches the command that it started. With `-I 3`, Stride ignores the signal.
#[test]
fn a_signal_is_passed_on_to_the_command() {
    let victim = program!("victim");
    let raw = or_skip!(raw());
    let scratch = Scratch::new("passed-on");
    for (level, handled) in [("2", "SigCgt"), ("3", "SigIgn")] {
        let mut tracer = Process::new(&raw)
            .args(["-I", level, "-e", "exit_group", "-o"])
            .arg(scratch.path("out"))
            .arg(victim)
            .arg("read")
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("what becomes of signal 15", || minds(tracer.id(), handled, 15));
        kill(tracer.id() as Tid, 15);
        let mut input = tracer.stdin.take().unwrap();
        if level == "3" {
            input.write_all(b"A").unwrap();
        }
        // The input stays open until here: its end would end the command as well, without the signal.
        let status = tracer.wait().unwrap();
        drop(input);
        match level {
            "2" => assert_eq!(status.signal(), Some(15), "{status}"),
            _ => assert!(status.success() && scratch.read("out").contains("status: 65"), "{status}"),
        }
    }
}

/// With `--kill-on-exit` the command dies with Stride.
#[test]
fn kill_on_exit() {
    let victim = program!("victim");
    let raw = or_skip!(raw());
    let mut tracer = Process::new(&raw)
        .args(["-q", "-k"])
        .arg(victim)
        .args(["spawner"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (tx, rx) = std::sync::mpsc::channel();
    let mut out = tracer.stdout.take().unwrap();
    std::thread::spawn(move || {
        let _ = tx.send(out.read_exact(&mut [0]).is_ok());
        let _ = out.read_to_end(&mut Vec::new());
        let _ = tx.send(true);
    });
    assert!(rx.recv_timeout(Duration::from_secs(60)).expect("the command does something"));
    tracer.kill().unwrap();
    tracer.wait().unwrap();
    // The command held the other end of the pipe.
    rx.recv_timeout(Duration::from_secs(60)).expect("the command lives on");
}

/// With `-D` the command is the caller's own child and gives the caller its exit status.
#[test]
fn daemonized() {
    let victim = program!("victim");
    let raw = or_skip!(raw());
    for level in 1..=3 {
        let scratch = Scratch::new(&format!("daemonized-{level}"));
        let out = scratch.path("out");
        let mut options = vec!["-D"; level];
        options.extend(["-e", "exit_group", "-o", out.to_str().unwrap()]);
        let mut child = Process::new(&raw).args(options).arg(victim).args(["exit", "6"]).spawn().unwrap();
        let pid = child.id();
        assert_eq!(child.wait().unwrap().code(), Some(6), "-D {level}");
        let text = wait_for("the tracer's last word", || {
            std::fs::read_to_string(&out).ok().filter(|text| text.contains("Exited"))
        });
        assert!(text.contains(&format!("{pid} enter")) && text.contains("status: 6"), "-D {level}: {text}");
    }
}

/// Neither Stride's ignored signals nor its descriptors. (The test is in this file because it needs a process of its
/// own.)
#[test]
fn the_command_inherits_nothing_of_stride() {
    let victim = program!("victim");
    let raw = or_skip!(raw());
    let scratch = Scratch::new("inherits");
    let out = scratch.path("out");
    // The test may have inherited an ignored signal or an open descriptor itself. Only a difference counts.
    let untraced = Process::new(victim).arg("env").status().unwrap().code().unwrap();
    for level in ["2", "4"] {
        assert!(
            Process::new(&raw)
                .args(["-I", level, "-e", "exit_group", "-o"])
                .arg(&out)
                .arg(victim)
                .arg("env")
                .status()
                .unwrap()
                .success()
        );
        let text = std::fs::read_to_string(&out).unwrap();
        assert!(text.contains(&format!("status: {untraced},")), "untraced {untraced}, but {text}");
    }
}
