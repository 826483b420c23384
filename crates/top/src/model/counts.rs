//! The counted calls: of the latest interval, of the last minute, and since the start.

use super::history::History;
use super::sample::{Reason, Sample, SampleKey, SampleTally};
use std::collections::HashMap;
use stride_event::Ns;

/// Rows that are kept for the totals. The rows of processes that are gone are given up first.
pub const MOST_ROWS: usize = 1 << 15;

/// The calls of the latest interval, and of all.
#[derive(Default)]
pub struct TopCounts {
    pub latest: Sample,
    pub all: HashMap<SampleKey, SampleTally>,
    pub reasons: HashMap<Reason, Ns>,
    pub history: History,
    pub length: Ns,
    /// The totals have lost rows.
    pub forgot: bool,
}

impl TopCounts {
    pub fn add(&mut self, sample: Sample) {
        self.length = self.length.saturating_add(sample.length);
        if self.all.len() + sample.rows.len() > MOST_ROWS {
            let alive: std::collections::HashSet<i32> = sample.rows.iter().map(|(key, _)| key.pid).collect();
            self.all.retain(|key, _| alive.contains(&key.pid));
            self.reasons.retain(|reason, _| alive.contains(&reason.pid));
            self.forgot = true;
        }
        for (key, tally) in &sample.rows {
            if self.all.len() < MOST_ROWS || self.all.contains_key(key) {
                self.all.entry(key.clone()).or_default().merge(tally);
            }
        }
        for (reason, time) in &sample.reasons {
            if self.reasons.len() < MOST_ROWS || self.reasons.contains_key(reason) {
                let all = self.reasons.entry(reason.clone()).or_default();
                *all = all.saturating_add(*time);
            }
        }
        self.history.add(&sample);
        self.latest = sample;
    }
}
