//! What the page is told, as the JSON in it. Times are nanoseconds, those of day since the run began.

use super::family::Family;
use serde::Serialize;
use stride_event::{Ns, Tid};

/// A place in [`CallsData::rows`].
pub type CallIndex = u16;
/// A place in [`PageData::texts`]; 0 is the empty one.
pub type TextIndex = u32;

#[derive(Serialize)]
pub struct PageData {
    pub title: String,
    /// What to know first: that something is missing.
    pub warnings: Vec<String>,
    pub sentence: Vec<Phrase>,
    pub numbers: NumbersData,
    /// Names and values: host, engine, …
    pub about: Vec<(&'static str, String)>,
    /// What `--advise` found, if it was asked.
    pub findings: Option<Vec<FindingData>>,
    pub calls: CallsData,
    pub timeline: TimelineData,
    pub files: FilesData,
    pub errors: ErrorsData,
    pub slowest: Vec<SlowData>,
    pub processes: ProcessesData,
    /// Texts of calls.
    pub texts: Vec<String>,
}

/// A piece of a sentence.
#[derive(Serialize, Debug, PartialEq)]
pub struct Phrase {
    pub text: String,
    pub kind: Emphasis,
}

#[derive(Serialize, Clone, Copy, Debug, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Emphasis {
    Plain,
    /// What the sentence is about.
    Strong,
    /// A name from the tracee or the kernel.
    Code,
}

#[derive(Serialize)]
pub struct NumbersData {
    pub length: Ns,
    pub calls: u64,
    pub errors: u64,
    /// Spent in calls by all threads, and of that, in such as wait.
    pub busy: Ns,
    pub waiting: Ns,
    pub threads: u64,
    pub processes: u64,
    pub lost: u64,
}

/// A finding of `--advise`.
#[derive(Serialize)]
pub struct FindingData {
    pub id: String,
    pub title: String,
    pub text: String,
    /// Calls and time it would save; empty if it is not about that.
    pub saves: String,
    pub evidence: Vec<String>,
    /// Facts in rows, the heads first; empty if there are none.
    pub table: Vec<Vec<String>>,
    /// What to do.
    pub advice: String,
    /// How sure it is.
    pub sure: &'static str,
}

#[derive(Serialize)]
pub struct CallsData {
    pub rows: Vec<CallData>,
    /// Where each bucket of the histograms starts, and the last one ends.
    pub starts: Vec<Ns>,
}

#[derive(Serialize)]
pub struct CallData {
    pub name: String,
    pub family: Family,
    pub calls: u64,
    pub errors: u64,
    pub time: Ns,
    pub min: Ns,
    pub p50: Ns,
    pub p90: Ns,
    pub p99: Ns,
    pub max: Ns,
    /// Bucket and how many.
    pub histogram: Vec<(usize, u64)>,
}

#[derive(Serialize)]
pub struct TimelineData {
    /// Of a bin; 0 if every call is shown by itself.
    pub width: Ns,
    pub lanes: Vec<LaneData>,
    /// Threads without a lane.
    pub more: u64,
    /// Bins of all these, as in a lane, without times.
    pub others: Vec<u64>,
}

#[derive(Serialize)]
pub struct LaneData {
    pub tid: Tid,
    /// A place in [`ProcessesData::rows`].
    pub process: Option<usize>,
    pub name: String,
    pub from: Ns,
    pub to: Option<Ns>,
    pub calls: u64,
    pub errors: u64,
    pub busy: Ns,
    pub waiting: Ns,
    /// Five a bin: its place less that of the one before, calls, errors, parts in 255 of it that were spent in calls that do
    /// not wait, and the syscall that took most.
    pub bins: Vec<u64>,
    /// Five a call: its beginning less that of the one before, time, syscall, end (0 returned, 1 failed, 2 never returned), text.
    pub slices: Vec<u64>,
    /// Two where calls were lost: when that was found, and how many.
    pub lost: Vec<u64>,
}

#[derive(Serialize)]
pub struct FilesData {
    pub rows: Vec<FileData>,
    pub more: u64,
}

#[derive(Serialize)]
pub struct FileData {
    pub name: String,
    pub kind: &'static str,
    pub calls: u64,
    pub errors: u64,
    pub time: Ns,
    pub bytes: u64,
}

#[derive(Serialize)]
pub struct ErrorsData {
    pub rows: Vec<ErrorData>,
    pub more: u64,
}

#[derive(Serialize)]
pub struct ErrorData {
    pub call: CallIndex,
    pub errno: String,
    pub meaning: &'static str,
    /// What the call was about.
    pub name: Option<String>,
    pub count: u64,
    pub time: Ns,
}

#[derive(Serialize)]
pub struct SlowData {
    pub at: Ns,
    pub took: Ns,
    pub call: CallIndex,
    pub tid: Tid,
    pub who: String,
    pub waits: bool,
    pub text: TextIndex,
}

#[derive(Serialize)]
pub struct ProcessesData {
    /// Parents come before their children.
    pub rows: Vec<ProcessData>,
    /// Without a place in the tree, by no fault of theirs.
    pub more: u64,
}

#[derive(Serialize)]
pub struct ProcessData {
    pub pid: Tid,
    pub depth: usize,
    pub name: String,
    pub command: String,
    pub from: Ns,
    pub to: Option<Ns>,
    /// How it ended: `exit 0`, `SIGKILL`.
    pub end: String,
    pub ok: bool,
    pub threads: u64,
    pub calls: u64,
    pub errors: u64,
    pub busy: Ns,
    /// Descendants of its own that are not shown.
    pub more: u64,
}
