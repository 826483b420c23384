//! The page's data, which becomes JSON. Times are in nanoseconds. Moments count from the beginning of the run.

use super::family::Family;
use serde::Serialize;
use stride_event::{Ns, Tid};

/// An index into [`CallsData::rows`].
pub type CallIndex = u16;
/// An index into [`PageData::texts`]. Text 0 is empty.
pub type TextIndex = u32;
/// An index into [`PageData::stacks`]. Stack 0 is empty.
pub type StackIndex = u32;

#[derive(Serialize)]
pub struct PageData {
    pub title: String,
    /// Sentences shown first, about missing data.
    pub warnings: Vec<String>,
    pub sentence: Vec<Phrase>,
    pub numbers: NumbersData,
    /// Names and values, such as host and engine.
    pub about: Vec<(&'static str, String)>,
    /// The findings, with `--advise`.
    pub findings: Option<Vec<FindingData>>,
    pub calls: CallsData,
    pub timeline: TimelineData,
    pub files: FilesData,
    pub errors: ErrorsData,
    pub slowest: Vec<SlowData>,
    /// Functions of libraries, with `--library-calls`.
    pub library: LibraryData,
    pub processes: ProcessesData,
    /// The texts of calls.
    pub texts: Vec<String>,
    /// The stacks of calls, with `-k`: indices of functions, innermost first.
    pub stacks: Vec<Vec<usize>>,
    /// Functions on stacks: names and places.
    pub functions: Vec<(String, String)>,
}

#[derive(Serialize)]
pub struct LibraryData {
    pub rows: Vec<LibraryRow>,
    /// Rows that are not here.
    pub more: u64,
}

#[derive(Serialize)]
pub struct LibraryRow {
    pub name: String,
    pub calls: u64,
    pub time: Ns,
    /// The longest call.
    pub most: Ns,
}

/// A part of a sentence.
#[derive(Serialize, Debug, PartialEq)]
pub struct Phrase {
    pub text: String,
    pub kind: Emphasis,
}

#[derive(Serialize, Clone, Copy, Debug, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Emphasis {
    Plain,
    /// An emphasized part.
    Strong,
    /// A name from the tracee or the kernel.
    Code,
}

#[derive(Serialize)]
pub struct NumbersData {
    pub length: Ns,
    pub calls: u64,
    pub errors: u64,
    /// Time that all threads spent in calls, and the part of it in calls that wait.
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
    /// Calls and time that the advice would save. Empty if it saves none.
    pub saves: String,
    pub evidence: Vec<String>,
    /// The functions that make the calls. Empty if stacks are not known.
    pub callers: String,
    /// The functions that made the next calls, if these say more.
    pub next: String,
    /// Rows of facts, with the heads first. Empty if there are none.
    pub table: Vec<Vec<String>>,
    /// The advice.
    pub advice: String,
    /// How certain the finding is.
    pub sure: &'static str,
}

#[derive(Serialize)]
pub struct CallsData {
    pub rows: Vec<CallData>,
    /// The start of each bucket of the histograms, and the end of the last one.
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
    /// Indices of buckets, with their counts.
    pub histogram: Vec<(usize, u64)>,
}

#[derive(Serialize)]
pub struct TimelineData {
    /// The width of a bin, or 0 if every call is shown by itself.
    pub width: Ns,
    /// The engine measured waits.
    pub measured: bool,
    pub lanes: Vec<LaneData>,
    /// The number of threads without a lane.
    pub more: u64,
    /// The bins of those threads, as in a lane, but without times.
    pub others: Vec<u64>,
}

#[derive(Serialize)]
pub struct LaneData {
    pub tid: Tid,
    /// An index into [`ProcessesData::rows`].
    pub process: Option<usize>,
    pub name: String,
    pub from: Ns,
    pub to: Option<Ns>,
    pub calls: u64,
    pub errors: u64,
    pub busy: Ns,
    pub waiting: Ns,
    /// Five numbers per bin: the index less that of the bin before, calls, errors, the share of its time in calls that
    /// do not wait (in 255ths), and the syscall that took most time.
    pub bins: Vec<u64>,
    /// Five numbers per call: the start less that of the call before, duration, syscall, end (0 returned, 1 failed, 2
    /// never returned, 3: no call but the time between two), text.
    pub slices: Vec<u64>,
    /// The stack of each of these calls. Empty if no call has one.
    pub stacks: Vec<StackIndex>,
    /// The text about the waits of each of these calls. Empty if no call has one.
    pub waits: Vec<TextIndex>,
    /// Six digits (of base 36) for each of these calls: the shares of its time in each state, on a CPU first, then as `WaitKind::ALL` has them. Only zeros if
    /// nothing was measured. Empty if no call has any.
    pub states: String,
    /// Eight digits per bin: the part of its time that is known, waits included (in 255ths, base 16), and six as above.
    pub bin_states: String,
    /// Two numbers per call: the thread that ended its longest sleep, or 0; and the place of that thread's syscall plus one, or 0, negative if there were
    /// other sleeps. Empty if no call has one.
    pub wakers: Vec<i64>,
    /// The findings that each of these calls, and each bin, belongs to: a bit for each. Empty if there are none.
    pub marks: Vec<u32>,
    pub bin_marks: Vec<u32>,
    /// Two numbers per loss: when it was found, and how many calls were lost.
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
    /// The call's object.
    pub name: Option<String>,
    pub count: u64,
    pub time: Ns,
    /// The stack of the first of these calls.
    pub stack: StackIndex,
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
    pub stack: StackIndex,
}

#[derive(Serialize)]
pub struct ProcessesData {
    /// Parents come before their children.
    pub rows: Vec<ProcessData>,
    /// The number of dropped processes without a parent.
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
    /// How the process ended: `exit 0`, `SIGKILL`.
    pub end: String,
    pub ok: bool,
    pub threads: u64,
    pub calls: u64,
    pub errors: u64,
    pub busy: Ns,
    /// The number of its descendants that are not shown.
    pub more: u64,
}
