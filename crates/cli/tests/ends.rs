//! Tracing ends with the last traced thread, whatever happened to the others. If Stride waits for an end that nobody
//! reports, the test kills it and fails.

mod common;

use common::*;
use nix::sys::signal::Signal;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

const EBPF: &str = ENGINES[1];

/// An actor that waits for the end of its input, and the first word that it printed.
struct Waiting {
    actor: Killed,
    said: String,
}

impl Waiting {
    fn start(actor: &Path, scene: &str, says: bool) -> Waiting {
        let mut command = Command::new(actor);
        command.arg(scene).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut actor = Killed(command.spawn().unwrap());
        let mut said = String::new();
        let out = actor.0.stdout.as_mut().unwrap();
        while says && !said.ends_with('\n') {
            let mut byte = [0];
            out.read_exact(&mut byte).unwrap();
            said.push(byte[0].into());
        }
        Waiting { actor, said: said.trim().to_owned() }
    }

    fn id(&self) -> String {
        self.actor.0.id().to_string()
    }

    fn go(&mut self) {
        drop(self.actor.0.stdin.take());
    }
}

fn stride_to(scratch: &Scratch, args: &[&str]) -> Killed {
    std::fs::write(scratch.path("trace"), "").unwrap();
    let mut command = Command::new(STRIDE);
    command.args([EBPF, "-a1", "-o"]).arg(scratch.path("trace")).args(args).env("LC_ALL", "C");
    command.stdin(Stdio::null()).stderr(std::fs::File::create(scratch.path("err")).unwrap());
    Killed(command.spawn().unwrap())
}

/// Waits for the end of the process, with a limit.
#[track_caller]
fn ends(stride: &mut Killed) -> Option<i32> {
    wait_for("Stride's end", || stride.0.try_wait().unwrap()).code()
}

#[test]
fn a_child_that_asks_not_to_be_traced_is_not_followed() {
    need_ebpf!();
    let program = program!("untraced");
    for engine in ENGINES {
        for how in [&[][..], &["clone3"]] {
            let mut command = Command::new(STRIDE);
            command
                .args([engine, "-f", "-a1", "-e", "trace=sethostname", "-e", "signal=none"])
                .arg(program.as_os_str())
                .args(how);
            let run = Run::of(command);
            assert_eq!(run.code(), Some(0), "{engine} {how:?}: {run:?}");
            lines_are(&run.err, &[r"sethostname\(.*\) = -1 E\w+ \(.*\)", r"\+\+\+ exited with 0 \+\+\+"]);
        }
    }
}

