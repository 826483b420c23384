//! A proxy between Stride and a store. It does harm.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The fate of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// The connection is closed before anything is read.
    Refused,
    /// It is reset in the middle of the request.
    Cut,
    /// The store gets the request, and the connection is cut before the answer.
    Unanswered,
    /// The store gets it and does it, and the answer says that it failed.
    DoneBut(u16),
    /// The store never gets it.
    Answer(u16, &'static str),
    /// Answer and request go through in pieces.
    Slow,
}

/// A request as the proxy sees it.
pub struct ProxiedRequest {
    pub method: String,
    /// Requests so far.
    pub number: u64,
}

pub struct Proxy {
    pub port: u16,
    /// The requests that had a fault.
    pub faults: Arc<AtomicU64>,
}

impl Proxy {
    /// The threads end with the test's process.
    pub fn start(to: u16, choose: impl Fn(&ProxiedRequest) -> Fault + Send + Sync + 'static) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let faults = Arc::new(AtomicU64::new(0));
        let (counted, choose) = (faults.clone(), Arc::new(choose));
        let number = Arc::new(AtomicU64::new(0));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (choose, counted, number) = (choose.clone(), counted.clone(), number.clone());
                thread::spawn(move || pass(client, to, &*choose, &counted, &number));
            }
        });
        Proxy { port, faults }
    }
}

fn pass(
    mut client: TcpStream,
    to: u16,
    choose: &dyn Fn(&ProxiedRequest) -> Fault,
    faults: &AtomicU64,
    number: &AtomicU64,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(at) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            break at + 4;
        }
        read_some(&mut client, &mut bytes)?;
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut words = text.split(' ');
    let method = words.next().unwrap_or_default().to_owned();
    let fault = choose(&ProxiedRequest { method, number: number.fetch_add(1, Ordering::Relaxed) });
    faults.fetch_add(u64::from(fault != Fault::None), Ordering::Relaxed);
    let length = header(&text, "content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let whole = head + length;
    match fault {
        Fault::Refused => return reset(&client),
        Fault::Cut => {
            while bytes.len() < head + length / 2 {
                read_some(&mut client, &mut bytes)?;
            }
            return reset(&client);
        }
        _ => {}
    }
    while bytes.len() < whole {
        read_some(&mut client, &mut bytes)?;
    }
    if let Fault::Answer(status, body) = fault {
        return answer(&mut client, status, body);
    }
    let mut store = TcpStream::connect(("127.0.0.1", to))?;
    // One request for each connection.
    let (first, rest) = text.split_once("\r\n").unwrap_or_default();
    let rest: String = rest
        .lines()
        .filter(|line| !line.to_ascii_lowercase().starts_with("connection:"))
        .map(|line| format!("{line}\r\n"))
        .collect();
    store.write_all(format!("{first}\r\nConnection: close\r\n{rest}").as_bytes())?;
    store.write_all(&bytes[head..])?;
    let mut reply = Vec::new();
    store.read_to_end(&mut reply)?;
    match fault {
        Fault::Unanswered => reset(&client),
        Fault::DoneBut(status) => answer(&mut client, status, ""),
        Fault::Slow => {
            for piece in reply.chunks(64) {
                client.write_all(piece)?;
                thread::sleep(Duration::from_millis(2));
            }
            client.shutdown(Shutdown::Write)
        }
        _ => {
            client.write_all(&reply)?;
            client.shutdown(Shutdown::Write)
        }
    }
}

fn read_some(from: &mut TcpStream, to: &mut Vec<u8>) -> io::Result<()> {
    let mut piece = [0; 1 << 16];
    match from.read(&mut piece)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        n => {
            to.extend_from_slice(&piece[..n]);
            Ok(())
        }
    }
}

fn header<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// Bytes that were not read make the kernel reset the connection.
fn reset(client: &TcpStream) -> io::Result<()> {
    client.shutdown(Shutdown::Both)
}

fn answer(client: &mut TcpStream, status: u16, body: &str) -> io::Result<()> {
    let length = body.len();
    let text = format!("HTTP/1.1 {status} Fault\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    client.write_all(text.as_bytes())?;
    client.shutdown(Shutdown::Write)
}
