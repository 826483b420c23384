//! How tracing ends before the tracees do, under both engines: by signals, by `-b`, by Stride's death.

mod common;

use common::*;
use nix::sys::signal::Signal;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

fn with(engine: &str) -> Command {
    let mut command = Command::new(STRIDE);
    command.arg(engine).env("LC_ALL", "C").stdin(Stdio::null());
    command
}

/// A process that makes short calls in a loop until it is killed. It leaves a mark in each round.
fn busy(scratch: &Scratch) -> Killed {
    let script = "while :; do cd /; echo; sleep 0.01; done";
    let marks = std::fs::File::create(scratch.path("marks")).unwrap();
    Killed(Command::new("sh").args(["-c", script]).stdout(marks).spawn().unwrap())
}

/// Waits until the process has made a few more rounds.
fn goes_round(scratch: &Scratch) {
    let marks = || scratch.read("marks").len();
    let before = marks();
    wait_for("the target to go round", || (marks() > before + 2).then_some(()));
}

/// A script that reports when it is ready and waits for the word to go on, with a limit.
fn waiting_for_go(then: &str) -> String {
    format!(": > ready; n=0; until [ -e go ] || [ $n -gt 10000 ]; do n=$((n + 1)); sleep 0.01; done; {then}")
}

/// Checks that the process is neither stopped nor traced.
fn lives_on(target: &Killed) {
    let path = format!("/proc/{}/status", target.0.id());
    wait_for("the target to go on", || {
        let status = std::fs::read_to_string(&path).unwrap();
        (status.contains("TracerPid:\t0\n") && !status.contains("State:\tT") && !status.contains("State:\tt"))
            .then_some(())
    });
}

#[test]
fn a_signal_lets_go_and_stride_dies_of_it() {
    for engine in engines() {
        for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGPIPE] {
            let scratch = Scratch::new(&format!("signal{engine}-{signal}"));
            let target = busy(&scratch);
            let id = target.0.id();
            let mut command = with(engine);
            command.args(["-e", "trace=chdir", "-e", "signal=none", "-p", &id.to_string(), "-o"]);
            command.arg(scratch.path("trace")).stderr(std::fs::File::create(scratch.path("err")).unwrap());
            let mut tracer = Killed(command.spawn().unwrap());
            scratch.wait_attached(1);
            goes_round(&scratch);
            send(&tracer, signal);
            assert_eq!(tracer.0.wait().unwrap().signal(), Some(signal as i32), "{engine} {signal}");
            lives_on(&target);
            let err = scratch.read("err").replace(STRIDE, "stride");
            lines_are(&err, &[&format!("stride: Process {id} attached"), &format!("stride: Process {id} detached")]);
            let trace = scratch.read("trace");
            assert!(!trace.is_empty(), "{engine} {signal}: what was seen is lost");
            assert!(trace.lines().all(|l| is(l, r#"chdir\("/"\) += 0|chdir\("/".* <detached \.\.\.>"#)), "{trace}");
        }
    }
}

#[test]
fn what_was_counted_is_printed_when_interrupted() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("count{engine}"));
        let target = busy(&scratch);
        let mut command = with(engine);
        command.args(["-c", "-e", "trace=chdir", "-U", "calls,errors,name", "-p", &target.0.id().to_string()]);
        command.stderr(std::fs::File::create(scratch.path("err")).unwrap());
        let mut tracer = Killed(command.spawn().unwrap());
        scratch.wait_attached(1);
        goes_round(&scratch);
        send(&tracer, Signal::SIGINT);
        assert_eq!(tracer.0.wait().unwrap().signal(), Some(2), "{engine}");
        lines_include(&scratch.read("err"), &[" +calls +errors syscall", r" +\d+ +chdir", r" +\d+ +total"]);
        lives_on(&target);
    }
}

