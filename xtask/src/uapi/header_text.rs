//! The text of headers around the members of structs: names that are defined beside a member, and comments about it.

use super::dwarf::{Layout, Origin};
use std::collections::BTreeMap;
use std::fs;

/// A word of a comment that may say something of values.
#[derive(Debug, PartialEq)]
pub enum CommentWord {
    Enum(String),
    Beginning(String),
    Name(String),
}

/// Those of a comment, in order.
pub fn words(comment: &str) -> Vec<CommentWord> {
    let mut found = Vec::new();
    let mut before = "";
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = comment;
    while let Some(at) = rest.find(is_word) {
        rest = &rest[at..];
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        let is_constant = |word: &str| {
            word.contains('_') && word.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == b'_')
        };
        if before == "enum" {
            found.push(CommentWord::Enum(word.to_owned()));
        } else if let Some(prefix) =
            word.strip_suffix("xxx").or(word.strip_suffix("XXX")).filter(|word| is_constant(word))
        {
            found.push(CommentWord::Beginning(prefix.to_owned()));
        } else if is_constant(word) && word.ends_with('_') && (behind.starts_with('*') || behind.starts_with('?')) {
            found.push(CommentWord::Beginning(word.to_owned()));
        } else if is_constant(word) && !word.ends_with('_') {
            found.push(CommentWord::Name(word.to_owned()));
        }
        before = word;
        rest = behind;
    }
    found
}

/// The text around a member.
#[derive(Default)]
pub struct MemberText {
    /// The names that are defined in front of the member, and behind it.
    pub before: Vec<String>,
    pub behind: Vec<String>,
    /// The members beside it, in the same struct.
    pub previous: Option<String>,
    pub next: Option<String>,
    /// The comments about it.
    pub comment: String,
}

/// The headers, by line.
#[derive(Default)]
pub struct HeaderTexts {
    lines: BTreeMap<String, Vec<String>>,
    /// The lines with members, and the names of these.
    members: BTreeMap<String, BTreeMap<usize, String>>,
}

/// The names that lines define, and whether a struct ends in them.
fn defined<'t>(line: &impl Fn(usize) -> &'t str, lines: std::ops::Range<usize>) -> (Vec<String>, bool) {
    let mut names = Vec::new();
    for number in lines {
        let text = line(number);
        if text.starts_with('}') {
            return (names, true);
        }
        if let Some(rest) = text.strip_prefix('#').and_then(|rest| rest.trim_start().strip_prefix("define")) {
            let name = rest.trim_start().split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
            names.extend(name.map(String::from));
        }
    }
    (names, false)
}

impl HeaderTexts {
    /// Takes in where members stand.
    pub fn note<'l>(&mut self, layouts: impl Iterator<Item = &'l Layout>) {
        for field in layouts.flat_map(|layout| &layout.fields) {
            let Some(origin) = &field.origin else { continue };
            let name = field.name.rsplit('.').next().unwrap_or_default();
            self.members.entry(origin.file.clone()).or_default().insert(origin.line, name.to_owned());
        }
    }

    /// The text around a member of this name.
    pub fn of(&mut self, origin: &Origin, name: &str) -> MemberText {
        let lines = self.lines.entry(origin.file.clone()).or_insert_with(|| {
            let text = fs::read(&origin.file).unwrap_or_default();
            String::from_utf8_lossy(&text).lines().map(String::from).collect()
        });
        let members = &self.members[&origin.file];
        // Several members on a line have no text of their own.
        let line = |number: usize| lines.get(number.wrapping_sub(1)).map_or("", |line| line.trim());
        let next = members.range(origin.line + 1..).next();
        let previous = members.range(origin.struct_line..origin.line).next_back();
        let end = next.map_or(lines.len(), |next| *next.0);
        let mut told = MemberText::default();
        if !line(origin.line).contains('}') {
            let (names, is_last) = defined(&line, origin.line + 1..end);
            told.behind = names;
            told.next = next.filter(|_| !is_last).map(|next| next.1.clone());
        }
        let begin = previous.map_or(origin.struct_line, |previous| *previous.0);
        if begin > 0 {
            let (names, is_other) = defined(&line, begin + 1..origin.line);
            if !is_other {
                told.before = names;
                told.previous = previous.map(|previous| previous.1.clone());
            }
        }
        // The comment behind the member.
        if let Some((_, comment)) = line(origin.line).split_once("/*") {
            told.comment.push_str(comment);
            let mut number = origin.line;
            while !line(number).contains("*/") && number < end {
                number += 1;
                told.comment.push_str(line(number));
                told.comment.push(' ');
            }
        }
        // The comment in front of it, unless it is behind the member before.
        told.comment += " ";
        told.comment += &above(&line, origin.line, |number| members.contains_key(&number));
        // The description of the struct.
        let about = above(&line, origin.struct_line, |_| false);
        let mark = format!("@{name}:");
        if let Some((_, text)) = about.split_once(&mark) {
            told.comment += " ";
            told.comment += text.split(" @").next().unwrap_or(text);
        }
        told
    }
}

/// The comment that ends in the line above.
fn above<'t>(line: &impl Fn(usize) -> &'t str, number: usize, ends: impl Fn(usize) -> bool) -> String {
    let mut at = number.saturating_sub(1);
    if at == 0 || !line(at).ends_with("*/") {
        return String::new();
    }
    let mut lines = Vec::new();
    loop {
        if ends(at) {
            return String::new();
        }
        let text = line(at);
        lines.push(text.trim_start_matches(['/', '*', ' ']).to_owned());
        if text.contains("/*") {
            break;
        }
        at -= 1;
        if at == 0 {
            return String::new();
        }
    }
    lines.reverse();
    lines.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_name_constants() {
        let enumeration = |name: &str| CommentWord::Enum(name.into());
        assert_eq!(words("enum v4l2_field; see"), [enumeration("v4l2_field")]);
        assert_eq!(
            words("one of FOO_BAR_* or BAZ_xxx"),
            [CommentWord::Beginning("FOO_BAR_".into()), CommentWord::Beginning("BAZ_".into())]
        );
        assert_eq!(
            words("ONE_A, ONE_B and a word"),
            [CommentWord::Name("ONE_A".into()), CommentWord::Name("ONE_B".into())]
        );
        assert_eq!(words("FOO_ alone, and UPPER"), []);
    }
}
