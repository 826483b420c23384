//! Attaching to processes whose threads come and go as fast as they can, and detaching from them.

use super::Scenario;
use super::field::{EBPF, Field, Need, PTRACE};
use super::killed::wait_for_freedom;
use super::process::{Proc, goes_on, wait_for};
use anyhow::{Result, ensure};
use nix::sys::signal::Signal;
use std::time::{Duration, Instant};

pub const SCENARIO: Scenario = Scenario {
    name: "churn",
    about: "Stride attaches to churning and busy threads, leaves them soon, and ends when they do",
    needs: &[Need::Ebpf],
    share: 8,
    cases: 10,
    round,
};

/// Detaching that takes longer is too slow, whatever else the machine does.
const SLOW: Duration = Duration::from_secs(3);

fn round(field: &Field) -> Result<()> {
    // More can go wrong with the eBPF engine.
    let engine = field.case(&[EBPF, EBPF, EBPF, EBPF, PTRACE], 1);
    let mode = field.pick(&["churn", "busy"]);
    let dies = field.below(2) == 0;
    let delay = field.below(100_000);
    let end = if dies { "the process is killed" } else { "SIGINT to Stride" };
    field.step(format!("victim {mode}; {engine} -f -p; {end} {delay} µs after attaching"));
    let count = field.fresh("count");
    let victim = field.victim(mode, &[&count])?;
    goes_on(&count, Duration::from_secs(5))?;
    let mut stride = field.stride(engine);
    stride.args(["-f", "-o", "/dev/null", "-p", &victim.pid().to_string()]);
    let begun = Instant::now();
    let mut stride = Proc::spawn(stride)?;
    wait_for("Stride says that it has attached", Duration::from_secs(15), || {
        (field.text("stderr").contains("attached") || stride.has_ended()).then_some(())
    })?;
    let attaching = begun.elapsed();
    field.figure(attaching.as_secs_f64(), format!("attached after {:.2} s", attaching.as_secs_f64()));
    std::thread::sleep(Duration::from_micros(delay));
    let begun = Instant::now();
    if dies {
        victim.signal(Signal::SIGKILL);
        field.ends(&mut stride, Duration::from_secs(15))?;
    } else {
        stride.signal(Signal::SIGINT);
        field.ends(&mut stride, Duration::from_secs(15))?;
        if let Some(held) = wait_for_freedom(victim.pid()) {
            anyhow::bail!("    seen: {held}\n    expected: threads that Stride has left are untraced and running");
        }
        goes_on(&count, Duration::from_secs(5))?;
    }
    let leaving = begun.elapsed();
    for (what, took) in [("attaching", attaching), ("leaving", leaving)] {
        ensure!(
            took < SLOW,
            "    seen: {what} took {:.1} s\n    expected: less than {} s",
            took.as_secs_f64(),
            SLOW.as_secs()
        );
    }
    Ok(())
}
