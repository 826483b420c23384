//! `--explain`: the reasoning behind a finding.

use super::flag::Word;
use super::stop::Stop;
use std::fmt::Write as _;
use stride_advise::{find_rule, rules};
use stride_filter::did_you_mean;

/// The words that `--explain` accepts.
pub fn ids() -> Vec<Word> {
    let rules = rules().iter().map(|rule| Word { name: rule.id, about: rule.title });
    rules.chain([Word { name: LIST, about: "all ids" }]).collect()
}

const LIST: &str = "list";

pub fn explain(id: &str) -> Stop {
    if id == LIST {
        let mut text = String::new();
        let width = rules().iter().map(|rule| rule.id.len()).max().unwrap_or(0);
        for rule in rules() {
            let _ = writeln!(text, "{:width$}  {}", rule.id, rule.title);
        }
        return Stop::Explain(text);
    }
    match find_rule(id) {
        Some(rule) => {
            let mut text = format!("{} [{}]\n\n{}\n", rule.title, rule.id, rule.explanation);
            if !rule.thresholds.is_empty() {
                let _ = writeln!(text, "\nThresholds, which --advise-config=FILE can change:");
                stride_advise::config::of_rule(rule, &mut text);
            }
            Stop::Explain(text)
        }
        None => {
            let hint = did_you_mean(id, ids().into_iter().map(|word| word.name));
            Stop::fail(format!("invalid --explain argument: '{id}'{hint}\n--explain=list prints all ids."))
        }
    }
}
