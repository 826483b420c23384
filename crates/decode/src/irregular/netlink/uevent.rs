//! NETLINK_KOBJECT_UEVENT. The messages of udev to its listeners have a header of their own (libudev's monitor).

use super::Span;
use crate::irregular::inet;
use crate::{Tail, Text, TextKind, Value};

const PREFIX: &[u8] = b"libudev\0";
const HEADER: usize = 40;

fn is_one(span: &Span<'_, '_>) -> bool {
    span.read(0, PREFIX.len()) == Some(PREFIX)
}

pub(super) fn show<'a>(span: &Span<'a, '_>) -> Option<Value<'a>> {
    if !is_one(span) || span.len < HEADER {
        return None;
    }
    let cx = span.cx;
    let b = span.read(0, HEADER)?;
    let net = |at: usize| inet::htonl(cx, [b[at], b[at + 1], b[at + 2], b[at + 3]], Value::Hex);
    let host = |at: usize| Value::UInt(crate::cx::le(b, at, 4));
    let prefix = Value::Text(Text { bytes: &PREFIX[..7], cut: false, kind: TextKind::Str });
    let header = cx.members(&[
        ("prefix", prefix),
        ("magic", net(8)),
        ("header_size", host(12)),
        ("properties_off", host(16)),
        ("properties_len", host(20)),
        ("filter_subsystem_hash", net(24)),
        ("filter_devtype_hash", net(28)),
        ("filter_tag_bloom_hi", net(32)),
        ("filter_tag_bloom_lo", net(36)),
    ]);
    let rest = span.from(HEADER);
    if rest.len == 0 {
        return Some(header);
    }
    let text = crate::generic::bytes(cx, rest.phase, rest.addr, rest.len as u64, TextKind::Bytes);
    Some(Value::Array(cx.values(&[header, text]), Tail::End))
}
