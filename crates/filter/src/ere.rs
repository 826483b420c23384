//! POSIX extended regular expressions, compiled by the `regex` crate.
//!
//! The two languages are similar, but differ in details: in brackets, a backslash is an ordinary character; `a+?`
//! repeats a repetition and is not lazy; `\d` is a `d`; a lone `)` is a character. An expression is therefore
//! translated piece by piece. The translation also finds the errors and describes them in the words of `regcomp`, which
//! users of `-e trace=/...` know.

use crate::Error;
use regex::Regex;
use std::iter::Peekable;
use std::str::Chars;

pub(crate) fn compile(pattern: &str) -> Result<Regex, Error> {
    let translated = Translator::new(pattern).translate().map_err(|flaw| match flaw {
        Flaw::Posix(reason) => Error::Regex { pattern: pattern.into(), reason },
        Flaw::Backreference => Error::Backreference { pattern: pattern.into() },
    })?;
    // The only error left is that the unrolled repetitions are too large.
    Regex::new(&translated).map_err(|_| Error::Regex { pattern: pattern.into(), reason: TOO_BIG })
}

#[derive(Debug)]
enum Flaw {
    Posix(&'static str),
    Backreference,
}

const BAD_REPETITION: &str = "Invalid preceding regular expression";
const BRACES: &str = "Unmatched \\{";
const BRACE_CONTENT: &str = "Invalid content of \\{\\}";
const BRACKETS: &str = "Unmatched [, [^, [:, [., or [=";
const CLASS: &str = "Invalid character class name";
const COLLATION: &str = "Invalid collation character";
const PARENTHESES: &str = "Unmatched ( or \\(";
const RANGE: &str = "Invalid range end";
const TOO_BIG: &str = "Regular expression too big";
const TRAILING_BACKSLASH: &str = "Trailing backslash";

/// POSIX's RE_DUP_MAX, as the C library has it.
const REPEAT_MAX: u32 = 32767;

struct Translator<'a> {
    input: Peekable<Chars<'a>>,
    out: String,
    /// The start in `out` of the item that a repetition would apply to. None at the start of an alternative.
    item: Option<usize>,
    /// The start of each open group in `out`.
    groups: Vec<usize>,
}

impl<'a> Translator<'a> {
    fn new(pattern: &'a str) -> Self {
        Translator { input: pattern.chars().peekable(), out: String::new(), item: None, groups: Vec::new() }
    }

    fn translate(mut self) -> Result<String, Flaw> {
        while let Some(c) = self.input.next() {
            match c {
                '(' => {
                    self.groups.push(self.out.len());
                    self.out.push_str("(?:");
                    self.item = None;
                }
                // Without an open group, `)` is an ordinary character.
                ')' if !self.groups.is_empty() => {
                    self.item = self.groups.pop();
                    self.out.push(')');
                }
                '|' => {
                    self.out.push('|');
                    self.item = None;
                }
                // An anchor cannot be repeated.
                '^' => {
                    self.out.push('^');
                    self.item = None;
                }
                '$' | '.' => self.begin_item(c),
                '*' | '+' | '?' => self.repeat(&c.to_string())?,
                '{' => {
                    if self.item.is_none() {
                        return Err(Flaw::Posix(BAD_REPETITION));
                    }
                    let interval = self.interval()?;
                    self.repeat(&interval)?;
                }
                '[' => self.bracket()?,
                '\\' => self.escape()?,
                c => self.literal(c),
            }
        }
        if self.groups.is_empty() { Ok(self.out) } else { Err(Flaw::Posix(PARENTHESES)) }
    }

    fn begin_item(&mut self, c: char) {
        self.item = Some(self.out.len());
        self.out.push(c);
    }

    fn literal(&mut self, c: char) {
        self.item = Some(self.out.len());
        self.out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }

