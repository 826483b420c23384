//! The process between the server and each child of it: `stride-mcp --keeper SERVER all|one PROGRAM ARGUMENTS`.
//!
//! A command that is traced may make processes, which leave its process group, ignore signals, or lose their parents. The keeper adopts those that lose
//! their parents, so all of them are below it in the tree of processes, and it can end them. The keeper is told to by SIGTERM. The kernel sends that, too, if the
//! server is gone, however that happened.
//!
//! - `all`: the command and all that came of it are ended, by SIGTERM, and by SIGKILL a second later. Stride itself is left alone meanwhile, because it ends when there is
//!   nothing to trace, and has then written its recording to the end.
//! - `one`: only the child is told to end. It may be a Stride that is attached to processes of others, which run on.

use nix::sys::prctl::{set_child_subreaper, set_pdeathsig};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpid, getppid};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};

/// The first word of a keeper's command line.
pub const WORD: &str = "--keeper";
/// The exit status if the child could not be started.
pub const NOT_STARTED: i32 = 125;

/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(1);
/// Stride has this long to write the rest of its recording when the command is gone, or to let go of processes.
const STRIDE_ENDS: Duration = Duration::from_secs(10);
/// A process of another user cannot be ended. The keeper gives up on it.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(10);

/// Does a keeper's work, if that is asked for, and returns the exit status.
pub fn asked_for(mut args: impl Iterator<Item = OsString>) -> Option<i32> {
    if args.next()? != WORD {
        return None;
    }
    let server = args.next().and_then(|pid| pid.to_str()?.parse().ok()).map(Pid::from_raw);
    let all = args.next().is_some_and(|extent| extent == "all");
    let (Some(server), Some(program)) = (server, args.next()) else {
        eprintln!("stride-mcp: {WORD} is for stride-mcp itself: see stride-mcp --help");
        return Some(2);
    };
    Some(match keep(server, all, &program, args) {
        Ok(status) => status,
        Err(error) => {
            eprintln!("stride-mcp: {}: {error}", program.to_string_lossy());
            NOT_STARTED
        }
    })
}

fn keep(server: Pid, all: bool, program: &OsString, args: impl Iterator<Item = OsString>) -> std::io::Result<i32> {
    // (Handlers do not pass to the child, as blocked signals would.)
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let _inside = runtime.enter();
    let (mut terminate, mut ended) = (signal(SignalKind::terminate())?, signal(SignalKind::child())?);
    set_pdeathsig(Signal::SIGTERM)?;
    if getppid() != server {
        return Ok(NOT_STARTED);
    }
    if all {
        set_child_subreaper(true)?;
    }
    let mut command = Command::new(program);
    // Messages begin with `stride:` then, wherever the program lies. (Other programs look for their files by that name.)
    if Path::new(program).file_name().is_some_and(|name| name == "stride") {
        command.arg0("stride");
    }
    // A command that signals its process group does not mean the keeper.
    command.process_group(0);
    let child = Pid::from_raw(command.args(args).spawn()?.id() as i32);
    let mut kept = Kept { child, status: None };
    runtime.block_on(async {
        while kept.status.is_none() {
            tokio::select! {
                _ = terminate.recv() => if all { kept.end_all() } else { kept.end_one() },
                _ = ended.recv() => kept.reap(),
            }
        }
    });
    // Stride waits for all processes that it traces. If it failed, some may be left.
    if all && !kept.others().is_empty() {
        kept.end_all();
    }
    Ok(kept.status.unwrap_or(NOT_STARTED))
}

struct Kept {
    child: Pid,
    /// The exit status of the child, when it has ended.
    status: Option<i32>,
}

impl Kept {
    fn reap(&mut self) {
        loop {
            let (pid, status) = match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, status)) => (pid, status),
                Ok(WaitStatus::Signaled(pid, signal, _)) => (pid, 128 + signal as i32),
                Ok(WaitStatus::StillAlive) | Err(_) => return,
                Ok(_) => continue,
            };
            if pid == self.child {
                self.status = Some(status);
            }
        }
    }

    /// All processes below this one that run, but for the child.
    fn others(&self) -> Vec<Pid> {
        below(getpid()).into_iter().filter(|pid| *pid != self.child).collect()
    }

    fn end_all(&mut self) {
        let start = Instant::now();
        let mut told = Vec::new();
        let mut alone_since = None;
        while start.elapsed() < PATIENCE {
            self.reap();
            let others = self.others();
            if others.is_empty() && self.status.is_some() {
                return;
            }
            for pid in &others {
                if start.elapsed() >= GRACE {
                    let _ = kill(*pid, Signal::SIGKILL);
                } else if !told.contains(pid) {
                    told.push(*pid);
                    let _ = kill(*pid, Signal::SIGTERM);
                    // A process that is stopped sees the signal when it goes on.
                    let _ = kill(*pid, Signal::SIGCONT);
                }
            }
            if others.is_empty() {
                let since = *alone_since.get_or_insert_with(Instant::now);
                if since.elapsed() >= STRIDE_ENDS {
                    let _ = kill(self.child, Signal::SIGKILL);
                }
            }
            std::thread::sleep(PAUSE);
        }
        if self.status.is_none() {
            let _ = kill(self.child, Signal::SIGKILL);
            self.status = Some(128 + Signal::SIGKILL as i32);
        }
    }

    fn end_one(&mut self) {
        let _ = kill(self.child, Signal::SIGTERM);
        let start = Instant::now();
        while self.status.is_none() {
            self.reap();
            if start.elapsed() >= STRIDE_ENDS {
                let _ = kill(self.child, Signal::SIGKILL);
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// The processes below this one in the tree, but for those that have ended.
fn below(top: Pid) -> Vec<Pid> {
    let all = std::fs::read_dir("/proc").into_iter().flatten();
    let mut rest: Vec<(i32, i32)> =
        all.filter_map(|entry| parent_of(entry.ok()?.file_name().to_str()?.parse().ok()?)).collect();
    let mut found = vec![top.as_raw()];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        rest.retain(|(pid, of)| {
            if *of == parent {
                found.push(*pid);
            }
            *of != parent
        });
        at += 1;
    }
    found.into_iter().skip(1).filter(|pid| runs(*pid)).map(Pid::from_raw).collect()
}

/// A process and its parent.
fn parent_of(pid: i32) -> Option<(i32, i32)> {
    Some((pid, stat(pid)?.1))
}

fn runs(pid: i32) -> bool {
    stat(pid).is_some_and(|(state, _)| !matches!(state, 'Z' | 'X'))
}

/// The state and the parent of a process.
fn stat(pid: i32) -> Option<(char, i32)> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name before may have parentheses of its own.
    let mut words = stat.rsplit_once(") ")?.1.split(' ');
    Some((words.next()?.chars().next()?, words.next()?.parse().ok()?))
}
