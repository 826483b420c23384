//! Findings as text.

use super::paint::ReportPaint;
use crate::brief::caller::caller_name;
use crate::spelling::quote::shown;
use crate::spelling::wrap::wrapped;
use std::fmt::Write as _;
use stride_advise::{Callers, Evidence, EvidenceKind, FactTable, Finding, Findings, Saving};
use stride_event::Ns;
use stride_event::quantity::{bytes, count, duration, grouped, percent};

const INDENT: &str = "            ";
/// So many minor findings have their lines.
const MOST_MINOR: usize = 4;

/// The report. `recording` has the lines that findings refer to; without it, no lines are named.
pub fn report(findings: &Findings, recording: Option<&str>, lost: u64, paint: ReportPaint) -> String {
    let &Findings { ref reported, ref minor, calls, .. } = findings;
    let mut out = String::new();
    if reported.is_empty() {
        let _ = writeln!(out, "{}", nothing(calls));
    }
    for (i, finding) in reported.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        one(i + 1, finding, recording.is_some(), paint, &mut out);
    }
    let has_lines = reported.iter().flat_map(|finding| &finding.evidence).any(|evidence| evidence.line.is_some());
    if let Some(recording) = recording.filter(|_| has_lines) {
        let _ = writeln!(
            out,
            "\nLines are those that stride --replay={} prints with the same filters.",
            shown(recording.as_bytes())
        );
    }
    if !minor.is_empty() {
        out.push_str("\nA change would save little (--advise=all tells more):\n");
        minor.iter().take(MOST_MINOR).for_each(|finding| in_short(finding, paint, &mut out));
        if minor.len() > MOST_MINOR {
            let _ = writeln!(out, "   and {} more", minor.len() - MOST_MINOR);
        }
    }
    out.push_str(&unfollowed(findings));
    if lost > 0 {
        let _ = writeln!(
            out,
            "\n... {}: what is said of the others may be too little",
            count(lost, "call lost", "calls lost")
        );
    }
    out
}

/// The report of a run without findings.
pub fn nothing(calls: u64) -> String {
    format!("Nothing to advise: in {} calls, no pattern that Stride knows is worth changing.", grouped(calls))
}

/// Says that most of the work may have been done elsewhere.
pub fn unfollowed(findings: &Findings) -> String {
    let begun = match findings.unfollowed {
        0 => return String::new(),
        1 => "1 thread or process that it started was".into(),
        n => format!("{} threads and processes that it started were", grouped(n)),
    };
    let mut out = "\n".to_owned();
    wrapped(
        &format!("{begun} not traced, and what they did is not told. With -f, a recording has them."),
        "",
        &mut out,
    );
    out
}

/// A message as a sentence of the report.
pub fn sentence(message: &str) -> String {
    let mut chars = message.chars();
    chars.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), chars.as_str()))
}

/// The end of a report of a run with so many operations of io_uring.
pub fn operations(n: u64) -> String {
    if n == 0 {
        return String::new();
    }
    let made = count(n, "operation of io_uring was", "operations of io_uring were");
    format!("\nBesides its calls, {made} submitted. The rules look at system calls only.\n")
}

/// `stat storm [stat-storm], from check (walk.c:41)`
fn in_short(finding: &Finding, paint: ReportPaint, out: &mut String) {
    let begun = out.len();
    let from = finding
        .callers
        .shares
        .first()
        .map_or_else(String::new, |(caller, _)| format!(", from {}", caller_name(caller)));
    wrapped(&format!("   {} [{}]{from}", finding.title, finding.id), "      ", out);
    paint.head(out, begun, finding.title, finding.id);
}

