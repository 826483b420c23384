//! Prometheus' protobuf format (`io.prometheus.client.MetricFamily`). Histograms have both native and classic buckets there: Prometheus
//! takes the native ones if it is configured for them.

use crate::durations::{CLASSIC_BOUNDS, Durations, SCALE};
use crate::families::{self, PointValue};
use crate::instruments::InstrumentKind;
use prost::Message;

#[derive(Clone, PartialEq, Message)]
struct MetricFamily {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    help: String,
    #[prost(int32, optional, tag = "3")]
    kind: Option<i32>,
    #[prost(message, repeated, tag = "4")]
    metrics: Vec<Metric>,
}

#[derive(Clone, PartialEq, Message)]
struct Metric {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<LabelPair>,
    #[prost(message, optional, tag = "2")]
    gauge: Option<SingleValue>,
    #[prost(message, optional, tag = "3")]
    counter: Option<SingleValue>,
    #[prost(message, optional, tag = "7")]
    histogram: Option<HistogramMessage>,
}

#[derive(Clone, PartialEq, Message)]
struct LabelPair {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, PartialEq, Message)]
struct SingleValue {
    #[prost(double, optional, tag = "1")]
    value: Option<f64>,
}

#[derive(Clone, PartialEq, Message)]
struct HistogramMessage {
    #[prost(uint64, optional, tag = "1")]
    sample_count: Option<u64>,
    #[prost(double, optional, tag = "2")]
    sample_sum: Option<f64>,
    #[prost(message, repeated, tag = "3")]
    buckets: Vec<ClassicBucket>,
    #[prost(sint32, optional, tag = "5")]
    schema: Option<i32>,
    #[prost(double, optional, tag = "6")]
    zero_threshold: Option<f64>,
    #[prost(uint64, optional, tag = "7")]
    zero_count: Option<u64>,
    #[prost(message, repeated, tag = "12")]
    positive_spans: Vec<BucketSpan>,
    #[prost(sint64, repeated, packed = "false", tag = "13")]
    positive_deltas: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct ClassicBucket {
    #[prost(uint64, optional, tag = "1")]
    cumulative_count: Option<u64>,
    #[prost(double, optional, tag = "2")]
    upper_bound: Option<f64>,
}

/// Buckets that follow each other.
#[derive(Clone, PartialEq, Message)]
struct BucketSpan {
    /// The index of the first bucket, or the gap since the span before.
    #[prost(sint32, optional, tag = "1")]
    offset: Option<i32>,
    #[prost(uint32, optional, tag = "2")]
    length: Option<u32>,
}

/// Only times of 0 are in the bucket for zero. (The number is the one that Prometheus' own libraries have.)
const ZERO_THRESHOLD: f64 = 2.938_735_877_055_719e-39;

pub fn write(families: &[families::MetricSeries]) -> Vec<u8> {
    let mut out = Vec::new();
    for family in families.iter().filter(|family| !family.points.is_empty()) {
        out.extend(of(family).encode_length_delimited_to_vec());
    }
    out
}

fn of(family: &families::MetricSeries) -> MetricFamily {
    let kind = family.instrument.kind;
    let number = match kind {
        InstrumentKind::Counter => 0,
        InstrumentKind::Gauge => 1,
        InstrumentKind::Histogram => 4,
    };
    let metric = |point: &families::Point| {
        let label = |(key, value): &(crate::LabelKey, std::sync::Arc<str>)| LabelPair {
            name: key.prometheus(),
            value: value.to_string(),
        };
        let mut metric = Metric { labels: point.labels.iter().map(label).collect(), ..Metric::default() };
        let single = |value| Some(SingleValue { value: Some(value) });
        let number = match &point.value {
            PointValue::Durations(durations) => {
                metric.histogram = Some(histogram(durations));
                return metric;
            }
            PointValue::Count(n) => *n as f64,
            PointValue::Number(n) => *n,
        };
        match kind {
            InstrumentKind::Counter => metric.counter = single(number),
            InstrumentKind::Gauge | InstrumentKind::Histogram => metric.gauge = single(number),
        }
        metric
    };
    MetricFamily {
        name: family.instrument.prometheus(),
        help: family.instrument.help.into(),
        kind: Some(number),
        metrics: family.points.iter().map(metric).collect(),
    }
}

fn histogram(durations: &Durations) -> HistogramMessage {
    let exponential = durations.exponential();
    let mut spans: Vec<BucketSpan> = Vec::new();
    let mut deltas = Vec::new();
    let (mut next, mut before) = (0, 0);
    for &(index, n) in &exponential.filled {
        match spans.last_mut() {
            Some(span) if index == next => span.length = span.length.map(|length| length + 1),
            _ => spans.push(BucketSpan { offset: Some(index - next), length: Some(1) }),
        }
        deltas.push(n as i64 - before);
        (next, before) = (index + 1, n as i64);
    }
    let classic = CLASSIC_BOUNDS.iter().zip(durations.classic());
    HistogramMessage {
        sample_count: Some(durations.count()),
        sample_sum: Some(durations.seconds()),
        buckets: classic
            .map(|(&bound, n)| ClassicBucket { cumulative_count: Some(n), upper_bound: Some(bound) })
            .collect(),
        schema: Some(SCALE),
        zero_threshold: Some(ZERO_THRESHOLD),
        zero_count: Some(exponential.zeros),
        positive_spans: spans,
        positive_deltas: deltas,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The buckets of spans and deltas, as a reader adds them up.
    fn read(message: &HistogramMessage) -> Vec<(i32, u64)> {
        let (mut index, mut count) = (0, 0);
        let mut deltas = message.positive_deltas.iter();
        let mut buckets = Vec::new();
        for span in &message.positive_spans {
            index += span.offset.unwrap();
            for _ in 0..span.length.unwrap() {
                count += deltas.next().unwrap();
                buckets.push((index, count as u64));
                index += 1;
            }
        }
        assert_eq!(deltas.next(), None);
        buckets
    }

    #[test]
    fn spans_and_deltas() {
        let mut durations = Durations::default();
        for (time, n) in [(0, 3), (700, 5), (800, 9), (1_000_000, 2), (3_000_000_000, 1)] {
            (0..n).for_each(|_| durations.add(time));
        }
        let message = histogram(&durations);
        assert_eq!(read(&message), durations.exponential().filled);
        assert_eq!((message.sample_count, message.zero_count), (Some(20), Some(3)));
        assert!(message.positive_spans.len() >= 3, "{message:?}");
        assert_eq!(histogram(&Durations::default()).positive_spans, []);
    }
}
