//! Choosing the engine.
//!
//! `auto` chooses eBPF unless an option needs ptrace (`--kill-on-exit`, `--seccomp-bpf`: both are promises of the
//! kernel to a ptracer) or looks names up in /proc (`-Y`, `--decode-pids`, `--namespace`), which is certain only while the program is
//! stopped. Most users may not load programs: `engine_ebpf::trial` finds that out with one bpf(2) in 0.1 ms, before
//! Stride does anything else for eBPF. Then a broker is asked, if one listens (docs/security.md). If loading fails later, the command is already forked and waits at its gate. The
//! ptrace engine takes over that same process, so that `-D`, which swaps the roles of the processes, works either way.
//! Only `-d` reports which engine was chosen.

use crate::options::{Engine as Choice, Options};
use crate::replay::Replay;
use crate::start::Needs;
use anyhow::{Result, anyhow, bail};
use stride_engine_base::{Capabilities, Engine, StartError, process, spawn};
use stride_engine_ebpf::broker::{self, Connection};
use stride_engine_ebpf::{Access, EbpfEngine, Settings, Why};
use stride_engine_ptrace::PtraceEngine;
use stride_event::{Seccomp, StackRate, TraceSpec, VcpuDetail};

/// All engines.
pub const ENGINES: [Capabilities; 2] = [EbpfEngine::CAPABILITIES, PtraceEngine::CAPABILITIES];

/// Tests whether engines work here, for engines that work as a whole or not at all. The eBPF engine has many
/// requirements, and `--doctor` looks at each.
pub const TRIALS: &[(&str, EngineTrial)] = &[(PtraceEngine::CAPABILITIES.name, stride_engine_ptrace::available)];

pub type EngineTrial = fn() -> Result<(), StartError>;

/// The engine that runs.
pub struct Chosen {
    pub engine: Box<dyn Engine>,
    /// Why this engine was chosen, if there was a choice.
    reason: Option<String>,
}

impl Chosen {
    fn new(engine: impl Engine + 'static, reason: impl Into<String>) -> Chosen {
        Chosen { engine: Box::new(engine), reason: Some(reason.into()) }
    }

    /// Facts for debugging Stride (`-d`).
    pub fn facts(&self) -> Vec<String> {
        let name = self.engine.capabilities().name;
        let chosen = self.reason.iter().map(|reason| format!("engine: {name} ({reason})"));
        chosen.chain(self.engine.facts()).collect()
    }
}

/// Starts tracing with the requested engine, or with the engine that serves the options best.
pub fn start(options: &Options, needs: &Needs, spec: TraceSpec) -> Result<Chosen> {
    refuse_unported(&spec)?;
    // (To ask takes 10 ms.)
    if spec.operations
        && let Some(why) = stride_engine_ebpf::operations_refused()
    {
        bail!("--io-uring: {why}. Leave it out");
    }
    let settings = options.ebpf;
    let named = |unserved: Unserved| unserved.subject(options);
    // Options that ptrace does not serve take eBPF.
    let only_ebpf = unserved(&spec, PtraceEngine::CAPABILITIES).map(named);
    match options.engine {
        // There is no choice: errors are those of eBPF.
        Choice::Auto if spec.machine.is_some() || !spec.library.is_empty() || spec.operations => {
            let option = only_ebpf.unwrap_or_else(|| "the target".to_owned());
            if let Some(other) = unserved(&spec, EbpfEngine::CAPABILITIES) {
                bail!("{} needs the ptrace engine, and {option} needs eBPF: leave one of them out", named(other));
            }
            let access = ebpf_access(&spec, options, true)?;
            let engine = EbpfEngine::start_by(spec, settings, access).map_err(|e| unavoidable(e, &option))?;
            Ok(Chosen::new(engine, format!("{option} needs it")))
        }
        Choice::Ptrace if !spec.library.is_empty() => bail!(
            "{} needs the eBPF engine: ptrace sees system calls, and would have to stop the program at a breakpoint in \
             each function. Leave out --engine=ptrace",
            options.typed.name("--library-calls/--usdt")
        ),
        Choice::Ptrace if spec.operations => bail!(
            "--io-uring needs the eBPF engine: the kernel carries operations of io_uring out without system calls, so ptrace does not see \
             them. Leave out --engine=ptrace, or --io-uring"
        ),
        Choice::Ptrace => ptrace(spec, "asked for"),
        Choice::Auto if options.contexts.is_some() => {
            ptrace(spec, "--secontext looks contexts up while the program is stopped")
        }
        Choice::Auto => match better_held(options, needs) {
            Some(option) if !EbpfEngine::CAPABILITIES.holds_program => {
                ptrace(spec, format!("{option} looks names up while the program is stopped"))
            }
            _ => best(spec, settings, options),
        },
        Choice::Ebpf => {
            if let Some(option) = unserved(&spec, EbpfEngine::CAPABILITIES) {
                bail!("{} needs the ptrace engine: leave out --engine=ebpf", named(option));
            }
            let access = ebpf_access(&spec, options, only_ebpf.is_some())?;
            let engine = EbpfEngine::start_by(spec, settings, access).map_err(|e| match &only_ebpf {
                Some(option) => unavoidable(e, option),
                None => explained(e),
            })?;
            Ok(Chosen::new(engine, "asked for"))
        }
    }
}

