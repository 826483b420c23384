//! Which engine observes the calls.

use crate::flags::Engine as Choice;
use anyhow::{Result, anyhow, bail};
use stride_engine_ebpf::EbpfEngine;
use stride_engine_ptrace::{AttachFailure, PtraceEngine};
use stride_event::{Counted, Event, Tid, TraceSpec};

pub enum Engine {
    Ptrace(Box<PtraceEngine>),
    Ebpf(Box<EbpfEngine>),
}

impl Engine {
    /// `auto` takes ptrace until the eBPF engine can do all that the options ask for.
    pub fn start(choice: Choice, spec: TraceSpec) -> Result<Engine> {
        match choice {
            Choice::Auto | Choice::Ptrace => {
                Ok(Engine::Ptrace(Box::new(PtraceEngine::start(spec).map_err(|e| anyhow!("{e}"))?)))
            }
            Choice::Ebpf => {
                refuse(&spec)?;
                let engine = EbpfEngine::start(spec).map_err(|e| {
                    anyhow!("{e}\nTry --engine=ptrace, which needs no privileges for programs of your own.")
                })?;
                Ok(Engine::Ebpf(Box::new(engine)))
            }
        }
    }

    pub fn next(&mut self) -> Result<Option<Event<'_>>> {
        match self {
            Engine::Ptrace(engine) => engine.next().map_err(|e| anyhow!("{e}")),
            Engine::Ebpf(engine) => engine.next().map_err(|e| anyhow!("reading the ring buffer: {e}")),
        }
    }

    /// Targets that could not be attached to, in the engine's words: a line each, and another where there is something to add.
    pub fn failures(&self) -> Vec<String> {
        match self {
            Engine::Ptrace(engine) => {
                let told = |failure: &AttachFailure| {
                    failure.hint().map_or_else(|| failure.to_string(), |hint| format!("{failure}\n{hint}"))
                };
                engine.failures().iter().map(told).collect()
            }
            Engine::Ebpf(_) => Vec::new(),
        }
    }

    /// Facts for whoever debugs Stride (`-d`).
    pub fn describe(&self) -> Vec<String> {
        match self {
            Engine::Ptrace(engine) => {
                let mut facts = vec![format!("ptrace_setoptions = {:#x}", engine.options())];
                if engine.options() & nix::libc::PTRACE_O_EXITKILL != 0 {
                    // Or attaching would have failed.
                    facts.push("PTRACE_O_EXITKILL works".into());
                }
                facts
            }
            Engine::Ebpf(_) => vec!["engine: ebpf".into()],
        }
    }

    /// The command that was started.
    pub fn command(&self) -> Option<Tid> {
        match self {
            Engine::Ptrace(engine) => engine.command(),
            Engine::Ebpf(engine) => engine.command(),
        }
    }

    /// What the engine counted.
    pub fn counted(&self) -> Result<Vec<Counted>> {
        match self {
            Engine::Ptrace(_) => Ok(Vec::new()),
            Engine::Ebpf(engine) => engine.counted().map_err(|e| anyhow!("reading the counters: {e}")),
        }
    }

    /// Lets go of all tracees.
    pub fn stop(&mut self) {
        match self {
            Engine::Ptrace(engine) => engine.stop(None),
            Engine::Ebpf(engine) => engine.stop(),
        }
    }

    /// The signal that made Stride stop, if one did.
    pub fn interrupted(&self) -> Option<i32> {
        match self {
            Engine::Ptrace(engine) => engine.interrupted(),
            Engine::Ebpf(_) => None,
        }
    }
}

/// Options only the ptrace engine can serve.
fn refuse(spec: &TraceSpec) -> Result<()> {
    let option = if spec.daemonize > 0 {
        "-D"
    } else if spec.want_ip {
        "-i"
    } else if spec.detach_on_execve {
        "-b"
    } else if spec.kill_on_exit {
        "--kill-on-exit"
    } else {
        return Ok(());
    };
    bail!("{option} needs the ptrace engine: leave out --engine=ebpf")
}
