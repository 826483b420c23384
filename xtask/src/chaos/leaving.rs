//! The time that attaching to and detaching from a process takes, compared with strace. Its 8 threads do nothing but make
//! calls.

use super::Scenario;
use super::field::{EBPF, Field, Need, PTRACE};
use super::killed::wait_for_freedom;
use super::process::{Proc, goes_on, wait_for};
use anyhow::{Result, bail, ensure};
use nix::sys::signal::Signal;
use std::process::Command;
use std::time::{Duration, Instant};

pub const SCENARIO: Scenario = Scenario {
    name: "leaving",
    about: "attaching to 8 busy threads and leaving them takes no longer than a person notices, or than strace takes",
    needs: &[Need::Ebpf, Need::Strace],
    share: 6,
    cases: 4,
    round,
};

/// A time up to this is no fault: loading takes 20 ms of CPU time, and 8 busy threads leave a tenth of a CPU.
const SOON: f64 = 1.0;
/// On a busy machine strace takes long, too.
const TIMES: f64 = 4.0;
const PAIRS: usize = 3;
const BOUND: Duration = Duration::from_secs(30);

/// Seconds until Stride reports that it has attached, and from the signal to Stride's end.
type Times = [f64; 2];

fn round(field: &Field) -> Result<()> {
    let engine = field.case(&[EBPF, PTRACE], 1);
    let options: &[&str] = field.case(&[&["-f"] as &[_], &["-f", "-c"]], 2);
    let delay = field.below(100_000);
    field.step(format!("{PAIRS} pairs of strace and {engine} {options:?} -p victim spin; SIGINT after {delay} µs"));
    let count = field.fresh("count");
    let victim = field.victim("spin", &[&count])?;
    goes_on(&count, BOUND)?;
    let measure = |mut tracer: Command| -> Result<Times> {
        tracer.args(options).args(["-o", "/dev/null", "-p", &victim.pid().to_string()]);
        let begun = Instant::now();
        let mut tracer = Proc::spawn(tracer)?;
        wait_for("the tracer says that it has attached", BOUND, || {
            field.text("stderr").contains("attached").then_some(())
        })?;
        let attaching = begun.elapsed().as_secs_f64();
        std::thread::sleep(Duration::from_micros(delay));
        let begun = Instant::now();
        tracer.signal(Signal::SIGINT);
        if tracer.end(BOUND).is_none() {
            bail!("    seen: the tracer did not end within {} s of SIGINT\n    expected: it does", BOUND.as_secs());
        }
        let leaving = begun.elapsed().as_secs_f64();
        if let Some(held) = wait_for_freedom(victim.pid()) {
            bail!("    seen: {held}\n    expected: threads that the tracer has left are untraced and running");
        }
        goes_on(&count, BOUND)?;
        Ok([attaching, leaving])
    };
    let mut pairs = Vec::new();
    for _ in 0..PAIRS {
        pairs.push([measure(field.strace())?, measure(field.stride(engine))?]);
    }
    for (i, what) in ["attaching", "leaving"].into_iter().enumerate() {
        // One after the other has the same luck, more or less; all three being slow is no luck.
        let worst = pairs.iter().map(|[_, stride]| stride[i]).fold(0.0, f64::max);
        let strace = pairs.iter().map(|[strace, _]| strace[i]).fold(0.0, f64::max);
        field.figure(worst, format!("{what} took {worst:.2} s, strace's {strace:.2} s ({engine})"));
        let quick = pairs.iter().filter(|[_, stride]| stride[i] <= SOON.max(strace * TIMES)).count();
        let listed: Vec<String> = pairs
            .iter()
            .map(|[strace, stride]| format!("strace {:.3} s, Stride {:.3} s", strace[i], stride[i]))
            .collect();
        ensure!(
            quick * 2 > PAIRS,
            "    seen: {what} took {}\n    expected: at most {SOON} s, or {TIMES} times strace's",
            listed.join("; ")
        );
    }
    Ok(())
}
