//! Patterns as the shell has them, for names and paths: `*`, `?`, `[a-z]`, `[!a-z]`, and a backslash before a character that
//! stands for itself. A `!` before the pattern turns its meaning round.
//!
//! The eBPF engine's kernel side matches the same atoms (`glob.h`).

/// One part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atom {
    /// This byte.
    Byte(u8),
    /// One byte, whichever it is.
    Any,
    /// Any number of bytes, also a slash.
    Star,
    /// One byte of this set.
    Class([u64; 4]),
}

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    /// Its parts, from left to right.
    pub atoms: Vec<Atom>,
    /// A text that matches is not wanted.
    pub inverted: bool,
}

impl Glob {
    /// The longest pattern, and the most classes in one.
    pub const ATOMS: usize = 256;
    /// The most classes of bytes in one pattern.
    pub const CLASSES: usize = 8;

    /// The error says what is wrong with the pattern.
    pub fn parse(text: &[u8]) -> Result<Glob, &'static str> {
        let (inverted, mut rest) = match text.split_first() {
            Some((b'!', rest)) => (true, rest),
            _ => (false, text),
        };
        if rest.is_empty() {
            return Err("it is empty");
        }
        let mut atoms = Vec::new();
        while let Some((&byte, after)) = rest.split_first() {
            let (atom, left) = match byte {
                b'*' => (Atom::Star, after),
                b'?' => (Atom::Any, after),
                b'\\' => match after.split_first() {
                    Some((&byte, after)) => (Atom::Byte(byte), after),
                    None => return Err("a backslash at the end stands before nothing"),
                },
                b'[' => class(after).ok_or("a bracket is not closed")?,
                _ => (Atom::Byte(byte), after),
            };
            rest = left;
            // Several stars in a row mean the same as one.
            if atom != Atom::Star || atoms.last() != Some(&Atom::Star) {
                atoms.push(atom);
            }
        }
        if atoms.len() > Self::ATOMS {
            return Err("it is longer than 256 characters");
        }
        if atoms.iter().filter(|atom| matches!(atom, Atom::Class(_))).count() > Self::CLASSES {
            return Err("it has more than 8 bracketed sets");
        }
        Ok(Glob { atoms, inverted })
    }

    /// The same for paths: without a slash, the pattern is compared with the part behind a path's last slash.
    pub fn of_path(text: &[u8]) -> Result<Glob, &'static str> {
        let mut glob = Self::parse(text)?;
        if !text.contains(&b'/') && glob.atoms.len() + 2 <= Self::ATOMS {
            glob.atoms.splice(0..0, [Atom::Star, Atom::Byte(b'/')]);
        }
        Ok(glob)
    }

    /// True if the text has the pattern's form, `inverted` or not.
    pub fn matches(&self, text: &[u8]) -> bool {
        let (mut p, mut s) = (0, 0);
        let mut star = None;
        loop {
            match self.atoms.get(p) {
                Some(Atom::Star) => {
                    star = Some((p + 1, s));
                    p += 1;
                }
                _ if s == text.len() => return p == self.atoms.len(),
                Some(atom) if atom.fits(text[s]) => (p, s) = (p + 1, s + 1),
                _ => match &mut star {
                    Some((behind, from)) => {
                        *from += 1;
                        (p, s) = (*behind, *from);
                    }
                    None => return false,
                },
            }
        }
    }

    /// True if these patterns want the thing that `matches` compares them with: it matches some pattern, if there are any to
    /// match, and none of the inverted ones. (The kernel side has the same rule: `text_matches`.)
    pub fn wanted<'a>(globs: impl Iterator<Item = &'a Glob> + Clone, matches: impl Fn(usize, &Glob) -> bool) -> bool {
        let hit = |inverted| globs.clone().enumerate().any(|(i, glob)| glob.inverted == inverted && matches(i, glob));
        let must = globs.clone().any(|glob| !glob.inverted);
        (!must || hit(false)) && !hit(true)
    }
}

