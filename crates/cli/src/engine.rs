//! Which engine observes the calls.

use crate::doctor::own_path;
use crate::flags::{Engine as Choice, Options};
use crate::layout;
use crate::replay::Replay;
use anyhow::{Result, anyhow, bail};
use stride_engine_base::spawn;
use stride_engine_ebpf::{EbpfEngine, Held, Settings, StartError};
use stride_engine_ptrace::{AttachFailure, PtraceEngine};
use stride_event::{Counted, Event, Seccomp, Tid, TraceSpec};

enum Kind {
    Ptrace(Box<PtraceEngine>),
    Ebpf(Box<EbpfEngine>),
    /// No engine at all: what one saw before.
    Replay(Box<Replay>),
}

/// The engine at work.
pub struct Engine {
    kind: Kind,
    /// Why it is this one.
    reason: String,
}

impl Engine {
    pub fn start(options: &Options, spec: TraceSpec) -> Result<Engine> {
        let settings = layout::overflow(options);
        match options.engine {
            Choice::Ptrace => ptrace(spec, "asked for"),
            Choice::Auto => match better_stopped(options) {
                Some(option) => ptrace(spec, format!("{option} looks things up while the program stands still")),
                None => best(spec, settings),
            },
            Choice::Ebpf => {
                if let Some(option) = needs_ptrace(&spec) {
                    bail!("{option} needs the ptrace engine: leave out --engine=ebpf");
                }
                let engine = EbpfEngine::start_with(spec, settings).map_err(|e| explained(&e))?;
                Ok(Engine { kind: Kind::Ebpf(Box::new(engine)), reason: "asked for".to_owned() })
            }
        }
    }

    pub fn replay(replay: Replay) -> Engine {
        Engine { kind: Kind::Replay(Box::new(replay)), reason: String::new() }
    }

    /// The recording, if it is one.
    pub fn replayed(&self) -> Option<&Replay> {
        match &self.kind {
            Kind::Replay(replay) => Some(replay),
            _ => None,
        }
    }

    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Ptrace(_) => "ptrace",
            Kind::Ebpf(_) => "ebpf",
            Kind::Replay(_) => "replay",
        }
    }

    pub fn next(&mut self) -> Result<Option<Event<'_>>> {
        match &mut self.kind {
            Kind::Replay(replay) => Ok(replay.next()),
            Kind::Ptrace(engine) => engine.next().map_err(|e| anyhow!("{e}")),
            Kind::Ebpf(engine) => engine.next().map_err(|e| anyhow!("reading the ring buffer: {e}")),
        }
    }

    /// Targets that could not be attached to, in the engine's words: a line each, and another where there is something to add.
    pub fn failures(&self) -> Vec<String> {
        match &self.kind {
            Kind::Ptrace(engine) => {
                let told = |failure: &AttachFailure| {
                    failure.hint().map_or_else(|| failure.to_string(), |hint| format!("{failure}\n{hint}"))
                };
                engine.failures().iter().map(told).collect()
            }
            Kind::Ebpf(engine) => engine.failures(),
            Kind::Replay(_) => Vec::new(),
        }
    }

    /// Facts for whoever debugs Stride (`-d`).
    pub fn describe(&self) -> Vec<String> {
        if let Kind::Replay(replay) = &self.kind {
            return vec![replay.describe()];
        }
        let mut facts = vec![format!("engine: {} ({})", self.name(), self.reason)];
        if let Kind::Ptrace(engine) = &self.kind {
            facts.push(format!("ptrace_setoptions = {:#x}", engine.options()));
            if engine.options() & nix::libc::PTRACE_O_EXITKILL != 0 {
                // Or attaching would have failed.
                facts.push("PTRACE_O_EXITKILL works".into());
            }
        }
        facts
    }

    /// The command that was started by this engine.
    pub fn command(&self) -> Option<Tid> {
        match &self.kind {
            Kind::Ptrace(engine) => engine.command(),
            Kind::Ebpf(engine) => engine.command(),
            Kind::Replay(_) => None,
        }
    }

    /// Whether calls come with the time that they were on a CPU, counted or not.
    pub fn tells_cpu_times(&self) -> bool {
        matches!(self.kind, Kind::Ptrace(_))
    }

    /// Calls, and threads coming and going, that were not recorded.
    pub fn lost(&self) -> (u64, u64) {
        match &self.kind {
            Kind::Ptrace(_) => (0, 0),
            Kind::Replay(replay) => replay.lost(),
            Kind::Ebpf(engine) => (engine.lost_calls(), engine.unseen_threads()),
        }
    }

    /// What it took not to lose calls.
    pub fn held(&self) -> Held {
        match &self.kind {
            Kind::Ptrace(_) | Kind::Replay(_) => Held::default(),
            Kind::Ebpf(engine) => engine.held(),
        }
    }

    /// What the engine counted.
    pub fn counted(&self) -> Result<Vec<Counted>> {
        match &self.kind {
            Kind::Ptrace(_) | Kind::Replay(_) => Ok(Vec::new()),
            Kind::Ebpf(engine) => engine.counted().map_err(|e| anyhow!("reading the counters: {e}")),
        }
    }

    /// Lets go of all tracees.
    pub fn stop(&mut self) {
        match &mut self.kind {
            Kind::Ptrace(engine) => engine.stop(None),
            Kind::Ebpf(engine) => engine.stop(None),
            Kind::Replay(replay) => replay.stop(),
        }
    }

    /// The signal that made Stride stop, if one did.
    pub fn interrupted(&self) -> Option<i32> {
        match &self.kind {
            Kind::Ptrace(engine) => engine.interrupted(),
            Kind::Ebpf(engine) => engine.interrupted(),
            Kind::Replay(_) => None,
        }
    }
}

