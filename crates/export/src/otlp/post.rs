//! Requests to a Collector by HTTP.

use crate::otlp::messages::OtlpAnswer;
use prost::Message;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// Where a Collector listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collector {
    pub host: String,
    pub port: u16,
}

/// A request and its answer may take so long.
const LONGEST: Duration = Duration::from_secs(10);
const CONNECT_TIME: Duration = Duration::from_secs(3);
/// So much of an answer is read.
const LONGEST_ANSWER: usize = 64 << 10;
/// The port of OTLP by gRPC, which is another protocol.
const GRPC_PORT: u16 = 4317;

impl Collector {
    /// Host and port as in an URL.
    pub fn authority(&self) -> String {
        let Collector { host, port } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }

    /// Sends a message. Returns how many of its items were rejected. The error says why it was not delivered.
    pub fn send(&self, path: &str, message: &impl Message) -> Result<u64, String> {
        let (status, body) =
            self.post(path, &message.encode_to_vec()).map_err(|e| self.hinted(stride_output::why(&e)))?;
        if !(200..300).contains(&status) {
            return Err(self.hinted(format!("the answer is status {status}")));
        }
        let answer = OtlpAnswer::decode(&body[..]).unwrap_or_default();
        Ok(answer.partial_success.map_or(0, |part| part.rejected.max(0) as u64))
    }

    fn hinted(&self, why: String) -> String {
        match self.port {
            GRPC_PORT => format!("{why} (port {GRPC_PORT} is usually that of OTLP by gRPC; by HTTP, it is 4318)"),
            _ => why,
        }
    }

    fn post(&self, path: &str, body: &[u8]) -> io::Result<(u32, Vec<u8>)> {
        let until = Instant::now() + LONGEST;
        let mut stream = self.connect()?;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nUser-Agent: stride\r\nContent-Type: application/x-protobuf\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.authority(),
            body.len()
        );
        for mut bytes in [head.as_bytes(), body] {
            while !bytes.is_empty() {
                stream.set_write_timeout(Some(left(until)?))?;
                match stream.write(bytes)? {
                    0 => return Err(io::ErrorKind::WriteZero.into()),
                    n => bytes = &bytes[n..],
                }
            }
        }
        let mut answer = Vec::new();
        let mut piece = [0; 4096];
        loop {
            if let Some(whole) = parse(&answer) {
                return Ok(whole);
            }
            stream.set_read_timeout(Some(left(until)?))?;
            match stream.read(&mut piece)? {
                0 => break,
                _ if answer.len() > LONGEST_ANSWER => break,
                n => answer.extend_from_slice(&piece[..n]),
            }
        }
        // The body ends with the connection. (Nothing is lost if it cannot be read: the status tells.)
        let (status, at) = head_of(&answer).ok_or_else(|| io::Error::other("the answer is none by HTTP"))?;
        Ok((status, answer.split_off(at)))
    }

    fn connect(&self) -> io::Result<TcpStream> {
        let addresses: Vec<SocketAddr> = (&*self.host, self.port).to_socket_addrs()?.collect();
        let mut failure = io::Error::other("the host has no address");
        for address in addresses {
            match TcpStream::connect_timeout(&address, CONNECT_TIME) {
                Ok(stream) => return Ok(stream),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }
}

fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// The status and the place of the body.
fn head_of(answer: &[u8]) -> Option<(u32, usize)> {
    let end = answer.windows(4).position(|part| part == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&answer[..end]).ok()?;
    let status = head.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.get(..3)?.parse().ok()?;
    Some((status, end + 4))
}

/// Status and body, if the answer says how long that is and it is there.
fn parse(answer: &[u8]) -> Option<(u32, Vec<u8>)> {
    let (status, at) = head_of(answer)?;
    let head = std::str::from_utf8(&answer[..at]).ok()?;
    let mut headers = head.lines().filter_map(|line| line.split_once(':'));
    let (_, length) = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-length"))?;
    let end = at.checked_add(length.trim().parse().ok()?)?;
    Some((status, answer.get(at..end)?.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() {
        assert_eq!(parse(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc"), Some((200, b"ab".to_vec())));
        assert_eq!(parse(b"HTTP/1.1 503 \r\ncontent-length:0\r\n\r\n"), Some((503, vec![])));
        for unfinished in [&b""[..], b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"] {
            assert_eq!(parse(unfinished), None);
        }
        assert_eq!(head_of(b"HTTP/1.0 404 x\r\n\r\n"), Some((404, 18)));
        for none in [&b"SSH-2.0\r\n\r\n"[..], b"HTTP/1.1\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\xff\r\n\r\n"] {
            assert_eq!(head_of(none), None);
        }
        assert_eq!(parse(b"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\nabc"), None);
    }
}
