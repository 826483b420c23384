//! The meaning of keys.

use super::draw::table_height;
use super::filter::Filter;
use super::model::{Model, Sort, Tab, TopRow};
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
    if model.help {
        model.help = false;
        return Action::None;
    }
    let lines = model.lines();
    let place = model.chosen(&lines);
    let page = table_height(height);
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
        KeyCode::Char(digit @ '1'..='7') => show(model, Tab::ALL[digit as usize - '1' as usize]),
        KeyCode::Tab | KeyCode::BackTab => {
            let at = Tab::ALL.iter().position(|tab| *tab == model.screen().tab).unwrap_or(0);
            let step = if key.code == KeyCode::Tab { 1 } else { Tab::ALL.len() - 1 };
            show(model, Tab::ALL[(at + step) % Tab::ALL.len()]);
        }
        KeyCode::Char('s' | 'S') => {
            let step = if key.code == KeyCode::Char('s') { 1 } else { Sort::ALL.len() - 1 };
            let screen = model.screen_mut();
            let at = Sort::ALL.iter().position(|sort| *sort == screen.sort).unwrap_or(0);
            screen.sort = Sort::ALL[(at + step) % Sort::ALL.len()];
            screen.chosen = None;
            screen.first = 0;
        }
        KeyCode::Char('r') => {
            let screen = model.screen_mut();
            screen.reversed = !screen.reversed;
            screen.chosen = None;
            screen.first = 0;
        }
        KeyCode::Char('t') => model.totals = !model.totals,
        KeyCode::Char('p' | ' ') => model.paused = !model.paused,
        KeyCode::Char('/') => {
            let known = model.filter.as_ref().map(|filter| filter.source().to_owned());
            model.typing = Some(model.mistyped.take().or(known).unwrap_or_default());
        }
        KeyCode::Char('?' | 'h') => model.help = true,
        _ => {}
    }
    Action::None
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
fn show(model: &mut Model, tab: Tab) {
    if tab == Tab::Callers && model.screen().scope.pid.is_none() {
        model.message = Some("Callers are those of one process: choose it in 1 Processes with Enter first.".into());
        return;
    }
    model.show(tab);
}

fn type_filter(model: &mut Model, mut typed: String, key: KeyEvent) {
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
