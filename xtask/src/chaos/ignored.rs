//! Signals that the receiver ignores, sent to a thread that sleeps in one call all the time.

use super::Scenario;
use super::field::{EBPF, Field, Need, PTRACE};
use super::process::{Proc, Stat, below, progress, wait_for};
use anyhow::{Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::process::Command;
use std::time::Duration;

pub const SCENARIO: Scenario = Scenario {
    name: "ignored",
    about: "an ignored signal sent 20 times is shown 20 times, or counted",
    needs: &[],
    share: 2,
    cases: 6,
    round,
};

const TIMES: usize = 20;
const SOON: Duration = Duration::from_secs(10);

fn round(field: &Field) -> Result<()> {
    let engine = field.case(&[EBPF, PTRACE], 1);
    if engine == EBPF && !field.has(Need::Ebpf) {
        return Ok(());
    }
    let signal = field.case(&[Signal::SIGWINCH, Signal::SIGURG, Signal::SIGCONT], 2);
    field.step(format!("{engine}, {signal} {TIMES} times, to a thread in pause(2)"));
    let seen = play(field, field.stride(engine), signal)?;
    let expected = match field.has(Need::Strace) {
        true => field.once(signal.as_str(), || Ok(play(field, field.strace(), signal)?.to_string()))?.parse()?,
        false => TIMES,
    };
    field.figure((expected - seen.min(expected)) as f64, format!("{seen} of {expected} {signal} shown or counted"));
    ensure!(
        seen >= expected,
        "    seen: {seen} {signal} shown or counted\n    expected: {expected} of {TIMES} sent, as strace"
    );
    Ok(())
}

fn play(field: &Field, mut tracer: Command, signal: Signal) -> Result<usize> {
    let count = field.fresh("count");
    let trace = field.fresh("trace");
    tracer.arg("-o").arg(&trace).arg(field.path("victim")).arg("deaf").arg(&count);
    let mut tracer = Proc::spawn(tracer)?;
    wait_for("the command begins", SOON, || progress(&count))?;
    let victim = wait_for("the command sleeps", SOON, || {
        below(tracer.pid()).into_iter().find(|pid| Stat::of(*pid).is_some_and(|s| s.comm == "victim" && s.state == 'S'))
    })?;
    for _ in 0..TIMES {
        kill(Pid::from_raw(victim), signal)?;
        // A pending signal absorbs the next one.
        wait_for("the signal was taken", SOON, || takes_signals(victim).then_some(()))?;
        std::thread::sleep(Duration::from_millis(2));
    }
    kill(Pid::from_raw(victim), Signal::SIGKILL)?;
    field.ends(&mut tracer, SOON)?;
    let trace = field.text("trace");
    let said = trace.clone() + &field.text("stderr");
    let counted: usize = said.lines().filter_map(signals_counted).sum();
    Ok(trace.matches(&format!("--- {signal} ")).count() + counted)
}

/// True if the thread sleeps and no signal is pending for it.
fn takes_signals(pid: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let none =
        |name: &str| status.lines().any(|l| l.strip_prefix(name).is_some_and(|v| v.trim().bytes().all(|b| b == b'0')));
    none("SigPnd:") && none("ShdPnd:") && Stat::of(pid).is_none_or(|s| s.state == 'S')
}

/// The number of signals that a line of Stride's messages tells.
fn signals_counted(line: &str) -> Option<usize> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|w| w.starts_with("signal"))?;
    words[..at].iter().rev().take(3).find_map(|w| w.replace(',', "").parse().ok())
}
