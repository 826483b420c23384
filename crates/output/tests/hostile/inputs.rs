//! Inputs: those that were kept, and those that look random and are the same in each run.

use crate::any_call::HEAD;
use stride_test_support::noise::Noise;

/// Inputs that the fuzz target found, in hexadecimal digits, one a line. docs/contributing/tests.md tells how the file
/// is made.
const KEPT: &str = include_str!("kept.txt");

pub fn kept() -> impl Iterator<Item = Vec<u8>> {
    let byte = |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
    KEPT.lines().map(move |line| line.as_bytes().chunks(2).map(|pair| byte(pair).expect("digits")).collect())
}

/// Makes inputs from pseudo-random numbers.
pub struct Inputs(Noise);

impl Inputs {
    pub fn new(seed: u64) -> Inputs {
        Inputs(Noise(seed))
    }

    /// A register. Small numbers, bit patterns and addresses are more frequent than by chance.
    fn word(&mut self) -> u64 {
        match self.0.number() % 8 {
            0 => 0,
            1 => self.0.number() % 40,
            2 => u64::MAX,
            3 => 1 << (self.0.number() % 64),
            4 => self.0.number() >> 32,
            5 => (self.0.number() % 16 * 4096).wrapping_sub(8),
            6 => 0x1000 + self.0.number() % 256,
            _ => self.0.number(),
        }
    }

    /// An input for [`crate::any_call::show`].
    pub fn input(&mut self, subject: u8, nr: u16) -> Vec<u8> {
        let [low, high] = nr.to_le_bytes();
        let mut input = vec![subject, low, high];
        input.extend_from_slice(&self.0.number().to_le_bytes()[..3]);
        while input.len() < HEAD {
            input.extend_from_slice(&self.word().to_le_bytes());
        }
        for _ in 0..self.0.number() % 64 {
            // Members of structs are mostly of 4 or 8 bytes.
            let bytes = if self.0.number().is_multiple_of(2) { 4 } else { 8 };
            input.extend_from_slice(&self.word().to_le_bytes()[..bytes]);
        }
        input
    }

    /// The same for a call of ioctl(2).
    pub fn request(&mut self, subject: u8, nr: u16, request: u64) -> Vec<u8> {
        let mut input = self.input(subject, nr);
        let argument = HEAD - 5 * 8;
        input[argument..argument + 8].copy_from_slice(&request.to_le_bytes());
        input
    }
}
