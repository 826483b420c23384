//! A difference, told in about ten lines: what it comes to, and then by syscall and by path.

use crate::diff::{Change, Diff, Kind};
use crate::figures::Figures;
use crate::rollup;
use crate::words::{self, count, shown, three};
use std::fmt::Write;
use std::rc::Rc;
use stride_output::grouped;

/// So many lines for syscalls, and so many for paths.
const MOST: usize = 5;

/// `circumstances` are what makes two runs differ that is not the program's doing; a sentence each.
pub fn text(diff: &Diff<'_>, circumstances: &[String]) -> String {
    let mut out = format!("{}\n", verdict(diff));
    for sentence in circumstances {
        let _ = writeln!(out, "{sentence}");
    }
    if let Some(frame) = frame(diff) {
        let _ = writeln!(out, "{frame}");
    }
    let syscalls: Vec<Line> = diff.syscalls.iter().filter(|change| change.of_note).map(line_of).collect();
    let paths = paths(diff);
    let (more_syscalls, more_paths) = (syscalls.len().saturating_sub(MOST), paths.len().saturating_sub(MOST));
    let table = [Some(Line::head()).into_iter().collect(), first(syscalls), first(paths)].concat();
    if table.len() > 1 {
        lay_out(&table, diff.times.is_some(), &mut out);
    }
    let mut rest = Vec::new();
    if more_syscalls > 0 {
        rest.push(count(more_syscalls as u64, "more syscall", "more syscalls"));
    }
    if more_paths > 0 {
        rest.push(count(more_paths as u64, "more line of paths", "more lines of paths"));
    }
    if !rest.is_empty() {
        let _ = writeln!(out, "... and {} (--json has all)", rest.join(", "));
    }
    out
}

fn first(mut lines: Vec<Line>) -> Vec<Line> {
    lines.truncate(MOST);
    lines
}

pub fn verdict(diff: &Diff<'_>) -> String {
    let (was, now) = (diff.base.total.calls, diff.this.total.calls);
    let numbers = if was == now {
        format!("{} in each", count(now, "call", "calls"))
    } else {
        format!("{} against {}", count(now, "call", "calls"), grouped(was))
    };
    if !diff.of_note() {
        return format!("Nothing of note differs: {numbers}.");
    }
    let cause = cause(diff);
    if !diff.total_differs() {
        return format!("About as many calls, but not the same: {numbers}; {cause}.");
    }
    let ratio = now as f64 / was.max(1) as f64;
    let how = match ratio {
        _ if was == 0 || now == 0 => return format!("{numbers}; {cause}."),
        1.995.. => format!("{} times as many calls", factor(ratio)),
        1.0.. => format!("{} % more calls", ((ratio - 1.0) * 100.0).round()),
        _ => format!("{} % fewer calls", ((1.0 - ratio) * 100.0).round()),
    };
    format!("{how}: {} against {}; {cause}.", grouped(now), grouped(was))
}

/// What of all this matters most.
fn cause(diff: &Diff<'_>) -> String {
    let more = diff.this.total.calls as i64 - diff.base.total.calls as i64;
    let noted = || diff.syscalls.iter().filter(|change| change.of_note);
    // What has moved the total, where that has moved; else whatever weighs most.
    let with_total = noted().find(|change| diff.total_differs() && change.more().signum() == more.signum());
    if let Some(change) = with_total.or_else(|| noted().next()) {
        let share = change.more() as f64 / more as f64;
        let how = if with_total.is_some() && share > 0.5 { "most of it" } else { "above all" };
        let name = shown(&change.name);
        if change.by_time && with_total.is_none() {
            let ratio = change.this.mean_time() / change.base.mean_time().max(1.0);
            return match ratio {
                1.0.. => format!("above all, {name} takes {} times as long", factor(ratio)),
                _ => format!("above all, {name} takes {} % less time", ((1.0 - ratio) * 100.0).round()),
            };
        }
        let errors = change.base.calls == change.this.calls && change.base.errors != change.this.errors;
        let (was, now, what) = match errors {
            true => (change.base.errors, change.this.errors, "errors of "),
            false => (change.base.calls, change.this.calls, ""),
        };
        if was == now {
            let moved = |figures: &Figures| words::bytes(figures.bytes);
            return format!("above all, bytes of {name}: {} against {}", moved(&change.this), moved(&change.base));
        }
        return format!("{how} {what}{name}: {} against {}", grouped(now), grouped(was));
    }
    let of_kind = |kind| diff.objects.iter().filter(|change| change.of_note && change.kind() == kind).count() as u64;
    let told = [
        (of_kind(Kind::Appeared), "appeared"),
        (of_kind(Kind::Vanished), "vanished"),
        (of_kind(Kind::Changed), "changed"),
    ];
    let told: Vec<String> =
        told.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", count(*n, "path", "paths"))).collect();
    told.join(", ")
}

