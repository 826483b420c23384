//! `--verify`: what a change has saved.

mod common;

use common::*;

/// The arguments of a shell that notes each run in a file.
fn noted(file: &str, rest: &str) -> String {
    format!("echo run >> {file}; {rest}")
}

#[test]
fn both_commands_run_in_turn_and_their_times_are_told() {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("verify{engine}"));
        let change = format!("--verify={}", noted("after", ":"));
        let before = noted("before", "sleep 0.4");
        let run = scratch.stride([engine, "-f", &change, "sh", "-c", &before]);
        assert_eq!(run.code(), Some(0), "{}", run.err);
        let words = run.trace.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("Verified without tracing, medians of 3 runs each, in turn: before "), "{}", run.trace);
        assert!(words.contains("The change saved "), "{}", run.trace);
        // The traced run is one more.
        assert_eq!(scratch.read("before").lines().count(), 4);
        assert_eq!(scratch.read("after").lines().count(), 3);
    }
}

#[test]
fn commands_that_end_differently_are_not_compared() {
    let scratch = Scratch::new("verify-status");
    for (change, why) in [
        ("exit 3", "the command of --verify ended with status 3, and the traced one ended with status 0"),
        ("kill -9 $$", "the command of --verify was ended by signal 9"),
        ("exec nothing-of-this-name", "the command of --verify ended with status 127"),
    ] {
        let run = scratch.stride([&format!("--verify={change}"), "true"]);
        let words = run.trace.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&format!("Nothing was verified: {why}")), "{}", run.trace);
        assert_eq!(run.code(), Some(0), "the status is that of the traced program");
    }
}

#[test]
fn what_cannot_run_again_is_refused() {
    for (options, why) in &[
        (&["-p", "1"][..], "--verify needs a command to run"),
        (&["--json", "true"], "--verify adds to the report for people"),
        (&["-u", "nobody", "true"], "--verify runs commands as you"),
    ] {
        let run = std::process::Command::new(STRIDE).arg("--verify=true").args(*options).output().unwrap();
        let err = text(&run.stderr);
        assert!(err.contains(*why), "{options:?}: {err}");
        assert_eq!(run.status.code(), Some(1), "{options:?}");
    }
}

/// The report is written, and nothing of the runs is left.
#[test]
fn an_interrupted_comparison_leaves_the_report() {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("verify-interrupted{engine}"));
        let change = "--verify=sleep 1000 & echo $! > pid; wait";
        let mut stride = std::process::Command::new(STRIDE);
        stride.args([engine, change, "-o", "trace", "true"]).current_dir(scratch.path("."));
        let mut stride = Killed(stride.spawn().unwrap());
        let read = |path: &str| std::fs::read_to_string(path).ok();
        let pid = scratch.path("pid");
        let sleeper = wait_for("the change's command", || read(pid.to_str()?)?.trim().parse::<i32>().ok());
        send(&stride, nix::sys::signal::Signal::SIGTERM);
        assert_eq!(stride.0.wait().unwrap().code(), Some(0), "{engine}");
        let report = scratch.read("trace");
        assert!(report.starts_with("Nothing to advise"), "{engine}: {report}");
        assert!(report.contains("Nothing was verified: Stride was told to end, by SIGTERM."), "{engine}: {report}");
        // (Somebody else may have to wait for what is left of it.)
        wait_for("the end of what the change's command started", || {
            let is_gone = read(&format!("/proc/{sleeper}/stat")).is_none_or(|stat| stat.contains(") Z "));
            is_gone.then_some(())
        });
    }
}

/// The program converts times again and again, and looks each time at the file of the time zone, because it takes TZ away.
#[test]
fn what_needs_no_other_program_is_tried() {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("try{engine}"));
        let program = scratch.path("program");
        stride_test_support::or_skip!(cc(&root().join("tests/advise/facts-zone.c"), &program));
        let command = format!("echo \"$TZ\" >> zones; {}", program.display());
        let run = scratch.stride([engine, "-f", "--try", "sh", "-c", &command]);
        assert_eq!(run.code(), Some(0), "{}", run.err);
        let words = run.trace.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("[facts]:") && words.contains("Tried without touching the program"), "{}", run.trace);
        let (_, tried) = words.split_once("TZ=:/etc/localtime [facts]: ").unwrap_or_else(|| panic!("{}", run.trace));
        assert!(tried.contains(" with it, ") && tried.contains(" without: it "), "{tried}");
        // The traced run, and three of each in turn.
        let (with, without) = (":/etc/localtime", "UTC");
        assert_eq!(
            scratch.read("zones").lines().collect::<Vec<_>>(),
            [without, without, with, without, with, without, with]
        );
    }
}

#[test]
fn nothing_is_tried_without_a_finding() {
    let scratch = Scratch::new("try-nothing");
    let run = scratch.stride(["--try", "true"]);
    assert!(run.trace.contains("Nothing was tried: no finding has a change"), "{}", run.trace);
    let refused = std::process::Command::new(STRIDE).args(["--try", "--json", "true"]).output().unwrap();
    assert!(text(&refused.stderr).contains("--try adds to the report for people"), "{refused:?}");
    assert_eq!(refused.status.code(), Some(1));
}
