//! What reports have in common: the forms that other tools than a terminal read.

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
