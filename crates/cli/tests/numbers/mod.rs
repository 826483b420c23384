//! The numbers that the sentences of findings show are in their JSON as numbers.

use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeSet;
use stride_event::quantity::{bytes, decimal, duration, grouped};

/// Fails at a sentence with a number that the finding does not have as a number.
pub fn all_told(json: &str) -> Result<(), Failed> {
    for line in json.lines() {
        let finding: Value = serde_json::from_str(line)?;
        if finding["type"] == "time_spent" {
            continue;
        }
        let sentence = finding["sentence"].as_str().ok_or("no sentence")?;
        let message = texts(&finding);
        if let Some(missing) = shown(sentence).into_iter().find(|number| !message.contains(number)) {
            return Err(format!("the JSON does not have {missing:?}:\n{line}").into());
        }
    }
    Ok(())
}

/// Words of the sentence that are numbers, with the unit behind them, if it is one of time or size. Names are none,
/// though they may have digits.
fn shown(sentence: &str) -> Vec<String> {
    const UNITS: [&str; 9] = ["ns", "µs", "ms", "s", "B", "KiB", "MiB", "GiB", "min"];
    let words: Vec<&str> = sentence.split(' ').map(|word| word.trim_matches(|c: char| "().,;:".contains(c))).collect();
    let is_number = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit()) && word.chars().all(|c| c.is_ascii_digit() || ",.".contains(c))
    };
    // `signal 9` and `offset 0` are names.
    let of_a_name = |i: usize| i > 0 && ["signal", "offset"].contains(&words[i - 1]);
    let numbers = words.iter().enumerate().filter(|(i, word)| is_number(word) && !of_a_name(*i));
    let with_unit = numbers.map(|(i, word)| match words.get(i + 1).filter(|unit| UNITS.contains(unit)) {
        Some(unit) => format!("{word} {unit}"),
        None => (*word).to_owned(),
    });
    with_unit.collect()
}

/// All ways to write the numbers of a finding.
fn texts(value: &Value) -> BTreeSet<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => members.values().flat_map(texts).collect(),
        Value::Number(number) => match number.as_u64() {
            Some(n) => [grouped(n), n.to_string(), duration(n), bytes(n)].into(),
            None => number.as_f64().map(decimal).into_iter().collect(),
        },
        _ => BTreeSet::new(),
    }
}

/// Missing numbers are found.
pub fn missing() -> Result<(), Failed> {
    let finding = |sentence: &str, numbers: &str| format!(r#"{{"sentence":"{sentence}","numbers":{numbers}}}"#);
    let sentence = "/a/7 was read 1,204 times, 4.5 bytes each, in 1.50 ms (pid 7).";
    let numbers = r#"{"times":1204,"mean_bytes":4.5,"waited_ns":1500000,"pid":7}"#;
    all_told(&finding(sentence, numbers))?;
    for left_out in [r#""times":1204,"#, r#""mean_bytes":4.5,"#, r#""waited_ns":1500000,"#, r#","pid":7"#] {
        if all_told(&finding(sentence, &numbers.replace(left_out, ""))).is_ok() {
            return Err(format!("without {left_out}").into());
        }
    }
    Ok(())
}
