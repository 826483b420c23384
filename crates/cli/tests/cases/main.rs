//! Judges `--advise` by the programs in `tests/cases/`. They have faults from known stories about bugs, and were
//! written before the rules that should find them. Each says in its first lines what the first finding must name. With
//! the argument `corrected`, a program does the same job without the fault.
//!
//! The programs in `seen/` may be looked at while rules are changed; those in `unseen/` may not. Neither is a fixture:
//! a rule's own programs stand in `tests/advise/`.
//!
//! `cargo test -p stride-cli --test cases [-- seen/ ...]` prints a table, of the cases
//! whose names begin so. The test fails if fewer cases than the limits
//! below are named. A case whose compiler or interpreter is missing is reported and not counted.

#[path = "../common/mod.rs"]
mod common;

mod case;
mod run;
mod verdict;

use case::Case;
use std::process::ExitCode;
use verdict::Verdict;

/// The least share of the cases, in percent, whose first finding names fault and cause.
const NAMED_FIRST: usize = 80;
/// The least share of the cases, in percent, of which something useful is said.
const USEFUL: usize = 85;

fn main() -> ExitCode {
    // libtest's options, such as --nocapture, come from `cargo test -- ...` for all tests.
    let filters: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let cases: Vec<Case> = ["seen", "unseen"].into_iter().flat_map(Case::all).collect();
    let chosen =
        cases.iter().filter(|case| filters.is_empty() || filters.iter().any(|f| case.name.starts_with(f.as_str())));
    let mut verdicts = Vec::new();
    println!("{}", Verdict::HEADING);
    for case in chosen {
        match run::run_case(case) {
            Ok(verdict) => {
                println!("{verdict}");
                verdicts.push(verdict);
            }
            Err(why) => common::skipped::report_of(&format!("cases::{}", case.name), why),
        }
    }
    let share = |holds: fn(&Verdict) -> bool| {
        verdicts.iter().filter(|verdict| holds(verdict)).count() * 100 / verdicts.len().max(1)
    };
    let (first, useful) = (share(|v| v.first), share(|v| v.useful));
    println!("{} cases: {first}% named first, {useful}% useful", verdicts.len());
    // A few chosen cases are no measure of the whole.
    if filters.is_empty() && !verdicts.is_empty() && (first < NAMED_FIRST || useful < USEFUL) {
        println!("failed: at least {NAMED_FIRST}% must be named first, and {USEFUL}% be useful");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
