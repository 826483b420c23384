//! Measures how many calls a second one core decodes and writes, and how many allocations a call makes once warm.
//!
//! `cargo bench -p stride-output` runs it. `-- NAME...` runs the named calls only, and `-- --lines` shows the output.
//! The calls are like those of an engine: their memory is copied by the capture plans of their rows. They are shown
//! whole, as the eBPF engine reports them, and in two parts, as the ptrace engine does.

use std::time::{Duration, Instant};
use stride_decode::Options;
use stride_event::{Call, Event, Limits, Outcome, Peek, Phase, capture};
use stride_output::{JsonView, Layout, RunInfo, Show, Sink, TextView, View};
use stride_syscalls::plan::Plan;
use stride_syscalls::{Abi, table};
use stride_track::Tracker;

/// The goals: calls a second over the whole mix, and allocations per call.
const GOAL: f64 = 2_000_000.0;
const CALLS: usize = 200_000;
const ROUNDS: usize = 5;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let mix: Vec<Call> =
        mix().into_iter().filter(|c| wanted.is_empty() || wanted.contains(&name(c).to_string())).collect();
    if std::env::args().any(|a| a == "--lines") {
        return show(&mut view(Box::new(std::io::stdout())), &mix, mix.len(), false);
    }
    for call in &mix {
        let rate = measure(std::slice::from_ref(call), false);
        println!("{:>12} {:>6.2} M/s", name(call), rate / 1e6);
    }
    let whole = measure(&mix, false);
    let parts = measure(&mix, true);
    println!(
        "{:>12} {:>6.2} M/s whole, {:.2} M/s in two parts (goal: {:.1})",
        "mix",
        whole / 1e6,
        parts / 1e6,
        GOAL / 1e6
    );

    let mut view = view(Box::new(std::io::sink()));
    show(&mut view, &mix, mix.len() * 16, false);
    show(&mut view, &mix, mix.len() * 16, true);
    let calls = mix.len() * 64;
    let info = allocation_counter::measure(|| show(&mut view, &mix, calls, false));
    println!("{:>12} {:>6.2} allocations a call", "warm", info.count_total as f64 / calls as f64);
    json(&mix);
}

/// The same calls as JSON, by a view without a tracker.
fn json(mix: &[Call]) {
    let sink = Sink::new("output", Box::new(std::io::sink()), false);
    let (info, show) = (RunInfo::default(), Show::default());
    let mut view = JsonView::new(&info, Options::default(), Box::new(()), show, false, sink);
    let tracker = Tracker::default();
    let mut show =
        |calls: usize| mix.iter().cycle().take(calls).for_each(|call| view.event(&Event::Exit(call), &tracker));
    show(CALLS / 10);
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        show(CALLS);
        best = best.min(start.elapsed());
    }
    let info = allocation_counter::measure(|| show(CALLS));
    println!(
        "{:>12} {:>6.2} M/s, {:.2} allocations a call",
        "json",
        CALLS as f64 / best.as_secs_f64() / 1e6,
        info.count_total as f64 / CALLS as f64
    );
}

fn name(call: &Call) -> &'static str {
    table(call.abi).get(call.nr).map_or("unknown", |e| e.row.name)
}

/// The best of several rounds, because disturbances only make a round slower.
fn measure(mix: &[Call], parts: bool) -> f64 {
    let mut view = view(Box::new(std::io::sink()));
    show(&mut view, mix, CALLS / 10, parts);
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        show(&mut view, mix, CALLS, parts);
        best = best.min(start.elapsed());
    }
    CALLS as f64 / best.as_secs_f64()
}

fn show(view: &mut TextView, mix: &[Call], calls: usize, parts: bool) {
    for call in mix.iter().cycle().take(calls) {
        if parts {
            view.event(&Event::Enter(call));
        }
        view.event(&Event::Exit(call));
    }
    view.flush();
}

fn view(to: Box<dyn std::io::Write + Send>) -> TextView {
    let layout = Layout { column: 40, ..Layout::default() };
    let sink = Sink::new("output", to, false);
    TextView::new(layout, Options::default(), Box::new(()), 0, Show::default(), sink)
}

