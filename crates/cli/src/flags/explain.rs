//! `--explain`: the reasoning behind a finding.

use super::stop::Stop;
use std::fmt::Write as _;
use stride_advise::{find_rule, rules};

pub fn explain(id: &str) -> Stop {
    if id == "list" {
        let mut text = String::new();
        let width = rules().iter().map(|rule| rule.id.len()).max().unwrap_or(0);
        for rule in rules() {
            let _ = writeln!(text, "{:width$}  {}", rule.id, rule.title);
        }
        return Stop::Explain(text);
    }
    match find_rule(id) {
        Some(rule) => Stop::Explain(format!("{} [{}]\n\n{}\n", rule.title, rule.id, rule.explanation)),
        None => Stop::fail(format!("no finding has the id '{id}': --explain=list lists all")),
    }
}
