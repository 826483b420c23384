//! One request by HTTP, and its answer. Only what scrapes need is understood.

use crate::formats::Format;
use crate::shared::SharedRegistry;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A request's head may be so long, and may take so long to come.
const LONGEST_HEAD: usize = 16 << 10;
const HEAD_TIME: Duration = Duration::from_secs(5);
/// The answer may take so long to be read by the client.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// The part of the answer that is written at once.
const PIECE: usize = 64 << 10;

struct Request<'a> {
    method: &'a str,
    path: &'a str,
    accept: String,
}

const PAGE: &str = "Stride: the metrics are at /metrics\n";

/// Answers one request, and closes the connection.
pub fn answer(mut stream: TcpStream, metrics: &SharedRegistry) -> io::Result<()> {
    let head = read_head(&mut stream)?;
    let Some(request) = head.as_deref().and_then(parse) else {
        return respond(&mut stream, "400 Bad Request", "text/plain", b"", true);
    };
    let body = request.method != "HEAD";
    if !matches!(request.method, "GET" | "HEAD") {
        return respond(&mut stream, "405 Method Not Allowed", "text/plain", b"", body);
    }
    match request.path.split('?').next() {
        Some("/metrics") => {
            let format = Format::accepted(&request.accept);
            let text = format.write(&metrics.families());
            respond(&mut stream, "200 OK", format.content_type(), &text, body)
        }
        Some("/") => respond(&mut stream, "200 OK", "text/plain", PAGE.as_bytes(), body),
        _ => respond(&mut stream, "404 Not Found", "text/plain", PAGE.as_bytes(), body),
    }
}

/// Tells a client that there are too many.
pub fn refuse(mut stream: TcpStream) -> io::Result<()> {
    respond(&mut stream, "503 Service Unavailable", "text/plain", b"", true)
}

/// Reads up to the empty line. `None`: there is none within the limit.
fn read_head(stream: &mut TcpStream) -> io::Result<Option<String>> {
    let until = Instant::now() + HEAD_TIME;
    let mut head = Vec::new();
    let mut piece = [0; 2048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() >= LONGEST_HEAD {
            return Ok(None);
        }
        stream.set_read_timeout(Some(left(until)?))?;
        match stream.read(&mut piece)? {
            0 => return Ok(None),
            n => head.extend_from_slice(&piece[..n]),
        }
    }
    Ok(String::from_utf8(head).ok())
}

fn parse(head: &str) -> Option<Request<'_>> {
    let mut lines = head.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, path, version) = (words.next()?, words.next()?, words.next()?);
    if !version.starts_with("HTTP/1.") || words.next().is_some() {
        return None;
    }
    let headers = lines.filter_map(|line| line.split_once(':'));
    let accepts = headers.filter(|(name, _)| name.trim().eq_ignore_ascii_case("accept")).map(|(_, value)| value.trim());
    Some(Request { method, path, accept: accepts.collect::<Vec<_>>().join(",") })
}

fn respond(stream: &mut TcpStream, status: &str, kind: &str, content: &[u8], body: bool) -> io::Result<()> {
    let until = Instant::now() + ANSWER_TIME;
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        content.len()
    );
    write_until(stream, head.as_bytes(), until)?;
    if body {
        write_until(stream, content, until)?;
    }
    stream.flush()
}

fn write_until(stream: &mut TcpStream, mut bytes: &[u8], until: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.set_write_timeout(Some(left(until)?))?;
        match stream.write(&bytes[..bytes.len().min(PIECE)])? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            n => bytes = &bytes[n..],
        }
    }
    Ok(())
}

fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}
