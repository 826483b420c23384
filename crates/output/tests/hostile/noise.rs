//! Inputs: those that were kept, and those that look random and are the same in each run.

use crate::any_call::HEAD;

/// Inputs that the fuzz target found, in hexadecimal digits, one a line. CONTRIBUTING.md tells how the file is made.
const KEPT: &str = include_str!("kept.txt");

pub fn kept() -> impl Iterator<Item = Vec<u8>> {
    let byte = |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
    KEPT.lines().map(move |line| line.as_bytes().chunks(2).map(|pair| byte(pair).expect("digits")).collect())
}

/// Pseudo-random numbers (xorshift).
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A register. Small numbers, bit patterns and addresses are more frequent than by chance.
    pub fn word(&mut self) -> u64 {
        match self.next() % 8 {
            0 => 0,
            1 => self.next() % 40,
            2 => u64::MAX,
            3 => 1 << (self.next() % 64),
            4 => self.next() >> 32,
            5 => (self.next() % 16 * 4096).wrapping_sub(8),
            6 => 0x1000 + self.next() % 256,
            _ => self.next(),
        }
    }

    /// An input for [`crate::any_call::show`].
    pub fn input(&mut self, subject: u8, nr: u16) -> Vec<u8> {
        let [low, high] = nr.to_le_bytes();
        let mut input = vec![subject, low, high];
        input.extend_from_slice(&self.next().to_le_bytes()[..3]);
        while input.len() < HEAD {
            input.extend_from_slice(&self.word().to_le_bytes());
        }
        for _ in 0..self.next() % 64 {
            // Members of structs are mostly of 4 or 8 bytes.
            let bytes = if self.next().is_multiple_of(2) { 4 } else { 8 };
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
