//! A trace for a client, who gets its output straight from Stride.

use crate::door;
use anyhow::{Context, Result};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::time::timeout;

/// Stride detaches its programs, and prints the rest, in this time.
const END: Duration = Duration::from_secs(30);

/// Runs Stride until it ends or the client is gone. Returns the exit status.
pub async fn trace(
    stride: &Path,
    options: Vec<String>,
    output: [OwnedFd; 2],
    client_gone: impl Future<Output = ()>,
) -> Result<i32> {
    let [out, err] = output.map(Stdio::from);
    let mut command = door::to(stride);
    command.args(options).stdin(Stdio::null()).stdout(out).stderr(err).process_group(0).kill_on_drop(true);
    let mut child = command.spawn().context("stride")?;
    // Its copies of the descriptors are closed here, so that the client's reader sees the end.
    drop(command);
    let ended = tokio::select! {
        status = child.wait() => Some(status),
        () = client_gone => None,
    };
    let status = match ended {
        Some(status) => status?,
        None => {
            if let Some(pid) = child.id() {
                let _ = kill(Pid::from_raw(pid as i32), Signal::SIGINT);
            }
            if timeout(END, child.wait()).await.is_err() {
                child.start_kill()?;
            }
            child.wait().await?
        }
    };
    Ok(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}
