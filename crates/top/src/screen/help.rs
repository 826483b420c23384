//! The list of keys, for F1.

/// Keys, and what they do.
pub const KEYS: [(&str, &str); 18] = [
    ("Up, Down, PgUp, PgDn, Home, End", "choose a row"),
    ("Enter, Right", "go into the row: process, call, file, caller; from a wait to the process that is waited for"),
    ("Esc, Left, Backspace", "go back"),
    ("1 to 8, Tab", "another table of the same calls"),
    ("s, S", "sort by the next column, by the one before"),
    ("r", "turn the order round"),
    ("/", "filter by an expression of --where, such as comm == \"sshd\" && errno != \"\""),
    ("Tab (after /)", "complete a field; Tab again shows the next one"),
    ("g", "graph of the last minute, or none"),
    ("t", "all calls since the start, or the latest interval"),
    ("p, Space", "pause, and go on"),
    ("w", "write what is seen from now on to a recording; w again ends it"),
    ("F1, ?, h", "this list"),
    ("Ctrl-L", "draw everything anew"),
    ("Ctrl-Z", "suspend Stride"),
    ("q", "quit; traced programs run on"),
    ("Ctrl-C", "quit; a command that Stride started gets SIGINT"),
    ("Up, Down, PgUp, PgDn", "show more of this list; any other key leaves it"),
];

/// The keys are so wide, where there is room.
const LEFT: usize = 31;

/// The lines of the list for a terminal of this width. Words never leave it.
pub fn help_lines(width: usize) -> Vec<String> {
    let left = if width >= 70 { LEFT } else { (width / 3).min(LEFT) };
    let room = width.saturating_sub(left + 2).max(1);
    let mut lines = Vec::new();
    for (keys, words) in KEYS {
        let (keys, words) = (wrapped(keys, left.max(1)), wrapped(words, room));
        for i in 0..keys.len().max(words.len()) {
            let part = |of: &[String]| of.get(i).cloned().unwrap_or_default();
            lines.push(format!("{:<left$}  {}", part(&keys), part(&words)));
        }
    }
    lines
}

/// Breaks a text into lines of this many characters, between words where that is possible.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        let last = lines.len() - 1;
        let used = lines[last].chars().count();
        if used > 0 && used + 1 + word.len() <= width {
            lines[last].push(' ');
        } else if used > 0 {
            lines.push(String::new());
        }
        while !word.is_empty() {
            let last = lines.len() - 1;
            let room = width - lines[last].chars().count();
            let rest = word.split_off(word.len().min(room));
            lines[last].extend(word);
            word = rest;
            if !word.is_empty() {
                lines.push(String::new());
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("go into the row", 7), ["go into", "the row"]);
        assert_eq!(wrapped("abcdefg hi", 3), ["abc", "def", "g", "hi"]);
        assert_eq!(wrapped("", 3), [""]);
        assert_eq!(wrapped("ab", 0), ["a", "b"]);
        for width in 1..120 {
            let too_wide = help_lines(width).into_iter().find(|line| line.trim_end().chars().count() > width.max(4));
            assert_eq!(too_wide, None, "{width}");
        }
    }

    /// The document lists the same keys.
    #[test]
    fn the_document_has_all_keys() {
        let document = include_str!("../../../../docs/top.md");
        for key in KEYS.iter().flat_map(|(keys, _)| keys.split(", ")).filter(|key| !key.contains(' ')) {
            let is_told = document.lines().any(|line| {
                line.strip_prefix("| ")
                    .and_then(|line| line.split(" | ").next())
                    .is_some_and(|cell| cell.split([',', ' ']).any(|word| word == key))
            });
            assert!(is_told, "docs/top.md does not tell of the key {key}");
        }
    }
}
