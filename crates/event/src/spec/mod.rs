//! The request to an engine: the command line in the terms of engines.

pub mod endings;
pub mod glob;
pub mod inject;
pub mod machine;
pub mod wanted_threads;

use crate::spec::inject::{Chance, InjectedResult, Invocations, Poke, ThreadKey};
use crate::{CountBy, Endings, Machine, Ns, Tid, WantedThreads};
use std::ffi::OsString;
use std::path::PathBuf;
use stride_syscalls::Abi;

/// A set of syscall numbers per ABI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallSet {
    /// Bit `nr` of `bits[abi]`.
    bits: [Vec<u64>; Abi::ALL.len()],
    /// True if numbers outside the bitmaps (unknown calls) belong to the set.
    pub unknown: bool,
}

impl CallSet {
    /// Numbers from this one on are unknown calls.
    pub const NUMBERS: usize = 1024;

    /// No call.
    pub fn empty() -> CallSet {
        CallSet { bits: std::array::from_fn(|_| vec![0; Self::NUMBERS / 64]), unknown: false }
    }

    /// Every call, unknown ones included.
    pub fn all() -> CallSet {
        CallSet { bits: std::array::from_fn(|_| vec![!0; Self::NUMBERS / 64]), unknown: true }
    }

    /// Adds a call. An unknown number changes nothing.
    pub fn insert(&mut self, abi: Abi, nr: u32) {
        if let Some(word) = self.bits[abi as usize].get_mut(nr as usize / 64) {
            *word |= 1 << (nr % 64);
        }
    }

    /// Takes a call away.
    pub fn remove(&mut self, abi: Abi, nr: u32) {
        if let Some(word) = self.bits[abi as usize].get_mut(nr as usize / 64) {
            *word &= !(1 << (nr % 64));
        }
    }

    /// True if the call belongs to the set.
    pub fn contains(&self, abi: Abi, nr: u64) -> bool {
        match self.bits[abi as usize].get((nr / 64) as usize) {
            Some(word) => word & (1 << (nr % 64)) != 0,
            None => self.unknown,
        }
    }

    /// True if every call belongs to the set.
    pub fn is_all(&self) -> bool {
        *self == CallSet::all()
    }

    /// The bitmaps, one ABI after the other.
    pub fn words_mut(&mut self) -> impl Iterator<Item = &mut u64> {
        self.bits.iter_mut().flatten()
    }

    /// The complement of the set.
    pub fn inverted(mut self) -> CallSet {
        for words in &mut self.bits {
            for word in words {
                *word = !*word;
            }
        }
        self.unknown = !self.unknown;
        self
    }

    /// The calls that are in both.
    pub fn intersection(self, other: &CallSet) -> CallSet {
        self.inverted().union(&other.clone().inverted()).inverted()
    }

    /// The calls that are in either.
    pub fn union(mut self, other: &CallSet) -> CallSet {
        for (words, others) in self.bits.iter_mut().zip(&other.bits) {
            for (word, other) in words.iter_mut().zip(others) {
                *word |= other;
            }
        }
        self.unknown |= other.unknown;
        self
    }
}

/// The tracer's place in the process tree, as the command's parent sees it (`-D`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Daemonize {
    /// The tracer is the command's parent.
    #[default]
    No,
    /// `-D`: the tracer is a grandchild. The command replaces the process that was started.
    Grandchild,
    /// `-DD`: as `-D`, in a process group of its own.
    ProcessGroup,
    /// `-DDD`: as `-D`, in a session of its own.
    Session,
}

/// The times at which signals may end or stop the tracer (`-I`, 1 to 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interruptible {
    /// The dispositions of fatal signals stay as they are.
    Anywhere,
    /// Fatal signals end tracing between calls.
    Waiting,
    /// Fatal signals are ignored.
    Never,
    /// SIGTSTP is ignored, too.
    NeverTstp,
}

/// A program to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Already resolved along `PATH`.
    pub path: PathBuf,
    /// With `argv[0]`.
    pub args: Vec<OsString>,
    /// The whole environment (`-E` applied).
    pub env: Vec<(OsString, OsString)>,
    /// `-u`: user and group ids and supplementary groups to run as.
    pub user: Option<(u32, u32, Vec<u32>)>,
}

/// How a ptrace engine has threads stopped: at all calls, or by a filter of seccomp(2) at wanted calls only (`--seccomp-bpf`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seccomp {
    /// It stops them at all calls.
    Off,
    /// Used if the user cannot notice.
    Auto,
    /// Asked for: an engine that cannot do it says so.
    On,
}

