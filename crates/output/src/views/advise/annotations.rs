//! Findings as notes beside lines of source.

use super::place::place;
use super::text;
use crate::report::annotation::{FileLine, Severity, annotation};
use stride_advise::Findings;

pub fn lines(findings: &Findings, home: Option<&str>) -> String {
    if findings.reported.is_empty() {
        return annotation(Severity::Notice, None, "System calls", &text::nothing(findings.calls));
    }
    let lines = findings.reported.iter().map(|finding| {
        let source = place(finding, home);
        let place = source.as_ref().map(|source| FileLine { file: &source.file, line: source.line.into() });
        let mut message = finding.sentence.clone();
        if let Some(saves) = text::saves(finding) {
            message += &format!("\nA change would save {saves}.");
        }
        message += &format!("\n{}", finding.advice);
        annotation(Severity::Warning, place, finding.title, &message)
    });
    lines.collect()
}
