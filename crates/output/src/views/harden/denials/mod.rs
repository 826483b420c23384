//! Denials of the kernel, explained by evidence (`--explain-denial`): how often each came, whether the runs of the evidence needed it, and the rule that allows it.

mod advice;
mod denial;
mod fields;
mod landlock;
mod log;

use super::evidence::HardenEvidence;
use crate::spelling::quote::shown;
use denial::Denial;
use log::{Denials, Denied};
use std::fmt::Write;
use stride_event::quantity::count;

/// The denials in the log of the kernel as sentences, each with the rule that allows it.
pub fn explain_denials(log: &[u8], evidence: &HardenEvidence) -> String {
    let denials = Denials::of(log);
    let mut out = String::new();
    if denials.all.is_empty() {
        out.push_str("The log has no denial of seccomp, AppArmor or Landlock: no line with type=1326 or type=SECCOMP, apparmor=\"DENIED\" or apparmor=\"ALLOWED\", type=1423 or type=LANDLOCK_ACCESS.\n");
    }
    let mut all: Vec<(&Denial, &Denied)> = denials.all.iter().collect();
    all.sort_by_key(|(denial, denied)| (std::cmp::Reverse(denied.times), *denial));
    for (denial, denied) in all {
        let programs: Vec<String> = denied.programs.iter().map(|name| shown(name)).collect();
        let times = count(denied.times, "time", "times");
        let (what, action, advice) = match denial {
            Denial::Call { name, abi, action } => {
                (format!("the call {name} ({abi})"), action, advice::of_call(name, evidence))
            }
            Denial::File { path, letters, action } => {
                (format!("{} for {letters}", shown(path)), action, advice::of_file(path, letters, evidence))
            }
            Denial::Beneath { path, right } => {
                (format!("{} for {right}", shown(path)), &"refused", advice::of_path(path, right, evidence))
            }
            Denial::Port { port, right } => {
                (format!("port {port} for {right}"), &"refused", advice::of_port(*port, right, evidence))
            }
            Denial::Other { operation, rule, action, manual } => {
                (operation.clone(), action, advice::of_other(operation, rule.as_deref(), manual, evidence))
            }
        };
        // (Without the record of the call, Landlock's records have no program.)
        let by = if programs.is_empty() { String::new() } else { format!(", by {}", programs.join(", ")) };
        let _ = writeln!(out, "{times}: {what}, {action}{by}");
        advice.iter().for_each(|line| _ = writeln!(out, "  {line}"));
    }
    if denials.left_out > 0 {
        let more = count(denials.left_out, "further line is", "further lines are");
        let _ = writeln!(out, "{more} about other denials, for which there was no room.");
    }
    out
}

#[cfg(test)]
mod tests;
