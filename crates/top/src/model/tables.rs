//! The tables: the rows and columns of each.

use crate::model::sample::{SampleKey, SampleTally};
use crate::model::scope::TopScope;

/// The tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    Processes,
    Calls,
    Files,
    Sockets,
    Errors,
    Slowest,
    Callers,
    Waits,
}

impl Tab {
    pub const ALL: [Tab; 8] =
        [Tab::Processes, Tab::Calls, Tab::Files, Tab::Sockets, Tab::Errors, Tab::Slowest, Tab::Callers, Tab::Waits];

    pub fn title(self) -> &'static str {
        match self {
            Tab::Processes => "Processes",
            Tab::Calls => "Calls",
            Tab::Files => "Files",
            Tab::Sockets => "Sockets",
            Tab::Errors => "Errors",
            Tab::Slowest => "Slowest",
            Tab::Callers => "Callers",
            Tab::Waits => "Waits",
        }
    }

    /// True if the rows have keys by which the kernel does not count.
    pub fn is_detailed(self) -> bool {
        matches!(self, Tab::Files | Tab::Sockets | Tab::Callers)
    }

    /// The titles of the key columns, with the width of each but the last, which takes the rest.
    pub fn columns(self) -> &'static [(&'static str, usize)] {
        match self {
            Tab::Processes => &[("PID", 7), (USER, 8), ("COMMAND", 0)],
            Tab::Calls => &[("CALL", 0)],
            Tab::Files => &[("FILE", 0)],
            Tab::Sockets => &[("SOCKET", 0)],
            Tab::Errors => &[("ERROR", 16), ("CALL", 0)],
            Tab::Slowest => &[("PID", 7), ("COMMAND", 16), ("CALL", 0)],
            Tab::Callers => &[("CALLER", 0)],
            Tab::Waits => &[("PID", 7), ("COMMAND", 15), ("CALL", 11), (END, 0)],
        }
    }

    /// The columns of numbers.
    pub fn numbers(self) -> impl Iterator<Item = &'static TopColumn> {
        let all = if self == Tab::Waits { &OF_WAITS[..] } else { &NUMBERS[..] };
        all.iter().filter(move |column| self == Tab::Processes || column.number != TopNumber::Cpu)
    }

    /// The part of a key by which this table has rows.
    pub fn part(self, key: &SampleKey) -> SampleKey {
        let SampleKey { pid, call, errno, path, caller, .. } = key.clone();
        match self {
            Tab::Processes => SampleKey { pid, ..SampleKey::default() },
            Tab::Calls => SampleKey { call, ..SampleKey::default() },
            Tab::Files | Tab::Sockets => SampleKey { path, ..SampleKey::default() },
            Tab::Errors => SampleKey { errno, call, ..SampleKey::default() },
            Tab::Slowest => SampleKey { pid, call, ..SampleKey::default() },
            Tab::Callers => SampleKey { caller, ..SampleKey::default() },
            Tab::Waits => SampleKey { pid, call, path, ..SampleKey::default() },
        }
    }

    /// The cells of the key columns.
    pub fn cells(self, key: &SampleKey, comm: &str, user: &str) -> Vec<String> {
        let pid = || key.pid.to_string();
        match self {
            Tab::Processes => vec![pid(), user.to_owned(), comm.to_owned()],
            Tab::Calls => vec![key.call.to_string()],
            Tab::Files | Tab::Sockets => vec![key.path.to_string()],
            Tab::Errors => vec![key.errno.to_string(), key.call.to_string()],
            Tab::Slowest => vec![pid(), comm.to_owned(), key.call.to_string()],
            Tab::Callers => vec![key.caller.to_string()],
            Tab::Waits => vec![pid(), comm.to_owned(), key.call.to_string(), key.path.to_string()],
        }
    }

    /// The table that tells more about a row of this one.
    pub fn next(self, scope: &TopScope) -> Option<Tab> {
        match self {
            Tab::Processes if scope.call.is_none() => Some(Tab::Calls),
            Tab::Processes | Tab::Slowest => Some(Tab::Files),
            Tab::Calls | Tab::Errors => Some(if scope.pid.is_none() { Tab::Processes } else { Tab::Files }),
            Tab::Files | Tab::Sockets => Some(if scope.pid.is_none() { Tab::Processes } else { Tab::Callers }),
            // A wait leads to another process, which the key does not have.
            Tab::Callers | Tab::Waits => None,
        }
    }
}

/// The title of the column of users.
pub const USER: &str = "USER";
/// The title of the column of those that are waited for.
pub const END: &str = "WAITS FOR";

/// The numbers of a row, and its curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopNumber {
    Calls,
    /// The calls of the last seconds.
    Curve,
    Errors,
    Cpu,
    Time,
    /// The shares of the time asleep and without a CPU.
    Blocked,
    Runnable,
    Longest,
    Bytes,
}

impl TopNumber {
    /// True if the numbers are those of measured waits.
    pub fn is_of_waits(self) -> bool {
        matches!(self, TopNumber::Blocked | TopNumber::Runnable)
    }

    pub fn sort(self) -> Option<Sort> {
        Some(match self {
            TopNumber::Calls => Sort::Calls,
            TopNumber::Curve => return None,
            TopNumber::Errors => Sort::Errors,
            TopNumber::Cpu => Sort::Cpu,
            TopNumber::Time => Sort::Time,
            TopNumber::Blocked => Sort::Blocked,
            TopNumber::Runnable => Sort::Runnable,
            TopNumber::Longest => Sort::Longest,
            TopNumber::Bytes => Sort::Bytes,
        })
    }
}

#[derive(Debug)]
pub struct TopColumn {
    pub number: TopNumber,
    pub title: &'static str,
    pub width: usize,
    /// Where there is little room, columns with a high rank are left out.
    pub rank: u8,
}

const fn column(number: TopNumber, title: &'static str, width: usize, rank: u8) -> TopColumn {
    TopColumn { number, title, width, rank }
}

/// Seconds in the curve of a row.
pub const CURVE: usize = 8;

static NUMBERS: [TopColumn; 9] = [
    column(TopNumber::Calls, "CALLS", 10, 0),
    column(TopNumber::Curve, "LAST 8 S", CURVE, 3),
    column(TopNumber::Errors, "ERRORS", 8, 1),
    column(TopNumber::Cpu, "CPU", 5, 2),
    column(TopNumber::Time, "TIME", 9, 4),
    column(TopNumber::Blocked, "BLOCKED", 8, 2),
    column(TopNumber::Runnable, "NO CPU", 7, 2),
    column(TopNumber::Longest, "LONGEST", 9, 5),
    column(TopNumber::Bytes, "BYTES", 10, 6),
];

static OF_WAITS: [TopColumn; 2] =
    [column(TopNumber::Longest, "SEEN FOR", 9, 0), column(TopNumber::Calls, "THREADS", 8, 1)];

/// Columns by which rows are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Calls,
    Errors,
    Cpu,
    Time,
    Blocked,
    Runnable,
    Longest,
    Bytes,
    Name,
}

impl Sort {
    pub fn of(self, tally: &SampleTally, cpu: Option<u64>) -> u64 {
        match self {
            Sort::Calls | Sort::Name => tally.calls,
            Sort::Errors => tally.errors,
            Sort::Cpu => cpu.unwrap_or(0),
            Sort::Bytes => tally.bytes,
            Sort::Time => tally.time,
            Sort::Blocked => tally.blocked,
            Sort::Runnable => tally.runnable,
            Sort::Longest => tally.longest,
        }
    }
}
