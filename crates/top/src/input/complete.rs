//! Completion of the expression after `/`: the fields that expressions have, and the words that are values of some.

use stride_filter::{CallField, FIELDS};

/// The word that Tab replaces by one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The expression as it was typed.
    typed: String,
    words: Vec<&'static str>,
    /// The word that is shown.
    at: usize,
}

impl Completion {
    /// The completion of an expression, if there is any.
    pub fn of(typed: &str) -> Option<Completion> {
        let stem = stem(typed);
        let words: Vec<&str> = match open_text(typed) {
            Some((before, begun)) => {
                let values = compared(before).map_or(&[][..], |field| field.facts().words);
                values.iter().copied().filter(|word| !word.is_empty() && word.starts_with(begun)).collect()
            }
            None => FIELDS.iter().map(|facts| facts.name).filter(|name| name.starts_with(stem)).collect(),
        };
        // The word is there already.
        let done = words.is_empty() || words == [stem];
        (!done).then(|| Completion { typed: typed.to_owned(), words, at: 0 })
    }

    /// Goes on to the next word, or to the one before.
    pub fn turn(&mut self, back: bool) {
        let step = if back { self.words.len() - 1 } else { 1 };
        self.at = (self.at + step) % self.words.len();
    }

    /// The expression with the word.
    pub fn text(&self) -> String {
        let kept = &self.typed[..self.typed.len() - stem(&self.typed).len()];
        format!("{kept}{}", self.words[self.at])
    }
}

/// Words about the end of an expression: the meaning of the field there, or the fields that it may become.
pub fn hint(typed: &str) -> String {
    let stem = stem(typed);
    if open_text(typed).is_some() {
        return String::new();
    }
    let begun: Vec<&str> = FIELDS.iter().map(|facts| facts.name).filter(|name| name.starts_with(stem)).collect();
    match CallField::named(stem) {
        Some(field) => field.facts().about.to_owned(),
        None if stem.is_empty() && !typed.trim().is_empty() => String::new(),
        None if begun.is_empty() => String::new(),
        None => format!("Tab: {}", begun.join(" ")),
    }
}

/// The word at the end.
fn stem(typed: &str) -> &str {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    &typed[typed.trim_end_matches(is_word).len()..]
}

/// If the end is inside a text: the expression before its quote, and the text so far.
fn open_text(typed: &str) -> Option<(&str, &str)> {
    let (mut open, mut escaped) = (None, false);
    for (at, c) in typed.char_indices() {
        match (open, c) {
            (Some(_), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (None, '"' | '\'') => open = Some((at, c)),
            (Some((_, quote)), c) if c == quote && !escaped => open = None,
            _ => {}
        }
        escaped = false;
    }
    open.map(|(at, quote)| (&typed[..at], &typed[at + quote.len_utf8()..]))
}

/// The field that is compared with the text that follows: `fd.kind == `.
fn compared(before: &str) -> Option<CallField> {
    let before = before.trim_end();
    let name = stem(before.strip_suffix("==").or_else(|| before.strip_suffix("!="))?.trim_end());
    CallField::named(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(typed: &str) -> Vec<&'static str> {
        Completion::of(typed).map(|completion| completion.words).unwrap_or_default()
    }

    #[test]
    fn fields_and_their_words() {
        assert_eq!(words("pid == 7 && du"), ["duration"]);
        assert_eq!(words("fd"), ["fd.kind", "fd.peer"]);
        assert_eq!(words("!(fd.k"), ["fd.kind"]);
        assert_eq!(words("fd.kind == \"s"), ["socket"]);
        assert_eq!(words("fd.kind != 'pi"), ["pipe"]);
        assert_eq!(words("").len(), FIELDS.len());
        assert_eq!(words("pid == 7 || ").len(), FIELDS.len());
        for nothing in ["duration", "nonsense", "comm == \"p", "comm == \"\\\"p", "args.x"] {
            assert_eq!(words(nothing), [""; 0], "{nothing}");
        }
        assert_eq!(words("comm == \"x\\\\\" && pa"), ["path"]);
    }

    #[test]
    fn a_word_follows_the_other() {
        let mut completion = Completion::of("errno == \"\" && fd").unwrap();
        assert_eq!(completion.text(), "errno == \"\" && fd.kind");
        completion.turn(false);
        assert_eq!(completion.text(), "errno == \"\" && fd.peer");
        completion.turn(false);
        completion.turn(true);
        assert_eq!(completion.text(), "errno == \"\" && fd.peer");
    }

    #[test]
    fn hints() {
        assert_eq!(hint("ret == 0 && fd"), "Tab: fd.kind fd.peer");
        assert_eq!(hint("duration"), "time from entry to return");
        assert!(hint("").starts_with("Tab: name pid "));
        for nothing in ["pid == 7 ", "comm == \"pid", "zzz"] {
            assert_eq!(hint(nothing), "", "{nothing}");
        }
    }
}
