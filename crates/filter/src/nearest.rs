//! "Did you mean": the known word that a misspelt one is closest to.

/// The word that a misspelt word probably means, if any. A wrong suggestion is worse than none, so at most a third of
/// the letters may differ, and words of one or two letters get no suggestion.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word = word.to_ascii_lowercase();
    let distance = |known: &str| strsim::osa_distance(&word, &known.to_ascii_lowercase());
    let (distance, name) = known.into_iter().map(|known| (distance(known), known)).min()?;
    (word.len() > 2 && distance <= word.len() / 3).then_some(name)
}

/// The suggestion as the end of a message: `; did you mean 'read'?`, or nothing.
pub fn did_you_mean(word: &str, known: impl IntoIterator<Item = &'static str>) -> String {
    nearest(word, known).map(|name| format!("; did you mean '{name}'?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_words_are_found_and_others_are_not() {
        let known = ["open", "openat", "read", "s", "ms"];
        for (word, expected) in [
            ("opn", Some("open")),
            ("open64", Some("open")),
            ("raed", Some("read")),
            ("READ", Some("read")),
            ("openta", Some("openat")),
            ("nonsense", None),
            ("", None),
            ("x", None),
            ("rd", None),
        ] {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
        assert_eq!(did_you_mean("opn", known), "; did you mean 'open'?");
        assert_eq!(did_you_mean("nonsense", known), "");
    }
}
