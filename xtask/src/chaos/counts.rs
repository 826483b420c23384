//! Every call that a program makes is shown, or counted as lost.

use super::Scenario;
use super::field::{EBPF, Field, Need};
use super::process::{Proc, words};
use anyhow::{Result, ensure};
use std::time::Duration;

pub const SCENARIO: Scenario = Scenario {
    name: "counts",
    about: "calls shown and calls told to be lost are as many as were made",
    needs: &[Need::Ebpf],
    share: 5,
    cases: 36,
    round,
};

const WRITERS: [u64; 3] = [1, 2, 8];
const RINGS: [&str; 6] = ["64K", "128K", "512K", "1M", "4M", "16M"];

fn round(field: &Field) -> Result<()> {
    let writers = field.case(&WRITERS, 1);
    let ring = field.case(&RINGS, 3);
    let overflow = field.case(&["wait", "drop"], 18);
    let calls = (20_000 + field.below(60_000)) / writers;
    field.step(format!("--ring-size={ring} --on-overflow={overflow}, {writers} writers of {calls} calls"));
    let mut stride = field.stride(EBPF);
    stride.args([
        "-f",
        &format!("--ring-size={ring}"),
        &format!("--on-overflow={overflow}"),
        "-e",
        "trace=getppid",
        "-o",
    ]);
    stride.arg(field.fresh("trace")).arg(field.path("writers")).args([writers.to_string(), calls.to_string()]);
    let status = field.ends(&mut Proc::spawn(stride)?, Duration::from_secs(60))?;
    ensure!(status.success(), "    seen: {}\n    expected: exit status 0, the command's own", words(status));
    let shown = field.text("trace").matches(" getppid(").count() as u64;
    let lost = lost(&field.text("stderr"));
    let made = writers * calls;
    let share = lost as f64 * 100.0 / made as f64;
    field.figure(share, format!("lost and counted: {share:.1} % ({writers} writers, {ring}, {overflow})"));
    ensure!(
        shown + lost == made,
        "    seen: {shown} calls shown, {lost} told to be lost\n    expected: {made} in all, as many as were made"
    );
    Ok(())
}

/// The number in "stride: 66,884 calls were lost: ..." or "1 call was lost, 2 starts or ends of a thread unseen: ...".
pub fn lost(said: &str) -> u64 {
    let number = said.lines().find_map(|line| {
        let (before, _) = line.split_once(" calls were lost").or_else(|| line.split_once(" call was lost"))?;
        before.rsplit(' ').next()?.replace(',', "").parse().ok()
    });
    number.unwrap_or(0)
}
