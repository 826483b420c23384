//! `--doctor`: what this machine allows, which engine Stride would choose and why, and how to get the better one.

mod facts;
mod report;

use std::io::{IsTerminal, Write, stdout};

/// Prints the report. The exit status says whether any engine works.
pub fn run(no_color: bool) -> i32 {
    let facts = facts::Facts::gather();
    let color = !no_color && stdout().is_terminal() && std::env::var_os("TERM").is_some_and(|term| term != "dumb");
    // A reader that closes the pipe early is no error.
    let _ = stdout().write_all(report::report(&facts, color).as_bytes());
    i32::from(!facts.any_engine())
}
