//! Lines that differ, grouped by what differs.

use crate::fields::{Part, parts};
use crate::made::MadeCall;
use crate::run::Tracer;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What differs, with examples.
#[derive(Default)]
pub struct Differences {
    groups: BTreeMap<Group, Vec<String>>,
    lines: usize,
    /// Lines that differ in what is known to differ, by the reason.
    known: BTreeMap<&'static str, usize>,
}

/// The calls of a name in whose lines the same kind of text differs.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    tracer: usize,
    call: String,
    what: String,
}

impl Differences {
    /// Compares the lines of all tracers with the first one's.
    pub fn add(&mut self, call: &MadeCall, tracers: &[Tracer], lines: &[&str]) {
        let Some((first, others)) = lines.split_first() else { return };
        for (i, line) in others.iter().enumerate() {
            self.lines += 1;
            match difference(first, line, tracers[i + 1].sees_entries) {
                Difference::None => {}
                Difference::Known(why) => *self.known.entry(why).or_default() += 1,
                Difference::New(what) => {
                    let mut example = String::new();
                    let _ = writeln!(example, "  0: {first}\n  {}: {line}", i + 1);
                    let _ = write!(example, "     {:x?} = {}", call.args, call.result);
                    let group = Group { tracer: i + 1, call: call.entry.row.name.to_owned(), what };
                    self.groups.entry(group).or_default().push(example);
                }
            }
        }
    }

    pub fn print(&self, calls: usize, examples: usize) {
        let differing: usize = self.groups.values().map(Vec::len).sum();
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_by_key(|(_, found)| std::cmp::Reverse(found.len()));
        for (Group { tracer, call, what }, found) in groups {
            println!("{call}: {tracer} {what}: {} times", found.len());
            for example in found.iter().take(examples) {
                println!("{example}");
            }
        }
        for (why, count) in &self.known {
            println!("{count} lines: {why}");
        }
        println!("{calls} calls, {} lines compared, {differing} differ in {} groups", self.lines, self.groups.len());
    }

    /// The number of groups that nothing explains.
    pub fn unexplained(&self) -> usize {
        self.groups.len()
    }
}

enum Difference {
    None,
    /// Both are right, or the first tracer is wrong: the reason.
    Known(&'static str),
    New(String),
}

const NAMES: &str = "the first tracer has no name for a number that the other one names";
const UNSEEN: &str =
    "the eBPF engine has an address, because memory was to be read at the beginning of the call, which it did not see";

fn difference(first: &str, other: &str, sees_entries: bool) -> Difference {
    let (first, other) = (parts(first), parts(other));
    if first == other {
        return Difference::None;
    }
    let mut known = None;
    let mut at = (0, 0);
    while at.0 < first.len() || at.1 < other.len() {
        let pair = (first.get(at.0), other.get(at.1));
        match pair {
            (Some(a), Some(b)) if a == b => at = (at.0 + 1, at.1 + 1),
            (Some(Part::Text(a)), Some(Part::Text(b))) if names_more(a, b) => {
                known = Some(NAMES);
                at = (at.0 + 1, at.1 + 1);
            }
            (_, Some(Part::Text(b))) if !sees_entries && is_address(b) && value_end(&first, at.0).is_some() => {
                known = Some(UNSEEN);
                at = (value_end(&first, at.0).unwrap_or(first.len()), at.1 + 1);
            }
            (a, b) => {
                let before = match at.0.checked_sub(2).map(|i| &first[i..at.0]) {
                    Some([Part::Text(name), Part::Mark(b'=')]) => format!("{name}="),
                    _ => String::new(),
                };
                return Difference::New(format!("{before}{} / {}", shape(a), shape(b)));
            }
        }
    }
    known.map_or(Difference::None, Difference::Known)
}

/// The end of a value in brackets that begins here.
fn value_end(parts: &[Part<'_>], from: usize) -> Option<usize> {
    let mut depth = 0;
    for (i, part) in parts.iter().enumerate().skip(from) {
        match part {
            Part::Mark(b'{' | b'[') => depth += 1,
            Part::Mark(b'}' | b']') => depth -= 1,
            _ if depth == 0 => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(i + 1);
        }
    }
    None
}

fn is_address(text: &str) -> bool {
    text.strip_prefix("0x").is_some_and(|digits| digits.len() >= 8 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// True if the second text has all names of the first, and names in the place of a number.
fn names_more(first: &str, other: &str) -> bool {
    let words = |text: &str| -> (Vec<String>, Vec<String>) {
        let text = text.split("/*").next().unwrap_or_default();
        text.split(['|', ' '])
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .partition(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
    };
    let ((names, numbers), (other_names, other_numbers)) = (words(first), words(other));
    let all = names.iter().all(|name| other_names.contains(name));
    all && other_names.len() > names.len() && !numbers.is_empty() && other_numbers.len() <= numbers.len()
}

/// The text without what differs between calls.
fn shape(part: Option<&Part<'_>>) -> String {
    match part {
        None => "the end".to_owned(),
        Some(Part::Mark(mark)) => char::from(*mark).to_string(),
        Some(Part::Text(text)) if text.starts_with('"') => {
            if text.ends_with("...") {
                "\"\"...".to_owned()
            } else {
                "\"\"".to_owned()
            }
        }
        Some(Part::Text(text)) if is_address(text) => "0x0".to_owned(),
        Some(Part::Text(text)) => {
            let mut shape = String::new();
            for c in text.chars().take(40) {
                let c = if c.is_ascii_digit() { '0' } else { c };
                if !(c == '0' && shape.ends_with('0')) {
                    shape.push(c);
                }
            }
            shape
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(first: &str, other: &str) -> String {
        match difference(first, other, false) {
            Difference::None => "none".to_owned(),
            Difference::Known(why) => why.to_owned(),
            Difference::New(what) => what,
        }
    }

    #[test]
    fn what_differs_is_told() {
        assert_eq!(told("f(1)   = 0", "f(1) = 0"), "none");
        assert_eq!(told("f(0x3 /* X_??? */) = 0", "f(X_A|X_B) = 0"), NAMES);
        assert_eq!(told("f(X_A|0x2) = 0", "f(X_A|X_B) = 0"), NAMES);
        assert_eq!(told("f(X_A|0x2) = 0", "f(X_B|X_C) = 0"), "X_A|0x0 / X_B|X_C");
        assert_eq!(told("f([{a=1}, 2], 3) = 0", "f(0x100000000, 3) = 0"), UNSEEN);
        assert_eq!(told("f({a=\"x\"}) = 0", "f({a=\"y\"...}) = 0"), "a=\"\" / \"\"...");
        assert_eq!(told("f({a=12, ...}) = 0", "f({a=12}) = 0"), ", / }");
    }
}