/// Counting calls (`-c`, `-C`) in the engine, if it can ([`crate::Counted`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counting {
    /// The calls themselves are not shown: counted ones need not be reported.
    pub only: bool,
    /// Time on a CPU is wanted, too.
    pub cpu_time: bool,
    /// Totals of the time on a CPU are all that is wanted of times, and may be estimated where calls are very many.
    pub estimated: bool,
    /// Histograms of the times are wanted.
    pub latencies: bool,
    /// Bytes moved are wanted.
    pub bytes: bool,
    /// The keys by which calls are counted.
    pub by: CountBy,
    /// The counts are taken again and again while the program runs.
    pub intervals: bool,
}

impl Counting {
    /// Counting that serves both: rows have the keys of both, and may be added up by those of one.
    pub fn and(self, other: Counting) -> Counting {
        Counting {
            only: self.only && other.only,
            cpu_time: self.cpu_time || other.cpu_time,
            estimated: self.estimated && other.estimated,
            latencies: self.latencies || other.latencies,
            bytes: self.bytes || other.bytes,
            by: self.by.and(other.by),
            intervals: self.intervals || other.intervals,
        }
    }

    /// Calls are counted by their number alone, and the counts are taken once, at the end.
    pub fn is_by_number(&self) -> bool {
        self.by == CountBy::SYSCALL && !self.intervals
    }
}

/// The property that the shown calls have in common (`-P`, `--trace-fds`). An engine may skip calls for which this cannot be true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFilter {
    /// They name a path or a descriptor.
    Files,
    /// They name one of these descriptors.
    Fds(FdSet),
}

/// The share of the calls that come with their stacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StackRate {
    /// None of it.
    #[default]
    None,
    /// The first calls from each place in the program, then few of many ([`crate::Call::stack_calls`]). An engine that cannot take
    /// stacks takes none.
    Sampled,
    /// All calls, and signals.
    All,
}

/// The captured part of the virtual CPUs that a program runs (`--kvm`): the struct that KVM shares with the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VcpuDetail {
    /// None of it.
    #[default]
    None,
    /// Its beginning after a run, with the reason why the CPU stopped.
    Reason,
    /// All of it before and after a run.
    State,
}

/// A rule: which calls are changed, and how. Of several rules for a call, the last one counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Injection {
    /// The calls that it changes.
    pub calls: CallSet,
    /// The call is not made. Its result is this one.
    pub result: Option<InjectedResult>,
    /// By ABI: the number of the call that is made in its place, if there is to be one. Only with `result`.
    pub instead: [Option<u32>; Abi::ALL.len()],
    /// The signal that the thread gets when it enters the call.
    pub signal: Option<i32>,
    /// The time that the thread waits before it makes the call, and before it goes on after the call.
    pub delay_enter: Option<Ns>,
    /// The same behind the call.
    pub delay_exit: Option<Ns>,
    /// Memory to overwrite before the call is made, and after it has returned.
    pub poke_enter: Vec<Poke>,
    /// The same behind the call.
    pub poke_exit: Vec<Poke>,
    /// The bytes that the call is asked to move, at most. Calls of which no register says so are left alone.
    pub short: Option<u64>,
    /// The choice of a thread's calls to change, by their order.
    pub when: Invocations,
    /// The only thread whose calls are changed. `None`: any.
    pub thread: Option<ThreadKey>,
    /// With which probability each of them is changed. `None`: always.
    pub chance: Option<Chance>,
}

impl Injection {
    /// A rule for these calls that changes nothing yet.
    pub fn into_calls(calls: CallSet) -> Injection {
        Injection {
            calls,
            result: None,
            instead: [None; Abi::ALL.len()],
            signal: None,
            delay_enter: None,
            delay_exit: None,
            poke_enter: Vec::new(),
            poke_exit: Vec::new(),
            short: None,
            when: Invocations::ALL,
            thread: None,
            chance: None,
        }
    }

    /// True if the rule changes the `n`-th call that a thread makes of this syscall, counted from 1.
    pub fn changes(&self, thread: ThreadKey, abi: Abi, nr: u64, n: u64) -> bool {
        let is_wanted = self.thread.is_none_or(|wanted| wanted == thread);
        is_wanted && self.when.contains(n) && self.chance.is_none_or(|chance| chance.falls(thread, abi, nr, n))
    }
}

