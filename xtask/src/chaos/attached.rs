//! Signals to Stride at random moments while it is attached to a process, or attaching.

use super::Scenario;
use super::field::{EBPF, Field, Need, PTRACE};
use super::killed::wait_for_freedom;
use super::process::{Proc, goes_on, words};
use anyhow::{Result, ensure};
use nix::sys::signal::Signal;
use std::process::Command;
use std::time::Duration;

pub const SCENARIO: Scenario = Scenario {
    name: "attached",
    about: "signals to an attached Stride end it as they do strace; the process goes on, untraced",
    needs: &[],
    share: 6,
    cases: 32,
    round,
};

const MODES: &[&str] = &["calls", "sleeper", "threads", "forks"];
const SIGNALS: &[Signal] = &[Signal::SIGKILL, Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP];
const BOUND: Duration = Duration::from_secs(8);

fn round(field: &Field) -> Result<()> {
    let engine = field.case(&[EBPF, PTRACE], 1);
    if engine == EBPF && !field.has(Need::Ebpf) {
        return Ok(());
    }
    let signal = field.case(SIGNALS, 2);
    let mode = field.case(MODES, 8);
    let options = field.pick(&[&["-f"] as &[&str], &[], &["-c", "-f"], &["-f", "-yy", "-T"]]);
    // Half of the signals come while Stride still starts.
    let delay = field.pick(&[20_000, 150_000]);
    let delay = field.below(delay);
    field.step(format!("victim {mode}; {engine} {options:?} -p; {signal} {delay} µs after its start"));
    let count = field.fresh("count");
    let victim = field.victim(mode, &[&count])?;
    goes_on(&count, BOUND)?;
    let play = |mut tracer: Command, delay| {
        tracer.args(options).args(["-p", &victim.pid().to_string()]);
        let mut tracer = Proc::spawn(tracer)?;
        std::thread::sleep(Duration::from_micros(delay));
        tracer.signal(signal);
        let status = field.ends(&mut tracer, BOUND)?;
        if let Some(held) = wait_for_freedom(victim.pid()) {
            anyhow::bail!("    seen: {held}\n    expected: a process that Stride has left is untraced and running");
        }
        goes_on(&count, BOUND)?;
        Ok(words(status))
    };
    let mut seen = play(field.stride(engine), delay)?;
    if field.has(Need::Strace) {
        let expected = field.once(&format!("{signal}"), || play(field.strace(), 100_000))?;
        // Before Stride has set up its handlers, the signal itself ends it, as it ends any program.
        if delay < 20_000 && seen == format!("killed by {signal}") {
            seen.clone_from(&expected);
        }
        let said: String = field.text("stderr").lines().filter(|l| l.starts_with("stride")).collect();
        ensure!(seen == expected, "    seen: {seen}; Stride said '{said}'\n    expected, as strace: {expected}");
    }
    Ok(())
}
