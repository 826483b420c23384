//! `--advise-config`: thresholds in a TOML file, a table for each rule and one for the limits that rules share.

use crate::rule::RuleInfo;
use crate::rules::rules;
use crate::thresholds::shared::{SHARED, TABLE};
use crate::thresholds::threshold::{Measure, Threshold};
use std::collections::HashMap;
use std::fmt::Write as _;
use stride_filter::did_you_mean;
use toml::de::{DeTable, DeValue};

/// Reads a file's thresholds, or returns all mistakes in it, each with the file and the line.
pub fn parse(file: &str, text: &str) -> Result<HashMap<&'static str, f64>, Vec<String>> {
    let mut wrong: Vec<(usize, String)> = Vec::new();
    let mut chosen = HashMap::new();
    match DeTable::parse(text) {
        Err(error) => wrong.push((error.span().map_or(0, |span| span.start), error.message().to_owned())),
        Ok(table) => {
            for (id, settings) in table.get_ref() {
                let at = id.span().start;
                let id = id.get_ref().as_ref();
                let Some((id, thresholds)) = tables().find(|(table, _)| *table == id) else {
                    let hint = did_you_mean(id, tables().map(|(table, _)| table));
                    wrong.push((at, format!("there is no finding '{}'{hint}", id.escape_debug())));
                    continue;
                };
                let DeValue::Table(settings) = settings.get_ref() else {
                    wrong.push((at, format!("{id} is a table: write [{id}], and below it the thresholds")));
                    continue;
                };
                for (name, value) in settings {
                    match setting(id, thresholds, name.get_ref(), value.get_ref()) {
                        Ok((name, value)) => {
                            chosen.insert(name, value);
                        }
                        Err(what) => wrong.push((name.span().start, what)),
                    }
                }
            }
        }
    }
    if wrong.is_empty() {
        return Ok(chosen);
    }
    wrong.sort();
    let line = |at: usize| text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1;
    Err(wrong.into_iter().map(|(at, what)| format!("{file}:{}: {what}", line(at))).collect())
}

/// The tables of the file: the shared limits, and those of each rule.
fn tables() -> impl Iterator<Item = (&'static str, &'static [Threshold])> {
    [(TABLE, SHARED)].into_iter().chain(rules().iter().map(|rule| (rule.id, rule.thresholds)))
}

fn setting(
    id: &str,
    thresholds: &'static [Threshold],
    name: &str,
    value: &DeValue<'_>,
) -> Result<(&'static str, f64), String> {
    let Some(threshold) = thresholds.iter().find(|threshold| threshold.name == name) else {
        let hint = did_you_mean(name, thresholds.iter().map(|threshold| threshold.name));
        return Err(format!("{id} has no threshold '{}'{hint}", name.escape_debug()));
    };
    let number = match value {
        DeValue::Integer(number) => number.to_string().parse().ok(),
        DeValue::Float(number) => number.to_string().parse().ok(),
        DeValue::String(text) if threshold.unit == Measure::Time => time(text),
        _ => None,
    };
    let whole = |number: &f64| number.fract() == 0.0 && *number >= 1.0;
    let (expected, number) = match (threshold.unit, value) {
        (Measure::Count | Measure::Bytes, _) => ("a whole number from 1 on", number.filter(whole)),
        (Measure::Time, DeValue::String(_)) => (TIME, number),
        (Measure::Time, _) => (TIME, None),
        (Measure::Part, _) => ("a number from 0 on", number),
    };
    let number = number.filter(|number: &f64| number.is_finite() && (0.0..=LARGEST).contains(number));
    number.map(|number| (threshold.name, number)).ok_or_else(|| format!("{name} must be {expected}"))
}

const TIME: &str = "a time in quotes, such as \"100ms\", \"2s\" or \"50us\"";
/// Up to here, each whole number has a value of its own.
const LARGEST: f64 = (1_u64 << 53) as f64;
const UNITS: [(&str, f64); 4] = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];

