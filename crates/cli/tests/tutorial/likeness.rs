//! Output that differs only in what differs from run to run and from machine to machine.

use std::sync::LazyLock;

use regex::Regex;

/// Numbers with their units, addresses, and the directory of the lessons.
static VARYING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(/\S*)?/shop\b|0x[0-9a-f]+|[0-9][0-9.,]*( ?(ns|µs|ms|s|B|KiB|MiB|%)\b)?%?").unwrap());
static SPACES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r" +").unwrap());

/// The line with a sign in place of all that varies.
fn likeness(line: &str) -> String {
    SPACES.replace_all(VARYING.replace_all(line, "N").trim(), " ").into_owned()
}

/// True if a line of the document stands for this line. The document may leave out the end of a line by `...`.
fn stands_for(shown: &str, line: &str) -> bool {
    match shown.strip_suffix("...") {
        Some(beginning) => likeness(line).starts_with(&likeness(beginning)),
        None => likeness(shown) == likeness(line),
    }
}

/// The first line of the document that the output lacks, in words. Between lines that the document separates by `...`
/// the output may have others, elsewhere not.
pub fn difference(expected: &[String], output: &str) -> Option<String> {
    let mut lines = output.lines().peekable();
    let mut skips = false;
    for shown in expected {
        if shown == "..." {
            skips = true;
            continue;
        }
        let found = if skips {
            lines.any(|line| stands_for(shown, line))
        } else {
            lines.next_if(|line| stands_for(shown, line)).is_some()
        };
        if !found {
            let next = lines.peek().unwrap_or(&"its end");
            return Some(format!("The output has no line like\n  {shown}\nbefore\n  {next}"));
        }
        skips = false;
    }
    let more = lines.next().filter(|_| !skips)?;
    Some(format!("The output has a line more than the document:\n  {more}"))
}

#[test]
fn only_what_varies_may_differ() {
    let document = |lines: &str| lines.lines().map(str::to_owned).collect::<Vec<_>>();
    let shown = document("openat(AT_FDCWD, \"a\") = 3\n...\n+++ exited with 0 +++");
    assert_eq!(difference(&shown, "openat(AT_FDCWD, \"a\")  = 12\nclose(3) = 0\n+++ exited with 0 +++\n"), None);
    assert!(difference(&shown, "openat(AT_FDCWD, \"b\") = 3\n+++ exited with 0 +++\n").is_some());
    assert!(difference(&shown, "openat(AT_FDCWD, \"a\") = 3\n").is_some());
    assert!(difference(&shown, "openat(AT_FDCWD, \"a\") = 3\n+++ exited with 0 +++\nmore\n").is_some());
    assert_eq!(difference(&document("took 1.2 ms, 4,592 calls (78%)"), "took 900 µs, 3 calls (1.2%)\n"), None);
}
