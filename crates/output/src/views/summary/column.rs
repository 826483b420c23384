//! The columns of numbers.

use stride_event::{CallStats, Ns, Times};

/// A column of the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    TimePercent,
    TimeTotal,
    TimeMin,
    TimeMax,
    TimeAvg,
    WallTotal,
    WallMin,
    WallMax,
    WallAvg,
    /// The median of the time from entry to return, and the 99th percentile.
    P50,
    P99,
    Calls,
    Errors,
    /// Bytes moved through descriptors.
    Bytes,
    /// The time asleep, and the time without a CPU. Only if waits are measured.
    Blocked,
    Runnable,
    /// A bar as long as the row's share of the calls.
    Distribution,
    /// The keys of a row, a column for each.
    Name,
}

/// The length of the longest bar.
pub const BAR: usize = 24;

/// The order of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortKey {
    By(Column),
    /// The order of the syscall table. Other keys keep the order of their first call.
    Nothing,
}

impl Column {
    /// Its numbers need the times of all calls, or their wall clock times. (An average or a sum of CPU times can be
    /// estimated.)
    pub fn is_of_single_calls(self) -> bool {
        use Column::{P50, P99, TimeMax, TimeMin, WallAvg, WallMax, WallMin, WallTotal};
        matches!(self, TimeMin | TimeMax | WallTotal | WallMin | WallMax | WallAvg | P50 | P99)
    }

    /// Its numbers need the waits of calls.
    pub fn is_of_waits(self) -> bool {
        matches!(self, Column::Blocked | Column::Runnable)
    }

    /// Title and width.
    pub fn spec(self) -> (&'static str, usize) {
        match self {
            Column::TimePercent => ("% time", 6),
            Column::TimeTotal => ("seconds", 11),
            Column::TimeMin => ("shortest", 8),
            Column::TimeMax => ("longest", 8),
            Column::TimeAvg => ("usecs/call", 11),
            Column::WallTotal => ("wall-total", 11),
            Column::WallMin => ("wall-min", 8),
            Column::WallMax => ("wall-max", 8),
            Column::WallAvg => ("wall-avg", 11),
            Column::P50 => ("p50", 8),
            Column::P99 => ("p99", 8),
            Column::Calls => ("calls", 9),
            Column::Errors => ("errors", 9),
            Column::Bytes => ("bytes", 11),
            Column::Blocked => ("blocked", 11),
            Column::Runnable => ("runnable", 11),
            Column::Distribution => ("distribution", BAR),
            Column::Name => ("", 0),
        }
    }

    /// The number that rows are sorted by. `time` is the time in the `Time…` columns.
    pub fn weight(self, row: &CallStats, time: &Times) -> u64 {
        match self {
            Column::TimePercent | Column::TimeTotal => time.total,
            Column::TimeMin => time.min,
            Column::TimeMax => time.max,
            Column::TimeAvg => time.total / row.calls.max(1),
            Column::WallTotal => row.wall.total,
            Column::WallMin => row.wall.min,
            Column::WallMax => row.wall.max,
            Column::WallAvg => row.wall.total / row.calls.max(1),
            Column::P50 => quantile(row, 0.5),
            Column::P99 => quantile(row, 0.99),
            Column::Calls | Column::Distribution => row.calls,
            Column::Errors => row.errors,
            Column::Bytes => row.bytes,
            Column::Blocked => row.blocked,
            Column::Runnable => row.runnable,
            Column::Name => 0,
        }
    }

    pub fn cell(self, row: &CallStats, time: &Times, percent: f64) -> String {
        let min = |t: &Times| if t.min == Ns::MAX { 0 } else { t.min };
        let unless_none = |n: u64| if n == 0 { String::new() } else { n.to_string() };
        match self {
            Column::TimePercent => format!("{percent:.2}"),
            Column::TimeTotal => total(time.total),
            Column::TimeMin => total(min(time)),
            Column::TimeMax => total(time.max),
            Column::TimeAvg => mean(time.total, row.calls),
            Column::WallTotal => total(row.wall.total),
            Column::WallMin => total(min(&row.wall)),
            Column::WallMax => total(row.wall.max),
            Column::WallAvg => mean(row.wall.total, row.calls),
            Column::P50 => total(quantile(row, 0.5)),
            Column::P99 => total(quantile(row, 0.99)),
            Column::Calls => row.calls.to_string(),
            Column::Errors => unless_none(row.errors),
            Column::Bytes => unless_none(row.bytes),
            Column::Blocked => total(row.blocked),
            Column::Runnable => total(row.runnable),
            Column::Name | Column::Distribution => String::new(),
        }
    }
}

/// Seconds, as strace writes them.
fn total(ns: Ns) -> String {
    format!("{:.6}", ns as f64 / 1e9)
}

/// Microseconds per call in the mean. Below one microsecond, two digits are shown where strace shows 0, because most
/// calls of a fast machine are that short.
fn mean(ns: Ns, calls: u64) -> String {
    let us = ns as f64 / calls.max(1) as f64 / 1000.0;
    match us {
        0.0 => "0".into(),
        ..0.095 => format!("{us:.3}"),
        ..0.995 => format!("{us:.2}"),
        _ => (us as u64).max(1).to_string(),
    }
}

/// The quantile, cut to the range of the values: the middle of a bucket may lie outside.
pub fn quantile(row: &CallStats, part: f64) -> Ns {
    row.latencies.quantile(part).max(row.wall.min).min(row.wall.max)
}
