//! Where the time went: programs in `tests/waiting/` that wait in ways for which there is no rule. Each says in its first lines what the table of
//! `--advise` must say of its largest wait.

mod common;

use common::*;
use std::path::{Path, PathBuf};

/// The words of which one of each line must be there.
fn told(source: &Path) -> Vec<Vec<String>> {
    let source = std::fs::read_to_string(source).unwrap();
    let lines = source.lines().filter_map(|line| line.trim_start_matches(['#', '/', ' ']).strip_prefix("told: "));
    lines.map(|line| line.split('|').map(str::to_owned).collect()).collect()
}

/// The lines of the table, each as one line.
fn table(report: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let table = report.lines().skip_while(|line| !line.starts_with("Where the ")).skip(1);
    for line in table.take_while(|line| line.starts_with(' ')) {
        let continues = line.starts_with("                ");
        match lines.last_mut().filter(|_| continues) {
            Some(last) => *last += &format!(" {}", line.trim()),
            None => lines.push(line.trim().to_owned()),
        }
    }
    lines
}

/// On a busy machine, programs that sleep wait for a CPU, too.
fn largest_wait(lines: &[String], for_cpu: bool) -> Option<&String> {
    let waits = |line: &&String| {
        line.contains("asleep in") || line.contains("stopped by") || for_cpu && line.contains("waiting for a CPU")
    };
    lines.iter().find(waits)
}

#[test]
fn the_largest_wait_of_each_program_is_told() {
    need_ebpf!();
    let mut wrong = Vec::new();
    let mut sources: Vec<PathBuf> =
        std::fs::read_dir(root().join("tests/waiting")).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.sort();
    assert!(sources.len() > 5, "{sources:?}");
    for source in sources {
        let name = source.file_name().unwrap().to_str().unwrap().to_owned();
        let scratch = Scratch::new("where-time-went");
        let program = match command_of(&source, &scratch) {
            Ok(program) => program,
            Err(why) => {
                skipped::report_of(&format!("where_time_went::{name}"), why);
                continue;
            }
        };
        let told = told(&source);
        assert!(!told.is_empty(), "{name}: nothing is expected");
        let mut stride = bare_stride();
        stride.args(["--engine=ebpf", "--advise"]).args(&program).current_dir(scratch.path(""));
        let run = Run::of(stride);
        let lines = table(&run.err);
        let for_cpu = told.iter().flatten().any(|words| words.contains("waiting for a CPU"));
        let largest = largest_wait(&lines, for_cpu);
        let is_told = |words: &Vec<String>| largest.is_some_and(|line| words.iter().any(|word| line.contains(word)));
        if !told.iter().all(is_told) {
            wrong.push(format!("{name}: {told:?} in {largest:?}\n{}", run.err));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The children that a program starts are a part of its run.
#[test]
fn children_are_followed_without_f() {
    for engine in engines() {
        let mut stride = bare_stride();
        let loops = "i=0; while [ $i -lt 40 ]; do /bin/true; i=$((i+1)); done";
        stride.args([engine, "--advise", "sh", "-c", loops]);
        let run = Run::of(stride);
        assert!(run.err.contains("[short-children]") && run.err.contains("40 times"), "{engine}: {}", run.err);
        assert!(!run.err.contains("not traced"), "{engine}: {}", run.err);
    }
}
