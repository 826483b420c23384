//! Quantities and names, to be read by people.

use stride_event::Ns;
use stride_output::grouped;
pub use stride_output::shown;

pub fn time(ns: Ns) -> String {
    let ns = ns as f64;
    match ns {
        ..1e3 => format!("{ns} ns"),
        ..1e6 => format!("{} us", three(ns / 1e3)),
        ..1e9 => format!("{} ms", three(ns / 1e6)),
        _ => format!("{} s", three(ns / 1e9)),
    }
}

pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{} {}", three(value), UNITS[unit])
}

/// Three digits that count.
pub fn three(value: f64) -> String {
    match value {
        ..9.995 => format!("{value:.2}"),
        ..99.95 => format!("{value:.1}"),
        _ => grouped(value.round() as u64),
    }
}

/// With its sign; nothing if there is no change.
pub fn change(was: u64, now: u64, show: impl Fn(u64) -> String) -> String {
    match now.checked_sub(was) {
        Some(0) => String::new(),
        Some(more) => format!("+{}", show(more)),
        None => format!("-{}", show(was - now)),
    }
}

pub fn count(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities() {
        for (ns, text) in
            [(0, "0 ns"), (999, "999 ns"), (1_234, "1.23 us"), (45_600_000, "45.6 ms"), (3_600_000_000_000, "3,600 s")]
        {
            assert_eq!(time(ns), text);
        }
        for (n, text) in
            [(0, "0 B"), (1023, "1023 B"), (4096, "4.00 KiB"), (1_048_576, "1.00 MiB"), (u64::MAX, "16,384 PiB")]
        {
            assert_eq!(bytes(n), text);
        }
        assert_eq!(change(5, 1205, grouped), "+1,200");
        assert_eq!(change(5, 3, grouped), "-2");
        assert_eq!(change(5, 5, grouped), "");
    }

    #[test]
    fn nothing_drives_the_terminal() {
        assert_eq!(shown(b"/a\x1b[2J\n\"\xff<"), r#"/a\33[2J\n\"\377\74"#);
        assert_eq!(shown("TCP :6379 ← clients → ü\u{202e}".as_bytes()), r"TCP :6379 ← clients → \303\274\342\200\256");
    }
}
