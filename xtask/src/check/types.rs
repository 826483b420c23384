//! Names of types. One name stands for one thing in the whole workspace, so that a search for it finds only that.

use super::source;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Names that may stand more than once, each with the reason.
const ALLOWED: &[(&str, &str)] = &[
    ("Arg", "the option table's is known to cli only"),
    ("Command", "as it was asked for, and as an engine starts it"),
    ("Engine", "the choice of one, and what each does"),
    ("Files", "cli's are files to write to"),
    ("HexStrings", "as it was asked for, and as text shows it"),
    ("Known", "both tell of descriptors that are known"),
    ("Layout", "of a struct, and of a line"),
    ("Options", "of the command line, and of decoding"),
    ("Outcome", "of parsing a command line, and of a call"),
    ("Overflow", "as it was asked for, and as the engine does it"),
    ("PidPrefix", "as it was asked for, and as text shows it"),
    ("QueuedEvent", "the same in both engines"),
    ("Stop", "the option table's is known to cli only"),
    ("Summary", "as it was asked for, and the view"),
    ("Value", "the option table's is known to cli only"),
    ("Word", "the option table's is known to cli only"),
    ("Written", "a file, and how much of it"),
];

/// Adds a line for each name that is declared more than once for other crates or modules.
pub fn check(crates: &Path, wrong: &mut Vec<String>) -> anyhow::Result<()> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in fs::read_dir(crates)? {
        let dir = entry?.path();
        // Only tests see this crate's names.
        if dir.ends_with("test-support") {
            continue;
        }
        for file in source::files(&dir.join("src"))? {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            if stem.ends_with("tests") {
                continue;
            }
            let text = source::without_comments(&fs::read_to_string(&file)?);
            for name in text.lines().filter_map(declared) {
                places.entry(name.to_owned()).or_default().push(file.strip_prefix(crates)?.display().to_string());
            }
        }
    }
    for (name, places) in places {
        if places.len() > 1 && !ALLOWED.iter().any(|(allowed, _)| *allowed == name) {
            wrong.push(format!("several types are called {name}: in crates/{}", places.join(", crates/")));
        }
    }
    Ok(())
}

/// The type that a line declares as visible to other modules.
fn declared(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')')?.1,
        None => rest,
    };
    let mut words = rest.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    matches!(words.next()?, "struct" | "enum" | "trait" | "type" | "union").then(|| words.next())?
}

#[cfg(test)]
mod tests {
    use super::declared;

    #[test]
    fn declarations() {
        for (line, name) in [
            ("pub struct Row<'r> {", Some("Row")),
            ("    pub(super) enum Kind {", Some("Kind")),
            ("pub(crate) type Ns = u64;", Some("Ns")),
            ("pub trait View: Sized {", Some("View")),
            ("struct Hidden;", None),
            ("pub fn structure() -> Row {", None),
            ("pub kind: Kind,", None),
        ] {
            assert_eq!(declared(line), name, "{line}");
        }
    }
}
