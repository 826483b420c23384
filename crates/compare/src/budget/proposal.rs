//! A budget made from a run: the run's figures plus a fifth.

use crate::budget::limit::Limit;
use crate::diff::noise;
use crate::tally::Tally;
use std::fmt::Write;
use stride_event::quantity::{count, grouped};
use stride_output::End;

/// The first line of a budget file that Stride may replace.
pub const MARK: &str =
    "# Written by `stride --budget-write`, which replaces this file as long as this line stands here.";

pub fn text(tally: &Tally, end: &End<'_>) -> String {
    let total = tally.total();
    let mut out = format!("{MARK}\n");
    let calls = count(total.calls, "call", "calls");
    let _ = writeln!(
        out,
        "# The figures of one run plus a fifth: {calls} of {}.",
        count(tally.processes(), "process", "processes")
    );
    if end.lost.calls > 0 || !tally.is_whole() {
        let _ = writeln!(out, "# Some of its calls were lost: write this file again from a run that loses none.");
    }
    out.push_str("limits = [\n");
    let mut limit = |metric: &str, n: u64| {
        let text = format!("{metric} <= {}", spaced(headroom(n)));
        // A syscall that has only a number cannot be limited.
        if n > 0 && Limit::parse(&text).is_ok() {
            let _ = writeln!(out, "    \"{text}\",");
        }
    };
    limit("total", total.calls);
    limit("errors.total", total.errors);
    limit("processes", tally.processes());
    let mut calls: Vec<_> = tally.calls().collect();
    calls.sort_by(|a, b| a.name.cmp(&b.name));
    let (wavering, steady): (Vec<_>, Vec<_>) = calls.into_iter().partition(|call| noise::wavers(&call.name));
    for call in steady {
        limit(&call.name, call.all.calls);
    }
    out.push_str("]\n");
    if !wavering.is_empty() {
        let names: Vec<&str> = wavering.iter().map(|call| &*call.name).collect();
        let _ = writeln!(
            out,
            "# Not limited, because their number depends on how fast other threads are: {}.",
            names.join(", ")
        );
    }
    out
}

/// Adds a fifth. From 100 on, the result is rounded up to two significant digits.
fn headroom(n: u64) -> u64 {
    let more = n.saturating_add(n.div_ceil(5));
    let unit = 10u64.pow(more.max(1).ilog10().saturating_sub(1));
    more.div_ceil(unit).saturating_mul(unit)
}

/// `35_000`.
fn spaced(n: u64) -> String {
    grouped(n).replace(',', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifth_more() {
        for (n, limit) in [(1, 2), (3, 4), (10, 12), (83, 100), (84, 110), (29_111, 35_000), (u64::MAX, u64::MAX)] {
            assert_eq!(headroom(n), limit, "{n}");
        }
        assert_eq!(spaced(35_000), "35_000");
    }
}
