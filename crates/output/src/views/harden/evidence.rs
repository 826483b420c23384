//! The calls, facilities and files that runs needed, as data: a later run adds to them, and programs read them.

use super::access::FileAccess;
use super::capability_set::CapabilitySet;
use super::guards::Guard;
use crate::spelling::quote::is_deceptive;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Effect, Thing, row_named};
use stride_track::directory;

const KIND: &str = "stride-harden";
/// It grows when a reader has to be changed. Files of earlier versions are read, too.
const VERSION: u32 = 4;
/// The programs, and the calls or paths, that are named for each thing.
const MOST_NAMES: usize = 6;

/// The calls, address families, facilities and files that runs needed.
#[derive(Serialize, Deserialize, Debug, Default, PartialEq, Eq)]
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
    /// Files and directories by their paths, without symbolic links.
    #[serde(default)]
    pub files: BTreeMap<String, FileUse>,
    /// Directories of which any file may be used.
    #[serde(default)]
    pub directories: BTreeMap<String, FileUse>,
    /// By family and type: `AF_INET SOCK_STREAM`.
    #[serde(default)]
    pub sockets: BTreeMap<String, UseOf>,
    /// Ports of this machine that were bound, and ports of any that were connected to or sent to.
    #[serde(default)]
    pub ports: BTreeMap<PortUse, BTreeMap<u16, UseOf>>,
    /// Unix sockets in the abstract namespace that were bound or connected to.
    #[serde(default)]
    pub abstract_sockets: BTreeMap<String, UseOf>,
    /// Capabilities that calls which succeeded may have needed.
    #[serde(default)]
    pub capabilities: BTreeMap<String, UseOf>,
    /// Capabilities that calls may have needed, whether these succeeded or not, of those that a trace can tell to be unneeded.
    #[serde(default)]
    pub may_need: BTreeMap<String, UseOf>,
    /// Signals that were sent.
    #[serde(default)]
    pub signals: BTreeMap<String, UseOf>,
    /// Calls that the code of the programs leads to, made or not: the files, and the functions that these use.
    #[serde(default)]
    pub reachable: BTreeMap<String, UseOf>,
    /// Reasons why that is not known, or not whole.
    #[serde(default)]
    pub code_unknown: BTreeSet<String>,
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
    /// True if the evidence has the files that the run used.
    #[serde(default)]
    pub has_files: bool,
    /// The path of the first program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

/// The ways in which a port was used.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum PortUse {
    BindTcp,
    ConnectTcp,
    BindUdp,
    SendUdp,
}

/// The uses of one file, or of the files in one directory.
#[derive(Serialize, Deserialize, Debug, Clone, Default, PartialEq, Eq)]
pub struct FileUse {
    pub access: BTreeSet<FileAccess>,
    /// It is a directory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub directory: bool,
    #[serde(flatten)]
    pub used: UseOf,
}

impl FileUse {
    pub fn merge(&mut self, other: FileUse) {
        self.access.extend(other.access);
        self.directory |= other.directory;
        self.used.merge(other.used);
    }
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

    pub fn merge(&mut self, other: UseOf) {
        self.times = self.times.saturating_add(other.times);
        other.programs.iter().for_each(|name| insert(&mut self.programs, name));
        other.by.iter().for_each(|name| insert(&mut self.by, name));
    }

