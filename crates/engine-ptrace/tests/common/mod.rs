//! Runs the engine over `victim.c` and writes its events as short lines.
#![allow(dead_code)]

use std::path::PathBuf;
use std::process::{Child, Command as Process, Stdio};
use std::sync::LazyLock;
use stride_engine_base::Engine as _;
use stride_engine_ptrace::PtraceEngine;
use stride_event::{CallSet, Command, Event, Origin, Outcome, Tid, TraceSpec};
use stride_syscalls::{Abi, uapi::numbers};

/// The compiled `victim.c`, or `None` where there is no C compiler.
pub fn victim() -> Option<&'static PathBuf> {
    static VICTIM: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("victim-{}", std::process::id()));
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/victim.c");
        let cc = Process::new("cc").args(["-O1", "-pthread", "-o"]).arg(&out).arg(source).status();
        cc.is_ok_and(|s| s.success()).then_some(out)
    });
    VICTIM.as_ref()
}

/// Skips the test, saying so.
#[macro_export]
macro_rules! victim {
    () => {
        match common::victim() {
            Some(path) => path,
            None => {
                let name = std::thread::current().name().unwrap_or("?").to_owned();
                println!("skipped: {name}: no C compiler (cc)");
                return;
            }
        }
    };
}

pub fn numbers() -> &'static [(u32, &'static str)] {
    if Abi::NATIVE == Abi::Aarch64 { numbers::AARCH64 } else { numbers::X86_64 }
}

pub fn nr(name: &str) -> u32 {
    numbers().iter().find(|n| n.1 == name).unwrap_or_else(|| panic!("{name}")).0
}

pub fn name(nr: u64) -> &'static str {
    numbers().iter().find(|n| u64::from(n.0) == nr).map_or("?", |n| n.1)
}

pub fn calls(names: &[&str]) -> CallSet {
    let mut set = CallSet::empty();
    names.iter().for_each(|n| set.insert(Abi::NATIVE, nr(n)));
    set
}

pub fn spec() -> TraceSpec {
    TraceSpec { interruptible: 1, entries: true, want_times: true, ..TraceSpec::default() }
}

pub fn command(args: &[&str]) -> TraceSpec {
    let path = victim().expect("checked by the test").clone();
    let args = std::iter::once("victim").chain(args.iter().copied()).map(Into::into).collect();
    TraceSpec { command: Some(Command { path, args, env: vec![("A".into(), "b".into())], user: None }), ..spec() }
}

/// A victim that runs untraced, as the target of `-p`. Killed when dropped.
pub struct Target(pub Child);

impl Target {
    pub fn start(args: &[&str]) -> Target {
        let child = Process::new(victim().expect("checked by the test"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        Target(child.expect("spawn victim"))
    }

    pub fn tid(&self) -> Tid {
        self.0.id() as Tid
    }

    /// Waits until it sleeps in a system call.
    pub fn wait_asleep(&self) {
        for _ in 0..6000 {
            std::thread::sleep(std::time::Duration::from_millis(10));
            if state(self.tid()) == 'S' {
                return;
            }
        }
        panic!("never went to sleep");
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The letter after `State:`; `?` when the process is gone.
pub fn state(tid: Tid) -> char {
    let status = std::fs::read_to_string(format!("/proc/{tid}/status")).unwrap_or_default();
    status.lines().find_map(|l| l.strip_prefix("State:")).and_then(|s| s.trim().chars().next()).unwrap_or('?')
}

/// One event as a line. Threads are called 0, 1, ... in the order they appear.
pub fn line(event: &Event, tids: &mut Vec<Tid>) -> String {
    let mut t = |tid: Tid| match tids.iter().position(|&x| x == tid) {
        Some(i) => i,
        None => {
            tids.push(tid);
            tids.len() - 1
        }
    };
    match event {
        Event::Started { tid, origin, .. } => match origin {
            Origin::Forked { parent } => {
                let parent = t(*parent);
                format!("{} born of {parent}", t(*tid))
            }
            other => format!("{} {other:?}", t(*tid)),
        },
        Event::Enter(c) => format!(
            "{} {}{}",
            t(c.tid),
            name(c.nr),
            c.resumes.map_or(String::new(), |n| format!(" resuming {}", name(n)))
        ),
        Event::Exit(c) => {
            let what = match c.outcome {
                Outcome::Value(v) if v > 9 => "big".into(),
                Outcome::Value(v) => v.to_string(),
                Outcome::Error(e) => format!("-{e}"),
                Outcome::Gone => "?".into(),
                Outcome::Pending => "pending".into(),
            };
            assert!(c.returned >= c.entered, "time runs forwards");
            format!("{} {} = {what}", t(c.tid), name(c.nr))
        }
        Event::Signal { tid, info, .. } => format!("{} signal {}", t(*tid), info[0]),
        Event::Stopped { tid, signal, .. } => format!("{} stopped {signal}", t(*tid)),
        Event::Exited { tid, status, .. } => format!("{} exited {status}", t(*tid)),
        Event::Killed { tid, signal, .. } => format!("{} killed {signal}", t(*tid)),
        Event::Superseded { tid, old, .. } => {
            let old = t(*old);
            format!("{} superseded by {old}", t(*tid))
        }
        Event::Detached { tid, call, .. } => {
            format!("{} detached{}", t(*tid), call.map_or(String::new(), |c| format!(" in {}", name(c.nr))))
        }
        Event::Ending { tid } => format!("{} is ending", t(*tid)),
        Event::Stranger { tid, fate } => format!("{} is no tracee: {fate:?}", t(*tid)),
        Event::Personality { tid, abi, .. } => format!("{} runs {abi:?}", t(*tid)),
        Event::Lost { .. } => "lost".into(),
        Event::Aside(_) => "aside".into(),
        Event::Idle => "idle".into(),
    }
}

/// Runs to the end; `Idle` and `Ending` are left out.
pub fn trace(spec: TraceSpec) -> Vec<String> {
    trace_with(spec, |_, _| {})
}

/// Calls `f` after each event, with the engine and the event's line.
pub fn trace_with(spec: TraceSpec, mut f: impl FnMut(&mut PtraceEngine, &str)) -> Vec<String> {
    let mut engine = PtraceEngine::start(spec).expect("start");
    let (mut lines, mut tids) = (Vec::new(), Vec::new());
    while let Some(event) = engine.next().expect("next") {
        let line = line(&event, &mut tids);
        f(&mut engine, &line);
        if line != "idle" && !line.ends_with(" is ending") {
            lines.push(line);
        }
    }
    lines
}

/// The lines that concern one thread.
pub fn of(lines: &[String], thread: usize) -> Vec<&str> {
    let prefix = format!("{thread} ");
    lines.iter().filter_map(|l| l.strip_prefix(&prefix)).collect()
}
