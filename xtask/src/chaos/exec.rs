//! A thread other than the first calls execve: it takes the first thread's id, and its own id is gone.

use super::Scenario;
use super::field::{EBPF, Field, Need, PTRACE};
use super::process::{Proc, patience, wait_for, words};
use anyhow::{Result, ensure};
use std::time::Duration;

pub const SCENARIO: Scenario = Scenario {
    name: "exec",
    about: "Stride ends when a process ends whose second thread called execve",
    needs: &[Need::Ebpf],
    share: 3,
    cases: 8,
    round,
};

fn round(field: &Field) -> Result<()> {
    let engine = field.case(&[EBPF, PTRACE], 1);
    let follow: &[&str] = field.case(&[&[] as &[_], &["-f"]], 2);
    let go = field.fresh("go");
    let mut stride = field.stride(engine);
    stride.args(follow).args(["-e", "trace=getppid", "-o"]).arg(field.path("trace"));
    if field.case(&[true, false], 4) {
        field.step(format!("{engine} {follow:?}, spawned"));
        stride.arg(field.path("victim")).arg("exec-from-thread").arg(field.fresh("count"));
        let status = field.ends(&mut Proc::spawn(stride)?, Duration::from_secs(5))?;
        ensure!(status.success(), "    seen: {}\n    expected: exit status 0, the command's own", words(status));
        return Ok(());
    }
    field.step(format!("{engine} {follow:?}, attached"));
    let (mut victim, _) = field.begun_victim("exec-from-thread", &[&go])?;
    let mut stride = Proc::spawn({
        stride.args(["-p", &victim.pid().to_string()]);
        stride
    })?;
    wait_for("Stride says that it has attached", Duration::from_secs(10), || {
        (field.text("stderr").contains("attached") || stride.has_ended()).then_some(())
    })?;
    std::fs::write(&go, "")?;
    let ended = victim.end(patience(Duration::from_secs(5)));
    ensure!(ended.is_some(), "    seen: the program did not end\n    expected: it ends after its execve");
    field.ends(&mut stride, Duration::from_secs(5)).map(drop)
}
