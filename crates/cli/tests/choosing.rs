//! Which engine is chosen, what is reported if an engine is not available, and `--doctor`.

mod common;

use common::*;
use std::process::Command;

/// Stride as the user nobody, who may not load programs.
struct Unprivileged(PublicCopy);

impl Unprivileged {
    fn new(name: &str) -> Result<Unprivileged, &'static str> {
        as_nobody().map(|_| Unprivileged(PublicCopy::new(name)))
    }

    fn run(&self, args: &[&str]) -> Run {
        let mut command = as_nobody().unwrap();
        command.arg(self.0.stride()).args(args).env("STRIDE_BROKER", "/nowhere");
        Run::of(command)
    }

    fn messages(&self, run: &Run) -> Vec<String> {
        let prefix = format!("{}: ", self.0.stride().display());
        run.err.lines().map(|l| l.strip_prefix(&prefix).unwrap_or(l).to_owned()).collect()
    }
}

fn row<'a>(report: &'a str, what: &str) -> &'a str {
    let row = report.lines().find(|l| l.get(6..).is_some_and(|l| l.starts_with(what)));
    row.unwrap_or_else(|| panic!("no row about {what}:\n{report}"))
}

#[test]
fn the_doctor_tells_what_works() {
    let mut command = Command::new(STRIDE);
    command.args(["-p", "1", "--doctor", "--nonsense"]);
    let run = Run::of(command);
    assert_eq!((run.code(), run.err.as_str()), (Some(0), ""));
    assert!(!run.out.contains('\x1b'), "colours in a pipe: {}", run.out);
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    assert!(run.out.lines().next().unwrap().contains(release.trim()), "{}", run.out);
    let works = stride_engine_ebpf::available().is_ok();
    let expected = if works {
        r"  ok  trial load        succeeded in \d+\.\d ms, with a ring buffer of \d+ MiB"
    } else {
        "  no  trial load .*"
    };
    assert!(is(row(&run.out, "trial load"), expected), "{}", run.out);
    assert!(is(row(&run.out, "ptrace(2)"), "  (ok|no)  ptrace.*"), "{}", run.out);
    assert_eq!(run.out.contains("To get eBPF: "), !works, "{}", run.out);
}

#[test]
fn the_doctor_tells_nobody_what_to_do() {
    let nobody = or_skip!(Unprivileged::new("doctor"));
    let run = nobody.run(&["--doctor"]);
    assert_eq!((run.code(), run.err.as_str()), (Some(0), ""));
    assert_eq!(row(&run.out, "capabilities"), "  no  capabilities      cap_bpf and cap_perfmon missing");
    assert!(row(&run.out, "stride-broker").starts_with("  no  stride-broker     /nowhere: "), "{}", run.out);
    assert!(run.out.contains("`systemctl enable --now stride-broker.socket`"), "{}", run.out);
}

#[test]
fn without_privilege_ebpf_is_refused_and_nothing_is_run() {
    let nobody = or_skip!(Unprivileged::new("refused"));
    let run = nobody.run(&["--engine=ebpf", "echo", "ran"]);
    assert_eq!((run.code(), run.out.as_str()), (Some(1), ""));
    let messages = nobody.messages(&run);
    let says = |i: usize, pattern: &str| assert!(is(&messages[i], pattern), "{messages:?}");
    says(0, r"loading eBPF programs takes cap_bpf and cap_perfmon, .*: Operation not permitted\)");
    says(1, "To use eBPF: run Stride as root, or have root start stride-broker, .*");
    says(2, "Or try --engine=ptrace, .*");
    assert_eq!(messages.len(), 3);
}

