//! Draws the model. Nothing here knows of a real terminal.

use super::model::{Model, Sort, Tab, TopRow as Row};
use super::sample::SampleTally;
use ratatui::Frame;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use stride_event::Ns;
use stride_event::quantity::{bytes, count, duration, grouped};

/// The columns of numbers, with their titles and widths. Narrow terminals have fewer.
const NUMBERS: [(Sort, &str, usize); 5] = [
    (Sort::Calls, "CALLS", 10),
    (Sort::Errors, "ERRORS", 8),
    (Sort::Time, "TIME", 9),
    (Sort::Longest, "LONGEST", 9),
    (Sort::Bytes, "BYTES", 10),
];
/// Names need that much room beside the numbers.
const NAMES: usize = 20;

/// The name of the program leaves room for the numbers.
const LONGEST_SUBJECT: usize = 24;

const KEYS: &str = "Enter in  Esc back  s sort  / filter  p pause  t total  w record  ? help  q quit";

const HELP: [&str; 16] = [
    "Up Down PgUp PgDn Home End   choose a row",
    "Enter Right                  go into the row: process, call, file, caller",
    "Esc Left Backspace           go back",
    "1 to 7, Tab                  another table of the same calls",
    "s S                          sort by the next column, by the one before",
    "r                            turn the order round",
    "/                            filter by a --where expression, such as",
    "                             comm == \"sshd\" && errno != \"\"",
    "t                            all calls since the start, or the latest interval",
    "p Space                      pause, and go on",
    "w                            write what is seen from now on to a recording;",
    "                             w again ends the recording",
    "Ctrl-L                       draw everything anew",
    "Ctrl-Z                       suspend Stride",
    "q                            quit; traced programs run on",
    "Ctrl-C                       quit; a command that Stride started gets SIGINT",
];

/// The rows of the table that fit.
pub fn table_height(height: u16) -> usize {
    usize::from(height).saturating_sub(head_height(height) + 2).max(1)
}

/// Lines above the table: which calls, and the names of the tables.
fn head_height(height: u16) -> usize {
    match height {
        0..=4 => 0,
        5..=7 => 1,
        _ => 3,
    }
}

pub fn draw(model: &Model, lines: &[Row], frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width == 0 || area.height == 0 {
        return;
    }
    let mut screen: Vec<Line<'_>> = Vec::new();
    let head = [subject(model, lines), tabs(model), scope(model)];
    screen.extend(head.into_iter().take(head_height(area.height)));
    let room = usize::from(area.height).saturating_sub(screen.len() + 1);
    if model.help {
        screen.extend(HELP.iter().take(room).map(|line| Line::raw(*line)));
    } else {
        screen.extend(table(model, lines, usize::from(area.width), room));
    }
    screen.truncate(usize::from(area.height) - 1);
    screen.resize(usize::from(area.height) - 1, Line::default());
    screen.push(foot(model));
    for (y, line) in (area.y..).zip(&screen) {
        frame.buffer_mut().set_line(area.x, y, line, area.width);
    }
    if let Some(typed) = &model.typing {
        let x = (typed.chars().count() + 1).min(usize::from(area.width) - 1);
        frame.set_cursor_position((area.x + x as u16, area.bottom() - 1));
    }
}

fn subject(model: &Model, lines: &[Row]) -> Line<'static> {
    let sum = Model::sum(lines);
    let length = model.length();
    let numbers = if model.totals {
        format!("{} in {}", count(sum.calls, "call", "calls"), duration(length))
    } else {
        format!("{} calls/s, {} errors/s", rate(sum.calls, length), rate(sum.errors, length))
    };
    let mut line = Line::styled(format!("stride --top: {}", cut(&model.subject, LONGEST_SUBJECT)), bold());
    let marks = [
        model.paused.then(|| "paused".to_owned()),
        model.recording.as_ref().map(|file| format!("recording {file}")),
        model.ended.then(|| "ended".to_owned()),
    ];
    for mark in marks.into_iter().flatten() {
        line.push_span("  ");
        line.push_span(Span::styled(format!("[{mark}]"), Style::new().add_modifier(Modifier::REVERSED)));
    }
    line.push_span("  ");
    line.push_span(numbers);
    line
}

fn tabs(model: &Model) -> Line<'static> {
    let mut line = Line::default();
    for (i, tab) in Tab::ALL.into_iter().enumerate() {
        let style =
            if tab == model.screen().tab { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        line.push_span(Span::styled(format!("{} {}", i + 1, tab.title()), style));
        line.push_span("  ");
    }
    line
}

