//! Tracing on a crowded machine: one program makes calls while others compute on every CPU, or under a limit of CPU
//! time.
//!
//! The scheduler decides such a race, so the yardstick is strace in the same round. strace runs twice, and the ratio of
//! its two runs shows the noise.

use super::{LOG, Scratch, Server, command, compile, figure, have, median};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ROUNDS: usize = 9;

struct Case {
    /// Computing threads for each CPU.
    hogs: usize,
    nice: i32,
    /// Microseconds of CPU time in 100 ms for the tracer and its tracee together.
    quota: Option<u32>,
}

const fn case(hogs: usize, nice: i32, quota: Option<u32>) -> Case {
    Case { hogs, nice, quota }
}

const CASES: &[Case] = &[
    case(0, 0, None),
    case(1, 0, None),
    case(2, 0, None),
    case(4, 0, None),
    case(2, 10, None),
    case(2, -5, None),
    case(0, 0, Some(50_000)),
    case(2, 0, Some(50_000)),
];

const CONTENDERS: &[(&str, &[&str])] = &[
    ("strace", &["strace", "-o", LOG]),
    ("strace again", &["strace", "-o", LOG]),
    ("stride, ptrace", &["STRIDE", "--engine=ptrace", "-o", LOG]),
];

/// A program that prints the total time of its calls and the longest of them, in seconds, as it measures them itself.
const SOURCE: &str = "#include <stdio.h>\n#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\n\
    static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }\n\
    int main(void) { double start = now(), last = start, most = 0; for (int i = 0; i < 5000; i++) { syscall(SYS_getppid); \
    double t = now(); if (t - last > most) most = t - last; last = t; } printf(\"%.9f %.9f\\n\", last - start, most); }\n";

/// Measures every case and appends its rows.
pub fn measure(stride: &str, report: &mut String) -> Result<()> {
    let _ = writeln!(report, "## 5,000 calls of getppid while other programs compute, every call to a file\n");
    if !have("strace") {
        let _ = writeln!(report, "not measured: strace is not installed\n");
        return Ok(());
    }
    let _ = writeln!(
        report,
        "Times as the traced program sees them, in milliseconds: medians of {ROUNDS} rounds. The ratios are medians of the ratios to the \
         first strace of the same round, with their range. The second strace shows how much of a ratio is noise. A limit is the CPU time \
         that tracer and tracee may have together, by their control group.\n"
    );
    let _ =
        writeln!(report, "| hogs per CPU | | total | × strace | longest call | × strace |\n|---|---|---|---|---|---|");
    let scratch = Scratch::new()?;
    let program = compile(&scratch.0, "calls", SOURCE)?;
    for case in CASES {
        rows(case, &program, stride, report)?;
    }
    report.push('\n');
    Ok(())
}

fn rows(case: &Case, program: &str, stride: &str, report: &mut String) -> Result<()> {
    let mut name = case.hogs.to_string();
    if case.nice != 0 {
        let _ = write!(name, ", nice {}", case.nice);
    }
    if let Some(quota) = case.quota {
        let _ = write!(name, ", limit {} %", quota / 1000);
    }
    eprintln!("{name}");
    let group = match case.quota.map(Group::new) {
        Some(Ok(group)) => Some(group),
        Some(Err(e)) => {
            let _ = writeln!(report, "| {name} | not measured: {e:#} | | | | |");
            return Ok(());
        }
        None => None,
    };
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
    let _hogs = (0..case.hogs * cpus).map(|_| hog(case.nice)).collect::<Result<Vec<_>>>()?;
    let mut times = vec![Vec::new(); CONTENDERS.len()];
    for round in 0..=ROUNDS {
        let mut now: Vec<_> = CONTENDERS.iter().enumerate().collect();
        // The order alternates, so that neither has an advantage.
        if round % 2 == 1 {
            now.reverse();
        }
        for (i, (_, words)) in now {
            let time = once(words, program, stride, group.as_ref())?;
            // The first round warms the caches.
            if round > 0 {
                times[i].push(time);
            }
        }
    }
    for (i, (contender, _)) in CONTENDERS.iter().enumerate() {
        let _ = write!(report, "| {} | {contender} |", if i == 0 { &name } else { "" });
        for of in [|t: &(f64, f64)| t.0, |t: &(f64, f64)| t.1] {
            let ms: Vec<f64> = times[i].iter().map(|t| of(t) * 1e3).collect();
            let mut ratios: Vec<f64> = times[i].iter().zip(&times[0]).map(|(t, first)| of(t) / of(first)).collect();
            ratios.sort_by(f64::total_cmp);
            let _ = match i {
                0 => write!(report, " {} | 1 |", figure(median(&ms))),
                _ => {
                    let (least, most) = (figure(ratios[0]), figure(ratios[ratios.len() - 1]));
                    write!(report, " {} | {} ({least} to {most}) |", figure(median(&ms)), figure(median(&ratios)))
                }
            };
        }
        report.push('\n');
    }
    Ok(())
}

fn hog(nice: i32) -> Result<Server> {
    let nice = nice.to_string();
    let args = ["-n", &nice, "sh", "-c", "while :; do :; done"];
    Ok(Server(Command::new("nice").args(args).stderr(Stdio::null()).spawn()?))
}

/// One run: the total and the longest call, in seconds.
fn once(words: &[&str], program: &str, stride: &str, group: Option<&Group>) -> Result<(f64, f64)> {
    // Truncating the log of the run before would count against this run.
    let _ = std::fs::remove_file(LOG);
    let tasks = group.map(|group| group.0.join("cgroup.procs").display().to_string());
    let enter = tasks.as_ref().map(|tasks| ["sh", "-c", "echo $$ >\"$0\" && exec \"$@\"", tasks]);
    let words: Vec<&str> = enter.iter().flatten().chain(words).copied().collect();
    let output = command(&words, &[program], stride)?.stdout(Stdio::piped()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut figures = text.split_whitespace().map(str::parse);
    match (figures.next(), figures.next()) {
        (Some(Ok(total)), Some(Ok(longest))) => Ok((total, longest)),
        _ => anyhow::bail!("{words:?} gave no figures: {text}"),
    }
}

/// A control group with a limit, of version 1 or 2. It is removed when this value is dropped.
struct Group(PathBuf);

impl Group {
    fn new(quota: u32) -> Result<Group> {
        let old = Path::new("/sys/fs/cgroup/cpu");
        let (root, file, limit) = match old.is_dir() {
            true => (old, "cpu.cfs_quota_us", quota.to_string()),
            false => (Path::new("/sys/fs/cgroup"), "cpu.max", format!("{quota} 100000")),
        };
        let group = Group(root.join("stride-bench"));
        std::fs::create_dir_all(&group.0).context("no control group can be made")?;
        std::fs::write(group.0.join(file), limit).context("no limit can be set")?;
        Ok(group)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}