fn time(text: &str) -> Option<f64> {
    let (unit, factor) = UNITS.into_iter().find(|(unit, _)| text.ends_with(unit))?;
    let number: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
    Some(number * factor)
}

/// A file with all thresholds and their defaults.
pub fn defaults() -> String {
    let mut text = "# The thresholds of stride --advise, with their defaults. Copy what you want to change to a file of your own, and\n\
                    # give it with --advise-config=FILE. stride --explain=ID says what a finding means.\n"
        .to_owned();
    for (name, thresholds) in tables().filter(|(_, thresholds)| !thresholds.is_empty()) {
        text.push('\n');
        if name == TABLE {
            text += "# These hold for all findings, and those from few-calls on for several.\n";
        }
        table(name, thresholds, &mut text);
    }
    text
}

/// The table of one rule, with the defaults.
pub fn of_rule(rule: &RuleInfo, text: &mut String) {
    table(rule.id, rule.thresholds, text);
}

fn table(name: &str, thresholds: &[Threshold], text: &mut String) {
    let _ = writeln!(text, "[{name}]");
    for threshold in thresholds {
        let _ = writeln!(text, "# {}", threshold.means);
        let _ = writeln!(text, "{} = {}", threshold.name, written(threshold));
    }
}

fn written(threshold: &Threshold) -> String {
    if threshold.unit != Measure::Time {
        return threshold.default.to_string();
    }
    let largest = UNITS.into_iter().rev().find(|(_, factor)| threshold.default % factor == 0.0);
    let (unit, factor) = largest.unwrap_or(UNITS[0]);
    format!("\"{}{unit}\"", threshold.default / factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_what_is_written() {
        let chosen = parse("f", &defaults()).unwrap();
        let all: Vec<&Threshold> = tables().flat_map(|(_, thresholds)| thresholds).collect();
        assert_eq!(chosen.len(), all.len(), "each name stands once");
        for threshold in all {
            assert_eq!(chosen[threshold.name], threshold.default, "{}", threshold.name);
        }
    }

    #[test]
    fn values_have_units() {
        let chosen = parse("f", "[short-children]\nshort-child = \"0.5 s\"\nshort-children = 7").unwrap();
        assert_eq!((chosen["short-child"], chosen["short-children"]), (5e8, 7.0));
    }

    #[test]
    fn mistakes_are_told_with_their_lines() {
        for (text, mistake) in [
            ("[short-childs]", "f:1: there is no finding 'short-childs'; did you mean 'short-children'?"),
            ("[findings]\nfew = 5", "f:2: findings has no threshold 'few'"),
            (
                "[findings]\nmin-time = 5",
                "f:2: min-time must be a time in quotes, such as \"100ms\", \"2s\" or \"50us\"",
            ),
            ("\nhang = 5", "f:2: hang is a table: write [hang], and below it the thresholds"),
            ("[hang]\nhangs = 5", "f:2: hang has no threshold 'hangs'; did you mean 'hang'?"),
            ("[hang]\n\nhang = 5", "f:3: hang must be a time in quotes, such as \"100ms\", \"2s\" or \"50us\""),
            ("[hang]\nhang = \"5 weeks\"", "f:2: hang must be a time in quotes, such as \"100ms\", \"2s\" or \"50us\""),
            ("[zombies]\nzombies = 0", "f:2: zombies must be a whole number from 1 on"),
            ("[zombies]\nzombies = 1.5", "f:2: zombies must be a whole number from 1 on"),
            ("[fd-leak]\nleaked-part = -1", "f:2: leaked-part must be a number from 0 on"),
            ("[fd-leak]\nleaked-part = nan", "f:2: leaked-part must be a number from 0 on"),
        ] {
            assert_eq!(parse("f", text).unwrap_err(), [mistake], "{text}");
        }
        assert!(parse("f", "[hang").unwrap_err()[0].starts_with("f:1: "));
    }
}
