//! Findings as JSON: an object per line.

use crate::json::Json;
use stride_advise::{Evidence, Finding};

pub fn lines(findings: &[Finding], out: &mut Vec<u8>) {
    let mut json = Json::new(out);
    for finding in findings {
        json.line("finding", |j| {
            j.key("id").str(finding.id);
            j.key("title").str(finding.title);
            j.key("sentence").str(&finding.sentence);
            j.key("saves").object(|j| {
                j.key("calls").int(finding.saving.calls);
                j.key("of_calls").int(finding.saving.of);
                j.key("time_ns").int(finding.saving.time);
                j.key("how").str(&finding.saving.how);
            });
            j.key("evidence").array(|j| finding.evidence.iter().for_each(|e| evidence(e, j)));
            if let Some(table) = &finding.table {
                j.key("table").array(|j| {
                    for row in &table.rows {
                        j.object(|j| {
                            table.heads.iter().zip(row).for_each(|(head, cell)| j.key(head).str(cell));
                        });
                    }
                });
            }
            j.key("advice").str(&finding.advice);
            j.key("confidence").str(finding.confidence.word());
        });
    }
}

fn evidence(evidence: &Evidence, json: &mut Json<'_>) {
    json.object(|j| {
        j.key("kind").str(evidence.kind.word());
        j.name("name", &evidence.name);
        j.key("calls").int(evidence.calls);
        for (key, value) in [("bytes", evidence.bytes), ("time_ns", evidence.time), ("line", evidence.line)] {
            if let Some(value) = value {
                j.key(key).int(value);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_advise::{Confidence, EvidenceKind, FactTable, Saving};

    #[test]
    fn a_finding_is_an_object() {
        let finding = Finding {
            id: "hang",
            title: "waiting",
            sentence: "\"It\" waits.".into(),
            evidence: vec![Evidence { line: Some(3), ..Evidence::new(EvidenceKind::Path, b"/\xff".to_vec(), 2) }],
            table: Some(FactTable { heads: vec!["thread", "on"], rows: vec![vec!["1 cat".into(), "fd 0".into()]] }),
            advice: "Wait.".into(),
            confidence: Confidence::Possible,
            saving: Saving { calls: 1, of: 2, time: 3, how: "guess".into() },
            minor: false,
        };
        let mut out = Vec::new();
        lines(&[finding], &mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{\"type\":\"finding\",\"id\":\"hang\",\"title\":\"waiting\",\"sentence\":\"\\\"It\\\" waits.\",\
             \"saves\":{\"calls\":1,\"of_calls\":2,\"time_ns\":3,\"how\":\"guess\"},\
             \"evidence\":[{\"kind\":\"path\",\"name\":\"/\u{fffd}\",\"name_hex\":\"2fff\",\"calls\":2,\"line\":3}],\
             \"table\":[{\"thread\":\"1 cat\",\"on\":\"fd 0\"}],\"advice\":\"Wait.\",\"confidence\":\"possible\"}\n"
        );
    }
}