#[test]
fn a_command_gets_the_signal_that_ends_the_tracing() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("command{engine}"));
        let mut command = with(engine);
        let script = format!("trap 'echo got > got; exit' TERM; {}", waiting_for_go(":"));
        command
            .args(["-e", "trace=none", "-e", "signal=none", "-q", "sh", "-c", &script])
            .current_dir(scratch.path(""));
        let mut tracer = Killed(command.spawn().unwrap());
        wait_for("the command", || scratch.path("ready").exists().then_some(()));
        send(&tracer, Signal::SIGTERM);
        assert_eq!(tracer.0.wait().unwrap().signal(), Some(15), "{engine}");
        wait_for("the command's own end", || scratch.path("got").exists().then_some(()));
    }
}

#[test]
fn signals_are_ignored_where_they_are_left_to_the_command() {
    for engine in engines() {
        // With -o and a command, that is the default.
        for level in [None, Some("-I3"), Some("-I4")] {
            let scratch = Scratch::new(&format!("ignored{engine}-{}", level.unwrap_or("")));
            let mut command = with(engine);
            command.args(["-o", "trace", "-e", "trace=chdir"]).args(level).args([
                "sh",
                "-c",
                &waiting_for_go("exit 7"),
            ]);
            let mut tracer = Killed(command.current_dir(scratch.path("")).spawn().unwrap());
            wait_for("the command", || scratch.path("ready").exists().then_some(()));
            send(&tracer, Signal::SIGINT);
            send(&tracer, Signal::SIGTERM);
            std::fs::write(scratch.path("go"), "").unwrap();
            assert_eq!(tracer.0.wait().unwrap().code(), Some(7), "{engine} {level:?}");
            lines_include(&scratch.read("trace"), &[r"\+\+\+ exited with 7 \+\+\+"]);
        }
    }
}

#[test]
fn a_killed_tracer_leaves_the_command_running() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("killed{engine}"));
        let mut command = with(engine);
        let script = waiting_for_go("(echo done > done)");
        command.args(["-f", "-o", "trace", "-e", "trace=chdir", "sh", "-c", &script]).current_dir(scratch.path(""));
        let mut tracer = Killed(command.spawn().unwrap());
        wait_for("the command", || scratch.path("ready").exists().then_some(()));
        tracer.0.kill().unwrap();
        tracer.0.wait().unwrap();
        std::fs::write(scratch.path("go"), "").unwrap();
        wait_for("the command's end", || scratch.path("done").exists().then_some(()));
    }
}

#[test]
fn a_tracer_killed_while_it_starts_leaves_nobody_waiting() {
    for engine in engines() {
        // If cat runs before the test sees it, it stays until its input ends.
        let mut command = with(engine);
        command.args(["-o", "/dev/null", "cat"]).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut tracer = Killed(command.spawn().unwrap());
        need!("/proc/thread-self/children");
        // The child is forked first, and waits at its gate while the engine gets ready.
        let child = wait_for("the child", || first_child(tracer.0.id()));
        let _ = tracer.0.kill();
        drop(tracer.0.stdin.take());
        tracer.0.wait().unwrap();
        wait_for("its end", || {
            // The child is gone, or its new parent has not reaped it yet.
            state(child).is_none_or(|state| state == 'Z').then_some(())
        });
    }
}

