//! Comparing runs: a run's calls added up ([`Tally`], [`Profile`]), set against those of another or against limits.

mod budget;
mod diff;
mod draft;
mod figures;
mod json;
mod limit;
mod noise;
mod normal;
mod profile;
mod report;
mod rollup;
#[cfg(test)]
mod scene;
mod tally;
mod view;
mod words;

pub use budget::{Budget, Limited, Mistake};
pub use draft::MARK;
pub use limit::Metric;
pub use profile::Profile;
pub use tally::Tally;
pub use view::{Base, CompareView};
