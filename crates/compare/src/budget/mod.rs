//! Limits on what a run may do, kept in a TOML file.

pub mod limit;
pub mod proposal;
use crate::budget::limit::{Comparison, Limit, Metric, Of};
use crate::profile::figures::Figures;
use crate::profile::normal::normal;
use crate::tally::{Subject, SyscallTally, Tally};
use globset::{GlobBuilder, GlobMatcher};
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use stride_event::quantity::{count, decimal, grouped};
use stride_filter::nearest;
use stride_output::json::Json;
use stride_output::report::annotation::{FileLine, Severity, annotation};
use stride_output::report::markdown::{code, plain, table};
use stride_output::{End, shown};
use stride_track::{ObjectId, ObjectKind};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub struct Budget {
    /// The file's name in messages.
    file: String,
    globs: Vec<GlobMatcher>,
    limits: Vec<Limited>,
}

/// A limit and its position in the file.
pub struct Limited {
    pub line: usize,
    pub limit: Limit,
    /// If set, only calls on paths that match this glob count.
    glob: Option<usize>,
}

impl Limited {
    /// The syscall that the limit is about, if the limit is about one.
    pub fn syscall(&self) -> Option<&'static str> {
        match self.limit.metric.of() {
            Some(Of::Name(name)) => Some(name),
            _ => None,
        }
    }
}

/// A fault in a budget file: the line, and the reason.
#[derive(Debug, PartialEq)]
pub struct Mistake {
    pub file: String,
    pub line: usize,
    pub what: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

impl Budget {
    /// Returns the limits, or all mistakes in the file.
    pub fn parse(file: &str, text: &str) -> std::result::Result<Budget, Vec<Mistake>> {
        let mut parser = Parser { text, globs: Vec::new(), limits: Vec::new(), wrong: Vec::new() };
        match DeTable::parse(text) {
            Ok(table) => parser.top(table.get_ref()),
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let line = text[..at.min(text.len())].rfind('\n').map_or(0, |at| at + 1);
                let bare = text[line..].lines().next().filter(|line| Limit::parse(line).is_ok());
                let hint = bare.map(|limit| {
                    format!("; did you mean limits = [\"{}\"]? Limits are strings in a list", limit.trim())
                });
                parser.mistake(at, format!("{}{}", error.message(), hint.unwrap_or_default()));
            }
        }
        let Parser { globs, mut limits, wrong, .. } = parser;
        limits.sort_by_key(|limit| limit.line);
        if !wrong.is_empty() {
            let mut all: Vec<Mistake> =
                wrong.into_iter().map(|(line, what)| Mistake { file: file.into(), line, what }).collect();
            all.sort_by_key(|mistake| mistake.line);
            return Err(all);
        }
        Ok(Budget { file: file.into(), globs, limits })
    }

    pub fn limits(&self) -> &[Limited] {
        &self.limits
    }

    pub fn mistake(&self, limit: &Limited, what: String) -> Mistake {
        Mistake { file: self.file.clone(), line: limit.line, what }
    }
}

/// A list of strings in the file, each with its position.
struct Parser<'t> {
    text: &'t str,
    globs: Vec<GlobMatcher>,
    limits: Vec<Limited>,
    wrong: Vec<(usize, String)>,
}

