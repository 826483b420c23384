//! Attaching to processes that are dead, altogether or in part.

use super::Scenario;
use super::field::{EBPF, Field, Need, PTRACE};
use super::process::{Proc, Stat, wait_for};
use anyhow::Result;
use nix::sys::signal::Signal;
use std::time::Duration;

pub const SCENARIO: Scenario = Scenario {
    name: "dead",
    about: "attached to a zombie, or where the first thread has ended, Stride ends",
    needs: &[Need::Ebpf],
    share: 3,
    cases: 8,
    round,
};

fn round(field: &Field) -> Result<()> {
    let engine = field.case(&[EBPF, PTRACE], 1);
    let mode = field.case(&["dead-leader", "zombie"], 2);
    let follow: &[&str] = field.case(&[&["-f"] as &[_], &[]], 4);
    field.step(format!("{engine} {follow:?} -p, {mode}"));
    let (mut victim, reported) = field.begun_victim(mode, &[])?;
    let target = if mode == "zombie" { reported as i32 } else { victim.pid() };
    wait_for("the process, or its first thread, is a zombie", Duration::from_secs(5), || {
        Stat::of(target).filter(|stat| stat.state == 'Z')
    })?;
    let mut stride = field.stride(engine);
    stride.args(follow).args(["-o", "/dev/null", "-p", &target.to_string()]);
    let mut stride = Proc::spawn(stride)?;
    // A zombie has nothing to show. Living threads may be traced, or refused as strace does.
    if mode == "dead-leader" {
        stride.end(Duration::from_millis(300));
        field.step("the program is killed");
        victim.signal(Signal::SIGKILL);
        victim.end(Duration::from_secs(2));
    }
    field.ends(&mut stride, Duration::from_secs(5)).map(drop)
}
