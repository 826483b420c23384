//! `-h` and `--help`, and a hint for a word that is an option and no program.

use super::examples::EXAMPLES;
use super::flag::{Arg, Category, Flag, HelpEntry, HelpGroup};
use super::table;
use std::fmt::Write;

/// The cells of `-h`: two in a line, each with an option and a few words.
const TITLE: usize = 7;
const NAME: usize = 15;
const CELL: usize = 36;

/// The most useful options, on one screen.
pub fn brief() -> String {
    let mut out = String::from("Usage: stride [OPTIONS] PROG [ARGS]   or: stride [OPTIONS] -p PID\n\n");
    for group in HelpGroup::ALL {
        let mut cells: Vec<(HelpEntry, String)> = table::all()
            .filter_map(|flag| Some((flag.brief.filter(|brief| brief.group == group)?, short_name(flag))))
            .collect();
        cells.sort_by_key(|(brief, _)| brief.place);
        for (row, cells) in cells.chunks(2).enumerate() {
            let title = if row == 0 { group.title() } else { "" };
            let cells: String = cells
                .iter()
                .map(|(HelpEntry { text, .. }, name)| format!("{:CELL$}", format!("{name:NAME$} {text}")))
                .collect();
            let _ = writeln!(out, "{}", format!("{title:TITLE$}{cells}").trim_end());
        }
    }
    out.push('\n');
    for example in EXAMPLES {
        if let Some(text) = example.brief {
            let command = example.command.split("; ").next().unwrap_or_default();
            let _ = writeln!(out, "  {command:<34} {text}");
        }
    }
    out.push_str("\nAll options: stride --help. Explanations, and what to do for what: man stride.\n");
    out
}

/// `-p PID`, `--comm=GLOB`, `-e trace=SET`. Arguments for which there is no room are dots.
fn short_name(flag: &Flag) -> String {
    let qualifier = flag.qualifiers.first().filter(|_| !flag.own);
    let (name, sign) = match (flag.short, qualifier, flag.long) {
        (Some(short), ..) => (format!("-{short}"), " "),
        (None, Some(qualifier), _) => (format!("-e {qualifier}"), "="),
        (None, None, long) => (format!("--{}", long.unwrap_or_default()), "="),
    };
    let Arg::Required(arg) = flag.arg else { return name };
    let whole = format!("{name}{sign}{arg}");
    if whole.len() <= NAME { whole } else { format!("{name}{sign}...") }
}

/// The end of the message that there is no program of this name: the option that is meant, if the word is the name of one, or the name that
/// another tracer has for such a thing.
pub fn suggested_option(program: &str) -> String {
    let word = program.split('=').next().unwrap_or_default().to_ascii_lowercase();
    let is_named = |flag: &&Flag| flag.longs().chain(flag.habits.iter().copied()).any(|known| known == word);
    match table::all().find(is_named) {
        Some(flag) => format!("; did you mean the option {} ({})?", names(flag).trim(), flag.help),
        None => String::new(),
    }
}

/// The column of the explanations. Longer names get a line of their own.
const INDENT: usize = 30;

pub fn usage() -> String {
    let mut out = String::from(
        "Usage: stride [OPTIONS] [-p PID]... PROG [ARGS]\n       stride [OPTIONS] -p PID...\n\n\
         Traces the system calls and signals of PROG, or of processes that run already.\n",
    );
    for category in Category::ALL {
        let _ = write!(out, "\n{}:\n", category.title());
        for flag in table::all().filter(|flag| flag.category == category) {
            let names = names(flag);
            if names.len() + 2 > INDENT {
                let _ = writeln!(out, "{names}\n{:INDENT$}{}", "", flag.help);
            } else {
                let _ = writeln!(out, "{names:INDENT$}{}", flag.help);
            }
        }
    }
    out.push_str("\nExamples, if you want to\n");
    for example in EXAMPLES {
        let _ = writeln!(out, "  {}:\n      {}", example.task, example.command);
    }
    out.push_str("\nThe manual stride(1) says more about each of them. -h has the most useful ones.\n");
    out
}

/// `  -o, --output=FILE`
fn names(flag: &Flag) -> String {
    let mut names = String::from("  ");
    match (flag.short, flag.long) {
        (Some(short), Some(_)) => {
            let _ = write!(names, "-{short}, ");
        }
        (Some(short), None) => {
            let _ = write!(names, "-{short}");
        }
        // Long names are aligned, whether or not there is a short one.
        (None, _) => names.push_str("    "),
    }
    if let Some(long) = flag.long {
        let _ = write!(names, "--{long}");
    }
    match (flag.arg, flag.long) {
        (Arg::None, _) => (),
        (Arg::Required(arg), Some(_)) => {
            let _ = write!(names, "={arg}");
        }
        (Arg::Required(arg), None) => {
            let _ = write!(names, " {arg}");
        }
        (Arg::Optional(arg), _) => {
            let _ = write!(names, "[={arg}]");
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_useful_options_fit_one_screen() {
        let text = brief();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() <= 24, "{}\n{text}", lines.len());
        for line in &lines {
            assert!(line.chars().count() < 80, "{line}");
        }
        assert!(lines.last().unwrap().contains("--help"));
        for flag in table::all() {
            let Some(HelpEntry { text, .. }) = flag.brief else { continue };
            let cell = lines.iter().find(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}"));
            assert!(cell.contains(&format!("{:NAME$} {text}", short_name(flag))), "{cell}");
            assert!(NAME + 1 + text.len() < CELL, "{text}");
        }
    }

    #[test]
    fn words_that_mean_options() {
        for (word, option) in [
            ("help", "-h, --help (print"),
            ("version", "-V, --version ("),
            ("attach", "-p, --attach=PID (trace"),
            ("record", "--record=FILE ("),
            ("top", "--top ("),
            ("trace", "--trace=SET ("),
            ("list", "--trace=SET ("),
            ("stat", "-c, --summary-only ("),
            ("Report", "--replay=FILE ("),
            ("comm=redis", "--comm=GLOB ("),
        ] {
            let message = suggested_option(word);
            assert!(message.starts_with(&format!("; did you mean the option {option}")), "{word}: {message}");
        }
        assert_eq!(suggested_option("mkae"), "");
        assert_eq!(suggested_option(""), "");
        // No word means two options.
        let mut words: Vec<&str> =
            table::all().flat_map(|flag| flag.longs().chain(flag.habits.iter().copied())).collect();
        words.sort_unstable();
        let twice: Vec<_> = words.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn every_option_is_in_it_and_lines_fit_a_terminal() {
        let usage = usage();
        for flag in table::all() {
            assert!(usage.contains(flag.help), "{}", flag.help);
            for name in flag.short.map(|c| format!("-{c}")).into_iter().chain(flag.long.map(|l| format!("--{l}"))) {
                assert!(usage.contains(&name), "{name}");
            }
        }
        for line in usage.lines() {
            assert!(line.len() <= 96, "{line}");
        }
    }
}
