//! Findings in the Static Analysis Results Interchange Format, version 2.1.0
//! (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>).
//!
//! A result must have a place in the source, because services that read the format show it there. Findings without one
//! are notifications of the run.

use super::place::place;
use super::text;
use serde_json::{Value, json};
use stride_advise::{Finding, Findings, find_rule};

pub fn log(findings: &Findings, home: Option<&str>, version: &str) -> String {
    let mut rules: Vec<&str> = Vec::new();
    let (mut results, mut elsewhere) = (Vec::new(), Vec::new());
    for finding in &findings.reported {
        let rule = rules.iter().position(|id| *id == finding.id).unwrap_or_else(|| {
            rules.push(finding.id);
            rules.len() - 1
        });
        match place(finding, home) {
            Some(source) => results.push(json!({
                "ruleId": finding.id,
                "ruleIndex": rule,
                "level": "warning",
                "message": { "text": message(finding) },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": uri(&source.file) },
                    "region": { "startLine": source.line.max(1) },
                } }],
                "properties": {
                    "confidence": finding.confidence.word(),
                    "savedCalls": finding.saving.calls,
                    "savedNanoseconds": finding.saving.time,
                    "savedNanosecondsAtMost": finding.saving.up_to,
                },
            })),
            None => elsewhere.push(json!({
                "descriptor": { "id": finding.id },
                "level": "note",
                "message": { "text": message(finding) },
            })),
        }
    }
    let rules: Vec<Value> = rules.into_iter().map(rule).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "Stride", "version": version, "rules": rules } },
            "invocations": [{ "executionSuccessful": true, "toolExecutionNotifications": elsewhere }],
            "results": results,
        }],
    });
    printable(&format!("{log:#}\n"))
}

/// JSON in which the control characters that JSON allows in strings (U+007F to U+009F) are escaped, too: a terminal
/// obeys them.
fn printable(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_control() && c != '\n' {
            out += &format!("\\u{:04x}", c as u32);
        } else {
            out.push(c);
        }
    }
    out
}

fn rule(id: &str) -> Value {
    match find_rule(id) {
        Some(rule) => json!({
            "id": id,
            "shortDescription": { "text": rule.title },
            "help": { "text": rule.explanation },
        }),
        None => json!({ "id": id }),
    }
}

fn message(finding: &Finding) -> String {
    let saves = text::saves(finding).map(|saves| format!(" A change would save {saves}.")).unwrap_or_default();
    format!("{}{saves} {}", finding.sentence, finding.advice)
}

/// A path as a reference: characters that have a meaning there, and all others than ASCII, are written as numbers.
fn uri(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/-._~+@,=".contains(&b);
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    let encoded = path.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") });
    scheme.to_owned() + &encoded.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        let text = printable(&json!({ "a": "\u{9b}31m\u{7f}\u{1b}\n€" }).to_string());
        assert_eq!(text, "{\"a\":\"\\u009b31m\\u007f\\u001b\\n€\"}");
    }
}
