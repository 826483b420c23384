//! The views, which are made from the events. Each declares itself in a file or folder of its own ([`Declaration`]): its options, the
//! files that these name, its destination, and its needs. The rest follows from the declarations: parsing, which options clash,
//! `--help`, which files are opened, and what the engine is asked for ([`Wanted`]).

mod advise;
mod compare;
mod declaration;
mod denials;
mod export;
mod flamegraph;
mod given_file;
mod harden;
mod html;
mod inputs;
mod json;
mod parquet;
mod perfetto;
mod record;
mod summary;
mod text;
mod time_by;
mod top;
mod tree;
mod verify;
mod wanted;

pub use declaration::Declaration;
pub use denials::{is_asked as explains_denials, run as explain_denials};
pub use export::is_asked as exports;
pub use flamegraph::needs_waits as draws_waits;
pub use wanted::{Wanted, can_be_rotated, check_format, follow, has_report, named_files, names_files};

/// All views, in the order in which each event is handed to them.
pub const ALL: &[&dyn Declaration] = &[
    // The recording comes first: while other views write, time passes, and the answers that it needs may be gone. Other
    // views show the answers that the recording got.
    &record::RecordDeclaration,
    // A reader waits for the text. Other views' reports come after it at the end.
    &text::TextDeclaration,
    // The terminal is given back before others write reports to it.
    &top::TopDeclaration,
    // Tables come before the reports that explain them, but rows as objects come last (`Declaration::comes_last`).
    &summary::SummaryDeclaration,
    // A tree is read from the top, and tables go before it.
    &tree::TreeDeclaration,
    &inputs::InputsDeclaration,
    &harden::HardenDeclaration,
    // The last object has the totals, so reports in JSON come after it.
    &json::JsonDeclaration,
    &advise::AdviseDeclaration,
    &time_by::TimeByDeclaration,
    // Counts are for readers elsewhere, whom the order does not concern.
    &export::ExportDeclaration,
    &perfetto::PerfettoDeclaration,
    &parquet::ParquetDeclaration,
    &html::HtmlDeclaration,
    &flamegraph::FlamegraphDeclaration,
    // The comparison may decide the exit status, so it comes last.
    &compare::CompareDeclaration,
];

#[cfg(test)]
mod tests;
