//! The totals of truss -c, from the summary.

use super::Summary;
use super::part::KeyPart;
use crate::form::{RunTimes, TotalsRow, truss_totals};

impl Summary {
    /// The table, in the order of the calls' numbers.
    pub(super) fn truss(&self, times: RunTimes) -> String {
        let mut rows = self.sorted(None);
        rows.sort_by_key(|row| match *row.key {
            [KeyPart::Call(_, nr)] => nr,
            _ => u64::MAX,
        });
        let names: Vec<String> = rows.iter().map(|row| row.labels.join(" ")).collect();
        let totals = rows.iter().zip(&names).map(|(row, name)| TotalsRow {
            name,
            time: self.time(row.tally).total,
            calls: row.tally.calls,
            errors: row.tally.errors,
        });
        truss_totals(&totals.collect::<Vec<_>>(), times)
    }
}
