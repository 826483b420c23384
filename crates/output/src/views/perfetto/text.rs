//! Tracee bytes as text for fields of type `string`. A file with invalid UTF-8 in them is unreadable.

use std::borrow::Cow;

/// Text as it is. Invalid UTF-8 and characters that are invisible or misleading are escaped: `\xff`, `
/// `, `\u{202e}`.
pub fn printable(bytes: &[u8]) -> Cow<'_, str> {
    let plain = |b: &u8| (0x20..0x7f).contains(b) && *b != b'\\';
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.iter().all(plain) => return Cow::Borrowed(text),
        _ => {}
    }
    let mut out = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\'' => out.push(c),
                c => out.extend(c.escape_debug()),
            }
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_and_the_rest_is_escaped() {
        assert!(matches!(printable(b"/etc/\"passwd\""), Cow::Borrowed("/etc/\"passwd\"")));
        assert_eq!(printable("/tmp/é → '".as_bytes()), "/tmp/é → '");
        assert_eq!(printable(b"a\n\x1b[31m\xff\\"), r"a\n\u{1b}[31m\xff\\");
        assert_eq!(printable("\u{202e}gpj".as_bytes()), r"\u{202e}gpj");
    }
}
