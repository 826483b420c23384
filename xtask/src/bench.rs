//! `cargo xtask bench`: what tracing costs, as ratios to the untraced program, measured side by side in one run.
//!
//! Absolute times say little on a noisy machine: each round runs every contender once, in turn, and what is reported
//! is the median over the rounds of the ratio to the untraced run of the same round.

use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::Instant;

const ROUNDS: usize = 5;

struct Work {
    title: &'static str,
    program: &'static [&'static str],
    /// Name and the words before the program; `STRIDE` stands for the binary under test.
    contenders: &'static [(&'static str, &'static [&'static str])],
}

const DD: &[&str] = &["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=100k"];
const LOG: &str = "/tmp/stride-bench.log";

const WORKS: &[Work] = &[
    Work {
        title: "`dd bs=1 count=100k`, every call to a file",
        program: DD,
        contenders: &[
            ("strace", &["strace", "-o", LOG]),
            ("stride, ptrace", &["STRIDE", "--engine=ptrace", "-o", LOG]),
            ("stride, eBPF", &["STRIDE", "--engine=ebpf", "-o", LOG]),
        ],
    },
    Work {
        title: "the same, `-f --seccomp-bpf -e accept`",
        program: DD,
        contenders: &[
            ("strace", &["strace", "-f", "--seccomp-bpf", "-e", "accept", "-o", LOG]),
            ("stride, ptrace", &["STRIDE", "--engine=ptrace", "-f", "--seccomp-bpf", "-e", "accept", "-o", LOG]),
            ("stride, eBPF", &["STRIDE", "--engine=ebpf", "-f", "-e", "accept", "-o", LOG]),
        ],
    },
    Work {
        title: "the same, `-c`",
        program: DD,
        contenders: &[
            ("strace", &["strace", "-c", "-o", LOG]),
            ("stride, ptrace", &["STRIDE", "--engine=ptrace", "-c", "-o", LOG]),
            ("stride, eBPF", &["STRIDE", "--engine=ebpf", "-c", "-o", LOG]),
        ],
    },
    Work {
        title: "`true`",
        program: &["true"],
        contenders: &[
            ("strace", &["strace", "-o", LOG]),
            ("stride, ptrace", &["STRIDE", "--engine=ptrace", "-o", LOG]),
            ("stride, eBPF", &["STRIDE", "--engine=ebpf", "-o", LOG]),
        ],
    },
];

/// Measures and prints a Markdown report. `stride` is the binary under test.
pub fn run(stride: &str) -> Result<()> {
    let mut report = String::from("# Benchmarks\n\n");
    let _ = writeln!(report, "{}\n", machine());
    let _ = writeln!(
        report,
        "Made by `make bench`: medians of {ROUNDS} rounds; in each round every contender runs once, in turn, after the untraced program.\n"
    );
    for work in WORKS {
        measure(work, stride, &mut report)?;
    }
    print!("{report}");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/benchmarks.md");
    std::fs::write(path, report).with_context(|| path.to_string())
}

fn measure(work: &Work, stride: &str, report: &mut String) -> Result<()> {
    let mut base = Vec::new();
    let mut seconds = vec![Vec::new(); work.contenders.len()];
    for round in 0..=ROUNDS {
        eprintln!("{}: round {round} of {ROUNDS}", work.title);
        let untraced = time(&[], work.program, stride)?;
        let traced: Vec<f64> =
            work.contenders.iter().map(|(_, words)| time(words, work.program, stride)).collect::<Result<_>>()?;
        // The first round warms the caches.
        if round > 0 {
            base.push(untraced);
            for (all, one) in seconds.iter_mut().zip(traced) {
                all.push(one);
            }
        }
    }
    let _ = writeln!(
        report,
        "## {}\n\n| | seconds | × untraced | × {} |\n|---|---|---|---|",
        work.title, work.contenders[0].0
    );
    let _ = writeln!(report, "| untraced | {:.3} | 1 | |", median(base.clone()));
    for ((name, _), all) in work.contenders.iter().zip(&seconds) {
        let to_base = median(all.iter().zip(&base).map(|(a, b)| a / b).collect());
        let to_first = median(all.iter().zip(&seconds[0]).map(|(a, b)| a / b).collect());
        let _ = writeln!(report, "| {name} | {:.3} | {to_base:.2} | {to_first:.3} |", median(all.clone()));
    }
    report.push('\n');
    Ok(())
}

/// Wall-clock seconds of one run.
fn time(words: &[&str], program: &[&str], stride: &str) -> Result<f64> {
    let mut all = words.iter().chain(program).map(|w| if *w == "STRIDE" { stride } else { w });
    let first = all.next().context("nothing to run")?;
    let started = Instant::now();
    let status = Command::new(first)
        .args(all)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .with_context(|| format!("cannot run {first}"))?;
    ensure!(status.success(), "{first} {} failed: {status}", words.join(" "));
    Ok(started.elapsed().as_secs_f64())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let model = read("/proc/cpuinfo")
        .lines()
        .find_map(|l| l.strip_prefix("model name")?.split_once(": ").map(|(_, m)| m.to_string()))
        .unwrap_or_else(|| "unknown processor".into());
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
    format!("{model}, {cpus} CPUs (virtual), Linux {}", read("/proc/sys/kernel/osrelease").trim())
}
