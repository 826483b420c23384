//! Both engines over one program: the same text view must print the same lines.

mod common;

use common::command;
use std::collections::BTreeMap;
use stride_engine_base::Engine as _;
use stride_engine_ebpf::EbpfEngine;
use stride_engine_ptrace::PtraceEngine;
use stride_event::Event;
use stride_output::{Layout, Leader, PidPrefix, Show, Sink, Style, TextView};
use stride_test_support::written::Disk;
use stride_test_support::{need_ebpf, program};

/// Runs an engine to its end and returns what the text view made of it.
fn text(mut each: impl FnMut(&mut dyn FnMut(&Event<'_>))) -> String {
    let disk = Disk::default();
    let layout = Layout {
        // What is before a result is as long as the ids in it.
        column: 0,
        elapsed: None,
        style: Style::default(),
        leader: Leader { pid: PidPrefix::Always, ..Leader::default() },
        palette: None,
    };
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

/// Lines by thread, in the order in which threads appear, with ids replaced; from the exec that follows `personality` on, when
/// addresses are the same in every run.
fn by_thread(text: &str) -> Vec<(String, Vec<String>)> {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for line in text.lines() {
        let pid = line.split(' ').next().unwrap_or_default();
        let next = names.len();
        names.entry(pid.to_owned()).or_insert(next);
    }
    let mut threads: Vec<(String, Vec<String>)> = (0..names.len()).map(|i| (format!("T{i}"), Vec::new())).collect();
    let mut started = false;
    for line in text.lines() {
        let (pid, rest) = line.split_once(' ').unwrap_or_default();
        started |= rest.contains("/proc/self/exe");
        if !started || rest.contains("/proc/self/exe") {
            continue;
        }
        // How often it looks whether another waits.
        if rest.trim_start().starts_with("pread64(99") || rest.trim_start().starts_with("poll(NULL, 0, 1)") {
            continue;
        }
        let mut line = nameless(rest.trim_start(), &names);
        // Random, and a memory of the CPUs that the thread's stack was used on.
        for varies in ["getrandom", "rseq"] {
            if line.starts_with(varies) {
                line = varies.to_owned();
            }
        }
        // How long a child ran.
        if let Some(at) = line.find(", si_utime=") {
            line.truncate(at);
        }
        threads[names[pid]].1.push(line);
    }
    threads
}

/// Replaces thread ids, decimal and hexadecimal, by their names.
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
        let none = Vec::new();
        let (want, got) = (want.get(i).map_or(&none, |t| &t.1), got.get(i).map_or(&none, |t| &t.1));
        for j in 0..want.len().max(got.len()) {
            let (want, got) = (want.get(j).map_or("", |s| s), got.get(j).map_or("", |s| s));
            if want != got {
                differences.push(format!("T{i} line {j}\n  ptrace: {want}\n  eBPF:   {got}"));
            }
        }
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}
