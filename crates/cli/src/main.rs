//! The `stride` command.

mod flags;

use flags::{Outcome, Parsed};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Parsed { messages, outcome } = flags::parse(std::env::args_os(), std::env::var_os("NO_COLOR").is_some());
    for line in messages {
        eprintln!("{line}");
    }
    match outcome {
        Outcome::Print(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Outcome::Fail => ExitCode::FAILURE,
        Outcome::Trace(_) => {
            eprintln!("stride: tracing is not wired up yet");
            ExitCode::FAILURE
        }
    }
}
