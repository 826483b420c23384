//! `--tree`: the processes of a run, live and replayed, under both engines.

mod common;

use common::{Killed, Run, RunInScratch, Scratch, bare_stride, engines, is, lines_are, need};
use std::fs::File;
use std::process::{Command, Stdio};

/// `stride --tree -o tree` in this directory, with an environment of its own.
fn tree(scratch: &Scratch, options: &[&str], program: &[&str]) -> String {
    let mut command = bare_stride();
    command.args(["--tree", "-o", "tree"]).args(options).args(program).current_dir(scratch.path(""));
    command.env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C").env("SHARED", "1");
    // Shells set these.
    command.env("PWD", scratch.path("")).env("OLDPWD", "/");
    let run = Run::of(command);
    assert!(run.err.is_empty(), "{run:?}");
    scratch.read("tree")
}

/// The columns before the command.
const NUMBERS: &str = r" *[0-9.]+ (?:ns|µs|ms|s)  +[0-9,]+  +[0-9]+  +1  +";

const SCRIPT: &str =
    "exec 2>err; NEW=1 SHARED=2 sh -c 'exit 3'; sh -c 'kill -9 $$'; (exit 2); exec env -u SHARED true 'a b'";

#[test]
fn the_processes_of_a_script() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("tree-script{engine}"));
        let recorded = ["--record=rec", "-q", engine];
        let live = tree(&scratch, &recorded, &["sh", "-c", SCRIPT]);
        let line = |rest: &str| format!("{NUMBERS}{rest}");
        let below = |rest: &str| format!(" +{rest}");
        let branch = |rest: &str| line(&format!(r"exit [0-9]  +[0-9]+  [├└]─ {rest}"));
        lines_are(
            &live,
            &[
                " *time  +calls  +errors  +threads  +end  +pid  command",
                &line(r"exit 0  +[0-9]+  true 'a b'"),
                // (What a shell was told comes first: `env` is the second of three programs.)
                &below(r"│    before: env -u SHARED true 'a b'"),
                &branch("sh -c 'exit 3'"),
                &below(r"│       env: \+NEW ~SHARED"),
                &line(r"SIGKILL  +[0-9]+  ├─ sh -c 'kill -9 \$\$'"),
                &branch(r"\(fork of sh\)"),
                "env: variables that differ from the parent's: .*",
            ],
        );
        // A recording has the same tree, whichever views it was made for.
        let replayed = || {
            let mut command = bare_stride();
            command.args(["--replay=rec", "--tree"]).current_dir(scratch.path(""));
            Run::of(command).out
        };
        assert_eq!(replayed(), live, "{engine}");
        let mut command = bare_stride();
        command
            .args(["-f", "-q", "-o", "text", "--record=rec", engine, "sh", "-c", SCRIPT])
            .current_dir(scratch.path(""));
        assert_eq!(Run::of(command).err, "");
        for text in ["  true 'a b'", "├─ sh -c 'exit 3'", "env: +NEW ", "└─ (fork of sh)"] {
            assert!(replayed().contains(text), "{engine}: {text}: {}", replayed());
        }
        // The text shows as much of the arguments as it does without the tree.
        assert!(scratch.read("text").contains("[\"sh\", \"-c\", \"exec 2>err; NEW=1 SHARED=2 sh -c\"...], 0x"));
    }
}

/// Filters leave calls out, but not what processes are.
#[test]
fn filters_leave_commands_and_variables() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("tree-filter{engine}"));
        let shown = tree(
            &scratch,
            &[engine, "-e", "trace=chdir", "--record=rec", "-q"],
            &["sh", "-c", "A=1 sh -c 'cd /; cd /usr'; :"],
        );
        let lines: Vec<&str> = shown.lines().collect();
        assert!(
            is(lines[2], r" *[0-9.]+ (?:ns|µs|ms|s)  +2  +0  +1  +exit 0  +[0-9]+  └─ sh -c 'cd /; cd /usr'"),
            "{shown}"
        );
        assert!(is(lines[3], r" +env: \+A"), "{shown}");
        assert_eq!(scratch.replay(&["--tree"]).out, shown, "{engine}");
    }
}

/// A command line that is shown does the same again.
#[test]
fn command_lines_can_be_pasted() {
    need!("/bin/bash");
    let long = "x".repeat(3000);
    let hostile = "it's\n\u{1b}[31m \\ \"$HOME\" `id` *";
    for engine in engines() {
        let scratch = Scratch::new(&format!("tree-paste{engine}"));
        let words = ["sh", "-c", "printf '%s|' \"$@\" >out", "sh", hostile, "", &long, "größe"];
        let shown = tree(&scratch, &[engine], &words);
        let line = shown.lines().nth(1).unwrap();
        let command = &line[line.find("sh -c").unwrap_or_else(|| panic!("{shown}"))..];
        let written = scratch.read("out");
        assert_eq!(written, format!("{hostile}||{long}|größe|"), "{engine}");
        std::fs::remove_file(scratch.path("out")).unwrap();
        let pasted = Command::new("/bin/bash").args(["-c", command]).current_dir(scratch.path("")).status().unwrap();
        assert!(pasted.success(), "{command}");
        assert_eq!(scratch.read("out"), written, "{engine}: {command}");
    }
}

#[test]
fn a_process_that_ran_before_has_its_command() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("tree-attach{engine}"));
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "read x; /bin/true 'c d'; exit 4", "a b"]).stdin(Stdio::piped());
        let mut shell = Killed(shell.spawn().unwrap());
        let mut command = bare_stride();
        command.args(["--tree", "-o", "tree", "--record=rec", engine, "-p", &shell.tid().to_string()]);
        command.stdin(Stdio::null()).stderr(File::create(scratch.path("err")).unwrap()).current_dir(scratch.path(""));
        let mut stride = Killed(command.spawn().unwrap());
        scratch.wait_attached(1);
        drop(shell.0.stdin.take());
        shell.0.wait().unwrap();
        stride.0.wait().unwrap();
        let live = scratch.read("tree");
        let lines: Vec<&str> = live.lines().collect();
        assert!(
            is(
                lines[1],
                &format!(r"{NUMBERS}exit 4  +[0-9]+  /bin/sh -c 'read x; /bin/true '\\''c d'\\''; exit 4' 'a b'")
            ),
            "{live}"
        );
        assert!(is(lines[2], &format!(r"{NUMBERS}exit 0  +[0-9]+  └─ /bin/true 'c d'")), "{live}");
        assert_eq!(lines.len(), 3, "nobody knows the environment of a process from before: {live}");
        assert_eq!(scratch.replay(&["--tree"]).out, live, "{engine}");
    }
}

#[test]
fn options_that_do_not_fit() {
    for (option, message) in [
        ("--json", "--tree and --json exclude each other"),
        ("-ff", "--tree and -ff/--output-separately exclude each other"),
        ("--style=perf", "--tree and --style exclude each other"),
    ] {
        let mut command = bare_stride();
        command.args(["--tree", option, "true"]);
        let run = Run::of(command);
        assert!(run.code() == Some(1) && run.err.contains(message), "{run:?}");
    }
}
