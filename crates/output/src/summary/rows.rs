//! Rows of a bounded number.

use super::part::Part;
use std::collections::HashMap;
use stride_event::Tally;

/// More than that nobody reads, and memory has an end.
pub const MAX_ROWS: usize = if cfg!(test) { 100 } else { 1 << 17 };

#[derive(Default, Debug)]
pub struct Rows {
    places: HashMap<Box<[Part]>, usize>,
    tallies: Vec<Tally>,
    others: Tally,
}

impl Rows {
    /// The row of this key, or the one of all that there is no room for.
    pub fn row(&mut self, key: &[Part]) -> &mut Tally {
        let place = match self.places.get(key) {
            Some(&place) => place,
            None if self.tallies.len() >= MAX_ROWS => return &mut self.others,
            None => {
                let place = self.tallies.len();
                self.places.insert(key.into(), place);
                self.tallies.push(Tally::default());
                place
            }
        };
        &mut self.tallies[place]
    }

    /// In the order of their keys.
    pub fn sorted(&self) -> Vec<(&[Part], &Tally)> {
        let mut rows: Vec<_> = self.places.iter().map(|(key, &place)| (&key[..], &self.tallies[place])).collect();
        rows.sort_unstable_by_key(|(key, _)| *key);
        rows
    }

    /// What there was no room for, if anything.
    pub fn others(&self) -> Option<&Tally> {
        (self.others.calls > 0).then_some(&self.others)
    }
}
