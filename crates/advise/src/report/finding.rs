//! Findings: the results of the rules.

use crate::counts::callers::Callers;
use crate::counts::index::CallKey;
use crate::report::quantity::TID;
use crate::report::statement::{Amount, Figure, Statement};
use crate::report::trial::Trial;
use std::sync::Arc;
use stride_event::{Ns, Stack, Tid};
use stride_track::TimeSpent;

/// How sure a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum Confidence {
    /// The program may do this on purpose.
    #[default]
    Possible,
    Likely,
    /// The calls themselves prove it.
    Certain,
}

impl Confidence {
    pub fn word(self) -> &'static str {
        match self {
            Confidence::Possible => "possible",
            Confidence::Likely => "likely",
            Confidence::Certain => "certain",
        }
    }
}

/// Something that a finding points at.
#[derive(Clone, Debug)]
pub struct Evidence {
    pub kind: EvidenceKind,
    /// Hostile bytes: a path or a command's name.
    pub name: Vec<u8>,
    /// The process, if it is one.
    pub pid: Option<Tid>,
    /// The number of calls that are about the thing.
    pub calls: u64,
    pub bytes: Option<u64>,
    pub time: Option<Ns>,
    /// The trace line of one of the calls, counted from 1.
    pub line: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EvidenceKind {
    Path,
    Socket,
    Process,
    Syscall,
    /// How a program was run.
    Program,
    /// Anything else that has a name: a lock's address, an error.
    Other,
}

impl EvidenceKind {
    pub fn word(self) -> &'static str {
        match self {
            EvidenceKind::Path => "path",
            EvidenceKind::Socket => "socket",
            EvidenceKind::Process => "process",
            EvidenceKind::Syscall => "syscall",
            EvidenceKind::Program => "program",
            EvidenceKind::Other => "other",
        }
    }
}

impl Evidence {
    pub fn new(kind: EvidenceKind, name: impl Into<Vec<u8>>, calls: u64) -> Evidence {
        Evidence { kind, name: name.into(), pid: None, calls, bytes: None, time: None, line: None }
    }
}

/// A table of facts, for a finding that consists of facts.
#[derive(Clone, Debug)]
pub struct FactTable {
    pub heads: Vec<&'static str>,
    pub rows: Vec<FactRow>,
}

#[derive(Clone, Debug)]
pub struct FactRow {
    /// A cell for each head: plain text already (no control characters).
    pub cells: Vec<String>,
    /// The numbers in the cells.
    pub figures: Vec<Figure>,
}

impl FactRow {
    /// The thread that the row is about.
    pub fn thread(&self) -> Option<Tid> {
        let tid = self.figures.iter().find(|figure| *figure.quantity == TID)?;
        match tid.amount {
            Amount::Whole(tid) => tid.try_into().ok(),
            Amount::Mean(_) => None,
        }
    }
}

/// The finding that a rule reports at the end. The ledger decides what the candidate saves.
#[derive(Default)]
pub struct Candidate {
    /// One plain sentence with its full stop, made with `say!`. It does not tell the saving.
    pub sentence: Statement,
    pub evidence: Vec<Evidence>,
    /// The change that the user should make.
    pub advice: String,
    pub confidence: Confidence,
    /// The calls that need not be made.
    pub claims: Vec<Claim>,
    /// Other calls that the finding is about, with their number, so that their callers are told: those that made what
    /// leaks.
    pub makers: Vec<(CallKey, u64)>,
    /// The stacks of the calls that the finding is about, each with their number, where these are few among the claimed
    /// kinds of calls. Then the finding names their functions.
    pub stacks: Vec<(Arc<Stack>, u64)>,
    /// The stacks of the calls that the program made next, each with their number: where a run-time system waited for the program, they tell what for.
    pub next: Vec<(Arc<Stack>, u64)>,
    /// How the number of claimed calls was estimated: a clause, such as "every check of a path but its first".
    pub estimate: String,
    /// Time by which the run gets shorter besides the time of the claimed calls: waiting, a process's start.
    pub more_time: Ns,
    /// Time by which the run may get shorter besides, of which the calls do not tell whether it does: page faults, waits that
    /// would end earlier or later.
    pub perhaps_more: Ns,
    /// What the program computes right after the claimed calls, until its next ones, may not be needed either: it computes with what they brought.
    pub work_after: bool,
    /// CPU time of claimed calls that wait by nature, for which the run does not wait.
    pub more_work: Ns,
    /// The time by which the run gets shorter if all claimed calls are saved, where the rule can tell that better than
    /// the prices of the calls.
    pub whole_time: Option<Ns>,
    /// The finding matters whatever it saves: data may be lost, descriptors run out. Such a rule has a threshold of its
    /// own.
    pub matters: bool,
    /// The rules whose findings are symptoms of this one. They are not told beside it.
    pub instead_of: &'static [&'static str],
    /// A change that can be tried without touching the program, if there is one.
    pub trial: Option<Trial>,
    /// The finding is only told if no other one saves that much of the run.
    pub unless_saved: Option<Ns>,
    /// The rules that say more of the same: the finding is not told beside one of theirs, and theirs are not told beside it if they are minor.
    pub unless_told: &'static [&'static str],
}

/// Calls of one kind about one thing that need not be made.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    pub key: CallKey,
    pub calls: u64,
}

/// The calls and the time that a program saves if it follows the advice.
#[derive(Clone, Debug, Default)]
pub struct Saving {
    pub calls: u64,
    /// The number of all calls of the run.
    pub of: u64,
    /// The time by which the run gets shorter at least. Calls count only as far as their threads are on the critical path.
    pub time: Ns,
    /// The time by which the run gets shorter at most. The same, if the trace tells the time.
    pub up_to: Ns,
    /// The time of the saved calls, for which the run may wait or not.
    pub work: Ns,
    /// How this was estimated.
    pub how: String,
}

impl Saving {
    /// The middle of the range, by which findings are put in order.
    pub fn expected(&self) -> Ns {
        self.time.midpoint(self.up_to)
    }
}

#[derive(Clone, Default, Debug)]
pub struct Finding {
    /// Stable, because scripts and `--explain` use it.
    pub id: &'static str,
    pub title: &'static str,
    pub sentence: String,
    /// The numbers in the sentence.
    pub figures: Vec<Figure>,
    pub evidence: Vec<Evidence>,
    /// The kinds of calls that the finding is about.
    pub calls: Vec<CallKey>,
    /// The functions of the program that make the calls.
    pub callers: Callers,
    /// The functions that made the program's next calls, where those of the calls themselves are a run-time system's.
    pub next: Callers,
    pub table: Option<FactTable>,
    pub advice: String,
    pub confidence: Confidence,
    pub saving: Saving,
    pub trial: Option<Trial>,
    /// True, but it would save hardly any of the run's time and few of its calls. It is reported only if everything is
    /// asked for.
    pub minor: bool,
}

/// The findings of a run.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The largest saving first.
    pub reported: Vec<Finding>,
    /// Minor findings, which are told in a line each.
    pub minor: Vec<Finding>,
    /// The number of calls in which these were found.
    pub calls: u64,
    /// Threads and processes that were started and not traced.
    pub unfollowed: u64,
    /// Where the time went.
    pub time: TimeSpent,
}
