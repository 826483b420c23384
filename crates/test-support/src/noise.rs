//! Pseudo-random numbers that are the same in each run, so that a failure can be repeated.

/// A generator (xorshift). The seed must not be 0.
pub struct Noise(pub u64);

impl Noise {
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
