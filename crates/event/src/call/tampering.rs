//! The note that an engine leaves on a call that it has changed (`-e inject=`).

/// The parts of a call that an engine changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tampering {
    /// The result is made up. The call was not made.
    pub result: bool,
    /// Memory that an argument points to was overwritten.
    pub arguments: bool,
    /// The thread had to wait.
    pub delay: bool,
    /// The thread got a signal.
    pub signal: bool,
}

impl Tampering {
    /// The names of the changes, for JSON and its schema.
    pub const NAMES: [&str; 4] = ["result", "arguments", "delay", "signal"];

    fn flags(self) -> [bool; 4] {
        [self.result, self.arguments, self.delay, self.signal]
    }

    /// True if the call is as the program made it.
    pub fn is_none(self) -> bool {
        self == Tampering::default()
    }

    /// The names of the changes that were made.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Tampering::NAMES.into_iter().zip(self.flags()).filter(|(_, made)| *made).map(|(name, _)| name)
    }

    /// A bit for each change, for recordings.
    pub fn bits(self) -> u8 {
        self.flags().iter().enumerate().map(|(i, made)| u8::from(*made) << i).sum()
    }

    /// `None` if a bit is unknown.
    pub fn from_bits(bits: u8) -> Option<Tampering> {
        let made = |i: u8| bits & 1 << i != 0;
        (bits < 1 << 4).then(|| Tampering { result: made(0), arguments: made(1), delay: made(2), signal: made(3) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_changes() {
        for bits in 0..16 {
            let tampering = Tampering::from_bits(bits).unwrap();
            assert_eq!(tampering.bits(), bits);
            assert_eq!(tampering.names().count(), bits.count_ones() as usize);
        }
        assert_eq!(Tampering::from_bits(16), None);
    }
}
