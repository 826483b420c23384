//! Counts and durations, to be read by people.

use crate::Ns;

/// `1,204`.
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

/// `45 ms`
pub fn duration(ns: Ns) -> String {
    const UNITS: [(Ns, &str); 3] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")];
    let Some((unit, name)) = UNITS.into_iter().find(|(unit, _)| ns >= *unit) else { return format!("{ns} ns") };
    let value = ns as f64 / unit as f64;
    let digits = if value < 10.0 { 1 } else { 0 };
    format!("{value:.digits$} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (12_345, "12,345"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(n), text);
        }
    }

    #[test]
    fn durations() {
        let texts = [(7, "7 ns"), (1_500, "1.5 µs"), (45_200_000, "45 ms"), (2_000_000_000, "2.0 s")];
        texts.iter().for_each(|(ns, text)| assert_eq!(duration(*ns), *text));
    }
}
