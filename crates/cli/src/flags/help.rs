//! `-h`.

use super::examples::EXAMPLES;
use super::flag::{Arg, Category, Flag};
use super::table;
use std::fmt::Write;

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
    out.push_str("\nExamples:\n");
    for (command, meaning) in EXAMPLES {
        let _ = writeln!(out, "  {command}\n{:INDENT$}{meaning}", "");
    }
    out.push_str("\nThe manual stride(1) says more about each of them.\n");
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
