//! A number of a descriptor means the file that it has at that moment, however it was given to another file before:
//! live and replayed, in text and in JSON.

mod common;

use common::*;
use serde_json::Value;

const CALLS: &str = "trace=desc,process,socket,clone,lseek,close_range";

/// The descriptors in the order of the seeks: as the kernel knows them, and as the calls tell them.
fn expected(printed: &str) -> (Vec<String>, Vec<String>) {
    let words = printed.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    words.map(|words| (format!("{} {}", words[0], words[1]), format!("{} {}", words[0], words[2]))).unzip()
}

/// The last part of a path. All sockets are alike.
fn short(name: &str) -> &str {
    match name {
        _ if name.contains("socket") => "socket",
        _ => name.rsplit('/').next().unwrap_or_default(),
    }
}

/// The descriptors of all calls of lseek(2) in a trace.
fn in_text(trace: &str) -> Vec<String> {
    let pattern = regex::Regex::new(r"lseek\((\d+)(?:<([^>]*(?:->[^>]*)*)>)?,").unwrap();
    let found = trace.lines().filter_map(|line| pattern.captures(line));
    found.map(|line| format!("{} {}", &line[1], line.get(2).map_or("-", |name| short(name.as_str())))).collect()
}

fn in_json(trace: &str) -> Vec<String> {
    let objects = trace.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let seeks = objects.filter(|object| object["name"] == "lseek");
    let names = seeks.map(|object| {
        let fd = &object["args"]["fd"];
        let name = ["path", "socket", "object"].iter().find_map(|key| fd[*key].as_str());
        let is_socket = fd["socket"].is_string();
        format!("{} {}", fd["fd"], if is_socket { "socket" } else { name.map_or("-", short) })
    });
    names.collect()
}

/// dup2(2) names three files: the new number has another one before the call than after it.
fn has_both_meanings(trace: &str) {
    let pattern = regex::Regex::new(r"dup2\(4<[^>]*/other>, 3<[^>]*/three>\) += 3<[^>]*/other>").unwrap();
    assert!(pattern.is_match(trace), "{}", trace.lines().filter(|line| line.contains("dup2(")).collect::<String>());
}

/// Each line is the one expected. (Two whole lists would be unreadable.)
#[track_caller]
fn are(seen: &[String], expected: &[String], what: &str) {
    let differs = seen.iter().zip(expected).position(|(seen, expected)| seen != expected);
    let at = differs.unwrap_or(seen.len().min(expected.len()));
    assert_eq!(seen.get(at), expected.get(at), "{what}, line {at} of {}", expected.len());
}

#[test]
fn the_number_means_the_file_of_the_moment() {
    let program = program!("reused");
    for engine in engines() {
        let scratch = Scratch::new(&format!("reused{engine}"));
        let program = program.to_str().unwrap();
        let run = scratch.stride([engine, "-f", "-y", "-e", CALLS, program]);
        let (live, message) = expected(&run.out);
        assert!(live.len() > 400 && run.code() == Some(0), "{run:?}");
        are(&in_text(&run.trace), &live, &format!("{engine} live"));
        has_both_meanings(&run.trace);

        let run = scratch.stride([engine, "-f", "--json", "--record=rec", program]);
        are(&in_json(&run.trace), &message, &format!("{engine} JSON"));
        let again = scratch.replay(&["--json"]);
        are(&in_json(&again.out), &message, &format!("{engine} replayed JSON"));
        let again = scratch.replay(&["-y"]);
        are(&in_text(&again.out), &message, &format!("{engine} replayed"));
        has_both_meanings(&again.out);
    }
}

/// A recording with the files of descriptors shows what the live trace showed.
#[test]
fn a_recording_shows_the_same() {
    let program = program!("reused");
    for engine in engines() {
        let scratch = Scratch::new(&format!("reused-recorded{engine}"));
        let run = scratch.stride([engine, "-f", "-y", "--record=rec", program.to_str().unwrap()]);
        let (live, _) = expected(&run.out);
        are(&in_text(&run.trace), &live, &format!("{engine} live"));
        let again = scratch.replay(&["-y"]);
        are(&in_text(&again.out), &live, &format!("{engine} replayed"));
        has_both_meanings(&again.out);
    }
}