    /// Applies `operator` to the item before it. A group around both lets operators stack.
    fn repeat(&mut self, operator: &str) -> Result<(), Flaw> {
        let start = self.item.ok_or(Flaw::Posix(BAD_REPETITION))?;
        self.out.insert_str(start, "(?:");
        self.out.push(')');
        self.out.push_str(operator);
        // The next operator applies to the whole group.
        let whole = self.out.split_off(start);
        self.out.push_str("(?:");
        self.out.push_str(&whole);
        self.out.push(')');
        Ok(())
    }

    /// The rest of `{N}`, `{N,}`, `{,M}` or `{N,M}`.
    fn interval(&mut self) -> Result<String, Flaw> {
        let mut text = String::new();
        loop {
            match self.input.next() {
                Some('}') => break,
                Some(c) => text.push(c),
                None => return Err(Flaw::Posix(BRACES)),
            }
        }
        let bound = |text: &str| -> Result<u32, Flaw> {
            if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
                return Err(Flaw::Posix(BRACE_CONTENT));
            }
            text.parse().ok().filter(|n| *n <= REPEAT_MAX).ok_or(Flaw::Posix(TOO_BIG))
        };
        match text.split_once(',') {
            None => Ok(format!("{{{}}}", bound(&text)?)),
            Some((low, high)) => {
                let low = if low.is_empty() { 0 } else { bound(low)? };
                if high.is_empty() {
                    return Ok(format!("{{{low},}}"));
                }
                let high = bound(high)?;
                if low > high { Err(Flaw::Posix(BRACE_CONTENT)) } else { Ok(format!("{{{low},{high}}}")) }
            }
        }
    }

    /// The rest of a bracket expression.
    fn bracket(&mut self) -> Result<(), Flaw> {
        let start = self.out.len();
        self.out.push('[');
        if self.input.next_if_eq(&'^').is_some() {
            self.out.push('^');
        }
        let mut first = true;
        loop {
            let c = self.input.next().ok_or(Flaw::Posix(BRACKETS))?;
            if c == ']' && !first {
                break;
            }
            first = false;
            let low = match (c, self.input.peek()) {
                ('[', Some(':')) => {
                    let name = self.delimited(':')?;
                    if !CLASSES.contains(&name.as_str()) {
                        return Err(Flaw::Posix(CLASS));
                    }
                    self.out.push_str(&format!("[:{name}:]"));
                    continue;
                }
                ('[', Some(&kind @ ('.' | '='))) => self.collating(kind)?,
                _ => c,
            };
            self.push_in_bracket(low);
            // `-` makes a range unless it is the last member.
            let mut ahead = self.input.clone();
            if ahead.next() == Some('-') && ahead.peek().is_some_and(|c| *c != ']') {
                self.input.next();
                let mut high = self.input.next().ok_or(Flaw::Posix(BRACKETS))?;
                if let ('[', Some(&kind @ ('.' | '='))) = (high, self.input.peek()) {
                    high = self.collating(kind)?;
                }
                if low > high {
                    return Err(Flaw::Posix(RANGE));
                }
                self.out.push('-');
                self.push_in_bracket(high);
            }
        }
        self.out.push(']');
        self.item = Some(start);
        Ok(())
    }

    /// Escapes every character that `regex` might take for more than itself inside brackets.
    fn push_in_bracket(&mut self, c: char) {
        if c.is_ascii_punctuation() {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    /// A collating symbol or equivalence class. The C locale only has single characters.
    fn collating(&mut self, kind: char) -> Result<char, Flaw> {
        let name = self.delimited(kind)?;
        let mut chars = name.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) => Ok(c),
            _ => Err(Flaw::Posix(COLLATION)),
        }
    }

    /// The text between `[:` and `:]`, or between other such delimiters. The `[` has been read.
    fn delimited(&mut self, delimiter: char) -> Result<String, Flaw> {
        self.input.next();
        let mut name = String::new();
        loop {
            let c = self.input.next().ok_or(Flaw::Posix(BRACKETS))?;
            if c == delimiter && self.input.next_if_eq(&']').is_some() {
                return Ok(name);
            }
            name.push(c);
        }
    }

    /// Backslash sequences that are extensions of the C library. Any other character stands for itself.
    fn escape(&mut self) -> Result<(), Flaw> {
        let c = self.input.next().ok_or(Flaw::Posix(TRAILING_BACKSLASH))?;
        match c {
            '1'..='9' => return Err(Flaw::Backreference),
            'w' | 'W' | 's' | 'S' | 'b' | 'B' => {
                self.item = Some(self.out.len());
                self.out.push('\\');
                self.out.push(c);
            }
            '<' => self.raw(r"\b{start}"),
            '>' => self.raw(r"\b{end}"),
            '`' => self.raw(r"\A"),
            '\'' => self.raw(r"\z"),
            c => self.literal(c),
        }
        Ok(())
    }

    fn raw(&mut self, text: &str) {
        self.item = Some(self.out.len());
        self.out.push_str(text);
    }
}

