//! The parts of a rule that changes calls (`-e inject=`), [`crate::Injection`].

use stride_syscalls::Abi;

/// The result that a call seems to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectedResult {
    /// A positive errno, at most 4095.
    Error(u32),
    /// It succeeds with this result.
    Value(u64),
}

/// Bytes to write to the memory that an argument points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poke {
    /// Counted from 0.
    pub arg: usize,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Some of the calls of a thread, by their order: `first..=last` in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invocations {
    /// The first one, counted from 1.
    pub first: u64,
    /// The last one.
    pub last: u64,
    /// At least 1.
    pub step: u64,
}

impl Invocations {
    /// All of them.
    pub const ALL: Invocations = Invocations { first: 1, last: u64::MAX, step: 1 };

    /// True if the `n`-th call is among them, counted from 1.
    pub fn contains(&self, n: u64) -> bool {
        (self.first..=self.last).contains(&n) && (n - self.first).is_multiple_of(self.step)
    }
}

/// Chooses calls with a probability, the same ones in each run with the same seed.
///
/// The choice depends on nothing but the seed, the place of the thread in the family of threads, and which call of the thread
/// it is. So the order in which threads run does not matter. docs/inject.md tells users how it is computed, and a test holds
/// its numbers: what a seed chooses must not change from version to version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// From 0 to 1.
    pub probability: f64,
    /// Each seed chooses other calls.
    pub seed: u64,
}

impl Chance {
    /// True if the `n`-th call that a thread makes of a syscall is chosen, counted from 1.
    pub fn falls(self, thread: ThreadKey, abi: Abi, nr: u64, n: u64) -> bool {
        let call = (abi as u64) << 32 | nr & 0xffff_ffff;
        let drawn = mix(mix(mix(self.seed ^ thread.0) ^ call) ^ n);
        // 53 bits, as many as a double holds: a number from 0 to less than 1.
        ((drawn >> 11) as f64) / ((1_u64 << 53) as f64) < self.probability
    }
}

/// The place of a thread in the family of traced threads. It is the same in each run of a program that makes its threads in
/// the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ThreadKey(u64);

impl ThreadKey {
    /// The command, and the first threads that were attached to, in their order from 1.
    pub fn root(ordinal: u64) -> ThreadKey {
        ThreadKey(mix(ordinal))
    }

    /// The child that this thread made as its `ordinal`-th, counted from 1.
    pub fn child(self, ordinal: u64) -> ThreadKey {
        ThreadKey(mix(self.0 ^ ordinal))
    }
}

/// The step of SplitMix64 (Steele, Lea, Flood 2014).
fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invocations() {
        let chosen = |first, last, step| {
            let when = Invocations { first, last, step };
            (0..10).filter(|n| when.contains(*n)).collect::<Vec<_>>()
        };
        assert_eq!(chosen(1, u64::MAX, 1), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(chosen(3, 3, 1), [3]);
        assert_eq!(chosen(2, 8, 3), [2, 5, 8]);
        assert_eq!(chosen(2, 7, 3), [2, 5]);
    }

    /// The calls that a seed chooses are a promise to users: they stay the same from version to version.
    #[test]
    fn the_generator_never_changes() {
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf, "the first number of SplitMix64 with seed 0");
        let chosen = |seed, thread| {
            let chance = Chance { probability: 0.25, seed };
            (1..=40).filter(|&n| chance.falls(thread, Abi::X86_64, 80, n)).collect::<Vec<u64>>()
        };
        let command = ThreadKey::root(1);
        assert_eq!(chosen(7, command), CHOSEN);
        assert_ne!(chosen(8, command), CHOSEN);
        assert_ne!(chosen(7, command.child(1)), CHOSEN);
        assert_ne!(command.child(1), command.child(2));
    }

    const CHOSEN: [u64; 8] = [1, 5, 8, 15, 21, 23, 30, 36];

    #[test]
    fn the_probability_is_kept() {
        let falls = |probability| {
            let chance = Chance { probability, seed: 1 };
            (0..100_000).filter(|n| chance.falls(ThreadKey::root(1), Abi::X86_64, 0, *n)).count()
        };
        assert_eq!(falls(0.0), 0);
        assert_eq!(falls(1.0), 100_000);
        assert!((900..1100).contains(&falls(0.01)), "{}", falls(0.01));
        assert!((49_000..51_000).contains(&falls(0.5)), "{}", falls(0.5));
    }
}
