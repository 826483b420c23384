//! The run, for whoever reads its metrics.

/// Facts about the run that metrics have.
pub struct OutletFacts<'a> {
    pub version: &'a str,
    pub engine: &'a str,
    pub host: &'a str,
    pub machine: &'a str,
}
