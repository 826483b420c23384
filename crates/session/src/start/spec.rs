//! The request that Stride makes to the engine.

use super::{cgroups, command};
use crate::layout;
use crate::options::Options;
use crate::start::Needs;
use anyhow::Result;
use stride_event::{
    CallSet, Counting, Endings, FileFilter, Injection, Limits, Machine, Seccomp, StackRate, TraceSpec, WantedThreads,
};
use stride_filter::Expression;

/// The kernel's limit: a thread's name and its NUL.
const TASK_COMM_LEN: usize = 16;

/// The request for views with these needs.
pub fn spec(options: &Options, needs: &Needs) -> Result<TraceSpec> {
    let by_path = !options.paths.is_empty() || options.trace_fds.is_some();
    // A thread's name is needed whole (prctl).
    let text = if needs.thread_names { options.string_limit.max(TASK_COMM_LEN) } else { options.string_limit };
    Ok(TraceSpec {
        command: options.command.as_ref().map(command::resolve).transpose()?,
        attach: options.attach.clone(),
        machine: machine(options)?,
        follow: options.follow_forks,
        max_depth: options.max_depth,
        calls: calls(options, needs),
        names: calls_beside(options, needs),
        limits: Limits {
            text,
            command_text: layout::command_text(options, needs),
            elements: layout::elements(options),
            received: needs.received,
        },
        dump_read: options.dump_read.clone(),
        dump_write: options.dump_write.clone(),
        seccomp: if options.seccomp_bpf { Seccomp::On } else { Seccomp::Auto },
        kill_on_exit: options.kill_on_exit,
        detach_on_execve: options.detach_on_exec,
        daemonize: layout::daemonize(options.daemonize),
        interruptible: layout::interruptible(options.interruptible),
        // The file behind a path or descriptor may change during the call.
        entries: needs.entries || by_path,
        want_ip: options.instruction_pointer,
        want_times: needs.times,
        want_system_time: needs.system_times,
        counting: counting(options, needs),
        about: about(options, needs),
        endings: endings(options, needs),
        wanted_threads: wanted_threads(options, needs),
        signals: needs.signals,
        // If filters hide calls, views cannot follow descriptors by themselves.
        descriptors: needs.descriptors || !options.paths.is_empty() || needs.naming_calls && !options.shows_all_calls(),
        pid_namespaces: options.looks_processes_up(),
        stacks: needs.stack_rate(),
        no_memory: !needs.memory && !by_path,
        // Found by whoever tells what cannot be traced.
        library: Vec::new(),
        operations: options.io_uring,
        injections: injections(options),
        vcpus: options.vcpus,
    })
}

/// The part of the machine that is traced. Its cgroups are looked up now.
fn machine(options: &Options) -> Result<Option<Machine>> {
    let Some(machine) = &options.machine else { return Ok(None) };
    let cgroups = options.cgroups.iter().map(|path| cgroups::id(path)).collect::<Result<_>>()?;
    Ok(Some(Machine { cgroups, ..machine.clone() }))
}

/// The calls to report. The engine may skip those for which an expression cannot hold.
fn calls(options: &Options, needs: &Needs) -> CallSet {
    if needs.all_calls {
        return CallSet::all();
    }
    let chosen =
        options.conditions.iter().fold(options.trace.clone(), |calls, of| calls.intersection(&of.early().calls));
    // Those that switch are needed, however they are filtered.
    let switches = options.switch_on.iter().chain(&options.switch_off);
    let calls = switches.fold(chosen, |calls, of| calls.union(&of.early().calls));
    injections(options).iter().fold(calls, |calls, rule| calls.union(&rule.calls))
}

/// The rules that change calls, for the calls that are traced. (Whether they are shown is another matter.)
fn injections(options: &Options) -> Vec<Injection> {
    let limited =
        |rule: &Injection| Injection { calls: rule.calls.clone().intersection(&options.trace), ..rule.clone() };
    options.injections.iter().map(limited).collect()
}

/// How calls to report return. (`-n` may show the number of a call that is not shown itself.)
fn endings(options: &Options, needs: &Needs) -> Endings {
    if needs.all_calls || options.switches() {
        return Endings::default();
    }
    options.conditions.iter().fold(options.endings(), |endings, of| endings.and(of.early().endings.clone()))
}

/// The threads whose calls to report.
fn wanted_threads(options: &Options, needs: &Needs) -> WantedThreads {
    if needs.all_calls || options.switches() {
        return WantedThreads::default();
    }
    options.conditions.iter().fold(WantedThreads::default(), |threads, of| threads.and(of.early().threads))
}

/// The calls that the engine may skip because of `-P` and `--trace-fds`. Descriptors may stand for paths.
fn about(options: &Options, needs: &Needs) -> Option<FileFilter> {
    match &options.trace_fds {
        _ if needs.all_calls || options.switches() => None,
        Some(fds) if options.paths.is_empty() => Some(FileFilter::Fds(fds.clone())),
        None if options.paths.is_empty() => None,
        _ => Some(FileFilter::Files),
    }
}

/// The calls that the engine may count by itself: all calls of the summary, if the engine can select them.
fn counting(options: &Options, needs: &Needs) -> Option<Counting> {
    let by_files = !options.paths.is_empty() || options.trace_fds.is_some();
    let by_reader = options.switches() || !options.conditions.iter().all(Expression::is_early);
    if options.syscall_limit.is_some() || by_files || by_reader || options.called_from.is_some() || needs.all_calls {
        return None;
    }
    needs.counting.map(|counting| Counting { only: !needs.calls, ..counting })
}

/// The calls that the engine reports although the filters leave them out. They tell views which programs threads run,
/// and threads' names.
pub fn naming_calls(options: &Options, needs: &Needs) -> CallSet {
    if (needs.naming_calls || needs.tracked_names) && !options.shows_all_calls() {
        stride_track::naming_calls()
    } else {
        CallSet::empty()
    }
}

/// The naming calls, and for stacks, the calls that map code, because the mappings decide what stacks mean.
fn calls_beside(options: &Options, needs: &Needs) -> CallSet {
    let names = naming_calls(options, needs);
    if needs.stack_rate() != StackRate::None { names.union(&stride_stacks::mapping_calls()) } else { names }
}
