//! Requests at the local socket and their answers: each a line of JSON. A request for a trace brings two descriptors, for the output and the
//! messages.

use anyhow::{Result, bail};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use tokio::io::Interest;
use tokio::net::UnixStream;

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "ask", rename_all = "lowercase", deny_unknown_fields)]
pub enum AgentRequest {
    Status,
    Pause,
    Resume,
    Record { name: String },
    Trace { options: Vec<String> },
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentAnswer {
    /// The facts that were asked for.
    Done(serde_json::Value),
    /// A sentence.
    Refused(String),
    /// The exit status of a trace.
    Ended(i32),
}

/// A line, and the descriptors that came with it.
pub struct SocketMessage {
    pub line: Vec<u8>,
    pub brought: Vec<OwnedFd>,
}

const LONGEST: usize = 256 << 10;
const MOST_DESCRIPTORS: usize = 2;

/// Reads a line. `None`: the other side has gone.
pub async fn receive(stream: &UnixStream) -> Result<Option<SocketMessage>> {
    let mut message = SocketMessage { line: Vec::new(), brought: Vec::new() };
    loop {
        stream.readable().await?;
        match stream.try_io(Interest::READABLE, || receive_part(stream, &mut message)) {
            Ok(0) if message.line.is_empty() => return Ok(None),
            Ok(0) => bail!("the message ends within its line"),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
            Err(error) => return Err(error.into()),
        }
        if message.line.ends_with(b"\n") {
            return Ok(Some(message));
        }
        if message.line.len() > LONGEST {
            bail!("the message is longer than {LONGEST} bytes");
        }
    }
}

fn receive_part(stream: &UnixStream, message: &mut SocketMessage) -> io::Result<usize> {
    let mut part = [0; 4096];
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut control = RecvAncillaryBuffer::new(&mut room);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let got = recvmsg(stream, &mut [IoSliceMut::new(&mut part)], &mut control, flags)?.bytes;
    for with in control.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = with {
            message.brought.extend(descriptors);
        }
    }
    message.line.extend_from_slice(&part[..got]);
    Ok(got)
}

pub async fn send(stream: &UnixStream, message: &impl Serialize, with: &[BorrowedFd<'_>]) -> Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut sent = 0;
    while sent < line.len() {
        stream.writable().await?;
        // The descriptors go with the first byte.
        let with = if sent == 0 { with } else { &[] };
        match stream.try_io(Interest::WRITABLE, || send_part(stream, &line[sent..], with)) {
            Ok(bytes) => sent += bytes,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn send_part(stream: &UnixStream, part: &[u8], with: &[BorrowedFd<'_>]) -> io::Result<usize> {
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut room);
    if !with.is_empty() && !control.push(SendAncillaryMessage::ScmRights(with)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
    Ok(sendmsg(stream, &[IoSlice::new(part)], &mut control, flags)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek, Write};
    use std::os::fd::AsFd;

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
    }

    #[test]
    fn a_request_and_its_descriptors_arrive() {
        run(async {
            let (one, other) = UnixStream::pair().unwrap();
            let path = std::env::temp_dir().join(format!("stride-agent-request-{}", std::process::id()));
            let mut file = std::fs::File::options().read(true).write(true).create_new(true).open(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            let request = AgentRequest::Trace { options: vec!["é".repeat(20_000)] };
            let brought = [file.as_fd(), file.as_fd()];
            let (sent, received) = tokio::join!(send(&one, &request, &brought), receive(&other));
            sent.unwrap();
            let received = received.unwrap().unwrap();
            assert_eq!(serde_json::from_slice::<AgentRequest>(&received.line).unwrap(), request);
            let mut through = std::fs::File::from(received.brought.into_iter().next_back().unwrap());
            through.write_all(b"seen").unwrap();
            file.rewind().unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            assert_eq!(text, "seen");
            drop(one);
            assert!(receive(&other).await.unwrap().is_none());
        });
    }

    #[test]
    fn a_message_without_end_is_refused() {
        run(async {
            let (one, other) = UnixStream::pair().unwrap();
            let long = "x".repeat(LONGEST + 10_000);
            let sends = async {
                let _ = send(&one, &long, &[]).await;
                std::future::pending::<()>().await;
            };
            tokio::select! {
                () = sends => unreachable!(),
                received = receive(&other) => assert!(received.is_err()),
            }
        });
    }
}
