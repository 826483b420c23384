//! `--export`: what Prometheus reads is what happened, and nobody who reads keeps the program from running.

#[path = "../common/mod.rs"]
mod common;
mod otlp;
#[path = "../common/prometheus.rs"]
mod prometheus;
#[path = "../common/python_packages.rs"]
mod python;

use common::*;
use prometheus::{Prometheus, get, sample, samples};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Stdio};

/// Looks for a file that is not there, for each line of its input, and says the line.
const ECHO: [&str; 3] = ["sh", "-c", "while read line; do [ -e /nonexistent/file ] || echo $line; done"];

/// Stride that serves metrics of a shell.
struct Served {
    stride: Killed,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    _messages: BufReader<ChildStderr>,
    port: u16,
}

impl Served {
    fn start(engine: &str, options: &str) -> Served {
        Served::start_with(engine, options, &[])
    }

    fn start_with(engine: &str, options: &str, more: &[&str]) -> Served {
        let mut command = bare_stride();
        command.args([engine, "-f", &format!("--export=prometheus://:0{options}")]).args(more).args(ECHO);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child: Child = piped.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut messages = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        messages.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix(&format!("{STRIDE}: metrics are served at http://127.0.0.1:"));
        let port = address.and_then(|rest| rest.strip_suffix("/metrics")?.parse().ok());
        let port = port.unwrap_or_else(|| panic!("{line}"));
        Served { stride: Killed(child), input, output, _messages: messages, port }
    }

    /// The shell reads the line, and answers.
    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        assert_eq!(answer.trim(), line);
    }

    fn metrics(&self) -> String {
        let (status, body) = get(self.port, "/metrics", "");
        assert_eq!(status, 200);
        text(&body)
    }

    fn end(mut self) -> Option<i32> {
        self.input = None;
        self.stride.0.wait().unwrap().code()
    }
}

/// Calls and errors by syscall.
fn by_syscall(metrics: &str, name: &str) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for (labels, value) in samples(metrics, name) {
        *all.entry(labels["syscall"].clone()).or_default() += value as u64;
    }
    all
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The same as other views of the same run: counted in the kernel, from calls, and from a recording.
#[test]
fn metrics_agree_with_other_views() {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("export-agrees{engine}"));
        // Counted by the engine, if it can.
        let command = ["sh", "-c", "cat /etc/hostname /nonexistent 2>/dev/null; (cd /; ls); kill -0 $$"];
        let options = [engine, "-f", "-c", "--json", "-o", "rows", "--export=prometheus:metrics.prom"];
        let mut stride = bare_stride();
        let run = Run::of({
            stride.args(options).args(command).current_dir(scratch.path(""));
            stride
        });
        assert_eq!((run.code(), run.err.as_str()), (Some(0), ""), "{run:?}");
        let metrics = scratch.read("metrics.prom");
        let (calls, errors) = (by_syscall(&metrics, "stride_calls_total"), by_syscall(&metrics, "stride_errors_total"));
        let rows = objects(&scratch.read("rows"));
        let rows: Vec<_> = rows.iter().filter(|row| row["by"]["syscall"].is_string()).collect();
        assert!(rows.len() > 10 && rows.len() == calls.len(), "{engine}: {rows:?} {calls:?}");
        for row in rows {
            let name = row["by"]["syscall"].as_str().unwrap();
            assert_eq!(row["calls"].as_u64(), calls.get(name).copied(), "{engine}: {name}");
            assert_eq!(row["errors"].as_u64().unwrap(), errors.get(name).copied().unwrap_or(0), "{engine}: {name}");
        }
        assert!(sample(&metrics, "stride_errors_total", &[("error_type", "ENOENT"), ("thread_name", "cat")]) >= 1.0);
        assert_eq!(sample(&metrics, "stride_calls_total", &[("syscall", "kill"), ("thread_name", "sh")]), 1.0);
        assert_eq!(sample(&metrics, "stride_calls_lost_total", &[]), 0.0);
        assert_eq!(sample(&metrics, "stride_threads", &[]), 0.0, "all have ended");
        let known = sample(&metrics, "stride_call_duration_seconds_count", &[]);
        assert!(known <= calls.values().sum::<u64>() as f64 && known > calls.values().sum::<u64>() as f64 * 0.9);

        // Counted from calls that other views show.
        let run =
            scratch.stride([&[engine, "-f", "--record=rec", "--export=prometheus:live.prom"][..], &command].concat());
        assert_eq!(run.code(), Some(0), "{run:?}");
        let run = scratch.replay(&["--export=prometheus:replayed.prom"]);
        assert_eq!((run.code(), run.out.as_str(), run.err.as_str()), (Some(0), "", ""), "{run:?}");
        let (live, replayed) = (scratch.read("live.prom"), scratch.read("replayed.prom"));
        for name in ["stride_calls_total", "stride_errors_total", "stride_call_duration_seconds_count"] {
            assert!(samples(&live, name).len() > 5, "{engine}: {live}");
            assert_eq!(samples(&live, name), samples(&replayed, name), "{engine}");
        }
        let leftovers: Vec<_> =
            std::fs::read_dir(scratch.path("")).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert!(leftovers.iter().all(|name| !name.to_string_lossy().contains(".prom.")), "{leftovers:?}");
    }
}

