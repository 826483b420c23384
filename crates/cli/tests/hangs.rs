//! Why a program hangs: programs in `tests/hangs/` that hang for one reason each, or not at all. Each says in its first lines what `--advise`
//! must say, and what it must not say, of the program when Stride has attached to all its processes.

mod common;

use common::*;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The texts behind this key in the lines of a source. Parts between bars follow one another.
fn lines(source: &Path, key: &str) -> Vec<String> {
    let source = std::fs::read_to_string(source).unwrap();
    let lines = source.lines().filter_map(|line| line.trim_start_matches(['#', '/', ' ']).strip_prefix(key));
    lines.map(str::to_owned).collect()
}

fn says(report: &str, parts: &str) -> bool {
    let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = &words[..];
    parts.split('|').all(|part| match rest.split_once(part.trim()) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

/// The processes of a process group, each with its number of threads.
fn group(leader: i32) -> Vec<(i32, usize)> {
    let all = std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_of_it = |pid: &i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let group = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(2)?.parse().ok());
        group == Some(leader)
    };
    all.filter(is_of_it).map(|pid| (pid, threads(pid).len())).collect()
}

/// What Stride says of a program that hangs, and has so many threads in all its processes then.
fn report(program: &[String], all: usize, scratch: &Scratch, engine: &str, recorded: bool) -> String {
    let mut hanging = Command::new(&program[0]);
    hanging.args(&program[1..]).process_group(0).stdin(Stdio::null()).stdout(Stdio::null());
    let hanging = Killed(hanging.spawn().unwrap());
    let leader = hanging.0.id() as i32;
    let processes = wait_for("all threads of the program", || {
        let processes = group(leader);
        (processes.iter().map(|(_, threads)| threads).sum::<usize>() == all).then_some(processes)
    });
    // Each thread is in its wait when none has run for a while.
    let mut asleep = 0;
    while asleep < 7 {
        std::thread::sleep(Duration::from_millis(100));
        let all_sleep =
            processes.iter().flat_map(|(pid, _)| threads(*pid)).all(|tid| matches!(state(tid), Some('S' | 'T')));
        asleep = if all_sleep { asleep + 1 } else { 0 };
    }
    let pids = processes.iter().flat_map(|(pid, _)| ["-p".to_owned(), pid.to_string()]);
    let mut stride = bare_stride();
    let how: &[&str] = if recorded { &["--record=recording"] } else { &["--advise=all"] };
    let err = std::fs::File::create(scratch.path("err")).unwrap();
    stride.args([engine, "-f", "-o", "report"]).args(how).args(pids).current_dir(scratch.path("")).stderr(err);
    let mut stride = Killed(stride.spawn().unwrap());
    scratch.wait_attached(all);
    std::thread::sleep(Duration::from_millis(1500));
    send(&stride, Signal::SIGINT);
    stride.0.wait().unwrap();
    let _ = killpg(Pid::from_raw(leader), Signal::SIGKILL);
    match recorded {
        false => scratch.read("report"),
        true => {
            let mut replay = bare_stride();
            replay.args(["--replay=recording", "--advise=all"]).current_dir(scratch.path(""));
            Run::of(replay).out
        }
    }
}

fn check(source: &Path) -> Vec<String> {
    let name = source.file_name().unwrap().to_str().unwrap();
    let (told, not_told) = (lines(source, "told: "), lines(source, "not told: "));
    assert!(!told.is_empty(), "{name}: nothing is expected");
    let all = lines(source, "threads: ")[0].parse().unwrap();
    let mut wrong = Vec::new();
    for (engine, recorded) in
        engines().iter().map(|engine| (*engine, false)).chain([(engines()[engines().len() - 1], true)])
    {
        let scratch = Scratch::new(&format!("hangs-{name}-{}-{recorded}", engine.trim_start_matches('-')));
        let program = match command_of(source, &scratch) {
            Ok(program) => program,
            Err(why) => {
                skipped::report_of(&format!("hangs::{name}"), why);
                return wrong;
            }
        };
        let report = report(&program, all, &scratch, engine, recorded);
        let missing: Vec<_> = told.iter().filter(|parts| !says(&report, parts)).collect();
        let false_ones: Vec<_> = not_told.iter().filter(|parts| says(&report, parts)).collect();
        if !missing.is_empty() || !false_ones.is_empty() {
            let err = scratch.read("err");
            wrong.push(format!(
                "{name}, {engine}, recorded: {recorded}: must say {missing:?}, must not say {false_ones:?}:\n{report}\n{err}"
            ));
        }
    }
    wrong
}

#[test]
fn the_reason_of_each_hang_is_told() {
    let mut sources: Vec<PathBuf> =
        std::fs::read_dir(root().join("tests/hangs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.sort();
    assert!(sources.len() > 5, "{sources:?}");
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let all: Vec<_> = sources.iter().map(|source| scope.spawn(|| check(source))).collect();
        all.into_iter().flat_map(|check| check.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
