//! Families of generic netlink: names that messages of the trace tell, for worlds that do not know them.

use std::cell::RefCell;
use std::collections::HashMap;
use stride_decode::{Decoder, Options, Part, Resolver};
use stride_event::{Call, FileKind, Outcome, Phase};
use stride_output::{Brief, Style};
use stride_test_support::calls::{call, holding};

const NETLINK_GENERIC: u32 = 16;
const BUFFER: u64 = 0x1000;

/// Knows the families that it was told of.
#[derive(Default)]
struct Told(RefCell<HashMap<u16, Vec<u8>>>);

impl Resolver for Told {
    fn generic_family(&self, id: u16) -> Option<Vec<u8>> {
        self.0.borrow().get(&id).cloned()
    }

    fn met_generic_family(&self, id: u16, name: &[u8]) {
        self.0.borrow_mut().insert(id, name.to_vec());
    }
}

fn message(kind: u16, body: &[u8]) -> Vec<u8> {
    let len = (16 + body.len()) as u32;
    [&len.to_le_bytes()[..], &kind.to_le_bytes(), &[0; 10], body].concat()
}

fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let len = (4 + value.len()) as u16;
    [&len.to_le_bytes()[..], &kind.to_le_bytes(), value, &[0; 3][..(4 - value.len() % 4) % 4]].concat()
}

/// Memory goes on behind the message.
fn shown(resolver: &Told, bytes: &[u8]) -> String {
    let len = bytes.len() as u64;
    let received = Call {
        file_kind: Some(FileKind::Netlink(NETLINK_GENERIC)),
        ..call(7, "recvfrom", &[3, BUFFER, len, 0, 0, 0], Outcome::Value(len as i64))
    };
    let call = holding(received, Phase::Exit, BUFFER, &[bytes, &[0; 64]].concat());
    let (mut decoder, mut brief) = (Decoder::default(), Brief::new(Style::default()));
    brief.call(&decoder.decode(&call, Part::Whole, &Options::default(), resolver)).into_owned()
}

fn new_family(attributes: &[Vec<u8>]) -> Vec<u8> {
    message(0x10, &[&[1, 2, 0, 0][..], &attributes.concat()].concat())
}

#[test]
fn an_answer_tells_the_name_of_a_family() {
    let resolver = Told::default();
    let of_family = message(0x15, &[9, 1, 0, 0]);
    assert!(shown(&resolver, &of_family).contains("nlmsg_type=0x15 /* GENERIC_FAMILY_??? */"));
    shown(&resolver, &new_family(&[attribute(2, b"ethtool\0"), attribute(1, &[0x15, 0])]));
    assert!(shown(&resolver, &of_family).contains("nlmsg_type=ethtool, "), "{}", shown(&resolver, &of_family));
}

#[test]
fn hostile_answers_tell_nothing() {
    let resolver = Told::default();
    let (id, name) = (attribute(1, &[0x15, 0]), attribute(2, b"fine\0"));
    let cut = |bytes: &[u8], len: u16| [&len.to_le_bytes()[..], &bytes[2..]].concat();
    for attributes in [
        vec![id.clone()],
        vec![name.clone()],
        // An attribute without room for its own header, one beyond the message, a number that is too short.
        vec![cut(&id, 0), name.clone()],
        vec![name.clone(), cut(&id, 400)],
        vec![name.clone(), attribute(1, &[])],
    ] {
        shown(&resolver, &new_family(&attributes));
        assert!(resolver.0.borrow().is_empty(), "{attributes:?}");
    }
    // A name without an end is cut, and no control character gets through.
    shown(&resolver, &new_family(&[id, attribute(2, b"\x1b]0;evil evil evil evil")]));
    let text = shown(&resolver, &message(0x15, &[9, 1, 0, 0]));
    assert!(text.contains(r"nlmsg_type=\33]0;evil evil ev, "), "{text}");
}
