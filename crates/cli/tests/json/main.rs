//! `--json`: every line fits the published schema, for real programs, live and replayed, under either engine.

#[path = "../common/mod.rs"]
mod common;
mod comparisons;
mod objects;
mod programs;
mod schema;
mod summaries;
