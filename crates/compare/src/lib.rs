//! Comparing runs: the calls of a run are added up and compared with another run or with limits.
//!
//! A [`Tally`] adds up calls while they come, by syscall and by subject, which the tracker knows. It works with ids, so
//! a call costs a few look-ups. At the end it becomes a [`Profile`], whose names can be compared with another run's
//! (`normal`). `--diff` reads its base before the command starts, with a tracker and a selector of its own, so that the
//! same filters apply, and keeps only the profile. `noise` is the one place that decides which differences matter;
//! `rollup` combines many paths into a few lines.
//!
//! If a run was recorded several times, its profile has the medians (`median`), and its rows say between which figures
//! the recordings differ.
//!
//! A budget works on the tally, because its globs match the original names. Lost calls make a count an interval: a
//! limit is kept if it holds at both ends, broken if it holds at neither, and otherwise it cannot be checked.

mod budget;
mod diff;
#[cfg(test)]
mod made_up_run;
mod profile;
mod tally;
mod view;

pub use budget::limit::Metric;
pub use budget::proposal::MARK;
pub use budget::{Budget, Limited, Mistake};
pub use profile::Profile;
pub use tally::Tally;
pub use view::{Base, CompareView};
