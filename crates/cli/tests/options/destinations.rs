//! The destinations of output.

use crate::common::*;
use std::process::Stdio;

#[test]
fn output_to_a_command() {
    let scratch = Scratch::new("pipe");
    let log = scratch.path("log");
    let run = run(["-f", "-e", "trace=chdir", "-o", &format!("|cat > {}", log.display()), "sh", "-c", "cd /; exit 5"]);
    assert_eq!((run.code(), run.err.as_str()), (Some(5), ""));
    // The file is complete when Stride ends.
    lines_are(&scratch.read("log"), &[r#"\d+ +chdir\("/"\) += 0"#, r"\d+ +\+\+\+ exited with 5 \+\+\+"]);
}

#[test]
fn an_output_for_each_process() {
    let scratch = Scratch::new("ff");
    let mut command = stride();
    command.args(["-ff", "-o"]).arg(scratch.path("log")).args([
        "-e",
        "trace=chdir",
        "-e",
        "signal=none",
        "sh",
        "-c",
        "cd /; (cd /tmp); exit 1",
    ]);
    assert_eq!(Run::of(command).code(), Some(1));
    let files = std::fs::read_dir(scratch.path(".")).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap());
    let mut texts: Vec<String> = files.map(|name| scratch.read(&name)).collect();
    texts.sort();
    assert_eq!(texts.len(), 2, "{texts:?}");
    lines_are(&texts[0], &[r#"chdir\("/"\) +=.*"#, r"\+\+\+ exited with 1 \+\+\+"]);
    lines_are(&texts[1], &[r#"chdir\("/tmp"\) +=.*"#, r"\+\+\+ exited with 0 \+\+\+"]);
}

#[test]
fn output_is_appended_if_asked() {
    let scratch = Scratch::new("append");
    std::fs::write(scratch.path("trace"), "before\n").unwrap();
    let run = scratch.stride(["-A", "-e", "trace=none", "true"]);
    assert_eq!(run.trace, "before\n+++ exited with 0 +++\n");
    let run = scratch.stride(["-e", "trace=none", "true"]);
    assert_eq!(run.trace, "+++ exited with 0 +++\n");
}

#[test]
fn the_standard_streams_are_the_programs_alone() {
    let show = "readlink /proc/$PPID/fd/0 /proc/$PPID/fd/1; readlink /proc/self/fd/0";
    let mut command = stride();
    command.args(["-qq", "-e", "trace=none", "-e", "signal=none", "sh", "-c", show]).stdin(Stdio::piped());
    let output = command.stdout(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    let out = text(&output.stdout);
    lines_are(&out, &["/dev/null", "/dev/null", r"pipe:.*"]);
}

#[test]
fn summaries() {
    let calls = ["-e", "trace=chdir", "sh", "-c", "cd /; cd /; cd /nonexistent; exit 4"];
    let table = run(["-c", "-U", "calls,errors,name", "-S", "name"].into_iter().chain(calls));
    assert_eq!(table.code(), Some(4));
    let table: Vec<&str> = table.err.lines().filter(|l| !l.starts_with("sh: ")).collect();
    let table = table.join("\n");
    lines_are(
        &table,
        &[
            "    calls    errors syscall",
            "--------- --------- ----------------",
            " +3 +1 chdir",
            "--------- --------- ----------------",
            " +3 +1 total",
        ],
    );
    let both = run(["-C"].into_iter().chain(calls)).err;
    lines_include(
        &both,
        &[
            r#"chdir\("/"\) += 0"#,
            r"\+\+\+ exited with 4 \+\+\+",
            "% time     seconds  usecs/call     calls    errors syscall",
            r" *\d+\.\d\d +\d\.\d{6} +[\d.]+ +3 +1 chdir",
        ],
    );
}

#[test]
fn colours() {
    let plain = run(["-e", "trace=chdir", "sh", "-c", "cd /nonexistent; cd /"]).err;
    let painted = run(["--color=always", "-e", "trace=chdir", "sh", "-c", "cd /nonexistent; cd /"]).err;
    assert!(!plain.contains('\x1b'));
    assert!(
        painted.contains(
            "\x1b[33mchdir\x1b[0m(\x1b[35m\"/nonexistent\"\x1b[0m)                   = \x1b[32m-1\x1b[0m \x1b[31mENOENT"
        ),
        "{painted:?}"
    );
    // The text and the layout are the same.
    let stripped = regex::Regex::new("\x1b\\[[0-9;]*m").unwrap().replace_all(&painted, "").into_owned();
    assert_eq!(stripped, plain);
    let mut command = stride();
    command
        .args(["--color=always", "-e", "trace=chdir", "sh", "-c", "cd /"])
        .env("STRACE_COLORS", "SYSCALL = 1;95 :punct=36");
    assert!(Run::of(command).err.contains("\x1b[1;95mchdir\x1b[0m\x1b[36m(\x1b[0m"));
}
