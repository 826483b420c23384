//! Calls by syscall: their number, their times, and the distribution of the times.

use super::data::{self, CallIndex};
use super::family::Family;
use stride_event::{Call, CallStats, Histogram, Ns};
use stride_syscalls::{Abi, nameless, table};

/// A hostile program may use any number of unknown syscalls. Beyond this count they share a row.
const MOST: usize = 200;
const OTHERS: u64 = u64::MAX;

#[derive(Default)]
pub struct Calls {
    rows: Vec<CallRow>,
    /// The index in `rows` plus one, by ABI and number.
    by_number: [Vec<CallIndex>; Abi::ALL.len()],
    without_row: std::collections::HashMap<(Abi, u64), CallIndex>,
}

pub struct CallRow {
    pub name: String,
    pub family: Family,
    pub counted: CallStats,
}

impl Calls {
    /// Counts a call that took this long, if that is known.
    pub fn add(&mut self, call: &Call, took: Option<Ns>) -> CallIndex {
        let index = self.index(call.abi, call.nr);
        let row = &mut self.rows[index as usize].counted;
        row.calls += 1;
        row.errors += u64::from(call.outcome.is_error());
        row.add_wall(took);
        index
    }

    pub fn index(&mut self, abi: Abi, nr: u64) -> CallIndex {
        let of_abi = &self.by_number[abi as usize];
        if let Some(&place @ 1..) = usize::try_from(nr).ok().and_then(|nr| of_abi.get(nr)) {
            return place - 1;
        }
        let Some(entry) = table(abi).get(nr) else { return self.index_without_row(abi, nr) };
        let index = self.push(name_in(abi, entry.row.name), Family::of(Some(entry.row)));
        let of_abi = &mut self.by_number[abi as usize];
        of_abi.resize(table(abi).len().max(of_abi.len()), 0);
        of_abi[nr as usize] = index + 1;
        index
    }

    fn index_without_row(&mut self, abi: Abi, nr: u64) -> CallIndex {
        let full = self.without_row.len() >= MOST;
        let place = [Some((abi, nr)), full.then_some((abi, OTHERS))];
        if let Some(&index) = place.iter().flatten().find_map(|key| self.without_row.get(key)) {
            return index;
        }
        let nr = if full { OTHERS } else { nr };
        let name = if nr == OTHERS { "other numbers".to_owned() } else { nameless(nr) };
        let index = self.push(name_in(abi, &name), Family::Other);
        self.without_row.insert((abi, nr), index);
        index
    }

    fn push(&mut self, name: String, family: Family) -> CallIndex {
        self.rows.push(CallRow { name, family, counted: CallStats::default() });
        (self.rows.len() - 1) as CallIndex
    }

    pub fn rows(&self) -> &[CallRow] {
        &self.rows
    }

    pub fn family(&self, index: CallIndex) -> Family {
        self.rows[index as usize].family
    }

    pub fn data(&self) -> data::CallsData {
        let row = |row: &CallRow| {
            let it = &row.counted;
            // The middle of a bucket may lie outside the range of the values.
            let part = |part| it.latencies.quantile(part).max(it.wall.min).min(it.wall.max);
            data::CallData {
                name: row.name.clone(),
                family: row.family,
                calls: it.calls,
                errors: it.errors,
                time: it.wall.total,
                min: if it.wall.min == Ns::MAX { 0 } else { it.wall.min },
                p50: part(0.5),
                p90: part(0.9),
                p99: part(0.99),
                max: it.wall.max,
                histogram: it.latencies.filled().collect(),
            }
        };
        let last = self.rows.iter().filter_map(|row| row.counted.latencies.filled().last()).map(|(i, _)| i).max();
        data::CallsData {
            rows: self.rows.iter().map(row).collect(),
            starts: (0..=last.unwrap_or(0) + 1).map(Histogram::start).collect(),
        }
    }
}

/// The name of a syscall, with its ABI if that is not the native one.
fn name_in(abi: Abi, name: &str) -> String {
    match abi {
        abi if abi == Abi::NATIVE => name.to_owned(),
        Abi::I386 => format!("{name} (32 bit)"),
        other => format!("{name} ({})", other.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::Outcome;

    #[test]
    fn rows_are_bounded_and_totals_hold() {
        let mut calls = Calls::default();
        for nr in 0..10_000 {
            let outcome = if nr % 2 == 0 { Outcome::Value(0) } else { Outcome::Error(38) };
            calls.add(&Call { nr, outcome, ..Call::default() }, Some(nr));
        }
        let data = calls.data();
        assert!(data.rows.len() < MOST + table(Abi::NATIVE).len() + 2, "{}", data.rows.len());
        assert_eq!(data.rows.iter().map(|row| row.calls).sum::<u64>(), 10_000);
        assert_eq!(data.rows.iter().map(|row| row.errors).sum::<u64>(), 5_000);
        assert_eq!(data.rows.iter().flat_map(|row| &row.histogram).map(|(_, n)| n).sum::<u64>(), 10_000);
        assert_eq!(data.rows.iter().map(|row| row.time).sum::<u64>(), (0..10_000).sum::<u64>());
        assert!(data.rows.iter().any(|row| row.name == "other numbers"));
    }
}
