//! The table itself: as many columns as fit, and as many rows.

use crate::model::tables::{CURVE, END, Sort, Tab, TopColumn, TopNumber, USER};
use crate::model::{Model, TopRow};
use crate::screen::colors::{bold, reversed};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use stride_event::Ns;
use stride_event::quantity::{bytes, duration, grouped, percent};

/// Names need that much room beside the numbers, and beside the key columns of a fixed width.
const NAMES: usize = 20;
const LAST_NAME: usize = 12;
/// Narrower terminals have no users, and key columns of this width at most.
const WIDE: usize = 60;
const NARROW: usize = 8;

/// The columns of a table, as far as there is room.
struct Layout {
    numbers: Vec<&'static TopColumn>,
    /// The place of each key column among the cells, its title and its width.
    names: Vec<(usize, &'static str, usize)>,
    /// The room of all key columns together.
    room: usize,
}

impl Layout {
    fn of(model: &Model, width: usize) -> Layout {
        let screen = model.screen();
        let has_users = model.live && width >= WIDE;
        let names: Vec<(usize, &str, usize)> = (screen.tab.columns().iter().enumerate())
            .filter(|(_, (title, _))| *title != USER || has_users)
            .map(|(place, (title, wide))| (place, *title, if width < WIDE { (*wide).min(NARROW) } else { *wide }))
            .collect();
        let fixed: usize = names.iter().filter(|(.., width)| *width > 0).map(|(.., width)| width + 1).sum();
        let mut numbers: Vec<&TopColumn> = screen.tab.numbers().filter(|column| model.has(column.number)).collect();
        // The column by which rows are sorted explains their order.
        let sorts = |column: &&&TopColumn| column.number.sort() == Some(screen.sort);
        numbers.sort_by_key(|column| (!sorts(&column), column.rank));
        let least = NAMES.max(fixed + LAST_NAME);
        let mut used = least;
        let fits = numbers.iter().take_while(|column| {
            used += column.width + 1;
            used <= width
        });
        let kept: Vec<TopNumber> = fits.map(|column| column.number).collect();
        let numbers: Vec<&TopColumn> = screen.tab.numbers().filter(|column| kept.contains(&column.number)).collect();
        let room = width.saturating_sub(numbers.iter().map(|column| column.width + 1).sum());
        Layout { numbers, names, room }
    }

    /// The key columns, cut to their widths. The last one has the room that is left.
    fn named(&self, cells: &[String]) -> String {
        let mut text = String::new();
        for (place, title, width) in &self.names {
            let cell = cells.get(*place).map(String::as_str).unwrap_or_default();
            match width {
                // The process comes first there.
                0 if *title == END => {
                    text.extend(cell.chars().take(self.room.saturating_sub(text.chars().count())));
                }
                0 => text += &cut(cell, self.room.saturating_sub(text.chars().count())),
                width => text += &format!("{:<width$} ", cut(cell, *width)),
            }
        }
        text
    }
}

/// The head and the rows that fit, the chosen one in reverse.
pub fn table(model: &Model, lines: &[TopRow], width: usize, height: usize) -> Vec<Line<'static>> {
    let screen = model.screen();
    let layout = Layout::of(model, width);
    let mut shown = vec![head(model, &layout)];
    if lines.is_empty() {
        shown.push(Line::raw(nothing(model)));
        return shown;
    }
    let chosen = model.chosen(lines);
    let visible = lines.get(screen.first..).unwrap_or_default();
    let visible = &visible[..visible.len().min(height.saturating_sub(1))];
    let has_curve = layout.numbers.iter().any(|column| column.number == TopNumber::Curve);
    let past = if has_curve { model.past_of(visible, CURVE) } else { Vec::new() };
    for (place, row) in visible.iter().enumerate() {
        let mut line = Line::default();
        for column in &layout.numbers {
            let (text, style) = match column.number {
                TopNumber::Curve => {
                    let calls: Vec<f64> = past[place].iter().map(|past| past.calls).collect();
                    (model.glyphs.line(&calls, column.width), model.colors.rates())
                }
                number => (self::number(number, row, model), style(number, row, model)),
            };
            line.push_span(Span::styled(format!("{text:>width$}", width = column.width), style));
            line.push_span(" ");
        }
        let user = model.processes.user(row.key.pid).unwrap_or_default();
        let names = layout.named(&screen.tab.cells(&row.key, &row.comm, &user));
        line.push_span(format!("{names:<room$}", room = layout.room));
        if screen.first + place == chosen {
            // Colours in reverse would be many-coloured.
            let plain: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
            line = Line::styled(plain, reversed());
        }
        shown.push(line);
    }
    shown
}

