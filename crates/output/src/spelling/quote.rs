//! Quoting of tracee bytes, as strace does it. No byte of a tracee reaches the terminal unescaped.

use crate::HexStrings;

/// The letter of a byte's escape in a quoted string, if it has one.
pub(crate) fn letter(b: u8) -> Option<u8> {
    Some(match b {
        b'"' => b'"',
        b'\\' => b'\\',
        b'\t' => b't',
        b'\n' => b'n',
        0x0b => b'v',
        0x0c => b'f',
        b'\r' => b'r',
        _ => return None,
    })
}

pub(crate) fn is_plain(b: u8) -> bool {
    (0x20..0x7f).contains(&b)
}

/// Appends `"bytes"`.
pub fn quote(out: &mut Vec<u8>, bytes: &[u8], hex: HexStrings) {
    out.push(b'"');
    escape(out, bytes, hex, IN_QUOTES);
    out.push(b'"');
}

/// Appends bytes between `<` and `>`. Bytes that would end or confuse them are escaped.
pub fn escape_path(out: &mut Vec<u8>, bytes: &[u8], hex: HexStrings) {
    escape(out, bytes, hex, IN_BRACKETS);
}

/// The tracker's name for an object. A tracee may have made it up, so it is escaped as a path is. Only the arrows with
/// blanks around them, which the tracker writes between the ends of a connection, stay.
pub fn shown(name: &[u8]) -> String {
    const ARROWS: [&str; 2] = [" → ", " ← "];
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name;
    let find = |rest: &[u8], arrow: &str| rest.windows(arrow.len()).position(|part| part == arrow.as_bytes());
    while let Some((at, arrow)) = ARROWS.iter().filter_map(|arrow| Some((find(rest, arrow)?, arrow))).min() {
        escape_path(&mut out, &rest[..at], HexStrings::Never);
        out.extend_from_slice(arrow.as_bytes());
        rest = &rest[at + arrow.len()..];
    }
    escape_path(&mut out, rest, HexStrings::Never);
    String::from_utf8_lossy(&out).into_owned()
}

/// True for characters that are invisible, end a line, or change how others are shown.
pub(crate) fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Appends a name from a program's source, in any language. Characters that are invisible, or that change how others
/// are shown, are written as `\u{...}`.
pub fn legible(out: &mut Vec<u8>, name: &str) {
    // Most names have nothing to escape, and go out whole.
    if name.bytes().all(is_plain) {
        out.extend_from_slice(name.as_bytes());
        return;
    }
    for c in name.chars() {
        if is_deceptive(c) {
            out.extend(c.escape_unicode().map(|c| c as u8));
        } else {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

impl HexStrings {
    /// True if all of these bytes are written in hexadecimal.
    pub fn all_of(self, bytes: &[u8]) -> bool {
        match self {
            HexStrings::All => true,
            HexStrings::NonAscii => bytes.iter().any(|&b| !is_plain(b) && !(0x09..=0x0d).contains(&b)),
            HexStrings::Never | HexStrings::NonAsciiChars => false,
        }
    }
}

/// Bits of [`ESCAPED`].
const IN_QUOTES: u8 = 1;
const IN_BRACKETS: u8 = 2;

/// For each byte, where it must be escaped.
static ESCAPED: [u8; 256] = {
    let mut escaped = [0; 256];
    let mut b = 0;
    while b < 256 {
        let always = b < 0x20 || b >= 0x7f || b == b'"' as usize || b == b'\\' as usize;
        escaped[b] = match b as u8 {
            _ if always => IN_QUOTES | IN_BRACKETS,
            b'<' | b'>' => IN_BRACKETS,
            _ => 0,
        };
        b += 1;
    }
    escaped
};

/// Appends bytes with escapes. Those that have no letter are written as numbers.
fn escape(out: &mut Vec<u8>, bytes: &[u8], hex: HexStrings, place: u8) {
    if hex.all_of(bytes) {
        for &b in bytes {
            push_hex(out, b);
        }
        return;
    }
    let mut i = 0;
    while i < bytes.len() {
        // The longest run without escapes is copied at once.
        let rest = &bytes[i..];
        let run = rest.iter().position(|&b| ESCAPED[usize::from(b)] & place != 0).unwrap_or(rest.len());
        out.extend_from_slice(&bytes[i..i + run]);
        i += run;
        let Some(&b) = bytes.get(i) else { break };
        i += 1;
        if let Some(letter) = letter(b) {
            out.extend_from_slice(&[b'\\', letter]);
        } else if hex == HexStrings::NonAsciiChars {
            push_hex(out, b);
        } else {
            push_octal(out, b, bytes.get(i).copied());
        }
    }
}

fn push_hex(out: &mut Vec<u8>, b: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(&[b'\\', b'x', DIGITS[b as usize >> 4], DIGITS[b as usize & 15]]);
}

/// The shortest octal escape that stays unambiguous before the following digit.
fn push_octal(out: &mut Vec<u8>, b: u8, next: Option<u8>) {
    let digits = [b'0' + (b >> 6), b'0' + ((b >> 3) & 7), b'0' + (b & 7)];
    let from = match next {
        Some(b'0'..=b'7') => 0,
        _ if b >= 0o100 => 0,
        _ if b >= 0o10 => 1,
        _ => 2,
    };
    out.push(b'\\');
    out.extend_from_slice(&digits[from..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(bytes: &[u8], hex: HexStrings) -> String {
        let mut out = Vec::new();
        quote(&mut out, bytes, hex);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn escapes_as_short_as_possible() {
        assert_eq!(quoted(b"a\"b\\\n\x7f", HexStrings::Never), r#""a\"b\\\n\177""#);
        assert_eq!(quoted(b"\0\x001\x018", HexStrings::Never), r#""\0\0001\18""#);
    }

    #[test]
    fn hex_when_asked() {
        assert_eq!(quoted(b"a\n", HexStrings::NonAscii), r#""a\n""#);
        assert_eq!(quoted(b"a\x01", HexStrings::NonAscii), r#""\x61\x01""#);
        assert_eq!(quoted(b"a\x01\n", HexStrings::NonAsciiChars), r#""a\x01\n""#);
    }

    #[test]
    fn brackets_do_not_end_a_path() {
        let mut out = Vec::new();
        escape_path(&mut out, b"/a>b<", HexStrings::Never);
        assert_eq!(out, br"/a\76b\74");
    }
}
