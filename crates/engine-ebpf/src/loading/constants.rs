//! The settings as the programs have them: constants for the verifier, which drops the code that they switch off.

use crate::counting::ticks;
use crate::loading::config::Config;
use crate::loading::probe;
use crate::plans::Tables;
use crate::ring::backlog::backlog_max;
use crate::wire::{bound, call_flag, rodata};
use stride_event::{Bounds, CountBy, StackRate, WantedThreads, comm_words};
use stride_syscalls::multiplexed;

/// Sets those that follow from what is traced.
pub fn set(rodata: &mut rodata, config: &Config<'_>, tables: &Tables) {
    rodata.follow = config.follow;
    rodata.take_times = config.times;
    rodata.take_stacks = config.stacks != StackRate::None;
    rodata.sample_stacks = config.stacks == StackRate::Sampled;
    rodata.ends_with_memory = probe::release() >= (6, 16);
    rodata.stamp = config.times || config.rings > 1;
    rodata.tell_more = config.times || config.ip || config.rings > 1;
    rodata.ring_count = config.rings;
    rodata.trace_unknown = config.unknown;
    rodata.detach_on_exec = config.detach_on_execve;
    rodata.max_depth = config.max_depth.unwrap_or(u32::MAX);
    if let Some(machine) = config.machine {
        rodata.all = true;
        rodata.want_cgroups = !machine.cgroups.is_empty() || !machine.containers.is_empty();
        rodata.tell_cgroups = config.containers;
        rodata.cgroup_part_count = config.cgroup_parts();
        rodata.want_user = machine.user.is_some();
        rodata.wanted_uid = machine.user.unwrap_or(0);
        rodata.comm_globs = machine.comm.len() as u32;
        rodata.exe_globs = machine.exe.len() as u32;
    }
    rodata.tell_ids = config.namespaces;
    rodata.guarded = config.guarded;
    rodata.count_calls = config.counting.is_some();
    rodata.count_only = config.count_only();
    rodata.count_cpu = config.counting.is_some_and(|c| c.cpu_time);
    rodata.count_latencies = config.counting.is_some_and(|c| c.latencies);
    rodata.count_bytes = config.counting.is_some_and(|c| c.bytes);
    rodata.count_more = config.counts_more();
    rodata.count_failures = config.counts_failures();
    let by = config.counting.map_or(CountBy::default(), |c| c.by);
    rodata.by_call = by.syscall;
    rodata.by_error = by.errno;
    rodata.by_pid = by.pid;
    rodata.by_tid = by.tid;
    rodata.by_comm = by.comm;
    rodata.by_size = by.size;
    rodata.by_cgroup = by.container;
    rodata.by_duration = by.duration;
    rodata.by_user = by.user;
    rodata.few_calls = tables.few;
    use call_flag as has;
    rodata.seen_entering = tables.numbers(&[has::CALL_ENTRY, has::CALL_MIXED, has::CALL_EXEC]);
    let by_any = [has::CALL_TRACED, has::CALL_EXEC, has::CALL_CLONE, has::CALL_SETS_USER];
    let by_stacks = [has::CALL_MAPS, has::CALL_REMAPS, has::CALL_ATTACHES];
    let by_stacks: &[_] = if config.stacks == StackRate::None { &[] } else { &by_stacks };
    rodata.seen_leaving = tables.numbers(&[&by_any[..], by_stacks].concat());
    // Other threads change users and code, too.
    let asks_others = config.machine.is_some_and(|machine| machine.user.is_some())
        || !config.whole_spaces && config.stacks != StackRate::None;
    rodata.thread_first = !tables.few && !asks_others;
    let needs_call = tables.names || config.stacks != StackRate::None || config.endings.bytes.is_some();
    // (A call that sets ids is looked at however it returns.)
    let chooses = !(config.endings.is_all() && config.wanted_threads.is_all());
    rodata.outcome_first = rodata.thread_first && !config.guarded && chooses && !needs_call;
    if let Some(fds) = config.fds {
        rodata.filter_fds = true;
        let high = |fd| fd >= bound::FD_MAX.0 as i32;
        for fd in (0..bound::FD_MAX.0 as usize).filter(|&fd| fds.contains(fd as i32)) {
            rodata.wanted_fds[fd / 64] |= 1 << (fd % 64);
        }
        rodata.want_high_fds = fds.inverted || fds.listed.iter().any(|&fd| high(fd));
    }
    let WantedThreads { processes, threads, comm } = config.wanted_threads;
    rodata.choose_ids = (processes, threads) != (Bounds::<i64>::ALL, Bounds::<i64>::ALL);
    (rodata.least_process, rodata.most_process) = (processes.least, processes.most);
    (rodata.least_thread, rodata.most_thread) = (threads.least, threads.most);
    rodata.choose_comm = comm.is_some();
    rodata.wanted_comm = comm_words(comm.unwrap_or_default());
    let endings = config.endings;
    rodata.skip_failed = endings.errors.is_empty();
    rodata.skip_successful = !endings.successes;
    rodata.choose_errors = !endings.errors.is_all();
    rodata.wanted_errors = endings.errors.words();
    rodata.choose_results = endings.results != Bounds::<i64>::ALL;
    (rodata.least_result, rodata.most_result) = (endings.results.least, endings.results.most);
    if let Some(bytes) = endings.bytes {
        rodata.choose_bytes = true;
        (rodata.least_bytes, rodata.most_bytes) = (bytes.least, bytes.most);
    }
    rodata.choose_durations = endings.needs_times();
    (rodata.least_duration, rodata.most_duration) = (endings.durations.least, endings.durations.most);
    rodata.skip_below_tick = ticks::longest().is_some_and(|tick| endings.durations.least >= tick);
    rodata.delay_writers = config.ring.wait;
    rodata.ring_drain_mark = config.ring.drain_mark();
    rodata.ring_high_mark = config.ring.high_mark();
    rodata.ring_call_limit = config.ring.limit();
    rodata.ring_wake_mark = config.ring.wake_mark();
    rodata.backlog_full = backlog_max() / 4;
    rodata.backlog_high_mark = config.ring.backlog_mark().min(rodata.backlog_full / 2);
    for (nr, first, target) in multiplexed::all() {
        let call = &mut rodata.target_calls[target_index(nr, first)];
        (call.nr, call.from) = (target.nr as u16, target.from);
        (call.pointer, call.words) = (target.pointer, target.words);
    }
}

/// Where the kernel side looks for the target of this multiplexed call (`target_index` in `bpf/multiplexed.h`).
fn target_index(nr: u32, first: u32) -> usize {
    let (call, newer) = (first & 0xffff, first >> 16 != 0);
    let at = match nr {
        multiplexed::OLD_SELECT => bound::TARGET_SELECT.0,
        multiplexed::OLD_MMAP => bound::TARGET_MMAP.0,
        multiplexed::SOCKETCALL => first,
        _ => bound::TARGET_CALLS.0 * (1 + u32::from(newer)) + call,
    };
    at as usize
}
