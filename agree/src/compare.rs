//! Lines that differ, grouped by what differs.

use crate::fields::{Part, parts};
use crate::known::explained;
use crate::made::MadeCall;
use crate::places::{Places, is_address};
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
            match difference((first, line), tracers[i + 1].sees_entries, call.args, call.result) {
                Difference::None => {}
                Difference::Known(why) => *self.known.entry(why).or_default() += 1,
                Difference::New(what, place) => {
                    let mut example = String::new();
                    let _ = writeln!(example, "  0: {first}\n  {}: {line}", i + 1);
                    let _ = writeln!(example, "     {:x?} = {}", call.args, call.result);
                    let _ = write!(example, "     {place}");
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
    /// The kind of the difference, and both lines from its place on.
    New(String, String),
}

fn difference(lines: (&str, &str), sees_entries: bool, args: [u64; 6], result: i64) -> Difference {
    let (first, other) = (parts(lines.0), parts(lines.1));
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
        let (before, rest) = first.split_at(at.0);
        let places = Places { call, args, result, before, first: rest, other: &other[at.1..], sees_entries };
        if !places.first.is_empty() && places.first.first() == places.other.first() {
            at = (at.0 + 1, at.1 + 1);
        } else if let Some((why, of_first, of_other)) = explained(&places) {
            known = Some(why);
            at = (at.0 + of_first, at.1 + of_other);
        } else {
            let before = match places.member() {
                "" => String::new(),
                name => format!("{name}="),
            };
            let (a, b) = (places.first.first(), places.other.first());
            let place = format!("{before}{} / {before}{}", beginning(places.first), beginning(places.other));
            return Difference::New(format!("{before}{} / {}", shape(a), shape(b)), place);
        }
    }
    known.map_or(Difference::None, Difference::Known)
}

/// The beginning of the rest of a line: enough for a reader to see the difference.
fn beginning(parts: &[Part<'_>]) -> String {
    const ENOUGH: usize = 120;
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Mark(b',') => text.push_str(", "),
            Part::Mark(mark) => text.push(char::from(*mark)),
            Part::Text(part) => text.extend(part.chars().take(ENOUGH)),
        }
        if text.len() > ENOUGH {
            text.push('…');
            break;
        }
    }
    text
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
mod tests;