#[test]
fn metrics_are_served_while_the_program_runs() {
    for &engine in engines() {
        let mut served = Served::start(engine, "?by=comm");
        (0..5).for_each(|n| served.say(&format!("line {n}")));
        let looked = [("syscall", "newfstatat"), ("error_type", "ENOENT"), ("thread_name", "sh")];
        wait_until("the counts", || sample(&served.metrics(), "stride_errors_total", &looked) >= 5.0);
        wait_until("the thread", || sample(&served.metrics(), "stride_threads", &[]) == 1.0);
        let words = engine.trim_start_matches("--engine=");
        assert_eq!(sample(&served.metrics(), "stride_build_info", &[("engine", words)]), 1.0);
        let port = served.port;
        assert_eq!(served.end(), Some(0));
        assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "the server has ended with the run");
    }
}

/// Only this machine reaches a server without a host.
/// The kernel side counts what succeeds and what fails in two places then, again and again.
#[test]
fn calls_that_are_not_timed_are_counted_once() {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("export-untimed{engine}"));
        let file = scratch.path("metrics.prom");
        let options = "?durations=no&by=";
        let mut served =
            Served::start_with(engine, options, &[&format!("--export=prometheus:{}{options}", file.display())]);
        (0..20).for_each(|number| served.say(&number.to_string()));
        let of = |metrics: &str| {
            let missing = sample(metrics, "stride_errors_total", &[("error_type", "ENOENT")]);
            (by_syscall(metrics, "stride_calls_total").get("write").copied().unwrap_or(0), missing)
        };
        let mut first = (0, 0.0);
        wait_until("an interval ends", || {
            first = of(&served.metrics());
            first.0 == 20
        });
        (0..15).for_each(|number| served.say(&number.to_string()));
        served.end();
        let metrics = std::fs::read_to_string(&file).unwrap();
        let last = of(&metrics);
        assert_eq!((last.0, last.1 - first.1), (35, 15.0), "{engine}: {metrics}");
        assert!(!metrics.contains("duration"), "{metrics}");
    }
}

#[test]
fn a_server_without_a_host_listens_on_loopback() {
    let served = Served::start(ENGINES[0], "");
    let listening = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let at = |address: &str| listening.contains(&format!("{address}:{:04X} 00000000:0000 0A", served.port));
    assert!(at("0100007F") && !at("00000000"), "{listening}");
}

