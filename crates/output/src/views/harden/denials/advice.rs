//! Advice on a denial: whether the runs of the evidence needed it, and the rule that allows it.

use crate::spelling::quote::is_deceptive;
use crate::views::harden::apparmor_files::{escaped, letters_of_log, pattern, rules};
use crate::views::harden::evidence::{HardenEvidence, UseOf, directory_of};
use crate::views::harden::landlock::{self, PORT_RIGHTS};
use crate::views::harden::landlock_files::beneath;
use std::path::Path;
use stride_event::quantity::count;

fn is_known(used: &UseOf) -> String {
    let times = count(used.times, "time", "times");
    format!(
        "The evidence has it ({times} {}), so the rules are older, or others: make them again from this evidence.",
        used.users()
    )
}

const ADD_A_RUN: &str =
    "The evidence does not have it. Add a run that does it (--harden=json --harden-with=FILE), or, if that is right:";

const NO_RULE: &str = "No rule can have this name.";

/// The path as text, if a rule can have it.
fn on_a_line(path: &[u8]) -> Option<&str> {
    std::str::from_utf8(path).ok().filter(|path| !path.chars().any(is_deceptive))
}

pub fn of_call(name: &str, evidence: &HardenEvidence) -> Vec<String> {
    match evidence.calls.get(name) {
        Some(calls) => vec![is_known(&calls.used)],
        None if name.contains(' ') => vec!["This Stride knows no call of that number, so no rule can name it.".into()],
        None => vec![
            ADD_A_RUN.into(),
            format!("SystemCallFilter={name} in a drop-in, or \"{name}\" among the names that a profile allows"),
        ],
    }
}

pub fn of_file(path: &[u8], letters: &str, evidence: &HardenEvidence) -> Vec<String> {
    let Some(path) = on_a_line(path) else { return vec![NO_RULE.into()] };
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

pub fn of_other(operation: &str, rule: Option<&str>, manual: &str, evidence: &HardenEvidence) -> Vec<String> {
    let Some(rule) = rule else {
        return vec![format!("Stride has no rule for {operation}: see {manual}.")];
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

pub fn of_path(path: &[u8], right: &str, evidence: &HardenEvidence) -> Vec<String> {
    let Some(path) = on_a_line(path) else { return vec![NO_RULE.into()] };
    let all = beneath(evidence);
    // (A right on the root is none: the ruleset does not give it.)
    let above =
        Path::new(path).ancestors().filter_map(Path::to_str).filter(|place| *place != "/" || right == "read_dir");
    let known = above.filter_map(|place| all.get(place)).find(|(rights, _)| rights.contains(right));
    match known {
        Some((_, used)) => vec![is_known(used)],
        None => vec![
            ADD_A_RUN.into(),
            format!(
                "[[path_beneath]] with allowed_access = [\"{right}\"] and parent = [\"{}\"]",
                landlock::escaped(path)
            ),
        ],
    }
}

pub fn of_port(port: u16, right: &str, evidence: &HardenEvidence) -> Vec<String> {
    let way = PORT_RIGHTS.iter().find(|(_, name)| *name == right).map(|(way, _)| way);
    match way.and_then(|way| evidence.ports.get(way)?.get(&port)) {
        Some(used) => vec![is_known(used)],
        None => {
            vec![ADD_A_RUN.into(), format!("[[net_port]] with allowed_access = [\"{right}\"] and port = [{port}]")]
        }
    }
}
