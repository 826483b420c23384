//! The directory of a server whose user has named none.
//!
//! A server that is killed cannot remove its directory. The next one does: each server holds the lock of a file in its directory as long as it runs.

use anyhow::{Context, Result, bail};
use nix::fcntl::{Flock, FlockArg, OFlag};
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const PREFIX: &str = "stride-mcp-";
const LOCK: &str = "lock";

pub struct TemporaryDir {
    path: PathBuf,
    _lock: Flock<File>,
}

impl TemporaryDir {
    /// A new directory that only this user can enter.
    pub fn new() -> Result<TemporaryDir> {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let places = runtime.into_iter().filter(|dir| dir.is_absolute()).chain([PathBuf::from("/tmp")]);
        let mut last = None;
        for place in places {
            remove_forsaken(&place);
            match nix::unistd::mkdtemp(&place.join(format!("{PREFIX}XXXXXX"))) {
                Ok(path) => {
                    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path.join(LOCK))?;
                    let lock = locked(file).context("the lock of a new directory")?;
                    return Ok(TemporaryDir { path, _lock: lock });
                }
                Err(error) => last = Some((place, error)),
            }
        }
        let (place, error) = last.context("no place for recordings")?;
        bail!("{}: {error}: name another directory with --recordings=DIR", place.display())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn remove(&self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn locked(file: File) -> Option<Flock<File>> {
    Flock::lock(file, FlockArg::LockExclusiveNonblock).ok()
}

/// Removes directories of this user whose servers were killed. One without a lock may belong to a server that begins.
fn remove_forsaken(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let is_named_so = entry.file_name().to_string_lossy().starts_with(PREFIX);
        // (Links are not followed.)
        let is_own = |found: fs::Metadata| found.is_dir() && found.uid() == nix::unistd::geteuid().as_raw();
        if !is_named_so || !entry.metadata().is_ok_and(is_own) {
            continue;
        }
        let mut options = OpenOptions::new();
        options.write(true).custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits());
        if options.open(entry.path().join(LOCK)).ok().and_then(locked).is_some() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
