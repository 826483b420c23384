//! Signals to Stride at random moments while it traces a command that it started.

use super::Scenario;
use super::field::{EBPF, Field, Need, PTRACE};
use super::process::{Proc, Stat, below, goes_on, held, wait_for, words};
use anyhow::{Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::process::Command;
use std::time::Duration;

pub const SCENARIO: Scenario = Scenario {
    name: "killed",
    about: "signals to Stride end it, and its command, as they do strace",
    needs: &[],
    share: 5,
    cases: 32,
    round,
};

const MODES: &[&str] = &["calls", "sleeper", "threads", "forks"];
const SIGNALS: &[Signal] = &[Signal::SIGKILL, Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP];
/// Long enough for a busy machine.
const BOUND: Duration = Duration::from_secs(8);

struct Case {
    mode: &'static str,
    signal: Signal,
    options: &'static [&'static str],
}

fn round(field: &Field) -> Result<()> {
    let engine = field.case(&[EBPF, PTRACE], 1);
    if engine == EBPF && !field.has(Need::Ebpf) {
        return Ok(());
    }
    let case = Case {
        signal: field.case(SIGNALS, 2),
        mode: field.case(MODES, 8),
        options: field.pick(&[&["-f"] as &[_], &["-f", "-o", "/dev/null"], &[], &["-c"], &["-f", "-T", "-y"]]),
    };
    let Case { mode, signal, options } = case;
    let delay = field.below(60_000);
    field.step(format!("{engine} {options:?} victim {mode}; {signal} {delay} µs after it goes around"));
    let seen = play(field, field.stride(engine), &case, delay)?;
    if field.has(Need::Strace) {
        let expected =
            field.once(&format!("{signal} {mode} {options:?}"), || play(field, field.strace(), &case, 20_000))?;
        ensure!(seen == expected, "    seen: {seen}\n    expected, as strace: {expected}");
    }
    Ok(())
}

/// Tells in words how tracer and command ended.
fn play(field: &Field, mut tracer: Command, case: &Case, delay: u64) -> Result<String> {
    let count = field.fresh("count");
    tracer.args(case.options).arg(field.path("victim")).arg(case.mode).arg(&count);
    let mut tracer = Proc::spawn(tracer)?;
    goes_on(&count, BOUND)?;
    // The command may have another parent by now.
    let victim = wait_for("the command is there", BOUND, || {
        below(tracer.pid()).into_iter().find(|pid| Stat::of(*pid).is_some_and(|s| s.comm == "victim"))
    })?;
    std::thread::sleep(Duration::from_micros(delay));
    tracer.signal(case.signal);
    // strace with -o ignores some signals. Then the command goes on, and this function kills it.
    let ignored = case.options.contains(&"-o") && case.signal != Signal::SIGKILL;
    if ignored {
        goes_on(&count, BOUND)?;
        let _ = kill(Pid::from_raw(victim), Signal::SIGKILL);
        let status = field.ends(&mut tracer, BOUND)?;
        return Ok(format!("the command goes on; when it is killed, the tracer: {}", words(status)));
    }
    let status = field.ends(&mut tracer, BOUND)?;
    // A command that is about to end gets time to do so.
    let gone = || Stat::of(victim).is_none_or(|s| s.state == 'Z');
    let command = if case.signal == Signal::SIGKILL {
        if let Some(held) = wait_for_freedom(victim) {
            anyhow::bail!(
                "    seen: {held}\n    expected: a command outlives a tracer that is killed, untraced and running"
            );
        }
        goes_on(&count, BOUND)?;
        "goes on"
    } else {
        let _ = wait_for("gone", Duration::from_secs(2), || gone().then_some(()));
        if gone() { "has ended" } else { "goes on" }
    };
    let _ = kill(Pid::from_raw(victim), Signal::SIGKILL);
    wait_for("the command is gone", BOUND, || gone().then_some(()))?;
    for pid in below(std::process::id() as i32) {
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
    Ok(format!("the tracer: {}; the command {command}", words(status)))
}

/// Tells what still holds a process after a second.
pub fn wait_for_freedom(pid: i32) -> Option<String> {
    let free = wait_for("free", Duration::from_secs(1), || held(pid).is_none().then_some(()));
    free.err().and_then(|_| held(pid))
}
