//! The formats in which Prometheus reads metrics, and which of them a client wants.

use crate::families::MetricSeries;
use crate::{protobuf, text};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines.
    Text,
    /// Messages, which also have native histograms.
    Protobuf,
}

const PROTOBUF: &str = "application/vnd.google.protobuf";

impl Format {
    /// The format for a client that accepts these types. A client that says nothing gets text.
    pub fn accepted(accept: &str) -> Format {
        let quality = |wanted: fn(&str, &str) -> bool| {
            let types = accept.split(',').filter_map(|of| {
                let (name, parameters) = of.split_once(';').unwrap_or((of, ""));
                wanted(name.trim(), parameters).then(|| quality(parameters))
            });
            types.fold(0.0, f64::max)
        };
        let protobuf = quality(|name, parameters| {
            name.eq_ignore_ascii_case(PROTOBUF)
                && parameters.contains("io.prometheus.client.MetricFamily")
                && parameters.contains("delimited")
        });
        let text =
            quality(|name, parameters| name.eq_ignore_ascii_case("text/plain") && !parameters.contains("version=1"));
        if protobuf > 0.0 && protobuf >= text { Format::Protobuf } else { Format::Text }
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Format::Text => "text/plain; version=0.0.4; charset=utf-8",
            Format::Protobuf => {
                "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
            }
        }
    }

    pub fn write(self, families: &[MetricSeries]) -> Vec<u8> {
        match self {
            Format::Text => text::write(families).into_bytes(),
            Format::Protobuf => protobuf::write(families),
        }
    }
}

/// From 0 to 1.
fn quality(parameters: &str) -> f64 {
    let value = parameters.split(';').find_map(|parameter| parameter.trim().strip_prefix("q="));
    value.map_or(1.0, |value| value.trim().parse().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_get_what_they_accept() {
        let prometheus = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,\
                          application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.7,*/*;q=0.1";
        assert_eq!(Format::accepted(prometheus), Format::Protobuf);
        for text in [
            "",
            "*/*",
            "text/html",
            "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
            "application/vnd.google.protobuf",
            "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text",
            "text/plain;version=0.0.4, application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.2",
            "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0",
            ";;;,,,q=;=,",
        ] {
            assert_eq!(Format::accepted(text), Format::Text, "{text}");
        }
    }
}