fn one(number: usize, finding: &Finding, lines: bool, paint: ReportPaint, out: &mut String) {
    let begun = out.len();
    let head = format!("{number}. {} [{}]: {}", finding.title, finding.id, finding.sentence);
    wrapped(&head, "   ", out);
    paint.head(out, begun, finding.title, finding.id);
    let field = |label, text: &str, out: &mut String| {
        let begun = out.len();
        self::field(label, text, out);
        paint.label(out, begun, label);
    };
    if let Some(saves) = saves(finding) {
        let begun = out.len();
        field("saves", &saves, out);
        paint.saved(out, begun, &saves);
    }
    for (label, kinds) in [
        (
            "where",
            &[
                EvidenceKind::Path,
                EvidenceKind::Socket,
                EvidenceKind::Syscall,
                EvidenceKind::Program,
                EvidenceKind::Other,
            ][..],
        ),
        ("who", &[EvidenceKind::Process]),
    ] {
        let items: Vec<String> =
            finding.evidence.iter().filter(|e| kinds.contains(&e.kind)).map(|e| item(e, lines)).collect();
        if !items.is_empty() {
            field(label, &items.join("; "), out);
        }
    }
    if let Some(makers) = callers(&finding.callers) {
        field("from", &makers, out);
    }
    if let Some(next) = callers(&finding.next) {
        field("then", &next, out);
    }
    if let Some(table) = &finding.table {
        rows(table, out);
    }
    field("do", &finding.advice, out);
    let sure = format!("{}; stride --explain {} tells more", finding.confidence.word(), finding.id);
    field("sure", &sure, out);
}

