//! Metrics and logs for OpenTelemetry, as its own messages read them.

use crate::common::*;
use crate::prometheus::samples;
use crate::python;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

/// A receiver, which writes what it gets to a file.
struct Receiver<'a> {
    _process: Killed,
    scratch: &'a Scratch,
    port: u16,
}

impl Receiver<'_> {
    /// The first requests are answered with these statuses.
    fn start<'a>(python: &Path, scratch: &'a Scratch, statuses: &[&str]) -> Receiver<'a> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export/receiver.py");
        let process = Command::new(python)
            .arg(script)
            .args(statuses)
            .stdin(Stdio::null())
            .stdout(File::create(scratch.path("received")).unwrap())
            .spawn();
        let process = Killed(process.unwrap());
        wait_until("the receiver", || scratch.read("received").contains('\n'));
        let port = scratch.read("received").lines().next().unwrap().parse().unwrap();
        Receiver { _process: process, scratch, port }
    }

    /// The messages that came to this path, in their order.
    fn requests(&self, path: &str) -> Vec<Value> {
        let received = self.scratch.read("received");
        let all = received.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
        all.filter(|request| request["path"] == path).collect()
    }
}

fn traced(scratch: &Scratch, options: &[&str], command: &[&str]) -> Run {
    let mut stride = bare_stride();
    stride.args(options).args(command).current_dir(scratch.path(""));
    Run::of(stride)
}

const COMMAND: [&str; 3] = ["sh", "-c", "cat /etc/hostname /nonexistent 2>/dev/null; ls / >/dev/null; exit 7"];

/// Attributes as labels of Prometheus.
fn labels(point: &Value) -> BTreeMap<String, String> {
    let pairs = point["attributes"].as_array().into_iter().flatten();
    let pair = |pair: &Value| {
        let value = pair["value"]["stringValue"].as_str().unwrap();
        (pair["key"].as_str().unwrap().replace('.', "_"), value.to_owned())
    };
    pairs.map(pair).collect()
}

/// (A 64-bit number is a string in JSON.)
fn number(value: &Value) -> f64 {
    value.as_f64().or_else(|| value.as_str()?.parse().ok()).unwrap_or_else(|| panic!("{value}"))
}

