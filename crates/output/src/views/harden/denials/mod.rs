//! Denials of the kernel, explained by evidence (`--explain-denial`): how often each came, whether the runs of the evidence needed it, and the rule that allows it.

mod log;

use super::apparmor_files::{escaped, letters_of_log, pattern, rules};
use super::evidence::{HardenEvidence, UseOf, directory_of};
use crate::spelling::quote::{is_deceptive, shown};
use log::{Denial, Denials, Denied};
use std::fmt::Write;
use stride_event::quantity::count;

/// The denials in the log of the kernel as sentences, each with the rule that allows it.
pub fn explain_denials(log: &[u8], evidence: &HardenEvidence) -> String {
    let denials = Denials::of(log);
    let mut out = String::new();
    if denials.all.is_empty() {
        out.push_str("The log has no denial of seccomp or AppArmor: no line with type=1326, type=SECCOMP, apparmor=\"DENIED\" or apparmor=\"ALLOWED\".\n");
    }
    let mut all: Vec<(&Denial, &Denied)> = denials.all.iter().collect();
    all.sort_by_key(|(denial, denied)| (std::cmp::Reverse(denied.times), *denial));
    for (denial, denied) in all {
        let programs: Vec<String> = denied.programs.iter().map(|name| shown(name)).collect();
        let times = count(denied.times, "time", "times");
        let (what, action, advice) = match denial {
            Denial::Call { name, abi, action } => (format!("the call {name} ({abi})"), action, of_call(name, evidence)),
            Denial::File { path, letters, action } => {
                (format!("{} for {letters}", shown(path)), action, of_file(path, letters, evidence))
            }
            Denial::Other { operation, rule, action } => {
                (operation.clone(), action, of_other(operation, rule.as_deref(), evidence))
            }
        };
        let _ = writeln!(out, "{times}: {what}, {action}, by {}", programs.join(", "));
        advice.iter().for_each(|line| _ = writeln!(out, "  {line}"));
    }
    if denials.left_out > 0 {
        let more = count(denials.left_out, "further line is", "further lines are");
        let _ = writeln!(out, "{more} about other denials, for which there was no room.");
    }
    out
}

fn is_known(used: &UseOf) -> String {
    let times = count(used.times, "time", "times");
    format!(
        "The evidence has it ({times} {}), so the rules are older, or others: make them again from this evidence.",
        used.users()
    )
}

const ADD_A_RUN: &str =
    "The evidence does not have it. Add a run that does it (--harden=json --harden-with=FILE), or, if that is right:";

fn of_call(name: &str, evidence: &HardenEvidence) -> Vec<String> {
    match evidence.calls.get(name) {
        Some(calls) => vec![is_known(&calls.used)],
        None if name.contains(' ') => vec!["This Stride knows no call of that number, so no rule can name it.".into()],
        None => vec![
            ADD_A_RUN.into(),
            format!("SystemCallFilter={name} in a drop-in, or \"{name}\" among the names that a profile allows"),
        ],
    }
}

fn of_file(path: &[u8], letters: &str, evidence: &HardenEvidence) -> Vec<String> {
    let is_on_line = |path: &&str| !path.chars().any(is_deceptive);
    let Some(path) = std::str::from_utf8(path).ok().filter(is_on_line) else {
        return vec!["No rule can have this name.".into()];
    };
    let Some(wanted) = letters_of_log(letters) else {
        return vec![format!("Stride knows no permission for {letters}: see apparmor.d(5).")];
    };
    let all = rules(evidence);
    let above = format!("{}/*", pattern(directory_of(path).trim_end_matches('/')));
    let mut known = [pattern(path), above].into_iter().filter_map(|pattern| all.get(&pattern));
    match known.find(|(permissions, _)| wanted.letters().chars().all(|c| permissions.letters().contains(c))) {
        Some((_, used)) => vec![is_known(used)],
        None => vec![ADD_A_RUN.into(), format!("\"{}\" {},", escaped(path), wanted.letters())],
    }
}

fn of_other(operation: &str, rule: Option<&str>, evidence: &HardenEvidence) -> Vec<String> {
    let Some(rule) = rule else {
        return vec![format!("Stride has no rule for {operation}: see apparmor.d(5).")];
    };
    let known = match rule.split_once(' ') {
        Some(("capability", name)) => evidence.capabilities.get(&format!("CAP_{}", name.to_ascii_uppercase())),
        Some((_, socket)) => {
            let upper = socket.to_ascii_uppercase();
            upper.split_once(' ').and_then(|(family, kind)| evidence.sockets.get(&format!("AF_{family} SOCK_{kind}")))
        }
        None => None,
    };
    known.map_or_else(|| vec![ADD_A_RUN.into(), format!("{rule},")], |used| vec![is_known(used)])
}

#[cfg(test)]
mod tests;
