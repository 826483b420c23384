//! The summary as a table.

use super::column::{BAR, Column, SortKey};
use super::key::Key;
use super::label::{Labels, cut};
use super::part::KeyPart;
use super::rows::MAX_ROWS;
use super::{LostCalls, Summary, SummaryKind};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write as _;
use stride_event::quantity::{count, grouped};
use stride_event::{CallStats, Ns, PowerBucket};
use stride_syscalls::Abi;
use stride_track::Tracker;

/// Wider keys do not widen their column.
const KEY_WIDTH: usize = 40;
/// The least width of a key in a terminal.
const KEY_LEAST: usize = 12;
/// The width of syscall names in a table that has no other keys.
const NAME_WIDTH: usize = 16;

/// The counts of the calls with one key.
pub struct SummaryRow<'r> {
    pub key: Cow<'r, [KeyPart]>,
    pub labels: Vec<String>,
    pub tally: &'r CallStats,
}

/// A column of the table: a number or a key.
#[derive(Clone, Copy)]
enum Place {
    Number(Column),
    Key(usize),
    Bar,
}

impl Summary {
    /// The table, and what is missing in it. Calls by name have a table for each ABI.
    pub(super) fn render(&self, lost: LostCalls, tracker: Option<&Tracker>, out: &mut String) {
        let nothing = CallStats::default();
        if let Some(interval) = &self.interval {
            out.push_str(&interval.heading(&self.rows, self.of.words()));
        }
        let mut rows = self.with_empty_ranges(self.sorted(tracker), tracker, &nothing);
        let mut all = CallStats::default();
        rows.iter().for_each(|row| all.merge(row.tally));
        if self.is_by_name() {
            for abi in Abi::ALL {
                let of_abi = |row: &SummaryRow<'_>| match &*row.key {
                    [KeyPart::Call(of, _)] => *of == abi,
                    _ => abi == Abi::NATIVE,
                };
                let (these, rest) = rows.into_iter().partition(of_abi);
                rows = rest;
                self.table(&these, abi, out);
            }
        } else {
            self.table(&rows, Abi::NATIVE, out);
        }
        if self.rows.others().is_some() {
            let _ = writeln!(out, "... more than {} rows; the row (others) counts the rest", grouped(MAX_ROWS as u64));
        }
        if lost.calls > 0 {
            let how = if lost.counted { "but" } else { "not" };
            let _ = writeln!(out, "... {}, {how} counted here", count(lost.calls, "call lost", "calls lost"));
        }
        if all.untimed > 0 {
            let timed = (all.calls - all.untimed) as f64 / all.calls as f64 * 100.0;
            let _ = writeln!(
                out,
                "... {timed:.1}% of {} were timed, because there were so many. The times of the others are estimated (--exact-times times all).",
                count(all.calls, "call", "calls")
            );
        }
        if self.interval.is_some() {
            out.push('\n');
        }
    }

    fn is_by_name(&self) -> bool {
        self.layout.by == [Key::Syscall]
    }

    /// All rows in the order of the output.
    pub(super) fn sorted<'r>(&'r self, tracker: Option<&'r Tracker>) -> Vec<SummaryRow<'r>> {
        let labels = Labels { names: &self.names, tracker, tell_abi: !self.is_by_name() };
        let row = |(key, tally): (&'r [KeyPart], &'r CallStats)| SummaryRow {
            key: Cow::Borrowed(key),
            labels: key.iter().map(|part| labels.of(*part)).collect(),
            tally,
        };
        let mut rows: Vec<SummaryRow<'r>> = self.rows.sorted().into_iter().map(row).collect();
        match self.layout.sort {
            SortKey::Nothing => {}
            SortKey::By(Column::Name) => rows.sort_by(|a, b| by_name(a, b)),
            // The largest come first. Equal rows keep the order of their keys.
            SortKey::By(c) => rows.sort_by_cached_key(|row| Reverse(c.weight(row.tally, self.time(row.tally)))),
        }
        rows.extend(self.rows.others().map(|others| row((OTHERS, others))));
        rows
    }

    /// Adds the ranges without calls between those that have calls, so that a histogram has no gaps.
    fn with_empty_ranges<'r>(
        &'r self,
        rows: Vec<SummaryRow<'r>>,
        tracker: Option<&'r Tracker>,
        nothing: &'r CallStats,
    ) -> Vec<SummaryRow<'r>> {
        let is_histogram = self.layout.by.last().is_some_and(|key| key.is_range());
        if !is_histogram || self.layout.sort != SortKey::By(Column::Name) {
            return rows;
        }
        let labels = Labels { names: &self.names, tracker, tell_abi: true };
        let mut all: Vec<SummaryRow<'r>> = Vec::with_capacity(rows.len());
        for row in rows {
            let before = all
                .last()
                .map(|last| last.key.clone())
                .filter(|key| key.len() == row.key.len() && key[..key.len() - 1] == row.key[..row.key.len() - 1]);
            let missing = before.iter().flat_map(|before| match (before.last(), row.key.last()) {
                (Some(KeyPart::Size(a)), Some(KeyPart::Size(b))) => between(*a, *b, KeyPart::Size),
                (Some(KeyPart::Duration(a)), Some(KeyPart::Duration(b))) => between(*a, *b, KeyPart::Duration),
                _ => Vec::new(),
            });
            all.extend(
                missing
                    .map(|part| {
                        let mut key = row.key.to_vec();
                        let mut names = row.labels.clone();
                        key.pop();
                        names.pop();
                        key.push(part);
                        names.push(labels.of(part));
                        SummaryRow { key: key.into(), labels: names, tally: nothing }
                    })
                    .collect::<Vec<_>>(),
            );
            all.push(row);
        }
        all
    }

    fn table(&self, rows: &[SummaryRow<'_>], abi: Abi, out: &mut String) {
        if rows.is_empty() {
            return;
        }
        if abi != Abi::NATIVE {
            let mode = if abi == Abi::I386 { "32 bit" } else { "64 bit" };
            let _ = writeln!(out, "System call usage summary for {mode} mode:");
        }
        if self.of == SummaryKind::Operations {
            out.push_str("Operations of io_uring:\n");
        }
        let mut all = CallStats::default();
        rows.iter().for_each(|row| all.merge(row.tally));
        let places: Vec<Place> = self.layout.columns.iter().flat_map(|&c| self.places(c)).collect();
        let widths = self.widths(&places, rows);
        let mut line = |cell: &dyn Fn(Place, usize) -> String| {
            let start = out.len();
            for (i, (&place, &width)) in places.iter().zip(&widths).enumerate() {
                let text = cell(place, width);
                let _ = match place {
                    Place::Key(_) | Place::Bar if i + 1 == places.len() => write!(out, "{text}"),
                    Place::Key(_) | Place::Bar => write!(out, "{text:<width$} "),
                    Place::Number(_) if i + 1 == places.len() => write!(out, "{text:>width$}"),
                    Place::Number(_) => write!(out, "{text:>width$} "),
                };
            }
            // Only names and bars may be missing at the end of a line.
            let may_miss = match places.last() {
                Some(Place::Bar) => true,
                Some(Place::Key(_)) => places.len() > self.layout.columns.len(),
                _ => false,
            };
            if may_miss {
                out.truncate(start + out[start..].trim_end().len());
            }
            out.push('\n');
        };
        let numbers = |place, tally: &CallStats, percent, label: &dyn Fn(usize) -> String| match place {
            Place::Number(column) => column.cell(tally, self.time(tally), percent),
            Place::Key(i) => label(i),
            Place::Bar => String::new(),
        };
        let rule = |_, width| "-".repeat(width);
        line(&|place, _| match place {
            Place::Number(column) => column.spec().0.to_string(),
            Place::Key(i) => self.heading(self.layout.by[i]).to_string(),
            Place::Bar => Column::Distribution.spec().0.to_string(),
        });
        line(&rule);
        let total = self.time(&all).total;
        let most = most_calls(rows);
        for row in rows {
            let percent = percent(self.time(row.tally).total, total);
            let whole = |i: usize| row.labels.get(i).cloned().unwrap_or_default();
            line(&|place, width| {
                let label = |i| {
                    if self.layout.width.is_some() && !self.is_by_name() { cut(&whole(i), width) } else { whole(i) }
                };
                match place {
                    Place::Bar => bar(row, &most),
                    place => numbers(place, row.tally, percent, &label),
                }
            });
        }
        line(&rule);
        line(&|place, _| numbers(place, &all, 100.0, &|i| if i == 0 { "total".into() } else { String::new() }));
    }

    fn places(&self, column: Column) -> Vec<Place> {
        match column {
            Column::Name => (0..self.layout.by.len()).map(Place::Key).collect(),
            Column::Distribution => vec![Place::Bar],
            column => vec![Place::Number(column)],
        }
    }

    /// The keys share the room that the numbers leave in a terminal.
    fn widths(&self, places: &[Place], rows: &[SummaryRow<'_>]) -> Vec<usize> {
        let widest = |i: usize| {
            let labels = rows.iter().filter_map(|row| row.labels.get(i));
            labels.map(|label| label.chars().count()).chain([self.layout.by[i].name().len(), "total".len()]).max()
        };
        let wanted: Vec<usize> = (0..self.layout.by.len()).map(|i| widest(i).unwrap_or(0)).collect();
        let numbers = places.iter().map(|place| match place {
            Place::Number(c) => c.spec().1,
            Place::Bar => BAR,
            Place::Key(_) => 0,
        });
        let mut room = self.layout.width.map(|width| width.saturating_sub(numbers.sum::<usize>() + places.len() - 1));
        let mut keys = vec![0; wanted.len()];
        // The narrow columns come first, so that the others get the room that they do not need.
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        order.sort_by_key(|&i| wanted[i]);
        for (done, &i) in order.iter().enumerate() {
            keys[i] = match &mut room {
                _ if self.is_by_name() => NAME_WIDTH,
                None => wanted[i].min(KEY_WIDTH),
                Some(room) => {
                    let width = wanted[i].min((*room / (wanted.len() - done)).max(KEY_LEAST));
                    *room = room.saturating_sub(width);
                    width
                }
            };
        }
        let width = |place: &Place| match *place {
            Place::Number(column) => column.spec().1,
            Place::Key(i) => keys[i],
            Place::Bar => BAR,
        };
        places.iter().map(width).collect()
    }
}

/// The key of the row for all calls without room.
const OTHERS: &[KeyPart] = &[KeyPart::Others];

/// Compares numbers by value, and all else by letters.
fn by_name(a: &SummaryRow<'_>, b: &SummaryRow<'_>) -> std::cmp::Ordering {
    let numbers = |part: &KeyPart| matches!(part, KeyPart::Id(_) | KeyPart::Duration(_) | KeyPart::Size(_));
    let parts = a.key.iter().zip(&*b.key).zip(a.labels.iter().zip(&b.labels));
    let orders = parts.map(|((a, b), (a_label, b_label))| match (a, b) {
        (KeyPart::Fd(a, _), KeyPart::Fd(b, _)) => a.cmp(b).then_with(|| a_label.cmp(b_label)),
        _ if numbers(a) && numbers(b) => a.cmp(b),
        _ => a_label.cmp(b_label),
    });
    orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
}

/// The ranges between two.
fn between(a: PowerBucket, b: PowerBucket, part: fn(PowerBucket) -> KeyPart) -> Vec<KeyPart> {
    // Calls without a value are in no range.
    if a.0 == 0 { Vec::new() } else { (a.0 + 1..b.0).map(|n| part(PowerBucket(n))).collect() }
}

/// The keys that rows of one histogram share: all but the last.
fn shared<'r>(row: &'r SummaryRow<'_>) -> &'r [KeyPart] {
    &row.key[..row.key.len().saturating_sub(1)]
}

/// The most calls of a row, for each histogram.
fn most_calls<'r>(rows: &'r [SummaryRow<'_>]) -> HashMap<&'r [KeyPart], u64> {
    let mut most = HashMap::new();
    for row in rows {
        let seen = most.entry(shared(row)).or_insert(1);
        *seen = row.tally.calls.max(*seen);
    }
    most
}

/// A row with calls has at least one mark.
fn bar(row: &SummaryRow<'_>, most: &HashMap<&[KeyPart], u64>) -> String {
    let most = most.get(shared(row)).copied().unwrap_or(1);
    let length = (row.tally.calls as f64 / most as f64 * BAR as f64).round() as usize;
    "#".repeat(length.clamp(usize::from(row.tally.calls > 0), BAR))
}

pub fn percent(part: Ns, all: Ns) -> f64 {
    if all == 0 { 0.0 } else { part as f64 * 100.0 / all as f64 }
}
