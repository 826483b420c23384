//! The times of `--waits` against those that perf(1) gives of the same run, from the scheduler's tracepoints.

mod common;

use common::*;
use nix::sys::signal::Signal;
use serde_json::Value;
use std::collections::HashMap;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The times of a thread without a CPU, in nanoseconds.
#[derive(Default, Clone, Copy, Debug)]
struct Off {
    asleep: i64,
    runnable: i64,
}

/// From the first call of each thread to the return of its last.
type Spans = HashMap<i64, (i64, i64)>;

fn by_stride(json: &str) -> (Spans, HashMap<i64, Off>) {
    let (mut spans, mut times) = (Spans::new(), HashMap::<i64, Off>::new());
    let calls = json.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    for call in calls.filter(|object| object["type"] == "call") {
        let (tid, start) = (call["tid"].as_i64().unwrap(), call["start_ns"].as_i64().unwrap());
        let end = start + call["duration_ns"].as_i64().unwrap_or(0);
        let span = spans.entry(tid).or_insert((start, end));
        span.1 = span.1.max(end);
        let off = times.entry(tid).or_default();
        for place in ["in_call", "before"] {
            let sum = |kinds: &[&str]| kinds.iter().filter_map(|kind| call["waits"][place][kind].as_i64()).sum::<i64>();
            off.asleep += sum(&["blocked", "disk", "stopped"]);
            off.runnable += sum(&["runnable", "throttled"]);
        }
    }
    (spans, times)
}

/// The number behind `name=` in an event's text.
fn number(text: &str, name: &str) -> Option<i64> {
    let (_, rest) = text.rsplit_once(&format!(" {name}="))?;
    rest.split(' ').next()?.parse().ok()
}

/// `3731.584086431`, in nanoseconds.
fn moment(text: &str) -> Option<i64> {
    let (seconds, rest) = text.split_once('.')?;
    Some(seconds.parse::<i64>().ok()? * 1_000_000_000 + rest.parse::<i64>().ok()?)
}

/// The same from the events of perf, within the spans.
fn by_perf(events: &str, spans: &Spans) -> HashMap<i64, Off> {
    // Threads without a CPU: whether they are asleep, and since when.
    let mut off: HashMap<i64, (bool, i64)> = HashMap::new();
    let mut times = HashMap::<i64, Off>::new();
    for line in events.lines() {
        let Some((before, event)) = line.split_once(": ") else { continue };
        let Some(at) = before.split_whitespace().last().and_then(moment) else { continue };
        let mut add = |tid: i64, (asleep, since): (bool, i64)| {
            let Some(&(first, last)) = spans.get(&tid) else { return };
            let time = (at.min(last) - since.max(first)).max(0);
            let its = times.entry(tid).or_default();
            *(if asleep { &mut its.asleep } else { &mut its.runnable }) += time;
        };
        if event.contains("sched_switch:") {
            let (Some(from), Some(to)) = (number(event, "prev_pid"), number(event, "next_pid")) else { continue };
            off.insert(from, (!event.contains(" prev_state=R"), at));
            if let Some(state) = off.remove(&to) {
                add(to, state);
            }
        } else if let Some(tid) = number(event, "pid")
            && let Some(state) = off.get(&tid).copied().filter(|(asleep, _)| *asleep)
        {
            add(tid, state);
            off.insert(tid, (false, at));
        }
    }
    times
}

fn perf(scratch: &Scratch) -> Command {
    let mut perf = Command::new("perf");
    perf.current_dir(scratch.path("")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    perf
}

/// Records what the scheduler does, from before this returns until the child gets SIGINT.
fn recording(scratch: &Scratch) -> Result<Killed, String> {
    let events = ["sched_switch", "sched_wakeup", "sched_wakeup_new"].map(|event| format!("--event=sched:{event}"));
    let mut perf = perf(scratch);
    perf.args(["record", "--all-cpus", "--mmap-pages=4096", "--clockid=CLOCK_MONOTONIC", "--output=perf.data"]);
    let child = perf.args(events).spawn();
    let mut child: Child = child.map_err(|why| format!("the perf command does not run: {why}"))?;
    // (Nothing tells that all events are on.)
    std::thread::sleep(Duration::from_millis(1500));
    match child.try_wait().unwrap() {
        None => Ok(Killed(child)),
        Some(status) => Err(format!("perf record does not run here: {status}")),
    }
}

/// The ways in which the program waits.
const WAYS: [&str; 4] = ["pipe", "lock", "hog", "timer"];

#[test]
fn times_are_those_of_the_schedulers_tracepoints() {
    need_ebpf!();
    let program = program!("waits").to_str().unwrap().to_string();
    let mut compared = 0;
    for way in WAYS {
        let scratch = Scratch::new("waits-by-perf");
        let mut recording = match recording(&scratch) {
            Ok(recording) => recording,
            Err(why) => skip!("{why}"),
        };
        let run = scratch.stride(["--engine=ebpf", "--waits", "-f", "--json", &program, way]);
        send(&recording, Signal::SIGINT);
        recording.0.wait().unwrap();
        let mut script = perf(&scratch);
        let script =
            script.args(["script", "--input=perf.data", "--show-lost-events", "--ns", "--fields=tid,time,event,trace"]);
        let events = text(&script.stdout(Stdio::piped()).output().unwrap().stdout);
        if events.contains("PERF_RECORD_LOST") {
            println!("perf lost events of {way}");
            continue;
        }
        let (spans, ours) = by_stride(&run.trace);
        for (tid, theirs) in by_perf(&events, &spans) {
            let ours = ours[&tid];
            // Each of the waits begins and ends some microseconds earlier or later, because the two look at neighbouring places.
            let agree = |ours: i64, theirs: i64| (ours - theirs).abs() <= theirs / 50 + 2_000_000;
            assert!(
                agree(ours.asleep, theirs.asleep) && agree(ours.runnable, theirs.runnable),
                "{way}, thread {tid}: {ours:?}, by perf {theirs:?}\n{run:?}"
            );
            compared += usize::from(theirs.asleep + theirs.runnable > 100_000_000);
        }
    }
    if compared == 0 {
        skip!("perf record loses events here");
    }
}
