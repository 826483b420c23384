//! `--verify` and `--try`: run the traced command and one after a change in turn, without tracing, and compare their times.

use anyhow::{Result, bail};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use stride_advise::Trial;
use stride_engine_base::signal;
use stride_event::Ns;
use stride_output::{ReportFormat, Try, Verified, Verify, signal_text};
use stride_session::Options;

pub const OPTION: &str = "verify";
pub const TRY: &str = "try";

/// Each command runs so often. The median of three is one that neither the first nor an unlucky run decides.
const ROUNDS: usize = 3;

/// So often it is asked whether a run is over. Its time is known no better.
const LOOK: Duration = Duration::from_micros(500);

/// Refuses what cannot be run again, or whose report has no place for the times.
pub fn check(option: &str, options: &Options) -> Result<()> {
    let cannot = |why: &str| bail!("--{option} {why}");
    match &options.command {
        _ if options.replay.is_some() => return cannot("needs a command to run, and a recording has none"),
        None => {
            return cannot("needs a command to run. Give the command whose calls are to be traced behind the options");
        }
        Some(command) if command.user.is_some() => {
            return cannot("runs commands as you, so it does not go together with -u");
        }
        Some(_) => {}
    }
    match options.report_format() {
        ReportFormat::Text | ReportFormat::Markdown => Ok(()),
        _ => cannot(
            "adds to the report for people, so it does not go together with --json and other formats for programs",
        ),
    }
}

/// The function that runs both commands when the report is made. `after` is for the shell.
pub fn verify(options: &Options, after: OsString) -> Option<Verify> {
    let traced = options.command.clone()?;
    Some(Box::new(move || {
        let mut changed = Command::new("/bin/sh");
        changed.arg("-c").arg(after);
        compared(&mut started_as(&traced, &[]), &mut changed, "the command of --verify")
    }))
}

/// The function that runs the command as it is, and with a change that needs no other program.
pub fn attempt(options: &Options) -> Option<Try> {
    let traced = options.command.clone()?;
    Some(Box::new(move |trial| {
        let mut changed = match trial {
            Trial::Environment(variables) => {
                let mut command = started_as(&traced, &[]);
                command.envs(variables.iter().copied());
                command
            }
            Trial::Buffered => started_as(&traced, &Trial::BUFFERED),
        };
        compared(&mut started_as(&traced, &[]), &mut changed, &format!("the command with {trial}"))
    }))
}

/// The traced command, behind a program that starts it with these arguments, if there is one.
fn started_as(traced: &stride_session::options::Command, by: &[&str]) -> Command {
    let mut command = match by.split_first() {
        Some((starter, arguments)) => {
            let mut command = Command::new(starter);
            command.args(arguments).arg(&traced.program);
            command
        }
        None => {
            let mut command = Command::new(&traced.program);
            if let Some(name) = traced.argv.first() {
                command.arg0(name);
            }
            command
        }
    };
    command.env_clear().envs(traced.environment(std::env::vars_os())).args(traced.argv.iter().skip(1));
    command
}

/// The medians of both commands' times.
fn compared(before: &mut Command, changed: &mut Command, name: &str) -> Result<Verified, String> {
    // The traced run was interrupted.
    if let Some(signal) = signal::caught() {
        return Err(interrupted(signal));
    }
    // The report is still to be written when the user has had enough.
    let mut saved = Vec::new();
    signal::catch(&[Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM], &mut saved);
    let times = in_turn(before, changed, name);
    signal::restore_signals(&mut saved);
    let [before, after] = times?.map(median);
    Ok(Verified { before, after, rounds: ROUNDS })
}

/// The times of both commands.
fn in_turn(before: &mut Command, changed: &mut Command, name: &str) -> Result<[Vec<Ns>; 2], String> {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        let (time, status) = run(before, "the traced command")?;
        let (changed_time, changed_status) = run(changed, name)?;
        if status != changed_status {
            return Err(format!(
                "{name} {}, and the traced one {} when it ran again without tracing",
                ending(changed_status),
                ending(status)
            ));
        }
        times[0].push(time);
        times[1].push(changed_time);
    }
    Ok(times)
}

/// The time of one run, whose output nobody sees. If Stride is told to end, the run ends, too.
fn run(command: &mut Command, name: &str) -> Result<(Ns, ExitStatus), String> {
    let cannot = |error| format!("{name} cannot be run: {}", stride_session::os_error(&error));
    // ^C reaches Stride alone, which ends the run with all that it has started.
    command.process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    let mut child = command.spawn().map_err(cannot)?;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(cannot)? {
            break status;
        }
        if let Some(signal) = signal::caught() {
            // (The child was not waited for, so the number is its own.)
            let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
            child.wait().map_err(cannot)?;
            return Err(interrupted(signal));
        }
        std::thread::sleep(LOOK);
    };
    let time = Ns::try_from(began.elapsed().as_nanos()).unwrap_or(Ns::MAX);
    match status.signal() {
        Some(_) => Err(format!("{name} {}", ending(status))),
        None => Ok((time, status)),
    }
}

fn interrupted(signal: i32) -> String {
    format!("Stride was told to end, by {}", signal_text(signal))
}

fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with status {code}"),
        (_, Some(signal)) => format!("was ended by signal {signal}"),
        _ => "did not end".into(),
    }
}

fn median(mut times: Vec<Ns>) -> Ns {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or(0)
}