#[test]
fn the_call_that_seccomp_kills_for_is_shown() {
    let program = program!("confined");
    for &engine in engines() {
        let run = |args: &[&str]| {
            let mut command = Command::new(STRIDE);
            command.args([engine, "-f", "-q", "-a1", "-y", "-e", "trace=lseek,chdir"]).arg(&*program).args(args);
            let run = Run::of(command);
            run.err
                .lines()
                .map(|line| format!("{}\n", line.split_once("] ").map_or(line, |both| both.1)))
                .collect::<String>()
        };
        let seek = r"lseek\(0</dev/null>, 123456789, SEEK_END\) = \?";
        lines_are(&run(&["strict"]), &[seek, r"\+\+\+ killed by SIGKILL \+\+\+"]);
        lines_are(
            &run(&["strict", "thread"]),
            &[seek, r"\+\+\+ killed by SIGKILL \+\+\+", r"\+\+\+ exited with 0 \+\+\+"],
        );
        lines_are(
            &run(&["thread", "thread"]),
            &[seek, r"\+\+\+ killed by SIGSYS \+\+\+", r"\+\+\+ exited with 0 \+\+\+"],
        );
        // A signal that nobody may handle ends the process: the call has returned by then, and a ptrace tracer does not
        // see the signal.
        for how in ["thread", "process"] {
            // (It has not reached the place where eBPF looks for descriptors.)
            let returned = r"lseek\(0(?:</dev/null>)?, 123456789, SEEK_END\) = \d+";
            lines_are(&run(&[how]), &[returned, r"\+\+\+ killed by SIGSYS (?:\(core dumped\) )?\+\+\+"]);
        }
        // Before Linux 6.16, the memory of a thread is gone when eBPF sees its end.
        let gone = engine == EBPF && kernel_version() < (6, 16);
        let path = if gone { r"chdir\(0x\w+\) = \?" } else { r#"chdir\("/confined"\) = \?"# };
        lines_are(&run(&["path"]), &[path, r"\+\+\+ killed by SIGKILL \+\+\+"]);
    }
}

#[test]
fn a_command_whose_other_thread_calls_execve() {
    need_ebpf!();
    let actor = program!("actor");
    let mut command = Command::new(STRIDE);
    command.args([EBPF, "-a1", "-e", "trace=execve,exit_group"]).arg(actor).arg("exec_from_thread");
    let run = Run::of(command);
    assert_eq!(run.code(), Some(0), "{run:?}");
    lines_are(
        &run.err,
        &[
            r#"execve\(".*", \[".*"(?:\.\.\.)?, "exec_from_thread"\], 0x\w+ /\* \d+ vars \*/\) = 0"#,
            r"exit_group\(0\) = \?",
            r"\+\+\+ exited with 0 \+\+\+",
        ],
    );
}

#[test]
fn an_execve_takes_the_place_of_a_thread_that_has_ended() {
    need_ebpf!();
    let actor = program!("actor");
    for follow in [&[][..], &["-f"]] {
        let mut command = Command::new(STRIDE);
        command.args([EBPF, "-a1", "-e", "trace=exit,exit_group"]).args(follow).arg(actor).arg("exec_for_the_dead");
        let run = Run::of(command);
        assert_eq!(run.code(), Some(0), "{run:?}");
        lines_include(&run.err, &[r"(\[pid +\d+\] )?exit_group\(0\) = \?", r"\+\+\+ exited with 0 \+\+\+"]);
        // Only a thread that was traced itself is superseded. Without -f, it goes on as the traced thread.
        assert_eq!(run.err.matches("+++ superseded by").count(), follow.len(), "{}", run.err);
        assert_eq!(run.err.matches("+++ exited").count(), 1, "{}", run.err);
    }
}

#[test]
fn a_thread_that_is_attached_to_and_replaced() {
    need_ebpf!();
    let actor = program!("actor");
    for follow in [&[][..], &["-f"]] {
        let scratch = Scratch::new(&format!("replaced{}", follow.len()));
        let mut target = Waiting::start(actor, "exec_when_told", false);
        let comm = format!("/proc/{}/task", target.id());
        wait_for("its other thread", || (std::fs::read_dir(&comm).ok()?.count() == 2).then_some(()));
        let id = target.id();
        let mut stride = stride_to(&scratch, &[&["-e", "trace=exit_group", "-p", &id], follow].concat());
        scratch.wait_attached(1);
        target.go();
        assert_eq!(ends(&mut stride), Some(0));
        let trace = scratch.read("trace");
        lines_include(&trace, &[r".*exit_group\(0\) = \?", r".*\+\+\+ exited with 0 \+\+\+"]);
        assert_eq!(trace.matches("+++ superseded by").count(), follow.len(), "{trace}");
    }
}

#[test]
fn a_process_ends_with_its_last_thread_traced_or_not() {
    need_ebpf!();
    let actor = program!("actor");
    for follow in [&[][..], &["-f"]] {
        let mut command = Command::new(STRIDE);
        command.args([EBPF, "-a1", "-e", "trace=exit"]).args(follow).arg(actor).arg("first_leaves");
        let run = Run::of(command);
        // This is the status of the process, not of its first thread.
        assert_eq!(run.code(), Some(9), "{run:?}");
        lines_include(&run.err, &[r".*exit\(42\) = \?", r"\+\+\+ exited with 9 \+\+\+"]);
        assert!(!run.err.contains("with 42"), "{}", run.err);
    }
}

#[test]
fn attaching_to_what_has_ended() {
    need_ebpf!();
    let actor = program!("actor");
    let zombie = Waiting::start(actor, "leave_a_zombie", true);
    let mut headless = Waiting::start(actor, "first_leaves", true);
    let (id, stat) = (headless.id(), format!("/proc/{}/stat", headless.id()));
    wait_for("its first thread's end", || std::fs::read_to_string(&stat).ok()?.contains(") Z ").then_some(()));
    for (args, why) in [
        (&["-p", &zombie.said][..], "it has ended and is a zombie: its parent has not waited for it yet"),
        (&["-f", "-p", &zombie.said], "it has ended and is a zombie: its parent has not waited for it yet"),
        (&["-p", &id], "this thread has ended, but others of its process live on: add -f to trace them"),
    ] {
        let mut command = Command::new(STRIDE);
        command.arg(EBPF).args(args).env("LC_ALL", "C");
        let run = Run::of(command);
        let pid = args.last().unwrap();
        assert_eq!(
            (run.code(), run.messages()),
            (Some(1), vec![&*format!("attach: {pid}: Operation not permitted ({why})")])
        );
    }
    let scratch = Scratch::new("headless");
    let mut stride = stride_to(&scratch, &["-f", "-e", "trace=exit_group", "-p", &id]);
    scratch.wait_attached(1);
    headless.go();
    assert_eq!(ends(&mut stride), Some(0));
    lines_are(&scratch.read("trace"), &[r"\d+ +exit_group\(9\) = \?", r"\d+ +\+\+\+ exited with 9 \+\+\+"]);
}

#[test]
fn attaching_where_threads_come_and_go() {
    need_ebpf!();
    let actor = program!("actor");
    let scratch = Scratch::new("churn");
    for _ in 0..24 {
        let mut target = Waiting::start(actor, "churn", true);
        let mut stride = stride_to(&scratch, &["-f", "-e", "trace=none", "-p", &target.id()]);
        scratch.wait_attached(1);
        target.go();
        assert_eq!(ends(&mut stride), Some(0));
    }
}

#[test]
fn all_ignored_signals_are_shown_behind_the_call_they_came_in() {
    need_ebpf!();
    let actor = program!("actor");
    let mut command = Command::new(STRIDE);
    command.args([EBPF, "-a1", "-e", "trace=read,close"]).arg(actor).arg("ignored_in_a_call");
    let run = Run::of(command);
    let lines = run.err.lines().skip_while(|line| !line.ends_with(r#""x", 1) = 1"#));
    let end = lines.filter(|line| !line.contains("SIGCHLD")).collect::<Vec<_>>().join("\n");
    let signals = ["WINCH", "URG", "CONT"].map(|name| format!(r"--- SIG{name} \{{.*\}} ---"));
    let mut expected = vec![r#"read\(\d+, "x", 1\) = 1"#];
    expected.extend(signals.iter().map(String::as_str).cycle().take(20));
    expected.extend([r"close\(-1\) = -1 EBADF \(Bad file descriptor\)", r"\+\+\+ exited with 0 \+\+\+"]);
    lines_are(&end, &expected);
}

/// Calls wait in the ring while nobody reads Stride's output. The threads were left when tracing ended, and not when the last of these calls was shown.
#[test]
fn threads_are_left_when_tracing_ends_however_late_that_is_shown() {
    need_ebpf!();
    let scratch = Scratch::new("left-late");
    let mut dd = Command::new("dd");
    let dd = dd.args(["if=/dev/zero", "of=/dev/null", "bs=1"]).stderr(Stdio::null()).spawn();
    let dd = Killed(dd.unwrap());
    let mut command = Command::new(STRIDE);
    command.args([EBPF, "--json", "-e", "trace=read", "-p", &dd.0.id().to_string()]).stderr(Stdio::piped());
    let mut stride = Killed(command.current_dir(scratch.path("")).spawn().unwrap());
    let mut lines = BufReader::new(stride.0.stderr.take().unwrap()).lines().map(Result::unwrap);
    let is_call = |line: &String| line.starts_with(r#"{"type":"call""#);
    lines.find(is_call).unwrap();
    // Nobody reads meanwhile, and the ring fills.
    sleep(Duration::from_millis(500));
    send(&stride, Signal::SIGINT);
    lines.by_ref().take(2000).for_each(drop);
    sleep(Duration::from_secs(3));
    let at = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["start_ns"].as_u64().unwrap();
    let (mut last_call, mut left) = (0, None);
    for line in lines {
        if is_call(&line) {
            last_call = at(&line);
        } else if line.starts_with(r#"{"type":"detach""#) {
            left = Some(at(&line));
        }
    }
    ends(&mut stride);
    let late = left.expect("the thread was left").saturating_sub(last_call);
    assert!(
        late < 1_000_000_000,
        "the thread was left {late} ns after the latest of the calls that it makes all the time"
    );
}