fn head(model: &Model, layout: &Layout) -> Line<'static> {
    let screen = model.screen();
    let arrow = |sort: Option<Sort>| match (sort == Some(screen.sort), screen.reversed) {
        (false, _) => "",
        (true, false) => "v",
        (true, true) => "^",
    };
    let mut head = String::new();
    for TopColumn { number, title, width, .. } in &layout.numbers {
        head += &format!("{:>width$} ", format!("{title}{}", arrow(number.sort())));
    }
    let titles: Vec<String> = screen.tab.columns().iter().map(|(title, _)| (*title).to_owned()).collect();
    head += &format!("{}{}", layout.named(&titles), arrow(Some(Sort::Name)));
    Line::styled(head, bold().add_modifier(Modifier::UNDERLINED))
}

/// The reason why the table is empty.
fn nothing(model: &Model) -> &'static str {
    let screen = model.screen();
    match screen.tab {
        Tab::Waits if !model.live => "a recording tells of no waits that go on",
        Tab::Waits if model.is_loading() => "looking at threads ...",
        Tab::Waits => "no waits that this user may look at",
        _ if model.is_loading() => "looking at single calls ...",
        _ if model.filter.is_some() => "no calls that fit the filter (/ changes it)",
        Tab::Calls | Tab::Slowest | Tab::Errors if model.live && screen.scope.pid.is_some() => {
            "no calls return; 8 shows for whom the process waits"
        }
        _ => "no calls",
    }
}

/// Cuts the middle out: the ends of a path say most.
pub fn cut(text: &str, width: usize) -> String {
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

fn number(number: TopNumber, row: &TopRow, model: &Model) -> String {
    let tally = &row.tally;
    let unless_none = |n: u64, text: String| if n == 0 { String::new() } else { text };
    let length = model.length();
    let totals = model.totals || model.screen().tab == Tab::Waits;
    match number {
        TopNumber::Calls if totals => grouped(tally.calls),
        TopNumber::Calls => rate(tally.calls, length),
        TopNumber::Errors if totals => unless_none(tally.errors, grouped(tally.errors)),
        TopNumber::Errors => unless_none(tally.errors, rate(tally.errors, length)),
        TopNumber::Bytes if totals => unless_none(tally.bytes, bytes(tally.bytes)),
        TopNumber::Bytes => unless_none(tally.bytes, bytes(per_second(tally.bytes, length) as u64)),
        TopNumber::Cpu => row.cpu.map(|share| percent(share, 1000)).unwrap_or_default(),
        TopNumber::Time => duration(tally.time),
        TopNumber::Blocked => unless_none(tally.blocked, percent(tally.blocked, tally.time)),
        TopNumber::Runnable => unless_none(tally.runnable, percent(tally.runnable, tally.time)),
        TopNumber::Longest => duration(tally.longest),
        TopNumber::Curve => String::new(),
    }
}

fn style(number: TopNumber, row: &TopRow, model: &Model) -> Style {
    match number {
        TopNumber::Errors => model.colors.errors(row.tally.errors, row.tally.calls),
        TopNumber::Cpu => model.colors.load(row.cpu.unwrap_or(0)),
        _ => Style::new(),
    }
}

fn per_second(n: u64, length: Ns) -> f64 {
    if length == 0 { 0.0 } else { n as f64 * 1e9 / length as f64 }
}

/// So many events of a span of time in a second.
pub fn rate(n: u64, length: Ns) -> String {
    rate_of(per_second(n, length))
}

/// Rare events are not shown as none.
pub fn rate_of(rate: f64) -> String {
    match rate {
        0.0 => "0".into(),
        few if few < 9.95 => format!("{few:.1}"),
        many => grouped(many.round() as u64),
    }
}