/// Each column is as wide as its widest cell, except for the last.
fn rows(table: &FactTable, out: &mut String) {
    let heads: Vec<String> = table.heads.iter().map(|head| (*head).to_owned()).collect();
    let all: Vec<&Vec<String>> = std::iter::once(&heads).chain(table.rows.iter().map(|row| &row.cells)).collect();
    let width = |column: usize| all.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..heads.len().saturating_sub(1)).map(width).collect();
    for row in all {
        let mut line = String::from("     ");
        for (i, cell) in row.iter().enumerate() {
            let width = widths.get(i).copied().unwrap_or(0);
            let _ = write!(line, " {cell:width$} ");
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// The saving of a change in words, if it was estimated.
pub fn saves(finding: &Finding) -> Option<String> {
    let of = &finding.saving;
    (of.calls > 0 || of.up_to > 0 || of.work > 0).then(|| saving(of))
}

/// `185,461 of 664,447 calls (28%), about 45.2 ms: every check but the first`
pub fn saving(saving: &Saving) -> String {
    let mut text = String::new();
    if saving.calls > 0 {
        let share = percent(saving.calls, saving.of);
        let _ = write!(text, "{} of {} calls ({share})", grouped(saving.calls), grouped(saving.of));
    }
    let comma = if text.is_empty() { "" } else { ", " };
    // Little of the work is on the critical path: other threads are what the run waits for.
    let beside = saving.work >= 2 * saving.up_to.max(1);
    let of_run = between(saving.time, saving.up_to);
    match (of_run, saving.work) {
        (None, 0) => {}
        (None, work) => {
            let _ = write!(text, "{comma}about {} of work, for which the run does not wait", duration(work));
        }
        (Some(time), work) if beside => {
            let _ = write!(text, "{comma}about {} of work, and {time} of the run", duration(work));
        }
        (Some(time), _) => {
            let about = if saving.time == saving.up_to { "about " } else { "" };
            let _ = write!(text, "{comma}{about}{time}");
        }
    }
    if !saving.how.is_empty() {
        let _ = write!(text, ": {}", saving.how);
    }
    text
}

/// `45.2 ms`, `45.2 to 120 ms`, or `up to 120 ms`. Nothing, if that is no time.
pub fn between(least: Ns, most: Ns) -> Option<String> {
    let (from, to) = (duration(least), duration(most));
    if most == 0 {
        return None;
    }
    if from == to {
        return Some(from);
    }
    if least == 0 {
        return Some(format!("up to {to}"));
    }
    let same_unit = from.split_once(' ').zip(to.split_once(' ')).filter(|((_, one), (_, other))| one == other);
    Some(format!("{} to {to}", same_unit.map_or(&from[..], |((number, _), _)| number)))
}

/// `/etc/passwd: 120 calls, 4.00 KiB, 1.20 ms, as on line 7`. The line is shown only with `lines`.
pub fn item(evidence: &Evidence, lines: bool) -> String {
    let mut text = shown(&evidence.name);
    let mut facts = Vec::new();
    if evidence.calls > 0 {
        facts.push(count(evidence.calls, "call", "calls"));
    }
    if let Some(moved) = evidence.bytes {
        facts.push(bytes(moved));
    }
    if let Some(time) = evidence.time {
        facts.push(duration(time));
    }
    if let Some(line) = evidence.line.filter(|_| lines) {
        facts.push(format!("as on line {}", grouped(line)));
    }
    if !facts.is_empty() {
        let _ = write!(text, ": {}", facts.join(", "));
    }
    text
}

/// Callers with smaller shares are not named.
const SMALLEST_SHARE: f64 = 0.01;
const MOST_CALLERS: usize = 3;

/// `check (walk.c:41): 75%; main (walk.c:80): 25%`. Shares of samples are said to be such.
pub fn callers(callers: &Callers) -> Option<String> {
    let (all, estimate) = (&callers.shares, callers.is_estimate());
    let named = all.iter().take(MOST_CALLERS).take_while(|(_, share)| *share >= SMALLEST_SHARE).count().max(1);
    let mut parts: Vec<String> = all
        .iter()
        .take(named)
        .map(|(caller, share)| match (share * 100.0).round().clamp(1.0, 99.0) {
            _ if *share > 0.995 && all.len() == 1 => caller_name(caller),
            percent if estimate => format!("{}: about {percent}%", caller_name(caller)),
            percent => format!("{}: {percent}%", caller_name(caller)),
        })
        .collect();
    if parts.is_empty() {
        return None;
    }
    if all.len() > named {
        parts.push(count((all.len() - named) as u64, "other", "others"));
    }
    if estimate {
        parts.push(format!("{} of {} sampled", grouped(callers.sampled), count(callers.of, "call was", "calls were")));
    }
    Some(parts.join("; "))
}

fn field(label: &str, text: &str, out: &mut String) {
    wrapped(&format!("   {label:<9}{text}"), INDENT, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_advise::{Confidence, FactRow};
    use stride_event::{CallingFunction, SourceLine};

    fn findings(reported: Vec<Finding>, minor: Vec<Finding>, calls: u64) -> Findings {
        Findings { reported, minor, calls, ..Findings::default() }
    }

    #[test]
    fn a_report() {
        let plain = ReportPaint(false);
        let mut evidence = Evidence::new(EvidenceKind::Path, "/tmp/ma\nny", 30_600);
        evidence.line = Some(4712);
        let finding = Finding {
            id: "stat-storm",
            title: "stat storm",
            sentence: "7.1 checks per path: /tmp/many was checked 30,600 times.".into(),
            figures: Vec::new(),
            evidence: vec![evidence, Evidence::new(EvidenceKind::Process, "walk (pid 7)", 3)],
            calls: Vec::new(),
            callers: Callers { shares: vec![(function("check", 41), 1.0)], sampled: 9, of: 9 },
            next: Callers::default(),
            table: Some(FactTable {
                heads: vec!["thread", "on"],
                rows: [["17 cat", "a"], ["1", "b"]]
                    .map(|cells| FactRow { cells: cells.map(str::to_owned).into(), figures: Vec::new() })
                    .into(),
            }),
            advice: "Ask once.".into(),
            confidence: Confidence::Likely,
            saving: Saving {
                calls: 185_461,
                of: 664_447,
                time: 45_200_000,
                up_to: 45_200_000,
                work: 45_200_000,
                how: "every repeat".into(),
            },
            trial: None,
            minor: false,
        };
        assert_eq!(
            report(&findings(vec![finding.clone()], vec![], 664_447), Some("a.rec"), 3, plain),
            "1. stat storm [stat-storm]: 7.1 checks per path: /tmp/many was checked 30,600 times.\n   \
             saves    185,461 of 664,447 calls (28%), about 45.2 ms: every repeat\n   \
             where    /tmp/ma\\nny: 30,600 calls, as on line 4,712\n   \
             who      walk (pid 7): 3 calls\n   \
             from     check (walk.c:41)\n   \
             \x20  thread  on\n      17 cat  a\n      1       b\n   do       Ask once.\n   \
             sure     likely; stride --explain stat-storm tells more\n\n\
             Lines are those that stride --replay=a.rec prints with the same filters.\n\n\
             ... 3 calls lost: what is said of the others may be too little\n"
        );
        let painted = report(&findings(vec![finding.clone()], vec![], 664_447), None, 0, ReportPaint(true));
        let begins = "1. \x1b[1mstat storm\x1b[0m \x1b[33m[stat-storm]\x1b[0m: 7.1 checks";
        let saves =
            "   \x1b[36msaves\x1b[0m    \x1b[32m185,461 of 664,447 calls (28%), about 45.2 ms\x1b[0m: every repeat\n";
        assert!(painted.starts_with(begins) && painted.contains(saves), "{painted:?}");
        let live = report(&findings(vec![finding.clone()], vec![], 664_447), None, 0, plain);
        // Colours are all that they add.
        let mut uncoloured = painted;
        ["0", "1", "32", "33", "36"]
            .iter()
            .for_each(|code| uncoloured = uncoloured.replace(&format!("\x1b[{code}m"), ""));
        assert_eq!(uncoloured, live);
        assert!(live.contains("/tmp/ma\\nny: 30,600 calls\n") && !live.contains("ine"), "{live}");
        assert_eq!(
            report(&findings(vec![], vec![], 12), None, 0, plain),
            "Nothing to advise: in 12 calls, no pattern that Stride knows is worth changing.\n"
        );
        let minor = report(&findings(vec![], vec![finding.clone(), finding], 12), None, 0, plain);
        let line = "   stat storm [stat-storm], from check (walk.c:41)\n";
        assert!(minor.ends_with(&format!("little (--advise=all tells more):\n{line}{line}")), "{minor}");
    }

    #[test]
    fn ranges() {
        const MS: Ns = 1_000_000;
        let told = |least, most| between(least, most).unwrap_or_default();
        assert_eq!(told(0, 0), "");
        assert_eq!(told(45 * MS, 45 * MS), "45.0 ms");
        assert_eq!(told(45_000_001, 45_000_002), "45.0 ms", "both are written alike");
        assert_eq!(told(0, 45 * MS), "up to 45.0 ms");
        assert_eq!(told(45 * MS, 120 * MS), "45.0 to 120 ms");
        assert_eq!(told(45 * MS, 1_200 * MS), "45.0 ms to 1.20 s");
        let saving = Saving { time: 5 * MS, up_to: 9 * MS, work: 5 * MS, ..Saving::default() };
        assert_eq!(super::saving(&saving), "5.00 to 9.00 ms");
    }

    fn function(name: &str, line: u32) -> CallingFunction {
        let source = Some(SourceLine { file: "/src/walk.c".into(), line });
        CallingFunction { module: None, function: Some(name.into()), source, offset: None, package: None }
    }

    #[test]
    fn shares_of_callers() {
        let line = |shares: &[f64], sampled, of| {
            let shares = shares.iter().zip(1..).map(|(share, line)| (function("f", line), *share)).collect();
            callers(&Callers { shares, sampled, of })
        };
        assert_eq!(line(&[], 0, 9), None);
        assert_eq!(line(&[1.0], 3, 9).unwrap(), "f (walk.c:1); 3 of 9 calls were sampled");
        assert_eq!(line(&[0.75, 0.25], 9, 9).unwrap(), "f (walk.c:1): 75%; f (walk.c:2): 25%");
        assert_eq!(
            line(&[0.9991, 0.0009], 4000, 30_600).unwrap(),
            "f (walk.c:1): about 99%; 1 other; 4,000 of 30,600 calls were sampled"
        );
        let many = [0.005; 200];
        assert_eq!(line(&many, 9, 9).unwrap(), "f (walk.c:1): 1%; 199 others");
    }

    #[test]
    fn names() {
        assert_eq!(shown("TCP → [::1]:80".as_bytes()), "TCP → [::1]:80");
        assert_eq!(shown("TCP 0.0.0.0:80 ← clients".as_bytes()), "TCP 0.0.0.0:80 ← clients");
        assert_eq!(shown("UNIX → /a\n → →b".as_bytes()), "UNIX → /a\\n → \\342\\206\\222b");
    }
}
