//! The totals of `truss -c`.

use super::truss::truss_name;
use std::fmt::Write as _;
use stride_event::Ns;

/// The times of a run, as far as they are known.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunTimes {
    /// The time that the program spent in itself.
    pub user: Option<Ns>,
    pub elapsed: Option<Ns>,
}

/// The counts of a call.
pub struct TotalsRow<'a> {
    pub name: &'a str,
    pub time: Ns,
    pub calls: u64,
    pub errors: u64,
}

/// The table: a row for each call, and the sums.
pub fn truss_totals(rows: &[TotalsRow<'_>], times: RunTimes) -> String {
    let mut out = String::from("syscall               seconds   calls  errors\n");
    let mut row = |name: &str, time: Ns, calls: u64, errors: u64| {
        let errors = if errors == 0 { String::new() } else { format!("{errors:>7}") };
        // Writing to memory does not fail.
        let _ = writeln!(out, "{name:<20} {:>8} {calls:>7} {errors}", seconds(time));
        let kept = out.trim_end().len();
        out.truncate(kept);
        out.push('\n');
    };
    for of in rows {
        row(truss_name(of.name), of.time, of.calls, of.errors);
    }
    let sum = |of: fn(&TotalsRow<'_>) -> u64| rows.iter().map(of).sum::<u64>();
    let (time, calls, errors) = (sum(|row| row.time), sum(|row| row.calls), sum(|row| row.errors));
    out.push_str("                     --------  ------   ----\n");
    let _ = writeln!(out, "{:<20} {:>8} {calls:>7} {errors:>7}", "sys totals:", seconds(time));
    for (title, time) in [("usr time:", times.user), ("elapsed:", times.elapsed)] {
        if let Some(time) = time {
            let _ = writeln!(out, "{title:<20} {:>8}", seconds(time));
        }
    }
    out
}

/// `.004`, `12.345`
fn seconds(time: Ns) -> String {
    let text = format!("{}.{:03}", time / 1_000_000_000, time / 1_000_000 % 1000);
    text.strip_prefix('0').map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals() {
        let rows = [
            TotalsRow { name: "read", time: 1_500_000, calls: 5, errors: 0 },
            TotalsRow { name: "openat", time: 12_002_000_000, calls: 12, errors: 3 },
        ];
        let text = truss_totals(&rows, RunTimes { user: Some(4_000_000), elapsed: None });
        assert_eq!(
            text,
            "syscall               seconds   calls  errors\n\
             read                     .001       5\n\
             openat                 12.002      12       3\n\
             \x20                    --------  ------   ----\n\
             sys totals:            12.003      17       3\n\
             usr time:                .004\n"
        );
    }
}
