//! Calls per second, in a fixed number of buckets for any length of the run.

use stride_event::Ns;

const BUCKETS: usize = 512;
/// The least width of a bucket: a millisecond.
const WIDTH: Ns = 1_000_000;

/// Counts over time. When there are too many buckets, each pair is merged.
pub struct Rate {
    origin: Ns,
    width: Ns,
    counts: Vec<u32>,
}

impl Rate {
    pub fn new(origin: Ns) -> Rate {
        Rate { origin, width: WIDTH, counts: Vec::new() }
    }

    pub fn add(&mut self, at: Ns) {
        let since = at.saturating_sub(self.origin);
        while since / self.width >= BUCKETS as Ns {
            self.width = self.width.saturating_mul(2);
            self.counts =
                self.counts.chunks(2).map(|pair| pair.iter().fold(0u32, |a, &b| a.saturating_add(b))).collect();
        }
        let bucket = (since / self.width) as usize;
        if self.counts.len() <= bucket {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] = self.counts[bucket].saturating_add(1);
    }

    /// The times at which the rate changes, with the new rate. The last one is 0.
    pub fn steps(&self) -> impl Iterator<Item = (Ns, u64)> {
        let mut before = None;
        self.counts.iter().chain([&0]).enumerate().filter_map(move |(i, &count)| {
            let rate = (u128::from(count) * 1_000_000_000 / u128::from(self.width)) as u64;
            let changed = before.replace(rate) != Some(rate);
            changed.then_some((self.origin.saturating_add(self.width.saturating_mul(i as u64)), rate))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_where_it_changes() {
        let mut rate = Rate::new(5);
        for at in [5, 6, 1_000_005, 1_000_006, 3_000_005] {
            rate.add(at);
        }
        let steps: Vec<_> = rate.steps().collect();
        assert_eq!(steps, [(5, 2000), (2_000_005, 0), (3_000_005, 1000), (4_000_005, 0)]);
    }

    #[test]
    fn bounded_however_long_it_takes() {
        let mut rate = Rate::new(0);
        for second in 0..100_000 {
            rate.add(second * 1_000_000_000);
        }
        assert!(rate.counts.len() <= BUCKETS);
        assert_eq!(rate.counts.iter().sum::<u32>(), 100_000);
        rate.add(Ns::MAX);
        assert!(rate.counts.len() <= BUCKETS);
    }
}