fn factor(ratio: f64) -> String {
    if ratio < 9.95 { format!("{ratio:.1}") } else { grouped(ratio.round() as u64) }
}

/// What the run was as a whole, where that differs.
fn frame(diff: &Diff<'_>) -> Option<String> {
    let (base, this) = (diff.base, diff.this);
    let mut parts = Vec::new();
    if diff.times.is_some() && diff.of_note() {
        parts.push(format!("{} against {}", words::time(this.elapsed), words::time(base.elapsed)));
    }
    if this.processes != base.processes {
        parts.push(format!("{} against {}", count(this.processes, "process", "processes"), grouped(base.processes)));
    }
    (!parts.is_empty()).then(|| format!("The run: {}.", parts.join(", ")))
}

/// A line of the table.
#[derive(Clone)]
struct Line {
    cells: [String; 6],
    name: String,
}

const TIME: usize = 4;

impl Line {
    fn head() -> Line {
        let cells = ["was", "now", "ratio", "errors", "time", "bytes"].map(str::to_owned);
        Line { cells, name: "syscall or path".into() }
    }

    fn new(base: &Figures, this: &Figures, name: String) -> Line {
        let ratio = match (base.calls, this.calls) {
            (0, _) => "new".into(),
            (_, 0) => "gone".into(),
            (a, b) if a == b => String::new(),
            (a, b) => format!("{}x", three(b as f64 / a as f64)),
        };
        let cells = [
            grouped(base.calls),
            grouped(this.calls),
            ratio,
            words::change(base.errors, this.errors, grouped),
            words::change(base.time, this.time, words::time),
            words::change(base.bytes, this.bytes, words::bytes),
        ];
        Line { cells, name }
    }
}

fn line_of(change: &Change) -> Line {
    Line::new(&change.base, &change.this, shown(&change.name))
}

/// Those that appeared, vanished and changed, by directory.
fn paths(diff: &Diff<'_>) -> Vec<Line> {
    let mut lines: Vec<(f64, Line)> = Vec::new();
    for kind in [Kind::Appeared, Kind::Vanished, Kind::Changed] {
        let changes: Vec<&Change> = diff.objects.iter().filter(|c| c.of_note && c.kind() == kind).collect();
        let items: Vec<(Rc<[u8]>, f64)> = changes.iter().map(|change| (change.name.clone(), change.weight)).collect();
        for group in rollup::groups(&items, MOST) {
            let (mut base, mut this) = (Figures::default(), Figures::default());
            let mut syscalls: Vec<&str> = Vec::new();
            for &i in &group.items {
                base.add(&changes[i].base);
                this.add(&changes[i].this);
                for name in changes[i].syscalls.iter().take(2) {
                    if !syscalls.contains(&&**name) {
                        syscalls.push(name);
                    }
                }
            }
            let several = group.items.len() > 1;
            let paths = if several {
                format!("** ({})", count(group.items.len() as u64, "path", "paths"))
            } else {
                String::new()
            };
            let dots = if syscalls.len() > 3 { ", ..." } else { "" };
            syscalls.truncate(3);
            let by = if syscalls.is_empty() { String::new() } else { format!(": {}{dots}", syscalls.join(", ")) };
            lines.push((group.weight, Line::new(&base, &this, format!("{}{paths}{by}", shown(&group.name)))));
        }
    }
    lines.sort_by(|a, b| b.0.total_cmp(&a.0));
    lines.into_iter().map(|(_, line)| line).collect()
}

/// In columns, without those that say nothing.
fn lay_out(lines: &[Line], times: bool, out: &mut String) {
    let width = |column: usize| lines.iter().map(|line| line.cells[column].len()).max().unwrap_or(0);
    let says = |column: usize| lines[1..].iter().any(|line| !line.cells[column].is_empty());
    let columns: Vec<(usize, usize)> = (0..lines[0].cells.len())
        .filter(|&column| says(column) && (times || column != TIME))
        .map(|column| (column, width(column)))
        .collect();
    for line in lines {
        for &(column, width) in &columns {
            let _ = write!(out, "{:>width$}  ", line.cells[column]);
        }
        let _ = writeln!(out, "{}", line.name);
    }
}
