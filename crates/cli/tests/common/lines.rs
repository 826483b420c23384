//! Patterns for the lines of a trace.

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Checks that the lines match exactly these regular expressions, one each.
#[track_caller]
pub fn lines_are(trace: &str, patterns: &[&str]) {
    let lines: Vec<&str> = trace.lines().collect();
    for (i, pattern) in patterns.iter().enumerate() {
        let line = lines.get(i).unwrap_or_else(|| panic!("no line {}: {pattern}\n{trace}", i + 1));
        assert!(is(line, pattern), "line {}: {line}\n     is not {pattern}\n{trace}", i + 1);
    }
    assert_eq!(lines.len(), patterns.len(), "more lines than expected:\n{trace}");
}

/// Checks that lines like these occur in this order, possibly with others between them.
#[track_caller]
pub fn lines_include(trace: &str, patterns: &[&str]) {
    let mut lines = trace.lines();
    for pattern in patterns {
        assert!(lines.any(|line| is(line, pattern)), "no line is {pattern}\nin this place:\n{trace}");
    }
}

/// True if the regular expression matches the whole line.
pub fn is(line: &str, pattern: &str) -> bool {
    Regex::new(&format!("^(?:{pattern})$")).unwrap_or_else(|e| panic!("{pattern}: {e}")).is_match(line)
}

/// Checks that a trace of `-f -o` is consistent: every line is a call, a part of one, or about a thread; each resumed
/// call was begun; every process and thread ends exactly once. Returns the exit statuses of the processes.
#[track_caller]
pub fn holds_together(trace: &str) -> Vec<String> {
    let line = Regex::new(
        r"^(\d+) +(?:(?P<call>\w+)\(.*(?: = .*|(?P<cut> <unfinished \.\.\.>))|<\.\.\. (?P<resumed>\w+) resumed>.*(?: = .*)|--- .* ---|\+\+\+ (?P<end>.*) \+\+\+)$",
    );
    let line = line.unwrap();
    let mut pending: HashMap<&str, &str> = HashMap::new();
    let mut ended: BTreeMap<&str, &str> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for text in trace.lines() {
        let Some(parts) = line.captures(text) else { panic!("what is this? {text}") };
        let id = parts.get(1).unwrap().as_str();
        seen.insert(id);
        let part = |name| parts.name(name).map(|m| m.as_str());
        assert!(!ended.contains_key(id), "{id} goes on after its end: {text}");
        if let Some(end) = part("end") {
            ended.insert(id, end);
            pending.remove(id);
        } else if let Some(resumed) = part("resumed") {
            assert_eq!(pending.remove(id), Some(resumed), "{text}");
        } else if let Some(call) = part("call") {
            assert!(!pending.contains_key(id), "a call within {}: {text}", pending[id]);
            if part("cut").is_some() {
                pending.insert(id, call);
            }
        }
    }
    assert!(pending.is_empty(), "begun and never ended: {pending:?}");
    assert_eq!(seen.len(), ended.len(), "not all have ended: {seen:?} {ended:?}");
    ended.into_values().map(str::to_owned).collect()
}

/// The lines with their threads' ids. If another thread's event came between, a call has two lines, and when that
/// happens is up to the scheduler. Both are joined at the place of the first. The stack of a call stays behind the
/// call's line.
pub fn whole_lines(trace: &str) -> Vec<(&str, String)> {
    const CUT: &str = " <unfinished ...>";
    let head =
        Regex::new(r"^(?P<id>\[pid +\d+\] |\d+(?:<[^>]*>)? )? *(?:<\.\.\. [^ ]+ resumed>(?P<end>.*)|(?P<all>.*))$")
            .unwrap();
    let mut lines: Vec<(&str, String)> = Vec::new();
    // The line that a stack belongs to.
    let mut last = 0;
    for text in trace.lines() {
        if text.starts_with(" > ") && !lines.is_empty() {
            lines[last].1 += &format!("\n{text}");
            continue;
        }
        let parts = head.captures(text).unwrap();
        let part = |name| parts.name(name).map(|part| part.as_str());
        let id = part("id").unwrap_or_default().trim_end();
        match (part("end"), part("all")) {
            (Some(end), _) => {
                let begun = lines.iter().rposition(|(of, line)| *of == id && line.ends_with(CUT));
                last = begun.unwrap_or_else(|| panic!("resumed without begin: {text}\n{trace}"));
                let line = &mut lines[last].1;
                line.truncate(line.len() - CUT.len());
                *line += end;
            }
            (None, all) => {
                last = lines.len();
                lines.push((id, all.unwrap_or_default().to_owned()));
            }
        }
    }
    lines
}

/// The trace with each call on one line (see [`whole_lines`]), for tests that look for lines of several threads.
pub fn whole(trace: &str) -> String {
    let line = |(id, line): (&str, String)| if id.is_empty() { line + "\n" } else { format!("{id} {line}\n") };
    whole_lines(trace).into_iter().map(line).collect()
}
