//! Punctuation in decoded values. Decoders hand out names, words and numbers; brackets, quotes, operators and
//! separators are added by the writer of each view, which alone knows the form that it writes. So no string of the
//! decoder's code has any. Bytes of a tracee are compared with byte strings, which this check leaves alone.

use super::source;
use std::fs;
use std::path::Path;

/// Adds a line for each string in the crate `decode` that is more than names and words.
pub fn check(dir: &Path, name: &str, wrong: &mut Vec<String>) -> anyhow::Result<()> {
    if name != "decode" {
        return Ok(());
    }
    for file in source::files(&dir.join("src"))? {
        let text = source::without_comments(&fs::read_to_string(&file)?);
        for (i, line) in text.lines().enumerate() {
            for string in strings(line).filter(|string| has_punctuation(string)) {
                wrong.push(format!(
                    "{}:{}: \"{string}\" is more than a name or words: values have no punctuation, so give Value a variant for it, \
                     and let the writers in crates/output add what stands between its parts",
                    file.display(),
                    i + 1
                ));
            }
        }
    }
    Ok(())
}

/// The contents of the string literals in a line of code, without byte strings.
fn strings(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        loop {
            let open = rest.find(['"', '\''])?;
            let (before, from) = (&rest[..open], &rest[open..]);
            if let Some(character) = from.strip_prefix('\'') {
                // A lifetime has no second quotation mark where a character's would be.
                let len = match character.strip_prefix('\\') {
                    Some(escape) => escape.find('\'').map(|end| end + 2),
                    None => character.chars().next().map(char::len_utf8),
                };
                let end = len.filter(|&len| character[len.min(character.len())..].starts_with('\''));
                rest = end.map_or(character, |end| &character[end + 1..]);
                continue;
            }
            let inside = &from[1..];
            let mut escaped = false;
            let end = inside.find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let end = end.unwrap_or(inside.len());
            rest = inside.get(end + 1..).unwrap_or_default();
            let is_bytes = before.ends_with('b') && !before[..before.len() - 1].ends_with(char::is_alphanumeric);
            if !is_bytes {
                return Some(&inside[..end]);
            }
        }
    })
}

fn has_punctuation(string: &str) -> bool {
    !string.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(line: &str) -> Vec<&str> {
        strings(line).filter(|string| has_punctuation(string)).collect()
    }

    #[test]
    fn punctuation_in_a_string_is_found() {
        assert_eq!(wrong(r#"Value::Word("BPF_JUMP("),"#), ["BPF_JUMP("]);
        assert_eq!(wrong(r#"cx.call("{WIFCONTINUED(s)", &[Value::Word(", ")])"#), ["{WIFCONTINUED(s)", ", "]);
        assert_eq!(wrong(r#"let end = if core { " && WCOREDUMP(s)}" } else { "}" };"#), [" && WCOREDUMP(s)}", "}"]);
        assert_eq!(wrong(r#"format!("{name}({})", p.size)"#), ["{name}({})"]);
        assert_eq!(wrong(r#"text("a \"quoted\" word")"#), [r#"a \"quoted\" word"#]);
    }

    #[test]
    fn names_words_bytes_and_characters_are_not() {
        assert!(wrong(r#"cx.call("BPF_STMT", &[op, Value::Word("safe to set")])"#).is_empty());
        assert!(wrong(r#"object.strip_prefix(b"anon_inode:")?"#).is_empty());
        assert!(wrong(r#"b'"' | b'\'' | '"' => cx.arg("op"),"#).is_empty());
        assert!(wrong(r#"pub fn note<'a>(cx: &Cx<'a>) -> Value<'a> { Value::Word("off") }"#).is_empty());
    }
}