#[test]
fn the_capabilities_told_suffice() {
    need_ebpf!();
    let nobody = or_skip!(Unprivileged::new("caps"));
    let with = |caps: &str| {
        let mut command = as_nobody().unwrap();
        let caps = [("--inh-caps", caps), ("--ambient-caps", caps), ("--bounding-set", caps)];
        command.args(caps.map(|(option, caps)| format!("{option}=-all,{caps}")));
        command.arg("--no-new-privs").arg(nobody.0.stride());
        command.args(["--engine=ebpf", "-e", "trace=chdir", "sh", "-c", "cd /"]);
        Run::of(command)
    };
    let run = with("+bpf,+perfmon");
    lines_are(&run.err, &[r#"chdir\("/"\) += 0"#, r"\+\+\+ exited with 0 \+\+\+"]);
    for (caps, missing) in [("+bpf", "cap_perfmon"), ("+perfmon", "cap_bpf")] {
        let run = with(caps);
        let message = nobody.messages(&run).remove(0);
        assert!(message.starts_with(&format!("loading eBPF programs takes {missing}, ")), "{message}");
    }
}

#[test]
fn without_privilege_auto_takes_ptrace_without_a_word() {
    let nobody = or_skip!(Unprivileged::new("auto"));
    let run = nobody.run(&["--engine=auto", "-e", "trace=chdir", "sh", "-c", "cd /; echo ran"]);
    assert_eq!((run.code(), run.out.as_str()), (Some(0), "ran\n"));
    lines_are(&run.err, &[r#"chdir\("/"\) += 0"#, r"\+\+\+ exited with 0 \+\+\+"]);
    let run = nobody.run(&["--engine=auto", "-d", "-e", "trace=none", "true"]);
    assert!(is(&nobody.messages(&run)[0], r"engine: ptrace \(.*\)"), "{}", run.err);
}

#[test]
fn a_kernel_without_btf() {
    need!("/usr/bin/unshare", "/sys/kernel/btf/vmlinux");
    need_ebpf!();
    let scratch = Scratch::new("btf");
    std::fs::write(scratch.path("empty"), "").unwrap();
    let with = |engine: &str| {
        let script = "mount --bind \"$1\" /sys/kernel/btf/vmlinux && exec \"$0\" \"$2\" -e trace=chdir sh -c 'cd /'";
        let mut command = Command::new("/usr/bin/unshare");
        command.args(["-m", "sh", "-c", script, STRIDE]).arg(scratch.path("empty")).arg(format!("--engine={engine}"));
        Run::of(command)
    };
    let run = with("ebpf");
    if run.err.contains("unshare: ") || run.err.contains("mount: ") {
        skip!("no mount namespace: {}", run.err);
    }
    assert_eq!(run.code(), Some(1));
    assert_eq!(
        run.messages()[0],
        "the kernel does not provide its type information, BTF (/sys/kernel/btf/vmlinux is empty)",
        "{}",
        run.err
    );
    let run = with("auto");
    lines_are(&run.err, &[r#"chdir\("/"\) += 0"#, r"\+\+\+ exited with 0 \+\+\+"]);
}

#[test]
fn options_that_take_the_other_engine_are_named() {
    for (options, named) in
        [(&["--kill-on-exit"][..], "--kill-on-exit"), (&["-f", "--seccomp-bpf", "-e", "trace=chdir"], "--seccomp-bpf")]
    {
        let with = |engine: &str| {
            let mut command = Command::new(STRIDE);
            command.arg(engine).args(options).args(["sh", "-c", "cd /; echo ran"]);
            Run::of(command)
        };
        let run = with("--engine=ebpf");
        assert_eq!(run.messages(), [format!("{named} needs the ptrace engine: leave out --engine=ebpf")]);
        assert_eq!((run.code(), run.out.as_str()), (Some(1), ""));
        let run = with("--engine=auto");
        assert_eq!((run.code(), run.out.as_str()), (Some(0), "ran\n"));
        lines_include(&run.err, &[r#"chdir\("/"\) += 0"#]);
    }
}

/// Limits the number of descriptors so that some maps and programs cannot be created. Stride notices that when the
/// command is already waiting.
fn with_few_files(most: u32, args: &[&str]) -> Run {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -n {most}; exec \"$0\" \"$@\""), STRIDE]).args(args);
    Run::of(command)
}

#[test]
fn what_the_kernel_refuses_is_named_in_one_line() {
    need_ebpf!();
    let mut named = 0;
    // The number of open descriptors depends on the process that runs the tests.
    for most in 18..120 {
        let run = with_few_files(most, &["--engine=ebpf", "echo", "ran"]);
        if run.code() == Some(0) {
            break;
        }
        assert_eq!((run.code(), run.out.as_str()), (Some(1), ""));
        let messages = run.messages();
        if is(
            messages[0],
            r"the kernel refused the eBPF programs \((prog|map) '.*': .*(EMFILE|Too many open files).*\)",
        ) {
            assert_eq!(messages[1], "To use eBPF: allow more open files (`ulimit -n 256`).");
            named += 1;
        }
    }
    assert!(named >= 3, "{named}");
}

#[test]
fn auto_falls_back_with_the_command_waiting() {
    for how in [&[][..], &["-D"]] {
        let scratch = Scratch::new(&format!("fallback-{}", how.len()));
        let trace = scratch.path("trace").display().to_string();
        let mut args = vec!["--engine=auto", "-d", "-o", &trace, "-e", "trace=chdir"];
        args.extend(how);
        args.extend(["sh", "-c", "cd /; echo ran; exit 5"]);
        let run = with_few_files(22, &args);
        assert_eq!((run.code(), run.out.as_str()), (Some(5), "ran\n"), "{how:?}: {}", run.err);
        assert!(is(run.messages()[0], r"engine: ptrace \(.*\)"), "{how:?}: {}", run.err);
        // A daemonized tracer may end after the command.
        wait_for("the trace", || scratch.read("trace").contains("+++ exited").then_some(()));
        lines_are(&scratch.read("trace"), &[r#"chdir\("/"\) += 0"#, r"\+\+\+ exited with 5 \+\+\+"]);
    }
}
