//! The summary table of `-c` and `-C`.

use crate::count::calls_lost;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use stride_event::{Call, Ns, Outcome};
use stride_syscalls::{Abi, table};

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
    Calls,
    Errors,
    Name,
}

/// What the summary is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortKey {
    By(Column),
    /// The order of the table of syscalls.
    Nothing,
}

/// How the table looks.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryLayout {
    pub columns: Vec<Column>,
    pub sort: SortKey,
    /// The `Time…` columns show wall-clock time instead of the tracee's system time.
    pub wall_clock: bool,
    /// Taken off each call's time.
    pub overhead: Ns,
}

#[derive(Clone, Copy, Debug)]
struct Times {
    total: Ns,
    min: Ns,
    max: Ns,
}

impl Times {
    const NONE: Times = Times { total: 0, min: Ns::MAX, max: 0 };

    fn add(&mut self, ns: Ns) {
        self.total += ns;
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
    }

    fn merge(&mut self, other: &Times) {
        self.total += other.total;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

#[derive(Clone, Copy, Debug)]
struct Row {
    calls: u64,
    errors: u64,
    time: Times,
    wall: Times,
}

impl Row {
    const EMPTY: Row = Row { calls: 0, errors: 0, time: Times::NONE, wall: Times::NONE };
}

/// Counts calls per ABI and number.
#[derive(Debug)]
pub struct Summary {
    layout: SummaryLayout,
    rows: BTreeMap<(Abi, u64), Row>,
}

impl Summary {
    pub fn new(layout: SummaryLayout) -> Summary {
        Summary { layout, rows: BTreeMap::new() }
    }

    /// Counts a call that returned.
    pub fn add(&mut self, call: &Call) {
        let failed = match call.outcome {
            Outcome::Value(_) => false,
            Outcome::Error(_) => true,
            Outcome::Pending | Outcome::Gone => return,
        };
        let wall = call.returned.saturating_sub(call.entered);
        let time = if self.layout.wall_clock { wall } else { call.system_time };
        let row = self.rows.entry((call.abi, call.nr)).or_insert(Row::EMPTY);
        row.calls += 1;
        row.errors += u64::from(failed);
        row.time.add(time.saturating_sub(self.layout.overhead));
        row.wall.add(wall.saturating_sub(self.layout.overhead));
    }

    /// The table, or several: one per ABI that was used; and what is missing in them.
    pub fn render(&self, lost: u64, out: &mut String) {
        for abi in Abi::ALL {
            let rows: Vec<(String, &Row)> =
                self.rows.iter().filter(|((a, _), _)| *a == abi).map(|((_, nr), row)| (name(abi, *nr), row)).collect();
            if rows.is_empty() {
                continue;
            }
            if abi != Abi::NATIVE {
                let mode = if abi == Abi::I386 { "32 bit" } else { "64 bit" };
                let _ = writeln!(out, "System call usage summary for {mode} mode:");
            }
            self.table(rows, out);
        }
        if lost > 0 {
            let _ = writeln!(out, "... {}, not counted above", calls_lost(lost));
        }
    }

    fn table(&self, mut rows: Vec<(String, &Row)>, out: &mut String) {
        let mut all = Row::EMPTY;
        for (_, row) in &rows {
            all.calls += row.calls;
            all.errors += row.errors;
            all.time.merge(&row.time);
            all.wall.merge(&row.wall);
        }
        let key = |r: &Row, c: Column| match c {
            Column::TimePercent | Column::TimeTotal => r.time.total,
            Column::TimeMin => r.time.min,
            Column::TimeMax => r.time.max,
            Column::TimeAvg => r.time.total / r.calls.max(1),
            Column::WallTotal => r.wall.total,
            Column::WallMin => r.wall.min,
            Column::WallMax => r.wall.max,
            Column::WallAvg => r.wall.total / r.calls.max(1),
            Column::Calls => r.calls,
            Column::Errors => r.errors,
            Column::Name => 0,
        };
        match self.layout.sort {
            SortKey::Nothing => {}
            SortKey::By(Column::Name) => rows.sort_by(|a, b| a.0.cmp(&b.0)),
            // The largest first; equals keep the order of their numbers.
            SortKey::By(c) => rows.sort_by_key(|(_, r)| std::cmp::Reverse(key(r, c))),
        }
        let last = self.layout.columns.len().saturating_sub(1);
        let mut line = |cells: &dyn Fn(Column) -> String| {
            for (i, &c) in self.layout.columns.iter().enumerate() {
                let (cell, width) = (cells(c), spec(c).1);
                let _ = match (c, i == last) {
                    (Column::Name, true) => write!(out, "{cell}"),
                    (Column::Name, false) => write!(out, "{cell:<width$}"),
                    _ => write!(out, "{cell:>width$}"),
                };
                if i < last {
                    out.push(' ');
                }
            }
            out.push('\n');
        };
        let rule = |c: Column| "-".repeat(spec(c).1);
        line(&|c| spec(c).0.to_string());
        line(&rule);
        for (name, row) in &rows {
            line(&|c| cell(c, name, row, percent(row.time.total, all.time.total)));
        }
        line(&rule);
        line(&|c| cell(c, "total", &all, 100.0));
    }
}

/// Title and width.
fn spec(column: Column) -> (&'static str, usize) {
    match column {
        Column::TimePercent => ("% time", 6),
        Column::TimeTotal => ("seconds", 11),
        Column::TimeMin => ("shortest", 8),
        Column::TimeMax => ("longest", 8),
        Column::TimeAvg => ("usecs/call", 11),
        Column::WallTotal => ("wall-total", 11),
        Column::WallMin => ("wall-min", 8),
        Column::WallMax => ("wall-max", 8),
        Column::WallAvg => ("wall-avg", 11),
        Column::Calls => ("calls", 9),
        Column::Errors => ("errors", 9),
        Column::Name => ("syscall", 16),
    }
}

fn cell(column: Column, name: &str, row: &Row, percent: f64) -> String {
    let seconds = |ns: Ns| format!("{:.6}", ns as f64 / 1e9);
    let min = |t: &Times| if row.calls == 0 { 0 } else { t.min };
    match column {
        Column::TimePercent => format!("{percent:.2}"),
        Column::TimeTotal => seconds(row.time.total),
        Column::TimeMin => seconds(min(&row.time)),
        Column::TimeMax => seconds(row.time.max),
        Column::TimeAvg => (row.time.total / row.calls.max(1) / 1000).to_string(),
        Column::WallTotal => seconds(row.wall.total),
        Column::WallMin => seconds(min(&row.wall)),
        Column::WallMax => seconds(row.wall.max),
        Column::WallAvg => (row.wall.total / row.calls.max(1) / 1000).to_string(),
        Column::Calls => row.calls.to_string(),
        Column::Errors if row.errors == 0 => String::new(),
        Column::Errors => row.errors.to_string(),
        Column::Name => name.to_string(),
    }
}

fn percent(part: Ns, all: Ns) -> f64 {
    if all == 0 { 0.0 } else { part as f64 * 100.0 / all as f64 }
}

fn name(abi: Abi, nr: u64) -> String {
    match table(abi).get(nr) {
        Some(entry) => entry.row.name.to_string(),
        None => format!("syscall_{nr:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(nr: u64, ns: Ns, outcome: Outcome) -> Call {
        Call { nr, entered: 1_000, returned: 1_000 + ns, system_time: ns / 2, outcome, ..Call::default() }
    }

    #[test]
    fn counts_and_sorts() {
        let columns =
            vec![Column::TimePercent, Column::TimeTotal, Column::TimeAvg, Column::Calls, Column::Errors, Column::Name];
        let layout = SummaryLayout { columns, sort: SortKey::By(Column::TimePercent), wall_clock: true, overhead: 0 };
        let mut summary = Summary::new(layout);
        summary.add(&call(0, 25_000, Outcome::Value(1)));
        summary.add(&call(1, 50_000, Outcome::Error(2)));
        summary.add(&call(1, 25_000, Outcome::Value(0)));
        summary.add(&call(0, 25_000, Outcome::Gone));
        let mut out = String::new();
        summary.render(0, &mut out);
        let expected = "\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 75.00    0.000075          37         2         1 write
 25.00    0.000025          25         1           read
------ ----------- ----------- --------- --------- ----------------
100.00    0.000100          33         3         1 total
";
        assert_eq!(out, expected);
        out.clear();
        summary.render(1204, &mut out);
        assert_eq!(out.strip_prefix(expected), Some("... 1,204 calls lost, not counted above\n"));
    }
}
