//! `--explain`: the reasoning behind a finding, or what Stride knows of a system call.

use super::flag::Word;
use super::stop::Stop;
use std::fmt::Write as _;
use stride_advise::{find_rule, rules};
use stride_filter::did_you_mean;
use stride_output::reference;

/// The words that `--explain` accepts.
pub fn ids() -> Vec<Word> {
    let rules = rules().iter().map(|rule| Word { name: rule.id, description: rule.title });
    rules.chain([Word { name: LIST, description: "all ids" }]).collect()
}

const LIST: &str = "list";

/// All that can be explained: rules by their ids, system calls by their names.
fn known() -> impl Iterator<Item = &'static str> {
    ids().into_iter().map(|word| word.name).chain(reference::names())
}

pub fn explain(id: &str) -> Stop {
    if id == LIST {
        let mut text = String::new();
        let width = rules().iter().map(|rule| rule.id.len()).max().unwrap_or(0);
        for rule in rules() {
            let _ = writeln!(text, "{:width$}  {}", rule.id, rule.title);
        }
        return Stop::Explain(text);
    }
    if let Some(rule) = find_rule(id) {
        let mut text = format!("{} [{}]\n\n{}\n", rule.title, rule.id, rule.explanation);
        if !rule.thresholds.is_empty() {
            let _ = writeln!(text, "\nThresholds, which --advise-config=FILE can change:");
            stride_advise::config::of_rule(rule, &mut text);
        }
        return Stop::Explain(text);
    }
    if let Some(text) = reference::explain(id) {
        return Stop::Explain(text);
    }
    let hint = did_you_mean(id, known());
    Stop::fail(format!(
        "invalid --explain argument: '{id}'{hint}\n\
         The argument is the id of a finding (--explain=list prints all) or the name of a system call."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(id: &str) -> String {
        match explain(id) {
            Stop::Explain(text) => text,
            other => panic!("{id}: {other:?}"),
        }
    }

    #[test]
    fn rules_and_calls_are_told_apart() {
        for id in ids() {
            assert!(!reference::names().any(|name| name == id.name), "{} is a rule and a system call", id.name);
        }
        assert!(explained("stat-storm").contains("[stat-storm]"));
        assert!(explained("openat").contains("openat(dirfd, pathname, flags, mode)"));
    }

    #[test]
    fn a_misspelt_call_is_found() {
        let Stop::Fail { message, .. } = explain("opennat") else { panic!("a mistake is accepted") };
        assert!(message.contains("did you mean 'openat'?"), "{message}");
    }
}
