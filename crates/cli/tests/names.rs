//! The names of programs and the start of their run: the same in every view, live and replayed, whatever filters leave
//! out.

mod common;
#[path = "../../output/tests/perfetto/reader.rs"]
#[allow(dead_code)]
mod reader;
#[path = "../../output/tests/perfetto/schema.rs"]
mod schema;

use common::*;
use nix::sys::signal::Signal;
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::{Command, Stdio};

/// Filters that leave out execve(2), or all calls that name a thread.
const FILTERS: [&[&str]; 6] = [
    &["-e", "trace=write"],
    &["-e", "trace=openat,write", "-z"],
    &["-e", "trace=!execve,prctl"],
    &["-Z"],
    &["--trace-fds=1"],
    &["-P", "/dev/null"],
];

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

fn comms(objects: &[Value]) -> BTreeSet<String> {
    objects.iter().filter_map(|o| Some(o.get("comm")?.as_str()?.to_owned())).collect()
}

#[test]
fn names_are_known_whatever_is_filtered() {
    // A shell that keeps its name and runs two programs.
    let script = "echo a; /usr/bin/env true; ls /dev/null; echo b";
    for engine in engines() {
        for filter in FILTERS {
            let what = format!("{engine} {filter:?}");
            let scratch = Scratch::new("names-filtered");
            let options = ["--json", "--record=rec", "--html=page.html", "-f"];
            let run = scratch.stride([&[*engine], filter, &options, &["sh", "-c", script]].concat());
            assert_eq!(run.code(), Some(0), "{what} {run:?}");
            let live = objects(&run.trace);
            let expected: BTreeSet<String> = ["sh", "true", "ls"].map(String::from).into();
            let unnamed = comms(&live).difference(&expected).cloned().collect::<Vec<_>>();
            assert!(unnamed.iter().all(|name| name == "env"), "{what}: {unnamed:?}");
            assert!(comms(&live).is_superset(&expected), "{what}: {:?}", comms(&live));
            // Filtered calls stay hidden.
            let execs = live.iter().filter(|o| o["name"] == "execve" && o["outcome"] == "ok").count();
            assert!(execs == 0 || filter[0] == "-P", "{what}");

            let again = scratch.replay(&["--json"]);
            assert_eq!((again.code(), again.err.as_str()), (Some(0), ""), "{what}");
            let again = objects(&again.out);
            assert_eq!(live[1..], again[1..], "{what}");

            let live = scratch.page_data();
            assert!(live["title"].as_str().unwrap().starts_with("sh -c"), "{what}: {}", live["title"]);
            std::fs::remove_file(scratch.path("page.html")).unwrap();
            assert_eq!(scratch.replay(&["--html=page.html"]).code(), Some(0));
            let again = scratch.page_data();
            for name in ["title", "processes", "timeline"] {
                assert_eq!(live[name], again[name], "{what}");
            }
        }
    }
}

/// The text of a filtered recording has only the requested calls.
#[test]
fn what_names_take_is_not_shown() {
    for engine in engines() {
        let scratch = Scratch::new("names-shown");
        let run = scratch.stride([engine, "-e", "trace=write", "--record=rec", "-c", "-f", "sh", "-c", "echo a; ls /"]);
        assert_eq!(run.code(), Some(0), "{run:?}");
        assert!(run.trace.contains("write") && !run.trace.contains("execve"), "{run:?}");
        let again = scratch.replay(&[]);
        assert!(again.out.contains("write(1") && !again.out.contains("execve"), "{again:?}");
        let again = scratch.replay(&["-c"]);
        assert!(again.out.contains("write") && !again.out.contains("execve"), "{again:?}");
    }
}

#[test]
fn a_run_begins_with_its_execve() {
    for engine in engines() {
        let scratch = Scratch::new("names-begin");
        let options = [engine, "--json", "--record=rec", "--html=page.html", "--perfetto=pf", "true"];
        let run = scratch.stride(options);
        assert_eq!(run.code(), Some(0), "{run:?}");
        let objects = objects(&run.trace);
        let found = |of: &str| objects.iter().find(|o| o["type"] == of).unwrap_or_else(|| panic!("{of}"));
        let at = |of: &str| found(of)["start_ns"].as_u64().unwrap();
        assert_eq!(found("call")["name"], "execve");
        assert_eq!((at("start"), found("start")["comm"].as_str()), (at("call"), Some("true")));
        let length = at("exit") - at("call");
        for replayed in [false, true] {
            if replayed {
                assert_eq!(scratch.replay(&["--html=page.html", "--perfetto=pf"]).code(), Some(0));
            }
            let page = scratch.page_data();
            assert_eq!(page["numbers"]["length"], length, "{engine}");
            assert_eq!(page["timeline"]["lanes"][0]["slices"][0], 0, "the first call begins where the run does");
            assert_eq!(page["processes"]["rows"][0]["from"], 0);
            let perfetto = reader::read(&std::fs::read(scratch.path("pf")).unwrap());
            let first = perfetto.calls().iter().map(|call| call.begin).min().unwrap();
            let began = perfetto.instants().iter().map(|instant| instant.begin).min().unwrap();
            assert_eq!((began, first), (at("call"), at("call")));
        }
        // Also without execve among the calls.
        let run = scratch.stride([engine, "--html=page.html", "-e", "trace=exit_group", "--json", "true"]);
        let start = serde_json::from_str::<Value>(run.trace.lines().nth(1).unwrap()).unwrap();
        let page = scratch.page_data();
        let mut exit = run.trace.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let exit = exit.rfind(|o| o["type"] == "exit").unwrap();
        let length = exit["start_ns"].as_u64().unwrap() - start["start_ns"].as_u64().unwrap();
        assert_eq!(page["numbers"]["length"], length);
    }
}

/// Threads that outlive tracing are named, too.
#[test]
fn lanes_of_what_lives_on_are_named() {
    for engine in engines() {
        let scratch = Scratch::new("names-lanes");
        let mut sleeps = [0, 1, 2].map(|_| Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap());
        let pids = sleeps.each_ref().map(|sleep| sleep.id().to_string()).join(",");
        let mut stride = Command::new(STRIDE);
        stride.args([engine, "--html=page.html", "-p", &pids]).current_dir(scratch.path(""));
        stride.stderr(std::fs::File::create(scratch.path("err")).unwrap());
        let mut stride = Killed(stride.spawn().unwrap());
        scratch.wait_attached(3);
        send(&stride, Signal::SIGINT);
        stride.0.wait().unwrap();
        for sleep in &mut sleeps {
            sleep.kill().unwrap();
            sleep.wait().unwrap();
        }
        let page = scratch.page_data();
        let lanes = page["timeline"]["lanes"].as_array().unwrap();
        assert_eq!(lanes.iter().map(|lane| &lane["name"]).collect::<Vec<_>>(), ["sleep"; 3], "{}", scratch.read("err"));
    }
}
