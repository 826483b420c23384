//! The heaviest of very many entries, in bounded memory.

use std::collections::HashMap;
use std::hash::Hash;

/// The data that are gathered for a key.
pub trait Weighed: Default {
    fn merge(&mut self, other: &Self);
    /// The entries of least weight are dropped first.
    fn weight(&self) -> u64;
}

/// Keeps at most twice `room` keys. Beyond that the lighter half is dropped, and its sums go to `rest`. A dropped key
/// that comes again starts from nothing. So the numbers are exact as long as there are no more than twice `room` keys.
pub struct Top<K, V> {
    entries: HashMap<K, V>,
    room: usize,
    rest: V,
    /// The number of dropped entries.
    more: u64,
}

impl<K: Eq + Hash, V: Weighed> Top<K, V> {
    pub fn new(room: usize) -> Top<K, V> {
        Top { entries: HashMap::new(), room, rest: V::default(), more: 0 }
    }

    pub fn get(&mut self, key: K) -> &mut V {
        if self.entries.len() >= 2 * self.room && !self.entries.contains_key(&key) {
            self.prune();
        }
        self.entries.entry(key).or_default()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter()
    }

    fn prune(&mut self) {
        let mut weights: Vec<u64> = self.entries.values().map(Weighed::weight).collect();
        let place = weights.len() - self.room;
        let (_, &mut least, above) = weights.select_nth_unstable(place);
        // Of the entries with exactly the limit's weight, only some fit.
        let mut room = self.room - above.iter().filter(|&&weight| weight > least).count();
        self.entries.retain(|_, value| {
            let equal = value.weight() == least && room > 0;
            room -= usize::from(equal);
            if equal || value.weight() > least {
                return true;
            }
            self.rest.merge(value);
            self.more += 1;
            false
        });
    }

    /// The kept entries, the sum of the others, and the number of the others.
    pub fn into_parts(self) -> (Vec<(K, V)>, V, u64) {
        (self.entries.into_iter().collect(), self.rest, self.more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Count(u64);

    impl Weighed for Count {
        fn merge(&mut self, other: &Count) {
            self.0 += other.0;
        }

        fn weight(&self) -> u64 {
            self.0
        }
    }

    #[test]
    fn bounded_and_nothing_lost() {
        let mut top: Top<u64, Count> = Top::new(100);
        for i in 0..200_000u64 {
            top.get(i).0 += 1;
            top.get(i % 7).0 += 1;
            assert!(top.entries.len() <= 200);
        }
        let (entries, rest, more) = top.into_parts();
        assert_eq!(entries.iter().map(|(_, n)| n.0).sum::<u64>() + rest.0, 400_000);
        assert_eq!(entries.len() as u64 + more, 200_000);
        let heaviest: u64 = entries.iter().filter(|(key, _)| *key < 7).map(|(_, n)| n.0).sum();
        assert_eq!(heaviest, 200_007);
    }
}
