//! `--debuginfod`: debug information that is not on this machine, from the servers that the user chose. elfutils' `debuginfod-find`
//! talks to them and keeps what it gets.

use crate::options::Options;
use crate::start::command;
use anyhow::{Result, bail};
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use stride_stacks::Fetch;

/// The environment variable that names the servers.
const SERVERS: &str = "DEBUGINFOD_URLS";
/// The time that one file may take. The traced program may be waiting.
const PATIENCE: Duration = Duration::from_secs(60);
const NAP: Duration = Duration::from_millis(2);

/// The way to the servers, if the user asked for it.
pub fn servers(options: &Options) -> Result<Option<Box<Fetch>>> {
    if !options.debuginfod {
        return Ok(None);
    }
    if std::env::var_os(SERVERS).is_none_or(|servers| servers.is_empty()) {
        bail!(
            "--debuginfod: no server is known, because {SERVERS} is not set; set it to the server of your distribution \
             (https://debuginfod.elfutils.org lists them)"
        );
    }
    let Ok(program) = command::find(OsStr::new("debuginfod-find")) else {
        bail!(
            "--debuginfod: Stride gets debug information through debuginfod-find, which is not installed; it is part of \
             elfutils (Debian: apt install debuginfod; Fedora: dnf install elfutils-debuginfod-client)"
        );
    };
    let mut answers = true;
    Ok(Some(Box::new(move |build_id| {
        // A server that does not answer is not waited for again.
        if !answers {
            return None;
        }
        match ask(&program, build_id) {
            Answer::File(path) => Some(path),
            Answer::Nothing => None,
            Answer::Late => {
                answers = false;
                None
            }
        }
    })))
}

enum Answer {
    File(PathBuf),
    Nothing,
    /// None came in time.
    Late,
}

fn ask(program: &Path, build_id: &str) -> Answer {
    let mut command = Command::new(program);
    command.args(["debuginfo", build_id]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return Answer::Nothing };
    let deadline = Instant::now() + PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return printed(&mut child).map_or(Answer::Nothing, Answer::File),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(NAP),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Answer::Late;
            }
            Ok(Some(_)) | Err(_) => return Answer::Nothing,
        }
    }
}

/// The path that the program printed, which is shorter than a pipe's buffer.
fn printed(child: &mut Child) -> Option<PathBuf> {
    let mut line = Vec::new();
    child.stdout.take()?.take(1 << 16).read_to_end(&mut line).ok()?;
    line.truncate(line.iter().position(|&b| b == b'\n')?);
    Some(PathBuf::from(OsString::from_vec(line)))
}
