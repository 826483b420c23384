//! How fast calls are decoded and written, and how large the program is: a recording is replayed.
//!
//! The figures are those of CPU time, so that other work on the machine matters less.

use super::{Scratch, figure, median};
use anyhow::{Context, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ROUNDS: usize = 5;

/// Programs whose calls are recorded.
const RECORDED: &[(&str, &[&str])] = &[
    ("`dd bs=1 count=200k`", &["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=200k", "status=none"]),
    ("`find /usr -size +1k`", &["find", "/usr", "-size", "+1k"]),
];

/// The view that is made of the recording.
const MADE: &[(&str, &[&str])] = &[("text", &[]), ("`--json`", &["--json"])];

pub fn measure(stride: &str, report: &mut String) -> Result<()> {
    let _ = writeln!(report, "## Replaying a recording to a file\n");
    let _ = writeln!(
        report,
        "Thousands of lines for each second of CPU time, of all threads and with Stride's start: medians of {ROUNDS} rounds. `stride \
         --record=FILE -o /dev/null PROGRAM` makes the recording, and `stride --replay=FILE -o OUTPUT` is measured.\n"
    );
    let _ = writeln!(report, "| recorded | shown as | lines | 1000 lines/s | from | to |\n|---|---|---|---|---|---|");
    for (name, program) in RECORDED {
        let recorded = Recorded::of(stride, program)?;
        for (shown, options) in MADE {
            let Rate { lines, rates } = recorded.rate(stride, options, ROUNDS)?;
            let least = rates.iter().copied().fold(f64::MAX, f64::min);
            let most = rates.iter().copied().fold(0.0, f64::max);
            let (rate, least, most) = (figure(median(&rates)), figure(least), figure(most));
            let _ = writeln!(report, "| {name} | {shown} | {lines} | {rate} | {least} | {most} |");
        }
    }
    size(stride, &Scratch::new()?, report)
}

/// Thousands of lines, or of calls in a table, that are made of a recording of `find` in a second of CPU time: medians by view.
pub fn rates(stride: &str, rounds: usize) -> Result<Vec<(&'static str, f64)>> {
    let recorded = Recorded::of(stride, RECORDED[1].1)?;
    let mut all = Vec::new();
    for (shown, options) in MADE {
        all.push((*shown, median(&recorded.rate(stride, options, rounds)?.rates)));
    }
    let tables = option("--parquet=", &recorded.scratch.0.join("tables"));
    let lines = recorded.rate(stride, &[], 1)?.lines;
    let seconds = (0..rounds).map(|_| {
        let _ = std::fs::remove_dir_all(recorded.scratch.0.join("tables"));
        recorded.replay(stride, &[&tables])
    });
    let seconds = seconds.collect::<Result<Vec<f64>>>()?;
    all.push(("`--parquet`, calls", lines as f64 / median(&seconds) / 1000.0));
    Ok(all)
}

/// A program's recording.
struct Recorded {
    scratch: Scratch,
    recording: PathBuf,
}

/// Thousands of lines a second, each time.
struct Rate {
    lines: usize,
    rates: Vec<f64>,
}

impl Recorded {
    fn of(stride: &str, program: &[&str]) -> Result<Recorded> {
        let scratch = Scratch::new()?;
        let recording = scratch.0.join("recording");
        let mut record = Command::new(stride);
        record.args(["-q", "-o", "/dev/null", "-f"]).arg(option("--record=", &recording)).args(program);
        ensure!(silent(&mut record)?, "{program:?} could not be recorded");
        Ok(Recorded { scratch, recording })
    }

    fn rate(&self, stride: &str, options: &[&str], rounds: usize) -> Result<Rate> {
        let output = self.scratch.0.join("output");
        let options: Vec<&OsStr> =
            ["-o".as_ref(), output.as_os_str()].into_iter().chain(options.iter().map(OsStr::new)).collect();
        let mut rate = Rate { lines: 0, rates: Vec::new() };
        for _ in 0..rounds {
            let seconds = self.replay(stride, &options)?;
            rate.lines = std::fs::read(&output)?.iter().filter(|byte| **byte == b'\n').count();
            rate.rates.push(rate.lines as f64 / seconds / 1000.0);
        }
        Ok(rate)
    }

    /// The seconds of CPU time that a replay takes.
    fn replay(&self, stride: &str, options: &[impl AsRef<OsStr>]) -> Result<f64> {
        let mut replay = Command::new(stride);
        replay.arg("-q").args(options).arg(option("--replay=", &self.recording));
        let before = cpu_seconds()?;
        ensure!(silent(&mut replay)?, "{} could not be replayed", self.recording.display());
        Ok(cpu_seconds()? - before)
    }
}

/// The size of the program without its symbols.
fn size(stride: &str, scratch: &Scratch, report: &mut String) -> Result<()> {
    let copy = scratch.0.join("stripped");
    std::fs::copy(stride, &copy).with_context(|| stride.to_owned())?;
    ensure!(silent(Command::new("strip").arg(&copy))?, "strip fails");
    let mib = |path: &Path| -> Result<f64> { Ok(std::fs::metadata(path)?.len() as f64 / f64::from(1 << 20)) };
    let (with, without) = (mib(Path::new(stride))?, mib(&copy)?);
    let _ =
        writeln!(report, "\n## Size\n\n`{}`: {with:.1} MiB, and {without:.1} MiB after `strip`.\n", file_name(stride));
    Ok(())
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn option(name: &str, path: &Path) -> std::ffi::OsString {
    let mut option = std::ffi::OsString::from(name);
    option.push(path);
    option
}

/// Runs a program whose output nobody sees. False if it fails.
fn silent(command: &mut Command) -> Result<bool> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command.status().with_context(|| format!("{command:?}"))?.success())
}

/// The CPU time of the children that have ended.
fn cpu_seconds() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    Ok((usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1e6)
}
