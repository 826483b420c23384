//! An ordinary user's Stride, with a broker that root has started.

mod common;

use common::broker::{Place, USER};
use common::*;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Without addresses, ids of processes, and what else differs from run to run.
fn settled(trace: &str) -> Vec<String> {
    let words = regex::Regex::new(r"0x[0-9a-f]+|\b[0-9]{3,}\b|si_[a-z]+=[0-9]+|\[pid +[0-9]+\] ").unwrap();
    trace.lines().map(|line| words.replace_all(line, "N").into_owned()).collect()
}

#[test]
fn a_user_sees_what_root_sees() {
    let place = or_skip!(Place::new("same"));
    let script = "cat /etc/hostname; read x < /etc/hostname; true";
    for options in [
        &["-a1", "-e", "trace=execve,openat,read,write,close,exit_group"][..],
        &["-f", "-a1", "-e", "trace=execve,openat,write,exit_group"],
        &["-f", "-a1", "-y", "-e", "trace=openat,read,write"],
        &["-c", "-U", "name,calls,errors", "-S", "name"],
        &["-f", "-c", "-U", "name,calls,errors", "-S", "name", "-e", "trace=openat,read,write,execve"],
        &["-a1", "-Z", "-e", "trace=access,openat"],
    ] {
        let args = [&["--engine=ebpf"], options, &["sh", "-c", script]].concat();
        let (own, roots) = (place.run(USER, &args), place.run(0, &args));
        assert_eq!((own.code(), roots.code()), (Some(0), Some(0)), "{options:?}: {own:?}");
        assert_eq!(own.out, roots.out);
        assert_eq!(settled(&own.err), settled(&roots.err), "{options:?}");
        assert!(own.err.lines().count() > 2, "{options:?}: {own:?}");
    }
    let facts = place.run(USER, &["-d", "true"]).err;
    assert!(facts.contains("engine: ebpf (stride-broker loads it)"), "{facts}");
}

#[test]
fn a_user_attaches_to_processes_of_the_users_own_and_to_no_others() {
    let place = or_skip!(Place::new("attach"));
    for user in [USER, 0] {
        let mut cat = Command::new("cat");
        cat.uid(user).gid(user).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut cat = Killed(cat.spawn().unwrap());
        wait_until_inside(cat.tid(), libc::SYS_read);
        let pid = cat.0.id().to_string();
        let mut stride = place.command(USER, &["--engine=ebpf", "-e", "trace=write", "-p", &pid]);
        let mut stride = Killed(stride.stderr(Stdio::piped()).spawn().unwrap());
        let mut said = std::io::BufReader::new(stride.0.stderr.take().unwrap());
        let mut line = String::new();
        std::io::BufRead::read_line(&mut said, &mut line).unwrap();
        let mut input = cat.0.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, b"through\n").unwrap();
        drop(input);
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut said, &mut rest).unwrap();
        if user == USER {
            assert!(line.contains("attached") && rest.contains(r#"write(1, "through\n", 8)"#), "{line}{rest}");
        } else {
            assert!(line.contains("Operation not permitted") && rest.contains("as root"), "{line}{rest}");
            assert!(!rest.contains("through"), "{rest}");
        }
    }
}

#[test]
fn a_program_that_becomes_privileged_runs_on_untraced() {
    let place = or_skip!(Place::new("suid"));
    let suid = place.set_user_id("/bin/cat");
    let file = place.scratch.path("secret");
    std::fs::write(&file, "for root\n").unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    let args = ["--engine=ebpf", suid.to_str().unwrap(), file.to_str().unwrap()];
    let run = place.run(USER, &args);
    // It has its rights, as it would not have under ptrace; Stride waits for it; and says what to do.
    assert_eq!((run.code(), run.out.as_str()), (Some(0), "for root\n"), "{run:?}");
    assert!(run.err.contains("became privileged") && run.err.contains("run Stride as root"), "{}", run.err);
    let calls: Vec<_> = run.err.lines().filter(|line| line.contains('(') && line.contains("...")).collect();
    assert!(calls.len() == 1 && calls[0].starts_with("execve("), "{}", run.err);
    assert!(!run.err.contains("for root"), "{}", run.err);
    let missing = place.run(USER, &["--engine=ebpf", suid.to_str().unwrap(), "/nowhere/at/all"]);
    assert_eq!(missing.code(), Some(1), "{missing:?}");
}

