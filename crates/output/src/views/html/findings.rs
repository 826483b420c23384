//! The findings of `--advise`.

use super::data;
use crate::spelling::legible::legible;
use crate::views::advise::text;
use stride_advise::{Evidence, FactTable, Finding, Findings};

const TEXT: usize = 1000;
const EVIDENCE: usize = 12;

pub fn data(findings: &Findings) -> Vec<data::FindingData> {
    // The rules' words contain names from the tracee.
    let words = |text: &str| legible(text.as_bytes(), TEXT);
    // The page has no numbered lines of text to refer to.
    let item = |evidence: &Evidence| words(&text::item(evidence, false));
    let finding = |it: &Finding| data::FindingData {
        id: it.id.to_owned(),
        title: it.title.to_owned(),
        text: words(&it.sentence),
        saves: words(&text::saving(&it.saving)),
        evidence: it.evidence.iter().take(EVIDENCE).map(item).collect(),
        callers: text::callers(&it.callers).map(|callers| words(&callers)).unwrap_or_default(),
        next: text::callers(&it.next).map(|next| words(&next)).unwrap_or_default(),
        table: it.table.iter().flat_map(table).collect(),
        advice: words(&it.advice),
        sure: it.confidence.word(),
    };
    findings.reported.iter().map(finding).collect()
}

/// The rules write the cells, and make them printable.
fn table(table: &FactTable) -> Vec<Vec<String>> {
    let legible = |cell: &str| legible(cell.as_bytes(), TEXT);
    let heads = table.heads.iter().map(|head| legible(head)).collect();
    let rows = table.rows.iter().map(|row| row.cells.iter().map(|cell| legible(cell)).collect());
    std::iter::once(heads).chain(rows).collect()
}
