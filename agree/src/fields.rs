//! The parts of a line: names, values and the marks between them.

/// A part of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part<'l> {
    /// A bracket, a comma or an equals sign.
    Mark(u8),
    /// What stands between marks, without spaces at its ends.
    Text(&'l str),
}

/// The length of the character constant with which the text begins: `'x'` or `'\x1f'`.
fn character(text: &[u8]) -> usize {
    match text {
        [b'\'', b'\\', _, b'\'', ..] => 4,
        [b'\'', b'\\', b'x', _, _, b'\'', ..] => 6,
        [b'\'', inner, b'\'', ..] if *inner != b'\\' => 3,
        _ => 0,
    }
}

/// Takes a line apart. Marks within strings and comments belong to the text.
pub fn parts(line: &str) -> Vec<Part<'_>> {
    let bytes = line.as_bytes();
    let (mut parts, mut from, mut at) = (Vec::new(), 0, 0);
    let end_text = |parts: &mut Vec<_>, from: usize, to: usize| {
        let text = line.get(from..to).unwrap_or_default().trim();
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
    };
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                at += 1;
            }
            b'/' if bytes[at..].starts_with(b"/*") => {
                at += line[at..].find("*/").map_or(bytes.len() - at, |end| end + 2);
            }
            // A character may be a mark, too.
            b'\'' if character(&bytes[at..]) > 0 => at += character(&bytes[at..]),
            mark if b",{}[]()".contains(&mark) || mark == b'=' && !bytes[at..].starts_with(b"=>") => {
                end_text(&mut parts, from, at);
                parts.push(Part::Mark(mark));
                at += 1;
                from = at;
            }
            _ => at += 1,
        }
    }
    end_text(&mut parts, from, bytes.len());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_comments_are_whole() {
        let line = r#"f("a, \"b", 0x1 /* X_??? (1) */, {n=2})   = 0"#;
        let texts: Vec<_> = parts(line)
            .into_iter()
            .filter_map(|part| match part {
                Part::Text(text) => Some(text),
                Part::Mark(_) => None,
            })
            .collect();
        assert_eq!(texts, ["f", r#""a, \"b""#, "0x1 /* X_??? (1) */", "n", "2", "0"]);
        assert_eq!(parts("f()      = 0"), parts("f() = 0"));
        let characters = r"f('\x5d', ']', '\'', '{') = -1 E (It can't)";
        let texts = parts(characters).into_iter().filter(|part| matches!(part, Part::Text(_))).count();
        assert_eq!((texts, parts(characters).len()), (7, 15));
    }
}
