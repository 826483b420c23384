//! What is counted of calls, per ABI and number: `-c`.

use crate::Ns;
use stride_syscalls::Abi;

/// Total, least and most of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    pub total: Ns,
    /// `Ns::MAX` as long as there are none.
    pub min: Ns,
    pub max: Ns,
}

impl Times {
    pub const NONE: Times = Times { total: 0, min: Ns::MAX, max: 0 };

    pub fn add(&mut self, ns: Ns) {
        self.total += ns;
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
    }

    pub fn merge(&mut self, other: &Times) {
        self.total += other.total;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

/// A log-linear histogram of times: values below `2^BITS` ns have a bucket each; above, each power of two is divided into
/// `2^BITS` buckets of equal width, so that none is wider than an eighth of its values. The eBPF engine's kernel side counts
/// into the same buckets (`counts.h`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    buckets: Box<[u64; Histogram::BUCKETS]>,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { buckets: Box::new([0; Self::BUCKETS]) }
    }
}

impl Histogram {
    pub const BUCKETS: usize = 320;
    pub const BITS: u32 = 3;

    pub fn add(&mut self, ns: Ns) {
        self.add_bucket(Self::bucket(ns), 1);
    }

    pub fn add_bucket(&mut self, bucket: usize, n: u64) {
        self.buckets[bucket.min(Self::BUCKETS - 1)] += n;
    }

    pub fn merge(&mut self, other: &Histogram) {
        for (to, from) in self.buckets.iter_mut().zip(other.buckets.iter()) {
            *to += from;
        }
    }

    fn bucket(ns: Ns) -> usize {
        let log = 63 - (ns | 1).leading_zeros();
        match log.checked_sub(Self::BITS) {
            None => ns as usize,
            Some(octave) => ((octave as usize) << Self::BITS) + (ns >> octave) as usize,
        }
    }

    /// The middle of a bucket.
    fn value(bucket: usize) -> Ns {
        Self::start(bucket).midpoint(Self::start(bucket + 1))
    }

    /// The buckets that hold any: number and how many.
    pub fn filled(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.buckets.iter().copied().enumerate().filter(|&(_, n)| n > 0)
    }

    /// The least time that belongs to a bucket.
    pub fn start(bucket: usize) -> Ns {
        let width = 1 << Self::BITS;
        if bucket < 2 * width {
            return bucket as Ns;
        }
        let octave = (bucket >> Self::BITS) - 1;
        ((bucket - (octave << Self::BITS)) as Ns) << octave
    }

    /// The time that this part (0 to 1) of all are not longer than, to a sixteenth; 0 if there are none.
    pub fn quantile(&self, part: f64) -> Ns {
        let all: u64 = self.buckets.iter().sum();
        let rank = ((all as f64 * part).ceil() as u64).clamp(1, all.max(1));
        let mut seen = 0;
        for (bucket, n) in self.buckets.iter().enumerate() {
            seen += n;
            if seen >= rank {
                return Self::value(bucket);
            }
        }
        0
    }
}

/// What was counted of one syscall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    pub abi: Abi,
    pub nr: u64,
    pub calls: u64,
    pub errors: u64,
    /// From entry to return.
    pub wall: Times,
    /// Of that, on a CPU.
    pub cpu: Times,
    /// Of `wall`.
    pub latencies: Histogram,
}

impl Counted {
    pub fn new(abi: Abi, nr: u64) -> Counted {
        Counted { abi, nr, calls: 0, errors: 0, wall: Times::NONE, cpu: Times::NONE, latencies: Histogram::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_narrow_and_in_order() {
        let mut last = 0;
        for ns in (0..100_000).chain((17..63).map(|p| 1u64 << p)) {
            let bucket = Histogram::bucket(ns);
            if ns < 100_000 {
                assert!(bucket == last || bucket == last + 1, "{ns}");
                last = bucket;
            }
            if bucket < Histogram::BUCKETS {
                let value = Histogram::value(bucket);
                assert!(value.abs_diff(ns) <= ns / 16 + 1, "{ns} is told as {value}");
            }
        }
    }

    #[test]
    fn quantiles() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile(0.5), 0);
        (1..=100).for_each(|us| histogram.add(us * 1000));
        assert!(histogram.quantile(0.5).abs_diff(50_000) < 50_000 / 16);
        assert!(histogram.quantile(0.99).abs_diff(99_000) < 99_000 / 16);
        let mut other = Histogram::default();
        other.add(u64::MAX);
        other.merge(&histogram);
        assert!(other.quantile(1.0) > 1 << 40);
    }
}
