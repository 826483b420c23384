//! The colours of a report. They are added to lines that are complete, so nothing that measures text sees them. Names
//! of the tracee hold no escape sequences, because they are escaped when they are written.

/// Paints if it is asked to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportPaint(pub bool);

const TITLE: &str = "1";
const ID: &str = "33";
const LABEL: &str = "36";
const SAVED: &str = "32";

impl ReportPaint {
    /// The head of a finding, which begins at `from`: `1. stat storm [stat-storm]: ...`.
    pub fn head(self, out: &mut String, from: usize, title: &str, id: &str) {
        let id = format!("[{id}]");
        self.paint(out, from, &id, ID);
        self.paint(out, from, title, TITLE);
    }

    /// The label of a field.
    pub fn label(self, out: &mut String, from: usize, label: &str) {
        self.paint(out, from, label, LABEL);
    }

    /// The numbers of what is saved, which end at the first colon.
    pub fn saved(self, out: &mut String, from: usize, saves: &str) {
        let numbers = saves.split(": ").next().unwrap_or_default();
        self.paint(out, from, numbers, SAVED);
    }

    /// Paints a part of the text behind `from`, if it is whole there: a line may have been broken inside.
    fn paint(self, out: &mut String, from: usize, part: &str, code: &str) {
        if !self.0 || part.is_empty() {
            return;
        }
        if let Some(at) = out[from..].find(part) {
            let begin = from + at;
            out.insert_str(begin + part.len(), "\x1b[0m");
            out.insert_str(begin, &format!("\x1b[{code}m"));
        }
    }
}
