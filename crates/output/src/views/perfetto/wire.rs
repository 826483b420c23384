//! Protobuf's wire format: tagged fields, and messages within messages, appended to a buffer.
//!
//! A trace is a flat list of small messages, most of which are a few varints. Writing them straight into the buffer
//! takes less code than declaring the messages, and allocates nothing.

pub fn varint(out: &mut Vec<u8>, mut v: u64) {
    while v >= 0x80 {
        out.push(v as u8 | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
}

const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const LENGTH: u32 = 2;

fn tag(out: &mut Vec<u8>, field: u32, kind: u32) {
    varint(out, u64::from(field << 3 | kind));
}

/// A field of type `uint64`, `uint32`, `bool` or an enumeration. An `int64` is sign-extended.
pub fn uint(out: &mut Vec<u8>, field: u32, v: u64) {
    tag(out, field, VARINT);
    varint(out, v);
}

pub fn fixed64(out: &mut Vec<u8>, field: u32, v: u64) {
    tag(out, field, FIXED64);
    out.extend_from_slice(&v.to_le_bytes());
}

pub fn bytes(out: &mut Vec<u8>, field: u32, bytes: &[u8]) {
    tag(out, field, LENGTH);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

pub fn string(out: &mut Vec<u8>, field: u32, text: &str) {
    bytes(out, field, text.as_bytes());
}

/// A message in a field. Its length comes first and usually takes one byte.
pub fn message(out: &mut Vec<u8>, field: u32, write: impl FnOnce(&mut Vec<u8>)) {
    tag(out, field, LENGTH);
    let at = out.len();
    out.push(0);
    write(out);
    let mut len = out.len() - at - 1;
    let more = (1..).take_while(|i| len >> (7 * i) > 0).count();
    if more > 0 {
        out.extend_from_slice(&[0; 8][..more]);
        out.copy_within(at + 1..at + 1 + len, at + 1 + more);
    }
    for byte in &mut out[at..at + more] {
        *byte = len as u8 | 0x80;
        len >>= 7;
    }
    out[at + more] = len as u8;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_any_width() {
        for len in [0, 1, 127, 128, 300, 16_383, 16_384, 2_097_152] {
            let body: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let (mut whole, mut nested) = (vec![7], vec![7]);
            bytes(&mut whole, 300, &body);
            message(&mut nested, 300, |out| out.extend_from_slice(&body));
            assert!(whole == nested, "a message of {len} bytes");
        }
    }

    #[test]
    fn numbers() {
        let mut out = Vec::new();
        uint(&mut out, 1, 150);
        uint(&mut out, 2, -1i64 as u64);
        fixed64(&mut out, 47, 1);
        assert_eq!(out[..3], [0x08, 0x96, 0x01]);
        assert_eq!(out[3..14], [0x10, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
        assert_eq!(out[14..], [0xf9, 0x02, 1, 0, 0, 0, 0, 0, 0, 0]);
    }
}
