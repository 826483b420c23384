//! `stride`: traces system calls without breaking the program's stride.

mod called_from;
mod cgroups;
mod circumstances;
mod command;
mod conditions;
mod debuginfod;
mod doctor;
mod engine;
mod facts;
mod files;
mod flags;
mod intervals;
mod judge;
mod known;
mod layout;
mod library;
mod losses;
mod nobody;
mod notices;
mod outputs;
mod people;
mod progress;
mod replay;
mod rotated_names;
mod rotation;
mod select;
mod session;
mod spec;
mod stacks;
mod views;
mod world;

use flags::{Outcome, parse};

fn main() {
    stride_engine_base::survive_file_limit();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let parsed = parse(std::env::args_os(), no_color);
    for message in &parsed.messages {
        eprintln!("{message}");
    }
    let status = match parsed.outcome {
        Outcome::Print(text) => print(&text),
        Outcome::Doctor => doctor::run(no_color),
        Outcome::Fail => 1,
        Outcome::Trace(options) => trace(*options),
    };
    std::process::exit(status);
}

fn print(text: &str) -> i32 {
    use std::io::Write;
    // A reader that closes the pipe early (`stride -h | head`) is no error.
    let _ = std::io::stdout().write_all(text.as_bytes());
    0
}

fn trace(options: flags::Options) -> i32 {
    let (program, tip) = (options.program.clone(), options.tip);
    let ended = session::run(options);
    if let Some(tip) = tip {
        eprint!("{}", flags::tip_text(tip));
    }
    match ended {
        Ok(session::Ended::Exited(status)) => status,
        Ok(session::Ended::Signaled(signal)) => die_of(signal),
        Err(error) => {
            outputs::complain(&program, &format!("{error:#}"));
            1
        }
    }
}

/// Ends by the same signal as the tracee, so that Stride's parent sees the same status as the tracee's parent would.
fn die_of(signal: i32) -> i32 {
    use nix::sys::resource::{Resource, setrlimit};
    // The tracee's core file, if any, was written when the tracee ended. Stride itself must write none.
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    stride_engine_base::die_of(signal);
    128 + signal
}
