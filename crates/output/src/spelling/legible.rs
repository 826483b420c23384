//! Tracee bytes as text for the page. JSON and the page's script keep the bytes inert; this module keeps them readable.

use std::fmt::Write;

/// The bytes as UTF-8 text. Invalid UTF-8, control characters, direction marks and invisible characters are escaped, so
/// a name looks like what it is. Longer texts lose their middle.
pub fn legible(bytes: &[u8], most: usize) -> String {
    let mut out = String::with_capacity(bytes.len().min(most));
    if bytes.len() > most {
        let half = most / 2;
        escape(&mut out, &bytes[..half]);
        out.push('…');
        escape(&mut out, &bytes[bytes.len() - half..]);
    } else {
        escape(&mut out, bytes);
    }
    out
}

fn escape(out: &mut String, bytes: &[u8]) {
    // Writing to a string does not fail.
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                c if c.is_ascii_control() => {
                    let _ = write!(out, "\\x{:02x}", c as u32);
                }
                c if c.is_control() || is_invisible(c) => {
                    let _ = write!(out, "\\u{{{:x}}}", c as u32);
                }
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
}

/// True if the character is a direction mark, joiner, line separator, variation selector or tag.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// The words of a command line, with a shell's quotes where needed. At most `limit` words, and bytes of each word, were
/// captured.
pub fn command_line(words: &[impl AsRef<[u8]>], most: usize, limit: usize) -> String {
    let mut line = Vec::new();
    for word in words {
        if line.len() > most {
            // The line is already longer than `most`, so its middle will be cut.
            line.extend_from_slice(" …".as_bytes());
            break;
        }
        if !line.is_empty() {
            line.push(b' ');
        }
        let word = word.as_ref();
        let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_./=:,+@%^~".contains(b) || *b >= 0x80;
        if !word.is_empty() && word.iter().all(plain) {
            line.extend_from_slice(word);
        } else {
            line.push(b'\'');
            line.extend_from_slice(&word[..word.len().min(2 * most)]);
            line.push(b'\'');
        }
        if word.len() >= limit {
            line.extend_from_slice("…".as_bytes());
        }
    }
    if words.len() >= limit {
        line.extend_from_slice(" …".as_bytes());
    }
    if line.len() > most {
        let mut text = legible(&line[..most], most);
        text.push('…');
        return text;
    }
    legible(&line, most)
}

/// A text of Stride's own, cut to this many bytes.
pub fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut cut = text[..text.floor_char_boundary(most)].to_owned();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        assert_eq!(legible("/tmp/größe".as_bytes(), 99), "/tmp/größe");
        assert_eq!(legible(b"a\nb\x1b[31m\xff", 99), r"a\nb\x1b[31m\xff");
        assert_eq!(legible("a\u{202e}b\u{2028}\u{feff}".as_bytes(), 99), r"a\u{202e}b\u{2028}\u{feff}");
        assert_eq!(legible(b"0123456789", 6), "012…789");
        assert_eq!(legible("ééé".as_bytes(), 3), "\\xc3…\\xa9");
    }

    #[test]
    fn command_lines() {
        assert_eq!(command_line(&["ls", "-l", "a b", ""], 99, 9), "ls -l 'a b' ''");
        assert_eq!(command_line(&["abc", "def", "ghi"], 5, 9), "abc d…");
        assert_eq!(command_line(&["abc", "d e", "f"], 99, 3), "abc… 'd e'… f …");
        assert_eq!(cut("aé", 2), "a…");
    }
}
