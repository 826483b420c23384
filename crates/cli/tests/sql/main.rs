//! The questions of docs/sql.md and docs/fleet.md, asked of files that Stride has written of real programs.
//!
//! DuckDB and Spark come from PyPI, into virtual environments below target/. Where PyPI cannot be reached, the tests
//! are reported as skipped.

#[path = "../common/mod.rs"]
mod common;
mod fleet;
#[path = "../common/python_packages.rs"]
mod python;

use common::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The questions in docs/sql.md.
const QUESTIONS: usize = 23;
/// The question that has no answer where waits are not measured.
const ABOUT_WAKERS: usize = 21;

/// A question, and a database's answer.
#[derive(Debug, PartialEq)]
struct Answer {
    title: String,
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Answer {
    /// The numbers in a column, by the text in another one. Rows without the text are left out.
    fn numbers(&self, key: &str, number: &str) -> BTreeMap<String, i64> {
        let at = |name: &str| self.columns.iter().position(|column| column == name).expect(name);
        let (key, number) = (at(key), at(number));
        let pair = |row: &Vec<Value>| Some((row[key].as_str()?.to_owned(), row[number].as_i64()?));
        self.rows.iter().filter_map(pair).collect()
    }
}

/// Asks all questions of docs/sql.md.
fn ask(python: &Path, database: &str, directory: &Path) -> Vec<Answer> {
    ask_those_of(&root().join("docs/sql.md"), python, database, directory)
}

fn ask_those_of(document: &Path, python: &Path, database: &str, directory: &Path) -> Vec<Answer> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sql/answers.py");
    let output = Command::new(python).arg(script).arg(database).arg(directory).arg(document).output().unwrap();
    assert!(output.status.success(), "{database}: {}", text(&output.stderr));
    let answer = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let rows = line["rows"].as_array().unwrap();
        Answer {
            title: line["title"].as_str().unwrap().to_owned(),
            columns: line["columns"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect(),
            rows: rows.iter().map(|row| row.as_array().unwrap().clone()).collect(),
        }
    };
    text(&output.stdout).lines().map(answer).collect()
}

/// Opens files, looks for some in vain, makes some, fails, talks to itself, and ends.
const SCRIPT: &str = "cat a a a | cat > b; cat b nothing nothing nothing nothing nothing nothing nothing nothing nothing nothing nothing nothing; ls -l /proc/self/fd > c; \
     /usr/bin/python3 -c 'from socket import *; s = create_server((\"127.0.0.1\", 0)); c = create_connection(s.getsockname()); \
     c.sendall(b\"hello\"); print(s.accept()[0].recv(9))'; (exit 3); (kill -9 $$) & wait; rm c; exec sleep 0";

/// True if waits can be measured.
fn measures_waits() -> bool {
    stride_engine_ebpf::available().is_ok()
}

/// Two runs, in `dir`. The second one makes more calls, and its calls have stacks, and waits where they can be measured. Returns the calls of both, from the
/// JSON of the same runs.
fn traced(scratch: &Scratch) -> Vec<Value> {
    std::fs::write(scratch.path("a"), "hostile\n".repeat(125_000)).unwrap();
    let script = SCRIPT.replace("(kill -9 $$)", "(kill -9 $(sh -c 'echo $PPID'))");
    let mut calls = Vec::new();
    for (options, more) in [(&[][..], ""), (&["-k"], "ls -l nowhere; ")] {
        let mut args = vec!["-f", "--json", "--parquet=dir"];
        args.extend(options);
        if !options.is_empty() && measures_waits() {
            args.extend(["--engine=ebpf", "--waits"]);
        }
        let script = format!("{more}{script}");
        args.extend(["sh", "-c", &script]);
        let run = scratch.stride(args);
        assert!(run.err.contains(": dir: "), "{run:?}");
        let lines = run.trace.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        calls.extend(lines.filter(|line| line["type"] == "call"));
    }
    calls
}

/// Counts the calls of which something is true, by a text.
fn counted<'a>(
    calls: &'a [Value],
    holds: impl Fn(&Value) -> bool,
    key: impl Fn(&'a Value) -> &'a Value,
) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for call in calls.iter().filter(|call| holds(call)) {
        if let Some(key) = key(call).as_str() {
            *counts.entry(key.to_owned()).or_default() += 1;
        }
    }
    counts
}

