//! Draws the tree: a column for each number, and behind them the processes.

use super::label::{TreeLabel, TreeLayout};
use crate::line::color::Role;
use crate::spelling::legible::legible;
use crate::spelling::names::signal_text;
use crate::views::processes::{NodeEnd, ProcessNode, ProcessRows};
use stride_event::quantity::{count, duration, grouped};
use stride_event::{Lost, Ns};

const HEADS: [&str; 6] = ["time", "calls", "errors", "threads", "end", "pid"];
const COMMAND: &str = "command";
/// The explanation of the lines about variables.
const SIGNS: &str = "env: variables that differ from the parent's: + added, - removed, ~ changed";
/// The levels of the tree that are drawn. Deeper ones stand at this one.
const DEEPEST: usize = 40;

/// A part of a line, with its colour.
type Part = (String, Option<Role>);

struct Row {
    cells: [Part; HEADS.len()],
    /// The lines of the process: the command, and what there is to say about it.
    lines: Vec<Part>,
    depth: usize,
}

/// `now`: the time of the latest event, until when the living have lived.
pub fn tree(rows: ProcessRows<TreeLabel>, now: Ns, lost: Lost, layout: &TreeLayout) -> String {
    let explains = rows.rows.iter().any(|(it, _)| it.label.environment.is_some());
    let mut drawn: Vec<Row> = Vec::with_capacity(rows.rows.len());
    for (it, depth) in &rows.rows {
        drawn.push(row(it, *depth, now));
        if it.more > 0 {
            drawn.push(others(it.more, depth + 1));
        }
    }
    // The children of a process that was left out stand behind its other children.
    let mut ordered = sorted_behind_children(drawn);
    if rows.more > 0 {
        ordered.push(others(rows.more, 0));
    }
    let mut out = String::new();
    if ordered.is_empty() {
        out.push_str("No process was traced.\n");
    } else {
        table(&ordered, layout, &mut out);
    }
    let mut notes = Vec::new();
    if explains {
        notes.push(SIGNS.to_owned());
    }
    if !lost.is_none() {
        notes.push(format!("... {lost}: processes may be missing, and counts are too small"));
    }
    for note in notes {
        line(&[(note, Some(Role::Comment))], layout, &mut out);
    }
    out
}

/// Processes that are not shown singly.
fn others(n: u64, depth: usize) -> Row {
    let text = format!("... and {}", count(n, "more process", "more processes"));
    Row { cells: Default::default(), lines: vec![(text, Some(Role::Comment))], depth }
}

/// A row about others comes right behind its process. Moves it behind the process's children.
fn sorted_behind_children(rows: Vec<Row>) -> Vec<Row> {
    let mut out: Vec<Row> = Vec::with_capacity(rows.len());
    let mut waiting: Vec<Row> = Vec::new();
    for row in rows {
        while waiting.last().is_some_and(|others| others.depth > row.depth) {
            out.extend(waiting.pop());
        }
        if row.cells[0].0.is_empty() {
            waiting.push(row);
        } else {
            out.push(row);
        }
    }
    out.extend(waiting.into_iter().rev());
    out
}

fn row(it: &ProcessNode<TreeLabel>, depth: usize, now: Ns) -> Row {
    let (end, role) = match it.end {
        NodeEnd::None => ("runs on".to_owned(), None),
        NodeEnd::Exit(0) => ("exit 0".to_owned(), Some(Role::Return)),
        NodeEnd::Exit(status) => (format!("exit {status}"), Some(Role::Error)),
        NodeEnd::Signal { signal, core } => {
            (format!("{}{}", signal_text(signal), if core { " (core)" } else { "" }), Some(Role::Error))
        }
    };
    let lived = it.to.unwrap_or(now).saturating_sub(it.from);
    let cells = [
        (duration(lived), None),
        (grouped(it.calls), None),
        (grouped(it.errors), None),
        (grouped(it.threads.max(1)), None),
        (end, role),
        (it.pid.to_string(), None),
    ];
    Row { cells, lines: lines(&it.label), depth }
}

