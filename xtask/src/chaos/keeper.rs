//! The keeper is a process above the player, which plays the scenarios. However the player ends, the keeper kills the
//! processes that the scenarios started and removes their directory. If both are killed, the next run does so: each
//! process of a run has the run's directory in its environment.

use super::process;
use anyhow::{Context, Result};
use nix::fcntl::{Flock, FlockArg};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

/// The directory of the run. A process with this variable belongs to the run.
const DIR: &str = "STRIDE_CHAOS_DIR";
const PREFIX: &str = "stride-chaos-";
/// The keeper holds a lock on this file in the directory.
const LOCK: &str = "keeper";

/// The directory for the scenarios. Only the player has one.
pub fn directory() -> Option<PathBuf> {
    std::env::var_os(DIR).map(PathBuf::from)
}

/// Makes sure that the player does not outlive the keeper.
pub fn begin_player() -> Result<()> {
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
    Ok(SigSet::empty().thread_set_mask()?)
}

/// Runs this program again as the player, and cleans up behind it.
pub fn keep() -> Result<ExitStatus> {
    clear_leftovers(&std::env::temp_dir());
    let dir = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700))?;
    let lock = fs::File::create(dir.path().join(LOCK))?;
    let _lock = Flock::lock(lock, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| errno)?;
    // Orphans become children of this process.
    nix::sys::prctl::set_child_subreaper(true).context("can't become the parent of orphans")?;
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGCHLD] {
        signals.add(signal);
    }
    signals.thread_block()?;
    // Shells start background jobs with SIGINT ignored, and all processes below would inherit that.
    let mut player = Command::new("env");
    player.arg("--default-signal").args(std::env::args_os()).env(DIR, dir.path());
    let mut player = player.spawn().context("can't run env(1)")?;
    let status = loop {
        if let Some(status) = player.try_wait()? {
            break status;
        }
        if !matches!(signals.wait(), Ok(Signal::SIGCHLD)) {
            player.kill()?;
            break player.wait()?;
        }
    };
    process::kill_all();
    dir.close().context("can't remove the directory of the scenarios")?;
    Ok(status)
}

/// The player's exit status, as an exit status of this program.
pub fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// Ends the processes of earlier runs whose keeper was killed, and removes their directories.
fn clear_leftovers(temp: &Path) {
    for entry in fs::read_dir(temp).into_iter().flatten().flatten() {
        let dir = entry.path();
        if entry.file_name().as_bytes().starts_with(PREFIX.as_bytes()) && is_left(&dir) {
            let killed = kill_of(&dir);
            match fs::remove_dir_all(&dir) {
                Ok(()) => {
                    println!("removed {}, left by an earlier run, and ended {killed} of its processes", dir.display())
                }
                Err(error) => println!("can't remove {}, left by an earlier run: {error}", dir.display()),
            }
        }
    }
}

/// True if this is a directory of ours without a living keeper.
fn is_left(dir: &Path) -> bool {
    let Ok(is) = fs::symlink_metadata(dir) else { return false };
    if !is.is_dir() || is.uid() != nix::unistd::geteuid().as_raw() {
        return false;
    }
    match fs::File::open(dir.join(LOCK)) {
        Ok(file) => Flock::lock(file, FlockArg::LockExclusiveNonblock).is_ok(),
        // A keeper makes the lock file right after the directory.
        Err(_) => is.modified().ok().and_then(|at| at.elapsed().ok()).is_some_and(|age| age > Duration::from_secs(60)),
    }
}

fn kill_of(dir: &Path) -> usize {
    let mark = [DIR.as_bytes(), b"=", dir.as_os_str().as_bytes()].concat();
    let is_of = |pid: &i32| {
        let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environ.split(|b| *b == 0).any(|variable| variable == mark)
    };
    let mut killed = BTreeSet::new();
    // The killed processes may have made children meanwhile.
    for _ in 0..50 {
        let all: Vec<i32> = process::all().into_iter().filter(is_of).collect();
        if all.is_empty() {
            break;
        }
        for pid in all {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            killed.insert(pid);
        }
        std::thread::sleep(process::PAUSE * 5);
    }
    killed.len()
}
