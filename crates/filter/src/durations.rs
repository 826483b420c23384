//! The durations of calls: `--duration=`.

use crate::Error;
use stride_event::{Bounds, Ns};

/// Parses `[>|<|>=|<=]TIME`. Without a sign, TIME is the least duration. `duration` reads TIME, which has a unit.
pub fn parse_durations(text: &str, duration: impl Fn(&str) -> Option<Ns>) -> Result<Bounds<Ns>, Error> {
    let all = Bounds::<Ns>::ALL;
    let (sign, time) =
        ["<=", ">=", "<", ">"].iter().find_map(|sign| Some((*sign, text.strip_prefix(sign)?))).unwrap_or((">=", text));
    let time = time.trim();
    let invalid = || Error::Duration { text: text.into() };
    // A bare number would mean milliseconds to some and microseconds to others.
    if time.bytes().all(|b| !b.is_ascii_alphabetic()) {
        return Err(invalid());
    }
    let time = duration(time).ok_or_else(invalid)?;
    Ok(match sign {
        "<" => Bounds { most: time.checked_sub(1).ok_or_else(invalid)?, ..all },
        "<=" => Bounds { most: time, ..all },
        ">" => Bounds { least: time.saturating_add(1), ..all },
        _ => Bounds { least: time, ..all },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole milliseconds.
    fn milliseconds(text: &str) -> Option<Ns> {
        Some(text.strip_suffix("ms")?.parse::<Ns>().ok()? * 1_000_000)
    }

    #[test]
    fn ranges() {
        let parse = |text| parse_durations(text, milliseconds);
        for (text, least, most) in [
            ("10ms", 10_000_000, Ns::MAX),
            (">=10ms", 10_000_000, Ns::MAX),
            (">10ms", 10_000_001, Ns::MAX),
            ("> 10ms", 10_000_001, Ns::MAX),
            ("<10ms", 0, 9_999_999),
            ("<=10ms", 0, 10_000_000),
        ] {
            assert_eq!(parse(text).unwrap(), Bounds { least, most }, "{text}");
        }
        for text in ["", "10", ">", "ms", "<0ms", "=10ms", "-1ms", "10 seconds"] {
            let explanation = parse(text).unwrap_err().to_string();
            assert!(explanation.starts_with(&format!("invalid duration '{text}'; ")), "{explanation}");
        }
    }
}
