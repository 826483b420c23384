//! `--style` and the name truss: lines as other tools write them.

mod common;

use common::*;
use std::process::{Command, Stdio};

fn run_in(scratch: &Scratch, args: &[&str]) -> Run {
    let mut command = bare_stride();
    command.args(args).current_dir(scratch.path(""));
    Run::of(command)
}

/// A line of perf's from the name of the call on, with `X` for addresses.
fn of_perf(text: &str) -> Vec<String> {
    let address = regex::Regex::new("0x[0-9a-f]+").unwrap();
    let comparable = ["close(", "munmap(", "mprotect(", "brk(", "mmap("];
    let lines = text.lines().filter_map(|line| Some(line.split_once("): cat/")?.1.split_once(' ')?.1));
    let lines = lines.filter(|line| comparable.iter().any(|name| line.starts_with(name)));
    // perf leaves one of its own descriptors open in the program.
    let descriptor = regex::Regex::new("fd: [0-9]").unwrap();
    let plain = |line: &str| descriptor.replace_all(&address.replace_all(line, "X"), "fd: N").into_owned();
    lines.map(plain).collect()
}

#[test]
fn perf_lines_are_those_of_perf() {
    need!("/bin/cat");
    for engine in engines() {
        let scratch = Scratch::new(&format!("perf{engine}"));
        std::fs::write(scratch.path("a"), "aaa\n").unwrap();
        let run = run_in(&scratch, &[*engine, "--style=perf", "-o", "trace", "/bin/cat", "a", "nothing"]);
        assert_eq!((run.code(), run.out.as_str()), (Some(1), "aaa\n"), "{run:?}");
        let text = scratch.read("trace");
        lines_include(
            &text,
            &[
                r#"     0\.000 \( *\d+\.\d{3} ms\): cat/\d+ execve\(filename: "/bin/cat", argv: 0x[0-9a-f]+, envp: 0x[0-9a-f]+\) += 0"#,
                r#" *\d+\.\d{3} \( *\d+\.\d{3} ms\): cat/\d+ openat\(dfd: CWD, filename: "a"\) += 3"#,
                r#" *\d+\.\d{3} \( *\d+\.\d{3} ms\): cat/\d+ openat\(dfd: CWD, filename: "nothing"\) += -1 ENOENT \(No such file or directory\)"#,
                r" *\d+\.\d{3} \(         \): cat/\d+ exit_group\(error_code: 1\) += \?",
            ],
        );
        // Lines about processes are strace's own.
        assert!(!text.contains("+++") && !text.contains("attached"), "{text}");
        let mut perf = Command::new("perf");
        perf.args(["trace", "-o", "theirs", "/bin/cat", "a", "nothing"]);
        perf.env("LC_ALL", "C").env("TZ", "UTC").env_remove("LD_LIBRARY_PATH");
        let done = perf.current_dir(scratch.path("")).stdout(Stdio::null()).stderr(Stdio::null()).status();
        if done.is_err() || of_perf(&scratch.read("theirs")).len() < 10 || scratch.read("theirs").contains("LOST") {
            println!("skipped: {}: perf trace does not work here", test_name());
            continue;
        }
        let theirs = of_perf(&scratch.read("theirs"));
        let ours = of_perf(&text);
        // Now and then perf finds out what a descriptor refers to before it is closed.
        for (ours, theirs) in ours.iter().zip(&theirs).filter(|(_, theirs)| !theirs.contains('<')) {
            assert_eq!(ours, theirs, "{engine}");
        }
        assert_eq!(ours.len(), theirs.len(), "{engine}");
    }
}

#[test]
fn perf_follows_children_and_does_not_cut_lines() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("perf-f{engine}"));
        let run = run_in(&scratch, &[*engine, "--style=perf", "-o", "trace", "sh", "-c", "sh -c 'exit 3'; exit 4"]);
        assert_eq!(run.code(), Some(4), "{run:?}");
        let text = scratch.read("trace");
        assert!(
            text.contains("exit_group(error_code: 3)") && text.contains("exit_group(error_code: 4)"),
            "{engine}: {text}"
        );
        assert!(!text.contains("unfinished") && !text.contains("resumed"), "{engine}: {text}");
        assert!(text.lines().all(|line| line.contains("): sh/")), "{engine}: {text}");
    }
}

/// Stride with the name truss.
fn truss(scratch: &Scratch, args: &[&str]) -> Run {
    let link = scratch.path("truss");
    if !link.exists() {
        std::os::unix::fs::symlink(STRIDE, &link).unwrap();
    }
    let mut command = Command::new(link);
    command.env("LC_ALL", "C").env("TZ", "UTC").env_remove("LD_LIBRARY_PATH").args(args).current_dir(scratch.path(""));
    Run::of(command)
}

