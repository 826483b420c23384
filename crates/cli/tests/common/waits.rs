//! Waits that a program knows of itself (`tests/programs/waits.c`), and those that Stride shows.

use super::{Killed, send, state, wait_until, wait_until_inside};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A wait as the program tells it: its thread, its waker (0: an interrupt), and the bounds of its time in nanoseconds.
pub struct Known {
    pub tid: u64,
    pub waker: u64,
    pub least: i64,
    pub most: i64,
}

pub fn known(out: &str) -> Vec<Known> {
    let line = |line: &str| {
        let words: Vec<i64> = line.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
        Known { tid: words[0] as u64, waker: words[1] as u64, least: words[2], most: words[3] }
    };
    out.lines().map(line).collect()
}

pub fn calls(json: &str) -> Vec<Value> {
    let objects = json.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    objects.filter(|object| object["type"] == "call").collect()
}

pub fn time(call: &Value, place: &str, kinds: &[&str]) -> i64 {
    kinds.iter().map(|kind| call["waits"][place][kind].as_i64().unwrap_or(0)).sum()
}

pub const ASLEEP: [&str; 3] = ["blocked", "disk", "stopped"];
pub const ALL: [&str; 5] = ["blocked", "disk", "stopped", "runnable", "throttled"];

/// The call is `wait`. Before a thread sleeps in the call, and when it is ended, it may wait for a CPU on a busy machine.
pub fn is_wait(call: &Value, wait: &Known, name: &str, woken_in: Option<&str>) -> bool {
    let waker = &call["waits"]["waker"];
    let by = match woken_in {
        Some(inside) => waker["tid"] == wait.waker && waker["call"] == inside,
        None => waker["interrupt"] == "timer",
    };
    let slack = wait.least / 50;
    let (asleep, all) = (time(call, "in_call", &ASLEEP), time(call, "in_call", &ALL));
    call["tid"] == wait.tid && call["name"] == name && by && asleep <= wait.most && all >= wait.least - slack
}

/// How many of the waits are found, each in a call of its own.
pub fn found(waits: &[Known], calls: &[Value], is: impl Fn(&Value, &Known) -> bool) -> usize {
    let mut left: Vec<&Value> = calls.iter().collect();
    let mut found =
        |wait: &&Known| left.iter().position(|call| is(call, wait)).map(|place| left.remove(place)).is_some();
    waits.iter().filter(|wait| found(wait)).count()
}

/// Some waits of a busy machine are not as the program means them: the thread that should wait loses its CPU before it begins to.
pub fn most_of(waits: usize) -> usize {
    waits * 7 / 10
}

/// A `cat` that tracing leaves in a read(2).
#[derive(Debug)]
pub struct Left {
    /// The messages of Stride.
    pub said: String,
    pub cat: i32,
    /// For how long the read had waited by then, at least and at most, in nanoseconds.
    pub least: i64,
    pub most: i64,
}

/// Has this Stride attach to a `cat` of the user, which reads twice, and ends tracing in the second read.
pub fn left_in_read(mut stride: Command, user: u32) -> Left {
    let mut cat = Command::new("cat");
    cat.uid(user).gid(user).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut cat = Killed(cat.spawn().unwrap());
    wait_until_inside(cat.tid(), libc::SYS_read);
    let mut stride = Killed(stride.arg("-p").arg(cat.tid().to_string()).stderr(Stdio::piped()).spawn().unwrap());
    let mut output = BufReader::new(stride.0.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("attached") {
        assert!(output.read_line(&mut said).unwrap() > 0, "{said}");
    }
    let before = Instant::now();
    cat.0.stdin.as_mut().unwrap().write_all(b"x\n").unwrap();
    cat.0.stdout.as_mut().unwrap().read_exact(&mut [0; 2]).unwrap();
    wait_until_inside(cat.tid(), libc::SYS_read);
    // (ptrace stops it there first.)
    wait_until("it sleeps", || state(cat.tid()) == Some('S'));
    let inside = Instant::now();
    assert!(Command::new("sleep").arg("0.1").status().unwrap().success());
    let least = inside.elapsed().as_nanos() as i64;
    send(&stride, Signal::SIGINT);
    output.read_to_string(&mut said).unwrap();
    stride.0.wait().unwrap();
    Left { said, cat: cat.tid(), least, most: before.elapsed().as_nanos() as i64 }
}

impl Left {
    /// The text says for how long the thread slept.
    #[track_caller]
    pub fn is_told(&self, text: &str) {
        let told = regex::Regex::new(r" <detached \.\.\.> <blocked ([0-9]+)\.([0-9]{6}) so far[,>]").unwrap();
        let told = told.captures(text).unwrap_or_else(|| panic!("{text}"));
        let number = |i: usize| told[i].parse::<i64>().unwrap();
        let asleep = (number(1) * 1_000_000 + number(2)) * 1_000;
        assert!(asleep + 1_000 >= self.least && asleep <= self.most, "{} to {}: {text}", self.least, self.most);
    }
}
