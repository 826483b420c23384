//! `-c`, `-C` and `--by`.

use crate::common::*;
use crate::schema::*;
use serde_json::Value;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

/// Objects that fit the schema, and the number of each kind.
#[track_caller]
fn summarised(output: &str) -> (Vec<Value>, Value) {
    let mut rows: Vec<Value> = output.lines().map(|line| serde_json::from_str::<Unique>(line).unwrap().0).collect();
    for object in &rows {
        if let Some(error) = SCHEMA.iter_errors(object).next() {
            panic!("{}: {error}\n{object}", error.instance_path());
        }
    }
    let total = rows.pop().unwrap();
    assert_eq!(total["type"], "summary_total", "{output}");
    (rows, total)
}

#[test]
fn summaries() {
    need!("/bin/cat");
    // A newline, an escape sequence, quotes, and a byte that is not UTF-8.
    let name = OsStr::from_bytes(b"x\n\x1b[2J\"\xff");
    for engine in engines() {
        let scratch = Scratch::new(&format!("json-summaries{engine}"));
        let file = scratch.path("").join(name);
        std::fs::write(&file, "abc").unwrap();
        for by in ["syscall", "path", "directory,fd", "errno,pid,tid", "comm,size", "peer,path"] {
            let by = format!("--by={by}");
            let args = [engine, "--record=rec", "--json", "-w", &by, "/bin/cat"].map(OsStr::new).to_vec();
            let run = scratch.stride([args, vec![file.as_os_str()]].concat());
            let (rows, total) = summarised(&run.trace);
            assert!(rows.iter().all(|row| row["type"] == "summary"), "{engine} {by}");
            assert_eq!(total["rows"], rows.len());
            let sum = |key: &str| rows.iter().map(|row| row[key].as_u64().unwrap()).sum::<u64>();
            for key in ["calls", "errors", "bytes"] {
                assert_eq!(total[key], sum(key), "{engine} {by} {key}");
            }
            assert!(total["wall_ns"]["p50"].as_u64() <= total["wall_ns"]["p99"].as_u64(), "{total}");
            assert!(total["wall_ns"]["p99"].as_u64() > Some(0), "{total}");
            let mut again = Command::new(STRIDE);
            again.args(["--replay=rec", "--json", "-w", &by]).current_dir(scratch.path(""));
            let (replayed, _) = summarised(&Run::of(again).out);
            let counts = |rows: &[Value]| {
                let mut counts: Vec<String> = rows
                    .iter()
                    .map(|row| format!("{} {} {} {}", row["by"], row["calls"], row["errors"], row["bytes"]))
                    .collect();
                counts.sort();
                counts
            };
            assert_eq!(counts(&replayed), counts(&rows), "{engine} {by}");
        }
        let table = scratch.stride(
            [engine, "--by=path,syscall", "--json", "/bin/cat"].map(OsStr::new).into_iter().chain([file.as_os_str()]),
        );
        let (rows, _) = summarised(&table.trace);
        let read = rows.iter().find(|row| row["by"]["syscall"] == "read" && row["bytes"] == 3).unwrap();
        assert!(read["by"]["path"].as_str().unwrap().ends_with("/x\n\u{1b}[2J\"\u{fffd}"), "{read}");
        assert!(read["by"]["path_hex"].as_str().unwrap().ends_with("ff"), "{read}");
        // The calls and their end come first.
        let both = scratch.stride([engine, "-C", "--by=errno", "--json", "/bin/true"]);
        let (objects, total) = summarised(&both.trace);
        let end = objects.iter().position(|object| object["type"] == "end").unwrap();
        assert!(objects[end + 1..].iter().all(|object| object["type"] == "summary") && end + 1 < objects.len());
        assert_eq!(objects[end]["errors"], total["errors"]);
    }
}
