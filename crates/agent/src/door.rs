//! The way into a child: `stride-agent --door AGENT PROGRAM ARGUMENTS`. The process asks the kernel to end it when the agent is gone, however that
//! happens, and becomes the program. Stride lets go of all that it traces when it gets that signal.

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getppid};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

const WORD: &str = "--door";
/// The exit status if the program could not be started.
const NOT_STARTED: i32 = 125;

/// The command that runs a program behind a door.
pub fn to(program: &Path) -> tokio::process::Command {
    let mut command = tokio::process::Command::new("/proc/self/exe");
    command.arg(WORD).arg(std::process::id().to_string()).arg(program);
    command
}

/// Goes through the door, if that is asked for. Returns the exit status if that fails.
pub fn asked_for(mut args: impl Iterator<Item = OsString>) -> Option<i32> {
    if args.next()? != WORD {
        return None;
    }
    let agent = args.next().and_then(|pid| pid.to_str()?.parse().ok()).map(Pid::from_raw);
    let (Some(agent), Some(program)) = (agent, args.next()) else {
        eprintln!("stride-agent: {WORD} is for stride-agent itself: see stride-agent --help");
        return Some(2);
    };
    if let Err(errno) = set_pdeathsig(Signal::SIGTERM) {
        eprintln!("stride-agent: the kernel does not say when the agent ends: {}", errno.desc());
        return Some(NOT_STARTED);
    }
    if getppid() != agent {
        return Some(NOT_STARTED);
    }
    // Messages begin with `stride:`, wherever the program lies.
    let error = Command::new(&program).arg0("stride").args(args).exec();
    eprintln!("stride-agent: {}: {error}", program.to_string_lossy());
    Some(NOT_STARTED)
}
