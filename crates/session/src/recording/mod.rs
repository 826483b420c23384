//! The views that write recordings: `--record` and `--flight`.

mod answers;
mod asking;
mod beginning;
mod flight;
mod record;

use crate::options::Flight;
use crate::outputs::Target;
use crate::run::Opening;
use answers::{Answers, CopiedAnswers};
use anyhow::{Result, anyhow};
use asking::Asking;
use flight::FlightRecorder;
use record::Recording;
use std::path::Path;
use stride_output::View;
use stride_record::Metadata;

/// Opens the view that writes all that was captured to a file. `replayed`: what the recording says about itself that is copied.
pub fn record(target: Target, replayed: Option<Metadata>, with: &Opening<'_>) -> Result<Box<dyn View>> {
    let (answers, metadata) = match replayed {
        Some(metadata) => {
            let source = with.resolvers.recorded().ok_or_else(|| anyhow!("a recording has no answers"))?;
            (Answers::Copied(CopiedAnswers::of(source)), record::copied(metadata, with))
        }
        None => {
            let asking = asking(with)?;
            let metadata = record::metadata(&asking, with);
            (Answers::Asked(Box::new(asking)), metadata)
        }
    };
    Ok(Box::new(Recording::begin(target, answers, metadata, with)))
}

/// Opens the view that keeps the latest calls in memory. `path` is where the first recording goes, if the user says so.
pub fn keep_latest(flight: Flight, path: Option<&Path>, with: &Opening<'_>) -> Result<Box<dyn View>> {
    Ok(Box::new(FlightRecorder::begin(flight, path, asking(with)?, with)?))
}

fn asking(with: &Opening<'_>) -> Result<Asking> {
    let noting = with.resolvers.noting.clone().ok_or_else(|| anyhow!("no answers are noted for a recording"))?;
    Ok(Asking::new(with.options, noting))
}
