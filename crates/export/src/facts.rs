//! The run, for whoever reads its metrics.

/// What metrics say about the run.
pub struct OutletFacts<'a> {
    pub version: &'a str,
    pub engine: &'a str,
    pub host: &'a str,
    pub machine: &'a str,
}