#[test]
fn truss_lines() {
    need!("/bin/cat");
    for engine in engines() {
        let scratch = Scratch::new(&format!("truss{engine}"));
        std::fs::write(scratch.path("a"), "hello, \x01\n").unwrap();
        let run = truss(&scratch, &[engine, "-a", "-o", "out", "/bin/cat", "a", "nothing"]);
        assert_eq!((run.code(), run.out.as_str()), (Some(1), "hello, \x01\n"), "{run:?}");
        lines_include(
            &scratch.read("out"),
            &[
                r#"execve\("/bin/cat", \[\.\.\.\], 0x[0-9A-Fa-f]+.*\)  argc = 3"#,
                r" argv: /bin/cat a nothing",
                r#"openat\(AT_FDCWD, "a", O_RDONLY\)                 = 3"#,
                r#"(read\(3, " h e l l o ,  01\\n", 131072\) +|copy_file_range\(3, .*)= [0-9].*"#,
                r#"openat\(AT_FDCWD, "nothing", O_RDONLY\)           Err#2 ENOENT"#,
                r"_exit\(1\)",
            ],
        );
        let script = "sh -c 'exit 3'; kill -TERM $$";
        let run =
            truss(&scratch, &[engine, "-fd", "-t", "exit,kill", "-s", "SIGTERM", "-o", "out", "sh", "-c", script]);
        assert_eq!(run.signal(), Some(15), "{run:?}");
        let text = scratch.read("out");
        lines_are(
            &text,
            &[
                r"Base time stamp:  \d+\.\d{4}  \[ \d\d:\d\d:\d\d \]",
                r"\d+:\t [ \d]\d*\.\d{4}\t_exit\(3\)",
                r"\d+:\t [ \d]\d*\.\d{4}\tkill\(\d+, SIGTERM\) += 0",
                r"\d+:\t [ \d]\d*\.\d{4}\t    Received signal #15, SIGTERM",
                r"\d+:\t [ \d]\d*\.\d{4}\t      siginfo: \{si_signo=SIGTERM, .*\}",
                r"\d+:\t [ \d]\d*\.\d{4}\t\t\*\*\* process killed \*\*\*",
            ],
        );
    }
}

#[test]
fn truss_totals() {
    need!("/bin/cat");
    for engine in engines() {
        let scratch = Scratch::new(&format!("truss-c{engine}"));
        std::fs::write(scratch.path("a"), "aaa\n").unwrap();
        let run = truss(&scratch, &[engine, "-c", "-t", "open,close", "-o", "out", "/bin/cat", "a", "nothing"]);
        assert_eq!(run.code(), Some(1), "{run:?}");
        lines_are(
            &scratch.read("out"),
            &[
                "syscall               seconds   calls  errors",
                r"close                 *\d*\.\d{3} +\d+",
                r"openat                *\d*\.\d{3} +\d+ +\d+",
                "                     --------  ------   ----",
                r"sys totals: +\d*\.\d{3} +\d+ +\d+",
                r"usr time: +\d*\.\d{3}",
                r"elapsed: +\d*\.\d{3}",
            ],
        );
    }
}

#[test]
fn the_option_does_what_the_name_does() {
    let scratch = Scratch::new("truss-option");
    let script = "exit 5";
    let ours = run_in(&scratch, &["--style=truss", "-t", "_exit", "-o", "out", "sh", "-c", script]);
    assert_eq!((ours.code(), scratch.read("out").as_str()), (Some(5), "_exit(5)\n"), "{ours:?}");
    let refused = run_in(&scratch, &["--style=truss", "-S", "SIGINT", "sh", "-c", script]);
    assert_eq!(refused.code(), Some(1));
    assert!(refused.err.contains("truss's -S has no counterpart"), "{refused:?}");
    let unknown = run_in(&scratch, &["--style=ktap", "sh", "-c", script]);
    assert!(unknown.err.contains("invalid --style argument: 'ktap'; it may be perf, strace, truss"), "{unknown:?}");
}

/// A recording is shown in any style.
#[test]
fn styles_of_replays() {
    need!("/bin/cat");
    let scratch = Scratch::new("style-replay");
    let run = run_in(&scratch, &["--engine=ptrace", "--record=rec", "-q", "/bin/cat", "nothing"]);
    assert_eq!(run.code(), Some(1), "{run:?}");
    let perf = scratch.replay(&["--style=perf"]);
    assert!(perf.out.contains(r#"openat(dfd: CWD, filename: "nothing")"#), "{perf:?}");
    let mut command = bare_stride();
    command.args(["--style=truss", "--replay=rec"]).current_dir(scratch.path(""));
    let truss = Run::of(command);
    assert!(truss.out.contains("Err#2 ENOENT") && truss.out.ends_with("_exit(1)\n"), "{truss:?}");
}
