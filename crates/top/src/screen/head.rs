//! The lines above the table: the sums, the last minute, the names of the tables, and the choice of calls.

use crate::model::history::{MINUTE, PastRates};
use crate::model::sample::OffCpu;
use crate::model::tables::Tab;
use crate::model::{Model, TopRow};
use crate::screen::colors::{bold, dim, reversed};
use crate::screen::table::{cut, rate, rate_of};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use stride_event::Ns;
use stride_event::quantity::{count, duration, percent};

/// The name of the program leaves room for the numbers.
const LONGEST_SUBJECT: usize = 24;

/// Lines of the graph: calls, errors, and the time below them.
const CALLS: usize = 4;
const ERRORS: usize = 2;
const GRAPH: usize = CALLS + ERRORS + 1;
/// Columns left of the graph.
const LABELS: usize = 19;
/// From this height on, the graph is shown if nobody has chosen; and below the other one, never.
const TALL: u16 = 30;
pub const LOW: u16 = 16;
const NARROW: u16 = 40;
/// From this width on, there is room for the name of the view.
const NAMED: usize = 60;
/// A curve beside the sums is at least so wide.
const LEAST_CURVE: usize = 8;

/// The number of lines above the table.
pub fn head_height(model: &Model, height: u16) -> usize {
    match height {
        0..=4 => 0,
        5..=7 => 1,
        _ => 3 + if has_graph(model, height) { GRAPH } else { 0 },
    }
}

/// True if the graph of the last minute is shown.
pub fn has_graph(model: &Model, height: u16) -> bool {
    height >= LOW && model.help.is_none() && model.graph.unwrap_or(height >= TALL)
}

/// The lines for a terminal of this size.
pub fn lines(model: &Model, rows: &[TopRow], width: u16, height: u16) -> Vec<Line<'static>> {
    let graph = has_graph(model, height);
    let mut lines = vec![subject(model, rows, usize::from(width), graph)];
    if graph {
        let past = if width >= NARROW { self::graph(model, usize::from(width)) } else { Vec::new() };
        lines.extend(past);
        lines.resize(1 + GRAPH, Line::default());
    }
    lines.extend([tabs(model, usize::from(width)), scope(model, rows)]);
    lines.truncate(head_height(model, height));
    lines
}

fn subject(model: &Model, rows: &[TopRow], width: usize, graph: bool) -> Line<'static> {
    let sum = Model::sum(rows);
    let length = model.length();
    let numbers: Vec<Span<'_>> = match model.screen().tab {
        Tab::Waits => vec![Span::raw(count(sum.calls, "thread waits", "threads wait"))],
        _ if model.totals => {
            vec![Span::raw(format!("{} in {}", count(sum.calls, "call", "calls"), duration(length)))]
        }
        _ => vec![
            Span::raw(format!("{} calls/s, ", rate(sum.calls, length))),
            Span::styled(format!("{} errors/s", rate(sum.errors, length)), model.colors.errors(sum.errors, sum.calls)),
        ],
    };
    let mut line = Line::default();
    let name = if width < NAMED { "" } else { "stride --top: " };
    let subject = format!("{name}{}", cut(&model.subject, LONGEST_SUBJECT));
    line.push_span(Span::styled(subject, model.colors.title()));
    let marks = [
        model.paused.then(|| "paused".to_owned()),
        model.recording.as_ref().map(|file| format!("recording {file}")),
        model.ended.then(|| "ended".to_owned()),
    ];
    for mark in marks.into_iter().flatten() {
        line.push_span("  ");
        line.push_span(Span::styled(format!("[{mark}]"), model.colors.mark()));
    }
    line.push_span("  ");
    numbers.into_iter().for_each(|span| line.push_span(span));
    let room = width.saturating_sub(line.width() + 2).min(MINUTE);
    if !graph && room >= LEAST_CURVE {
        let calls: Vec<f64> = model.past(room).iter().map(|past| past.calls).collect();
        // The first interval has nothing to be compared with.
        if calls.len() > 1 {
            line.push_span("  ");
            line.push_span(Span::styled(model.glyphs.line(&calls, calls.len()), model.colors.rates()));
        }
    }
    line
}