#[test]
fn a_daemonized_tracer_makes_the_command_the_callers_child() {
    for engine in engines() {
        for how in ["-D", "-DD", "-DDD"] {
            let scratch = Scratch::new(&format!("daemon{engine}{how}"));
            let mut command = with(engine);
            command.arg(how).arg("-o").arg(scratch.path("trace"));
            command.args(["-e", "trace=chdir", "sh", "-c", "echo $$ $PPID; cd /; exit 6"]);
            let child = command.stdout(Stdio::piped()).spawn().unwrap();
            let pid = child.id();
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(6), "{engine} {how}");
            assert_eq!(text(&output.stdout), format!("{pid} {}\n", std::process::id()), "{engine} {how}");
            // The tracer may end after the command.
            wait_for("the trace", || scratch.read("trace").contains("+++ exited").then_some(()));
            lines_are(&scratch.read("trace"), &[r#"chdir\("/"\) += 0"#, r"\+\+\+ exited with 6 \+\+\+"]);
        }
    }
}

#[test]
fn programs_that_tracees_start_are_let_go() {
    need!("/bin/true");
    for engine in engines() {
        let scratch = Scratch::new(&format!("exec{engine}"));
        let mut command = with(engine);
        let script = "cd /; /bin/true; exec /bin/sh -c 'cd /tmp; exit 4'";
        command.args(["-f", "-b", "execve", "-e", "trace=execve,chdir", "-e", "signal=none", "-o"]);
        let run = Run::of({
            command.arg(scratch.path("trace")).args(["sh", "-c", script]);
            command
        });
        // Stride does not wait for the detached command.
        assert_eq!(run.code(), Some(0), "{engine}: {}", run.err);
        lines_are(
            &scratch.read("trace"),
            &[
                r#"\d+ +execve\(".*/sh", \["sh", "-c".*\) = 0"#,
                r#"\d+ +chdir\("/"\) += 0"#,
                r#"\d+ +execve\("/bin/true", .* <detached \.\.\.>"#,
                r#"\d+ +execve\("/bin/sh", .* <detached \.\.\.>"#,
            ],
        );
    }
}

#[test]
fn instruction_pointers() {
    for engine in engines() {
        let mut command = with(engine);
        command.args(["-i", "-a1", "-e", "trace=chdir", "sh", "-c", "cd /; kill $$"]);
        lines_are(
            &Run::of(command).err,
            &[
                r#"\[0000[0-9a-f]{12}\] chdir\("/"\) = 0"#,
                r"\[0000[0-9a-f]{12}\] --- SIGTERM \{.*\} ---",
                r"\[\?{16}\] \+\+\+ killed by SIGTERM \+\+\+",
            ],
        );
    }
}

/// Stride, blocked in writing to a pipe that nobody reads.
fn stuck(engine: &str, target: &Killed) -> Killed {
    let mut command = with(engine);
    command.args(["-p", &target.0.id().to_string()]).stderr(Stdio::piped());
    let tracer = Killed(command.spawn().unwrap());
    let call = format!("/proc/{}/syscall", tracer.0.id());
    let writing = format!("{} 0x2 ", libc::SYS_write);
    wait_for("a full pipe", || std::fs::read_to_string(&call).ok()?.starts_with(&writing).then_some(()));
    tracer
}

#[test]
fn a_second_signal_ends_stride_whatever_it_waits_for() {
    for engine in engines() {
        for signal in [Signal::SIGINT, Signal::SIGTERM] {
            let scratch = Scratch::new(&format!("second{engine}-{signal}"));
            let target = busy(&scratch);
            let mut tracer = stuck(engine, &target);
            let mut sent = 0;
            // Signals that follow each other closely count as one.
            let status = wait_for("its end", || {
                send(&tracer, signal);
                sent += 1;
                std::thread::sleep(std::time::Duration::from_millis(150));
                tracer.0.try_wait().unwrap()
            });
            assert_eq!(status.signal(), Some(signal as i32), "{engine}");
            assert!(sent >= 2, "{engine}: it was not stuck");
            lives_on(&target);
            goes_round(&scratch);
        }
    }
}

#[test]
fn what_follows_a_signal_does_not_take_its_place() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("follows{engine}"));
        let target = busy(&scratch);
        let mut tracer = stuck(engine, &target);
        send(&tracer, Signal::SIGINT);
        let err = tracer.0.stderr.take();
        // A signal that is not pending has been handled.
        let status = format!("/proc/{}/status", tracer.0.id());
        wait_for("the signal", || {
            std::fs::read_to_string(&status).ok()?.contains("ShdPnd:\t0000000000000000").then_some(())
        });
        drop(err);
        assert_eq!(tracer.0.wait().unwrap().signal(), Some(2), "{engine}");
        lives_on(&target);
    }
}

