//! Reports for other tools than a terminal: the forms in which all reports can be written.

pub mod annotation;
pub mod markdown;

/// The form of a report (`--format`, `--json`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportFormat {
    /// For a terminal.
    #[default]
    Text,
    /// An object on each line.
    Json,
    /// As GitHub and GitLab show it, in a summary or a comment.
    Markdown,
    /// Workflow commands of GitHub Actions: a note beside a line of a file.
    GitHub,
    /// Static Analysis Results Interchange Format 2.1.0, which code scanning services read.
    Sarif,
}
