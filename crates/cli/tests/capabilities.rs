//! A binary with the capabilities that eBPF needs, run by a user who has none; and root
//! without capabilities.

mod common;

use common::*;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The user that is usually called "nobody".
const USER: u32 = 65534;

/// A copy of Stride that everyone may run, with capabilities in its file.
struct Copy(PublicCopy);

impl Copy {
    fn new() -> Copy {
        Copy(PublicCopy::new("capabilities"))
    }

    fn stride(&self) -> PathBuf {
        self.0.stride()
    }

    /// Stride as [`USER`], who has no capabilities but those of the file.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.stride());
        command.args(args).env("LC_ALL", "C").uid(USER).gid(USER).current_dir("/");
        command
    }

    fn run(&self, args: &[&str]) -> Run {
        Run::of(self.command(args))
    }
}

#[test]
fn with_capabilities_in_its_file_stride_serves_an_ordinary_user_with_both_engines() {
    need_ebpf!();
    need!("/usr/sbin/setcap");
    if !is_root() {
        skip!("not root, who alone may give a file capabilities");
    }
    let copy = Copy::new();
    let setcap = Command::new("/usr/sbin/setcap").arg("cap_bpf,cap_perfmon+ep").arg(copy.stride()).status();
    if !setcap.unwrap().success() {
        skip!("files have no capabilities here");
    }
    let doctor = copy.run(&["--doctor"]);
    if doctor.out.contains("cap_bpf and cap_perfmon missing") {
        skip!("capabilities of files have no effect here: {}", doctor.out);
    }
    assert!(doctor.out.contains("  ok  trial load") && doctor.out.contains("  ok  ptrace(2)"), "{}", doctor.out);

    // All ways to choose ptrace. The command prints its remaining capabilities.
    let command = ["-e", "trace=write", "grep", "CapEff", "/proc/self/status"];
    let all: [&[&str]; 7] = [
        &["--engine=ptrace"],
        &["--engine=ptrace", "-f", "-D"],
        &["-Y", "-f"],
        &["--kill-on-exit"],
        &["--seccomp-bpf", "-f"],
        &["--engine=ebpf"],
        &["--engine=auto"],
    ];
    for options in all {
        let run = copy.run(&[options, &command].concat());
        assert_eq!((run.code(), run.out.as_str()), (Some(0), "CapEff:\t0000000000000000\n"), "{options:?}: {run:?}");
        if !options.contains(&"-D") {
            assert!(run.err.contains(r#"write(1, "CapEff:\t0000000000000000\n", 25)"#), "{options:?}: {run:?}");
        }
    }

    for engine in ENGINES {
        let mut cat = Command::new("cat");
        cat.uid(USER).gid(USER).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut cat = Killed(cat.spawn().unwrap());
        let mut input = cat.0.stdin.take().unwrap();
        let mut stride = copy.command(&[engine, "-e", "trace=write", "-p", &cat.0.id().to_string()]);
        let mut stride = Killed(stride.stderr(Stdio::piped()).spawn().unwrap());
        let mut said = std::io::BufReader::new(stride.0.stderr.take().unwrap());
        let mut line = String::new();
        std::io::BufRead::read_line(&mut said, &mut line).unwrap();
        assert!(line.contains("attached"), "{engine}: {line}");
        input.write_all(b"through\n").unwrap();
        drop(input);
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut said, &mut rest).unwrap();
        assert!(rest.contains(r#"write(1, "through\n", 8)"#), "{engine}: {line}{rest}");
    }
}

#[test]
fn a_root_whom_a_filter_or_a_namespace_keeps_from_bpf_is_told_so() {
    if !is_root() {
        skip!("not root");
    }
    let filtered = program!("filtered");
    let through = |words: &[&str]| {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).args([STRIDE, "--engine=ebpf", "true"]).env("LC_ALL", "C");
        Run::of(command)
    };
    let run = through(&[filtered.to_str().unwrap()]);
    assert_eq!(run.code(), Some(1), "{run:?}");
    assert!(run.err.contains("though the capabilities are there"), "{run:?}");
    assert!(run.err.contains("To use eBPF: allow bpf(2) in the seccomp filter that is active here"), "{run:?}");

    need!("/usr/bin/unshare");
    let run = through(&["/usr/bin/unshare", "--user", "--map-root-user"]);
    assert_eq!(run.code(), Some(1), "{run:?}");
    assert!(run.err.contains("To use eBPF: run Stride in the initial user namespace"), "{run:?}");
}

#[test]
fn a_root_without_capabilities_is_not_told_to_be_root() {
    need!("/usr/bin/setpriv");
    if !is_root() {
        skip!("not root");
    }
    let bare = |args: &[&str]| {
        let mut command = Command::new("/usr/bin/setpriv");
        command.args(["--bounding-set=-all", "--inh-caps=-all", "--", STRIDE]).args(args).env("LC_ALL", "C");
        Run::of(command)
    };
    let run = bare(&["--engine=ebpf", "true"]);
    assert_eq!(run.code(), Some(1), "{run:?}");
    assert!(run.err.contains("`--cap-add BPF --cap-add PERFMON`") && !run.err.contains("as root"), "{run:?}");

    let mut other = Command::new("sleep");
    let other = Killed(other.arg("60").uid(USER).gid(USER).spawn().unwrap());
    let run = bare(&["--engine=ptrace", "-p", &other.0.id().to_string()]);
    assert_eq!(run.code(), Some(1), "{run:?}");
    assert!(run.err.contains("cap_sys_ptrace") && run.err.contains("`--cap-add SYS_PTRACE`"), "{run:?}");
    assert!(!run.err.contains("as root"), "{run:?}");

    let doctor = bare(&["--doctor"]).out;
    assert!(doctor.contains("--cap-add BPF --cap-add PERFMON") && doctor.contains("--cap-add SYS_PTRACE"), "{doctor}");
    // Stride can still trace its own children.
    assert_eq!(bare(&["--engine=ptrace", "-o/dev/null", "true"]).code(), Some(0));
}
