//! Requests to a server of FastCGI, as a web server makes them.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// Has the server run a script. Returns all that it answers.
pub fn get(socket: &Path, script: &Path) -> String {
    let mut server = UnixStream::connect(socket).unwrap();
    // The first message begins a request to a responder; those without content end the parameters and the input.
    let messages = [(1, vec![0, 1, 0, 0, 0, 0, 0, 0]), (4, parameters(script)), (4, Vec::new()), (5, Vec::new())];
    for (kind, content) in messages {
        let [high, low] = u16::try_from(content.len()).unwrap().to_be_bytes();
        server.write_all(&[1, kind, 0, 1, high, low, 0, 0]).unwrap();
        server.write_all(&content).unwrap();
    }
    let mut answer = Vec::new();
    server.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

fn parameters(script: &Path) -> Vec<u8> {
    let script = script.to_str().unwrap();
    let mut bytes = Vec::new();
    for (name, value) in [("SCRIPT_FILENAME", script), ("REQUEST_METHOD", "GET")] {
        bytes.push(u8::try_from(name.len()).unwrap());
        // (The length of a value in 4 bytes has the highest bit set.)
        bytes.extend((u32::try_from(value.len()).unwrap() | 1 << 31).to_be_bytes());
        bytes.extend(name.bytes().chain(value.bytes()));
    }
    bytes
}
