//! A mistake in an expression, with its place.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExprMistake {
    pub message: String,
    /// The line of the expression that has the mistake.
    line: String,
    /// The number of characters before the mistake in that line.
    column: usize,
    /// The text is no expression at all, so that it may be spelt as in another language.
    pub is_of_syntax: bool,
    /// The text is too long or too deep to be looked at in any other way.
    pub is_final: bool,
}

/// Longer lines are cut around the mistake.
const WIDTH: usize = 100;

impl ExprMistake {
    /// `at` counts characters from the beginning of `source`.
    pub fn at(source: &str, at: usize, message: impl Into<String>) -> ExprMistake {
        let mut start = 0;
        for line in source.split('\n') {
            let length = line.chars().count();
            if at <= start + length {
                return ExprMistake::in_line(line, at - start, message);
            }
            start += length + 1;
        }
        ExprMistake::in_line("", 0, message)
    }

    pub fn in_line(line: &str, column: usize, message: impl Into<String>) -> ExprMistake {
        let skipped = column.saturating_sub(WIDTH / 2);
        let shown = line.chars().skip(skipped).take(WIDTH);
        // Each character takes one column, so that the caret stands below its place.
        let line = shown.map(|c| if c.is_control() { ' ' } else { c }).collect();
        ExprMistake { message: message.into(), line, column: column - skipped, is_of_syntax: false, is_final: false }
    }

    pub fn of_syntax(self) -> ExprMistake {
        ExprMistake { is_of_syntax: true, ..self }
    }

    pub fn last(self) -> ExprMistake {
        ExprMistake { is_final: true, ..self }
    }
}

impl fmt::Display for ExprMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  {}\n  {:>width$}", self.message, self.line, "^", width = self.column + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_below_the_place() {
        let explanation = ExprMistake::at("a == b", 5, "wrong").to_string();
        assert_eq!(explanation, "wrong\n  a == b\n       ^");
        let explanation = ExprMistake::at("a &&\nbc == 1", 6, "wrong").to_string();
        assert_eq!(explanation, "wrong\n  bc == 1\n   ^");
        let long = format!("{}x{}", "a".repeat(300), "b".repeat(300));
        let explanation = ExprMistake::at(&long, 300, "wrong").to_string();
        let lines: Vec<&str> = explanation.lines().collect();
        assert_eq!(lines[1].find('x'), lines[2].find('^'));
        assert_eq!(lines[1].len(), WIDTH + 2);
    }
}
