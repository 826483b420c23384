//! How tracing ends before the tracees do, under both engines: by signals, by `-b`, by Stride's death.

mod common;

use common::*;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

fn with(engine: &str) -> Command {
    let mut command = Command::new(STRIDE);
    command.arg(engine).env("LC_ALL", "C").stdin(Stdio::null());
    command
}

fn pid(child: &Killed) -> Pid {
    Pid::from_raw(child.0.id() as i32)
}

/// A process that sits in a loop of short calls until it is killed. It leaves a mark each time around.
fn busy(scratch: &Scratch) -> Killed {
    let script = "while :; do cd /; echo; sleep 0.01; done";
    let marks = std::fs::File::create(scratch.path("marks")).unwrap();
    Killed(Command::new("sh").args(["-c", script]).stdout(marks).spawn().unwrap())
}

/// Waits until it has gone round a few times more.
fn goes_round(scratch: &Scratch) {
    let marks = || scratch.read("marks").len();
    let before = marks();
    wait_for("the target to go round", || (marks() > before + 2).then_some(()));
}

/// A script that says when it is ready and waits for being told to go on, but not for ever.
fn waiting_for_go(then: &str) -> String {
    format!(": > ready; n=0; until [ -e go ] || [ $n -gt 1000 ]; do n=$((n + 1)); sleep 0.01; done; {then}")
}

/// Neither stopped nor traced.
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
            wait_for("being attached", || scratch.read("err").contains(" attached\n").then_some(()));
            goes_round(&scratch);
            kill(pid(&tracer), signal).unwrap();
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
        wait_for("being attached", || scratch.read("err").contains(" attached\n").then_some(()));
        goes_round(&scratch);
        kill(pid(&tracer), Signal::SIGINT).unwrap();
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
        kill(pid(&tracer), Signal::SIGTERM).unwrap();
        assert_eq!(tracer.0.wait().unwrap().signal(), Some(15), "{engine}");
        wait_for("the command's own end", || scratch.path("got").exists().then_some(()));
    }
}

#[test]
fn signals_are_ignored_where_they_are_left_to_the_command() {
    for engine in engines() {
        // With -o and a command that is the default.
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
            kill(pid(&tracer), Signal::SIGINT).unwrap();
            kill(pid(&tracer), Signal::SIGTERM).unwrap();
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
        // Should it run before it is seen here, it is there until its input ends.
        let mut command = with(engine);
        command.args(["-o", "/dev/null", "cat"]).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut tracer = Killed(command.spawn().unwrap());
        let children = format!("/proc/{0}/task/{0}/children", tracer.0.id());
        if !std::path::Path::new(&children).exists() {
            skip!("/proc does not tell of children");
        }
        // It is forked first of all, and waits to be let go while the engine gets ready.
        let child = wait_for("the child", || {
            let children = std::fs::read_to_string(&children).ok()?;
            Some(children.split_whitespace().next()?.to_owned())
        });
        let _ = tracer.0.kill();
        drop(tracer.0.stdin.take());
        tracer.0.wait().unwrap();
        wait_for("its end", || {
            let stat = std::fs::read_to_string(format!("/proc/{child}/stat"));
            // Gone, or not yet reaped by whom it was left to.
            stat.map_or(true, |stat| stat.contains(") Z ")).then_some(())
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
            // The tracer finishes in its own time.
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
        // The last one is not waited for.
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
