//! The columns that show numbers.

use stride_event::{Ns, Tally, Times};

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
    /// Half of the calls took no longer from entry to return; and 99 of 100.
    P50,
    P99,
    Calls,
    Errors,
    /// Moved through descriptors.
    Bytes,
    /// What the calls of a row have in common: a column for each key.
    Name,
}

/// What the summary is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortKey {
    By(Column),
    /// The order of the table of syscalls; of other things, that in which they came up.
    Nothing,
}

impl Column {
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
            Column::Name => ("", 0),
        }
    }

    /// What rows are sorted by. `time` is what the `Time…` columns show.
    pub fn weight(self, row: &Tally, time: &Times) -> u64 {
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
            Column::Calls => row.calls,
            Column::Errors => row.errors,
            Column::Bytes => row.bytes,
            Column::Name => 0,
        }
    }

    pub fn cell(self, row: &Tally, time: &Times, percent: f64) -> String {
        let seconds = |ns: Ns| format!("{:.6}", ns as f64 / 1e9);
        let min = |t: &Times| if t.min == Ns::MAX { 0 } else { t.min };
        let unless_none = |n: u64| if n == 0 { String::new() } else { n.to_string() };
        match self {
            Column::TimePercent => format!("{percent:.2}"),
            Column::TimeTotal => seconds(time.total),
            Column::TimeMin => seconds(min(time)),
            Column::TimeMax => seconds(time.max),
            Column::TimeAvg => (time.total / row.calls.max(1) / 1000).to_string(),
            Column::WallTotal => seconds(row.wall.total),
            Column::WallMin => seconds(min(&row.wall)),
            Column::WallMax => seconds(row.wall.max),
            Column::WallAvg => (row.wall.total / row.calls.max(1) / 1000).to_string(),
            Column::P50 => seconds(quantile(row, 0.5)),
            Column::P99 => seconds(quantile(row, 0.99)),
            Column::Calls => row.calls.to_string(),
            Column::Errors => unless_none(row.errors),
            Column::Bytes => unless_none(row.bytes),
            Column::Name => String::new(),
        }
    }
}

/// The middle of a bucket may lie beyond the values in it.
pub fn quantile(row: &Tally, part: f64) -> Ns {
    row.latencies.quantile(part).max(row.wall.min).min(row.wall.max)
}
