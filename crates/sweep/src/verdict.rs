//! The verdict on a program that had a fault.

use crate::fault::SweepFault;
use crate::observed::{ENDLESS, EndOfProcess, ObservedRun, Site};
use crate::runner::Ran;
use crate::shape::{RunShape, STANDARD_OUTPUT};
use crate::site::SiteKey;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;
use stride_event::quantity::{count, duration};
use stride_output::{errno_name, shown, signal_text};

/// The kind of an end, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictKind {
    /// A signal ended a process, as of an invalid access to memory or an abort.
    Crash,
    /// It did not end.
    Hang,
    /// It made the same call again and again.
    Endless,
    /// It exited with 0, said nothing, and its output is not whole.
    Lost,
    /// The process failed, and the one that had started it exited with 0. The output is not whole.
    Dropped,
    /// It complained and exited with 0. The output is not whole.
    WrongStatus,
    /// It went on, and a descriptor stayed open.
    Leak,
    /// It exited with 0 and another output, but the call has a fallback.
    OtherOutput,
    /// It ended otherwise than without the fault.
    Handled,
    /// It ended as without the fault, with the same output.
    Recovered,
    /// The call was not made in the runs that should have changed it.
    NotReached,
    /// The run ended in a way that looks like a mistake, and not so when it was repeated.
    NotRepeated,
}

impl VerdictKind {
    pub const FINDINGS: [VerdictKind; 7] = [
        VerdictKind::Crash,
        VerdictKind::Hang,
        VerdictKind::Endless,
        VerdictKind::Lost,
        VerdictKind::Dropped,
        VerdictKind::WrongStatus,
        VerdictKind::Leak,
    ];

    pub fn is_finding(self) -> bool {
        VerdictKind::FINDINGS.contains(&self)
    }
}

/// The judgement of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepVerdict {
    pub kind: VerdictKind,
    /// A sentence without its full stop; empty where the kind says all.
    pub what: String,
}

impl SweepVerdict {
    pub fn new(kind: VerdictKind, what: impl Into<String>) -> SweepVerdict {
        SweepVerdict { kind, what: what.into() }
    }
}

/// The command as it runs without faults.
pub struct Plain {
    pub end: EndOfProcess,
    pub shape: RunShape,
    /// Parts that differ from run to run.
    pub varying: BTreeSet<PathBuf>,
    pub messages_vary: bool,
    pub took: Duration,
    pub calls: u64,
    pub counts: HashMap<SiteKey, u64>,
    pub left_open: HashMap<SiteKey, u64>,
    pub ends: HashMap<String, EndOfProcess>,
    /// The callers of sites, for messages.
    pub callers: HashMap<SiteKey, String>,
}

impl Plain {
    /// Takes one more run into account. The error says that runs differ too much.
    pub fn also(&mut self, ran: &Ran) -> Result<(), String> {
        let again = ran.observed.end;
        if again != Some(self.end) {
            return Err(format!(
                "without a fault, the command {} once, and {} another time",
                end_text(Some(self.end)),
                end_text(again)
            ));
        }
        self.varying.extend(self.shape.lost_in(&ran.shape));
        self.varying.extend(ran.shape.lost_in(&self.shape));
        self.messages_vary |= self.shape.messages != ran.shape.messages;
        self.took = self.took.max(ran.took);
        self.calls = self.calls.max(ran.observed.calls);
        for (key, n) in &ran.observed.counts {
            let most = self.counts.entry(*key).or_default();
            *most = (*most).max(*n);
        }
        for (key, n) in &ran.observed.left_open {
            let most = self.left_open.entry(*key).or_default();
            *most = (*most).max(*n);
        }
        Ok(())
    }
}

/// Judges a run in which a call of the site was changed.
pub fn judge(plain: &Plain, ran: &Ran, site: &Site, fault: SweepFault, limit: Duration) -> SweepVerdict {
    let seen = &ran.observed;
    crash(plain, seen)
        .or_else(|| without_end(plain, seen, site, limit))
        .or_else(|| lost(plain, ran, site, fault))
        .or_else(|| leak(plain, seen))
        .unwrap_or_else(|| {
            if seen.end == Some(plain.end) {
                return SweepVerdict::new(VerdictKind::Recovered, "");
            }
            let named = fault.errno().is_some_and(|errno| names(&ran.messages, errno));
            let how = if named {
                "and names the error"
            } else if ran.messages.is_empty() {
                "and says nothing"
            } else {
                "with a message"
            };
            SweepVerdict::new(VerdictKind::Handled, format!("it {} {how}", end_text(seen.end)))
        })
}

fn names(messages: &str, errno: u32) -> bool {
    let text = nix::errno::Errno::from_raw(errno as i32).desc().to_lowercase();
    let messages = messages.to_lowercase();
    messages.contains(&text) || messages.contains(&errno_name(errno).to_lowercase())
}

