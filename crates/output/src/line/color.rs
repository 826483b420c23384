//! Colours: the colour of each part of a line, and the adding of colours.
//!
//! Lines are laid out without colours. Each part is painted when it is complete, so code that measures or cuts text
//! never sees escape sequences. The tracee's text contains none, because the line has escaped them.

use std::ops::Range;

/// The kinds of text that have a colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Syscall,
    ArgName,
    ArgValue,
    /// The name in a C call that stands for a value: `makedev(0x8, 0x1)`.
    Call,
    Const,
    Comment,
    Punctuation,
    Return,
    Error,
}

const ROLES: [(&str, Role, &str); 9] = [
    ("syscall", Role::Syscall, "33"),
    ("argname", Role::ArgName, "39"),
    ("argval", Role::ArgValue, "35"),
    ("call", Role::Call, "33"),
    ("const", Role::Const, "34"),
    ("comment", Role::Comment, "36"),
    ("punct", Role::Punctuation, "0"),
    ("retval", Role::Return, "32"),
    ("error", Role::Error, "31"),
];

/// SGR parameters for each role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Palette {
    codes: [String; ROLES.len()],
}

impl Default for Palette {
    fn default() -> Palette {
        Palette { codes: ROLES.map(|(_, _, code)| code.into()) }
    }
}

impl Palette {
    /// Parses `syscall=1;33:error=31`. Keys may be in any case, with blanks around keys and codes. Invalid entries are
    /// ignored.
    pub fn parse(text: &str) -> Palette {
        let mut palette = Palette::default();
        for (key, code) in text.split(':').filter_map(|pair| pair.split_once('=')) {
            let (key, code) = (key.trim(), code.trim());
            let well_formed =
                !code.is_empty() && code.split(';').all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
            if let Some(role) = ROLES.iter().find(|(name, ..)| name.eq_ignore_ascii_case(key))
                && well_formed
            {
                palette.codes[role.1 as usize] = code.into();
            }
        }
        palette
    }

    pub fn paint(&self, role: Role, text: &[u8], out: &mut Vec<u8>) {
        let code = &self.codes[role as usize];
        // Code 0 sets no attribute, and blanks show no colour.
        if code == "0" || text.iter().all(|&b| b == b' ') {
            out.extend_from_slice(text);
            return;
        }
        out.extend_from_slice(b"\x1b[");
        out.extend_from_slice(code.as_bytes());
        out.push(b'm');
        out.extend_from_slice(text);
        out.extend_from_slice(b"\x1b[0m");
    }
}

/// How a stretch of a line is painted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Span {
    Plain,
    Whole(Role),
    /// Values: each token has the colour of its kind; numbers and strings have the colour of this role.
    Values(Role),
}

/// The beginning of the spans of the unfinished part.
#[derive(Debug, Default)]
pub struct Spans {
    starts: Vec<(usize, Span)>,
}

impl Spans {
    /// Starts a span at position `at` of the buffer.
    pub fn mark(&mut self, at: usize, span: Span) {
        self.starts.push((at, span));
    }

    /// Paints the text since the first mark and clears the marks. Returns how many bytes the text grew.
    pub fn paint(&mut self, palette: &Palette, out: &mut Vec<u8>) -> usize {
        let Some(&(first, _)) = self.starts.first() else { return 0 };
        let text = out.split_off(first);
        for (i, &(start, span)) in self.starts.iter().enumerate() {
            let end = self.starts.get(i + 1).map_or(text.len(), |next| next.0 - first);
            let piece = &text[start - first..end];
            match span {
                Span::Plain => out.extend_from_slice(piece),
                Span::Whole(role) => palette.paint(role, piece, out),
                Span::Values(role) => values(palette, role, piece, out),
            }
        }
        self.starts.clear();
        out.len() - first - text.len()
    }
}

fn values(palette: &Palette, numbers: Role, text: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while at < text.len() {
        let (role, range) = token(text, at);
        at = range.end;
        palette.paint(role.unwrap_or(numbers), &text[range], out);
    }
}

