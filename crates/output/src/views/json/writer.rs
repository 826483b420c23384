//! Writes JSON to a buffer: objects, arrays, numbers, and strings with any bytes of a tracee.

use crate::spelling::digits;
use stride_event::{FdOf, Tid};
use stride_track::{ObjectKind, Tracker};

/// Appends JSON to a buffer. The last byte tells whether a comma is due.
pub struct Json<'o> {
    pub out: &'o mut Vec<u8>,
    /// The tracker, which knows descriptors whose names do not come with the call, and the thread whose descriptors are
    /// written.
    pub descriptors: Option<(&'o Tracker, Tid)>,
    /// The descriptors that are written are those that the call made. Otherwise they are its arguments.
    pub made: bool,
}

impl<'o> Json<'o> {
    pub fn new(out: &'o mut Vec<u8>) -> Json<'o> {
        Json { out, descriptors: None, made: false }
    }

    /// The name of a descriptor's referent, and whether it is a socket.
    pub(super) fn referent_of(&self, fd: i32) -> Option<(&'o [u8], bool)> {
        let (tracker, tid) = self.descriptors?;
        let object = tracker.referent(FdOf { tid, fd, made: self.made }).object()?;
        Some((tracker.name(object), tracker.kind(object) == ObjectKind::Socket))
    }
}

impl Json<'_> {
    /// Prepares for a value or a key.
    pub(super) fn next(&mut self) {
        if !matches!(self.out.last(), None | Some(b'{' | b'[' | b':' | b'\n')) {
            self.out.push(b',');
        }
    }