fn lines(label: &TreeLabel) -> Vec<Part> {
    let comm = legible(&label.comm, 64);
    let command = match &label.fork_of {
        Some(parent) if *parent == label.comm => (format!("(fork of {comm})"), Some(Role::Comment)),
        Some(parent) => (format!("(fork of {}, called {comm})", legible(parent, 64)), Some(Role::Comment)),
        None if label.command.is_empty() => (format!("[{comm}]"), Some(Role::Comment)),
        None => (label.command.clone(), None),
    };
    let mut lines = vec![command];
    if let Some(change) = &label.environment {
        let more = if change.more > 0 { format!(" and {} more", change.more) } else { String::new() };
        lines.push((format!("env: {}{more}", change.names.join(" ")), Some(Role::Comment)));
    }
    if let Some(earlier) = &label.earlier {
        lines.push((format!("before: {earlier}"), Some(Role::Comment)));
    }
    lines
}

fn table(rows: &[Row], layout: &TreeLayout, out: &mut String) {
    let width =
        |i: usize| rows.iter().map(|row| row.cells[i].0.chars().count()).chain([HEADS[i].len()]).max().unwrap_or(0);
    let widths: [usize; HEADS.len()] = std::array::from_fn(width);
    let padded = |i: usize, text: &str| format!("{text:>width$}  ", width = widths[i]);
    let heads = HEADS.iter().enumerate().map(|(i, head)| padded(i, head)).collect::<String>() + COMMAND;
    line(&[(heads, Some(Role::Comment))], layout, out);
    for (at, row) in rows.iter().enumerate() {
        let depth = row.depth.min(DEEPEST);
        // At each level above, a line goes on if a later row has that level before one has a lower one.
        let goes_on = |level: usize| {
            let later = rows[at + 1..].iter().map(|row| row.depth.min(DEEPEST)).find(|&depth| depth <= level);
            later == Some(level)
        };
        let above: String = (1..depth).map(|level| if goes_on(level) { "│  " } else { "   " }).collect();
        let branch = match depth {
            0 => "",
            depth if goes_on(depth) => "├─ ",
            _ => "└─ ",
        };
        let below = match depth {
            0 => "",
            depth if goes_on(depth) => "│  ",
            _ => "   ",
        };
        let has_children = rows.get(at + 1).is_some_and(|next| next.depth > row.depth);
        for (n, (text, role)) in row.lines.iter().enumerate() {
            let mut parts: Vec<Part> = Vec::new();
            for (i, (cell, role)) in row.cells.iter().enumerate() {
                let cell = padded(i, if n == 0 { cell } else { "" });
                let errors = i == 2 && n == 0 && cell.trim() != "0";
                parts.push((cell, if errors { Some(Role::Error) } else { *role }));
            }
            let guide = match n {
                0 => format!("{above}{branch}"),
                _ => format!("{above}{below}{}", if has_children { "│    " } else { "     " }),
            };
            parts.push((guide, Some(Role::Punctuation)));
            parts.push((text.clone(), *role));
            line(&parts, layout, out);
        }
    }
}

/// Writes a line. On a terminal, a line that is too long ends in `…`.
fn line(parts: &[Part], layout: &TreeLayout, out: &mut String) {
    let all: usize = parts.iter().map(|(text, _)| columns(text)).sum();
    let mut room = match layout.width {
        Some(width) if all > width => width.saturating_sub(1),
        _ => usize::MAX,
    };
    let mut bytes = Vec::new();
    for (i, (text, role)) in parts.iter().enumerate() {
        let mut shown = String::new();
        for c in text.chars() {
            let columns = columns_of(c);
            if columns > room {
                room = 0;
                break;
            }
            room -= columns;
            shown.push(c);
        }
        if i + 1 == parts.len() {
            shown.truncate(shown.trim_end_matches(' ').len());
        }
        match (&layout.palette, role) {
            (Some(palette), Some(role)) => palette.paint(*role, shown.as_bytes(), &mut bytes),
            _ => bytes.extend_from_slice(shown.as_bytes()),
        }
    }
    out.push_str(&String::from_utf8_lossy(&bytes));
    if layout.width.is_some_and(|width| all > width) {
        out.push('…');
    }
    out.push('\n');
}

fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Some characters take two columns. It does no harm to take more for such.
fn columns_of(c: char) -> usize {
    1 + usize::from(c as u32 >= 0x1100 && !('\u{2000}'..='\u{2bff}').contains(&c))
}
