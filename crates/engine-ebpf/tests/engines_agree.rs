//! Both engines over one program: the same text view must print the same lines.

mod common;

use common::command;
use std::collections::BTreeMap;
use stride_engine_base::Engine as _;
use stride_engine_ebpf::EbpfEngine;
use stride_engine_ptrace::PtraceEngine;
use stride_event::Event;
use stride_output::{Layout, Leader, PidPrefix, Show, Sink, TextView};
use stride_test_support::written::Disk;
use stride_test_support::{need_ebpf, program};

/// Runs an engine to its end and returns the output of the text view.
fn text(mut each: impl FnMut(&mut dyn FnMut(&Event<'_>))) -> String {
    let disk = Disk::default();
    // Results are not aligned (`column`), because ids differ in length.
    let layout = Layout { leader: Leader { pid: PidPrefix::Always, ..Leader::default() }, ..Layout::default() };
    let mut view = TextView::new(
        layout,
        Default::default(),
        Box::new(()),
        0,
        Show::default(),
        Sink::new("test", Box::new(disk.clone()), false),
    );
    each(&mut |event| view.event(event));
    view.flush();
    disk.text()
}

/// A line as written, and the same line with ids replaced.
#[derive(Clone, Debug, Default)]
struct Line {
    written: String,
    nameless: String,
}

impl Line {
    /// True if the lines differ only in ids. Lines that are equal as written are alike, even if a number in them
    /// happens to be a thread id in one trace.
    fn is_like(&self, other: &Line) -> bool {
        self.written == other.written || self.nameless == other.nameless
    }
}

/// Lines by thread, in the order in which threads appear, with ids replaced. They begin at the execve after
/// `personality`, since when addresses are the same in every run.
fn by_thread(text: &str) -> Vec<Vec<Line>> {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for line in text.lines() {
        let pid = line.split(' ').next().unwrap_or_default();
        let next = names.len();
        names.entry(pid.to_owned()).or_insert(next);
    }
    let mut threads: Vec<Vec<Line>> = vec![Vec::new(); names.len()];
    let mut started = false;
    for line in text.lines() {
        let (pid, rest) = line.split_once(' ').unwrap_or_default();
        started |= rest.contains("/proc/self/exe");
        if !started || rest.contains("/proc/self/exe") {
            continue;
        }
        let rest = rest.trim_start();
        // These calls look whether another thread waits. Their number varies. (Some machines have no poll.)
        const LOOKS: [&str; 3] = ["pread64(99", "poll(NULL, 0, 1)", "ppoll(NULL, 0, {tv_sec=0, tv_nsec=1000000}"];
        if LOOKS.iter().any(|look| rest.starts_with(look)) {
            continue;
        }
        let line = match ["getrandom", "rseq"].iter().find(|varies| rest.starts_with(**varies)) {
            // getrandom is random, and rseq depends on the CPUs that used the thread's stack before.
            Some(varies) => varies,
            // The time that a child ran varies.
            None => rest.split_once(", si_utime=").map_or(rest, |(before, _)| before),
        };
        threads[names[pid]].push(Line { written: line.to_owned(), nameless: nameless(line, &names) });
    }
    threads
}

/// Replaces thread ids, decimal and hexadecimal, by the threads' names.
fn nameless(line: &str, names: &BTreeMap<String, usize>) -> String {
    let mut out = String::new();
    let mut rest = line;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let value = word.strip_prefix("0x").map_or_else(|| word.parse().ok(), |hex| u64::from_str_radix(hex, 16).ok());
        match value.and_then(|v| names.get(&v.to_string())) {
            Some(i) => out.push_str(&format!("T{i}")),
            None => out.push_str(word),
        }
        let separator = after.chars().next().map_or(0, char::len_utf8);
        out.push_str(&after[..separator]);
        rest = &after[separator..];
    }
    out
}

#[test]
fn both_engines_print_the_same() {
    need_ebpf!();
    let program = program!("calls");
    let ptrace = text(|tell| {
        let mut engine = PtraceEngine::start(command(program, &[])).unwrap();
        while let Some(event) = engine.next().unwrap() {
            tell(&event);
        }
    });
    let ebpf = text(|tell| {
        let mut engine = EbpfEngine::start(command(program, &[])).unwrap();
        while let Some(event) = engine.next().unwrap() {
            tell(&event);
        }
    });
    let (want, got) = (by_thread(&ptrace), by_thread(&ebpf));
    assert!(want.len() >= 8, "{ptrace}");
    let mut differences = Vec::new();
    for i in 0..want.len().max(got.len()) {
        let lines = |of: &[Vec<Line>]| of.get(i).cloned().unwrap_or_default();
        let (want, got) = (lines(&want), lines(&got));
        for j in 0..want.len().max(got.len()) {
            let line = |of: &[Line]| of.get(j).cloned().unwrap_or_default();
            let (want, got) = (line(&want), line(&got));
            if !want.is_like(&got) {
                differences.push(format!("T{i} line {j}\n  ptrace: {}\n  eBPF:   {}", want.nameless, got.nameless));
            }
        }
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}