/// Pieces of a tracee's memory.
#[derive(Default)]
struct Memory(Vec<(u64, Vec<u8>)>);

impl Memory {
    fn at(mut self, addr: u64, bytes: impl Into<Vec<u8>>) -> Memory {
        self.0.push((addr, bytes.into()));
        self
    }
}

impl Peek for Memory {
    fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize {
        let Some((from, bytes)) = self.0.iter().find(|(from, b)| addr >= *from && addr < from + b.len() as u64) else {
            return 0;
        };
        let there = &bytes[(addr - from) as usize..];
        let n = there.len().min(buf.len());
        buf[..n].copy_from_slice(&there[..n]);
        n
    }
}

/// A returned call, with the memory that its plan captures.
fn call(name: &str, args: [u64; 6], outcome: Outcome, mut memory: Memory) -> Call {
    let entry = table(Abi::X86_64).by_name(name).next().expect("a syscall of this name");
    let plan = Plan::of(entry.row, Abi::X86_64);
    let limits = Limits { text: 32, command_text: 0, elements: 32, received: true };
    let mut call = Call { tid: 1000, nr: entry.nr.into(), args, ..Call::default() };
    capture(&plan, entry.row, Phase::Entry, &mut call, &limits, &mut memory);
    call.outcome = outcome;
    capture(&plan, entry.row, Phase::Exit, &mut call, &limits, &mut memory);
    call
}

/// The calls of a typical server: it waits, reads, looks at files, maps memory, wakes a thread, answers.
fn mix() -> Vec<Call> {
    let http = b"GET /index.html HTTP/1.1\r\nHost: localhost\r\nUser-Agent: test/1.0\r\nAccept: */*\r\n\r\n";
    let answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<!doctype html>";
    let mut events = vec![0; 24];
    events[0] = 1;
    events[4] = 7;
    events[12] = 0x14;
    events[16] = 8;
    let mut stat = vec![0; 144];
    stat[24..28].copy_from_slice(&0o100644u32.to_le_bytes());
    stat[48..50].copy_from_slice(&35255u16.to_le_bytes());
    let timeout: Vec<u8> = [9u64, 999_000_000].iter().flat_map(|v| v.to_le_bytes()).collect();
    let (page, at) = (0x7f12_3456_7000, 0x7ffd_1234_5678);
    let ok = Outcome::Value;
    let at_fdcwd = -100i32 as u32 as u64;
    vec![
        call("epoll_wait", [5, at, 512, 100, 0, 0], ok(2), Memory::default().at(at, events)),
        call("read", [7, page, 16384, 0, 0, 0], ok(82), Memory::default().at(page, http)),
        call("read", [7, page, 16384, 0, 0, 0], Outcome::Error(11), Memory::default().at(page, http)),
        call(
            "openat",
            [at_fdcwd, at, 0x80000, 0, 0, 0],
            ok(9),
            Memory::default().at(at, b"/srv/www/html/index.html\0"),
        ),
        call("fstat", [9, at, 0, 0, 0, 0], ok(0), Memory::default().at(at, stat)),
        call("mmap", [0, 35255, 1, 2, 9, 0], ok(page as i64), Memory::default()),
        call("mmap", [0, 8192, 3, 0x22, 0xffff_ffff_ffff_ffff, 0], ok(page as i64), Memory::default()),
        call("futex", [page + 0x310, 0x81, 1, 0, 0, 0], ok(1), Memory::default()),
        call(
            "futex",
            [page + 0x310, 0x189, 2, at, 0, 0xffff_ffff],
            Outcome::Error(110),
            Memory::default().at(at, timeout),
        ),
        call("sendto", [7, page, 74, 0x4000, 0, 0], ok(74), Memory::default().at(page, answer)),
        call("write", [1, page, 74, 0, 0, 0], ok(74), Memory::default().at(page, answer)),
        call("close", [9, 0, 0, 0, 0, 0], ok(0), Memory::default()),
    ]
}
