//! Readers that close the pipe of the trace: at once, later, or while Stride is stuck writing to it.

use super::Scenario;
use super::field::{EBPF, Field, Need, PTRACE};
use super::process::{Proc, Stat, below, goes_on, wait_for, words};
use anyhow::{Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::io::Read;
use std::process::Command;
use std::time::Duration;

pub const SCENARIO: Scenario = Scenario {
    name: "pipes",
    about: "when the trace's reader closes its pipe, Stride and the command end as under strace",
    needs: &[Need::Strace],
    share: 4,
    cases: 4,
    round,
};

const SOON: Duration = Duration::from_secs(10);

fn round(field: &Field) -> Result<()> {
    let engine = field.case(&[EBPF, PTRACE], 1);
    if engine == EBPF && !field.has(Need::Ebpf) {
        return Ok(());
    }
    let interrupted = field.case(&[true, false], 2);
    let (bytes, delay) = (field.below(200_000), field.below(30_000));
    let what = match interrupted {
        true => format!("nobody reads; SIGINT to Stride once it is stuck; the reader closes {delay} µs later"),
        false => format!("the reader closes after {bytes} bytes"),
    };
    field.step(format!("{engine} -f victim calls; {what}"));
    let seen = play(field, field.stride(engine), interrupted, bytes, delay)?;
    let key = format!("{interrupted}");
    let expected = field.once(&key, || play(field, field.strace(), interrupted, 50_000, 10_000))?;
    ensure!(seen == expected, "    seen: {seen}\n    expected, as strace: {expected}");
    Ok(())
}

fn play(field: &Field, mut tracer: Command, interrupted: bool, bytes: u64, delay: u64) -> Result<String> {
    let count = field.fresh("count");
    let (mut reader, writer) = std::io::pipe()?;
    tracer.arg("-f").arg(field.path("victim")).arg("calls").arg(&count).stderr(writer);
    let mut tracer = Proc::spawn(tracer)?;
    if interrupted {
        wait_for("the tracer is stuck in writing", SOON, || is_stuck(tracer.pid()).then_some(()))?;
    } else {
        let mut buffer = vec![0; 4096];
        let mut got = 0;
        while got <= bytes {
            got += reader.read(&mut buffer)? as u64;
        }
    }
    let victim = wait_for("the command is there", SOON, || {
        below(tracer.pid()).into_iter().find(|pid| Stat::of(*pid).is_some_and(|s| s.comm == "victim"))
    })?;
    if interrupted {
        tracer.signal(Signal::SIGINT);
        std::thread::sleep(Duration::from_micros(delay));
    }
    drop(reader);
    let status = field.ends(&mut tracer, SOON)?;
    let gone = || Stat::of(victim).is_none_or(|s| s.state == 'Z');
    let _ = wait_for("gone", Duration::from_millis(500), || gone().then_some(()));
    let command = if gone() {
        "has ended"
    } else {
        goes_on(&count, SOON)?;
        let _ = kill(Pid::from_raw(victim), Signal::SIGKILL);
        "goes on"
    };
    Ok(format!("the tracer: {}; the command {command}", words(status)))
}

/// True if one of the process's threads waits for room in a pipe.
fn is_stuck(pid: i32) -> bool {
    fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten()
        .any(|thread| fs::read_to_string(thread.path().join("wchan")).is_ok_and(|at| at.contains("pipe_write")))
}
