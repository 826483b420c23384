//! The local socket. Only root, and the user that the agent runs as, may ask there.

use crate::live;
use crate::request::{AgentAnswer, AgentRequest, SocketMessage, receive, send};
use anyhow::{Context, Result, bail};
use nix::sys::stat::{Mode, umask};
use std::fs::{self, DirBuilder};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::{sleep, timeout};

/// Traces for clients at the same time. Each sees every call of the machine.
const MOST_LIVE: usize = 4;
/// Clients at the same time.
const MOST_CLIENTS: usize = 64;

/// The longest wait for a recording that was asked for.
const RECORDING: Duration = Duration::from_secs(60);

/// A request that the agent has to answer.
pub struct Asked {
    pub request: AgentRequest,
    pub answer: oneshot::Sender<AgentReply>,
}

pub enum AgentReply {
    Answer(AgentAnswer),
    /// A trace may be run with these options.
    Trace {
        stride: PathBuf,
        options: Vec<String>,
    },
    /// The answer comes when there is a recording.
    Recording(oneshot::Receiver<Result<String, String>>),
}

/// Takes the place. An agent that listens there already is an error; the rest of one that was killed is removed.
pub fn listen(path: &Path) -> Result<UnixListener> {
    let named = || path.display().to_string();
    if let Some(parent) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o755).create(parent).with_context(named)?;
    }
    if fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket()) {
        if StdUnixStream::connect(path).is_ok() {
            bail!(
                "{}: another stride-agent listens there: stop that one first, or name another --socket",
                path.display()
            );
        }
        fs::remove_file(path).with_context(named)?;
    }
    // The mode is that of the socket before it has a name.
    let mask = umask(Mode::from_bits_truncate(0o177));
    let listener = UnixListener::bind(path).with_context(named);
    umask(mask);
    listener
}

pub async fn serve(listener: UnixListener, asked: mpsc::Sender<Asked>) {
    let (live, clients) = (Arc::new(Semaphore::new(MOST_LIVE)), Arc::new(Semaphore::new(MOST_CLIENTS)));
    loop {
        let Ok(place) = clients.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // (No descriptors are left, say.)
            sleep(Duration::from_millis(100)).await;
            continue;
        };
        let (asked, live) = (asked.clone(), live.clone());
        tokio::spawn(async move {
            let _place = place;
            if let Err(error) = attend(&stream, &asked, &live).await {
                let _ = send(&stream, &AgentAnswer::Refused(format!("{error:#}")), &[]).await;
            }
        });
    }
}

async fn attend(stream: &UnixStream, asked: &mpsc::Sender<Asked>, live: &Semaphore) -> Result<()> {
    let user = stream.peer_cred()?.uid();
    if user != 0 && user != nix::unistd::geteuid().as_raw() {
        bail!("only root may ask the agent");
    }
    let Some(SocketMessage { line, brought }) = receive(stream).await? else { return Ok(()) };
    let request = serde_json::from_slice(&line).context("the request")?;
    let (answer, answered) = oneshot::channel();
    let gone = "the agent is ending";
    asked.send(Asked { request, answer }).await.ok().context(gone)?;
    let answer = match answered.await.context(gone)? {
        AgentReply::Answer(answer) => answer,
        AgentReply::Recording(told) => {
            match timeout(RECORDING, told).await.context("no recording was made in a minute")?.context(gone)? {
                Ok(place) => AgentAnswer::Done(place.into()),
                Err(why) => AgentAnswer::Refused(why),
            }
        }
        AgentReply::Trace { stride, options } => {
            let Ok(_permit) = live.try_acquire() else {
                bail!(
                    "{MOST_LIVE} traces run for clients already, and each costs the machine something: end one of them first"
                );
            };
            let output: [OwnedFd; 2] =
                brought.try_into().ok().context("a request for a trace brings two descriptors")?;
            AgentAnswer::Ended(live::trace(&stride, options, output, gone_away(stream)).await?)
        }
    };
    send(stream, &answer, &[]).await
}

/// Waits until the client says nothing more, or is gone.
async fn gone_away(stream: &UnixStream) {
    while let Ok(Some(_)) = receive(stream).await {}
}
