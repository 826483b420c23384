//! CPU hogs: a tracee that waits for its tracer must not wait for the hogs as well.

use super::Scenario;
use super::field::{Field, Need, PTRACE};
use super::process::Proc;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::process::Command;
use std::time::Duration;

pub const SCENARIO: Scenario = Scenario {
    name: "hogs",
    about: "with CPU hogs, the ptrace engine is not far slower than strace, nor its longest call far longer",
    needs: &[Need::Strace],
    share: 12,
    cases: 3,
    round,
};

const CALLS: &str = "10000";
/// A generous limit, because the machine may be busy with other things: only a clear fault fails.
const TOTAL: f64 = 2.0;
const LONGEST: f64 = 6.0;
/// A longest call below this many microseconds does no harm.
const SHORT: f64 = 100_000.0;
const PAIRS: usize = 7;

/// Times of the whole run and of the longest call, with strace and with Stride.
type Pair = [(f64, f64); 2];

fn round(field: &Field) -> Result<()> {
    let cpus = std::thread::available_parallelism()?.get();
    let each = field.case(&[1, 2, 0], 1);
    let nice = field.pick(&[0, 0, 5, 10]);
    field.step(format!("{each} hogs of nice {nice} on each of {cpus} CPUs; {PAIRS} pairs of strace and {PTRACE}"));
    let hog = || {
        let mut hog = Command::new("nice");
        hog.args(["-n", &nice.to_string(), "sh", "-c", "while :; do :; done"]);
        Proc::spawn(hog)
    };
    let _hogs: Vec<Proc> = (0..each * cpus).map(|_| hog()).collect::<Result<_>>()?;
    let mut pairs: Vec<Pair> = Vec::new();
    for _ in 0..PAIRS {
        pairs.push([measure(field, field.strace())?, measure(field, field.stride(PTRACE))?]);
    }
    let middle = |of: &dyn Fn(&Pair) -> f64| {
        let mut all: Vec<f64> = pairs.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let total = middle(&|[strace, stride]| stride.0 / strace.0);
    let longest = middle(&|[strace, stride]| stride.1 / strace.1);
    let at_most = middle(&|[_, stride]| stride.1);
    field.figure(total, format!("{total:.1} × strace, longest call {longest:.1} × ({each} hogs a CPU)"));
    let listed: Vec<String> = pairs
        .iter()
        .map(|[(a, b), (c, d)]| {
            format!("strace {:.2} s ({:.1} ms), Stride {:.2} s ({:.1} ms)", a / 1e6, b / 1e3, c / 1e6, d / 1e3)
        })
        .collect();
    ensure!(
        total <= TOTAL && (longest <= LONGEST || at_most < SHORT),
        "    seen: {CALLS} calls (and the longest of them): {}\n    expected: at most {TOTAL} × strace's time, and {LONGEST} × its longest call",
        listed.join("; ")
    );
    Ok(())
}

/// Microseconds of the whole run and of the longest call, as the program measures them itself.
fn measure(field: &Field, mut tracer: Command) -> Result<(f64, f64)> {
    tracer.args(["-o", "/dev/null"]).arg(field.path("writers")).args(["1", CALLS]);
    tracer.stdout(fs::File::create(field.path("out"))?);
    field.ends(&mut Proc::spawn(tracer)?, Duration::from_secs(60))?;
    let out = field.text("out");
    let mut words = out.split_whitespace().map(|w| w.parse::<f64>());
    let mut word = || words.next().and_then(Result::ok).map(|us| us.max(1.0)).context("the program told no times");
    Ok((word()?, word()?))
}
