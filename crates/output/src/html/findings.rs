//! What `--advise` has found.

use super::data;
use super::legible::legible;
use crate::advise::text;
use stride_advise::Finding;

const TEXT: usize = 1000;
const EVIDENCE: usize = 12;

pub fn data(findings: &[Finding]) -> Vec<data::Finding> {
    // Rules put names from the tracee into their words.
    let words = |text: &str| legible(text.as_bytes(), TEXT);
    let finding = |it: &Finding| data::Finding {
        id: it.id.to_owned(),
        title: it.title.to_owned(),
        text: words(&it.sentence),
        saves: words(&text::saving(&it.saving)),
        evidence: it.evidence.iter().take(EVIDENCE).map(|evidence| words(&text::item(evidence))).collect(),
        advice: words(&it.advice),
        sure: it.confidence.word(),
    };
    findings.iter().map(finding).collect()
}
