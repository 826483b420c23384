//! Completions for shells, from the table.
//!
//! A template per shell (`template.*`) has the parts that are the same for every option. The parts that follow from the
//! table replace the template's line `@TABLE@`.

use super::flag::{Arg, Flag, Value, Word};
use super::table;

pub mod bash;
pub mod fish;
pub mod zsh;

/// The options that completions offer.
fn offered() -> impl Iterator<Item = &'static Flag> {
    table::all()
}

fn takes_argument(flag: &Flag) -> bool {
    matches!(flag.arg, Arg::Required(_))
}

/// All spellings of the long options that take their argument from the next word.
fn long_with_argument() -> impl Iterator<Item = &'static str> {
    offered().filter(|flag| takes_argument(flag)).flat_map(Flag::longs)
}

/// The short options that take an argument.
fn short_with_argument() -> String {
    offered().filter(|flag| takes_argument(flag)).filter_map(|flag| flag.short).collect()
}

fn filled(template: &str, table: &str) -> String {
    assert!(template.contains("@TABLE@\n"), "a template has a place for the table");
    template.replace("@TABLE@\n", table)
}

/// Quotes text in single quotes, for bash and zsh.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The meaning of a word. It comes with the word, or from a list item in the option's documentation. An item may cover
/// several words with the same meaning: `* pgroup: or pgrp, as -DD`.
fn description(flag: &Flag, word: Word) -> &'static str {
    if !word.description.is_empty() {
        return word.description;
    }
    let items = flag.doc.lines().filter_map(|line| line.strip_prefix("* ")?.split_once(": "));
    for (terms, meaning) in items {
        let others = meaning.strip_prefix('(').unwrap_or(meaning).strip_prefix("or ").unwrap_or("");
        let others_end = others.find(") ").map(|at| (at, 2)).or_else(|| others.find(", ").map(|at| (at, 2)));
        let (others, rest) = match others_end {
            Some((at, skip)) => (&others[..at], &others[at + skip..]),
            None => ("", meaning),
        };
        if terms.split(", ").chain(others.split(", ")).any(|term| term == word.name) {
            let end = rest.find([';', ',']).or_else(|| rest.find(" (")).unwrap_or(rest.len());
            return &rest[..end];
        }
    }
    ""
}

/// The words that a value may be, each with its meaning, in the form in which a shell takes candidates.
fn words(flag: Option<&Flag>, value: Value, described: fn(&str, &str) -> String) -> String {
    let description = |word| flag.map_or("", |flag| description(flag, word));
    value.words().into_iter().map(|word| described(word.name, description(word))).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::parser::{Outcome, parse_words};

    #[test]
    fn every_offered_option_is_in_every_script() {
        let scripts = [bash::script(), zsh::script(), fish::script()];
        for script in &scripts {
            for long in offered().filter_map(|flag| flag.long) {
                assert!(script.contains(long), "--{long}");
            }
            assert!(!script.contains("@TABLE@"));
        }
    }

    #[test]
    fn every_word_that_is_offered_is_taken() {
        let mut count = 0;
        for flag in offered().filter(|flag| (flag.missing)().is_none()) {
            let Some(name) = flag.long.map(|l| format!("--{l}=")).or(flag.short.map(|s| format!("-{s}"))) else {
                continue;
            };
            for word in flag.value.words() {
                let option = format!("{name}{}", word.name);
                let refused = |words: &[&str]| matches!(parse_words(words).outcome, Outcome::Fail);
                // Options for columns need a summary, and forms of reports a report.
                let refused =
                    refused(&["-c", &option, "x"]) && refused(&["--advise", &option, "x"]) && refused(&[&option, "x"]);
                assert!(!refused, "{option} is offered, and refused");
                count += 1;
            }
        }
        assert!(count > 500, "{count}");
    }

    #[test]
    fn words_are_explained() {
        let flag = |name: &str| table::all().find(|flag| flag.long == Some(name)).unwrap();
        for (option, word, meaning) in [
            ("engine", "auto", "ebpf if it works here and supports all the options given"),
            ("summary-columns", "total-time", "time of all calls"),
            ("summary-columns", "time", "share of the total time"),
            ("daemonize", "pgrp", "as -DD"),
            ("trace", "%net", "sockets"),
            ("trace", "openat", ""),
            ("interruptible", "never", "never"),
        ] {
            assert_eq!(description(flag(option), Word::from(word)), meaning, "{option} {word}");
        }
        let explained = flag("explain").value.words();
        assert!(explained.iter().all(|word| !description(flag("explain"), *word).is_empty()));
    }

    #[test]
    fn an_argument_with_a_name_of_its_kind_is_of_that_kind() {
        for flag in offered() {
            let named = |name: &str| flag.arg.name() == Some(name);
            let free = matches!(flag.value, Value::Free);
            assert!(
                !free || !["FILE", "PATH", "PID", "SET", "KEYS", "ID"].into_iter().any(named),
                "{:?}",
                flag.sort_key()
            );
        }
    }
}