fn crash(plain: &Plain, seen: &ObservedRun) -> Option<SweepVerdict> {
    let mut crashed: Vec<_> =
        seen.ends.iter().filter(|(place, end)| end.is_crash() && plain.ends.get(*place) != Some(end)).collect();
    crashed.sort_unstable_by_key(|(place, _)| (place.len(), *place));
    let (place, end) = crashed.first()?;
    let EndOfProcess::Signal(signal) = end else { return None };
    let whom = if *place == "1" { "it".to_owned() } else { format!("its process {place}") };
    Some(SweepVerdict::new(VerdictKind::Crash, format!("{} ends {whom}", signal_text(*signal))))
}

fn without_end(plain: &Plain, seen: &ObservedRun, site: &Site, limit: Duration) -> Option<SweepVerdict> {
    if seen.end.is_some() {
        return None;
    }
    let more = |(key, n): (&SiteKey, &u64)| (n.saturating_sub(plain.counts.get(key).copied().unwrap_or(0)), *key);
    let most = seen.counts.iter().map(more).max();
    if let Some((times, key)) = most.filter(|(times, _)| *times > ENDLESS) {
        let other = plain.callers.get(&key).filter(|caller| **caller != site.caller);
        let who = other.map(|caller| format!(" by {caller}")).unwrap_or_default();
        return Some(SweepVerdict::new(
            VerdictKind::Endless,
            format!(
                "the same call is made again and again{who}: {} when it was stopped",
                count(times, "time", "times")
            ),
        ));
    }
    let mut waits: Vec<String> = seen
        .pending
        .iter()
        .map(|(call, caller)| if caller.is_empty() { call.clone() } else { format!("{call} for {caller}") })
        .collect();
    waits.dedup();
    waits.truncate(3);
    let limit = duration(limit.as_nanos() as u64);
    let waits = if waits.is_empty() { String::new() } else { format!("; threads are in {}", waits.join(", ")) };
    Some(SweepVerdict::new(VerdictKind::Hang, format!("it did not end within {limit}{waits}")))
}

fn lost(plain: &Plain, ran: &Ran, site: &Site, fault: SweepFault) -> Option<SweepVerdict> {
    let seen = &ran.observed;
    if seen.end != Some(plain.end) || plain.end != EndOfProcess::Status(0) {
        return None;
    }
    let lost: Vec<PathBuf> = plain.shape.lost_in(&ran.shape).difference(&plain.varying).cloned().collect();
    let first = lost.first()?;
    let others = match lost.len() - 1 {
        0 => String::new(),
        more => format!(" and {}", count(more as u64, "other file", "other files")),
    };
    let name = part_name(first);
    let differs =
        format!("{name}{others} {}", if lost.len() == 1 { "is not what it was" } else { "are not what they were" });
    if !site.matters {
        return Some(SweepVerdict::new(VerdictKind::OtherOutput, differs));
    }
    let process = seen.changed.as_ref().map(|changed| &changed.process);
    let own_end = process.and_then(|process| seen.ends.get(process));
    let is_command = process.is_some_and(|process| process == "1");
    if let Some(own_end) = own_end.filter(|end| !is_command && **end != EndOfProcess::Status(0)) {
        let own_end = end_text(Some(*own_end));
        return Some(SweepVerdict::new(
            VerdictKind::Dropped,
            format!("the process {own_end}, but the command exits with 0; {differs}"),
        ));
    }
    // (Some programs write their messages to the standard output.)
    let is_named = fault.errno().is_some_and(|errno| names(&ran.output, errno) || names(&ran.messages, errno));
    if is_named || !plain.messages_vary && plain.shape.messages != ran.shape.messages {
        return Some(SweepVerdict::new(VerdictKind::WrongStatus, format!("it complains and exits with 0; {differs}")));
    }
    Some(SweepVerdict::new(VerdictKind::Lost, format!("it says nothing and exits with 0; {differs}")))
}

fn part_name(part: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    if part == Path::new(STANDARD_OUTPUT) {
        return "the standard output".into();
    }
    shown(part.as_os_str().as_bytes())
}

fn leak(plain: &Plain, seen: &ObservedRun) -> Option<SweepVerdict> {
    let is_closed = |key: &SiteKey| plain.left_open.get(key).is_none_or(|left| *left == 0);
    let leak = seen.leaks.iter().find(|leak| is_closed(&leak.opened_by))?;
    Some(SweepVerdict::new(VerdictKind::Leak, format!("it goes on, and {} stays open", shown(&leak.file))))
}

/// `exits with 3`, `is ended by SIGTERM`.
pub fn end_text(end: Option<EndOfProcess>) -> String {
    match end {
        Some(EndOfProcess::Status(status)) => format!("exits with {status}"),
        Some(EndOfProcess::Signal(signal)) => format!("is ended by {}", signal_text(signal)),
        None => "does not end".into(),
    }
}
