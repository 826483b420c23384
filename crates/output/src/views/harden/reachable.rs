//! Calls that no run made, although the code of the programs can make them (`stride_reach`): what a rule may have to allow on another day.

use super::evidence::HardenEvidence;
use super::files::Links;
use crate::spelling::quote::shown;
use crate::views::inputs::{InputsOfRun, ListPart, UsedPath, UserId, files};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use stride_event::quantity::count;
use stride_reach::{MachineCode, Unread, reachable};
use stride_track::base_name;

/// Reads files of code.
pub trait CodeFiles {
    /// The bytes of a file, as it is now. `None` if it cannot be read, or has too many.
    fn code(&self, path: &[u8]) -> Option<Vec<u8>>;
}

/// Adds the calls that the code of the run's programs and libraries leads to. Programs that became others and were no part of the run themselves (`without`) are left out.
pub fn add(
    of: &InputsOfRun,
    without: &FxHashSet<UserId>,
    links: &dyn Links,
    code: &dyn CodeFiles,
    evidence: &mut HardenEvidence,
) {
    let is_wanted = |it: &&UsedPath| it.users.more || it.users.ids().iter().any(|user| !without.contains(user));
    let mut images = Vec::new();
    let mut seen: BTreeSet<Vec<u8>> = BTreeSet::new();
    for (part, is_program) in
        [(ListPart::Programs, true), (ListPart::Interpreters, false), (ListPart::Libraries, false)]
    {
        for it in files(of, part).filter(is_wanted) {
            let path = links.real(&it.path).unwrap_or_else(|| it.path.to_vec());
            if !seen.insert(path.clone()) {
                continue;
            }
            let name = shown(base_name(&path));
            match code.code(&path).map(|bytes| MachineCode::parse(&bytes)) {
                Some(Ok(image)) => images.push((name, is_program, image)),
                // A script, or a file of data that was mapped.
                Some(Err(Unread::NoCode)) => {}
                Some(Err(Unread::OtherMachine)) => {
                    _ = evidence.code_unknown.insert(format!("{name} is code of another kind"))
                }
                None => _ = evidence.code_unknown.insert(format!("{name} could not be read")),
            }
        }
    }
    let reached = reachable(images);
    for (call, way) in reached.calls {
        evidence.reachable.entry(call.to_owned()).or_default().add(0, &way.file, &shown(way.function.as_bytes()));
    }
    for (file, places) in reached.unknown {
        let places = count(places, "place", "places");
        evidence.code_unknown.insert(format!("{file} computes the numbers of calls at {places}"));
    }
}

/// Lines about the calls that were not made and are not allowed otherwise. None if there are none.
pub fn lines(evidence: &HardenEvidence, is_allowed: impl Fn(&str) -> bool) -> Vec<String> {
    // The caller's file comes first, because people ask who would make such a call.
    let mut by_file: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut number = 0;
    for (call, way) in &evidence.reachable {
        if evidence.calls.contains_key(call) || is_allowed(call) {
            continue;
        }
        number += 1;
        let functions: Vec<&str> = way.by.iter().map(String::as_str).filter(|function| function != call).collect();
        let by = if functions.is_empty() { call.clone() } else { format!("{call} ({})", functions.join(", ")) };
        by_file.entry(way.users()).or_default().push(by);
    }
    let mut lines = Vec::new();
    if number > 0 {
        let calls = count(number, "other call that is not allowed", "other calls that are not allowed");
        lines.push(format!(
            "Not seen, but within reach: the code of the programs and their libraries can make {calls} (in brackets: a function that leads there). \
             Code may be there that never runs. Add the calls that may be needed:"
        ));
        lines.extend(by_file.into_iter().map(|(file, calls)| format!("  {file}: {}", calls.join(", "))));
    }
    if !evidence.code_unknown.is_empty() && (number > 0 || evidence.reachable.is_empty()) {
        let unknown: Vec<&str> = evidence.code_unknown.iter().map(String::as_str).collect();
        lines.push(format!("Calls within reach of the code are not all known: {}", unknown.join("; ")));
    }
    lines
}