    pub fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.next();
        self.out.push(b'{');
        members(self);
        self.out.push(b'}');
    }

    pub fn array(&mut self, items: impl FnOnce(&mut Self)) {
        self.next();
        self.out.push(b'[');
        items(self);
        self.out.push(b']');
    }

    /// The name of a member, whose value comes next. Names are Stride's own and need no escapes.
    pub fn key(&mut self, name: &str) -> &mut Self {
        debug_assert!(name.bytes().all(is_plain), "{name}");
        self.next();
        self.quoted(name.as_bytes(), b"\":");
        self
    }

    /// Appends a quotation mark, the text, and the end.
    fn quoted(&mut self, text: &[u8], end: &[u8]) {
        match short(text) {
            // A register is appended faster than so many bytes.
            Some(word) => {
                let len = 1 + text.len();
                let end_word = end.iter().rev().fold(0, |word, &byte| word << 8 | u128::from(byte));
                let word = end_word << (8 * len) | word << 8 | u128::from(b'"');
                let from = self.out.len();
                self.out.extend_from_slice(&word.to_le_bytes());
                self.out.truncate(from + len + end.len());
            }
            None => {
                self.out.push(b'"');
                self.out.extend_from_slice(text);
                self.out.extend_from_slice(end);
            }
        }
    }

    /// Writes a part of the JSON text as it is: commas, names, and words that need no escapes.
    pub(super) fn literal(&mut self, text: &'static str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// A word of Stride's own, such as a name of the kernel's. It needs no escapes. Words of a tracee's do.
    pub(super) fn own(&mut self, word: &str) {
        debug_assert!(word.bytes().all(is_plain), "{word}");
        self.next();
        self.quoted(word.as_bytes(), b"\"");
    }

    /// JSON has no limit for numbers, so they are written in full.
    pub fn int(&mut self, n: impl itoa::Integer) {
        self.next();
        self.out.extend_from_slice(itoa::Buffer::new().format(n).as_bytes());
    }

    /// A finite number.
    pub fn fraction(&mut self, n: f64) {
        self.next();
        // Rust's text for it is valid JSON.
        self.out.extend_from_slice(n.to_string().as_bytes());
    }

    pub fn bool(&mut self, b: bool) {
        self.word(if b { "true" } else { "false" });
    }

    pub fn null(&mut self) {
        self.word("null");
    }

    fn word(&mut self, word: &str) {
        self.next();
        self.out.extend_from_slice(word.as_bytes());
    }

    /// Writes text of Stride's own, or other text that is known to be UTF-8.
    pub fn str(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// `"0x1f"`.
    pub fn hex(&mut self, n: u64) {
        self.next();
        self.out.extend_from_slice(b"\"0x");
        digits::hex(self.out, n);
        self.out.push(b'"');
    }

    /// Bytes as text. Invalid UTF-8 is replaced by U+FFFD; then the result is false.
    pub fn bytes(&mut self, bytes: &[u8]) -> bool {
        self.next();
        self.out.push(b'"');
        let mut lossless = true;
        let (plain, rest) = bytes.split_at(plain_length(bytes));
        self.out.extend_from_slice(plain);
        if rest.is_empty() {
            self.out.push(b'"');
            return true;
        }
        for chunk in rest.utf8_chunks() {
            self.escape(chunk.valid());
            if !chunk.invalid().is_empty() {
                lossless = false;
                self.out.extend_from_slice("\u{fffd}".as_bytes());
            }
        }
        self.out.push(b'"');
        lossless
    }

    fn escape(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| c.is_control() || c == '"' || c == '\\') {
            self.out.extend_from_slice(&rest.as_bytes()[..at]);
            let Some(c) = rest[at..].chars().next() else { break };
            match c {
                '"' | '\\' => self.out.extend_from_slice(&[b'\\', c as u8]),
                '\n' => self.out.extend_from_slice(b"\\n"),
                '\t' => self.out.extend_from_slice(b"\\t"),
                '\r' => self.out.extend_from_slice(b"\\r"),
                // JSON demands escapes up to U+001F. The characters from U+007F on may drive a terminal as well.
                c => {
                    self.out.extend_from_slice(b"\\u00");
                    self.octets(&[c as u8]);
                }
            }
            rest = &rest[at + c.len_utf8()..];
        }
        self.out.extend_from_slice(rest.as_bytes());
    }

    /// `"7f454c46"`: all bytes in hexadecimal.
    pub fn octet_string(&mut self, bytes: &[u8]) {
        self.next();
        self.out.push(b'"');
        self.octets(bytes);
        self.out.push(b'"');
    }

    fn octets(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.out.extend_from_slice(&[DIGITS[b as usize >> 4], DIGITS[b as usize & 15]]);
        }
    }

    /// A member with text. If the bytes are not all text, `NAME_hex` has them as well.
    pub fn name(&mut self, name: &str, bytes: &[u8]) {
        if !self.key(name).bytes(bytes) {
            self.key_of(name, "_hex").octet_string(bytes);
        }
    }

    /// Like [`Json::key`], for a name with an ending.
    pub fn key_of(&mut self, name: &str, ending: &str) -> &mut Self {
        self.key(name);
        self.out.truncate(self.out.len() - 2);
        self.out.extend_from_slice(ending.as_bytes());
        self.out.extend_from_slice(b"\":");
        self
    }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// A short text as a number, with its first byte lowest. Few names are longer. Pieces that overlap are read, because their sizes are fixed.
#[inline]
fn short(text: &[u8]) -> Option<u128> {
    let len = text.len();
    let at = |i: usize| u128::from(text[i]) << (8 * i);
    Some(match (text.first_chunk(), text.last_chunk(), text.first_chunk(), text.last_chunk()) {
        _ if len > 13 => return None,
        (Some(&first), Some(&last), ..) => {
            u128::from(u64::from_le_bytes(first)) | u128::from(u64::from_le_bytes(last)) << (8 * (len - 8))
        }
        (_, _, Some(&first), Some(&last)) => {
            u128::from(u32::from_le_bytes(first)) | u128::from(u32::from_le_bytes(last)) << (8 * (len - 4))
        }
        _ if len == 0 => 0,
        _ => at(0) | at(len / 2) | at(len - 1),
    })
}

