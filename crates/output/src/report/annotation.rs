//! Notes beside lines of files: the workflow commands of GitHub Actions
//! (<https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions>).

use std::fmt::Write;

/// The importance of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Notice,
    Warning,
    Error,
}

/// A line of a file.
#[derive(Clone, Copy, Debug)]
pub struct FileLine<'t> {
    pub file: &'t str,
    pub line: u64,
}

/// A note, on a line of its own. The message may have several lines.
pub fn annotation(severity: Severity, place: Option<FileLine<'_>>, title: &str, message: &str) -> String {
    let command = match severity {
        Severity::Notice => "notice",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let mut out = format!("::{command} ");
    if let Some(FileLine { file, line }) = place {
        let _ = write!(out, "file={},line={line},", escaped(file, true));
    }
    let _ = writeln!(out, "title={}::{}", escaped(title, true), escaped(message, false));
    out
}

/// A property ends at a comma or a colon.
fn escaped(text: &str, property: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' | '\r' | '\n' => _ = write!(out, "%{:02X}", c as u32),
            ':' | ',' if property => _ = write!(out, "%{:02X}", c as u32),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cannot_begin_a_command() {
        let place = Some(FileLine { file: "a,b:c\n::error ::x", line: 4 });
        assert_eq!(
            annotation(Severity::Error, place, "limits: broken", "100%\n::stop-commands::x"),
            "::error file=a%2Cb%3Ac%0A%3A%3Aerror %3A%3Ax,line=4,title=limits%3A broken::100%25%0A::stop-commands::x\n"
        );
        assert_eq!(annotation(Severity::Notice, None, "t", "m"), "::notice title=t::m\n");
    }
}
