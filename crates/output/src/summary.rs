//! The summary table of `-c` and `-C`.

use crate::count::calls_lost;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use stride_event::{Call, Counted, Ns, Outcome, Times};
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
    /// Half of the calls took no longer from entry to return; and 99 of 100.
    P50,
    P99,
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

/// Calls that were lost on their way to the views.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lost {
    pub calls: u64,
    /// They had been counted where they were made.
    pub counted: bool,
}

/// Counts calls per ABI and number.
#[derive(Debug)]
pub struct Summary {
    layout: SummaryLayout,
    rows: BTreeMap<(Abi, u64), Counted>,
}

impl Summary {
    pub fn new(layout: SummaryLayout) -> Summary {
        Summary { layout, rows: BTreeMap::new() }
    }

    /// Counts a call that returned, unless its engine did.
    pub fn add(&mut self, call: &Call) {
        if call.counted {
            return;
        }
        let failed = match call.outcome {
            Outcome::Value(_) => false,
            Outcome::Error(_) => true,
            Outcome::Pending | Outcome::Gone => return,
        };
        let wall = call.returned.saturating_sub(call.entered).saturating_sub(self.layout.overhead);
        let cpu = call.system_time.saturating_sub(self.layout.overhead);
        let row = self.row(call.abi, call.nr);
        row.calls += 1;
        row.errors += u64::from(failed);
        row.wall.add(wall);
        row.latencies.add(wall);
        row.cpu.add(cpu);
    }

    /// Takes in what an engine counted.
    pub fn merge(&mut self, counted: &Counted) {
        let overhead = self.layout.overhead;
        let less = |t: &Times| Times {
            total: t.total.saturating_sub(overhead * counted.calls),
            min: if t.min == Ns::MAX { t.min } else { t.min.saturating_sub(overhead) },
            max: t.max.saturating_sub(overhead),
        };
        let row = self.row(counted.abi, counted.nr);
        row.calls += counted.calls;
        row.errors += counted.errors;
        row.wall.merge(&less(&counted.wall));
        row.cpu.merge(&less(&counted.cpu));
        row.latencies.merge(&counted.latencies);
    }

    fn row(&mut self, abi: Abi, nr: u64) -> &mut Counted {
        self.rows.entry((abi, nr)).or_insert_with(|| Counted::new(abi, nr))
    }

    /// The table, or several: one per ABI that was used; and what is missing in them.
    pub fn render(&self, lost: Lost, out: &mut String) {
        for abi in Abi::ALL {
            let rows: Vec<(String, &Counted)> =
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
        if lost.calls > 0 {
            let how = if lost.counted { "but" } else { "not" };
            let _ = writeln!(out, "... {}, {how} counted here", calls_lost(lost.calls));
        }
    }

    fn table(&self, mut rows: Vec<(String, &Counted)>, out: &mut String) {
        let mut all = Counted::new(Abi::NATIVE, 0);
        for (_, row) in &rows {
            all.calls += row.calls;
            all.errors += row.errors;
            all.wall.merge(&row.wall);
            all.cpu.merge(&row.cpu);
            all.latencies.merge(&row.latencies);
        }
        let key = |r: &Counted, c: Column| match c {
            Column::TimePercent | Column::TimeTotal => self.time(r).total,
            Column::TimeMin => self.time(r).min,
            Column::TimeMax => self.time(r).max,
            Column::TimeAvg => self.time(r).total / r.calls.max(1),
            Column::WallTotal => r.wall.total,
            Column::WallMin => r.wall.min,
            Column::WallMax => r.wall.max,
            Column::WallAvg => r.wall.total / r.calls.max(1),
            Column::P50 => quantile(r, 0.5),
            Column::P99 => quantile(r, 0.99),
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
            line(&|c| cell(c, name, row, self.time(row), percent(self.time(row).total, self.time(&all).total)));
        }
        line(&rule);
        line(&|c| cell(c, "total", &all, self.time(&all), 100.0));
    }

    /// What the `Time…` columns show.
    fn time<'r>(&self, row: &'r Counted) -> &'r Times {
        if self.layout.wall_clock { &row.wall } else { &row.cpu }
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
        Column::P50 => ("p50", 8),
        Column::P99 => ("p99", 8),
        Column::Calls => ("calls", 9),
        Column::Errors => ("errors", 9),
        Column::Name => ("syscall", 16),
    }
}

fn cell(column: Column, name: &str, row: &Counted, time: &Times, percent: f64) -> String {
    let seconds = |ns: Ns| format!("{:.6}", ns as f64 / 1e9);
    let min = |t: &Times| if t.min == Ns::MAX { 0 } else { t.min };
    match column {
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
        Column::Errors if row.errors == 0 => String::new(),
        Column::Errors => row.errors.to_string(),
        Column::Name => name.to_string(),
    }
}

/// The middle of a bucket may lie beyond the values in it.
fn quantile(row: &Counted, part: f64) -> Ns {
    row.latencies.quantile(part).max(row.wall.min).min(row.wall.max)
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
        summary.render(Lost::default(), &mut out);
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
        summary.render(Lost { calls: 1204, counted: false }, &mut out);
        assert_eq!(out.strip_prefix(expected), Some("... 1,204 calls lost, not counted here\n"));
        out.clear();
        summary.render(Lost { calls: 1, counted: true }, &mut out);
        assert_eq!(out.strip_prefix(expected), Some("... 1 call lost, but counted here\n"));
    }
}