#[test]
fn requests_that_are_none_are_refused() {
    let served = Served::start(ENGINES[0], "");
    for (path, status) in [("/", 200), ("/metrics?x=1", 200), ("/other", 404), ("/metrics/..", 404)] {
        assert_eq!(get(served.port, path, "").0, status, "{path}");
    }
    let answer = |request: &[u8]| {
        let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        text(&answer).lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(answer(b"POST /metrics HTTP/1.1\r\n\r\n"), "HTTP/1.1 405 Method Not Allowed");
    let head = answer(b"HEAD /metrics HTTP/1.1\r\n\r\n");
    assert_eq!(head, "HTTP/1.1 200 OK");
    for bad in [
        &b"\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / SPDY\r\n\r\n",
        b"\xff\xfe / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1 x\r\n\r\n",
    ] {
        assert_eq!(answer(bad), "HTTP/1.1 400 Bad Request", "{bad:?}");
    }
    // More than a head may have. (The connection may be gone before everything is written.)
    let long = [b"GET /metrics HTTP/1.1\r\nX: ".to_vec(), vec![b'x'; 1 << 20], b"\r\n\r\n".to_vec()].concat();
    assert!(!answer(&long).contains("200"), "a megabyte was read");
    assert_eq!(get(served.port, "/metrics", "").0, 200);
}

/// Clients that say nothing, or read nothing, are no concern of the program's, and others are served again when their time is over.
#[test]
fn slow_clients_delay_nobody() {
    for &engine in engines() {
        let mut served = Served::start(engine, "");
        let silent: Vec<TcpStream> = (0..50).map(|_| TcpStream::connect(("127.0.0.1", served.port)).unwrap()).collect();
        let deaf = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
        let _ = (&deaf).write_all(b"GET /metrics HTTP/1.1\r\n\r\n");
        (0..20).for_each(|n| served.say(&format!("line {n}")));
        wait_until("an answer", || get(served.port, "/metrics", "").0 == 200);
        drop((silent, deaf));
        assert_eq!(served.end(), Some(0));
    }
}

#[test]
fn a_port_that_is_taken_is_told_before_the_program_runs() {
    let scratch = Scratch::new("export-taken");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let message = refused(&scratch, &[&format!("--export=prometheus://:{port}")]);
    assert_eq!(message, format!("Can't serve metrics at 127.0.0.1:{port}: Address already in use"));
    for (argument, expected) in [
        ("--export=prometheus:nowhere/file", "Can't write metrics to 'nowhere/file': No such file or directory"),
        ("--export=prometheus:.", "Can't write metrics to '.': Is a directory"),
    ] {
        assert_eq!(refused(&scratch, &[argument]), expected);
    }
    for (argument, expected) in [
        ("--export=9464", "--export takes prometheus://HOST:PORT, prometheus:FILE or otlp://HOST:PORT, and not '9464'"),
        ("--export=prometheus://:1?series=7", "--export takes from 100 to 1000000 series, and not 'series=7'"),
    ] {
        let run = run([argument, "sh", "-c", "echo ran"]);
        assert_eq!((run.code(), run.out.as_str()), (Some(1), ""), "{run:?}");
        assert!(run.err.starts_with(&format!("{STRIDE}: {expected}\n")), "{run:?}");
    }
    let message = refused(&scratch, &["--export=prometheus:x", "--export=prometheus:x?by="]);
    assert!(message.contains("twice"), "{message}");
}

/// However many names threads have, there are no more series, and no call is left out.
#[test]
fn series_are_limited() {
    need!("/usr/bin/python3");
    for &engine in engines() {
        let scratch = Scratch::new(&format!("export-limit{engine}"));
        let script = "import ctypes\nfor n in range(300): ctypes.CDLL(None).prctl(15, b'name-%d' % n, 0, 0, 0)";
        let options = [
            engine,
            "--json",
            "-o",
            "calls",
            "--export=prometheus:m.prom?series=100",
            "/usr/bin/python3",
            "-c",
            script,
        ];
        let mut stride = bare_stride();
        stride.args(options).current_dir(scratch.path(""));
        let run = Run::of(stride);
        assert_eq!((run.code(), run.err.as_str()), (Some(0), ""), "{run:?}");
        let metrics = scratch.read("m.prom");
        let all = objects(&scratch.read("calls"));
        let returned =
            all.iter().filter(|of| of["type"] == "call" && matches!(of["outcome"].as_str(), Some("ok" | "error")));
        assert_eq!(sample(&metrics, "stride_calls_total", &[]), returned.count() as f64, "{engine}");
        let families = ["stride_calls_total", "stride_errors_total", "stride_call_duration_seconds_count"];
        let series = families.iter().map(|name| samples(&metrics, name).len()).sum::<usize>() + 8;
        assert!(series <= 100 && series > 60, "{engine}: {series}");
        assert_eq!(sample(&metrics, "stride_series", &[]), series as f64, "{engine}");
        let folded = sample(&metrics, "stride_calls_folded_total", &[]);
        assert_eq!(folded, sample(&metrics, "stride_calls_total", &[("thread_name", "(others)")]), "{engine}");
        assert!(folded >= 290.0, "{engine}: {folded}");
    }
}

/// The real Prometheus scrapes, with native histograms, and answers queries.
#[test]
fn prometheus_reads_and_answers() {
    need!("/usr/bin/prometheus", "/usr/bin/promtool");
    for &engine in engines() {
        let scratch = Scratch::new(&format!("export-prometheus{engine}"));
        let mut served = Served::start(engine, "");
        (0..7).for_each(|n| served.say(&format!("line {n}")));
        let looked = [("syscall", "newfstatat"), ("error_type", "ENOENT")];
        wait_until("the counts", || sample(&served.metrics(), "stride_errors_total", &looked) >= 7.0);
        prometheus::check(&served.metrics());

        let prometheus = Prometheus::start(&scratch, served.port);
        wait_until("a scrape", || prometheus.ask("stride_errors_total{syscall=\"newfstatat\"}") == Some(7.0));
        assert_eq!(prometheus.ask("up"), Some(1.0));
        // Queries of docs/export.md.
        let writes = "stride_call_duration_seconds{syscall=\"write\",thread_name=\"sh\"}";
        assert_eq!(prometheus.ask(&format!("histogram_count({writes})")), Some(7.0));
        let most = prometheus.ask(&format!("histogram_sum({writes})")).unwrap();
        let median = prometheus.ask(&format!("histogram_quantile(0.5, {writes})")).unwrap();
        assert!(median > 0.0 && median < most, "{median} of {most}");
        assert_eq!(prometheus.ask("stride_call_duration_seconds_count"), None, "it is no classic histogram");
        let series = prometheus.ask("count({job=\"stride\",__name__=~\"stride_.*|process_.*\"})").unwrap();
        assert_eq!(Some(series), prometheus.ask("stride_series"), "{}", served.metrics());
        assert_eq!(served.end(), Some(0));
        wait_until("the end", || prometheus.ask("up") == Some(0.0));
    }
}

/// Each query of the dashboard has an answer.
#[test]
fn the_dashboard_asks_for_what_there_is() {
    need!("/usr/bin/prometheus");
    let dashboard = std::fs::read_to_string(root().join("integrations/grafana/stride.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
    let put =
        |query: &str| query.replace("$instance", ".*").replace("$syscall", "write").replace("$__rate_interval", "10s");
    let queries: Vec<String> = targets.map(|target| put(target["expr"].as_str().unwrap())).collect();
    assert!(queries.len() >= 12 && queries.iter().all(|query| !query.contains('$')), "{queries:?}");
    let scratch = Scratch::new("export-dashboard");
    let mut served = Served::start(ENGINES[0], "");
    let prometheus = Prometheus::start(&scratch, served.port);
    let mut unanswered = queries;
    let mut number = 0;
    // Rates need two scrapes between which something happens.
    wait_until("answers", || {
        number += 1;
        served.say(&format!("line {number}"));
        unanswered.retain(|query| prometheus.series(query).is_empty());
        unanswered.is_empty()
    });
    assert_eq!(served.end(), Some(0));
}

/// A client that says what it wants gets messages.
#[test]
fn protobuf_is_for_those_who_ask() {
    let served = Served::start(ENGINES[0], "");
    let accept =
        "Accept: application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited\r\n";
    wait_until("the counts", || served.metrics().contains("stride_calls_total"));
    let (status, body) = get(served.port, "/metrics", accept);
    // The first field of the first message is the name of its metric.
    let name = [&[0x0a, 18][..], b"stride_calls_total"].concat();
    assert!(status == 200 && body.windows(name.len()).take(8).any(|part| part == name), "{body:?}");
}
