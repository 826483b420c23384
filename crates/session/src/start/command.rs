//! The program to start. It is searched along PATH as execvp(3) does, but before anything is traced.

use crate::{options, os_error};
use anyhow::{Result, bail};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use stride_event::Command;

/// No directory of `PATH` has the program.
#[derive(Debug)]
pub struct CommandNotFound(
    /// The program's name, as the user wrote it.
    pub OsString,
);

impl fmt::Display for CommandNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cannot find executable '{}'", Path::new(&self.0).display())
    }
}

impl std::error::Error for CommandNotFound {}

pub fn resolve(command: &options::Command) -> Result<Command> {
    let path = find(&command.program)?;
    Ok(Command {
        path,
        args: command.argv.clone(),
        env: command.environment(std::env::vars_os()),
        user: command.user.as_ref().map(|u| (u.uid, u.gid, u.groups.clone())),
    })
}

/// The path of the program.
pub fn find(program: &OsStr) -> Result<PathBuf> {
    if program.len() >= nix::libc::PATH_MAX as usize {
        bail!("exec: {}", nix::errno::Errno::ENAMETOOLONG.desc());
    }
    if program.as_bytes().contains(&b'/') {
        let path = PathBuf::from(program);
        return match path.metadata() {
            // execve decides whether the file can be executed.
            Ok(_) => Ok(path),
            Err(e) => bail!("Cannot stat '{}': {}", path.display(), os_error(&e)),
        };
    }
    let search = std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/local/bin:/bin:/usr/bin"));
    for dir in std::env::split_paths(&search) {
        let candidate = if dir.as_os_str().is_empty() { PathBuf::from(program) } else { dir.join(program) };
        if let Ok(meta) = candidate.metadata()
            && meta.is_file()
            && meta.permissions().mode() & 0o111 != 0
        {
            return Ok(candidate);
        }
    }
    Err(CommandNotFound(program.to_owned()).into())
}