impl Parser<'_> {
    fn line(&self, at: usize) -> usize {
        self.text.as_bytes()[..at.min(self.text.len())].iter().filter(|b| **b == b'\n').count() + 1
    }

    fn mistake(&mut self, at: usize, what: impl Into<String>) {
        self.wrong.push((self.line(at), what.into()));
    }

    fn top(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "limits" => self.limits(value, None),
                "path" => match value.get_ref() {
                    DeValue::Array(sections) => sections.iter().for_each(|section| self.path(section)),
                    _ => self.path(value),
                },
                _ => self.unknown(key, &["limits", "path"]),
            }
        }
        if self.limits.is_empty() && self.wrong.is_empty() {
            self.mistake(
                0,
                "the file has no limits: write limits = [\"total <= 5000\"], or have --budget-write write them",
            );
        }
    }

    fn unknown(&mut self, key: &Spanned<std::borrow::Cow<'_, str>>, known: &[&'static str]) {
        let name = key.get_ref();
        let hint = if let Some(suggestion) = nearest(name, known.iter().copied()) {
            format!("; did you mean '{suggestion}'?")
        } else if Limit::parse(&format!("{name} <= 1")).is_ok() || name == "errors" {
            format!(": limits are strings in a list, such as limits = [\"{name} <= 200\"]")
        } else {
            format!(": there are {}", known.join(" and "))
        };
        self.mistake(key.span().start, format!("unknown key '{}'{hint}", name.escape_debug()));
    }

    /// A section `[[path]]`.
    fn path(&mut self, section: &Spanned<DeValue<'_>>) {
        let at = section.span().start;
        let DeValue::Table(table) = section.get_ref() else {
            return self
                .mistake(at, "path is a section: write [[path]], and below it glob = \"...\" and limits = [...]");
        };
        let glob = table.iter().find(|(key, _)| key.get_ref() == "glob").map(|(_, value)| value);
        let before = self.globs.len();
        match glob.map(|value| (value.span().start, value.get_ref().as_str())) {
            Some((at, Some(glob))) => self.glob(at, glob),
            Some((at, None)) => self.mistake(at, "glob is a string, such as \"/etc/**\""),
            None => self.mistake(at, "this [[path]] has no glob, such as glob = \"/etc/**\""),
        }
        let index = (self.globs.len() > before).then_some(before);
        let mut any = false;
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "glob" => {}
                "limits" => {
                    any = true;
                    // A missing glob is reported already. The other mistakes are reported as well.
                    self.limits(value, Some(index.unwrap_or(0)));
                }
                _ => self.unknown(key, &["glob", "limits"]),
            }
        }
        if !any {
            self.mistake(at, "this [[path]] has no limits, such as limits = [\"openat <= 3\"]");
        }
    }

    fn glob(&mut self, at: usize, glob: &str) {
        if !glob.starts_with(['/', '*', '{', '[', '?']) {
            let whole = format!("**/{glob}");
            return self.mistake(
                at,
                format!("a glob is matched against whole paths; did you mean \"{}\"?", whole.escape_debug()),
            );
        }
        match GlobBuilder::new(glob).literal_separator(true).build() {
            Ok(glob) => self.globs.push(glob.compile_matcher()),
            Err(error) => self.mistake(at, format!("'{}' is not a glob: {}", glob.escape_debug(), error.kind())),
        }
    }

    fn limits(&mut self, value: &Spanned<DeValue<'_>>, glob: Option<usize>) {
        const STRINGS: &str = "limits is a list of strings, such as [\"total <= 5000\"]";
        let DeValue::Array(list) = value.get_ref() else {
            return self.mistake(value.span().start, STRINGS);
        };
        for item in list.iter() {
            let at = item.span().start;
            let Some(text) = item.get_ref().as_str() else {
                self.mistake(at, STRINGS);
                continue;
            };
            match Limit::parse(text) {
                Ok(Limit { metric: Metric::Processes, .. }) if glob.is_some() => {
                    self.mistake(at, "processes cannot be counted by path: put this limit above the first [[path]]");
                }
                Ok(limit) => self.limits.push(Limited { line: self.line(at), limit, glob }),
                Err(what) => self.mistake(at, what),
            }
        }
    }
}

/// The fate of a limit.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fate {
    Kept,
    Broken,
    /// Lost calls may have broken the limit.
    Unknown,
}

fn fate(comparison: Comparison, bound: f64, least: f64, most: f64) -> Fate {
    let (low, high) = (comparison.holds(least, bound), comparison.holds(most, bound));
    match comparison {
        Comparison::Exactly if least == most => {
            if low {
                Fate::Kept
            } else {
                Fate::Broken
            }
        }
        Comparison::Exactly => {
            if (least..=most).contains(&bound) {
                Fate::Unknown
            } else {
                Fate::Broken
            }
        }
        _ if low && high => Fate::Kept,
        _ if !low && !high => Fate::Broken,
        _ => Fate::Unknown,
    }
}

