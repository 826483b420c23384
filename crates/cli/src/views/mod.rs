//! The views: what is made of the events. Each declares itself in a file or folder of its own ([`Declaration`]): its options, the
//! files that these name, where it goes, and what it needs. The rest follows from the declarations: parsing, which options clash,
//! `--help`, which files are opened, what the engine is asked for ([`Wanted`]), and what events are handed to ([`Views`]).

mod advise;
mod compare;
mod declaration;
mod fan_out;
mod html;
mod json;
mod needs;
mod opening;
mod perfetto;
mod record;
mod summary;
mod text;
mod wanted;

pub use declaration::Declaration;
pub use fan_out::Views;
pub use needs::Needs;
pub use opening::{Before, Opening};
pub use wanted::{Wanted, about_tracing, named_files, names_files};

/// All views, in the order in which each event is handed to them.
pub const ALL: [&dyn Declaration; 8] = [
    // While others write, time passes, and what the recording asks of the world may be gone. And others show the answers that it got.
    &record::RecordDeclaration,
    // A reader waits for the text. What the others have to say at the end comes behind it.
    &text::TextDeclaration,
    // Tables come before reports that explain them, but rows as objects come last (`Declaration::comes_last`).
    &summary::SummaryDeclaration,
    // Its last object has the totals, so reports in JSON come behind it.
    &json::JsonDeclaration,
    &advise::AdviseDeclaration,
    &perfetto::PerfettoDeclaration,
    &html::HtmlDeclaration,
    // The exit status may be its own, which is the last word.
    &compare::CompareDeclaration,
];

#[cfg(test)]
mod tests;