const CLASSES: [&str; 12] =
    ["alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit"];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, yes: &[&str], no: &[&str]) {
        let regex = compile(pattern).unwrap_or_else(|error| panic!("{error}"));
        for text in yes {
            assert!(regex.is_match(text), "{pattern} should match {text}: {regex}");
        }
        for text in no {
            assert!(!regex.is_match(text), "{pattern} should not match {text}: {regex}");
        }
    }

    #[test]
    fn the_common_part() {
        check("^(.*_)?statv?fs", &["statfs", "osf_statfs64", "statvfs"], &["fstatfs"]);
        check("^read|write$", &["readv", "pwrite", "write"], &["pread", "writev"]);
        check("^.{4}$", &["read", "open"], &["write"]);
        check("^[gs]et[ug]id$", &["getuid", "setgid"], &["getpid"]);
        check("", &["anything"], &[]);
    }

    #[test]
    fn where_posix_differs() {
        check("^ra+?$", &["r", "ra", "raa"], &["rb"]);
        check("^ra{2}{2}$", &["raaaa"], &["raa"]);
        check("^ra**$", &["r", "raaa"], &[]);
        check(r"^[a\]$", &["a", "\\"], &["b"]);
        check("^[]a]$", &["]", "a"], &["b"]);
        check("^[^]a]$", &["b"], &["]", "a"]);
        check("^[a&&b]$", &["a", "b", "&"], &["c"]);
        check("^[a-]$", &["a", "-"], &["b"]);
        check("^[[:digit:]_]$", &["1", "_"], &["a", ":"]);
        check("^[[.a.]-c]$", &["b"], &["d"]);
        check(r"^\d$", &["d"], &["1"]);
        check(r"\<read\>", &["read"], &["pread64"]);
        check("^a)$", &["a)"], &[]);
        check("^()$", &[""], &["a"]);
        check("^(a||b)$", &["", "a", "b"], &["c"]);
        check("^ra{,2}$", &["r", "raa"], &["raaa"]);
    }

    #[test]
    fn errors_in_the_words_of_regcomp() {
        for (pattern, reason) in [
            ("+id", BAD_REPETITION),
            ("*id", BAD_REPETITION),
            ("{id", BAD_REPETITION),
            ("a|*b", BAD_REPETITION),
            ("^*b", BAD_REPETITION),
            ("(*b)", BAD_REPETITION),
            ("(id", PARENTHESES),
            ("[id", BRACKETS),
            ("[", BRACKETS),
            ("id\\", TRAILING_BACKSLASH),
            ("a{1", BRACES),
            ("[z-a]", RANGE),
            ("[[:foo:]]", CLASS),
            ("[[.foo.]]", COLLATION),
            ("a{x}", BRACE_CONTENT),
            ("a{}", BRACE_CONTENT),
            ("a{2,1}", BRACE_CONTENT),
            ("a{70000}", TOO_BIG),
        ] {
            assert_eq!(compile(pattern).unwrap_err().to_string(), format!("regcomp: {pattern}: {reason}"));
        }
        assert!(compile(r"(a)\1").unwrap_err().to_string().contains("back-reference"));
    }
}
