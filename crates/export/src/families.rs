//! The counts at one moment, for the formats.

use crate::durations::Durations;
use crate::instruments::{Instrument, LabelKey};
use std::sync::Arc;

/// The series of one metric.
#[derive(Clone, Debug)]
pub struct MetricSeries {
    pub instrument: &'static Instrument,
    pub points: Vec<Point>,
}

/// A series, and its value.
#[derive(Clone, Debug)]
pub struct Point {
    /// In the order of the metric's labels. Those that are not known are missing.
    pub labels: Vec<(LabelKey, Arc<str>)>,
    pub value: PointValue,
}

#[derive(Clone, Debug)]
pub enum PointValue {
    Count(u64),
    Number(f64),
    Durations(Durations),
}

impl MetricSeries {
    /// Sorts the series by their labels.
    pub fn sort(&mut self) {
        self.points.sort_unstable_by(|one, other| {
            let (one, other) = (one.labels.iter(), other.labels.iter());
            one.map(|(_, text)| text).cmp(other.map(|(_, text)| text))
        });
    }

    /// A metric without labels.
    pub fn single(instrument: &'static Instrument, value: PointValue) -> MetricSeries {
        MetricSeries { instrument, points: vec![Point { labels: Vec::new(), value }] }
    }
}
