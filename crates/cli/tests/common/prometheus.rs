//! Prometheus, and what it reads.
#![allow(dead_code)] // Each test uses its part.

use super::common::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

/// The answer to a request by HTTP: its status, and its body.
pub fn get(port: u16, path: &str, headers: &str) -> (u32, Vec<u8>) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let _ = write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let Some(end) = answer.windows(4).position(|part| part == b"\r\n\r\n") else { return (0, answer) };
    let status = text(&answer[..end]).split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    (status, answer.split_off(end + 4))
}

/// The series of this name in Prometheus' text format: labels and value.
pub fn samples(metrics: &str, name: &str) -> Vec<(BTreeMap<String, String>, f64)> {
    let line = regex::Regex::new(r#"^([a-z_]+)(?:\{(.*)\})? (\S+)$"#).unwrap();
    let label = regex::Regex::new(r#"([a-z_]+)="((?:[^"\\]|\\.)*)""#).unwrap();
    let lines = metrics.lines().filter_map(|text| line.captures(text)).filter(|found| &found[1] == name);
    let sample = |found: regex::Captures<'_>| {
        let labels = found.get(2).map_or("", |labels| labels.as_str());
        let labels = label.captures_iter(labels).map(|pair| (pair[1].to_owned(), pair[2].to_owned())).collect();
        (labels, found[3].parse().unwrap())
    };
    lines.map(sample).collect()
}

/// The sum of the series of this name that have these labels.
pub fn sample(metrics: &str, name: &str, with: &[(&str, &str)]) -> f64 {
    let has = |labels: &BTreeMap<String, String>| {
        with.iter().all(|(key, value)| labels.get(*key).is_some_and(|label| label == value))
    };
    samples(metrics, name).iter().filter(|(labels, _)| has(labels)).map(|(_, value)| value).sum()
}

/// promtool finds nothing wrong with the text.
pub fn check(metrics: &str) {
    let command =
        Command::new("promtool").args(["check", "metrics"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut promtool = command.unwrap();
    promtool.stdin.take().unwrap().write_all(metrics.as_bytes()).unwrap();
    let output = promtool.wait_with_output().unwrap();
    assert!(output.status.success(), "{}{metrics}", text(&output.stderr));
}

/// A server of Prometheus that scrapes each second.
pub struct Prometheus {
    _server: Killed,
    port: u16,
}

impl Prometheus {
    pub fn start(scratch: &Scratch, target: u16) -> Prometheus {
        let config = format!(
            "global: {{scrape_interval: 1s}}\n\
             scrape_configs: [{{job_name: stride, static_configs: [{{targets: ['127.0.0.1:{target}']}}]}}]\n"
        );
        fs::write(scratch.path("prometheus.yml"), config).unwrap();
        let server = Command::new("prometheus")
            .args(["--config.file=prometheus.yml", "--storage.tsdb.path=data", "--web.listen-address=127.0.0.1:0"])
            .arg("--enable-feature=native-histograms")
            .current_dir(scratch.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(scratch.path("log")).unwrap())
            .spawn();
        let server = Killed(server.unwrap());
        let mut port = None;
        wait_until("prometheus", || {
            port = listening(server.tid());
            port.is_some_and(|port| get(port, "/-/ready", "").0 == 200)
        });
        Prometheus { _server: server, port: port.unwrap() }
    }

    /// The value of the only series of the answer. None: there is no series.
    pub fn ask(&self, query: &str) -> Option<f64> {
        let result = self.series(query);
        assert!(result.len() <= 1, "{query}: {result:?}");
        result.first().map(|series| series["value"][1].as_str().unwrap().parse().unwrap())
    }

    /// The series of the answer.
    pub fn series(&self, query: &str) -> Vec<Value> {
        let escaped: String = query.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let (status, body) = get(self.port, &format!("/api/v1/query?query={escaped}"), "");
        let answer = text(&body);
        assert_eq!(status, 200, "{query}: {answer}");
        // (The body may come in chunks, whose lengths are on lines of their own.)
        let json = answer.lines().find(|line| line.starts_with('{')).unwrap_or_else(|| panic!("{answer}"));
        let answer: Value = serde_json::from_str(json).unwrap();
        answer["data"]["result"].as_array().unwrap().clone()
    }
}

/// The port on which a process listens.
fn listening(pid: i32) -> Option<u16> {
    let sockets: Vec<String> = fs::read_dir(format!("/proc/{pid}/fd"))
        .ok()?
        .filter_map(|fd| fs::read_link(fd.ok()?.path()).ok()?.into_os_string().into_string().ok())
        .filter_map(|name| Some(name.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
        .collect();
    let table = fs::read_to_string("/proc/net/tcp").ok()?;
    let port = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let listens = words.get(3) == Some(&"0A") && sockets.iter().any(|socket| words.get(9) == Some(&&**socket));
        let (_, port) = words.get(1).filter(|_| listens)?.split_once(':')?;
        u16::from_str_radix(port, 16).ok()
    };
    table.lines().find_map(port)
}
