//! Sets of signals: `-e signal=`.

use crate::{Error, list, nearest};

const WHAT: &str = "signal";

/// Signal numbers 0 to 255. The kernel's own end at 64, but a number is stored in a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalSet {
    bits: [u64; 4],
}

impl SignalSet {
    pub const ALL: SignalSet = SignalSet { bits: [!0; 4] };
    pub const NONE: SignalSet = SignalSet { bits: [0; 4] };

    /// Members are numbers or names, with or without `SIG`, in any case; real-time signals are `RTMIN`, `RT_1`...
    pub fn parse(text: &str) -> Result<SignalSet, Error> {
        let list = list::split(text, WHAT)?;
        let mut set = SignalSet::NONE;
        for member in list.members {
            let number = number_of(member).ok_or_else(|| misspelt(member))?;
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
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGILL",
    "SIGTRAP",
    "SIGABRT",
    "SIGBUS",
    "SIGFPE",
    "SIGKILL",
    "SIGUSR1",
    "SIGSEGV",
    "SIGUSR2",
    "SIGPIPE",
    "SIGALRM",
    "SIGTERM",
    "SIGSTKFLT",
    "SIGCHLD",
    "SIGCONT",
    "SIGSTOP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGXCPU",
    "SIGXFSZ",
    "SIGVTALRM",
    "SIGPROF",
    "SIGWINCH",
    "SIGIO",
    "SIGPWR",
    "SIGSYS",
];
/// The kernel's number. The C library reserves the first two.
const RTMIN: u8 = 32;
pub(crate) const RTMAX: u8 = 64;

/// The names of the signals that are not real-time ones.
pub fn signal_names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().copied()
}

/// The suggestion always begins with SIG, even if the typed name does not.
fn misspelt(text: &str) -> Error {
    let typed = text.to_ascii_uppercase();
    // all and none can only stand alone, so they are not misspelt names.
    let known = signal_names().filter(|_| !["ALL", "NONE"].contains(&typed.as_str()));
    let suggestion =
        nearest(typed.strip_prefix(SIG).unwrap_or(&typed), known.filter_map(|name| name.strip_prefix(SIG)));
    Error::Invalid { what: WHAT, text: text.into(), suggestion: suggestion.map(|name| format!("{SIG}{name}")) }
}

const SIG: &str = "SIG";

pub(crate) fn number_of(text: &str) -> Option<u8> {
    if let Some(number) = list::number(text) {
        return u8::try_from(number).ok();
    }
    let name = text.to_ascii_uppercase();
    let name = name.strip_prefix(SIG).unwrap_or(&name);
    if name == "RTMIN" {
        return Some(RTMIN);
    }
    if let Some(offset) = name.strip_prefix("RT_").and_then(list::number) {
        let offset = u8::try_from(offset).ok().filter(|n| (1..=RTMAX - RTMIN).contains(n))?;
        return Some(RTMIN + offset);
    }
    Some(NAMES.iter().position(|known| known.strip_prefix(SIG) == Some(name))? as u8 + 1)
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
            let message = SignalSet::parse(text).unwrap_err().to_string();
            assert_eq!(message.split(';').next(), Some(format!("invalid signal '{text}'").as_str()));
        }
        for (text, expected) in [("SIGTREM", "SIGTERM"), ("trem", "SIGTERM"), ("9,usr3", "SIGUSR1")] {
            let message = SignalSet::parse(text).unwrap_err().to_string();
            assert!(message.ends_with(&format!("; did you mean '{expected}'?")), "{message}");
        }
        assert_eq!(SignalSet::parse("9,chdir").unwrap_err().to_string(), "invalid signal 'chdir'");
        assert_eq!(SignalSet::parse("2,all").unwrap_err().to_string(), "invalid signal 'all'");
    }
}
