//! Command lines that can be pasted into a shell.

use crate::spelling::legible::is_invisible;

/// Appends a word with the quotes that it needs. Bytes that cannot be seen are escaped as bash, zsh and ksh have it:
/// `$'\x1b'`.
pub fn push_word(out: &mut String, word: &[u8], is_program: bool) {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./,+@%:".contains(byte);
    // In the place of the program, `A=b` would set a variable.
    let is_plain = |byte: &u8| plain(byte) || *byte == b'=' && !is_program;
    match std::str::from_utf8(word) {
        Ok(text) if !word.is_empty() && word.iter().all(is_plain) => out.push_str(text),
        Ok(text) if !text.chars().any(|c| c.is_control() || is_invisible(c)) => {
            out.push('\'');
            out.push_str(&text.replace('\'', "'\\''"));
            out.push('\'');
        }
        _ => {
            out.push_str("$'");
            for &byte in word {
                match byte {
                    b'\n' => out.push_str("\\n"),
                    b'\t' => out.push_str("\\t"),
                    b'\r' => out.push_str("\\r"),
                    b'\'' | b'\\' => out.extend(['\\', byte.into()]),
                    0x20..0x7f => out.push(byte.into()),
                    _ => out.push_str(&format!("\\x{byte:02x}")),
                }
            }
            out.push('\'');
        }
    }
}

/// A word that is no program, with the quotes that it needs.
pub fn shell_word(word: &[u8]) -> String {
    let mut quoted = String::new();
    push_word(&mut quoted, word, false);
    quoted
}

/// A command line of at most about `most` bytes. A word of `captured` bytes is not whole. What is missing is shown as
/// `…`.
pub fn command_line<'w>(words: impl Iterator<Item = &'w [u8]>, captured: usize, most: usize) -> String {
    let mut line = String::new();
    for (i, word) in words.enumerate() {
        if i > 0 {
            line.push(' ');
        }
        if line.len() >= most {
            line.push('…');
            break;
        }
        let shown = &word[..word.len().min(captured).min(most)];
        push_word(&mut line, shown, i == 0);
        if shown.len() < word.len() || word.len() >= captured {
            line.push('…');
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(words: &[&[u8]]) -> String {
        command_line(words.iter().copied(), 100, 1000)
    }

    #[test]
    fn words_are_quoted_as_needed() {
        assert_eq!(quoted(&[b"cc", b"-O2", b"-DA=1", b"a b.c", b""]), "cc -O2 -DA=1 'a b.c' ''");
        assert_eq!(quoted(&[b"A=b", b"it's", b"$HOME", b"*", b"~", b"#x"]), r"'A=b' 'it'\''s' '$HOME' '*' '~' '#x'");
        assert_eq!(quoted(&["größe".as_bytes()]), "'größe'");
        assert_eq!(quoted(&[b"\x1b[31m\n'\\\xff"]), r"$'\x1b[31m\n\'\\\xff'");
        assert_eq!(quoted(&["a\u{202e}b".as_bytes()]), r"$'a\xe2\x80\xaeb'");
        assert_eq!(command_line([&b"abcdef"[..], b"gh"].into_iter(), 4, 1000), "abcd… gh");
        assert_eq!(command_line([&b"abcdef"[..]; 9].into_iter(), 100, 12), "abcdef abcdef …");
    }

    /// A shell reads the same words.
    #[test]
    fn a_shell_reads_the_words_again() {
        let words: [&[u8]; 6] =
            [b"printf", b"%s\\n", b"it's \"$x\" `y`", b"\x01\x02\xfe", "ö\u{200b}".as_bytes(), b"!a{b,c}"];
        let bash = std::process::Command::new("bash").args(["-c", &quoted(&words)]).output();
        // (Without bash, nothing is compared.)
        let Ok(output) = bash else { return };
        let expected: Vec<u8> = words[2..].iter().flat_map(|word| word.iter().copied().chain([b'\n'])).collect();
        assert_eq!(output.stdout, expected);
    }
}