/// The number of bytes at the beginning that stand for themselves. Whole blocks are checked at a time, because most text needs no escapes.
fn plain_length(bytes: &[u8]) -> usize {
    let all = |block: &[u8]| block.iter().fold(true, |all, &b| all & is_plain(b));
    let (blocks, _) = bytes.as_chunks::<16>();
    let whole = 16 * blocks.iter().take_while(|block| all(&block[..])).count();
    let rest = &bytes[whole..];
    // The last block overlaps the one before.
    if rest.len() < 16 && bytes.last_chunk::<16>().is_some_and(|block| all(block)) {
        return bytes.len();
    }
    whole + rest.iter().position(|&b| !is_plain(b)).unwrap_or(rest.len())
}

/// True if the byte stands for itself in a string and is a whole character.
fn is_plain(b: u8) -> bool {
    // Without branches, sixteen bytes are checked at once.
    (0x20..0x7f).contains(&b) & (b != b'"') & (b != b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(f: impl FnOnce(&mut Json<'_>)) -> String {
        let mut out = Vec::new();
        f(&mut Json::new(&mut out));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn commas_stand_between() {
        let text = json(|j| {
            j.object(|j| {
                j.key("a").int(-1);
                j.key("b").array(|j| {
                    j.str("{");
                    j.str("[");
                    j.null();
                    j.object(|_| {});
                    j.array(|_| {});
                });
                j.key("c").bool(true);
            });
        });
        assert_eq!(text, r#"{"a":-1,"b":["{","[",null,{},[]],"c":true}"#);
    }

    #[test]
    fn names_of_each_length() {
        let name = "abcdefghijklmnopqrstuvwxyz";
        for len in 0..=name.len() {
            let name = &name[..len];
            assert_eq!(json(|j| j.object(|j| j.key(name).own(name))), format!("{{\"{name}\":\"{name}\"}}"));
        }
    }

    #[test]
    fn numbers_are_whole() {
        for (n, text) in [(0, "\"0x0\""), (15, "\"0xf\""), (16, "\"0x10\""), (u64::MAX, "\"0xffffffffffffffff\"")] {
            assert_eq!(json(|j| j.hex(n)), text);
        }
        assert_eq!(json(|j| j.int(u64::MAX)), "18446744073709551615");
        assert_eq!(json(|j| j.int(i64::MIN)), "-9223372036854775808");
    }

    #[test]
    fn hostile_bytes_are_escaped() {
        let escaped = |bytes: &[u8]| json(|j| _ = j.bytes(bytes));
        assert_eq!(escaped(b"a\"b\\c\n\r\t\x1b[2J\x7f\0</script>"), r#""a\"b\\c\n\r\t\u001b[2J\u007f\u0000</script>""#);
        assert_eq!(escaped("ä\u{9b}2J€".as_bytes()), "\"ä\\u009b2J€\"");
        assert_eq!(escaped(b"\xff\xc3"), "\"\u{fffd}\u{fffd}\"");
        assert_eq!(escaped(b"\xed\xa0\x80").chars().filter(|&c| c == '\u{fffd}').count(), 3);
    }

    #[test]
    fn escapes_at_each_place() {
        for len in 0..50 {
            let text = vec![b'x'; len];
            assert_eq!(plain_length(&text), len);
            for at in 0..len {
                let mut text = text.clone();
                text[at] = b'"';
                assert_eq!(plain_length(&text), at, "of {len}");
            }
        }
    }

    #[test]
    fn what_is_no_text_is_there_in_full() {
        assert_eq!(json(|j| j.object(|j| j.name("path", b"a\xff"))), "{\"path\":\"a\u{fffd}\",\"path_hex\":\"61ff\"}");
        assert_eq!(json(|j| j.object(|j| j.name("path", b"a\n"))), r#"{"path":"a\n"}"#);
    }
}