/// The token at `at`. It is never empty. Numbers and strings have no role.
fn token(text: &[u8], at: usize) -> (Option<Role>, Range<usize>) {
    let rest = &text[at..];
    let run = |test: &dyn Fn(u8) -> bool| at + rest.iter().position(|&b| !test(b)).unwrap_or(rest.len());
    match rest[0] {
        b'"' => (None, at..string_end(text, at)),
        b'/' if rest.starts_with(b"/*") => {
            let end = rest.windows(2).skip(2).position(|w| w == b"*/").map_or(text.len(), |i| at + i + 4);
            (Some(Role::Comment), at..end)
        }
        // `<unfinished ...>` and the like belong to the line, `3</etc/passwd>` to a value.
        b' ' if rest.starts_with(b" <") => {
            (Some(Role::Punctuation), at..(at + rest.iter().position(|&b| b == b'>').map_or(rest.len(), |i| i + 1)))
        }
        b'<' if rest.get(1).is_some_and(|&b| b != b'<') && at > 0 && (text[at - 1].is_ascii_alphanumeric()) => {
            (None, at..(at + rest.iter().position(|&b| b == b'>').map_or(rest.len(), |i| i + 1)))
        }
        b'-' if rest.get(1).is_some_and(u8::is_ascii_digit) => {
            (None, at..1 + at + rest[1..].iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(rest.len() - 1))
        }
        b if b.is_ascii_digit() => (None, at..run(&|b| b.is_ascii_alphanumeric() || b == b'.')),
        b if b.is_ascii_alphabetic() || b == b'_' => {
            let end = run(&|b| b.is_ascii_alphanumeric() || b == b'_');
            let role = match text.get(end) {
                Some(b'=') if text.get(end + 1) != Some(&b'=') => Role::ArgName,
                Some(b'(') => Role::Call,
                _ => Role::Const,
            };
            (Some(role), at..end)
        }
        _ => (Some(Role::Punctuation), at..at + 1),
    }
}

/// The end of the string: behind its closing quote, and the dots that may follow.
fn string_end(text: &[u8], at: usize) -> usize {
    let mut i = at + 1;
    while i < text.len() {
        match text[i] {
            b'\\' => i += 2,
            b'"' => {
                let end = i + 1;
                return if text[end..].starts_with(b"...") { end + 3 } else { end };
            }
            _ => i += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(text: &str) -> String {
        let mut out = Vec::new();
        let mut spans = Spans::default();
        spans.mark(0, Span::Values(Role::ArgValue));
        out.extend_from_slice(text.as_bytes());
        spans.paint(&Palette::default(), &mut out);
        String::from_utf8(out).unwrap().replace("\x1b[0m", "}").replace("\x1b[", "{")
    }

    #[test]
    fn palettes() {
        let default = Palette::default();
        assert_eq!(Palette::parse(""), default);
        for nonsense in ["syscall=", "syscall=1;31;foo", "syscall", "nonsense=1", "error=1;;2", "syscall=\x1b[1m"] {
            assert_eq!(Palette::parse(nonsense), default, "{nonsense:?}");
        }
        let palette = Palette::parse(" SysCall = 1;31 : unknown=1 :error=93:error=95");
        assert_eq!(palette.codes[Role::Syscall as usize], "1;31");
        assert_eq!(palette.codes[Role::Error as usize], "95");
        assert_eq!(palette.codes[Role::Const as usize], "34");
    }

    #[test]
    fn tokens() {
        assert_eq!(painted(r#"3, "a, b\"c"..., 0x1f"#), r#"{35m3}, {35m"a, b\"c"...}, {35m0x1f}"#);
        assert_eq!(painted("O_RDONLY|O_CLOEXEC"), "{34mO_RDONLY}|{34mO_CLOEXEC}");
        assert_eq!(painted("{st_rdev=makedev(0x8, -1)}"), "{{39mst_rdev}={33mmakedev}({35m0x8}, {35m-1})}");
        assert_eq!(painted("0x5 /* FOO */, NULL"), "{35m0x5} {36m/* FOO */}, {34mNULL}");
        assert_eq!(painted("3</a=b(\\76>"), "{35m3}{35m</a=b(\\76>}");
        assert_eq!(painted("s == 3"), "{34ms} == {35m3}");
    }

    #[test]
    fn what_is_cut_short_ends_somewhere() {
        for text in ["\"", "\"\\", "/*", "/* x *", "3<", "-", "<", " <", "a", "=", ""] {
            let plain: String = painted(text);
            assert!(plain.len() >= text.len(), "{text:?}");
        }
    }
}
