//! The rows, limited in number.

use super::part::KeyPart;
use std::collections::HashMap;
use stride_event::CallStats;

/// Nobody reads more rows, and memory is limited.
pub const MAX_ROWS: usize = if cfg!(test) { 100 } else { 1 << 17 };

#[derive(Default, Debug)]
pub struct Rows {
    places: HashMap<Box<[KeyPart]>, usize>,
    tallies: Vec<CallStats>,
    others: CallStats,
}

impl Rows {
    /// The row of this key, or the common row if there is no room.
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

    /// The rows, sorted by their keys.
    pub fn sorted(&self) -> Vec<(&[KeyPart], &CallStats)> {
        let mut rows: Vec<_> = self.places.iter().map(|(key, &place)| (&key[..], &self.tallies[place])).collect();
        rows.sort_unstable_by_key(|(key, _)| *key);
        rows
    }

    /// All calls.
    pub fn calls(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.calls).sum::<u64>() + self.others.calls
    }

    /// The calls without room for a row of their own, if there are any.
    pub fn others(&self) -> Option<&CallStats> {
        (self.others.calls > 0).then_some(&self.others)
    }
}
