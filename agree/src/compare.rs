//! Lines that differ, grouped by what differs.

use crate::fields::{Part, parts};
use crate::known::{Places, explained, is_address};
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

    /// The groups with so many examples, the known differences, and the numbers.
    pub fn told(&self, examples: usize) -> String {
        let mut out = String::new();
        let differing: usize = self.groups.values().map(Vec::len).sum();
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_by_key(|(_, found)| std::cmp::Reverse(found.len()));
        for (Group { tracer, call, what }, found) in groups {
            let _ = writeln!(out, "{call}: {tracer} {what}: {} times", found.len());
            for example in found.iter().take(examples) {
                let _ = writeln!(out, "{example}");
            }
        }
        for (why, count) in &self.known {
            let _ = writeln!(out, "{count} lines: {why}");
        }
        let groups = self.groups.len();
        let _ = writeln!(out, "{} lines compared, {differing} differ in {groups} groups", self.lines);
        out
    }

    /// The number of lines that were compared with the first tracer's.
    pub fn compared(&self) -> usize {
        self.lines
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

fn difference(first: &str, other: &str, sees_entries: bool) -> Difference {
    let (first, other) = (parts(first), parts(other));
    if first == other {
        return Difference::None;
    }
    let call = match first.first() {
        Some(Part::Text(call)) => call,
        _ => "",
    };
    let mut known = None;
    let mut at = (0, 0);
    while at.0 < first.len() || at.1 < other.len() {
        let places = Places { call, first: &first[at.0..], other: &other[at.1..], sees_entries };
        if !places.first.is_empty() && places.first.first() == places.other.first() {
            at = (at.0 + 1, at.1 + 1);
        } else if let Some((why, of_first, of_other)) = explained(&places) {
            known = Some(why);
            at = (at.0 + of_first, at.1 + of_other);
        } else {
            let before = match at.0.checked_sub(2).map(|i| &first[i..at.0]) {
                Some([Part::Text(name), Part::Mark(b'=')]) => format!("{name}="),
                _ => String::new(),
            };
            let (a, b) = (places.first.first(), places.other.first());
            return Difference::New(format!("{before}{} / {}", shape(a), shape(b)));
        }
    }
    known.map_or(Difference::None, Difference::Known)
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
        let names = "the first tracer has no name for a number that the other one names";
        assert_eq!(told("f(1)   = 0", "f(1) = 0"), "none");
        assert_eq!(told("f(0x3 /* X_??? */) = 0", "f(X_A|X_B) = 0"), names);
        assert_eq!(told("f(X_A|0x2) = 0", "f(X_A|X_B) = 0"), names);
        assert_eq!(told("f(X_A|0x2) = 0", "f(X_B|X_C) = 0"), "X_A|0x0 / X_B|X_C");
        assert!(told("f([{a=1}, 2], 3) = 0", "f(0x100000000, 3) = 0").starts_with("the eBPF engine"));
        let cut = "the eBPF engine has not copied the end of an array or a struct";
        assert_eq!(told("f({a=1}, 5000) = 0", "f({a=1, ???}, 5000) = 0"), cut);
        assert_eq!(told("f([1], 5) = 0", "f([1, ...], 5) = 0"), cut);
        assert_eq!(told("f({a=1, b=0}, 5) = 0", "f({a=1}, 5) = 0"), ", / }");
        assert_eq!(told("f({a=1}, 5) = 0", "f({a=1, ???}, 6) = 0"), "0 / 0");
        assert_eq!(told("f({a=\"x\"}) = 0", "f({a=\"y\"...}) = 0"), "a=\"\" / \"\"...");
        assert_eq!(told("f({a=12, ...}) = 0", "f({a=12}) = 0"), ", / }");
    }

    #[test]
    fn known_differences_explain_no_more_than_they_say() {
        let explained = |first: &str, other: &str| told(first, other).contains("first tracer");
        assert!(explained("f(18446744073709551615) = 0", "f(-1) = 0"));
        assert!(!explained("f(18446744073709551615) = 0", "f(-2) = 0"));
        assert!(!explained("f(5) = 0", "f(4294967301) = 0"));
        assert!(explained("f(\"/a/b\"...) = 0", "f(\"/a/b/c\") = 0"));
        assert!(!explained("f(\"/a/b\"...) = 0", "f(\"/a/c/c\") = 0"));
        assert!(explained("f(\"ab\") = 0", "f(\"ab\\0\"...) = 0"));
        assert!(!explained("f(\"ab\") = 0", "f(\"abc\"...) = 0"));
        assert!(explained("select([1]], x) = 1", "select([1], x) = 1"));
        assert!(!explained("f([1]], x) = 1", "f([1], x) = 1"));
    }
}