/// A budget, checked.
pub struct Checked<'b> {
    file: &'b str,
    results: Vec<Result<'b>>,
}

struct Result<'b> {
    limited: &'b Limited,
    glob: Option<String>,
    fate: Fate,
    value: Option<f64>,
    /// The message for a limit that is not kept.
    sentence: String,
}

impl Budget {
    pub fn check(&self, tally: &Tally, end: &End<'_>) -> Checked<'_> {
        let seen = Seen::new(self, tally, end);
        let result = |limited| {
            let (fate, value) = seen.check(limited);
            let sentence = if fate == Fate::Kept { String::new() } else { seen.sentence(limited) };
            Result { limited, glob: limited.glob.map(|glob| seen.globs[glob].clone()), fate, value, sentence }
        };
        Checked { file: &self.file, results: self.limits.iter().map(result).collect() }
    }
}

impl Checked<'_> {
    pub fn is_kept(&self) -> bool {
        self.count(Fate::Kept) == self.results.len()
    }

    fn count(&self, fate: Fate) -> usize {
        self.results.iter().filter(|result| result.fate == fate).count()
    }

    /// The limits that are not kept.
    fn not_kept(&self) -> impl Iterator<Item = &Result<'_>> {
        self.results.iter().filter(|result| result.fate != Fate::Kept)
    }

    /// A sentence about all limits.
    fn verdict(&self) -> String {
        let all = self.results.len();
        let limits = if all == 1 { "limit" } else { "limits" };
        match (self.count(Fate::Broken), self.count(Fate::Unknown)) {
            (0, 0) if all == 1 => format!("{}: the limit is kept", self.file),
            (0, 0) => format!("{}: all {all} limits are kept", self.file),
            (broken, 0) => format!("{}: {broken} of {all} {limits} broken", self.file),
            (0, unknown) => format!("{}: {unknown} of {all} {limits} cannot be checked", self.file),
            (broken, unknown) => {
                format!("{}: {broken} of {all} {limits} broken, {unknown} cannot be checked", self.file)
            }
        }
    }

    /// A line for each limit that is not kept, and a line about all of them.
    pub fn text(&self) -> String {
        let lines =
            self.not_kept().map(|result| format!("{}:{}: {}\n", self.file, result.limited.line, result.sentence));
        lines.chain([self.verdict() + "\n"]).collect()
    }

    /// The same for a summary or a comment.
    pub fn markdown(&self) -> String {
        let rows: Vec<Vec<String>> =
            self.not_kept().map(|result| vec![result.limited.line.to_string(), code(&result.sentence)]).collect();
        let mut out = format!("**{}**\n", plain(&self.verdict()));
        if !rows.is_empty() {
            out = out + "\n" + &table(&[" line", "limit"], &rows);
        }
        out
    }

    /// Notes beside the limits.
    pub fn annotations(&self) -> String {
        const TITLE: &str = "System call budget";
        let notes = self.not_kept().map(|result| {
            let severity = if result.fate == Fate::Broken { Severity::Error } else { Severity::Warning };
            let place = FileLine { file: self.file, line: result.limited.line as u64 };
            annotation(severity, Some(place), TITLE, &result.sentence)
        });
        let kept = self.is_kept().then(|| annotation(Severity::Notice, None, TITLE, &self.verdict()));
        notes.chain(kept).collect()
    }

    pub fn json(&self, out: &mut Vec<u8>) {
        let mut json = Json::new(out);
        for result in &self.results {
            json.line("limit", |j| {
                j.key("file").str(self.file);
                j.key("line").int(result.limited.line);
                j.key("limit").str(&result.limited.limit.to_string());
                if let Some(glob) = &result.glob {
                    j.key("glob").str(glob);
                }
                j.key("result").str(match result.fate {
                    Fate::Kept => "kept",
                    Fate::Broken => "broken",
                    Fate::Unknown => "unknown",
                });
                if let Some(value) = result.value {
                    crate::diff::json::number(j.key("value"), value);
                }
                if result.fate != Fate::Kept {
                    j.key("told").str(&result.sentence);
                }
            });
        }
        json.line("budget", |j| {
            j.key("file").str(self.file);
            j.key("limits").int(self.results.len());
            j.key("broken").int(self.count(Fate::Broken));
            j.key("unknown").int(self.count(Fate::Unknown));
        });
    }
}