    /// `openat, read by nginx, sh`
    pub fn reason(&self) -> String {
        let by: Vec<&str> = self.by.iter().map(String::as_str).collect();
        format!("{} {}", by.join(", "), self.users())
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

/// The directory of a path of the evidence, which begins at the root.
pub fn directory_of(path: &str) -> &str {
    // (A slash is one byte, so both sides of it are text.)
    std::str::from_utf8(directory(path.as_bytes())).unwrap_or("/")
}

/// Adds the entries of one map to those of another.
fn join<K: Ord, U: Default>(own: &mut BTreeMap<K, U>, other: BTreeMap<K, U>, merge: impl Fn(&mut U, U)) {
    other.into_iter().for_each(|(key, used)| merge(own.entry(key).or_default(), used));
}

/// True if no string and no key has a character that ends a line, or that shows another text than there is.
fn is_on_lines(value: &Value) -> bool {
    let is_on_line = |text: &str| !text.chars().any(is_deceptive);
    match value {
        Value::String(text) => is_on_line(text),
        Value::Array(values) => values.iter().all(is_on_lines),
        Value::Object(members) => members.iter().all(|(key, value)| is_on_line(key) && is_on_lines(value)),
        _ => true,
    }
}

impl HardenEvidence {
    pub fn of(run: SeenRun) -> HardenEvidence {
        HardenEvidence { kind: KIND.into(), version: VERSION, runs: vec![run], ..HardenEvidence::default() }
    }

    /// Reads what `--harden=json` wrote. The error says what is wrong.
    pub fn parse(text: &[u8]) -> Result<HardenEvidence, String> {
        let other = |error| format!("it is not what --harden=json writes ({error})");
        let value: Value = serde_json::from_slice(text).map_err(other)?;
        // Strings go into rules. A file that somebody changed must not bring other lines into them.
        if !is_on_lines(&value) {
            return Err(
                "a string in it has a control character or an invisible one, which --harden=json never writes".into()
            );
        }
        // A later version may have members that this one does not know.
        if let (Some(KIND), Some(version)) = (value["type"].as_str(), value["version"].as_u64())
            && !(1..=VERSION.into()).contains(&version)
        {
            return Err(format!(
                "it has version {version}, and this Stride reads versions 1 to {VERSION}; use the Stride that made it, or a later one"
            ));
        }
        let mut evidence: HardenEvidence = serde_json::from_value(value).map_err(other)?;
        match (evidence.kind.as_str(), evidence.version) {
            (KIND, version) => {
                evidence.version = VERSION;
                if version == 1 {
                    evidence.runs.iter_mut().for_each(|run| run.has_files = false);
                }
                if version < 3 {
                    evidence.code_unknown.insert("an earlier run was seen by a Stride that did not look".into());
                }
                if version < 4 {
                    let reason = UseOf {
                        by: ["not written down".into()].into(),
                        programs: ["an earlier run".into()].into(),
                        ..UseOf::default()
                    };
                    let all = CapabilitySet::TELLABLE.names();
                    evidence.may_need.extend(all.map(|name| (name.to_owned(), reason.clone())));
                }
            }
            _ => return Err("it is not what --harden=json writes (another type)".into()),
        }
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
        let words = evidence.sockets.keys().flat_map(|socket| socket.split(' '));
        let names = evidence.calls.keys().chain(evidence.families.keys()).chain(evidence.capabilities.keys());
        let names = names.chain(evidence.may_need.keys());
        let names =
            names.chain(evidence.signals.keys()).chain(evidence.reachable.keys()).map(String::as_str).chain(words);
        let abis = evidence.calls.values().flat_map(|calls| &calls.abis);
        if let Some(name) = names.chain(abis.map(String::as_str)).find(|name| !is_name(name)) {
            return Err(format!(
                "{name:?} is no name of a call, an ABI, an address family, a type of sockets, a capability or a signal"
            ));
        }
        let programs = evidence.runs.iter().filter_map(|run| run.program.as_ref());
        let paths = evidence.written.keys().chain(evidence.made.keys()).chain(evidence.files.keys());
        let mut paths = paths.chain(evidence.directories.keys()).chain(programs);
        if let Some(path) = paths.find(|path| !path.starts_with('/')) {
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
        join(&mut self.calls, other.calls, |own, calls| {
            own.abis.extend(calls.abis);
            own.used.merge(calls.used);
        });
        join(&mut self.guards, other.guards, UseOf::merge);
        join(&mut self.ports, other.ports, |own, ports| join(own, ports, UseOf::merge));
        join(&mut self.files, other.files, FileUse::merge);
        join(&mut self.directories, other.directories, FileUse::merge);
        join(&mut self.families, other.families, UseOf::merge);
        join(&mut self.sockets, other.sockets, UseOf::merge);
        join(&mut self.written, other.written, UseOf::merge);
        join(&mut self.made, other.made, UseOf::merge);
        join(&mut self.abstract_sockets, other.abstract_sockets, UseOf::merge);
        join(&mut self.capabilities, other.capabilities, UseOf::merge);
        join(&mut self.may_need, other.may_need, UseOf::merge);
        join(&mut self.signals, other.signals, UseOf::merge);
        join(&mut self.reachable, other.reachable, UseOf::merge);
        self.code_unknown.extend(other.code_unknown);
    }

    /// True if the files of each run are known, which version 1 does not have.
    pub fn has_files(&self) -> bool {
        self.runs.iter().all(|run| run.has_files)
    }

    /// The calls that change mounts, if there were any.
    pub fn mounts(&self) -> Option<UseOf> {
        let mut used = UseOf::default();
        for (name, calls) in &self.calls {
            let is_mount = row_named(name).is_some_and(|row| {
                row.makes() == Some(Thing::Mount)
                    || row.has_effect(Effect::ChangesPaths) && row.needs_capability() == Some(c::CAP_SYS_ADMIN)
            });
            if is_mount {
                calls.used.programs.iter().for_each(|program| used.add(1, program, name));
            }
        }
        (used.times > 0).then_some(used)
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
