//! `stride`: traces system calls without breaking the program's stride.

mod command;
mod flags;
mod layout;
mod outputs;
mod select;
mod session;

use flags::{Outcome, parse};
use std::process::ExitCode;

fn main() -> ExitCode {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let parsed = parse(std::env::args_os(), no_color);
    todo!("{}", parsed.is_ok())
}
