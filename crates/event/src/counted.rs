//! Counts of calls (`-c`).

use crate::{Ns, Tid};
use std::sync::Arc;
use stride_syscalls::Abi;

/// Total, least and most of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Their sum.
    pub total: Ns,
    /// `Ns::MAX` as long as there are no times.
    pub min: Ns,
    /// The longest. 0 if there are no times.
    pub max: Ns,
}

impl Times {
    /// No times.
    pub const NONE: Times = Times { total: 0, min: Ns::MAX, max: 0 };

    /// Adds a time.
    pub fn add(&mut self, ns: Ns) {
        self.total += ns;
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
    }

    /// Adds the times of others.
    pub fn merge(&mut self, other: &Times) {
        self.total += other.total;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

/// A log-linear histogram of times. Values below `2^BITS` ns have a bucket each. Above, each power of two is divided
/// into `2^BITS` buckets of equal width, so that no bucket is wider than an eighth of its values. The eBPF engine's
/// kernel side uses the same buckets (`counts.h`). Only buckets that are not empty are stored, because there may be a
/// hundred thousand rows with a histogram each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// In the order of buckets.
    filled: Vec<(u16, u64)>,
}

impl Histogram {
    /// The number of buckets. The last one has all times that are longer.
    pub const BUCKETS: usize = 320;
    /// log2 of the number of buckets for each power of two.
    pub const BITS: u32 = 3;

    /// Adds a time.
    pub fn add(&mut self, ns: Ns) {
        self.add_bucket(Self::bucket(ns), 1);
    }

    /// Adds `n` times of a bucket.
    pub fn add_bucket(&mut self, bucket: usize, n: u64) {
        let bucket = bucket.min(Self::BUCKETS - 1) as u16;
        match self.filled.binary_search_by_key(&bucket, |&(bucket, _)| bucket) {
            _ if n == 0 => {}
            Ok(at) => self.filled[at].1 += n,
            Err(at) => self.filled.insert(at, (bucket, n)),
        }
    }

    /// Adds the times of another.
    pub fn merge(&mut self, other: &Histogram) {
        for (bucket, n) in other.filled() {
            self.add_bucket(bucket, n);
        }
    }

    /// The bucket of a time.
    pub fn bucket(ns: Ns) -> usize {
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

    /// The buckets that are not empty: number and count.
    pub fn filled(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.filled.iter().map(|&(bucket, n)| (bucket.into(), n))
    }

    /// The shortest time in a bucket.
    pub fn start(bucket: usize) -> Ns {
        let width = 1 << Self::BITS;
        if bucket < 2 * width {
            return bucket as Ns;
        }
        let octave = (bucket >> Self::BITS) - 1;
        ((bucket - (octave << Self::BITS)) as Ns) << octave
    }

    /// The time that this part (0 to 1) of all times does not exceed, to a sixteenth. 0 if there are none.
    pub fn quantile(&self, part: f64) -> Ns {
        let all: u64 = self.filled().map(|(_, n)| n).sum();
        let rank = ((all as f64 * part).ceil() as u64).clamp(1, all.max(1));
        let mut seen = 0;
        for (bucket, n) in self.filled() {
            seen += n;
            if seen >= rank {
                return Self::value(bucket);
            }
        }
        0
    }
}

/// Statistics of calls that have something in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallStats {
    /// The number of calls, failed ones included.
    pub calls: u64,
    /// The number of calls that failed.
    pub errors: u64,
    /// Bytes moved through descriptors.
    pub bytes: u64,
    /// Calls that were not timed, because there were so many. The total of `cpu` includes an estimate of their times.
    pub untimed: u64,
    /// The time from entry to return.
    pub wall: Times,
    /// The part of it on a CPU.
    pub cpu: Times,
    /// The distribution of `wall`.
    pub latencies: Histogram,
    /// The part of `wall` in which threads slept, if waits were measured.
    pub blocked: Ns,
    /// The part of `wall` in which threads could run but had no CPU, likewise.
    pub runnable: Ns,
}

impl Default for CallStats {
    fn default() -> CallStats {
        CallStats {
            calls: 0,
            errors: 0,
            bytes: 0,
            untimed: 0,
            wall: Times::NONE,
            cpu: Times::NONE,
            latencies: Histogram::default(),
            blocked: 0,
            runnable: 0,
        }
    }
}

impl CallStats {
    /// Adds the time from entry to return, if it is known. A call without adds nothing.
    pub fn add_wall(&mut self, wall: Option<Ns>) {
        if let Some(wall) = wall {
            self.wall.add(wall);
            self.latencies.add(wall);
        }
    }

