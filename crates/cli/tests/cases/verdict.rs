//! The verdict on the advice that a case got.

use crate::case::{AnyOf, Case, Saves};
use serde_json::Value;
use std::fmt;
use std::time::Duration;

/// Something that can be compared before and after the correction.
#[derive(Clone, Copy, Default)]
pub struct Cost {
    pub calls: u64,
    pub time: Duration,
}

pub struct Verdict {
    name: String,
    /// The first finding names fault and cause.
    pub first: bool,
    /// Any finding names a part of the fault.
    pub useful: bool,
    /// The ids of the findings, in their order.
    ids: Vec<String>,
    /// The ids of the findings in the corrected run.
    corrected: Vec<String>,
    /// The predicted saving as a multiple of the real one.
    estimate: Option<f64>,
}

/// The words of a finding about the program, in lower case. Its advice and its id do not count: they are the same for
/// every program.
fn words(finding: &Value) -> String {
    let names = finding["evidence"].as_array().into_iter().flatten().map(|evidence| &evidence["name"]);
    let rows = finding["table"].as_array().into_iter().flatten().filter_map(Value::as_object);
    let cells = rows.flat_map(|row| row.values());
    let all = [&finding["title"], &finding["sentence"]].into_iter().chain(names).chain(cells);
    all.filter_map(Value::as_str).collect::<Vec<_>>().join("\n").to_lowercase()
}

fn has_one_of(text: &str, words: &AnyOf) -> bool {
    words.iter().any(|word| text.contains(word.as_str()))
}

fn ids(findings: &[Value]) -> Vec<String> {
    findings.iter().map(|finding| finding["id"].as_str().unwrap_or("?").to_owned()).collect()
}

impl Verdict {
    pub const HEADING: &'static str = "verdict  estimate  case: findings (findings in the corrected run)";

    pub fn of(case: &Case, findings: &[Value], corrected: &[Value], before: Cost, after: Cost) -> Verdict {
        let sum = |key: &str| findings.iter().filter_map(|f| f["saves"][key].as_u64()).sum::<u64>() as f64;
        let estimate = match case.saves {
            Saves::Nothing => None,
            Saves::Calls => Some(sum("calls") / before.calls.saturating_sub(after.calls).max(1) as f64),
            Saves::Time => Some(sum("time_ns") / before.time.saturating_sub(after.time).as_nanos().max(1) as f64),
        };
        Verdict {
            name: case.name.clone(),
            first: findings.first().is_some_and(|f| case.first.iter().all(|any| has_one_of(&words(f), any))),
            useful: findings.iter().any(|f| has_one_of(&words(f), &case.useful)),
            ids: ids(findings),
            corrected: ids(corrected),
            estimate,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match (self.first, self.useful) {
            (true, _) => "first",
            (false, true) => "useful",
            (false, false) => "missed",
        };
        let estimate = self.estimate.map_or_else(|| "-".to_owned(), |times| format!("{times:.2}x"));
        write!(f, "{word:8} {estimate:>8}  {}: {} ({})", self.name, self.ids.join(" "), self.corrected.join(" "))
    }
}
