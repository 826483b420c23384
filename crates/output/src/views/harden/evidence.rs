//! The calls, facilities and files that runs needed, as data: a later run adds to them, and programs read them.

use super::guards::Guard;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const KIND: &str = "stride-harden";
/// It grows when a reader has to be changed.
const VERSION: u32 = 1;
/// The programs, and the calls or paths, that are named for each thing.
const MOST_NAMES: usize = 6;

/// The calls, address families, facilities and files that runs needed.
#[derive(Serialize, Deserialize, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct HardenEvidence {
    #[serde(rename = "type")]
    kind: String,
    version: u32,
    pub runs: Vec<SeenRun>,
    /// By the name of the call.
    pub calls: BTreeMap<String, CallsOfName>,
    /// By the name of the address family, for socket(2) and socketpair(2).
    pub families: BTreeMap<String, UseOf>,
    /// Facilities that a rule could have taken away.
    pub guards: BTreeMap<Guard, UseOf>,
    /// Directories in which files were made, changed or removed.
    pub written: BTreeMap<String, UseOf>,
    /// Directories that were made where each service has one: /run/NAME, /var/lib/NAME and the like.
    pub made: BTreeMap<String, UseOf>,
}

/// A run, and why it may not have shown everything.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct SeenRun {
    /// Stride's command line.
    pub args: Vec<String>,
    pub engine: String,
    pub calls: u64,
    pub lost: u64,
    pub missing: Vec<String>,
}

/// The calls of one name.
#[derive(Serialize, Deserialize, Debug, Clone, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct CallsOfName {
    /// The ABIs by which it was made: `x86_64`, `i386`, ...
    pub abis: BTreeSet<String>,
    #[serde(flatten)]
    pub used: UseOf,
}

/// How often something was used, by which programs, and by which calls or at which paths.
#[derive(Serialize, Deserialize, Debug, Clone, Default, PartialEq, Eq)]
pub struct UseOf {
    pub times: u64,
    pub programs: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub by: BTreeSet<String>,
}

impl UseOf {
    pub fn add(&mut self, times: u64, program: &str, by: &str) {
        self.times = self.times.saturating_add(times);
        insert(&mut self.programs, program);
        insert(&mut self.by, by);
    }

    fn merge(&mut self, other: UseOf) {
        self.times = self.times.saturating_add(other.times);
        other.programs.iter().for_each(|name| insert(&mut self.programs, name));
        other.by.iter().for_each(|name| insert(&mut self.by, name));
    }

    /// `by nginx, sh`
    pub fn users(&self) -> String {
        let names: Vec<&str> = self.programs.iter().map(String::as_str).collect();
        format!("by {}", names.join(", "))
    }
}

fn insert(names: &mut BTreeSet<String>, name: &str) {
    if names.len() < MOST_NAMES && !name.is_empty() && !names.contains(name) {
        names.insert(name.to_owned());
    }
}

/// True if no string and no key has a control character.
fn is_on_lines(value: &Value) -> bool {
    let is_on_line = |text: &str| !text.chars().any(char::is_control);
    match value {
        Value::String(text) => is_on_line(text),
        Value::Array(values) => values.iter().all(is_on_lines),
        Value::Object(members) => members.iter().all(|(key, value)| is_on_line(key) && is_on_lines(value)),
        _ => true,
    }
}

impl HardenEvidence {
    pub fn of(run: SeenRun) -> HardenEvidence {
        let (kind, runs) = (KIND.into(), vec![run]);
        let (calls, families, guards, written, made) = Default::default();
        HardenEvidence { kind, version: VERSION, runs, calls, families, guards, written, made }
    }

    /// Reads what `--harden=json` wrote. The error says what is wrong.
    pub fn parse(text: &[u8]) -> Result<HardenEvidence, String> {
        let other = |error| format!("it is not what --harden=json writes ({error})");
        let value: Value = serde_json::from_slice(text).map_err(other)?;
        // Strings go into rules. A file that somebody changed must not bring other lines into them.
        if !is_on_lines(&value) {
            return Err("a string in it has a control character, which --harden=json never writes".into());
        }
        let evidence: HardenEvidence = serde_json::from_value(value).map_err(other)?;
        match (evidence.kind.as_str(), evidence.version) {
            (KIND, VERSION) => {}
            (KIND, version) => {
                return Err(format!("it has version {version}, and this Stride reads version {VERSION}"));
            }
            _ => return Err("it is not what --harden=json writes (another type)".into()),
        }
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
        let names = evidence.calls.keys().chain(evidence.families.keys());
        let abis = evidence.calls.values().flat_map(|calls| &calls.abis);
        if let Some(name) = names.chain(abis).find(|name| !is_name(name)) {
            return Err(format!("{name:?} is no name of a call, an ABI or an address family"));
        }
        if let Some(path) = evidence.written.keys().chain(evidence.made.keys()).find(|path| !path.starts_with('/')) {
            return Err(format!("{path:?} is no absolute path"));
        }
        Ok(evidence)
    }

    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("maps with names as keys");
        text.push('\n');
        text
    }

    /// Adds what other runs needed.
    pub fn add(&mut self, other: HardenEvidence) {
        self.runs.splice(0..0, other.runs);
        for (name, calls) in other.calls {
            let of = self.calls.entry(name).or_default();
            of.abis.extend(calls.abis);
            of.used.merge(calls.used);
        }
        other.families.into_iter().for_each(|(name, used)| self.families.entry(name).or_default().merge(used));
        other.guards.into_iter().for_each(|(guard, used)| self.guards.entry(guard).or_default().merge(used));
        other.written.into_iter().for_each(|(path, used)| self.written.entry(path).or_default().merge(used));
        other.made.into_iter().for_each(|(path, used)| self.made.entry(path).or_default().merge(used));
    }

    /// The ABIs of all calls.
    pub fn abis(&self) -> BTreeSet<&str> {
        self.calls.values().flat_map(|calls| &calls.abis).map(String::as_str).collect()
    }

    /// A sentence for each fact about the runs, for the head of the rules.
    pub fn about(&self) -> Vec<String> {
        use stride_event::quantity::count;
        let sum = |of: fn(&SeenRun) -> u64| self.runs.iter().map(of).fold(0, u64::saturating_add);
        let (runs, calls, lost) = (self.runs.len() as u64, sum(|run| run.calls), sum(|run| run.lost));
        let lost = if lost == 1 { "1 call was lost".into() } else { format!("{lost} calls were lost") };
        let of = count(runs, "run", "runs");
        let mut about = vec![format!("Made from {of}: {} seen, {lost}.", count(calls, "call was", "calls were"))];
        let missing: BTreeSet<&String> = self.runs.iter().flat_map(|run| &run.missing).collect();
        if !missing.is_empty() {
            about.push("The rules may lack something that the program needs:".into());
            about.extend(missing.into_iter().map(|reason| format!("  {reason}")));
        }
        about
    }
}
