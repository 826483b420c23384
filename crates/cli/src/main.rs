//! `stride`: traces system calls without breaking the program's stride.

mod doctor;
mod flags;
mod rotated_names;
mod sweep;
mod views;

use anyhow::Result;
use flags::{Outcome, Parsed, parse};
use std::ffi::OsString;
use stride_session::{Before, CommandNotFound, Ended, EventSource, Files, Options, Session, complain};
use views::Wanted;

fn main() {
    stride_engine_base::survive_file_limit();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let Parsed { messages, outcome, tip } = parse(std::env::args_os(), no_color);
    for message in &messages {
        eprintln!("{message}");
    }
    let status = match outcome {
        Outcome::Print(text) => print(&text),
        Outcome::Doctor => doctor::run(no_color),
        Outcome::List(program, list) => match stride_session::list_library(&list) {
            Ok(text) => print(&text),
            Err(error) => {
                complain(&program, &error.to_string());
                1
            }
        },
        Outcome::Fail => 1,
        Outcome::Trace(options) if sweep::is_asked(&options) => sweep::run(&options).unwrap_or_else(|error| {
            complain(&options.program, &format!("{error:#}"));
            1
        }),
        Outcome::Trace(options) if views::explains_denials(&options) => views::explain_denials(&options)
            .unwrap_or_else(|error| {
                complain(&options.program, &format!("{error:#}"));
                1
            }),
        Outcome::Trace(options) => {
            let program = options.program.clone();
            let ended = trace(*options);
            if let Some(tip) = tip {
                eprint!("{}", flags::tip_text(tip));
            }
            status(&program, ended)
        }
    };
    std::process::exit(status);
}

fn print(text: &str) -> i32 {
    use std::io::Write;
    // A reader that closes the pipe early (`stride -h | head`) is no error.
    let _ = std::io::stdout().write_all(text.as_bytes());
    0
}

/// Traces, or shows a recording.
fn trace(mut options: Options) -> Result<Ended> {
    let source = EventSource::open(&mut options)?;
    rotated_names::check(&options)?;
    let files = Files::open(&views::named_files(&options))?;
    let before = Before { options: &options, replay: source.metadata(), parse: recorded_options };
    let plan = Wanted::of(&options).plan(&before)?;
    Session::start(options, source, files, plan)?.run()
}

/// The options in a recorder's command line, if this version knows all of them.
fn recorded_options(args: &[OsString]) -> Option<Options> {
    match parse(args.iter().cloned(), true).outcome {
        Outcome::Trace(options) => Some(*options),
        Outcome::Print(_) | Outcome::Doctor | Outcome::List(..) | Outcome::Fail => None,
    }
}

/// Stride's exit status.
fn status(program: &str, ended: Result<Ended>) -> i32 {
    match ended {
        Ok(Ended::Exited(status)) => status,
        Ok(Ended::Signaled(signal)) => die_of(signal),
        Err(error) => {
            let command = error.downcast_ref::<CommandNotFound>();
            let hint = command.map(|command| flags::help::suggested_option(&command.0.to_string_lossy()));
            complain(program, &format!("{error:#}{}", hint.unwrap_or_default()));
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
