//! Which calls Stride shows.

use crate::common::*;

#[test]
fn a_limit() {
    let scratch = Scratch::new("limit");
    let script = "cd /; cd /tmp; cd /; cd /tmp; echo done; exit 3";
    let run = scratch.stride(["--syscall-limit=3", "-e", "trace=chdir", "sh", "-c", script]);
    lines_are(&run.trace, &[r#"chdir\("/"\) +.*"#, r#"chdir\("/tmp"\) +.*"#, r#"chdir\("/"\) +.*"#]);
    assert_eq!(run.messages(), ["System call limit has been reached, detaching tracees"]);
    wait_for("the program", || run.out.contains("done").then_some(()));
}

#[test]
fn a_limit_counts_what_is_shown() {
    let scratch = Scratch::new("limit-status");
    let script = "cd /; cd /no1; cd /; cd /no2; cd /; cd /no3";
    let run = scratch.stride(["--syscall-limit=2", "-Z", "-e", "trace=chdir", "sh", "-c", script]);
    lines_are(&run.trace, &[r#"chdir\("/no1"\) += -1 ENOENT .*"#, r#"chdir\("/no2"\) += -1 ENOENT .*"#]);
}

#[test]
fn only_what_succeeded_or_failed() {
    let scratch = Scratch::new("status");
    let with = |option: &str| {
        scratch.stride([option, "-qq", "-e", "trace=chdir", "sh", "-c", "cd /; cd /nonexistent; cd /"]).trace
    };
    lines_are(&with("-z"), &[r#"chdir\("/"\) += 0"#; 2]);
    lines_are(&with("-Z"), &[r#"chdir\("/nonexistent"\) += -1 ENOENT \(No such file or directory\)"#]);
    assert_eq!(with("--status=none"), "");
    assert_eq!(with("--status=all").lines().count(), 3);
}

#[test]
fn paths_and_descriptors() {
    let scratch = Scratch::new("paths");
    std::fs::write(scratch.path("a"), "aaa\n").unwrap();
    std::fs::write(scratch.path("b"), "bbb\n").unwrap();
    need!("/bin/cat");
    let a = scratch.path("a");
    let run = scratch.stride(["-e", "quiet=path-resolution,exit", "-P"].map(AsRef::as_ref).into_iter().chain([
        a.as_os_str(),
        "/bin/cat".as_ref(),
        a.as_os_str(),
        "b".as_ref(),
    ]));
    assert_eq!(run.out, "aaa\nbbb\n");
    let a = regex::escape(&a.to_string_lossy());
    lines_include(
        &run.trace,
        &[
            &format!(r#"openat\(AT_FDCWD, "{a}", O_RDONLY\) += 3"#),
            r#"read\(3, "aaa\\n", \d+\) += 4"#,
            r"close\(3\) += 0",
        ],
    );
    assert!(!run.trace.contains("bbb") && !run.trace.contains("exit_group"), "{}", run.trace);
    let run = scratch.stride(["-qq", "--trace-fds=1", "/bin/cat", "b"]);
    lines_include(&run.trace, &[r#"write\(1, "bbb\\n", 4\) += 4"#]);
    assert!(run.trace.lines().all(|l| l.contains("(1,") || l.contains("(1)") || l.contains(", 1, ")), "{}", run.trace);
}

#[test]
fn calls_without_a_name_are_always_shown() {
    let actor = program!("actor");
    let scratch = Scratch::new("unknown");
    for set in ["none", "read", "!all"] {
        let run = scratch.stride([
            "-qq".as_ref(),
            "-e".as_ref(),
            format!("trace={set}").as_ref(),
            actor.as_os_str(),
            "unknown".as_ref(),
        ]);
        let pattern = r"syscall_0x7d[01]\(.*\) += -1 ENOSYS \(Function not implemented\)";
        assert_eq!(run.trace.lines().filter(|l| is(l, pattern)).count(), 2, "{set}: {}", run.trace);
    }
}

#[test]
fn signals_to_show() {
    let scratch = Scratch::new("signals");
    let script = "trap : USR1 USR2; kill -USR1 $$; kill -USR2 $$";
    let with = |set: &str| scratch.stride(["-qq", "-e", "trace=none", "-e", set, "sh", "-c", script]).trace;
    lines_are(&with("signal=USR1"), &["--- SIGUSR1 .* ---"]);
    lines_are(&with("signal=!SIGUSR1"), &["--- SIGUSR2 .* ---"]);
    assert_eq!(with("signal=none"), "");
}