    /// Adds the statistics of other calls.
    pub fn merge(&mut self, other: &CallStats) {
        self.calls += other.calls;
        self.errors += other.errors;
        self.bytes += other.bytes;
        self.untimed += other.untimed;
        self.wall.merge(&other.wall);
        self.cpu.merge(&other.cpu);
        self.latencies.merge(&other.latencies);
        self.blocked += other.blocked;
        self.runnable += other.runnable;
    }
}

/// Calls that an engine counted together, with the keys that they share. Only the keys that [`CountBy`] asks for are set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// ABI and number.
    pub call: Option<(Abi, u64)>,
    /// 0: they succeeded.
    pub errno: u32,
    /// The process, or 0.
    pub pid: Tid,
    /// The thread, or 0.
    pub tid: Tid,
    /// The name of the thread.
    pub comm: Vec<u8>,
    /// The bytes that each call moved.
    pub size: PowerBucket,
    /// The time that each call took, in nanoseconds.
    pub duration: PowerBucket,
    /// The effective user id.
    pub user: u32,
    /// The container that the thread is in.
    pub container: Option<Arc<str>>,
    /// The counts and times.
    pub tally: CallStats,
}

/// The keys by which calls are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountBy {
    /// By ABI and number.
    pub syscall: bool,
    /// By the error with which they failed.
    pub errno: bool,
    /// By the process that makes them.
    pub pid: bool,
    /// By the thread.
    pub tid: bool,
    /// By the name of the thread.
    pub comm: bool,
    /// By the bytes that they move.
    pub size: bool,
    /// By the time that they take.
    pub duration: bool,
    /// By the effective user id of the thread.
    pub user: bool,
    /// By the container that the thread is in.
    pub container: bool,
}

impl CountBy {
    /// By number alone, as `-c` does.
    pub const SYSCALL: CountBy = CountBy {
        syscall: true,
        errno: false,
        pid: false,
        tid: false,
        comm: false,
        size: false,
        duration: false,
        user: false,
        container: false,
    };

    /// By the keys of both.
    pub fn and(self, other: CountBy) -> CountBy {
        CountBy {
            syscall: self.syscall || other.syscall,
            errno: self.errno || other.errno,
            pid: self.pid || other.pid,
            tid: self.tid || other.tid,
            comm: self.comm || other.comm,
            size: self.size || other.size,
            duration: self.duration || other.duration,
            user: self.user || other.user,
            container: self.container || other.container,
        }
    }
}

/// A quantity to a power of two: the bytes that a call moved, or the nanoseconds that it took. 0: there is none, as for a
/// call that failed or never moves bytes. 1: the number 0. 2: 1. 3: 2 or 3, and so on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PowerBucket(pub u8);

impl PowerBucket {
    /// The bucket of the largest numbers.
    pub const MOST: PowerBucket = PowerBucket(1 + u64::BITS as u8);

    /// The bucket of a number, or of none.
    pub fn of(number: Option<u64>) -> PowerBucket {
        PowerBucket(number.map_or(0, |number| 1 + (u64::BITS - number.leading_zeros()) as u8))
    }

    /// The least and the most.
    pub fn range(self) -> Option<(u64, u64)> {
        match self.0.min(Self::MOST.0) {
            0 => None,
            1 => Some((0, 0)),
            n => {
                let least = 1 << (n - 2);
                Some((least, least + (least - 1)))
            }
        }
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
    fn sizes_are_powers_of_two() {
        for (moved, least, most) in
            [(0, 0, 0), (1, 1, 1), (2, 2, 3), (4095, 2048, 4095), (4096, 4096, 8191), (u64::MAX, 1 << 63, u64::MAX)]
        {
            assert_eq!(PowerBucket::of(Some(moved)).range(), Some((least, most)));
        }
        assert_eq!(PowerBucket::of(None).range(), None);
        assert_eq!(PowerBucket(200).range(), Some((1 << 63, u64::MAX)));
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
