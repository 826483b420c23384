//! Rows of a bounded number.

use super::part::KeyPart;
use std::collections::HashMap;
use stride_event::CallStats;

/// More than that nobody reads, and memory has an end.
pub const MAX_ROWS: usize = if cfg!(test) { 100 } else { 1 << 17 };

#[derive(Default, Debug)]
pub struct Rows {
    places: HashMap<Box<[KeyPart]>, usize>,
    tallies: Vec<CallStats>,
    others: CallStats,
}

impl Rows {
    /// The row of this key, or the one of all that there is no room for.
    pub fn row(&mut self, key: &[KeyPart]) -> &mut CallStats {
        let place = match self.places.get(key) {
            Some(&place) => place,
            None if self.tallies.len() >= MAX_ROWS => return &mut self.others,
            None => {
                let place = self.tallies.len();
                self.places.insert(key.into(), place);
                self.tallies.push(CallStats::default());
                place
            }
        };
        &mut self.tallies[place]
    }

    /// In the order of their keys.
    pub fn sorted(&self) -> Vec<(&[KeyPart], &CallStats)> {
        let mut rows: Vec<_> = self.places.iter().map(|(key, &place)| (&key[..], &self.tallies[place])).collect();
        rows.sort_unstable_by_key(|(key, _)| *key);
        rows
    }

    /// What there was no room for, if anything.
    pub fn others(&self) -> Option<&CallStats> {
        (self.others.calls > 0).then_some(&self.others)
    }
}
