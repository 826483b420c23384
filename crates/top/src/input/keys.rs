//! The meaning of keys.

use crate::input::complete::Completion;
use crate::model::filter::Filter;
use crate::model::tables::{Sort, Tab};
use crate::model::{Model, TopRow};
use crate::screen::draw::table_height;
use crate::screen::head::{LOW, has_graph};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The actions that take more than a change of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    None,
    Quit,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-Z.
    Suspend,
    Redraw,
    /// Begin a recording, or end it.
    Record,
}

/// The longest expression that can be typed.
const LONGEST: usize = 4096;

pub fn handle(model: &mut Model, key: KeyEvent, height: u16) -> Action {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c') if control => return Action::Interrupt,
        KeyCode::Char('z') if control => return Action::Suspend,
        KeyCode::Char('l') if control => return Action::Redraw,
        _ => {}
    }
    if let Some(typed) = model.typing.take() {
        type_filter(model, typed, key);
        return Action::None;
    }
    model.message = None;
    let page = table_height(model, height);
    if let Some(first) = model.help.take() {
        model.help = turned(first, key.code, page);
        return Action::None;
    }
    let lines = model.lines();
    let place = model.chosen(&lines);
    match key.code {
        KeyCode::Char('q') => return Action::Quit,
        KeyCode::Char('w') => return Action::Record,
        KeyCode::Up | KeyCode::Char('k') => model.choose(&lines, place.saturating_sub(1)),
        KeyCode::Down | KeyCode::Char('j') => model.choose(&lines, place + 1),
        KeyCode::PageUp => model.choose(&lines, place.saturating_sub(page)),
        KeyCode::PageDown => model.choose(&lines, place + page),
        KeyCode::Home => model.choose(&lines, 0),
        KeyCode::End => model.choose(&lines, lines.len()),
        KeyCode::Enter | KeyCode::Right => drill(model, &lines),
        KeyCode::Esc | KeyCode::Left | KeyCode::Backspace => back(model),
        KeyCode::Char(digit @ '1'..='8') => show(model, Tab::ALL[digit as usize - '1' as usize]),
        KeyCode::Tab | KeyCode::BackTab => next_table(model, key.code == KeyCode::BackTab),
        KeyCode::Char('s' | 'S') => {
            let sorts: Vec<Sort> = model.sorts();
            let step = if key.code == KeyCode::Char('s') { 1 } else { sorts.len() - 1 };
            let screen = model.screen_mut();
            let at = sorts.iter().position(|sort| *sort == screen.sort).unwrap_or(0);
            screen.sort = sorts[(at + step) % sorts.len()];
            screen.chosen = None;
            screen.first = 0;
        }
        KeyCode::Char('r') => {
            let screen = model.screen_mut();
            screen.reversed = !screen.reversed;
            screen.chosen = None;
            screen.first = 0;
        }
        KeyCode::Char('g') => turn_graph(model, height),
        KeyCode::Char('t') => model.totals = !model.totals,
        KeyCode::Char('p' | ' ') => model.paused = !model.paused,
        KeyCode::Char('/') => {
            let known = model.filter.as_ref().map(|filter| filter.source().to_owned());
            model.typing = Some(model.mistyped.take().or(known).unwrap_or_default());
        }
        KeyCode::Char('?' | 'h') | KeyCode::F(1) => model.help = Some(0),
        _ => {}
    }
    Action::None
}

fn turn_graph(model: &mut Model, height: u16) {
    model.graph = Some(!has_graph(model, height));
    if model.graph == Some(true) && !has_graph(model, height) {
        model.message = Some(format!("The graph needs a terminal of {LOW} lines."));
    }
}

/// The first line of the list of keys after a key, or none if the key leaves the list.
fn turned(first: usize, key: KeyCode, page: usize) -> Option<usize> {
    Some(match key {
        KeyCode::Up | KeyCode::Char('k') => first.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') => first + 1,
        KeyCode::PageUp => first.saturating_sub(page),
        KeyCode::PageDown => first + page,
        KeyCode::Home => 0,
        _ => return None,
    })
}

/// Tables that cannot be shown now are passed over.
fn next_table(model: &mut Model, back: bool) {
    let tables: Vec<Tab> = Tab::ALL.into_iter().filter(|tab| *tab != Tab::Callers || has_callers(model)).collect();
    let at = tables.iter().position(|tab| *tab == model.screen().tab).unwrap_or(0);
    let step = if back { tables.len() - 1 } else { 1 };
    show(model, tables[(at + step) % tables.len()]);
}

/// In the first table, there is only the filter to leave.
fn back(model: &mut Model) {
    if !model.back() {
        model.set_filter(None);
    }
}

fn drill(model: &mut Model, lines: &[TopRow]) {
    if !lines.is_empty() && !model.drill(lines) {
        model.message = Some("There is nothing below callers; Esc goes back.".into());
    }
}

/// Taking stacks of all processes would cost too much.
fn has_callers(model: &Model) -> bool {
    model.screen().scope.pid.is_some()
}

fn show(model: &mut Model, tab: Tab) {
    if tab == Tab::Callers && !has_callers(model) {
        model.message = Some("Callers are those of one process: choose it in 1 Processes with Enter first.".into());
        return;
    }
    model.show(tab);
}

fn type_filter(model: &mut Model, mut typed: String, key: KeyEvent) {
    if matches!(key.code, KeyCode::Tab | KeyCode::BackTab) {
        model.typing = Some(complete(model, typed, key.code == KeyCode::BackTab));
        return;
    }
    model.completion = None;
    match key.code {
        KeyCode::Esc => return,
        KeyCode::Enter if typed.trim().is_empty() => return model.set_filter(None),
        KeyCode::Enter => match Filter::parse(&typed) {
            Ok(filter) => return model.set_filter(Some(filter)),
            Err(error) => {
                model.message = Some(format!("{} (/ goes on)", error.lines().next().unwrap_or_default()));
                model.mistyped = Some(typed.clone());
            }
        },
        KeyCode::Backspace => _ = typed.pop(),
        KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => typed.clear(),
        KeyCode::Char(c) if !c.is_control() && typed.len() < LONGEST => typed.push(c),
        _ => {}
    }
    // A mistake is shown in place of the line until the next key.
    match key.code {
        KeyCode::Enter => {}
        _ => model.typing = Some(typed),
    }
}

/// The first Tab shows the first word that the expression can go on with, and each further one the next word.
fn complete(model: &mut Model, typed: String, back: bool) -> String {
    match &mut model.completion {
        Some(completion) => completion.turn(back),
        none => *none = Completion::of(&typed),
    }
    model.completion.as_ref().map_or(typed, Completion::text)
}