/// Every pair of an answer is as counted, and none of the largest is missing.
#[track_caller]
fn agree(answer: &BTreeMap<String, i64>, counted: &BTreeMap<String, i64>) {
    assert!(!answer.is_empty());
    for (key, number) in answer {
        assert_eq!(counted.get(key), Some(number), "{key}");
    }
    if answer.len() < 20 {
        assert_eq!(answer.len(), counted.len(), "{answer:?} {counted:?}");
    }
}

#[test]
fn duckdb_answers_the_questions() {
    let python = or_skip!(python::with("duckdb"));
    need!("/usr/bin/python3");
    let scratch = Scratch::new("duckdb");
    let calls = traced(&scratch);
    let answers = ask(&python, "duckdb", &scratch.path("dir"));
    assert_eq!(answers.len(), QUESTIONS);
    for answer in &answers {
        let has_rows = measures_waits() || !answer.title.starts_with(&format!("{ABOUT_WAKERS}. "));
        assert_eq!(!answer.rows.is_empty(), has_rows, "{}", answer.title);
    }
    // All but the last, which is about arguments, have a number.
    for (i, answer) in answers[..QUESTIONS - 1].iter().enumerate() {
        assert!(answer.title.starts_with(&format!("{}. ", i + 1)), "{}", answer.title);
    }
    let answer = |number: usize| &answers[number - 1];
    let is = |call: &Value, name: &str| call["name"] == name;
    let opens = |call: &Value| is(call, "openat") && call["outcome"] == "ok";
    agree(&answer(1).numbers("path", "opens"), &counted(&calls, opens, |call| &call["path"]));
    agree(&answer(3).numbers("name", "calls"), &counted(&calls, |_| true, |call| &call["name"]));
    let mut times = BTreeMap::<String, i64>::new();
    for call in &calls {
        *times.entry(call["name"].as_str().unwrap().to_owned()).or_default() +=
            call["duration_ns"].as_i64().unwrap_or(0);
    }
    agree(&answer(3).numbers("name", "time_ns"), &times);

    // The path of a failed call is the one that it names.
    let of_error = |call: &Value| call["outcome"] == "error" && call["error"]["name"] == "ENOENT" && is(call, "openat");
    let missing = counted(&calls, of_error, |call| &call["path"]);
    let nothing = scratch.path("nothing").display().to_string();
    assert_eq!(missing[&nothing], 2 * 12);
    let sought = answer(15).numbers("directory", "misses");
    let here = scratch.path("").display().to_string();
    let in_vain = |call: &Value| {
        let path = call["path"].as_str().unwrap_or_default();
        call["error"]["name"] == "ENOENT" && Path::new(path).parent() == Some(Path::new(here.trim_end_matches('/')))
    };
    assert_eq!(sought[here.trim_end_matches('/')], calls.iter().filter(|call| in_vain(call)).count() as i64);

    // cat has written the file b, three times the file a in each run.
    let read = answer(6).numbers("path", "read_bytes");
    assert_eq!(read[&scratch.path("a").display().to_string()], 2 * 3 * 1_000_000);
    let written: i64 = answer(5).rows.iter().filter(|row| row[2] == "cat").map(|row| row[3].as_i64().unwrap()).sum();
    let by_json = |call: &&Value| is(call, "write") && call["comm"] == "cat";
    let by_json: i64 = calls.iter().filter(by_json).filter_map(|call| call["ret"].as_i64()).sum();
    assert_eq!(written, by_json);

    // Each run has its own port. All clients of a port are one.
    let peers = answer(7).numbers("peer", "moved");
    assert!(
        peers.iter().filter(|(peer, moved)| peer.starts_with("127.0.0.1:") && **moved == 5).count() >= 2,
        "{peers:?}"
    );
    let callers = answer(8).numbers("module", "calls");
    assert!(callers.keys().any(|module| module.contains("/bin/")), "{callers:?}");
    // The second run made the calls of another ls.
    let differ = answer(9).numbers("name", "latest_calls");
    assert!(answer(9).rows.iter().all(|row| row[1] != row[2]) && differ.contains_key("execve"), "{differ:?}");
    let runs = answer(11).numbers("exe", "runs");
    assert!(runs.iter().any(|(exe, runs)| exe.ends_with("/cat") && *runs == 6), "{runs:?}");
    let failed: Vec<String> = answer(12).rows.iter().map(|row| format!("{} {} {}", row[3], row[5], row[6])).collect();
    let of = |what: &str| failed.iter().filter(|row| *row == what).count();
    assert_eq!(
        (of("\"sh\" 3 null"), of("\"cat\" 1 null"), of("\"ls\" 2 null"), of("\"sh\" null \"SIGKILL\"")),
        (2, 2, 1, 2),
        "{failed:?}"
    );
    let complete: i64 = answer(14).rows.iter().map(|row| row[2].as_i64().unwrap()).sum();
    assert_eq!((answer(14).rows.len(), complete), (2, calls.len() as i64));
    let seconds: i64 = answer(10).rows.iter().map(|row| row[1].as_i64().unwrap()).sum();
    assert_eq!(seconds, calls.len() as i64);
    let made = |call: &Value| {
        let set = call["args"]["flags"]["set"].as_array();
        opens(call) && set.is_some_and(|set| set.iter().any(|flag| flag == "O_CREAT"))
    };
    agree(&answer(QUESTIONS).numbers("path", "opens"), &counted(&calls, made, |call| &call["path"]));
    let removed = |call: &Value| is(call, "unlinkat") && call["outcome"] == "ok";
    agree(&answer(19).numbers("path", "calls"), &counted(&calls, removed, |call| &call["path"]));
    waits_are_answered(answer(ABOUT_WAKERS), answer(ABOUT_WAKERS + 1), &calls);
}

