//! The settings of one trace that the programs are specialised for.

use crate::ring::size::RingSize;
use crate::settings::Settings;
use stride_event::{
    CountBy, Counting, Endings, FdSet, FileFilter, Machine, ProbedFile, StackRate, TraceSpec, WantedThreads,
};

#[derive(Clone, Copy, Debug)]
pub struct Config<'a> {
    pub follow: bool,
    pub times: bool,
    /// Instruction pointers are shown.
    pub ip: bool,
    pub unknown: bool,
    /// Threads that call execve are released (`-b`).
    pub detach_on_execve: bool,
    pub signals: bool,
    pub counting: Option<Counting>,
    /// The descriptors that calls are chosen by.
    pub fds: Option<&'a FdSet>,
    /// How wanted calls return.
    pub endings: &'a Endings,
    /// The threads whose calls are wanted.
    pub wanted_threads: WantedThreads,
    /// Running threads are searched for (`-p`, `--all`).
    pub attach: bool,
    pub machine: Option<&'a Machine>,
    pub max_depth: Option<u32>,
    /// All threads that share memory with a traced thread are traced as well.
    pub whole_spaces: bool,
    /// The containers of threads are told.
    pub containers: bool,
    /// The ids of threads in PID namespaces are told.
    pub namespaces: bool,
    /// Calls come with their stacks, all or some.
    pub stacks: StackRate,
    /// The functions of libraries that are traced.
    pub library: &'a [ProbedFile],
    /// Operations of io_uring are traced.
    pub operations: bool,
    /// Bytes of their texts.
    pub text: usize,
    pub ring: RingSize,
    /// The number of rings, and the size of each.
    pub rings: u32,
    /// Programs of other objects are attached first, because what they tell of a call must come before the call.
    pub others_first: bool,
    /// The functions of the wanted calls may be watched in place of all calls ([`crate::functions`]).
    pub functions: bool,
    /// Only threads are traced that the user of a broker may trace ([`crate::loading::programs::Programs::guard`]).
    pub guarded: bool,
}

impl<'a> Config<'a> {
    /// The settings for this trace.
    pub fn of(spec: &'a TraceSpec, settings: &Settings) -> Config<'a> {
        Config {
            follow: spec.follow,
            times: spec.want_times,
            ip: spec.want_ip,
            unknown: spec.calls.unknown,
            detach_on_execve: spec.detach_on_execve,
            signals: spec.signals,
            counting: spec.counting,
            fds: match &spec.file_filter {
                Some(FileFilter::Fds(fds)) => Some(fds),
                _ => None,
            },
            endings: &spec.endings,
            wanted_threads: spec.wanted_threads,
            attach: !spec.attach.is_empty() || spec.machine.is_some(),
            machine: spec.machine.as_ref(),
            max_depth: spec.max_depth,
            whole_spaces: shares_no_memory(spec),
            containers: tells_containers(spec),
            namespaces: spec.pid_namespaces,
            stacks: if cfg!(target_arch = "x86_64") { spec.stacks } else { StackRate::None },
            library: &spec.library,
            operations: spec.operations,
            text: spec.limits.text,
            ring: settings.ring(spec),
            // Descriptors and waits are reported in one ring.
            rings: if spec.descriptors || spec.wants_waits() { 1 } else { settings.rings(spec) },
            others_first: spec.descriptors || spec.wants_waits(),
            functions: may_watch_functions(spec) && !settings.own_children,
            guarded: false,
        }
    }

    pub fn count_only(&self) -> bool {
        self.counting.is_some_and(|c| c.only)
    }

    /// Programs may be attached as soon as they are loaded: only a command is traced, which waits until everything is attached.
    pub fn attaches_at_once(&self) -> bool {
        !self.attach && !self.guarded && !self.others_first
    }

    /// Programs may be attached to the functions of the wanted calls. (A broker does not do that.)
    pub fn may_hook(&self) -> bool {
        self.functions && !self.guarded
    }

    /// Directories in the paths to wanted cgroups.
    pub fn cgroup_parts(&self) -> u32 {
        let paths = self.machine.iter().flat_map(|machine| &machine.cgroups);
        paths.map(|path| path.names.len() as u32).sum()
    }

    /// The times of calls may be estimated from some of them.
    pub fn may_estimate(&self) -> bool {
        let enough = self.counting.is_some_and(|c| c.only && c.estimated && c.is_by_number());
        enough && self.times && !self.guarded && !self.endings.needs_times() && self.stacks == StackRate::None
    }

    /// Calls are counted by other keys than their numbers.
    pub fn counts_more(&self) -> bool {
        self.counting.is_some_and(|c| !c.is_by_number())
    }

    /// Only failures have other keys, and nothing but sums is wanted of the calls that succeed. So these are counted by their numbers, which is cheaper.
    pub fn counts_failures(&self) -> bool {
        let by_error = CountBy { errno: true, ..CountBy::SYSCALL };
        !self.times && self.counting.is_some_and(|c| c.by == by_error && !c.latencies && !c.cpu_time)
    }
}

/// True if the functions of the wanted calls tell as much as the tracepoints of all calls.
fn may_watch_functions(spec: &TraceSpec) -> bool {
    cfg!(target_arch = "x86_64")
        && spec.counting.is_none()
        && spec.stacks == StackRate::None
        && spec.library.is_empty()
        && !spec.operations
        && !spec.descriptors
        && !spec.wants_waits()
        // (Threads that are not traced may become so when they change their user.)
        && spec.machine.as_ref().is_none_or(|machine| machine.user.is_none())
}

/// True if no thread that is not traced shares memory with a traced one: all descendants of the command are traced.
fn shares_no_memory(spec: &TraceSpec) -> bool {
    spec.follow
        && spec.max_depth.is_none()
        && spec.attach.is_empty()
        && spec.machine.is_none()
        && !spec.detach_on_execve
}

/// True if views need the containers of threads. Counts need them only if the container is one of their keys.
pub fn tells_containers(spec: &TraceSpec) -> bool {
    let needless = spec.counting.is_some_and(|counting| counting.only && !counting.by.container);
    spec.machine.as_ref().is_some_and(|machine| !machine.containers.is_empty() || !needless)
}
