//! Sets of signals: `-e signal=`.

use crate::{Error, list};

/// Signal numbers 0 to 255. The kernel's own end at 64, but its numbers travel in a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalSet {
    bits: [u64; 4],
}

impl SignalSet {
    pub const ALL: SignalSet = SignalSet { bits: [!0; 4] };
    pub const NONE: SignalSet = SignalSet { bits: [0; 4] };

    /// Members are numbers or names, with or without `SIG`, in any case; real-time signals are `RTMIN`, `RT_1`...
    pub fn parse(text: &str) -> Result<SignalSet, Error> {
        const WHAT: &str = "signal";
        let list = list::split(text, WHAT)?;
        let mut set = SignalSet::NONE;
        for member in list.members {
            let number = number_of(member).ok_or_else(|| Error::invalid(WHAT, member))?;
            set.bits[usize::from(number) / 64] |= 1 << (number % 64);
        }
        Ok(if list.inverted { set.inverted() } else { set })
    }

    pub fn contains(&self, signal: i32) -> bool {
        u8::try_from(signal).is_ok_and(|n| self.bits[usize::from(n) / 64] & (1 << (n % 64)) != 0)
    }

    fn inverted(self) -> SignalSet {
        SignalSet { bits: self.bits.map(|word| !word) }
    }
}

/// Signals 1 to 31 as x86 and arm64 number them (asm-generic/signal.h).
const NAMES: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM",
    "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO",
    "PWR", "SYS",
];
/// The kernel's, not the C library's, which keeps the first two for itself.
const RTMIN: u8 = 32;
const RTMAX: u8 = 64;

fn number_of(text: &str) -> Option<u8> {
    if let Some(number) = list::number(text) {
        return u8::try_from(number).ok();
    }
    let name = text.to_ascii_uppercase();
    let name = name.strip_prefix("SIG").unwrap_or(&name);
    if name == "RTMIN" {
        return Some(RTMIN);
    }
    if let Some(offset) = name.strip_prefix("RT_").and_then(list::number) {
        let offset = u8::try_from(offset).ok().filter(|n| (1..=RTMAX - RTMIN).contains(n))?;
        return Some(RTMIN + offset);
    }
    Some(NAMES.iter().position(|known| *known == name)? as u8 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_numbers_and_case() {
        let set = SignalSet::parse("sigINT,term,9,RTMIN,rt_32").unwrap();
        for signal in [2, 15, 9, 32, 64] {
            assert!(set.contains(signal), "{signal}");
        }
        assert!(!set.contains(1) && !set.contains(33) && !set.contains(-1) && !set.contains(256));
    }

    #[test]
    fn inversion() {
        let set = SignalSet::parse("!io").unwrap();
        assert!(!set.contains(29) && set.contains(17));
        assert_eq!(SignalSet::parse("none").unwrap(), SignalSet::NONE);
        assert_eq!(SignalSet::parse("all").unwrap(), SignalSet::ALL);
    }

    #[test]
    fn what_is_not_a_signal() {
        for text in ["", "!", " ", "SIG", "-1", "256", "1-1", "SIGSIGINT", "IOT", "RT_0", "RT_33", "RTMAX", "0x2"] {
            assert_eq!(SignalSet::parse(text).unwrap_err().to_string(), format!("invalid signal '{text}'"));
        }
        assert_eq!(SignalSet::parse("9,chdir").unwrap_err().to_string(), "invalid signal 'chdir'");
        assert_eq!(SignalSet::parse("2,all").unwrap_err().to_string(), "invalid signal 'all'");
    }
}
