//! Questions to name servers, as far as they were captured.

use crate::counts::index::Observed;
use crate::counts::kinds::is_write;
use stride_event::{Memory, Outcome, Phase, Piece};
use stride_syscalls::Data;
use stride_track::{ObjectId, ObjectKind, Tracker};

pub struct DnsQuestion {
    /// `www.example.org`, cut off where the captured memory ends.
    pub name: Vec<u8>,
    /// Tells the question from others: the captured message without its number, and its length.
    pub identity: Vec<u8>,
}

/// True if a socket is connected to port 53.
pub fn is_name_server(object: ObjectId, tracker: &Tracker) -> bool {
    let name = tracker.name(object);
    tracker.kind(object) == ObjectKind::Socket && name.starts_with("UDP → ".as_bytes()) && name.ends_with(b":53")
}

/// The number of messages that a call sent or received.
pub fn messages(observed: &Observed<'_>) -> u64 {
    match observed.call.outcome {
        Outcome::Value(n) if is_several(observed) => n.max(0) as u64,
        Outcome::Value(_) => 1,
        _ => 0,
    }
}

/// True if a call moves several messages at once. Such a call returns their number.
fn is_several(observed: &Observed<'_>) -> bool {
    observed.row.transfer().is_some_and(|transfer| transfer.data == Data::Messages)
}

/// The questions of a call that sent messages.
pub fn questions(observed: &Observed<'_>) -> Vec<DnsQuestion> {
    const MOST: u64 = 8;
    if !is_write(observed.row) {
        return Vec::new();
    }
    let message = |piece: Piece| question(observed.call.blocks.prefix(Phase::Entry, piece.addr, 512), piece.len);
    observed.call.messages(messages(observed).min(MOST)).into_iter().filter_map(message).collect()
}

fn question(message: &[u8], len: u64) -> Option<DnsQuestion> {
    const HEADER: usize = 12;
    let mut rest = message.get(HEADER..)?;
    let mut name = Vec::new();
    while let [length @ 1..=63, after @ ..] = rest {
        if !name.is_empty() {
            name.push(b'.');
        }
        let (label, after) = after.split_at(after.len().min((*length).into()));
        name.extend_from_slice(label);
        rest = after;
    }
    if !matches!(rest, [0, ..]) {
        name.extend_from_slice("…".as_bytes());
    }
    let identity = [message.get(2..)?, &len.to_le_bytes()].concat();
    Some(DnsQuestion { name, identity })
}

#[cfg(test)]
mod tests {
    use super::question;

    #[test]
    fn questions() {
        let header = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0";
        let name = |rest: &[u8], len| question(&[&header[..], rest].concat(), len).map(|question| question.name);
        assert_eq!(name(b"\x03www\x07example\x03org\0\0\x01\0\x01", 33).unwrap(), b"www.example.org");
        assert_eq!(name(b"\x03www\x07exa", 33).unwrap(), "www.exa…".as_bytes());
        assert_eq!(name(b"", 12).unwrap(), "…".as_bytes());
        assert_eq!(name(b"\xff\xff", 14).unwrap(), "…".as_bytes(), "no name is that long");
        assert!(question(b"\x12", 1).is_none());
        let of = |number: u8, rest: &[u8]| {
            let message = [&[number, number, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0], rest].concat();
            question(&message, message.len() as u64).unwrap().identity
        };
        assert_eq!(of(1, b"\x01a\0\0\x01"), of(2, b"\x01a\0\0\x01"), "the same question, another number");
        assert_ne!(of(1, b"\x01a\0\0\x01"), of(1, b"\x01a\0\0\x1c"), "an address of another kind");
    }
}
