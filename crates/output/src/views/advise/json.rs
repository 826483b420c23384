//! Findings as JSON: an object per line.

use crate::views::json::Json;
use stride_advise::{Amount, Callers, Evidence, Figure, Finding};

pub fn lines(findings: &[Finding], out: &mut Vec<u8>) {
    let mut json = Json::new(out);
    for finding in findings {
        json.line("finding", |j| {
            j.key("id").str(finding.id);
            j.key("title").str(finding.title);
            j.key("sentence").str(&finding.sentence);
            j.key("numbers").object(|j| figures(&finding.figures, j));
            j.key("saves").object(|j| {
                j.key("calls").int(finding.saving.calls);
                j.key("of_calls").int(finding.saving.of);
                j.key("time_ns").int(finding.saving.time);
                j.key("up_to_ns").int(finding.saving.up_to);
                j.key("work_ns").int(finding.saving.work);
                j.key("how").str(&finding.saving.how);
            });
            j.key("evidence").array(|j| finding.evidence.iter().for_each(|e| evidence(e, j)));
            callers(&finding.callers, j);
            if !finding.next.shares.is_empty() {
                j.key("then").array(|j| shares(&finding.next, j));
            }
            if let Some(table) = &finding.table {
                j.key("table").array(|j| {
                    for row in &table.rows {
                        j.object(|j| {
                            table.heads.iter().zip(&row.cells).for_each(|(head, cell)| j.key(head).str(cell));
                            figures(&row.figures, j);
                        });
                    }
                });
            }
            j.key("advice").str(&finding.advice);
            j.key("confidence").str(finding.confidence.word());
            j.key("minor").bool(finding.minor);
        });
    }
}

/// The numbers that a sentence tells, by their names. A sentence has each quantity once.
fn figures(figures: &[Figure], json: &mut Json<'_>) {
    for (i, figure) in figures.iter().enumerate() {
        let name = figure.quantity.name;
        let again = figures[..i].iter().any(|before| before.quantity.name == name);
        debug_assert!(!again, "{name} stands twice");
        match figure.amount {
            _ if again => {}
            Amount::Whole(n) => json.key(name).int(n),
            Amount::Mean(mean) => json.key(name).fraction(mean),
        }
    }
}

/// The functions that make the calls, if stacks are known, and how many of the calls had their stacks taken.
fn callers(callers: &Callers, json: &mut Json<'_>) {
    if callers.shares.is_empty() {
        return;
    }
    json.key("callers").array(|j| shares(callers, j));
    json.key("sampled").object(|j| {
        j.key("calls").int(callers.sampled);
        j.key("of_calls").int(callers.of);
    });
}

fn shares(callers: &Callers, json: &mut Json<'_>) {
    for (caller, share) in callers.shares.iter().take(MOST_CALLERS) {
        json.object(|j| {
            j.caller(caller);
            // Four digits: shares are often estimates.
            j.key("share").fraction((share * 10_000.0).round() / 10_000.0);
        });
    }
}

/// No finding needs more.
const MOST_CALLERS: usize = 20;

fn evidence(evidence: &Evidence, json: &mut Json<'_>) {
    json.object(|j| {
        j.key("kind").str(evidence.kind.word());
        j.name("name", &evidence.name);
        j.key("calls").int(evidence.calls);
        if let Some(pid) = evidence.pid {
            j.key("pid").int(pid);
        }
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
    use std::sync::Arc;
    use stride_advise::{Confidence, EvidenceKind, FactRow, FactTable, QUANTITIES, Saving};
    use stride_event::{CallingFunction, CodeFile, SourceLine};

    #[test]
    fn a_finding_is_an_object() {
        let module = Some(Arc::new(CodeFile { path: b"/bin/p"[..].into(), build_id: Box::default() }));
        let source = Some(SourceLine { file: "p.c".into(), line: 7 });
        let caller = CallingFunction { module, function: Some("load".into()), source, offset: None, package: None };
        let nameless = CallingFunction { function: None, source: None, offset: Some(16), ..caller.clone() };
        let figure = |name: &str, amount| Figure {
            quantity: QUANTITIES.iter().find(|quantity| quantity.name == name).unwrap(),
            amount,
        };
        let row =
            FactRow { cells: vec!["1 cat".into(), "fd 0".into()], figures: vec![figure("tid", Amount::Whole(1))] };
        let finding = Finding {
            id: "hang",
            title: "waiting",
            sentence: "\"It\" waits.".into(),
            figures: vec![figure("calls", Amount::Whole(3)), figure("mean_bytes", Amount::Mean(0.5))],
            evidence: vec![Evidence {
                line: Some(3),
                pid: Some(7),
                ..Evidence::new(EvidenceKind::Path, b"/\xff".to_vec(), 2)
            }],
            calls: Vec::new(),
            callers: Callers { shares: vec![(caller, 0.98764), (nameless, 0.01236)], sampled: 4, of: 9 },
            next: Callers::default(),
            table: Some(FactTable { heads: vec!["thread", "on"], rows: vec![row] }),
            advice: "Wait.".into(),
            confidence: Confidence::Possible,
            saving: Saving { calls: 1, of: 2, time: 3, up_to: 5, work: 4, how: "guess".into() },
            trial: None,
            minor: false,
        };
        let mut out = Vec::new();
        lines(&[finding], &mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{\"type\":\"finding\",\"id\":\"hang\",\"title\":\"waiting\",\"sentence\":\"\\\"It\\\" waits.\",\"numbers\":{\"calls\":3,\"mean_bytes\":0.5},\
             \"saves\":{\"calls\":1,\"of_calls\":2,\"time_ns\":3,\"up_to_ns\":5,\"work_ns\":4,\"how\":\"guess\"},\
             \"evidence\":[{\"kind\":\"path\",\"name\":\"/\u{fffd}\",\"name_hex\":\"2fff\",\"calls\":2,\"pid\":7,\"line\":3}],\
             \"callers\":[{\"module\":\"/bin/p\",\"function\":\"load\",\"file\":\"p.c\",\"line\":7,\"share\":0.9876},\
             {\"module\":\"/bin/p\",\"offset\":\"0x10\",\"share\":0.0124}],\"sampled\":{\"calls\":4,\"of_calls\":9},\
             \"table\":[{\"thread\":\"1 cat\",\"on\":\"fd 0\",\"tid\":1}],\"advice\":\"Wait.\",\"confidence\":\"possible\",\"minor\":false}\n"
        );
    }
}
