//! Checks that the output of a view is well formed.

use crate::common::{Run, Scratch, bare_stride};
use crate::fixtures::{Fixture, Form};
use crate::reader;
use crate::scene::{INJECTED, TITLE};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

#[track_caller]
pub fn is_well_formed(scratch: &Scratch, fixture: &Fixture, of: &str) {
    let path = scratch.path(fixture.file);
    let text = || {
        let bytes = fs::read(&path).unwrap_or_else(|e| panic!("{of}: {e}"));
        String::from_utf8(bytes).unwrap_or_else(|e| panic!("{of}: {e}"))
    };
    match fixture.form {
        Form::Text => is_printable(&text(), of),
        Form::JsonLines => text().lines().for_each(|line| is_json(line, of)),
        Form::Json => is_json(&text(), of),
        Form::Markdown => {
            let text = text();
            is_printable(&text, of);
            assert!(
                !text.contains("<img") && !text.contains("<b>") && !text.contains("](") && !text.contains("**b**"),
                "{of}: {text}"
            );
        }
        Form::Commands => {
            let text = text();
            is_printable(&text, of);
            for line in text.lines().filter(|line| line.starts_with("::")) {
                let is_ours = ["::notice ", "::warning ", "::error "].iter().any(|own| line.starts_with(own));
                assert!(is_ours && !line.starts_with("::error file=x::"), "{of}: {line}");
            }
        }
        Form::Page => is_page(&text(), of),
        Form::Folded => {
            let text = text();
            is_printable(&text, of);
            for line in text.lines() {
                let (stack, number) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{of}: {line}"));
                assert!(number.parse::<u64>().is_ok(), "{of}: {line}");
                assert!(!stack.split(';').any(|function| function.starts_with(INJECTED)), "{of}: {line}");
            }
        }
        Form::Perfetto => {
            let read = reader::read(&fs::read(&path).unwrap());
            assert!(!read.calls().is_empty(), "{of}: no call");
        }
        Form::Tables => are_tables(&path, of),
        Form::Recording => {
            let run = replayed(scratch, &[&format!("--replay={}", fixture.file), "--json"]);
            assert_eq!((run.code(), run.err.as_str()), (Some(0), ""), "{of}");
            run.out.lines().for_each(|line| is_json(line, of));
        }
        Form::Budget => {
            is_printable(&text(), of);
            // The limits can be read. (They may be those of another run.)
            let run = replayed(scratch, &["--replay=rec", &format!("--budget={}", fixture.file)]);
            assert!(matches!(run.code(), Some(0 | 3)), "{of}: {run:?}\n{}", text());
        }
        Form::Metrics => {
            let text = text();
            is_printable(&text, of);
            for line in text.lines().filter(|line| !line.starts_with("# HELP ") && !line.starts_with("# TYPE ")) {
                assert!(is_sample(line), "{of}: {line}");
            }
        }
        Form::Screen => {
            let text = text();
            assert!(!text.contains(TITLE), "{of}: {text:?}");
            assert!(
                !text.chars().any(reorders) && !text.contains(|c| ('\u{80}'..='\u{9f}').contains(&c)),
                "{of}: {text:?}"
            );
        }
    }
}

/// A name, labels in quotes, and a number.
fn is_sample(line: &str) -> bool {
    const SAMPLE: &str = r#"^[a-z_]+(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)*\})? [0-9.]+$"#;
    regex::Regex::new(SAMPLE).unwrap().is_match(line)
}

/// Text for people: a line ends where the view ends it, and nothing acts on the terminal.
#[track_caller]
pub fn is_printable(text: &str, of: &str) {
    if let Some(c) = text.chars().find(|&c| c != '\n' && (c.is_control() || reorders(c))) {
        let line = text.lines().find(|line| line.contains(c)).unwrap_or_default();
        panic!("{of}: {c:?} in {line:?}");
    }
    let begun = text.lines().find(|line| line.trim_start().trim_start_matches("# ").starts_with(INJECTED));
    assert_eq!(begun, None, "{of}: a name began a line");
}

/// Characters that change the direction of the text around them.
fn reorders(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[track_caller]
fn is_json(text: &str, of: &str) {
    // (A terminal shows JSON, too.)
    let acts = text.trim_end().chars().find(|&c| c.is_control() && c != '\n');
    assert_eq!(acts, None, "{of}: {text:?}");
    let value: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{of}: {e}: {text}"));
    assert!(!has_key(&value, INJECTED), "{of}: {text}");
}

fn has_key(value: &Value, key: &str) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, value)| name == key || has_key(value, key)),
        Value::Array(values) => values.iter().any(|value| has_key(value, key)),
        _ => false,
    }
}

/// The page has its own markup and no other. A browser test looks at what the page's script makes of the data.
#[track_caller]
fn is_page(page: &str, of: &str) {
    assert!(!page.contains("<img") && !page.contains(TITLE), "{of}");
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count(), "{of}");
    assert!(page.trim_end().ends_with("</html>") && page.matches("</html>").count() == 1, "{of}");
    let (_, data) = page.split_once("id=\"data\">").unwrap_or_else(|| panic!("{of}: no data"));
    let (data, _) = data.split_once("</script>").unwrap();
    let value: Value = serde_json::from_str(data).unwrap_or_else(|e| panic!("{of}: {e}"));
    assert!(!has_key(&value, INJECTED), "{of}");
}

#[track_caller]
fn are_tables(directory: &Path, of: &str) {
    let files = files(directory);
    let mut calls = 0;
    for file in &files {
        let parts: Vec<&str> =
            file.strip_prefix(directory).unwrap().iter().map(|part| part.to_str().unwrap()).collect();
        let [table, date, host, name] = parts[..] else { panic!("{of}: {}", file.display()) };
        assert!(
            date.starts_with("date=") && host.starts_with("host=") && name.ends_with(".parquet"),
            "{of}: {parts:?}"
        );
        parts.iter().for_each(|part| is_printable(part, of));
        let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap_or_else(|e| panic!("{of}: {e}"));
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap_or_else(|e| panic!("{of}: {e}"));
            calls += usize::from(table == "calls");
            for (column, value) in row.get_column_iter() {
                if let (Field::Str(json), true) =
                    (value, ["args", "command", "command_line"].contains(&column.as_str()))
                {
                    is_json(json, &format!("{of} {table}.{column}"));
                }
            }
        }
    }
    assert!(files.len() >= 5 && calls > 0, "{of}: {files:?}");
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn replayed(scratch: &Scratch, words: &[&str]) -> Run {
    let mut command = bare_stride();
    command.args(words).current_dir(scratch.path(""));
    Run::of(command)
}