/// The sleeps by their wakers, and the times that make up a thread's time.
fn waits_are_answered(by_waker: &Answer, by_thread: &Answer, calls: &[Value]) {
    if measures_waits() {
        let mut sleeps = BTreeMap::<String, i64>::new();
        for call in calls {
            let kinds = ["blocked", "disk", "stopped"].map(|kind| call["waits"]["in_call"][kind].as_i64().unwrap_or(0));
            let waker = &call["waits"]["waker"];
            let by = waker["comm"].as_str().or(waker["interrupt"].as_str()).unwrap_or("-");
            let key = [
                call["comm"].as_str().unwrap(),
                call["name"].as_str().unwrap(),
                by,
                waker["call"].as_str().unwrap_or("-"),
            ];
            *sleeps.entry(key.join(" ")).or_default() += kinds.iter().sum::<i64>();
        }
        let mut answered = BTreeMap::<String, i64>::new();
        for row in &by_waker.rows {
            let key: Vec<&str> = [0, 1, 3, 4].map(|i| row[i].as_str().unwrap_or("-")).into();
            *answered.entry(key.join(" ")).or_default() += row[6].as_i64().unwrap();
        }
        for (key, time) in &answered {
            // A row that is beyond the limit may have the rest.
            let is_cut = by_waker.rows.len() == 20 && *time < sleeps[key];
            assert!(is_cut || *time == sleeps[key], "{key}: {time} of {}", sleeps[key]);
        }
        // The shell waited for a child, which ended the wait as it ended.
        let is_of = |row: &Vec<Value>| row[1] == "wait4" && row[2] == "child" && row[4] == "exit_group";
        assert!(by_waker.rows.iter().any(is_of), "{by_waker:?}");
    }
    assert_eq!(by_thread.columns[4..].len(), 7);
    for row in &by_thread.rows {
        let times: Vec<i64> = row[4..].iter().map(|time| time.as_i64().unwrap()).collect();
        assert_eq!(times[0], times[1..].iter().sum::<i64>(), "{row:?}");
        assert!(times.iter().all(|time| *time >= 0), "{row:?}");
    }
}

#[test]
fn spark_gives_the_same_answers() {
    need!("/usr/bin/java", "/usr/bin/python3");
    let duckdb = or_skip!(python::with("duckdb"));
    let spark = or_skip!(python::with("pyspark"));
    let scratch = Scratch::new("spark");
    traced(&scratch);
    let (expected, answers) =
        (ask(&duckdb, "duckdb", &scratch.path("dir")), ask(&spark, "spark", &scratch.path("dir")));
    assert_eq!(answers.len(), QUESTIONS);
    for (answer, expected) in answers.iter().zip(&expected) {
        assert_eq!(answer, expected);
    }
}
