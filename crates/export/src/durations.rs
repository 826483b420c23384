//! Histograms of durations, in the buckets of the formats.
//!
//! Engines count in buckets of their own ([`Histogram`]), whose bounds are whole nanoseconds and no wider than an eighth. The formats have bounds in
//! seconds, which are never among those. A bucket that has such a bound within it is divided as if its times were spread
//! evenly. Each part only grows when the bucket does, as counters must.

use stride_event::{Histogram, Ns};

/// Times of calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Durations {
    pub histogram: Histogram,
    pub total: Ns,
}

/// The upper bounds of classic buckets, in seconds. Each has a tenth of the next.
pub const CLASSIC_BOUNDS: [f64; 8] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0];

/// Buckets are by a factor of 2^(2^-SCALE) wide: 1.19.
pub const SCALE: i32 = 2;

/// Buckets whose bounds are powers of one number.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ExponentialBuckets {
    /// Times of 0 ns.
    pub zeros: u64,
    /// Index and count of each bucket that is not empty, in order. The upper bound of bucket `i` is 2^(i / 2^SCALE) seconds, and belongs to it.
    pub filled: Vec<(i32, u64)>,
}

const SECOND: f64 = 1e9;

impl Durations {
    pub fn add(&mut self, time: Ns) {
        self.histogram.add(time);
        self.total = self.total.saturating_add(time);
    }

    pub fn merge(&mut self, histogram: &Histogram, total: Ns) {
        self.histogram.merge(histogram);
        self.total = self.total.saturating_add(total);
    }

    pub fn count(&self) -> u64 {
        self.histogram.filled().map(|(_, n)| n).sum()
    }

    pub fn seconds(&self) -> f64 {
        self.total as f64 / SECOND
    }

    /// For each of [`CLASSIC_BOUNDS`], the number of times up to it.
    pub fn classic(&self) -> [u64; CLASSIC_BOUNDS.len()] {
        CLASSIC_BOUNDS.map(|bound| self.histogram.filled().map(|(bucket, n)| up_to(bucket, n, bound)).sum())
    }

    pub fn exponential(&self) -> ExponentialBuckets {
        let mut buckets = ExponentialBuckets::default();
        for (bucket, n) in self.histogram.filled() {
            if bucket == 0 {
                buckets.zeros += n;
                continue;
            }
            let (from, to) = ends(bucket);
            let (first, last) = (index(from), index(to));
            match last - first {
                0 => buckets.add(first, n),
                1 => {
                    let lower = up_to(bucket, n, upper_bound(first));
                    buckets.add(first, lower);
                    buckets.add(last, n - lower);
                }
                // (Only times of a few nanoseconds have buckets as wide as that.)
                _ => buckets.add(index(from.midpoint(to)), n),
            }
        }
        buckets
    }
}

impl ExponentialBuckets {
    fn add(&mut self, index: i32, n: u64) {
        match self.filled.last_mut() {
            _ if n == 0 => {}
            Some((last, count)) if *last == index => *count += n,
            _ => self.filled.push((index, n)),
        }
    }
}

/// The ends of an engine's bucket, in seconds.
fn ends(bucket: usize) -> (f64, f64) {
    (Histogram::start(bucket) as f64 / SECOND, Histogram::start(bucket + 1) as f64 / SECOND)
}

/// How many of a bucket's `n` times are not longer than this.
fn up_to(bucket: usize, n: u64, bound: f64) -> u64 {
    let (from, to) = ends(bucket);
    (n as f64 * ((bound - from) / (to - from)).clamp(0.0, 1.0)).round() as u64
}

/// The exponential bucket of a time.
fn index(seconds: f64) -> i32 {
    (seconds.log2() * f64::from(1 << SCALE)).ceil() as i32
}

fn upper_bound(index: i32) -> f64 {
    (f64::from(index) / f64::from(1 << SCALE)).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: impl IntoIterator<Item = Ns>) -> Durations {
        let mut durations = Durations::default();
        times.into_iter().for_each(|time| durations.add(time));
        durations
    }

    #[test]
    fn classic_buckets_grow_and_end_with_all() {
        let durations = of((0..=7).map(|power| 500 * 10u64.pow(power)));
        assert_eq!(durations.classic(), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!((durations.count(), durations.seconds()), (8, 5.555_555_5));
        assert_eq!(of([u64::MAX >> 1]).classic(), [0; 8], "longer than the last bound");
    }

    #[test]
    fn no_time_is_lost_or_goes_far() {
        for time in (0..60).flat_map(|power| [1u64 << power, (1 << power) + (1 << power) / 3]) {
            let durations = of([time; 1_000]);
            let buckets = durations.exponential();
            assert_eq!(buckets.zeros + buckets.filled.iter().map(|(_, n)| n).sum::<u64>(), 1_000, "{time}");
            for (bucket, _) in buckets.filled.iter().filter(|_| (8..1 << 42).contains(&time)) {
                let seconds = time as f64 / SECOND;
                assert!(upper_bound(*bucket) > seconds / 1.126 && upper_bound(*bucket - 1) < seconds * 1.126, "{time}");
            }
        }
        assert_eq!(of([0, 0]).exponential(), ExponentialBuckets { zeros: 2, filled: vec![] });
    }

    /// Prometheus takes a number that falls for a restart.
    #[test]
    fn buckets_only_grow() {
        let mut durations = Durations::default();
        let (mut classic, mut exponential) = (durations.classic(), durations.exponential());
        for step in 0..3_000u64 {
            durations.add(step % 7 * 977 + 64 + (step * step) % 9_973);
            let next = durations.classic();
            assert!(classic.iter().zip(next).all(|(before, now)| *before <= now), "{step}");
            let buckets = durations.exponential();
            assert!(buckets.filled.is_sorted_by_key(|(index, _)| *index));
            for (index, n) in exponential.filled {
                let now = buckets.filled.iter().find(|(other, _)| *other == index);
                assert!(now.is_some_and(|(_, now)| *now >= n), "{step}: bucket {index}");
            }
            (classic, exponential) = (next, buckets);
        }
    }
}
