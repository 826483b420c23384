//! Quantities as text. Every view and every message writes its numbers with these functions, so that they
//! look alike everywhere. (strace's own formats, such as the seconds of `-T` and the columns of `-c`, are not here.)
//!
//! Measured and derived quantities have three significant digits. Counts are exact.
//!
//! The script of the HTML page mirrors these functions (`quantity.js`); tests hold both against one table.

use crate::Ns;

/// A count, in groups of three digits: `1,204`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count of something: `1 call`, `1,204 calls`.
pub fn count(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

/// Three significant digits, for columns: `5.00`, `45.2`, `1,205`. Below 1 there are two: `0.40`, `0.0042`.
pub fn three(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        ..0.0995 => {
            let zeros = (-value.log10()).ceil().clamp(1.0, 12.0) as usize;
            format!("{value:.*}", zeros + 1)
        }
        ..9.995 => format!("{value:.2}"),
        ..99.95 => format!("{value:.1}"),
        _ => grouped(value.round() as u64),
    }
}

/// A mean or a factor in a sentence: three significant digits without trailing zeros: `7.12`, `8`, `1,000`.
pub fn decimal(value: f64) -> String {
    let text = three(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// `7 ns`, `1.50 µs`, `45.2 ms`, `2.00 s`, `2 min 5 s`, `2 h 1 min`.
pub fn duration(ns: Ns) -> String {
    const UNITS: [(f64, &str); 3] = [(1e3, "µs"), (1e6, "ms"), (1e9, "s")];
    if ns < 1_000 {
        return format!("{ns} ns");
    }
    if ns >= 100_000_000_000 {
        let seconds = ns / 1_000_000_000;
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        return if hours > 0 {
            format!("{} h {minutes} min", grouped(hours))
        } else {
            format!("{minutes} min {seconds} s")
        };
    }
    // A value that would be rounded up to 1,000 gets the next unit.
    let fits = |(unit, name): &(f64, &str)| *name == "s" || ns as f64 / unit < 999.5;
    let (unit, name) = UNITS.into_iter().find(fits).unwrap_or(UNITS[2]);
    format!("{} {name}", three(ns as f64 / unit))
}

/// `832 B`, `6.33 KiB`, `114 KiB`, `1.00 MiB`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{} {}", three(value), UNITS[unit])
}

/// A share: `28%`, `7.3%`. A part that exists is never shown as 0%, and only the whole as 100%.
pub fn percent(part: u64, all: u64) -> String {
    let percent = part as f64 * 100.0 / all.max(1) as f64;
    match percent {
        _ if part == 0 => "0%".into(),
        99.5.. if part < all => ">99%".into(),
        9.95.. => format!("{percent:.0}%"),
        0.05.. => format!("{percent:.1}%"),
        _ => "<0.1%".into(),
    }
}

/// How a count has changed, for columns: `16.2x`, `0.40x`, and below a tenth as a fraction: `1/25`. Neither count is
/// 0.
pub fn ratio(was: u64, now: u64) -> String {
    let ratio = now as f64 / was as f64;
    match ratio {
        ..0.1 => format!("1/{}", grouped((1.0 / ratio).round() as u64)),
        // With two decimals, it would look like no change.
        0.995..1.005 if was != now => format!("{ratio:.3}x"),
        _ => format!("{}x", three(ratio)),
    }
}

/// A difference with its sign. Empty if there is none.
pub fn change(was: u64, now: u64, show: impl Fn(u64) -> String) -> String {
    match now.checked_sub(was) {
        Some(0) => String::new(),
        Some(more) => format!("+{}", show(more)),
        None => format!("-{}", show(was - now)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The script of the HTML page is held against the same table, by a browser.
    #[test]
    fn as_the_page_has_them() {
        for row in include_str!("quantity.tsv").lines() {
            let [function, given, text] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
            let given: Vec<u64> = given.split(' ').map(|n| n.parse().unwrap()).collect();
            let made = match (function, &given[..]) {
                ("grouped", [n]) => grouped(*n),
                ("duration", [ns]) => duration(*ns),
                ("bytes", [n]) => bytes(*n),
                ("percent", [part, all]) => percent(*part, *all),
                _ => panic!("{row}"),
            };
            assert_eq!(made, text, "{row}");
        }
    }

    #[test]
    fn counts() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (12_345, "12,345"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(n), text);
        }
        assert_eq!(count(1, "call", "calls"), "1 call");
        assert_eq!(count(0, "call", "calls"), "0 calls");
        assert_eq!(count(1204, "call", "calls"), "1,204 calls");
    }

    #[test]
    fn durations() {
        for (ns, text) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (1_234, "1.23 µs"),
            (999_499, "999 µs"),
            (999_500, "1.00 ms"),
            (45_260_000, "45.3 ms"),
            (999_999_999, "1.00 s"),
            (61_000_000_000, "61.0 s"),
            (99_999_999_999, "100 s"),
            (125_000_000_000, "2 min 5 s"),
            (7_260_000_000_000, "2 h 1 min"),
            (u64::MAX, "5,124,095 h 34 min"),
        ] {
            assert_eq!(duration(ns), text);
        }
    }

    #[test]
    fn sizes() {
        for (n, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (4096, "4.00 KiB"),
            (1_048_000, "1,023 KiB"),
            (1_048_575, "1.00 MiB"),
            (1_048_576, "1.00 MiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(bytes(n), text);
        }
    }

    #[test]
    fn means_and_factors() {
        for (value, text) in [
            (0.0, "0"),
            (0.004_21, "0.0042"),
            (0.01, "0.01"),
            (0.5, "0.5"),
            (1.0, "1"),
            (7.123, "7.12"),
            (9.999, "10"),
            (10.0, "10"),
            (99.96, "100"),
            (1000.0, "1,000"),
        ] {
            assert_eq!(decimal(value), text);
        }
    }

    #[test]
    fn shares() {
        for (part, all, text) in [
            (0, 0, "0%"),
            (0, 10, "0%"),
            (1, 100_000, "<0.1%"),
            (73, 1000, "7.3%"),
            (996, 10_000, "10%"),
            (28, 100, "28%"),
            (999, 1000, ">99%"),
            (u64::MAX, u64::MAX, "100%"),
        ] {
            assert_eq!(percent(part, all), text);
        }
    }

    #[test]
    fn ratios_are_never_nothing() {
        for (was, now, text) in [
            (10, 14, "1.40x"),
            (100, 40, "0.40x"),
            (1000, 100, "0.10x"),
            (1000, 4, "1/250"),
            (3_000_000, 1, "1/3,000,000"),
            (9, 4500, "500x"),
            (1000, 1001, "1.001x"),
            (1000, 999, "0.999x"),
        ] {
            assert_eq!(ratio(was, now), text);
        }
    }

    #[test]
    fn differences() {
        assert_eq!(change(5, 1205, grouped), "+1,200");
        assert_eq!(change(5, 3, grouped), "-2");
        assert_eq!(change(5, 5, grouped), "");
    }
}
