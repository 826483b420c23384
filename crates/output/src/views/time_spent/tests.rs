//! The report of made-up servers and processes.

use super::*;
use serde_json::Value;
use stride_event::{Call, Lost, Outcome, Tid};
use stride_test_support::calls::{call, exited, forked, lasting, spawned};

const MS: Ns = 1_000_000;

fn does(tid: Tid, name: &str, args: &[u64], value: i64, from: Ns, to: Ns) -> Call {
    lasting(call(tid, name, args, Outcome::Value(value)), from * MS, (to - from) * MS)
}

/// A server answers its only request after 40 ms, and then has a child that sleeps.
fn report(by: TimeBy, json: bool, partial: bool) -> String {
    let server = [
        does(7, "socket", &[2, 1, 0], 3, 1, 2),
        does(7, "accept", &[3, 0, 0], 4, 10, 30),
        does(7, "nanosleep", &[0, 0], 0, 40, 65),
        does(7, "sendto", &[4, 0x1000, 10], 10, 65, 70),
    ];
    let child = does(8, "nanosleep", &[0, 0], 0, 80, 110);
    let mut events = vec![spawned(7, 1)];
    events.extend(server.iter().map(Event::Exit));
    events.extend([forked(7, 8, 8, 75 * MS), Event::Exit(&child), exited(8, 115 * MS), exited(7, 120 * MS)]);
    let info = RunInfo { partial, ..RunInfo::default() };
    let (mut tracker, mut view) = (Tracker::default(), TimeView::new(by, json, &info));
    for event in &events {
        tracker.event(event, &());
        view.event(event, &tracker);
    }
    view.finish(&End { tracker: &tracker, lost: Lost::default(), with_source: &std::sync::Arc::clone })
}

#[test]
fn each_owner_has_its_parts() {
    assert_eq!(
        report(TimeBy::Process, false, false),
        "Where the time of each process went:\n\n\
         [7], 120 ms:\n\
         \x20    57%   69.0 ms  between its calls\n\
         \x20    21%   25.0 ms  in nanosleep\n\
         \x20    17%   20.0 ms  in accept on TCP socket\n\
         \x20   4.2%   5.00 ms  in sendto on TCP socket ← clients\n\
         \x20   0.8%   1.00 ms  in socket\n\n\
         [8], 40.0 ms:\n\
         \x20    75%   30.0 ms  in nanosleep\n\
         \x20    25%   10.0 ms  between its calls\n"
    );
    let threads = report(TimeBy::Thread, false, true);
    assert!(threads.starts_with("Where the time of each thread went:\n\n[7], 120 ms:\n"), "{threads}");
    assert!(threads.contains("  outside the traced calls\n"), "{threads}");
}

#[test]
fn requests_have_theirs() {
    assert_eq!(
        report(TimeBy::Request, false, false),
        "Where the time of requests went:\n\n\
         \x20on TCP socket ← clients: 1 request, 40.0 ms:\n\
         \x20    62%   25.0 ms  in nanosleep\n\
         \x20    25%   10.0 ms  between its calls\n\
         \x20    12%   5.00 ms  in sendto on TCP socket ← clients\n"
    );
}

#[test]
fn objects_add_up() {
    for by in TimeBy::ALL {
        for line in report(by, true, false).lines() {
            let object: Value = serde_json::from_str(line).unwrap();
            assert_eq!((&object["type"], &object["of"]), (&"time_spent".into(), &by.name().into()));
            let parts = object["parts"].as_array().unwrap();
            let sum: u64 = parts.iter().map(|part| part["time_ns"].as_u64().unwrap()).sum();
            assert_eq!(object["total_ns"].as_u64(), Some(sum), "{object}");
        }
    }
    let request: Value = serde_json::from_str(&report(TimeBy::Request, true, false)).unwrap();
    assert_eq!(request["longest"], serde_json::json!({"since_ns": 30 * MS, "tid": 7}));
    let numbers = ["requests", "unanswered", "max_ns"].map(|key| request[key].as_u64().unwrap());
    assert_eq!(numbers, [1, 0, 40 * MS]);
}

#[test]
fn without_requests_the_report_says_so() {
    let mut view = TimeView::new(TimeBy::Request, false, &RunInfo { partial: true, ..RunInfo::default() });
    let tracker = Tracker::default();
    let told = view.finish(&End { tracker: &tracker, lost: Lost::default(), with_source: &std::sync::Arc::clone });
    assert!(told.starts_with("No request was seen") && told.contains("filters"), "{told}");
}

/// A server answers 40 requests at once, but has to look at a file for two of them.
#[test]
fn the_slowest_requests_are_told_apart() {
    let report = |json| {
        let mut calls = vec![does(7, "socket", &[2, 1, 0], 3, 1, 2), does(7, "accept", &[3, 0, 0], 4, 3, 4)];
        for request in 0..40 {
            let at = 10 + 100 * request;
            calls.push(does(7, "recvfrom", &[4, 0x1000, 10], 10, at, at + 1));
            let slow = if matches!(request, 7 | 30) { 40 } else { 0 };
            (0..slow).for_each(|n| calls.push(does(7, "fsync", &[5], 0, at + 1 + n, at + 2 + n)));
            calls.push(does(7, "sendto", &[4, 0x1000, 10], 10, at + 1 + slow, at + 3 + slow));
        }
        let mut events = vec![spawned(7, 1)];
        events.extend(calls.iter().map(Event::Exit));
        let (mut tracker, mut view) = (Tracker::default(), TimeView::new(TimeBy::Request, json, &RunInfo::default()));
        for event in &events {
            tracker.event(event, &());
            view.event(event, &tracker);
        }
        view.finish(&End { tracker: &tracker, lost: Lost::default(), with_source: &std::sync::Arc::clone })
    };
    let text = report(false);
    assert!(
        text.ends_with(
            "   The slowest 2 requests (5.0%) took 42.0 ms each, and an ordinary one 2.00 ms (the middle half).\n\
             \x20  The difference of 40.0 ms:\n\
             \x20   100%  +40.0 ms  in fsync (40 times for each, never for an ordinary one)\n"
        ),
        "{text}"
    );
    let object: Value = serde_json::from_str(&report(true)).unwrap();
    let slowest = &object["slowest"];
    assert_eq!((&slowest["requests"], &slowest["mean_ns"]), (&2.into(), &(42 * MS).into()));
    assert_eq!(slowest["ordinary"]["mean_ns"], 2 * MS);
    let more = &slowest["more"][0];
    assert_eq!(
        (&more["call"], &more["time_ns"], &more["ordinary_ns"]),
        (&"fsync".into(), &(40 * MS).into(), &0.into())
    );
    assert_eq!((&more["times"], &more["ordinary_times"]), (&40.into(), &0.into()));
}
