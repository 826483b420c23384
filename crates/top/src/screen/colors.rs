//! The colours of the view. Each of them repeats a number or a mark that stands there as well, so none of them is needed.
//!
//! Only the sixteen colours are used that a terminal's user chooses.

use ratatui::style::{Color, Modifier, Style};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TopColors {
    /// `--color`, and `NO_COLOR`.
    pub on: bool,
}

/// Of so many calls, one that fails is worth a look. More fail in programs that search or poll.
const OFTEN: u64 = 10;

impl TopColors {
    fn colored(self, style: Style, color: Color) -> Style {
        if self.on { style.fg(color) } else { style }
    }

    pub fn errors(self, errors: u64, calls: u64) -> Style {
        match errors {
            0 => Style::new(),
            _ if errors.saturating_mul(OFTEN) >= calls => self.colored(Style::new(), Color::Red),
            _ => self.colored(Style::new(), Color::Yellow),
        }
    }

    /// Of a share of a processor, in thousandths.
    pub fn load(self, share: u64) -> Style {
        match share {
            0..100 => Style::new(),
            100..500 => self.colored(Style::new(), Color::Green),
            500..900 => self.colored(Style::new(), Color::Yellow),
            _ => self.colored(Style::new(), Color::Red),
        }
    }

    pub fn rates(self) -> Style {
        self.colored(Style::new(), Color::Cyan)
    }

    pub fn failures(self) -> Style {
        self.colored(Style::new(), Color::Red)
    }

    pub fn title(self) -> Style {
        self.colored(bold(), Color::Green)
    }

    /// A key, or a mark such as `[paused]`.
    pub fn key(self) -> Style {
        self.colored(bold(), Color::Cyan)
    }

    pub fn mark(self) -> Style {
        self.colored(Style::new().add_modifier(Modifier::REVERSED), Color::Yellow)
    }

    pub fn message(self) -> Style {
        self.colored(bold(), Color::Yellow)
    }
}

pub fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

pub fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

pub fn reversed() -> Style {
    Style::new().add_modifier(Modifier::REVERSED)
}
