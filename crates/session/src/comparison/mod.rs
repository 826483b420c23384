//! Other runs and limits that a run is compared with, read before the run begins: `--diff`, `--repeated`, `--budget`.

mod base;
mod budget;
mod scope;

pub use base::{RecordedRun, Side, against};
pub use budget::{read as read_budget, replaceable};