/// Refuses what no engine does on this machine's architecture.
fn refuse_unported(spec: &TraceSpec) -> Result<()> {
    let engine = PtraceEngine::CAPABILITIES;
    let unported = [
        ("--inject/--fault", "change calls", !spec.injections.is_empty() && !engine.injections),
        ("-k/--stack-trace", "unwind stacks", spec.stacks == StackRate::All && !engine.stacks),
    ];
    if let Some((option, what, _)) = unported.into_iter().find(|(_, _, refused)| *refused) {
        bail!("{option} works on x86-64 only: Stride cannot {what} on this machine's architecture yet. Leave it out");
    }
    Ok(())
}

/// Uses a recording in place of an engine.
pub fn replay(replay: Replay) -> Chosen {
    Chosen { engine: Box::new(replay), reason: None }
}

fn ptrace(spec: TraceSpec, reason: impl Into<String>) -> Result<Chosen> {
    Ok(Chosen::new(PtraceEngine::start(spec)?, reason))
}

/// Chooses eBPF if it works and serves all options, else ptrace.
fn best(spec: TraceSpec, settings: Settings, options: &Options) -> Result<Chosen> {
    if let Some(option) = unserved(&spec, EbpfEngine::CAPABILITIES) {
        let reason = format!("{} needs it", option.subject(options));
        return ptrace(spec, reason);
    }
    // Most users may not load programs. The trial finds that out before anything else is done for eBPF.
    let access = match access() {
        Ok(access) => access,
        Err((why, broker)) => return ptrace(spec, format!("no eBPF: {why}; no stride-broker: {broker}")),
    };
    if let (Access::Broker(_), Some(option)) = (&access, broker::unserved(&spec)) {
        return ptrace(spec, format!("no eBPF: {}", not_by_broker(option, options)));
    }
    let reason = if matches!(access, Access::Own) { "it works here" } else { "stride-broker loads it" };
    // Both engines share one command: with -D, this process and the command swap roles, which is possible only once.
    let command = spec.command.as_ref();
    let mut waiting = command.map(|command| spawn(command, None, spec.daemonize)).transpose()?;
    match EbpfEngine::start_waiting(&spec, settings, access, &mut waiting) {
        Ok(engine) => Ok(Chosen::new(engine, reason)),
        Err(error) if spec.command.is_some() && waiting.is_none() => Err(error.into()),
        Err(error) => {
            let engine = PtraceEngine::start_waiting(spec, waiting)?;
            Ok(Chosen::new(engine, format!("no eBPF: {error}")))
        }
    }
}

/// The process that loads the programs, if it is sure that eBPF traces. Without a broker, the error is that of loading. `only`: ptrace does not serve the options.
fn ebpf_access(spec: &TraceSpec, options: &Options, only: bool) -> Result<Access> {
    let access = access().unwrap_or(Access::Own);
    if let (Access::Broker(_), Some(option)) = (&access, broker::unserved(spec)) {
        let why = not_by_broker(option, options);
        let other = if only { "" } else { ", or take --engine=ptrace, which needs no privileges" };
        bail!("{why}. Run Stride as root{other}.");
    }
    Ok(access)
}

fn not_by_broker(option: &str, options: &Options) -> String {
    format!("{} is not traced through stride-broker, only by root", options.typed.name(option))
}

/// The process that can load the eBPF programs. The error says why this process cannot, and why no broker does.
fn access() -> Result<Access, (Why, String)> {
    match stride_engine_ebpf::trial() {
        Ok(()) => Ok(Access::Own),
        Err(why) => match Connection::open() {
            Ok(connection) => Ok(Access::Broker(connection)),
            Err(broker) => Err((why, broker)),
        },
    }
}

/// An option that an engine cannot serve, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unserved(&'static str, &'static str);

