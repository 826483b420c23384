//! The views that write recordings: `--record` and `--flight`.

mod asking;
mod beginning;
mod flight;
mod record;

use crate::options::Flight;
use crate::outputs::Target;
use crate::run::Opening;
use anyhow::{Result, anyhow};
use asking::Asking;
use flight::FlightRecorder;
use record::Recording;
use std::path::Path;
use stride_output::View;

/// Opens the view that writes all that was captured to a file.
pub fn record(target: Target, with: &Opening<'_>) -> Result<Box<dyn View>> {
    Ok(Box::new(Recording::begin(target, asking(with)?, with)))
}

/// Opens the view that keeps the latest calls in memory. `path` is where the first recording goes, if the user says so.
pub fn keep_latest(flight: Flight, path: Option<&Path>, with: &Opening<'_>) -> Result<Box<dyn View>> {
    Ok(Box::new(FlightRecorder::begin(flight, path, asking(with)?, with)?))
}

fn asking(with: &Opening<'_>) -> Result<Asking> {
    let noting = with.resolvers.noting.clone().ok_or_else(|| anyhow!("no answers are noted for a recording"))?;
    Ok(Asking::new(with.options, noting))
}
