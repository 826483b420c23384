//! The targets that Stride traces: processes, users, environments.

use crate::common::*;
use std::process::Stdio;
use stride_test_support::state::threads as threads_of;

#[test]
fn daemonized_the_command_is_the_callers_child() {
    let scratch = Scratch::new("daemon");
    for how in ["-D", "-DD", "-DDD"] {
        let log = scratch.path("log");
        let mut command = stride();
        command.arg(how).arg("-o").arg(&log).args(["-e", "trace=chdir", "sh", "-c", "echo $$ $PPID; cd /; exit 6"]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let pid = child.id();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(6), "{how}");
        assert_eq!(text(&output.stdout), format!("{pid} {}\n", std::process::id()), "{how}");
        // The tracer may end after the command.
        wait_for("the trace", || std::fs::read_to_string(&log).ok().filter(|t| t.contains("+++ exited")));
        lines_are(&scratch.read("log"), &[r#"chdir\("/"\) += 0"#, r"\+\+\+ exited with 6 \+\+\+"]);
        std::fs::remove_file(log).unwrap();
    }
}

/// Attaches, waits for the message about that, interrupts, and returns Stride's messages without its name.
fn attach_and_interrupt(args: &[&str], scene: &str, threads: usize) -> Option<(u32, String)> {
    let actor = compile("actor").ok()?;
    let target = ready(actor, scene);
    let pid = target.0.id();
    // The program prints `ready` before the call that is to be interrupted.
    wait_for("all threads to sleep", || {
        let asleep = threads_of(pid as i32).into_iter().filter(|&tid| state(tid) == Some('S')).count();
        (asleep == threads).then_some(())
    });
    let scratch = Scratch::new(&format!("attach-{scene}-{}", args.len()));
    let log = scratch.path("err");
    let mut command = stride();
    command.args(args).arg("-p").arg(pid.to_string()).stderr(std::fs::File::create(&log).unwrap());
    let mut tracer = Killed(command.spawn().unwrap());
    let waiting = |t: &String| t.matches(" attached\n").count() == threads && t.matches("resuming").count() == threads;
    wait_for("being attached", || Some(scratch.read("err")).filter(waiting));
    send(&tracer, nix::sys::signal::Signal::SIGINT);
    let status = tracer.0.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(2));
    // The process lives on, and is neither stopped nor traced.
    let status = wait_for("sleep", || {
        std::fs::read_to_string(format!("/proc/{pid}/status")).ok().filter(|s| s.contains("State:\tS (sleeping)"))
    });
    assert!(status.contains("TracerPid:\t0\n"));
    Some((pid, scratch.read("err").replace(STRIDE, "stride")))
}

#[test]
fn attached_and_let_go_in_the_middle_of_a_call() {
    let Some((pid, err)) = attach_and_interrupt(&[], "sleep_on", 1) else { skip!("no C compiler (cc)") };
    let resumed = r"restart_syscall\(<\.\.\. resuming interrupted (clock_)?nanosleep \.\.\.>";
    lines_are(
        &err,
        &[
            &format!("stride: Process {pid} attached"),
            &format!("{resumed}stride: Process {pid} detached"),
            " <detached [.]{3}>",
        ],
    );
}

#[test]
fn attached_with_all_threads() {
    let actor = program!("actor");
    let mut target = ready(actor, "sit_together");
    let pid = target.0.id();
    let scratch = Scratch::new("threads");
    let mut command = stride();
    command.args(["-f", "-e", "trace=none", "-o"]).arg(scratch.path("trace")).arg("-p").arg(pid.to_string());
    let tracer = command.stderr(std::fs::File::create(scratch.path("err")).unwrap()).spawn().unwrap();
    let mut tracer = Killed(tracer);
    scratch.wait_attached(3);
    let _ = target.0.kill();
    // Stride ends by itself when its target is gone.
    assert_eq!(tracer.0.wait().unwrap().code(), Some(0));
    let trace = scratch.read("trace");
    lines_are(&trace, &[r"\d+ +\+\+\+ killed by SIGKILL \+\+\+"; 3]);
    assert!(trace.contains(&pid.to_string()));
}

#[test]
fn one_target_and_a_command_are_told_apart() {
    let actor = program!("actor");
    let target = ready(actor, "sit_together");
    let scratch = Scratch::new("both");
    let pid = target.0.id().to_string();
    let kill = format!("cd /; kill -9 {pid}");
    let run = scratch.stride(["-e", "trace=chdir", "-e", "signal=none", "-p", &pid, "sh", "-c", &kill]);
    lines_include(&run.trace, &[r#"\d+ +chdir\("/"\) += 0"#]);
    lines_include(&run.trace, &[&format!(r"{pid} +\+\+\+ killed by SIGKILL \+\+\+")]);
    lines_include(&run.trace, &[r"\d+ +\+\+\+ exited with 0 \+\+\+"]);
}

#[test]
fn environment() {
    let mut command = stride();
    command.args([
        "-qq",
        "-e",
        "trace=none",
        "-e",
        "signal=none",
        "-E",
        "NEW=a=b",
        "-E",
        "OLD",
        "sh",
        "-c",
        "echo ${NEW-unset} ${OLD-unset} ${KEPT-unset}",
    ]);
    command.env("OLD", "x").env("KEPT", "y");
    assert_eq!(Run::of(command).out, "a=b unset y\n");
}

#[test]
fn another_user() {
    if !is_root() {
        skip!("only root can become another user");
    }
    let Ok(passwd) = std::fs::read_to_string("/etc/passwd") else { skip!("no /etc/passwd") };
    let Some(entry) = passwd.lines().find(|l| l.starts_with("nobody:")) else { skip!("no user nobody") };
    let ids: Vec<&str> = entry.split(':').skip(2).take(2).collect();
    let run = run(["-qq", "-e", "trace=none", "-e", "signal=none", "-u", "nobody", "sh", "-c", "id -u; id -g; id -ru"]);
    assert_eq!(run.out, format!("{}\n{}\n{0}\n", ids[0], ids[1]), "{}", run.err);
}

#[test]
fn the_name_can_be_another() {
    let run = run(["-a1", "-e", "trace=execve", "--argv0=other", "sh", "-c", "echo $0"]);
    assert_eq!(run.out, "other\n");
    lines_include(&run.err, &[r#"execve\("[^"]*/sh", \["other", "-c", "echo \$0"\], 0x\w+ /\* \d+ vars \*/\) = 0"#]);
}