#[test]
fn a_signal_while_the_engine_gets_ready_reaches_the_command() {
    need_ebpf!();
    // The moment between the installation of the handlers and the loading of the programs is short, and a busy machine
    // may miss it. The summary is empty if Stride sees the signal before the command's execve has come through the
    // ring.
    for _ in 0..100 {
        let scratch = Scratch::new("early");
        let mut command = with(ENGINES[1]);
        command.args(["-I2", "-c", "-o"]).arg(scratch.path("trace")).args(["sleep", "100"]);
        let mut tracer = Killed(command.spawn().unwrap());
        need!("/proc/thread-self/children");
        let child = wait_for("the child", || first_child(tracer.0.id()));
        wait_until("handlers", || minds(tracer.0.id(), "SigCgt", Signal::SIGTERM as i32));
        let early = !has_bpf_programs(&tracer);
        send(&tracer, Signal::SIGTERM);
        assert_eq!(tracer.0.wait().unwrap().signal(), Some(15));
        wait_for("the command's end", || state(child).is_none_or(|state| state == 'Z').then_some(()));
        if early && scratch.read("trace").contains(" total\n") {
            return;
        }
    }
    panic!("Stride never said what it had seen");
}

fn has_bpf_programs(tracer: &Killed) -> bool {
    let mut fds = std::fs::read_dir(format!("/proc/{}/fd", tracer.0.id())).unwrap();
    fds.any(|fd| {
        std::fs::read_link(fd.unwrap().path()).is_ok_and(|target| target.to_string_lossy().contains("bpf-prog"))
    })
}

#[test]
fn a_limit_on_files_does_not_end_stride() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("limit{engine}"));
        let script = format!(
            "ulimit -f 1; exec {STRIDE} {engine} -f -e trace=none -e signal=XFSZ dd if=/dev/zero of=big bs=1M count=1"
        );
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(scratch.path(""));
        let run = Run::of(command);
        // The command still dies of SIGXFSZ.
        assert_eq!(run.signal(), Some(libc::SIGXFSZ), "{engine}: {run:?}");
        lines_include(&run.err, &[r"--- SIGXFSZ \{.*\} ---", r"\+\+\+ killed by SIGXFSZ( \(core dumped\))? \+\+\+"]);
    }
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -f 1; exec {STRIDE} --doctor")]);
    let run = Run::of(command);
    assert!(run.signal().is_none() && run.out.contains("eBPF engine"), "{run:?}");
}
/// The exit statuses in the manual, as a shell shows them.
#[test]
fn the_exit_status_says_why_it_ended() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("status{engine}"));
        std::fs::write(scratch.path("broken"), "limits = [\"total <= 1\"]\n").unwrap();
        let target = busy(&scratch);
        let shell = |script: &str| {
            let mut command = std::process::Command::new("sh");
            command.args(["-c", script, "sh"]).args([STRIDE, engine, &target.0.id().to_string()]);
            let run = Run::of({
                command.current_dir(scratch.path(""));
                command
            });
            run.out.trim().to_owned()
        };
        let interrupt = |signal: &str| {
            format!(
                ": >err; $1 $2 -p $3 -e trace=none 2>err & i=0; \
                 while ! grep -q attached err && [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done; \
                 kill -{signal} $!; wait $!; echo $?"
            )
        };
        assert_eq!(shell(&interrupt("INT")), "130", "{engine}");
        assert_eq!(shell(&interrupt("TERM")), "143", "{engine}");
        assert_eq!(shell("$1 $2 --budget=broken sh -c 'exit 7' 2>err; echo $?"), "3", "{engine}");
        assert_eq!(shell("$1 $2 -e trace=none sh -c 'exit 7' 2>err; echo $?"), "7", "{engine}");
        assert_eq!(shell("$1 $2 -p 2147483647 2>err; echo $?"), "1", "{engine}");
        lives_on(&target);
    }
}
