//! The summary as a table.

use super::column::{Column, SortKey};
use super::key::Key;
use super::label::{Labels, cut};
use super::part::KeyPart;
use super::rows::MAX_ROWS;
use super::{LostCalls, Summary};
use std::cmp::Reverse;
use std::fmt::Write as _;
use stride_event::quantity::{count, grouped};
use stride_event::{CallStats, Ns};
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
    pub key: &'r [KeyPart],
    pub labels: Vec<String>,
    pub tally: &'r CallStats,
}

/// A column of the table: a number or a key.
#[derive(Clone, Copy)]
enum Place {
    Number(Column),
    Key(usize),
}

impl Summary {
    /// The table, and what is missing in it. Calls by name have a table for each ABI.
    pub(super) fn render(&self, lost: LostCalls, tracker: Option<&Tracker>, out: &mut String) {
        let mut rows = self.sorted(tracker);
        if self.is_by_name() {
            for abi in Abi::ALL {
                let of_abi = |row: &SummaryRow<'_>| match row.key {
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
    }

    fn is_by_name(&self) -> bool {
        self.layout.by == [Key::Syscall]
    }

    /// All rows in the order of the output.
    pub(super) fn sorted<'r>(&'r self, tracker: Option<&'r Tracker>) -> Vec<SummaryRow<'r>> {
        let labels = Labels { names: &self.names, tracker, tell_abi: !self.is_by_name() };
        let row = |(key, tally): (&'r [KeyPart], &'r CallStats)| SummaryRow {
            key,
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

    fn table(&self, rows: &[SummaryRow<'_>], abi: Abi, out: &mut String) {
        if rows.is_empty() {
            return;
        }
        if abi != Abi::NATIVE {
            let mode = if abi == Abi::I386 { "32 bit" } else { "64 bit" };
            let _ = writeln!(out, "System call usage summary for {mode} mode:");
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
                    Place::Key(_) if i + 1 == places.len() => write!(out, "{text}"),
                    Place::Key(_) => write!(out, "{text:<width$} "),
                    Place::Number(_) if i + 1 == places.len() => write!(out, "{text:>width$}"),
                    Place::Number(_) => write!(out, "{text:>width$} "),
                };
            }
            // Only names may be missing at the end of a line.
            if matches!(places.last(), Some(Place::Key(_))) && places.len() > self.layout.columns.len() {
                out.truncate(start + out[start..].trim_end().len());
            }
            out.push('\n');
        };
        let numbers = |place, tally: &CallStats, percent, label: &dyn Fn(usize) -> String| match place {
            Place::Number(column) => column.cell(tally, self.time(tally), percent),
            Place::Key(i) => label(i),
        };
        let rule = |_, width| "-".repeat(width);
        line(&|place, _| match place {
            Place::Number(column) => column.spec().0.to_string(),
            Place::Key(i) => self.heading(self.layout.by[i]).to_string(),
        });
        line(&rule);
        let total = self.time(&all).total;
        for row in rows {
            let percent = percent(self.time(row.tally).total, total);
            let whole = |i: usize| row.labels.get(i).cloned().unwrap_or_default();
            line(&|place, width| {
                let label = |i| {
                    if self.layout.width.is_some() && !self.is_by_name() { cut(&whole(i), width) } else { whole(i) }
                };
                numbers(place, row.tally, percent, &label)
            });
        }
        line(&rule);
        line(&|place, _| numbers(place, &all, 100.0, &|i| if i == 0 { "total".into() } else { String::new() }));
    }

    fn places(&self, column: Column) -> Vec<Place> {
        match column {
            Column::Name => (0..self.layout.by.len()).map(Place::Key).collect(),
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
        let numbers = places.iter().map(|place| if let Place::Number(c) = place { c.spec().1 } else { 0 });
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
        };
        places.iter().map(width).collect()
    }
}

/// The key of the row for all calls without room.
const OTHERS: &[KeyPart] = &[KeyPart::Others];

/// Compares numbers by value, and all else by letters.
fn by_name(a: &SummaryRow<'_>, b: &SummaryRow<'_>) -> std::cmp::Ordering {
    let numbers = |part: &KeyPart| matches!(part, KeyPart::Id(_) | KeyPart::Size(_));
    let parts = a.key.iter().zip(b.key).zip(a.labels.iter().zip(&b.labels));
    let orders = parts.map(|((a, b), (a_label, b_label))| match (a, b) {
        (KeyPart::Fd(a, _), KeyPart::Fd(b, _)) => a.cmp(b).then_with(|| a_label.cmp(b_label)),
        _ if numbers(a) && numbers(b) => a.cmp(b),
        _ => a_label.cmp(b_label),
    });
    orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
}

pub fn percent(part: Ns, all: Ns) -> f64 {
    if all == 0 { 0.0 } else { part as f64 * 100.0 / all as f64 }
}