/// The run, as the limits see it.
struct Seen<'t> {
    tally: &'t Tally,
    end: &'t End<'t>,
    globs: Vec<String>,
    /// For each glob: which objects match it.
    matching: Vec<HashMap<ObjectId, bool>>,
}

impl<'t> Seen<'t> {
    fn new(budget: &Budget, tally: &'t Tally, end: &'t End<'t>) -> Seen<'t> {
        let matches = |glob: &GlobMatcher| {
            let mut names = HashMap::new();
            for (_, subject, _) in tally.by_subject() {
                if let Subject::Object(object) = subject {
                    names.entry(object).or_insert_with(|| {
                        let name = end.tracker.name(object);
                        let path = name.strip_suffix(b" (deleted)").unwrap_or(name);
                        end.tracker.kind(object) == ObjectKind::Path && glob.is_match(OsStr::from_bytes(path))
                    });
                }
            }
            names
        };
        let globs = budget.globs.iter().map(|glob| glob.glob().glob().to_owned()).collect();
        Seen { tally, end, globs, matching: budget.globs.iter().map(matches).collect() }
    }

    /// The calls that a limit is about, with their subjects.
    fn by_subject(&self, limited: &Limited) -> impl Iterator<Item = (&'t SyscallTally, Subject, &'t Figures)> {
        let of = limited.limit.metric.of().cloned();
        let matching = limited.glob.map(|glob| &self.matching[glob]);
        self.tally.by_subject().filter(move |(call, subject, _)| {
            of.as_ref().is_none_or(|of| of.contains(call))
                && matching.is_none_or(|matching| match subject {
                    Subject::Object(object) => matching.get(object) == Some(&true),
                    _ => false,
                })
        })
    }

    fn figures(&self, limited: &Limited) -> Figures {
        let mut sum = Figures::default();
        match (limited.limit.metric.of(), limited.glob) {
            (None, _) => sum.calls = self.tally.processes(),
            (Some(of), None) => self.tally.calls().filter(|call| of.contains(call)).for_each(|call| sum.add(&call.all)),
            (Some(_), Some(_)) => self.by_subject(limited).for_each(|(_, _, figures)| sum.add(figures)),
        }
        sum
    }

    fn check(&self, limited: &Limited) -> (Fate, Option<f64>) {
        let Limit { metric, comparison, bound } = &limited.limit;
        let value = metric.value(&self.figures(limited));
        let lost = match metric {
            _ if !self.tally.is_whole() => f64::INFINITY,
            Metric::Processes => self.end.lost.threads as f64,
            _ => self.end.lost.calls as f64,
        };
        let (least, most) = match (metric, value) {
            _ if lost == 0.0 => (value, value),
            // Each lost call adds at most one to a count. How many bytes or how much time it adds is unknown.
            (Metric::Calls(_) | Metric::Errors(_) | Metric::Processes, Some(value)) => {
                (Some(value), Some(value + lost))
            }
            (Metric::MeanBytes(_), _) => (Some(0.0), Some(f64::INFINITY)),
            (_, value) => (value, Some(f64::INFINITY)),
        };
        match (least, most) {
            (Some(least), Some(most)) => (fate(*comparison, *bound, least, most), value),
            // Without calls, there is no mean.
            _ => (Fate::Kept, None),
        }
    }

    /// The message for a limit that is not kept.
    fn sentence(&self, limited: &Limited) -> String {
        let (fate, value) = self.check(limited);
        let on = limited.glob.map(|glob| format!(" on {}", shown(self.globs[glob].as_bytes()))).unwrap_or_default();
        let limit = &limited.limit;
        let value = value.unwrap_or(0.0);
        if fate == Fate::Unknown {
            let why = if !self.tally.is_whole() {
                "the trace ends before the program does".to_owned()
            } else if limit.metric == Metric::Processes {
                format!(
                    "{} unseen",
                    count(self.end.lost.threads, "start or end of a thread was", "starts or ends of threads were")
                )
            } else {
                format!("{} lost", count(self.end.lost.calls, "call was", "calls were"))
            };
            return format!("{limit}{on} cannot be checked: {} seen, and {why}", decimal(value));
        }
        format!("{limit}{on} is broken: {}{}", decimal(value), self.evidence(limited))
    }

    /// The subjects, syscalls or programs that contributed most.
    fn evidence(&self, limited: &Limited) -> String {
        let metric = &limited.limit.metric;
        let mut parts: BTreeMap<Vec<u8>, Figures> = BTreeMap::new();
        if matches!(metric.of(), Some(Of::All | Of::Class(..))) && limited.glob.is_none() {
            let calls = self.tally.calls().filter(|call| metric.of().is_some_and(|of| of.contains(call)));
            calls.for_each(|call| parts.entry(call.name.as_bytes().to_vec()).or_default().add(&call.all));
        } else if metric.of().is_some() {
            for (_, subject, figures) in self.by_subject(limited) {
                if let Subject::Object(object) = subject {
                    let name = normal(self.end.tracker.name(object), self.tally.ids(), false).into_owned();
                    parts.entry(name).or_default().add(figures);
                }
            }
        }
        // For a mean, the largest contributor has the most calls. For other metrics, it has the largest value.
        let by = |figures: &Figures| match metric {
            Metric::MeanBytes(_) => figures.calls as f64,
            metric => metric.value(figures).unwrap_or(0.0),
        };
        let mut parts: Vec<(Vec<u8>, Figures)> = parts.into_iter().filter(|(_, figures)| by(figures) > 0.0).collect();
        parts.sort_by(|a, b| by(&b.1).total_cmp(&by(&a.1)).then_with(|| a.0.cmp(&b.0)));
        let line = |(name, figures): &(Vec<u8>, Figures)| {
            let value = metric.value(figures).map_or_else(|| "-".into(), decimal);
            format!("{} {value}", shown(name))
        };
        let mut evidence: Vec<String> = parts.iter().take(3).map(line).collect();
        if parts.len() > 3 {
            evidence.push(format!("{} more", grouped(parts.len() as u64 - 3)));
        }
        let mut all = vec![evidence.join(", ")];
        let mut programs: BTreeMap<&[u8], u64> = BTreeMap::new();
        match metric {
            Metric::Processes => self.tally.ended().for_each(|(program, n)| *programs.entry(program).or_default() += n),
            Metric::Calls(of) if limited.glob.is_none() => {
                let made = self.tally.made().filter(|(call, ..)| of.contains(call));
                made.for_each(|(_, program, calls)| *programs.entry(program).or_default() += calls);
            }
            _ => {}
        }
        if programs.len() > 1 {
            let mut programs: Vec<(&[u8], u64)> = programs.into_iter().collect();
            programs.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
            let line = |(name, calls): &(&[u8], u64)| format!("{} {}", shown(name), grouped(*calls));
            let more = if programs.len() > 3 { ", ..." } else { "" };
            let programs: Vec<String> = programs.iter().take(3).map(line).collect();
            all.push(format!("by program: {}{more}", programs.join(", ")));
        }
        all.retain(|part| !part.is_empty());
        if all.is_empty() { String::new() } else { format!(" ({})", all.join("; ")) }
    }
}

#[cfg(test)]
mod tests;
