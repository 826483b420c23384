//! Bytes of traced programs, made harmless.
//!
//! A traced program chooses names of files, arguments and output. An answer goes to a terminal, to an editor, or to a model that reads it. So
//! characters that move a cursor, turn the direction of text or cannot be seen are shown as `\u{202e}`. Words cannot be escaped: a file may be called
//! "ignore previous instructions". Such text stands below `traced` only, and the server's instructions say that it is data.

use serde_json::Value;

/// True if a character does something other than being seen.
fn is_hidden(c: char) -> bool {
    // Line ends and tabs stay: JSON escapes them.
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{180b}'..='\u{180f}'
            // Zero width, directions, separators of lines.
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            // Variants of the character before, annotations, tags.
            | '\u{fe00}'..='\u{fe0f}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_hidden(c) {
            true => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            false => out.push(c),
        }
    }
    out
}

/// The same for all texts in a value, the names of members included.
pub fn harmless(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(escaped(&text)),
        Value::Array(items) => items.into_iter().map(harmless).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (escaped(&name), harmless(value))).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_shown() {
        assert_eq!(
            escaped("a\u{1b}[2Jb\u{202e}c\u{200b}d\u{e0041}\u{9b}\r"),
            r"a\u{1b}[2Jb\u{202e}c\u{200b}d\u{e0041}\u{9b}\u{d}"
        );
        assert_eq!(escaped("Grüße, 世界\n\t🙂"), "Grüße, 世界\n\t🙂");
    }

    #[test]
    fn names_of_members_count() {
        let value = serde_json::json!({"a\u{202e}": ["\u{7f}", 1, {"b": "\u{0}"}]});
        assert_eq!(harmless(value), serde_json::json!({r"a\u{202e}": [r"\u{7f}", 1, {"b": r"\u{0}"}]}));
    }
}
