//! The request that Stride makes to the engine.

use super::{Needs, cgroups, command, command_limit};
use crate::options::Options;
use anyhow::Result;
use stride_event::{
    CallSet, Counting, Endings, FileFilter, Injection, Limits, Machine, StackRate, TraceSpec, WantedThreads,
};
use stride_filter::Expression;

/// The kernel's limit: a thread's name and its NUL.
const TASK_COMM_LEN: usize = 16;

/// The request for views with these needs. The functions of libraries that are traced are found later, by whoever tells which cannot be.
pub fn spec(options: &Options, needs: &Needs) -> Result<TraceSpec> {
    let about_files = options.filters.are_about_files();
    // A thread's name is needed whole (prctl).
    let text = if needs.thread_names { options.decoding.text.max(TASK_COMM_LEN) } else { options.decoding.text };
    Ok(TraceSpec {
        command: options.command.as_ref().map(command::resolve).transpose()?,
        machine: machine(options)?,
        calls: calls(options, needs),
        names: calls_beside(options, needs),
        limits: Limits {
            text,
            command_text: command_limit::command_text(options, needs),
            elements: options.decoding.elements(),
            received: needs.received,
        },
        dump_read: options.decoding.dump_read.clone(),
        dump_write: options.decoding.dump_write.clone(),
        // The file behind a path or descriptor may change during the call.
        entries: needs.entries || about_files,
        want_ip: options.lines.leader.ip,
        want_times: needs.times || options.spec.waits,
        // (A recording says in front whether it has waits. All calls of a machine are too many for the one ring that waits take.)
        waits_if_possible: needs.waits && !needs.answers_noted && options.spec.machine.is_none(),
        want_system_time: needs.system_times,
        counting: counting(options, needs),
        file_filter: file_filter(options, needs),
        endings: endings(options, needs),
        wanted_threads: wanted_threads(options, needs),
        signals: needs.signals,
        // If filters hide calls, views cannot follow descriptors by themselves.
        descriptors: needs.descriptors
            || !options.filters.paths.is_empty()
            || needs.naming_calls && !options.filters.shows_all_calls(),
        pid_namespaces: options.looks_processes_up(),
        stacks: needs.stack_rate(),
        no_memory: !needs.memory && !about_files,
        injections: injections(options),
        ..options.spec.clone()
    })
}

/// The part of the machine that is traced.
fn machine(options: &Options) -> Result<Option<Machine>> {
    let Some(machine) = &options.spec.machine else { return Ok(None) };
    let cgroups = options.cgroups.iter().map(|path| cgroups::find(path)).collect::<Result<_>>()?;
    Ok(Some(Machine { cgroups, ..machine.clone() }))
}

/// The calls to report. The engine may skip those for which an expression cannot hold.
fn calls(options: &Options, needs: &Needs) -> CallSet {
    if needs.all_calls {
        return CallSet::all();
    }
    let chosen = options
        .filters
        .conditions
        .iter()
        .fold(options.filters.trace.clone(), |calls, of| calls.intersection(&of.early().calls));
    // Those that switch are needed, however they are filtered.
    let switches = options.filters.switch_on.iter().chain(&options.filters.switch_off);
    let calls = switches.fold(chosen, |calls, of| calls.union(&of.early().calls));
    injections(options).iter().fold(calls, |calls, rule| calls.union(&rule.calls))
}

/// The rules that change calls, for the calls that are traced. (Whether they are shown is another matter.)
fn injections(options: &Options) -> Vec<Injection> {
    let limited =
        |rule: &Injection| Injection { calls: rule.calls.clone().intersection(&options.filters.trace), ..rule.clone() };
    options.spec.injections.iter().map(limited).collect()
}

/// How calls to report return. (`-n` may show the number of a call that is not shown itself.)
fn endings(options: &Options, needs: &Needs) -> Endings {
    if needs.all_calls || options.filters.switches() {
        return Endings::default();
    }
    options
        .filters
        .conditions
        .iter()
        .fold(options.filters.endings(), |endings, of| endings.and(of.early().endings.clone()))
}

/// The threads whose calls to report.
fn wanted_threads(options: &Options, needs: &Needs) -> WantedThreads {
    if needs.all_calls || options.filters.switches() {
        return WantedThreads::default();
    }
    options.filters.conditions.iter().fold(WantedThreads::default(), |threads, of| threads.and(of.early().threads))
}

/// The calls that the engine may skip because of `-P` and `--trace-fds`. Descriptors may stand for paths.
fn file_filter(options: &Options, needs: &Needs) -> Option<FileFilter> {
    match &options.filters.trace_fds {
        _ if needs.all_calls || options.filters.switches() => None,
        Some(fds) if options.filters.paths.is_empty() => Some(FileFilter::Fds(fds.clone())),
        None if options.filters.paths.is_empty() => None,
        _ => Some(FileFilter::Files),
    }
}

/// The calls that the engine may count by itself: all calls of the summary, if the engine can select them.
fn counting(options: &Options, needs: &Needs) -> Option<Counting> {
    let by_files = options.filters.are_about_files();
    let by_reader = options.filters.switches() || !options.filters.conditions.iter().all(Expression::is_early);
    if options.syscall_limit.is_some()
        || by_files
        || by_reader
        || options.filters.called_from.is_some()
        || needs.all_calls
    {
        return None;
    }
    needs.counting.map(|counting| Counting { only: !needs.calls, ..counting })
}

/// The calls that the engine reports although the filters leave them out. They tell views which programs threads run,
/// and threads' names.
pub fn naming_calls(options: &Options, needs: &Needs) -> CallSet {
    if (needs.naming_calls || needs.tracked_names) && !options.filters.shows_all_calls() {
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
