//! Draws the model. Nothing here knows of a real terminal.

use crate::input::complete::hint;
use crate::model::{Model, TopRow};
use crate::screen::colors::dim;
use crate::screen::head::{self, head_height};
use crate::screen::help::{help_lines, wrapped};
use crate::screen::table::table;
use ratatui::Frame;
use ratatui::text::{Line, Span};

/// The keys that the last line tells of, those first that nobody can do without.
const KEYS: [(&str, &str); 10] = [
    ("F1", "help"),
    ("q", "quit"),
    ("Enter", "in"),
    ("Esc", "back"),
    ("/", "filter"),
    ("s", "sort"),
    ("p", "pause"),
    ("g", "graph"),
    ("t", "total"),
    ("w", "record"),
];

/// Lines of a message. Longer ones are cut.
const MESSAGE: usize = 4;

/// The rows of the table that fit.
pub fn table_height(model: &Model, height: u16) -> usize {
    usize::from(height).saturating_sub(head_height(model, height) + 2).max(1)
}

pub fn draw(model: &Model, lines: &[TopRow], frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width == 0 || area.height == 0 {
        return;
    }
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let mut screen: Vec<Line<'_>> = head::lines(model, lines, area.width, area.height);
    let (foot, cursor) = foot(model, width);
    let room = height.saturating_sub(screen.len() + 1);
    match model.help {
        Some(first) => {
            let help = help_lines(width);
            let first = first.min(help.len().saturating_sub(room));
            screen.extend(help.into_iter().skip(first).take(room).map(Line::raw));
        }
        None => screen.extend(table(model, lines, width, room)),
    }
    // A message of several lines covers the last rows.
    screen.resize((height - 1).max(1), Line::default());
    screen.truncate(height.saturating_sub(foot.len()));
    screen.extend(foot);
    for (y, line) in (area.y..area.bottom()).zip(&screen) {
        frame.buffer_mut().set_line(area.x, y, line, area.width);
    }
    if let Some(x) = cursor {
        frame.set_cursor_position((area.x + x.min(width - 1) as u16, area.bottom() - 1));
    }
}

/// The last lines, and the place of the cursor in the last one.
fn foot(model: &Model, width: usize) -> (Vec<Line<'static>>, Option<usize>) {
    if let Some(typed) = &model.typing {
        return typing(typed, width);
    }
    if let Some(message) = &model.message {
        let lines = wrapped(message, width).into_iter().take(MESSAGE);
        return (lines.map(|line| Line::styled(line, model.colors.message())).collect(), None);
    }
    let mut line = Line::default();
    for (key, word) in KEYS {
        let blanks = if line.spans.is_empty() { "" } else { "  " };
        if line.width() + blanks.len() + key.len() + 1 + word.len() > width {
            break;
        }
        line.push_span(Span::raw(blanks));
        line.push_span(Span::styled(key, model.colors.key()));
        line.push_span(Span::raw(format!(" {word}")));
    }
    (vec![line], None)
}

/// The end of an expression is what is being typed, so the beginning is left out if there is no room for both.
fn typing(typed: &str, width: usize) -> (Vec<Line<'static>>, Option<usize>) {
    let mut shown = typed;
    // The slash and the cursor have a place each.
    while Span::raw(shown).width() + 2 > width && !shown.is_empty() {
        let first = shown.chars().next().map_or(0, char::len_utf8);
        shown = &shown[first..];
    }
    let mut line = Line::raw(format!("/{shown}"));
    let cursor = line.width();
    let hint = hint(typed);
    let room = width.saturating_sub(cursor + 3);
    if !hint.is_empty() && room > 10 {
        let hint: String = hint.chars().take(room).collect();
        line.push_span(Span::raw("   "));
        line.push_span(Span::styled(hint, dim()));
    }
    (vec![line], Some(cursor))
}
