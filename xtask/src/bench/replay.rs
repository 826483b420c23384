//! How fast calls are decoded and written, and how large the program is: a recording is replayed.
//!
//! The figures are those of CPU time, so that other work on the machine matters less.

use super::{Scratch, figure, median};
use anyhow::{Context, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::fmt::Write as _;
use std::path::Path;
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
    let scratch = Scratch::new()?;
    let _ = writeln!(report, "## Replaying a recording to a file\n");
    let _ = writeln!(
        report,
        "Thousands of lines for each second of CPU time, of all threads and with Stride's start: medians of {ROUNDS} rounds. `stride \
         --record=FILE -o /dev/null PROGRAM` makes the recording, and `stride --replay=FILE -o OUTPUT` is measured.\n"
    );
    let _ = writeln!(report, "| recorded | shown as | lines | 1000 lines/s | from | to |\n|---|---|---|---|---|---|");
    for (name, program) in RECORDED {
        let recording = scratch.0.join("recording");
        let _ = std::fs::remove_file(&recording);
        let mut record = Command::new(stride);
        record.args(["-q", "-o", "/dev/null", "-f"]).arg(option("--record=", &recording)).args(*program);
        ensure!(silent(&mut record)?, "{program:?} could not be recorded");
        for (shown, options) in MADE {
            let output = scratch.0.join("output");
            let mut rates = Vec::new();
            let mut lines = 0;
            for _ in 0..ROUNDS {
                let mut replay = Command::new(stride);
                replay.args(["-q", "-o"]).arg(&output).args(*options).arg(option("--replay=", &recording));
                let before = cpu_seconds()?;
                ensure!(silent(&mut replay)?, "the recording of {program:?} could not be replayed");
                let spent = cpu_seconds()? - before;
                lines = std::fs::read(&output)?.iter().filter(|byte| **byte == b'\n').count();
                rates.push(lines as f64 / spent / 1000.0);
            }
            let least = rates.iter().copied().fold(f64::MAX, f64::min);
            let most = rates.iter().copied().fold(0.0, f64::max);
            let rate = median(&rates);
            eprintln!("{name}, {shown}: {rate:.0} thousand lines a second");
            let (rate, least, most) = (figure(rate), figure(least), figure(most));
            let _ = writeln!(report, "| {name} | {shown} | {lines} | {rate} | {least} | {most} |");
        }
    }
    size(stride, &scratch, report)
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
