//! The times of `--waits` against those that perf(1) gives of the same run, from the scheduler's tracepoints.

mod common;

use common::*;
use nix::fcntl::OFlag;
use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
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
        // The time before the first call is not in the span.
        let places = if spans.contains_key(&tid) { &["in_call", "before"][..] } else { &["in_call"] };
        let span = spans.entry(tid).or_insert((start, end));
        span.1 = span.1.max(end);
        let off = times.entry(tid).or_default();
        for place in places {
            let sum =
                |kinds: &[&str]| kinds.iter().filter_map(|kind| call["waits"][*place][*kind].as_i64()).sum::<i64>();
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

/// The same from the events of perf, within the spans. `None`: events are missing. (perf does not always tell of these.)
fn by_perf(events: &str, spans: &Spans) -> Option<HashMap<i64, Off>> {
    // The thread on each CPU.
    let mut on: HashMap<&str, i64> = HashMap::new();
    // Threads without a CPU: whether they are asleep, and since when.
    let mut off: HashMap<i64, (bool, i64)> = HashMap::new();
    let mut times = HashMap::<i64, Off>::new();
    for line in events.lines() {
        let Some((before, event)) = line.split_once(": ") else { continue };
        let mut words = before.split_whitespace().rev();
        let (at, cpu) = (words.next().and_then(moment), words.next());
        let Some((at, cpu)) = at.zip(cpu) else { continue };
        let mut add = |tid: i64, (asleep, since): (bool, i64)| {
            let Some(&(first, last)) = spans.get(&tid) else { return };
            let time = (at.min(last) - since.max(first)).max(0);
            let its = times.entry(tid).or_default();
            *(if asleep { &mut its.asleep } else { &mut its.runnable }) += time;
        };
        if event.contains("sched_switch:") {
            let (Some(from), Some(to)) = (number(event, "prev_pid"), number(event, "next_pid")) else { continue };
            let is_ours = |tid| spans.get(&tid).is_some_and(|(first, last)| (*first..=*last).contains(&at));
            if on.insert(cpu, to).is_some_and(|before| before != from && (is_ours(before) || is_ours(from))) {
                return None;
            }
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
    Some(times)
}

fn perf(scratch: &Scratch) -> Command {
    let mut perf = Command::new("perf");
    perf.current_dir(scratch.path("")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    perf
}

/// Records what the scheduler does, from before this returns until the child gets SIGINT.
fn recording(scratch: &Scratch) -> Result<Killed, String> {
    let [control, answers] = ["control", "answers"].map(|name| fifo(&scratch.path(name)));
    let (mut control, mut answers) = (control?, answers?);
    let events = ["sched_switch", "sched_wakeup", "sched_wakeup_new"].map(|event| format!("--event=sched:{event}"));
    let mut perf = perf(scratch);
    perf.args(["record", "--all-cpus", "--mmap-pages=4096", "--clockid=CLOCK_MONOTONIC", "--output=perf.data"]);
    let child = perf.args(["--delay=-1", "--control=fifo:control,answers"]).args(events).spawn();
    let mut child = Killed(child.map_err(|why| format!("the perf command does not run: {why}"))?);
    control.write_all(b"enable\n").map_err(|why| why.to_string())?;
    // The answer says that all events are on.
    for _ in 0..3000 {
        if answers.read(&mut [0; 16]).is_ok_and(|len| len > 0) {
            return Ok(child);
        }
        if let Some(status) = child.0.try_wait().unwrap() {
            return Err(format!("perf record does not run here: {status}"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err("perf record does not answer".into())
}

/// A FIFO that is open at both ends, so that nobody waits for the other one.
fn fifo(path: &Path) -> Result<File, String> {
    let _ = std::fs::remove_file(path);
    nix::unistd::mkfifo(path, Mode::S_IRWXU).map_err(|why| why.to_string())?;
    let flags = OFlag::O_NONBLOCK.bits();
    File::options().read(true).write(true).custom_flags(flags).open(path).map_err(|why| why.to_string())
}

/// The ways in which the program waits.
const WAYS: [&str; 4] = ["pipe", "lock", "hog", "timer"];

/// The times of a run by both: those of threads that agree count, and the first that do not are told. `None`: perf lost events and says so.
fn compared(scratch: &Scratch, mut recording: Killed, program: &str, way: &str) -> Option<Result<usize, String>> {
    let run = scratch.stride(["--engine=ebpf", "--waits", "-f", "--json", program, way]);
    send(&recording, Signal::SIGINT);
    recording.0.wait().unwrap();
    let mut script = perf(scratch);
    let script = script.args(["script", "--input=perf.data", "--ns", "--fields=tid,cpu,time,event,trace"]);
    let events = text(&script.stdout(Stdio::piped()).output().unwrap().stdout);
    let (spans, ours) = by_stride(&run.trace);
    let theirs = by_perf(&events, &spans)?;
    let mut compared = 0;
    for (tid, theirs) in theirs {
        let ours = ours[&tid];
        // Each of the waits begins and ends some microseconds earlier or later, because the two look at neighbouring places.
        let agree = |ours: i64, theirs: i64| (ours - theirs).abs() <= theirs / 50 + 2_000_000;
        if !agree(ours.asleep, theirs.asleep) || !agree(ours.runnable, theirs.runnable) {
            return Some(Err(format!("{way}, thread {tid}: {ours:?}, by perf {theirs:?}\n{run:?}")));
        }
        compared += usize::from(theirs.asleep + theirs.runnable > 100_000_000);
    }
    Some(Ok(compared))
}

#[test]
fn times_are_those_of_the_schedulers_tracepoints() {
    need_ebpf!();
    let program = program!("waits").to_str().unwrap().to_string();
    let mut all = 0;
    for way in WAYS {
        // perf loses a whole sleep now and then, all of its events, which nothing tells. That does not happen to it each time.
        let mut differences = Vec::new();
        for _ in 0..3 {
            let scratch = Scratch::new("waits-by-perf");
            let recording = match recording(&scratch) {
                Ok(recording) => recording,
                Err(why) => skip!("{why}"),
            };
            match compared(&scratch, recording, &program, way) {
                None => println!("perf lost events of {way}"),
                Some(Err(difference)) => {
                    differences.push(difference);
                    continue;
                }
                Some(Ok(threads)) => all += threads,
            }
            differences.clear();
            break;
        }
        assert!(differences.is_empty(), "{differences:#?}");
    }
    if all == 0 {
        skip!("perf record loses events here");
    }
}
