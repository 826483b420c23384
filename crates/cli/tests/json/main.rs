//! `--json`: every line is what the published schema says, for real programs, live and replayed, from either engine.

#[path = "../common/mod.rs"]
mod common;
mod comparisons;
mod objects;
mod programs;
mod schema;
mod summaries;