fn scope(model: &Model) -> Line<'static> {
    let told = model.screen().scope.told();
    let filter = model.filter.as_ref().map(|filter| format!("filter: {}", filter.source()));
    let parts: Vec<String> = [(!told.is_empty()).then_some(told), filter].into_iter().flatten().collect();
    Line::raw(if parts.is_empty() { "all calls".to_owned() } else { parts.join("   ") })
}

/// The head and the rows that fit, the chosen one in reverse.
fn table(model: &Model, lines: &[Row], width: usize, height: usize) -> Vec<Line<'static>> {
    let screen = model.screen();
    let numbers: Vec<_> = NUMBERS
        .iter()
        .scan(NAMES, |used, column| {
            *used += column.2 + 1;
            (*used <= width).then_some(column)
        })
        .collect();
    let names = width.saturating_sub(numbers.iter().map(|(_, _, width)| width + 1).sum());
    let columns = screen.tab.columns();
    let mut head = Line::default();
    let arrow = |sort| match (screen.sort == sort, screen.reversed) {
        (false, _) => "",
        (true, false) => "v",
        (true, true) => "^",
    };
    for (sort, title, width) in &numbers {
        head.push_span(format!("{:>width$} ", format!("{title}{}", arrow(*sort))));
    }
    let cells: Vec<String> = columns.iter().map(|(title, _)| (*title).to_owned()).collect();
    head.push_span(format!("{}{}", named(&cells, columns, names), arrow(Sort::Name)));
    let mut shown = vec![head.style(bold().add_modifier(Modifier::UNDERLINED))];
    if lines.is_empty() {
        let why = match (model.is_loading(), model.screen().tab) {
            (true, _) => "looking at single calls ...",
            (false, _) if model.filter.is_some() => "no calls that fit the filter (/ changes it)",
            (false, _) => "no calls",
        };
        shown.push(Line::raw(why));
        return shown;
    }
    let chosen = model.chosen(lines);
    for (place, row) in lines.iter().enumerate().skip(screen.first).take(height.saturating_sub(1)) {
        let mut line = Line::default();
        for (sort, _, width) in &numbers {
            line.push_span(format!("{:>width$} ", number(*sort, &row.tally, model)));
        }
        line.push_span(format!("{:<names$}", named(&screen.tab.cells(&row.key, &row.comm), columns, names)));
        if place == chosen {
            line = line.style(Style::new().add_modifier(Modifier::REVERSED));
        }
        shown.push(line);
    }
    shown
}

/// The key columns, cut to their widths. The last one has the room that is left.
fn named(cells: &[String], columns: &[(&str, usize)], room: usize) -> String {
    let mut text = String::new();
    for (cell, (_, width)) in cells.iter().zip(columns) {
        match width {
            0 => text += &cut(cell, room.saturating_sub(text.chars().count())),
            width => text += &format!("{:<width$} ", cut(cell, *width)),
        }
    }
    text
}

/// Cuts the middle out: the ends of a path say most.
fn cut(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    if width < 5 {
        return text.chars().take(width).collect();
    }
    let head = (width - 2) / 3;
    let tail = width - 2 - head;
    text.chars().take(head).chain("..".chars()).chain(text.chars().skip(length - tail)).collect()
}

fn number(sort: Sort, tally: &SampleTally, model: &Model) -> String {
    let unless_none = |n: u64, text: String| if n == 0 { String::new() } else { text };
    let length = model.length();
    match sort {
        Sort::Calls if model.totals => grouped(tally.calls),
        Sort::Calls => rate(tally.calls, length),
        Sort::Errors if model.totals => unless_none(tally.errors, grouped(tally.errors)),
        Sort::Errors => unless_none(tally.errors, rate(tally.errors, length)),
        Sort::Bytes if model.totals => unless_none(tally.bytes, bytes(tally.bytes)),
        Sort::Bytes => unless_none(tally.bytes, bytes(per_second(tally.bytes, length) as u64)),
        Sort::Time => duration(tally.time),
        Sort::Longest => duration(tally.longest),
        Sort::Name => String::new(),
    }
}

fn per_second(n: u64, length: Ns) -> f64 {
    if length == 0 { 0.0 } else { n as f64 * 1e9 / length as f64 }
}

/// Rare events are not told as none.
fn rate(n: u64, length: Ns) -> String {
    match per_second(n, length) {
        0.0 => "0".into(),
        few if few < 9.95 => format!("{few:.1}"),
        many => grouped(many.round() as u64),
    }
}

fn foot(model: &Model) -> Line<'static> {
    if let Some(typed) = &model.typing {
        return Line::raw(format!("/{typed}"));
    }
    match &model.message {
        Some(message) => Line::styled(message.clone(), bold()),
        None => Line::raw(KEYS),
    }
}

fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}
