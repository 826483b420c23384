//! Signals while the eBPF engine loads, and files that must not grow meanwhile.

use super::Scenario;
use super::field::{EBPF, Field, Need, PTRACE};
use super::process::{Proc, below, wait_for, words};
use anyhow::{Result, ensure};
use nix::sys::signal::Signal;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::Duration;

pub const SCENARIO: Scenario = Scenario {
    name: "loading",
    about: "with -o, signals while Stride starts leave the command alone; under `ulimit -f 20` it runs, or is told why not",
    needs: &[],
    share: 3,
    cases: 12,
    round,
};

fn round(field: &Field) -> Result<()> {
    let engine = field.case(&["--engine=auto", EBPF, PTRACE], 1);
    if engine == EBPF && !field.has(Need::Ebpf) {
        return Ok(());
    }
    match field.round % 4 {
        0 => limited(field, &[engine, "-o", "trace", "sh", "-c", "echo ran >ran"], true),
        1 => limited(field, &["--doctor"], false),
        _ => signalled(field, engine),
    }
}

fn limited(field: &Field, args: &[&str], runs: bool) -> Result<()> {
    field.step(format!("ulimit -f 20; stride {}", args.join(" ")));
    field.fresh("ran");
    field.fresh("trace");
    let mut shell = field.tool(Path::new("sh"));
    shell.args(["-c", "ulimit -f 20; exec \"$@\"", "sh"]).arg(&field.stride).args(args);
    let status = field.ends(&mut Proc::spawn(shell)?, Duration::from_secs(10))?;
    let ran = field.text("ran") == "ran\n";
    let message = field.text("stderr");
    let why = "    expected: the command runs, or Stride says why it can't";
    ensure!(status.signal().is_none(), "    seen: Stride was {}; it said '{message}'\n{why}", words(status));
    ensure!(
        !runs || ran || message.contains("stride:"),
        "    seen: {}, not a word, and the command did not run\n{why}",
        words(status)
    );
    Ok(())
}

fn signalled(field: &Field, engine: &str) -> Result<()> {
    let signal = field.pick(&[Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]);
    let delay = field.below(22_000);
    field.step(format!("{engine} -o, {signal} {delay} µs after the command's process is there"));
    field.fresh("ran");
    let mut stride = field.stride(engine);
    stride.arg("-o").arg(field.fresh("trace")).args(["sh", "-c", "sleep 0.03; echo ran >ran"]);
    let mut stride = Proc::spawn(stride)?;
    wait_for("the command's process is there", Duration::from_secs(5), || {
        (!below(stride.pid()).is_empty() || stride.has_ended()).then_some(())
    })?;
    std::thread::sleep(Duration::from_micros(delay));
    stride.signal(signal);
    let status = field.ends(&mut stride, Duration::from_secs(10))?;
    let ran = field.text("ran") == "ran\n";
    ensure!(
        status.success() && ran,
        "    seen: {}; the command {}\n    expected: as under `strace -o`, which ignores {signal}: exit status 0, and the command runs",
        words(status),
        if ran { "ran" } else { "did not run" },
    );
    Ok(())
}
