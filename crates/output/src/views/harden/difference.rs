//! The difference between the evidence of earlier runs and that of a run, as lines.

use super::evidence::{FileUse, HardenEvidence, UseOf, directory_of};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use stride_event::quantity::count;

/// Lines that begin with `+` for what only the run needed, and lines that begin with `-` for what only the earlier runs needed.
pub fn lines(earlier: &HardenEvidence, run: &HardenEvidence) -> String {
    let mut out = String::new();
    for line in run.about() {
        let _ = writeln!(out, "# {line}");
    }
    let before = out.len();
    side(&mut out, '+', run, earlier);
    side(&mut out, '-', earlier, run);
    if out.len() == before {
        out.push_str("# The run needed what the earlier runs needed, and no more.\n");
    }
    if !earlier.has_files() {
        out.push_str("# Files are not compared, because an earlier version of Stride did not write down those of the earlier runs.\n");
    }
    out
}

/// The part of the evidence that the other one does not have.
fn side(out: &mut String, sign: char, of: &HardenEvidence, other: &HardenEvidence) {
    let mut line = |kind: &str, name: &str, used: &UseOf| {
        let times = count(used.times, "time", "times");
        let _ = writeln!(out, "{sign} {kind} {name}: {times} {}", used.users());
    };
    for (name, calls) in of.calls.iter().filter(|(name, _)| !other.calls.contains_key(*name)) {
        line("call", name, &calls.used);
    }
    for (guard, used) in of.guards.iter().filter(|(guard, _)| !other.guards.contains_key(guard)) {
        line("facility", &word(guard), used);
    }
    let named = [
        ("family", &of.families, &other.families),
        ("socket", &of.sockets, &other.sockets),
        ("abstract socket", &of.abstract_sockets, &other.abstract_sockets),
        ("capability", &of.capabilities, &other.capabilities),
        ("signal", &of.signals, &other.signals),
    ];
    for (kind, these, others) in named {
        these.iter().filter(|(name, _)| !others.contains_key(*name)).for_each(|(name, used)| line(kind, name, used));
    }
    for (way, ports) in &of.ports {
        for (port, used) in ports {
            if !other.ports.get(way).is_some_and(|others| others.contains_key(port)) {
                line("port", &format!("{port} ({})", word(way)), used);
            }
        }
    }
    if of.has_files() && other.has_files() {
        files(out, sign, "file", &of.files, other, &other.files);
        files(out, sign, "files in", &of.directories, other, &other.directories);
    }
}

fn files(
    out: &mut String,
    sign: char,
    kind: &str,
    of: &BTreeMap<String, FileUse>,
    other: &HardenEvidence,
    others: &BTreeMap<String, FileUse>,
) {
    let none = BTreeSet::new();
    let within = |path: &str| other.directories.get(directory_of(path));
    for (path, it) in of {
        let same = others.get(path).map_or(&none, |other| &other.access);
        let any = within(path).filter(|_| kind == "file").map_or(&none, |other| &other.access);
        let new: Vec<String> =
            it.access.iter().filter(|way| !same.contains(way) && !any.contains(way)).map(word).collect();
        if !new.is_empty() {
            let _ = writeln!(out, "{sign} {kind} {path}: {}: {}", new.join(", "), it.used.reason());
        }
    }
}

/// The word by which evidence knows a facility, or a way to use something.
fn word(of: &impl Serialize) -> String {
    serde_json::to_value(of).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}
