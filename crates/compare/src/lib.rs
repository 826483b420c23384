//! Comparing runs: a run's calls added up ([`Tally`], [`Profile`]), set against those of another or against limits.

mod figures;
mod noise;
mod normal;
mod profile;
mod tally;

pub use figures::Figures;
pub use profile::Profile;
pub use tally::Tally;