/// A Collector gets what Prometheus gets of the same run, in the form that the protocol wants.
#[test]
fn a_collector_gets_the_same_metrics() {
    let python = or_skip!(python::with("opentelemetry-proto"));
    for &engine in engines() {
        let scratch = Scratch::new(&format!("export-otlp{engine}"));
        let receiver = Receiver::start(&python, &scratch, &[]);
        let url = format!("--export=otlp://127.0.0.1:{}", receiver.port);
        let run = traced(&scratch, &[engine, "-f", &url, "--export=prometheus:m.prom"], &COMMAND);
        assert_eq!((run.code(), run.err.as_str()), (Some(7), ""), "{run:?}");
        let text = scratch.read("m.prom");
        let requests = receiver.requests("/v1/metrics");
        let [request] = &requests[..] else { panic!("{requests:?}") };
        assert_eq!((&request["type"], &request["known"]), (&"application/x-protobuf".into(), &true.into()));
        let of = &request["request"]["resourceMetrics"][0];

        let resource: BTreeMap<&str, &Value> = of["resource"]["attributes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| (pair["key"].as_str().unwrap(), &pair["value"]))
            .collect();
        assert_eq!(resource["service.name"]["stringValue"], "stride");
        assert_eq!(
            resource["host.name"]["stringValue"],
            fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim()
        );
        assert_eq!(resource["os.type"]["stringValue"], "linux");
        assert!(number(&resource["process.pid"]["intValue"]) > 1.0);
        assert_eq!(of["scopeMetrics"][0]["metrics"].as_array().unwrap().len(), 11);

        for metric in of["scopeMetrics"][0]["metrics"].as_array().unwrap() {
            let name = metric["name"].as_str().unwrap();
            let plain = name.replace('.', "_");
            if let Some(histogram) = metric.get("exponentialHistogram") {
                assert_eq!((name, &metric["unit"]), ("stride.call.duration", &"s".into()));
                assert_eq!(histogram["aggregationTemporality"], "AGGREGATION_TEMPORALITY_CUMULATIVE");
                let mut told = BTreeMap::new();
                for point in histogram["dataPoints"].as_array().unwrap() {
                    let positive = point["positive"]["bucketCounts"].as_array().into_iter().flatten();
                    let zeros = point.get("zeroCount").map_or(0.0, number);
                    assert_eq!(positive.map(number).sum::<f64>() + zeros, number(&point["count"]), "{point}");
                    assert!(number(&point["startTimeUnixNano"]) <= number(&point["timeUnixNano"]), "{point}");
                    told.insert(labels(point), [number(&point["count"]), point["sum"].as_f64().unwrap_or(0.0)]);
                }
                let sums: BTreeMap<_, _> = samples(&text, &format!("{plain}_seconds_sum")).into_iter().collect();
                let counts = samples(&text, &format!("{plain}_seconds_count")).into_iter();
                assert_eq!(told, counts.map(|(labels, n)| (labels.clone(), [n, sums[&labels]])).collect(), "{engine}");
                continue;
            }
            let sum = &metric["sum"];
            assert_eq!(sum["aggregationTemporality"], "AGGREGATION_TEMPORALITY_CUMULATIVE", "{name}");
            let (plain, grows) = match (name, &metric["unit"]) {
                ("process.cpu.time", unit) => (unit == "s").then_some(("process_cpu_time_seconds_total".into(), true)),
                ("process.memory.usage", unit) => {
                    (unit == "By").then_some(("process_memory_usage_bytes".into(), false))
                }
                _ if text.contains(&format!("TYPE {plain}_total")) => Some((format!("{plain}_total"), true)),
                _ => Some((plain, false)),
            }
            .unwrap();
            assert_eq!(sum["isMonotonic"].as_bool().unwrap_or(false), grows, "{name}");
            let points = sum["dataPoints"].as_array().unwrap();
            let value = |point: &Value| number(point.get("asInt").unwrap_or(&point["asDouble"]));
            let told: BTreeMap<_, _> = points.iter().map(|point| (labels(point), value(point))).collect();
            let expected: BTreeMap<_, _> = samples(&text, &plain).into_iter().collect();
            // (Stride itself goes on while the outlets are written.)
            if name.starts_with("stride.") {
                assert_eq!(told, expected, "{engine} {name}");
            } else {
                assert!(expected.len() == 1 && told.values().all(|value| *value > 0.0), "{told:?}");
            }
        }
        assert!(receiver.requests("/v1/logs").is_empty(), "nothing was lost");
    }
}

/// A full budget of series is told as a log, once.
#[test]
fn trouble_is_a_log() {
    let python = or_skip!(python::with("opentelemetry-proto"));
    for &engine in engines() {
        let scratch = Scratch::new(&format!("export-logs{engine}"));
        let receiver = Receiver::start(&python, &scratch, &[]);
        let url = format!("--export=otlp://127.0.0.1:{}?series=100", receiver.port);
        let script = "import ctypes\nfor n in range(99): ctypes.CDLL(None).prctl(15, b'name-%d' % n, 0, 0, 0)";
        let run = traced(&scratch, &[engine, &url], &["/usr/bin/python3", "-c", script]);
        assert_eq!((run.code(), run.err.as_str()), (Some(0), ""), "{run:?}");
        let logs = receiver.requests("/v1/logs");
        let [log] = &logs[..] else { panic!("{logs:?}") };
        let record = &log["request"]["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0];
        assert_eq!((&record["eventName"], &record["severityText"]), (&"stride.series.full".into(), &"WARN".into()));
        assert!(record["body"]["stringValue"].as_str().unwrap().contains("no room for more series"), "{record}");
        assert_eq!(log["known"], true);
    }
}

/// A Collector that fails for a while gets the totals later, and the user is told of the first failure.
#[test]
fn a_collector_that_fails_is_tried_again() {
    let python = or_skip!(python::with("opentelemetry-proto"));
    for &engine in engines() {
        let scratch = Scratch::new(&format!("export-again{engine}"));
        let receiver = Receiver::start(&python, &scratch, &["503", "503", "503"]);
        let url = format!("--export=otlp://127.0.0.1:{}?every=1s", receiver.port);
        // The shell waits until there was a success.
        let script = "until grep -q '\"status\": \"200\"' received; do sleep 0.1; done";
        let run = traced(&scratch, &[engine, "-f", &url], &["sh", "-c", script]);
        let failure = format!(
            "Can't deliver metrics to otlp://127.0.0.1:{}: the answer is status 503; Stride tries again",
            receiver.port
        );
        assert_eq!((run.code(), run.messages()), (Some(0), vec![&*failure]), "{run:?}");
        let requests = receiver.requests("/v1/metrics");
        let calls = |request: &Value| -> f64 {
            let metrics = request["request"]["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
            // (There may be none yet.)
            let calls = metrics.iter().find(|metric| metric["name"] == "stride.calls");
            let points = calls.and_then(|calls| calls["sum"]["dataPoints"].as_array()).into_iter().flatten();
            points.map(|point| number(&point["asInt"])).sum()
        };
        assert!(requests.len() >= 5 && requests[2]["status"] == "503", "{requests:?}");
        assert!(requests.windows(2).all(|two| calls(&two[0]) <= calls(&two[1])), "totals only grow");
    }
}

/// Without a Collector, or with one that never answers, the program runs to its end, and so does Stride.
#[test]
fn no_collector_keeps_nobody() {
    let python = or_skip!(python::with("opentelemetry-proto"));
    for &engine in engines() {
        let scratch = Scratch::new(&format!("export-nobody{engine}"));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let run = traced(&scratch, &[engine, "-f", &format!("--export=otlp://127.0.0.1:{port}")], &COMMAND);
        let expected = format!("No metrics were delivered to otlp://127.0.0.1:{port}: Connection refused");
        assert_eq!((run.code(), run.messages()), (Some(7), vec![&*expected]), "{run:?}");

        let receiver = Receiver::start(&python, &scratch, &["silent", "silent"]);
        let url = format!("--export=otlp://127.0.0.1:{}", receiver.port);
        let run = traced(&scratch, &[engine, "-f", &url], &COMMAND);
        let expected = format!("No metrics were delivered to otlp://127.0.0.1:{}: it takes too long", receiver.port);
        assert_eq!((run.code(), run.messages()), (Some(7), vec![&*expected]), "{run:?}");

        let receiver = Receiver::start(&python, &scratch, &["rejected"]);
        let url = format!("--export=otlp://127.0.0.1:{}", receiver.port);
        let run = traced(&scratch, &[engine, "-f", &url], &COMMAND);
        let expected = format!("otlp://127.0.0.1:{} rejected 3 series and logs", receiver.port);
        assert_eq!((run.code(), run.messages()), (Some(7), vec![&*expected]), "{run:?}");
    }
}
