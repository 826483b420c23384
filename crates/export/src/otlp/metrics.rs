//! Metrics as messages.

use crate::durations::{Durations, SCALE};
use crate::families::{MetricSeries, Point, PointValue};
use crate::instruments::{InstrumentKind, InstrumentUnit, LabelKey};
use crate::otlp::messages::*;
use crate::otlp::resource::OtlpResource;
use std::sync::Arc;

/// So many series go into one request: about a megabyte. (A Collector takes 20 by default.)
const MOST_POINTS: usize = 4_000;
const CUMULATIVE: i32 = 2;

/// The times on the clock, in nanoseconds, between which calls were counted.
#[derive(Clone, Copy, Debug)]
pub struct CountedBetween {
    pub start: u64,
    pub end: u64,
}

/// The requests that tell all series.
pub fn requests(series: &[MetricSeries], resource: &OtlpResource, times: CountedBetween) -> Vec<MetricsRequest> {
    let mut requests = Vec::new();
    let mut metrics = Vec::new();
    let mut room = MOST_POINTS;
    for of in series {
        let mut points = &of.points[..];
        while !points.is_empty() {
            let (now, later) = points.split_at(points.len().min(room));
            metrics.push(metric(of, now, times));
            room -= now.len();
            points = later;
            if room == 0 {
                requests.push(request(std::mem::take(&mut metrics), resource));
                room = MOST_POINTS;
            }
        }
    }
    if !metrics.is_empty() {
        requests.push(request(metrics, resource));
    }
    requests
}

fn request(metrics: Vec<MetricMessage>, resource: &OtlpResource) -> MetricsRequest {
    let scope_metrics = vec![ScopeMetrics { scope: Some(resource.scope()), metrics }];
    MetricsRequest { resource_metrics: vec![ResourceMetrics { resource: Some(resource.message()), scope_metrics }] }
}

fn metric(of: &MetricSeries, points: &[Point], times: CountedBetween) -> MetricMessage {
    let instrument = of.instrument;
    let mut message = MetricMessage {
        name: instrument.name.into(),
        description: instrument.help.into(),
        unit: unit(instrument.unit),
        ..MetricMessage::default()
    };
    if instrument.kind == InstrumentKind::Histogram {
        let data_points = points.iter().map(|point| histogram(point, times)).collect();
        message.exponential_histogram = Some(ExponentialHistogram { data_points, aggregation_temporality: CUMULATIVE });
    } else {
        let data_points = points.iter().map(|point| number(point, times)).collect();
        // Gauges here can be added up over machines, so they are sums as well.
        let is_monotonic = instrument.kind == InstrumentKind::Counter;
        message.sum = Some(SumMessage { data_points, aggregation_temporality: CUMULATIVE, is_monotonic });
    }
    message
}

/// In the notation of UCUM, as OpenTelemetry wants it.
fn unit(unit: InstrumentUnit) -> String {
    match unit {
        InstrumentUnit::Things(name) => format!("{{{name}}}"),
        InstrumentUnit::Seconds => "s".into(),
        InstrumentUnit::Bytes => "By".into(),
        InstrumentUnit::None => String::new(),
    }
}

fn attributes(labels: &[(LabelKey, Arc<str>)]) -> Vec<KeyValue> {
    labels.iter().map(|(key, value)| KeyValue::text(key.name(), value)).collect()
}

fn number(point: &Point, times: CountedBetween) -> NumberDataPoint {
    let (as_int, as_double) = match &point.value {
        PointValue::Count(n) => (Some(i64::try_from(*n).unwrap_or(i64::MAX)), None),
        PointValue::Number(n) => (None, Some(*n)),
        PointValue::Durations(durations) => (Some(durations.count() as i64), None),
    };
    NumberDataPoint {
        start_time_unix_nano: times.start,
        time_unix_nano: times.end,
        as_double,
        as_int,
        attributes: attributes(&point.labels),
    }
}

fn histogram(point: &Point, times: CountedBetween) -> ExponentialHistogramPoint {
    let mut message = ExponentialHistogramPoint {
        attributes: attributes(&point.labels),
        start_time_unix_nano: times.start,
        time_unix_nano: times.end,
        scale: SCALE,
        ..ExponentialHistogramPoint::default()
    };
    if let PointValue::Durations(durations) = &point.value {
        let (zeros, positive) = dense(durations);
        (message.count, message.sum) = (durations.count(), Some(durations.seconds()));
        (message.zero_count, message.positive) = (zeros, positive);
    }
    message
}

/// Times of 0, and the buckets of all others. OTLP numbers a bucket by its lower bound, and so by one less than its upper bound's number.
fn dense(durations: &Durations) -> (u64, Option<DenseBuckets>) {
    let buckets = durations.exponential();
    let (Some(first), Some(last)) = (buckets.filled.first(), buckets.filled.last()) else {
        return (buckets.zeros, None);
    };
    let mut bucket_counts = vec![0; (last.0 - first.0) as usize + 1];
    buckets.filled.iter().for_each(|(index, n)| bucket_counts[(index - first.0) as usize] += n);
    (buckets.zeros, Some(DenseBuckets { offset: first.0 - 1, bucket_counts }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruments;

    #[test]
    fn many_series_are_several_requests() {
        let facts = crate::OutletFacts { version: "1", engine: "e", host: "h", machine: "x86_64" };
        let resource = OtlpResource::new(&facts, 5);
        let point = |n: usize| Point {
            labels: vec![(LabelKey::Syscall, n.to_string().into())],
            value: PointValue::Count(n as u64),
        };
        let of = |n| MetricSeries { instrument: &instruments::CALLS, points: (0..n).map(point).collect() };
        let times = CountedBetween { start: 1, end: 2 };
        for (series, expected) in
            [(vec![], 0), (vec![0], 0), (vec![1], 1), (vec![4_000], 1), (vec![3_999, 2], 2), (vec![9_000, 1], 3)]
        {
            let all: Vec<MetricSeries> = series.iter().copied().map(of).collect();
            let requests = requests(&all, &resource, times);
            assert_eq!(requests.len(), expected, "{series:?}");
            let told = requests.iter().flat_map(|of| &of.resource_metrics[0].scope_metrics[0].metrics);
            let told: usize = told.map(|metric| metric.sum.as_ref().unwrap().data_points.len()).sum();
            assert_eq!(told, series.iter().sum::<usize>());
        }
    }

    #[test]
    fn buckets_are_dense() {
        let mut durations = Durations::default();
        [0, 700, 700, 3_000_000_000].into_iter().for_each(|time| durations.add(time));
        let (zeros, positive) = dense(&durations);
        let positive = positive.unwrap();
        assert_eq!((zeros, positive.bucket_counts.iter().sum()), (1, 3));
        let upper = |index: i32| (f64::from(index + 1) / f64::from(1 << SCALE)).exp2();
        assert!(upper(positive.offset) > 6e-7 && upper(positive.offset) < 9e-7, "{positive:?}");
        let last = positive.offset + positive.bucket_counts.len() as i32 - 1;
        assert!(upper(last) >= 2.6 && upper(last) < 4.1, "{positive:?}");
        assert_eq!(dense(&Durations::default()), (0, None));
    }
}
