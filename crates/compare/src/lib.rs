//! Comparing runs: a run's calls added up ([`Tally`], [`Profile`]), set against those of another or against limits.

mod diff;
mod figures;
mod noise;
mod normal;
mod profile;
mod report;
mod rollup;
mod tally;
mod view;
mod words;

pub use profile::Profile;
pub use tally::Tally;
pub use view::{Base, CompareView};
