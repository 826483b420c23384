//! Arguments that are numbers, times or one of a few words.

use super::time_format::Precision;
use std::time::Duration;

/// A decimal number from 0 to `max`. Blanks and a `+` before it are accepted, as by strtol(3).
pub fn integer(text: &str, max: u64) -> Option<u64> {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_whitespace());
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok().filter(|n| *n <= max)
}

/// Process ids, separated by commas or blanks as `pidof` and `pgrep` print them. The error is the invalid member.
pub fn pids(text: &str) -> Result<Vec<i32>, &str> {
    text.split([',', ' ', '\t', '\n'])
        .filter(|pid| !pid.is_empty())
        .map(|pid| match integer(pid, i32::MAX as u64) {
            Some(n) if n > 0 => Ok(n as i32),
            _ => Err(pid),
        })
        .collect()
}

/// `NUMBER[K|M|G]` or `NUMBER[KiB|MiB|GiB]`, in bytes.
pub fn size(text: &str) -> Option<u64> {
    let text = text.strip_suffix("iB").filter(|rest| rest.ends_with(['K', 'M', 'G'])).unwrap_or(text);
    let (number, shift) = match text.as_bytes().last()?.to_ascii_uppercase() {
        b'K' => (&text[..text.len() - 1], 10),
        b'M' => (&text[..text.len() - 1], 20),
        b'G' => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    integer(number, u64::MAX >> shift).map(|n| n << shift)
}

pub fn precision(text: &str) -> Option<Precision> {
    const WORDS: [(&str, Precision); 4] =
        [("s", Precision::Seconds), ("ms", Precision::Millis), ("us", Precision::Micros), ("ns", Precision::Nanos)];
    word(text, &WORDS)
}

/// `NUMBER[s|ms|us|ns]`, microseconds by default. A larger value than a `Duration` holds becomes `Duration::MAX`.
pub fn duration(text: &str) -> Option<Duration> {
    let text = text.trim_start_matches(|c: char| c.is_ascii_whitespace());
    let (number, seconds) = [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)]
        .iter()
        .find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, *seconds)))
        .unwrap_or((text, 1e-6));
    // `parse` also accepts words (inf, nan), which are no durations.
    if number.bytes().any(|b| b.is_ascii_alphabetic() && b != b'e' && b != b'E') {
        return None;
    }
    let number: f64 = number.parse().ok().filter(|n| *n >= 0.0)?;
    Some(Duration::try_from_secs_f64(number * seconds).unwrap_or(Duration::MAX))
}

/// `NUMBER(h|m|s|ms|us|ns)`. The unit is needed.
pub fn time(text: &str) -> Option<Duration> {
    if text.ends_with(|c: char| !c.is_ascii_alphabetic()) {
        return None;
    }
    let larger =
        [("h", 3600), ("m", 60)].into_iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)));
    match larger {
        Some((number, seconds)) => Some(duration(&format!("{number}s"))?.saturating_mul(seconds)),
        None => duration(text),
    }
}

/// Looks `text` up without regard to case.
pub fn word<T: Copy>(text: &str, words: &[(&str, T)]) -> Option<T> {
    words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, value)| *value)
}

/// Looks `text` up with regard to case.
pub fn exact_word<T: Copy>(text: &str, words: &[(&str, T)]) -> Option<T> {
    words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        assert_eq!(integer(" +3", 10), Some(3));
        for text in ["", "-1", "3x", "0x3", "3 ", "11", "99999999999999999999"] {
            assert_eq!(integer(text, 10), None, "{text:?}");
        }
    }

    #[test]
    fn sizes() {
        for (text, bytes) in
            [("0", 0), ("4096", 4096), ("64K", 65536), ("8m", 8 << 20), ("1G", 1 << 30), ("64MiB", 64 << 20)]
        {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        for text in ["", "K", "1.5M", "-1K", "64KB", "64iB", "18014398509481984K", "1T", "é"] {
            assert_eq!(size(text), None, "{text}");
        }
    }

    #[test]
    fn lists_of_pids() {
        assert_eq!(pids("1, ,2\n3"), Ok(vec![1, 2, 3]));
        assert_eq!(pids(", "), Ok(vec![]));
        for (text, culprit) in [("0", "0"), ("1,a", "a"), ("-42", "-42"), ("7.", "7."), ("2147483648", "2147483648")] {
            assert_eq!(pids(text), Err(culprit));
        }
    }

    #[test]
    fn times_with_units() {
        assert_eq!(time("1.5h"), Some(Duration::from_secs(5400)));
        assert_eq!(time("2m"), Some(Duration::from_secs(120)));
        assert_eq!(time("30s"), Some(Duration::from_secs(30)));
        assert_eq!(time("5ms"), Some(Duration::from_millis(5)));
        for text in ["", "10", "m", "1d", "-1s", "1 m"] {
            assert_eq!(time(text), None, "{text:?}");
        }
    }

    #[test]
    fn durations() {
        assert_eq!(duration("1.5"), Some(Duration::from_nanos(1500)));
        assert_eq!(duration("1e3us"), Some(Duration::from_millis(1)));
        assert_eq!(duration(" 2ms"), Some(Duration::from_millis(2)));
        assert_eq!(duration("1e30"), Some(Duration::MAX));
        assert_eq!(duration("0"), Some(Duration::ZERO));
        for text in ["", "foo", "-5", "inf", "nan", "1m", "1x", "1 s", "0x10", "s"] {
            assert_eq!(duration(text), None, "{text:?}");
        }
    }
}