/// Everything an engine needs to know.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceSpec {
    /// The program to start and to trace.
    pub command: Option<Command>,
    /// Threads or processes to attach to; with `follow`, all threads of each.
    pub attach: Vec<Tid>,
    /// The whole machine is traced, in place of a command or of processes to attach to.
    pub machine: Option<Machine>,
    /// `-f`.
    pub follow: bool,
    /// `--max-depth`: so many generations of children are followed.
    pub max_depth: Option<u32>,
    /// Calls to report. The engine may skip the others as early as it can.
    pub calls: CallSet,
    /// Calls to report whatever `calls`, `file_filter` and their outcomes say, and not to count: views follow the names of
    /// threads by them.
    pub names: CallSet,
    /// Strings and arrays are captured up to these limits.
    pub limits: crate::Limits,
    /// Descriptors whose transfers are dumped (`-e read=`, `-e write=`), and captured whole.
    pub dump_read: crate::spec::FdSet,
    /// The same for transfers to the descriptor.
    pub dump_write: crate::spec::FdSet,
    /// `--seccomp-bpf`.
    pub seccomp: Seccomp,
    /// `--kill-on-exit`.
    pub kill_on_exit: bool,
    /// `-b execve`: release threads that call it (except for the command's own first time).
    pub detach_on_execve: bool,
    /// `-D`.
    pub daemonize: Daemonize,
    /// `-I`.
    pub interruptible: Interruptible,
    /// Report `Enter` events (text). Without them, an engine may report calls only when they return.
    pub entries: bool,
    /// `-i`: read the instruction pointer.
    pub want_ip: bool,
    /// `-t`, `-r`, `-T`, `-c`: times are shown or added up. Without it, an engine may leave `Call::entered` and
    /// `returned` at 0.
    pub want_times: bool,
    /// `-c` without `-w`: the CPU time of calls in the kernel is added up.
    pub want_system_time: bool,
    /// Calls are counted, by the engine if it can.
    pub counting: Option<Counting>,
    /// Calls are chosen by the files that they name.
    pub file_filter: Option<FileFilter>,
    /// How the shown calls return. An engine may skip calls that return otherwise.
    pub endings: Endings,
    /// The threads whose calls are wanted. The engine may report others.
    pub wanted_threads: WantedThreads,
    /// Signals are shown. Without it, an engine may skip them.
    pub signals: bool,
    /// The files and sockets of descriptors are shown, or calls are chosen by them.
    pub descriptors: bool,
    /// The ids of threads in PID namespaces are wanted (`Event::NamespaceId`). An engine whose threads are there when they are asked about
    /// may leave them to /proc.
    pub pid_namespaces: bool,
    /// Memory need not be captured at all (`-c` alone).
    pub no_memory: bool,
    /// The stacks that come with calls. The engine asks the [`crate::Unwind`] that it is given for them.
    pub stacks: StackRate,
    /// Functions of libraries that are traced (`--library-calls`, `--usdt`).
    pub library: Vec<crate::ProbedFile>,
    /// Operations of io_uring are traced (`--io-uring`).
    pub operations: bool,
    /// Calls come with the waits of their threads (`--waits`).
    pub waits: bool,
    /// Likewise, but an engine that cannot measure waits does without.
    pub waits_if_possible: bool,
    /// How calls are changed.
    pub injections: Vec<Injection>,
    /// The captured part of virtual CPUs.
    pub vcpus: VcpuDetail,
}

impl TraceSpec {
    /// All calls that are reported.
    pub fn reported(&self) -> CallSet {
        self.calls.clone().union(&self.names)
    }
}

impl TraceSpec {
    /// An engine that can measure waits does so.
    pub fn wants_waits(&self) -> bool {
        self.waits || self.waits_if_possible
    }
}

impl Default for TraceSpec {
    /// All calls of no process, with strace's limits and nothing else.
    fn default() -> TraceSpec {
        TraceSpec {
            command: None,
            attach: Vec::new(),
            machine: None,
            follow: false,
            max_depth: None,
            calls: CallSet::all(),
            names: CallSet::empty(),
            limits: crate::Limits { text: 32, command_text: 0, elements: 32, received: true },
            dump_read: FdSet::none(),
            dump_write: FdSet::none(),
            seccomp: Seccomp::Off,
            kill_on_exit: false,
            detach_on_execve: false,
            daemonize: Daemonize::No,
            interruptible: Interruptible::Waiting,
            entries: false,
            want_ip: false,
            want_times: false,
            want_system_time: false,
            counting: None,
            file_filter: None,
            endings: Endings::default(),
            wanted_threads: WantedThreads::default(),
            signals: true,
            descriptors: false,
            pid_namespaces: false,
            no_memory: false,
            stacks: StackRate::None,
            library: Vec::new(),
            operations: false,
            waits: false,
            waits_if_possible: false,
            injections: Vec::new(),
            vcpus: VcpuDetail::None,
        }
    }
}

/// A set of descriptors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FdSet {
    /// The descriptors of the set, or those that are not in it.
    pub listed: Vec<i32>,
    /// The set is all descriptors but the listed ones.
    pub inverted: bool,
}

impl FdSet {
    /// No descriptor.
    pub fn none() -> FdSet {
        FdSet::default()
    }

    /// True if the descriptor belongs to the set.
    pub fn contains(&self, fd: i32) -> bool {
        self.listed.contains(&fd) != self.inverted
    }

    /// True if no descriptor belongs to the set.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty() && !self.inverted
    }
}