#[test]
fn if_the_broker_is_killed_the_program_lives_and_stride_says_so() {
    let mut place = or_skip!(Place::new("killed"));
    let mut stride = place.command(USER, &["--engine=ebpf", "-e", "trace=read", "sh", "-c", "exec cat 2>/dev/null"]);
    let stride = stride.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut stride = Killed(stride.unwrap());
    let cat = wait_for("the program", || first_child(stride.0.id()).filter(|&tid| is_inside(tid, libc::SYS_read)));
    let reads_terminal = || std::fs::read_to_string(format!("/proc/{cat}/comm")).is_ok_and(|comm| comm.trim() == "cat");
    wait_until("cat", reads_terminal);
    place.broker.0.kill().unwrap();
    place.broker.0.wait().unwrap();
    let mut input = stride.0.stdin.take().unwrap();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut stride.0.stderr.take().unwrap(), &mut said).unwrap();
    assert!(said.contains("stride-broker has ended") && said.contains("runs on"), "{said}");
    assert_eq!(stride.0.wait().unwrap().code(), Some(1), "{said}");
    // The program does its work.
    std::io::Write::write_all(&mut input, b"alive\n").unwrap();
    let mut line = [0; 6];
    std::io::Read::read_exact(stride.0.stdout.as_mut().unwrap(), &mut line).unwrap();
    assert_eq!(&line, b"alive\n");
}

#[test]
fn what_a_broker_does_not_trace_is_said_or_traced_with_ptrace() {
    let place = or_skip!(Place::new("unserved"));
    let run = place.run(USER, &["--engine=ebpf", "-k", "true"]);
    assert_eq!(run.code(), Some(1));
    assert!(run.err.contains(
        ": -k is not traced through stride-broker, only by root. Run Stride as root, or take --engine=ptrace"
    ));
    let run = place.run(USER, &["-d", "-k", "true"]);
    assert_eq!(run.code(), Some(0));
    assert!(run.err.contains("engine: ptrace (no eBPF: -k is not traced"), "{}", run.err);
    let doctor = place.run(USER, &["--doctor"]);
    assert!(
        doctor.out.contains("  ok  stride-broker") && doctor.out.contains("--engine=auto takes eBPF by stride-broker"),
        "{}",
        doctor.out
    );
}

/// A hint leads to an engine that serves the option, and the option has the name that was typed.
#[test]
fn options_that_only_root_has_are_told_by_their_names() {
    let place = or_skip!(Place::new("names"));
    for (args, name) in [
        (&["--all"][..], "--all"),
        (&["--comm=x"], "--comm"),
        (&["--exe=x", "-c"], "--exe"),
        (&["-u", "root"], "-u"),
        (&["--library-calls=libc:malloc", "true"], "--library-calls"),
        (&["--io-uring", "true"], "--io-uring"),
    ] {
        for engine in [&["--engine=ebpf"][..], &[]] {
            let run = place.run(USER, &[engine, args].concat());
            assert_eq!(run.code(), Some(1), "{args:?} {run:?}");
            let message = [format!(": {name} is not traced through"), format!(": {name} needs eBPF and root")];
            assert!(message.iter().any(|message| run.err.contains(message)), "{args:?}: {}", run.err);
            assert!(run.err.contains("Run Stride as root.") && !run.err.contains("--engine=ptrace"), "{}", run.err);
        }
    }
}

/// The client learns why it is not served.
#[test]
fn a_refusal_has_its_reason() {
    let place = or_skip!(Place::new("refusal"));
    let mut traces = Vec::new();
    for _ in 0..8 {
        let mut stride = place.command(USER, &["--engine=ebpf", "-e", "trace=none", "sh", "-c", "echo; read x"]);
        let mut stride = Killed(stride.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap());
        std::io::Read::read_exact(stride.0.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        traces.push(stride);
    }
    for _ in 0..5 {
        let run = place.run(USER, &["--engine=ebpf", "true"]);
        let message = "stride-broker: you have as many traces as one user may have at a time: end one of them";
        assert!(run.code() == Some(1) && run.err.contains(message), "{run:?}");
        assert!(run.err.contains("--engine=ptrace, which needs no privileges"), "{run:?}");
    }
}