fn ptrace(spec: TraceSpec, reason: impl Into<String>) -> Result<Engine> {
    let engine = PtraceEngine::start(spec).map_err(|e| anyhow!("{e}"))?;
    Ok(Engine { kind: Kind::Ptrace(Box::new(engine)), reason: reason.into() })
}

/// eBPF where it works and serves all options, else ptrace.
fn best(spec: TraceSpec, settings: Settings) -> Result<Engine> {
    if let Some(option) = needs_ptrace(&spec) {
        return ptrace(spec, format!("{option} needs it"));
    }
    // Most users may not load programs: that is found out before anything is done for it.
    if let Err(why) = stride_engine_ebpf::trial() {
        return ptrace(spec, format!("no eBPF: {why}"));
    }
    // One command for both: with -D this process has changed its place for it, which is done only once.
    let command = spec.command.as_ref();
    let mut waiting = command.map(|command| spawn(command, None, spec.daemonize)).transpose()?;
    match EbpfEngine::start_waiting(&spec, settings, &mut waiting) {
        Ok(engine) => Ok(Engine { kind: Kind::Ebpf(Box::new(engine)), reason: "it works here".to_owned() }),
        Err(error) if spec.command.is_some() && waiting.is_none() => Err(anyhow!("{error}")),
        Err(error) => {
            let engine = PtraceEngine::start_waiting(spec, waiting).map_err(|e| anyhow!("{e}"))?;
            Ok(Engine { kind: Kind::Ptrace(Box::new(engine)), reason: format!("no eBPF: {error}") })
        }
    }
}

/// The option, if there is one, that only the ptrace engine can serve.
pub fn needs_ptrace(spec: &TraceSpec) -> Option<&'static str> {
    if spec.seccomp == Seccomp::On {
        Some("--seccomp-bpf")
    } else if spec.kill_on_exit {
        Some("--kill-on-exit")
    } else {
        None
    }
}

/// The option, if there is one, for which ids are looked up in /proc: what they refer to is certain only as long as the program is
/// stopped, and many a program is over before anybody looks.
fn better_stopped(options: &Options) -> Option<&'static str> {
    (!options.decode_pids.is_empty() && (options.prints_calls() || options.json)).then_some("--decode-pids")
}

/// What went wrong, and what to do about it.
fn explained(error: &StartError) -> anyhow::Error {
    let StartError::Unavailable(why) = error else { return anyhow!("{error}") };
    anyhow!(
        "{why}\nWhat helps: {}.\nOr try --engine=ptrace, which needs no privileges for programs of your own.",
        why.advice(&own_path())
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::Command;

    fn spec(options: TraceSpec) -> TraceSpec {
        let command = Command { path: "/bin/true".into(), args: vec!["true".into()], env: Vec::new(), user: None };
        TraceSpec { command: Some(command), ..options }
    }

    fn last_exit(mut engine: Engine) -> Option<i32> {
        let mut last = None;
        while let Some(event) = engine.next().unwrap() {
            if let Event::Exited { status, .. } = event {
                last = Some(status);
            }
        }
        last
    }

    #[test]
    fn auto_takes_what_serves_the_options() {
        let engine = best(spec(TraceSpec { kill_on_exit: true, ..TraceSpec::default() }), Settings::default()).unwrap();
        assert_eq!(engine.describe()[0], "engine: ptrace (--kill-on-exit needs it)");
        assert_eq!(last_exit(engine), Some(0));
        let engine = best(spec(TraceSpec::default()), Settings::default()).unwrap();
        let expected =
            if stride_engine_ebpf::available().is_ok() { "engine: ebpf (" } else { "engine: ptrace (no eBPF: " };
        assert!(engine.describe()[0].starts_with(expected), "{:?}", engine.describe());
        assert_eq!(last_exit(engine), Some(0));
    }

    #[test]
    fn what_only_ptrace_can_do() {
        assert_eq!(needs_ptrace(&TraceSpec::default()), None);
        let seccomp = TraceSpec { seccomp: Seccomp::On, kill_on_exit: true, ..TraceSpec::default() };
        assert_eq!(needs_ptrace(&seccomp), Some("--seccomp-bpf"));
        assert_eq!(needs_ptrace(&TraceSpec { kill_on_exit: true, ..TraceSpec::default() }), Some("--kill-on-exit"));
    }
}
