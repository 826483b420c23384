//! Findings in Markdown, for a summary or a comment.

use super::text;
use crate::report::markdown::{code, plain};
use std::fmt::Write;
use stride_advise::Findings;
use stride_event::quantity::count;

pub fn report(findings: &Findings, lost: u64) -> String {
    let mut out = String::new();
    if findings.reported.is_empty() {
        let _ = writeln!(out, "{}", text::nothing(findings.calls));
    }
    for (i, finding) in findings.reported.iter().enumerate() {
        let blank = if i > 0 { "\n" } else { "" };
        let (title, id, sentence) = (plain(finding.title), code(finding.id), plain(&finding.sentence));
        let _ = write!(out, "{blank}{}. **{title}** {id}: {sentence}\n\n", i + 1);
        let mut field = |name: &str, text: String| _ = writeln!(out, "   - **{name}**: {text}");
        if let Some(saves) = text::saves(finding) {
            field("saves", plain(&saves));
        }
        if let Some(callers) = text::callers(&finding.callers) {
            field("from", code(&callers));
        }
        if let Some(next) = text::callers(&finding.next) {
            field("then", code(&next));
        }
        field("do", plain(&finding.advice));
        field("sure", plain(finding.confidence.word()));
    }
    out.push_str(&text::unfollowed(findings));
    if lost > 0 {
        let lost = count(lost, "call was lost", "calls were lost");
        let _ = write!(out, "\n{lost}: the figures of the others may be too small.\n");
    }
    out
}
