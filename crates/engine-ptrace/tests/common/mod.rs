//! Runs the engine over `victim.c` and writes its events as short lines.
#![allow(dead_code)]

use std::process::{Command as Process, Stdio};
use stride_engine_base::Engine as _;
use stride_engine_ptrace::PtraceEngine;
use stride_event::{CallSet, Command, Event, Outcome, StartKind, Tid, TraceSpec};
use stride_syscalls::Abi;
use stride_test_support::state::{is_inside, threads, wait_until};
use stride_test_support::{Killed, compile};

pub fn numbers() -> &'static [(u32, &'static str)] {
    Abi::NATIVE.numbers()
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
    TraceSpec {
        interruptible: stride_event::Interruptible::Anywhere,
        entries: true,
        want_times: true,
        ..TraceSpec::default()
    }
}

pub fn command(args: &[&str]) -> TraceSpec {
    let path = compile("victim").expect("checked by the test").into();
    let args = std::iter::once("victim").chain(args.iter().copied()).map(Into::into).collect();
    TraceSpec { command: Some(Command { path, args, env: vec![("A".into(), "b".into())], user: None }), ..spec() }
}

/// A victim that runs untraced, as the target of `-p`.
pub struct Target(pub Killed);

impl Target {
    pub fn start(args: &[&str]) -> Target {
        let child = Process::new(compile("victim").expect("checked by the test"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        Target(Killed(child.expect("spawn victim")))
    }

    pub fn tid(&self) -> Tid {
        self.0.tid()
    }

    /// Waits until this many threads sleep in this call.
    #[track_caller]
    pub fn wait_inside(&self, name: &str, count: usize) {
        let nr = nr(name).into();
        let inside = |&tid: &Tid| state(tid) == 'S' && is_inside(tid, nr);
        wait_until(name, || threads(self.tid()).iter().filter(|tid| inside(tid)).count() == count);
    }

    /// Waits until the victim sleeps in some call: it is neither stopped nor running.
    #[track_caller]
    pub fn wait_asleep(&self) {
        wait_until("it to sleep", || state(self.tid()) == 'S');
    }
}

/// Leaves the test if the machine's poll(2) is a call that restart_syscall(2) does not resume.
#[macro_export]
macro_rules! need_poll {
    () => {
        if !numbers().iter().any(|(_, name)| *name == "poll") {
            stride_test_support::skip!("no call that can be resumed ends when it is told to");
        }
    };
}

/// The state of a thread in one letter; `?` when it is gone.
pub fn state(tid: Tid) -> char {
    stride_test_support::state::state(tid).unwrap_or('?')
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
            StartKind::Forked { parent } => {
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
            assert!(c.entered.is_some_and(|entered| c.returned >= entered), "time runs forwards");
            format!("{} {} = {what}", t(c.tid), name(c.nr))
        }
        Event::Signal { tid, info, .. } => format!("{} signal {}", t(*tid), info[0]),
        Event::Stopped { tid, signal, .. } => format!("{} stopped {signal}", t(*tid)),
        Event::Exited { tid, status, .. } => format!("{} exited {status}", t(*tid)),
        Event::Killed { tid, signal, .. } => format!("{} killed {signal}", t(*tid)),
        Event::Named { tid, name } => format!("{} is called {}", t(*tid), name.escape_ascii()),
        Event::NamespaceId { tid, id, .. } => format!("{} is {id} in a namespace", t(*tid)),
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
        Event::NamingCall(_) => "naming call".into(),
        Event::Library(_) => unreachable!("only the eBPF engine has these"),
        Event::Idle => "idle".into(),
    }
}

/// Runs to the end. `Idle` and `Ending` are left out.
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

/// The lines of one thread.
pub fn of(lines: &[String], thread: usize) -> Vec<&str> {
    let prefix = format!("{thread} ");
    lines.iter().filter_map(|l| l.strip_prefix(&prefix)).collect()
}
