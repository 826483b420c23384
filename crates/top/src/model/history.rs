//! The calls of the last minute, second by second: for the graph, and for the small curves of the rows.

use crate::model::sample::{Sample, SampleKey};
use std::collections::{HashMap, VecDeque};
use stride_event::Ns;

/// The intervals that are kept.
pub const MINUTE: usize = 60;
/// Rows of all intervals together, of 12 bytes. A machine with more than 4,000 rows in a second has less than a minute.
const MOST_ROWS: usize = 1 << 18;
/// Keys that are kept although no interval has them any more.
const MOST_UNUSED: usize = 1 << 14;

#[derive(Default)]
pub struct History {
    keys: Vec<SampleKey>,
    places: HashMap<SampleKey, u32>,
    intervals: VecDeque<Past>,
    rows: usize,
}

struct Past {
    length: Ns,
    rows: Vec<PastRow>,
}

struct PastRow {
    /// The place of its key.
    key: u32,
    calls: u32,
    errors: u32,
}

/// The calls of an interval, in a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PastRates {
    pub calls: f64,
    pub errors: f64,
}

impl History {
    pub fn add(&mut self, sample: &Sample) {
        let rows: Vec<PastRow> = sample
            .rows
            .iter()
            .map(|(key, tally)| {
                let short = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
                PastRow { key: self.place(key), calls: short(tally.calls), errors: short(tally.errors) }
            })
            .collect();
        self.rows += rows.len();
        self.intervals.push_back(Past { length: sample.length, rows });
        while self.intervals.len() > MINUTE || self.rows > MOST_ROWS && self.intervals.len() > 1 {
            self.rows -= self.intervals.pop_front().map_or(0, |past| past.rows.len());
        }
        if self.keys.len() > self.rows + MOST_UNUSED {
            self.forget_unused();
        }
    }

    fn place(&mut self, key: &SampleKey) -> u32 {
        if let Some(&place) = self.places.get(key) {
            return place;
        }
        let place = self.keys.len() as u32;
        self.keys.push(key.clone());
        self.places.insert(key.clone(), place);
        place
    }

    fn forget_unused(&mut self) {
        let before = std::mem::take(&mut self.keys);
        self.places.clear();
        let mut intervals = std::mem::take(&mut self.intervals);
        for row in intervals.iter_mut().flat_map(|past| &mut past.rows) {
            row.key = self.place(&before[row.key as usize]);
        }
        self.intervals = intervals;
    }

    /// For each of `lines` rows, the rates of the latest intervals, the latest last. `line` tells the row that a key belongs to.
    pub fn rates(
        &self,
        intervals: usize,
        lines: usize,
        line: impl Fn(&SampleKey) -> Option<usize>,
    ) -> Vec<Vec<PastRates>> {
        let line_of: Vec<Option<usize>> = self.keys.iter().map(line).collect();
        let first = self.intervals.len().saturating_sub(intervals);
        let mut all = vec![vec![PastRates::default(); self.intervals.len() - first]; lines];
        for (at, past) in self.intervals.iter().skip(first).enumerate() {
            let seconds = past.length.max(1) as f64 / 1e9;
            for row in &past.rows {
                let place = line_of[row.key as usize].filter(|place| *place < lines);
                if let Some(place) = place {
                    let rates = &mut all[place][at];
                    rates.calls += f64::from(row.calls) / seconds;
                    rates.errors += f64::from(row.errors) / seconds;
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample::SampleTally;

    fn sample(rows: impl IntoIterator<Item = (i32, u64, u64)>) -> Sample {
        let row = |(pid, calls, errors)| {
            (SampleKey { pid, ..SampleKey::default() }, SampleTally { calls, errors, ..SampleTally::default() })
        };
        Sample { length: 500_000_000, rows: rows.into_iter().map(row).collect(), ..Sample::default() }
    }

    #[test]
    fn rates_are_those_of_the_last_intervals() {
        let mut history = History::default();
        for n in 0..100 {
            history.add(&sample([(1, n, 0), (2, 1, 1)]));
        }
        let all = history.rates(MINUTE, 1, |_| Some(0));
        assert_eq!(
            (all[0].len(), all[0][0], all[0][59]),
            (60, PastRates { calls: 82.0, errors: 2.0 }, PastRates { calls: 200.0, errors: 2.0 },)
        );
        let one = history.rates(2, 2, |key| (key.pid == 1).then_some(1));
        assert_eq!(one[0], [PastRates::default(); 2]);
        assert_eq!(one[1].iter().map(|rates| rates.calls).collect::<Vec<_>>(), [196.0, 198.0]);
    }

    /// A machine may have thousands of new processes in each second.
    #[test]
    fn memory_is_bounded() {
        let mut history = History::default();
        for round in 0..50 {
            history.add(&sample((0..8000).map(|n| (round * 8000 + n, 1, 0))));
            assert!(history.rows <= MOST_ROWS && history.keys.len() <= MOST_ROWS + MOST_UNUSED + 8000);
        }
        let latest = history.rates(1, 1, |_| Some(0));
        assert_eq!(latest[0][0].calls, 16_000.0);
        // Even if a single interval has too many.
        history.add(&sample((0..300_000).map(|n| (n, 1, 0))));
        assert_eq!(history.intervals.len(), 1);
    }
}
