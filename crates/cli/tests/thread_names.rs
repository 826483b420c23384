//! `-Y`: each line has the name of its thread, also if the thread is gone when the line is written.

mod common;

use common::*;
use std::process::Command;

#[test]
fn threads_that_are_gone_have_their_names() {
    let pattern = regex::Regex::new(r"^\d+<(\w+)> +exit_group\((\d)\)").unwrap();
    for engine in engines() {
        let scratch = Scratch::new(&format!("names{engine}"));
        let mut command = Command::new(STRIDE);
        command.arg(engine).args(["-f", "-Y", "-e", "trace=exit_group", "-e", "signal=none", "-o"]);
        command.arg(scratch.path("trace")).args(["sh", "-c", "/bin/true; (exit 3); /bin/false; exit 2"]);
        Run::of(command);
        let trace = scratch.read("trace");
        let message: Vec<_> = trace.lines().filter_map(|line| pattern.captures(line)).collect();
        let message: Vec<_> = message.iter().map(|line| (line[1].to_owned(), line[2].to_owned())).collect();
        let expected = [("true", "0"), ("sh", "3"), ("false", "1"), ("sh", "2")];
        assert!(trace.contains("<true> +++ exited with 0 +++"), "{engine}: {trace}");
        assert_eq!(message, expected.map(|(name, status)| (name.to_owned(), status.to_owned())), "{engine}: {trace}");
    }
}

#[test]
fn names_change_with_the_calls_that_change_them() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("changes{engine}"));
        let mut command = Command::new(STRIDE);
        command.arg(engine).args(["-f", "-Y", "-e", "trace=getppid,kill", "-e", "signal=none", "-o"]);
        let script = "import ctypes,os\nc=ctypes.CDLL(None)\nos.getppid()\nc.prctl(15,b'another',0,0,0)\nos.kill(os.getpid(),0)\n";
        command.arg(scratch.path("trace")).args(["python3", "-c", script]);
        Run::of(command);
        let trace = scratch.read("trace");
        let before = trace.lines().any(|line| line.contains("<python3> getppid("));
        let after = trace.lines().any(|line| line.contains("<another> kill(") && line.contains("<another>, 0)"));
        assert!(before && after, "{engine}: {trace}");
    }
}

/// The name in front of each line and the call, in the order of the lines of each process.
fn names(trace: &str) -> Vec<String> {
    let pattern = regex::Regex::new(r"^(\d+)<([^>]*)> +(?:(\w+)\([^<]*(?:<([^>]*)>)?|\+\+\+ (exited))").unwrap();
    let mut lines: Vec<(String, String)> = Vec::new();
    for line in trace.lines().filter_map(|line| pattern.captures(line)) {
        let part = |i: usize| line.get(i).map_or("", |part| part.as_str());
        lines.push((part(1).into(), format!("{} {} {}{}", part(2), part(3), part(4), part(5))));
    }
    // Processes run at the same time.
    let first = lines.first().map(|line| line.0.clone());
    lines.sort_by_key(|line| Some(&line.0) != first.as_ref());
    lines.into_iter().map(|line| line.1).collect()
}

/// The line of a call that gives its thread a name begins with the name from before, as strace's does.
#[test]
fn the_calls_that_change_names_have_the_names_from_before() {
    let compiled = program!("renamed");
    let place = Scratch::new("renamed-program");
    let program = place.path("renamed");
    copy_program(compiled, &program);
    let options = ["-f", "-Y", "-e", "trace=execve,prctl,kill", "-e", "signal=none", "-o"];
    let long = "longer than fif";
    let expected = [
        "stride execve ",
        "renamed kill renamed",
        "renamed prctl ",
        "second kill second",
        "second prctl ",
        &format!("{long} kill {long}"),
        &format!("{long} execve "),
        &format!("{long} execve "),
        "exe kill exe",
        "exe  exited",
        &format!("{long} kill {long}"),
        &format!("{long} prctl "),
        "child kill child",
        "child execve ",
        "exe kill exe",
        "exe  exited",
    ];
    for engine in engines() {
        let scratch = Scratch::new(&format!("renamed{engine}"));
        let run = |more: &[&str]| {
            let mut command = bare_stride();
            command.arg(engine).args(more).args(options).arg(scratch.path("trace")).arg(&program);
            command.current_dir(scratch.path(""));
            Run::of(command);
            scratch.read("trace")
        };
        let trace = run(&[]);
        assert_eq!(names(&trace), expected, "{engine}: {trace}");
        let trace = run(&["--record=rec"]);
        assert_eq!(names(&trace), expected, "{engine}, recorded: {trace}");
        let again = scratch.replay(&["-Y"]);
        assert_eq!(names(&again.out), expected, "{engine}, replayed: {}", again.out);
    }
    let scratch = Scratch::new("renamed-strace");
    let strace = Command::new("strace").args(options).arg(scratch.path("trace")).arg(&program).output();
    if strace.is_ok_and(|run| run.status.success()) {
        // (strace 6.1 may go on with the old name after the last execve.)
        let changes = |line: &&str| line.contains(" execve") || line.contains(" prctl");
        let seen: Vec<String> =
            names(&scratch.read("trace")).iter().map(|line| line.replace("strace", "stride")).collect();
        let seen: Vec<&str> = seen.iter().map(String::as_str).filter(changes).collect();
        assert_eq!(seen, expected.into_iter().filter(changes).collect::<Vec<_>>());
    }
}