impl Atom {
    fn fits(&self, byte: u8) -> bool {
        match self {
            Atom::Byte(own) => *own == byte,
            Atom::Any | Atom::Star => true,
            Atom::Class(bits) => bits[usize::from(byte / 64)] >> (byte % 64) & 1 != 0,
        }
    }
}

/// The set that begins behind a bracket, and the text behind it.
fn class(text: &[u8]) -> Option<(Atom, &[u8])> {
    let (not, mut rest) = match text.split_first()? {
        (b'!' | b'^', rest) => (true, rest),
        _ => (false, text),
    };
    let mut bits = [0u64; 4];
    let mut first = true;
    loop {
        let (&from, after) = rest.split_first()?;
        rest = after;
        // A bracket that comes first stands for itself.
        if from == b']' && !first {
            break;
        }
        first = false;
        let to = match rest {
            [b'-', to, after @ ..] if *to != b']' => {
                rest = after;
                *to
            }
            _ => from,
        };
        for byte in from..=to {
            bits[usize::from(byte / 64)] |= 1 << (byte % 64);
        }
    }
    Some((Atom::Class(if not { bits.map(|word| !word) } else { bits }), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, matching, others) in [
            ("nginx", &["nginx"][..], &["nginx2", "ngin", ""][..]),
            ("*", &["", "a", "a/b"], &[]),
            ("a*b*c", &["abc", "aXbYc", "abbcbc"], &["ab", "acb", "abcd"]),
            ("?", &["x"], &["", "xy"]),
            ("[a-c]x", &["ax", "cx"], &["dx", "x"]),
            ("[!a-c]x", &["dx", "]x"], &["ax"]),
            ("[]]", &["]"], &["a"]),
            ("[a-]", &["a", "-"], &["b"]),
            ("\\*", &["*"], &["a", ""]),
            ("**a", &["a", "ba"], &["ab"]),
        ] {
            let glob = Glob::parse(pattern.as_bytes()).unwrap();
            for text in matching {
                assert!(glob.matches(text.as_bytes()), "{pattern} {text}");
            }
            for text in others {
                assert!(!glob.matches(text.as_bytes()), "{pattern} {text}");
            }
        }
    }

    #[test]
    fn paths_are_matched_whole_or_by_their_last_part() {
        let glob = |text: &str| Glob::of_path(text.as_bytes()).unwrap();
        assert!(glob("nginx").matches(b"/usr/sbin/nginx") && !glob("nginx").matches(b"/usr/nginx/x"));
        assert!(glob("/usr/*").matches(b"/usr/sbin/nginx") && !glob("/usr/*").matches(b"/opt/usr/x"));
    }

    #[test]
    fn several_patterns() {
        let globs = |texts: &[&str]| texts.iter().map(|t| Glob::parse(t.as_bytes()).unwrap()).collect::<Vec<_>>();
        let wanted =
            |texts: &[&str], name: &str| Glob::wanted(globs(texts).iter(), |_, glob| glob.matches(name.as_bytes()));
        assert!(wanted(&[], "x") && wanted(&["a", "b"], "b") && !wanted(&["a", "b"], "c"));
        assert!(wanted(&["!a"], "b") && !wanted(&["!a"], "a"));
        assert!(wanted(&["a*", "!ab"], "ac") && !wanted(&["a*", "!ab"], "ab"));
    }

    #[test]
    fn mistakes() {
        for (text, message) in [
            ("", "it is empty"),
            ("!", "it is empty"),
            ("[a", "a bracket is not closed"),
            ("a\\", "a backslash at the end stands before nothing"),
        ] {
            assert_eq!(Glob::parse(text.as_bytes()), Err(message), "{text}");
        }
        assert!(Glob::parse(&[b'a'; 257]).is_err() && Glob::parse(&b"[a]".repeat(9)).is_err());
        // However often a star stands before a text that does not match, the time is bounded by the product of the lengths.
        assert!(!Glob::parse(&b"*a".repeat(128)).unwrap().matches(&[b'b'; 4096]));
    }
}