/// Calls and errors in each second of the last minute, each with its largest number.
fn graph(model: &Model, width: usize) -> Vec<Line<'static>> {
    let wide = width.saturating_sub(LABELS).min(MINUTE);
    let past = model.past(wide);
    let curve = |of: fn(&PastRates) -> f64, name: &str, height: usize, style: Style| {
        let values: Vec<f64> = past.iter().map(of).collect();
        let most = values.iter().copied().fold(0.0, f64::max);
        let label = format!("{name:<8} {:>9} ", rate_of(most));
        let line = |(i, curve): (usize, String)| {
            let label = if i == 0 { label.clone() } else { " ".repeat(LABELS) };
            Line::from(vec![Span::raw(label), Span::styled(curve, style)])
        };
        model.glyphs.graph(&values, wide, height).into_iter().enumerate().map(line).collect::<Vec<_>>()
    };
    let mut lines = curve(|past| past.calls, "calls/s", CALLS, model.colors.rates());
    lines.extend(curve(|past| past.errors, "errors/s", ERRORS, model.colors.failures()));
    let ago = format!("{wide} s ago");
    let right = wide.saturating_sub(ago.len());
    lines.push(Line::styled(format!("{}{ago}{:>right$}", " ".repeat(LABELS), "now"), dim()));
    lines
}

/// All names if they fit, else only the name of the table that is shown.
fn tabs(model: &Model, width: usize) -> Line<'static> {
    let names = |whole: bool, gap: &'static str| {
        let mut line = Line::default();
        for (i, tab) in Tab::ALL.into_iter().enumerate() {
            let chosen = tab == model.screen().tab;
            let text = if whole || chosen { format!("{} {}", i + 1, tab.title()) } else { (i + 1).to_string() };
            line.push_span(Span::raw(if i == 0 { "" } else { gap }));
            line.push_span(Span::styled(text, if chosen { reversed() } else { Style::new() }));
        }
        line
    };
    let all = [names(true, "  "), names(true, " "), names(false, "  ")];
    all.iter().find(|line| line.width() <= width).cloned().unwrap_or_else(|| names(false, " "))
}

/// Causes and wakers that are named.
const FEW_REASONS: usize = 3;

/// `waits for the other end of a socket 93%, a timer 4%; woken by redis-benchmark sendto 80%`, of the chosen process.
fn reasons(model: &Model, rows: &[TopRow]) -> Option<String> {
    let chosen = || rows.get(model.chosen(rows)).filter(|_| model.screen().tab == Tab::Processes);
    let pid = model.screen().scope.pid.or_else(|| Some(chosen()?.key.pid)).filter(|_| model.measured)?;
    let (wakers, causes): (Vec<_>, Vec<_>) =
        model.reasons(pid).into_iter().partition(|(why, _)| matches!(why, OffCpu::Waker(_)));
    let list = |all: &[(OffCpu, Ns)]| {
        let sum = all.iter().fold(0u64, |sum, (_, time)| sum.saturating_add(*time));
        let few = all.iter().take(FEW_REASONS).map(|(why, time)| format!("{} {}", why.text(), percent(*time, sum)));
        few.collect::<Vec<_>>().join(", ")
    };
    if causes.is_empty() {
        return None;
    }
    let woken = if wakers.is_empty() { String::new() } else { format!("; woken by {}", list(&wakers)) };
    let who = if model.screen().scope.pid.is_some() { String::new() } else { format!("{pid} ") };
    Some(format!("{who}waits for {}{woken}", list(&causes)))
}

fn scope(model: &Model, rows: &[TopRow]) -> Line<'static> {
    let title = model.screen().scope.title();
    let filter = model.filter.as_ref().map(|filter| {
        let unused = model.screen().tab == Tab::Waits && !filter.is_about_counts();
        let why = if unused { " (waits have not all of its fields, so all are shown)" } else { "" };
        format!("filter: {}{why}", filter.source())
    });
    let parts: Vec<String> = [(!title.is_empty()).then_some(title), filter].into_iter().flatten().collect();
    let all = if model.screen().tab == Tab::Waits { "all waits" } else { "all calls" };
    let (text, style) = if parts.is_empty() { (all.to_owned(), dim()) } else { (parts.join("   "), bold()) };
    let mut line = Line::from(Span::styled(text, style));
    if let Some(reasons) = reasons(model, rows) {
        line.push_span(format!("   {reasons}"));
    }
    line
}
