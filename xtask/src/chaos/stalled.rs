//! Stride, or the reader of the trace, stands still for a while: the tracees go on, and lost calls are counted.

use super::Scenario;
use super::counts::lost;
use super::field::{EBPF, Field, Need, PTRACE};
use super::killed::wait_for_freedom;
use super::process::{Proc, below, goes_on, is_named, wait_for, words};
use anyhow::{Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::io::Read;
use std::time::Duration;

pub const SCENARIO: Scenario = Scenario {
    name: "stalled",
    about: "Stride is stopped under load and goes on, or is killed: calls are shown or counted, and nothing is held",
    needs: &[Need::Ebpf],
    share: 5,
    cases: 8,
    round,
};

const BOUND: Duration = Duration::from_secs(60);
const RINGS: [&str; 2] = ["--ring-size=64K", "--ring-size=4M"];

fn round(field: &Field) -> Result<()> {
    let ring = field.case(&RINGS, 1);
    match field.round / 2 % 4 {
        0 => stopped(field, ring, "wait"),
        1 => killed(field, ring),
        2 => stopped(field, ring, "drop"),
        _ => unread(field, ring),
    }
}

/// SIGSTOP, and SIGCONT some time later.
fn stopped(field: &Field, ring: &str, overflow: &str) -> Result<()> {
    let (calls, pause) = (200_000, 200 + field.below(1500));
    let delay = field.below(300_000);
    field
        .step(format!("{ring} --on-overflow={overflow}, 2 writers; Stride is stopped after {delay} µs for {pause} ms"));
    let mut stride = field.stride(EBPF);
    stride.args(["-f", ring, &format!("--on-overflow={overflow}"), "-e", "trace=getppid", "-o"]);
    stride.arg(field.fresh("trace")).arg(field.path("writers")).args(["2", &(calls / 2).to_string()]);
    let mut stride = Proc::spawn(stride)?;
    wait_for("the command is there", BOUND, || below(stride.pid()).into_iter().find(|pid| is_named(*pid, "writers")))?;
    std::thread::sleep(Duration::from_micros(delay));
    stride.signal(Signal::SIGSTOP);
    std::thread::sleep(Duration::from_millis(pause));
    stride.signal(Signal::SIGCONT);
    let status = field.ends(&mut stride, BOUND)?;
    ensure!(status.success(), "    seen: {}\n    expected: exit status 0, the command's own", words(status));
    let (shown, lost) = (field.text("trace").matches("getppid(").count() as u64, lost(&field.text("stderr")));
    ensure!(
        shown + lost == calls,
        "    seen: {shown} calls shown, {lost} told to be lost\n    expected: {calls} in all, as many as were made"
    );
    Ok(())
}

/// SIGKILL while writers are delayed, because nothing reads the trace.
fn killed(field: &Field, ring: &str) -> Result<()> {
    let delay = 100 + field.below(400);
    field.step(format!("{ring}, 8 busy threads, nobody reads; SIGKILL after {delay} ms"));
    let count = field.fresh("count");
    let (_reader, writer) = std::io::pipe()?;
    let mut stride = field.stride(EBPF);
    stride.args(["-f", ring, "--on-overflow=wait"]).arg(field.path("victim")).arg("spin").arg(&count).stderr(writer);
    let mut stride = Proc::spawn(stride)?;
    goes_on(&count, BOUND)?;
    let victim = wait_for("the command is there", BOUND, || {
        below(stride.pid()).into_iter().find(|pid| is_named(*pid, "victim"))
    })?;
    std::thread::sleep(Duration::from_millis(delay));
    stride.signal(Signal::SIGKILL);
    field.ends(&mut stride, BOUND)?;
    let held = wait_for_freedom(victim);
    let on = goes_on(&count, BOUND);
    let _ = kill(Pid::from_raw(victim), Signal::SIGKILL);
    ensure!(held.is_none(), "    seen: {}\n    expected: nothing is held", held.unwrap_or_default());
    on
}

/// A pager that waits for a key and then reads on.
fn unread(field: &Field, ring: &str) -> Result<()> {
    let (calls, pause) = (60_000, 500 + field.below(1500));
    let engine = field.pick(&[EBPF, EBPF, PTRACE]);
    field.step(format!("{engine} {ring}, 2 writers, the reader of the trace waits {pause} ms"));
    let (mut reader, writer) = std::io::pipe()?;
    let mut stride = field.stride(engine);
    stride.args(["-f", ring, "-e", "trace=getppid"]).arg(field.path("writers"));
    stride.args(["2", &(calls / 2).to_string()]).stderr(writer);
    let mut stride = Proc::spawn(stride)?;
    std::thread::sleep(Duration::from_millis(pause));
    let (trace, file) = (field.fresh("trace"), field.path("trace"));
    let reading = std::thread::spawn(move || -> std::io::Result<()> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes)?;
        fs::write(trace, bytes)
    });
    let status = field.ends(&mut stride, BOUND)?;
    ensure!(matches!(reading.join(), Ok(Ok(()))), "can't write {}", file.display());
    ensure!(status.success(), "    seen: {}\n    expected: exit status 0, the command's own", words(status));
    let said = field.text("trace");
    // A line that another thread's event cuts has a second half.
    let (shown, lost) = (said.matches("getppid(").count() as u64, lost(&said));
    ensure!(
        shown + lost == calls,
        "    seen: {shown} calls shown, {lost} told to be lost\n    expected: {calls} in all, as many as were made"
    );
    Ok(())
}