impl Unserved {
    /// The beginning of a sentence, with the name that the user typed.
    fn subject(self, options: &Options) -> String {
        format!("{}{}", options.typed.name(self.0), self.1)
    }
}

/// The option that an engine with these capabilities cannot serve, if there is one.
fn unserved(spec: &TraceSpec, capabilities: Capabilities) -> Option<Unserved> {
    let asked = [
        (spec.seccomp == Seccomp::On && !capabilities.seccomp, "--seccomp-bpf", ""),
        (spec.kill_on_exit && !capabilities.kill_on_exit, "--kill-on-exit", ""),
        (spec.stacks == StackRate::All && !capabilities.stacks, "-k/--stack-trace", ""),
        (spec.machine.is_some() && !capabilities.machine, broker::MACHINE, ""),
        (!spec.library.is_empty() && !capabilities.library, "--library-calls/--usdt", ""),
        (spec.operations && !capabilities.operations, "--io-uring", ""),
        (spec.waits && !capabilities.waits, "--waits", ""),
        (
            !spec.injections.is_empty() && !capabilities.injections,
            "--inject/--fault",
            ", which changes calls while their threads stand still,",
        ),
        (
            spec.vcpus != VcpuDetail::None && !capabilities.vcpus,
            "--kvm",
            ", which looks for memory that KVM shares with the program while its threads stand still,",
        ),
    ];
    asked.into_iter().find(|(unserved, ..)| *unserved).map(|(_, option, why)| Unserved(option, why))
}

/// The option that makes Stride look ids up in /proc, if there is one. The answer is certain only while the program is
/// stopped, and many programs have ended before Stride looks.
fn better_held(options: &Options, needs: &Needs) -> Option<&'static str> {
    let option = if options.decode_pids.is_empty() { "--namespace" } else { "--decode-pids" };
    (needs.process_ids || options.json && options.looks_processes_up()).then_some(option)
}

/// Explains why the eBPF engine failed, and what the user can do.
fn explained(error: StartError) -> anyhow::Error {
    let StartError::Unavailable { why, advice: Some(advice) } = error else { return error.into() };
    anyhow!(
        "{why}\nTo use eBPF: {advice}.\nOr try --engine=ptrace, which needs no privileges for programs of your own."
    )
}

/// The same for an option that only the eBPF engine serves.
fn unavoidable(error: StartError, option: &str) -> anyhow::Error {
    let StartError::Unavailable { why, advice: Some(advice) } = error else { return error.into() };
    if process::is_root() {
        return anyhow!("{why}\n{option} needs eBPF. To use it: {advice}.");
    }
    anyhow!(
        "{why}\n{option} needs eBPF and root: stride-broker serves users for their own programs only. Run Stride as root."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::{Command, Event};

    fn spec(options: TraceSpec) -> TraceSpec {
        let command = Command { path: "/bin/true".into(), args: vec!["true".into()], env: Vec::new(), user: None };
        TraceSpec { command: Some(command), ..options }
    }

    fn last_exit(Chosen { mut engine, .. }: Chosen) -> Option<i32> {
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
        let options = Options::default();
        let chosen =
            best(spec(TraceSpec { kill_on_exit: true, ..TraceSpec::default() }), Settings::default(), &options)
                .unwrap();
        assert_eq!(chosen.facts()[0], "engine: ptrace (--kill-on-exit needs it)");
        assert_eq!(last_exit(chosen), Some(0));
        let chosen = best(spec(TraceSpec::default()), Settings::default(), &options).unwrap();
        let expected =
            if stride_engine_ebpf::available().is_ok() { "engine: ebpf (" } else { "engine: ptrace (no eBPF: " };
        assert!(chosen.facts()[0].starts_with(expected), "{:?}", chosen.facts());
        assert_eq!(last_exit(chosen), Some(0));
    }

    #[test]
    fn what_only_ptrace_can_do() {
        let unserved = |spec: &TraceSpec| {
            assert_eq!(unserved(spec, PtraceEngine::CAPABILITIES), None);
            unserved(spec, EbpfEngine::CAPABILITIES).map(|Unserved(option, _)| option)
        };
        assert_eq!(unserved(&TraceSpec::default()), None);
        let seccomp = TraceSpec { seccomp: Seccomp::On, kill_on_exit: true, ..TraceSpec::default() };
        assert_eq!(unserved(&seccomp), Some("--seccomp-bpf"));
        assert_eq!(unserved(&TraceSpec { kill_on_exit: true, ..TraceSpec::default() }), Some("--kill-on-exit"));
    }
}
