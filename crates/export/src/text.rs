//! Prometheus' text format. Histograms have classic buckets there.

use crate::durations::CLASSIC_BOUNDS;
use crate::families::{MetricSeries, Point, PointValue};
use std::fmt::Write;

pub fn write(families: &[MetricSeries]) -> String {
    let mut out = String::new();
    families.iter().filter(|family| !family.points.is_empty()).for_each(|family| append(&mut out, family));
    out
}

fn append(out: &mut String, family: &MetricSeries) {
    let name = family.instrument.prometheus();
    let _ = writeln!(out, "# HELP {name} {}", family.instrument.help);
    let _ = writeln!(out, "# TYPE {name} {}", family.instrument.kind.name());
    for point in &family.points {
        match &point.value {
            PointValue::Count(n) => line(out, &name, "", point, None, n),
            PointValue::Number(n) => line(out, &name, "", point, None, n),
            PointValue::Durations(durations) => {
                for (bound, n) in CLASSIC_BOUNDS.iter().zip(durations.classic()) {
                    line(out, &name, "_bucket", point, Some(&bound.to_string()), &n);
                }
                let count = durations.count();
                line(out, &name, "_bucket", point, Some("+Inf"), &count);
                line(out, &name, "_sum", point, None, &durations.seconds());
                line(out, &name, "_count", point, None, &count);
            }
        }
    }
}

fn line(out: &mut String, name: &str, suffix: &str, point: &Point, bound: Option<&str>, value: &dyn std::fmt::Display) {
    out.push_str(name);
    out.push_str(suffix);
    let mut before = '{';
    let mut label = |out: &mut String, name: &str, value: &str| {
        out.push(before);
        before = ',';
        let _ = write!(out, "{name}=\"");
        for c in value.chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '"' => out.push_str("\\\""),
                '\n' => out.push_str("\\n"),
                c => out.push(c),
            }
        }
        out.push('"');
    };
    for (key, value) in &point.labels {
        label(out, &key.prometheus(), value);
    }
    if let Some(bound) = bound {
        label(out, "le", bound);
    }
    if before == ',' {
        out.push('}');
    }
    let _ = writeln!(out, " {value}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::durations::Durations;
    use crate::instruments::{BUILD, DURATION, LabelKey};

    #[test]
    fn lines() {
        let mut durations = Durations::default();
        [500, 2_000_000].into_iter().for_each(|time| durations.add(time));
        let labels = vec![(LabelKey::Syscall, "a\"\\\n".into())];
        let family = MetricSeries {
            instrument: &DURATION,
            points: vec![Point { labels, value: PointValue::Durations(durations) }],
        };
        let text = write(&[family, MetricSeries { instrument: &BUILD, points: vec![] }]);
        let expected = "\
# HELP stride_call_duration_seconds Time from the entry of calls to their return, of those whose entry was seen
# TYPE stride_call_duration_seconds histogram
stride_call_duration_seconds_bucket{syscall=\"a\\\"\\\\\\n\",le=\"0.000001\"} 1
stride_call_duration_seconds_bucket{syscall=\"a\\\"\\\\\\n\",le=\"0.00001\"} 1
stride_call_duration_seconds_bucket{syscall=\"a\\\"\\\\\\n\",le=\"0.0001\"} 1
stride_call_duration_seconds_bucket{syscall=\"a\\\"\\\\\\n\",le=\"0.001\"} 1
stride_call_duration_seconds_bucket{syscall=\"a\\\"\\\\\\n\",le=\"0.01\"} 2
stride_call_duration_seconds_bucket{syscall=\"a\\\"\\\\\\n\",le=\"0.1\"} 2
stride_call_duration_seconds_bucket{syscall=\"a\\\"\\\\\\n\",le=\"1\"} 2
stride_call_duration_seconds_bucket{syscall=\"a\\\"\\\\\\n\",le=\"10\"} 2
stride_call_duration_seconds_bucket{syscall=\"a\\\"\\\\\\n\",le=\"+Inf\"} 2
stride_call_duration_seconds_sum{syscall=\"a\\\"\\\\\\n\"} 0.0020005
stride_call_duration_seconds_count{syscall=\"a\\\"\\\\\\n\"} 2
";
        assert_eq!(text, expected);
    }
}
