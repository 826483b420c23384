//! The client of the local socket.

use crate::request::{AgentAnswer, AgentRequest, receive, send};
use anyhow::{Context, Result, bail};
use rustix::net::{Shutdown, shutdown};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::Path;
use tokio::net::UnixStream;
use tokio::signal::unix::{SignalKind, signal};

/// Makes a request, and prints the answer. Returns the exit status.
pub async fn ask(socket: &Path, request: &AgentRequest) -> Result<i32> {
    let stream = UnixStream::connect(socket).await.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => anyhow::anyhow!(
            "{}: no agent listens there: start one (systemctl start stride-agent), or name its --socket",
            socket.display()
        ),
        io::ErrorKind::PermissionDenied => {
            anyhow::anyhow!("{}: only root may ask the agent: ask as root", socket.display())
        }
        _ => anyhow::anyhow!("{}: {error}", socket.display()),
    })?;
    // A signal at this end ends the trace, whose last lines are still printed.
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let (out, err) = (io::stdout(), io::stderr());
    match request {
        AgentRequest::Trace { .. } => send(&stream, request, &[out.as_fd(), err.as_fd()]).await?,
        _ => send(&stream, request, &[]).await?,
    }
    let mut told = false;
    let answer = loop {
        tokio::select! {
            answer = receive(&stream) => break answer.context("the answer")?,
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        if told {
            return Ok(130);
        }
        told = true;
        shutdown(&stream, Shutdown::Write)?;
    };
    let Some(answer) = answer else { bail!("the agent has gone without an answer: its messages say why") };
    match serde_json::from_slice(&answer.line).context("the answer")? {
        AgentAnswer::Done(facts) => {
            let text = match facts {
                serde_json::Value::String(text) => text,
                facts => serde_json::to_string_pretty(&facts)?,
            };
            writeln!(out.lock(), "{text}").context("stdout")?;
            Ok(0)
        }
        AgentAnswer::Refused(why) => bail!("{why}"),
        AgentAnswer::Ended(status) => Ok(status),
    }
}
