//! The eBPF engine: programs in the kernel copy the data of each call into a ring buffer, and the tracee never stops.
//!
//! # The files
//!
//! `bpf/` is the kernel side:
//!
//! - `stride.bpf.c` has the programs; `capture.h` the interpreter of capture plans, with `scratch.h` (its state), `read.h`
//!   (reading memory), `absent.h` (memory that is not present) and `pieces.h` (memory that a record has no room for); `simple.h` a short way for calls with little memory; `kinds.h` what a call's meaning depends on (netlink
//!   sockets, terminals); `stack.h` finds the stacks of calls (`stack_state.h` is its memory, `code_changes.h` knows when code was mapped, and `mapped_code.h` notes its mappings), `script.h` finds the frames of functions that an interpreter runs (`script_native.h` those on the native stack, `script_contexts.h` those that are contexts in arrays, and `script_waiting.h` those of tasks that wait), and `sites.h` chooses the calls if samples will do;
//! - `ends.h` has how threads begin and end, `signals.h` signals and stops, `counts.h` counting, `outcome.h` which calls are wanted by how they return, `fd.h` and `file-detail.h`
//!   descriptors;
//! - `wanted.h` decides which threads are traced if the whole machine is looked at (`--all`), with `glob.h` for patterns; `mounts.h` has the way from a file to the root of all mounts;
//! - `guard.h` keeps to what the user of a broker may see, and `broker.bpf.c` is an object of a broker's own questions;
//! - `functions.h` has programs at the kernel's functions of few wanted calls, which take the place of those at `sys_enter` and `sys_exit` in long runs;
//! - `library.h` has functions of libraries and USDT probes (`--library-calls`, `--usdt`), and `uring.h` operations of io_uring (`--io-uring`);
//! - `ring.h` and `backpressure.h` have sending, `maps.h` and `traced.h` the state, `ids.h` and `namespaces.h` ids in PID namespaces, `regs.h`
//!   registers for each architecture, `kernel.h` the few kernel structs that are used, relocated while loading;
//! - `functions.bpf.c` (the programs of `functions.h`), `files.bpf.c` (what descriptors refer to; `passed.h` has those in messages), `waits.bpf.c` (what threads
//!   wait for: `--waits`) and `poller.bpf.c` (the blocked-call poller) are objects of their own, which are only loaded when needed;
//! - `wire.h`, `wire_records.h` and `wire_stacks.h` are the only place for layouts that both sides share; build.rs makes the Rust mirror from the object's type
//!   information.
//!
//! The user side, outermost first: `engine` is the loop, `reading` makes calls and events of records, and `ring` takes records out of the rings.
//! `threads`, `memory`, `stacks`, `waits`, `library`, `operations` and `containers` each complete a part of what records tell. `kernel` is the kernel side as
//! the engine sees it, and `cgroup_paths` tells it where cgroups are that are wanted by path. `plans` lowers rows to tables, `loading` loads the programs, `functions` attaches some to the kernel's functions once a run is long, and `broker` has another process do that. `counting` adds up what the
//! kernel side counts. `settings` are the user's, `error` says why the engine cannot run, and `wire` is the mirror of wire.h.
//!
//! Architecture invariants: layouts shared with the kernel side are generated from wire.h, never typed; nothing is decoded here;
//! the kernel side copies what `stride_event::capture` would, op by op (`tests/engines_agree.rs`).
//!
//! # Rules for the kernel side
//!
//! These bind everyone who changes `bpf/`. The reasons and figures are below.
//!
//! - A call pays for nothing that the options do not need. Programs that are not needed are not loaded, and constants set while
//!   loading switch features off.
//! - The commonest question is asked first, with as little as it needs. If all calls are wanted, most of the machine's calls are of threads
//!   that are not traced, so `on_sys_exit` looks at the thread before it looks at the call (`thread_first`). If few calls are wanted, their numbers
//!   are bits of a constant (`seen_leaving`, `seen_entering`), and the thread comes last. How the call returned and the ids of its thread
//!   come next where they need nothing else of the call (`outcome_first`), and so does counting (`counted_at_once`).
//! - The interpreter keeps its loop state in the scratch map, not on the stack, so that the verifier converges at once.
//! - The reader holds neither the ring nor a lock while it does anything but copy records (`source`). Records of a ring are read in
//!   order.
//! - As long as no ring is beyond its high-water mark, the drain thread sleeps and costs nothing (`ring/backpressure.rs`).
//! - Stacks are not unwound in the kernel: it rereads the words that a known stack depends on (docs/stacks.md). A memo may outlive
//!   nothing that its words do not show, such as code; so whatever maps code raises the generation.
//! - What the verifier and the helpers do differs from kernel to kernel: `make test-kernels` tries Linux 6.1 and 6.12.
//!
//! # What is sent
//!
//! - **One record per call, when the call returns.** The saved registers still hold number and arguments then. A record has 72
//!   bytes and the captured memory. Times and pointers are appended only if they are asked for. The program on `sys_enter` is
//!   loaded only if times are wanted, or if a wanted call needs something from its entry: memory that the kernel overwrites
//!   (`Dir::is_lost`, or input and output at one address), or what the stack pointer leads to. Data from the entry is sent as a
//!   record of its own, and the reader joins the two. The kernel side itself keeps only 96 bytes per thread (`struct
//!   task_state`).
//! - **Large memory** (`pieces.h`). A record has room for 64 KiB and the block that begins there. Larger buffers, and the rest of many
//!   buffers, are sent in pieces before their record (`REC_MEMORY`), 2 MiB at most.
//! - **execve** is read at `sched_prepare_exec` (Linux 6.10): the call can no longer fail there, and the old memory still exists.
//!   Before 6.10 a kprobe on `security_bprm_check` does it (detaching fentry takes three times as long). Where the kernel's
//!   functions cannot be traced either, execve is read at its entry, when a string that the program never touched may not be in
//!   memory yet.
//! - **Descriptors** (`-y`, `-P`). `files.bpf.c` looks a call's descriptors up when the call is entered, and those that the call
//!   makes when it returns: path, device, ends of sockets. When the reader could ask /proc, they may be closed already. Each is
//!   sent in a record before the call's own (`Call::descriptors`). So are those that control messages pass (`passed.h`). Where a call's
//!   memory may hold descriptors elsewhere (a request of ioctl(2), a netlink message), all of the process's descriptors are sent, up to a limit.
//! - **What a file is** decides what some calls mean. A buffer that begins like a netlink message is copied whole if its socket
//!   is a netlink socket. Requests of terminals and questions to bpf(2) about an object say which kind of file they were about (`kinds.h`,
//!   `Call::file_kind`). When the reader could ask /proc, the number may already be another file's.
//! - **Absent pages.** The kernel side only reads memory that is present. What a returned call names in a page that is still absent
//!   is read by the reader (`memory/absent.rs`). The thread waits for that for a millisecond at most (`absent.h`).
//! - **Signals** that are ignored, or that the kernel turns into a kill, are never delivered, so they are reported when they are
//!   sent. If the receiver is in a call at that time, the reader holds the signal until the receiver says that it has left the
//!   call (`REC_LEFT`), and reports the signal after the call, as a ptrace tracer would.
//! - **The call that a thread was in when it was killed** is `Outcome::Gone`, as under ptrace, where such a thread never reaches
//!   its exit stop. A call for which seccomp kills the thread reaches neither `sys_enter` nor `sys_exit`, so it is found when the thread ends
//!   (`bpf/threads.h`), from the thread's registers. Before Linux 6.16 the thread's memory is gone by then, and addresses are shown.
//! - **Group-stops.** A SIGSTOP stops the thread that takes it, and that is seen. Its other threads are found stopped by the
//!   blocked-call poller, and so are stops by the terminal's signals, which may be ignored in the end. (A hook on every context
//!   switch would see them all, at a cost for everyone.)
//!
//! # Blocked calls
//!
//! A call that has not returned has sent nothing, so the reader looks for such calls: every 50 ms the blocked-call poller runs
//! `poller.bpf.c`, a task iterator, which flags threads that sleep inside a wanted call. A thread clears its flags when a call
//! returns. If a thread is still flagged the next time, it is still in the same call, and a record is sent. So calls themselves
//! pay nothing. The poller takes the record's place in the ring while the thread is off its CPU and its count of context switches
//! stands still, hence before anything that the thread sends itself: no call is reported to begin after it was reported to end.
//! The memory of a blocked call is read from user space (`engine_base::inside`). With `-p`, and when tracing ends, calls are reported when
//! they are seen the first time. The poller is loaded (6 ms) when it is needed first. It takes 150 µs with 200 threads on the
//! machine and 8 ms with 10,000, and never more than a tenth of the reader's time.
//!
//! # Waits
//!
//! `waits.bpf.c` (`--waits`) has programs at `sched_switch` and `sched_waking`. Every change of threads on the machine, every
//! wake-up and every interrupt pays for a look whether a traced thread is concerned. A call pays nothing unless its thread leaves its CPU. A thread that leaves its CPU asleep waits for a waker from then on, and for a CPU
//! from the moment at which it is woken; one that leaves its CPU though it could run on waits for a CPU, or is throttled. Whether it was in a call is read from
//! its saved registers. The waker is the thread on the CPU from which it was woken, or, if that CPU handles an interrupt, that interrupt: softirqs and handlers
//! say when they begin and end. A packet to this machine itself is handled in a softirq after its sender's call, so its sender is the waker (`netif_rx`).
//! A thread that is asleep when tracing of it begins has been so since then. When a thread is back on a CPU, a record tells of its wait (`REC_WAIT`), which `waits` joins with that of the call. If the ring has no room for the record, its
//! times count as times before the thread's next call. When tracing ends, an iterator sends such records of the waits that last, after the programs at calls are detached.
//! Through a broker, threads that the user may not see have no names there (`hide`).
//!
//! # Beginnings and ends
//!
//! - **The command** waits on a socket and is marked `TASK_BEFORE_EXEC`: nothing is shown until its execve. It is let go after
//!   its start was reported, so that its inherited descriptors and working directory can be looked up before.
//! - **Attaching.** A thread that is about to end is not adopted, because it may be past `sched_process_exit`. The kernel sets
//!   `PF_EXITING` before that tracepoint, so a thread without the flag after its adoption will be seen to end. If adoption and
//!   end happen at the same time, a flag in the thread's state (`life`) decides which of the two programs reports.
//! - **The end of a process** (`ends.h`). The end of its first thread is reported when all other threads are gone, as wait(2)
//!   does. Until then the kernel side keeps that thread among the absent, by process. The last thread to end, traced or not,
//!   reports the end. Or another thread's execve takes the first thread's place: a thread that was not traced before (no `-f`) is
//!   traced from then on, because from outside it is the same thread. (ptrace cannot do that: strace's trace ends there.) The
//!   execve of a traced thread is shown when it can no longer fail, before it ends the others.
//! - **Ids of threads** are those of Stride's own PID namespace. In the first namespace that is the number in the task, at no
//!   cost. A Stride in a nested namespace first runs a program (`ids.h`) that finds out how deep the namespace is and where
//!   struct pid has its list. If ids are translated (`TraceSpec::pid_namespaces`), a beginning thread sends its id in each of its namespaces
//!   (`REC_ID`), because /proc has them only while it lives.
//! - **Lost calls** are counted per thread, and the thread's next record carries the count. They are also counted in all, for
//!   threads that send no further record. The last sixteenth of the ring is reserved for records about threads that begin and
//!   end. If one of those is lost nevertheless, it is counted, too, and later records correct what the reader believes about the
//!   living threads. The kernel side's own count of living threads ends the run at 0, whatever the records said.
//!
//! # The whole machine
//!
//! With `--all` (`TraceSpec::machine`) a thread is traced if it passes the filters. `wanted.h` decides when a thread begins, when it
//! executes a program, and when it gets another name, user or cgroup; the task iterator decides about those that exist. A thread
//! that is not wanted has no state, and pays for nothing else than finding that out. A tracepoint sees one
//! thread of a process. If the change concerns all of them, the reader is asked (`REC_CHANGED`), and runs the iterator for that
//! process.
//!
//! - Stride's own process, its children, and the processes that read its output are in a map of ids (`left_out`).
//! - A container is a cgroup. The kernel side knows ids of cgroups only. It reports cgroups that begin and end (`REC_CGROUP`), and the
//!   reader tells it which are wanted. Threads that entered before the answer came are adopted by the iterator.
//! - No writer is delayed, unless that is asked for, and blocked calls are not looked for.
//! - The run does not end when no traced thread is left.
//!
//! # Counting and filters
//!
//! - **Counting** (`counts.h`): `-c` sends no records. Calls, errors, times and a log-linear histogram are kept per ABI, number
//!   and CPU; `event::Histogram` has the same buckets. Histograms are kept only if a column shows them. The time on a CPU is the
//!   whole time of the call. If its thread left the CPU meanwhile, the time off the CPU is subtracted. If the thread came back to another CPU, it is what the scheduler accounted to the thread.
//!   With other keys (`--by`: error, process, thread, name, size) calls are counted in a hash map, whose key is put together in
//!   the scratch map. `loading/programs.rs` sets constants that say which keys there are, so that `-c` pays for none. A call that finds no
//!   row in the map (it has 16,384) is sent, and the reader counts it.
//! - **Very many calls are not all timed** (`counting/timing.rs`). The program at entry, which only reads the clock for `-c`, costs as much as the one that
//!   counts. Where more than 50,000 calls are made a second, it is attached for 5 ms of each 100 ms, and the CPU times of the calls that were
//!   entered meanwhile stand for those of all (`Estimates`). Attaching is a change of the kernel's code for all CPUs, so it cannot be done much
//!   more often. A loop of getppid takes 235 ns a call instead of 380 (120 untraced, 201 with an empty program on `sys_exit` only). If a
//!   column needs the times of single calls, all calls are timed.
//! - **Filters**: numbers, the way in which calls return (`outcome.h`: success, errors, results, bytes, durations), ids of processes and threads, and descriptors in registers
//!   (`--trace-fds`) are decided in the kernel. A call that took less than a tick is too short for most `--duration`s, which shows without a clock (`is_below_tick`). With
//!   `-P`, calls that name no file are left out there, and the reader decides the rest.
//!
//! # Functions in place of tracepoints
//!
//! While a program is attached to `sys_enter` or `sys_exit`, every call of every thread on the machine pays. So once a run with few wanted calls has
//! lasted half a second, `functions` attaches programs to the kernel's functions of these calls, of their 32-bit forms, and to seccomp's
//! (`functions.h`), and leaves the tracepoints. A loop of getppid beside `--all -e accept` takes 338 instructions a call then, as it does untraced
//! (337), and 638 before (Linux 6.12).
//!
//! - This is done for x86-64, up to 16 wanted calls, and without counting, stacks, descriptors, functions of libraries, operations of io_uring, or a broker. Where the kernel does
//!   not allow it (`kernel.kptr_restrict=2`, no `CONFIG_KALLSYMS_ALL`, `preempt=full`, x32, functions that cannot be attached to), the tracepoints stay. `-d` says at the end what was watched.
//! - While both kinds are attached, three flags in the thread's state have each call handled once. The tracepoints are left when an iterator has found
//!   no thread, twice, in a wanted call that no function saw begin. A thread that waits in accept keeps them.
//! - The kernel tells its table of native calls, and the name of the function at an address. It tells no table of 32-bit calls. Their functions are found by
//!   their names, of which there are several forms; a form that serves another call does no harm.
//! - Calls without a name, which every filter lets through, are served by functions to which nothing can be attached. They are not shown any more.
//! - If another tracer attaches to the same function, or leaves it, the kernel replaces the code that calls the programs, and a thread that is in the function
//!   returns unseen. Its next call finds that out, and the return is counted as lost.
//! - Programs at functions may be preempted, so they have scratch memory of their own, and claim it.
//! - Detaching takes 135 ms for each program. So the links belong to a process of their own (`functions/holder.rs`), which nobody waits for. It ends when
//!   Stride does, however that comes about.
//!
//! # What it costs
//!
//! A call (`dd bs=1 count=500k`, 1.02 million calls, ratios to the untraced program without start and end of Stride; Linux 6.18,
//! 2 CPUs):
//!
//! | attached | ratio |
//! |---|---|
//! | a program that does nothing, on `sys_exit` only | 1.18 |
//! | the same on `sys_enter`, too | 1.35 |
//! | `sys_exit`, number looked up and not wanted | 1.21 |
//! | `sys_enter` as well, number looked up | 1.41 |
//! | a time taken at entry and one at exit (22 ns each) | +0.4 |
//! | `tracepoint/syscalls/sys_exit_accept` (and `sys_enter_accept`) alone | 1.06 (1.10) |
//!
//! The last is not used: these tracepoints do not see 32-bit calls, and detaching from them takes 140 ms. So at first a filter of few calls has one program on `sys_exit` that checks the number first, and one
//! on `sys_enter` only if the filter names a call whose memory is lost by its exit: `-e openat` is cheaper than `-e accept`.
//!
//! Starting takes 2 ms for Stride itself and 12 ms or more for loading. Measured causes: following a pointer member of a trusted
//! pointer (1 ms each time the verifier comes there: it searches all type names; see `find_current_stack` in `stack.h`), a second copy of the interpreter (1.5 ms), branches that double
//! the code to be verified (`counts.h`, `simple.h`), 16 MiB of ring instead of 4 (2 ms), and libbpf's comparison of the name of
//! each struct that is used with those of all the kernel's types (1 ms each). So there is one copy of the interpreter for all
//! programs at entry, which reach it by a tail call, and one at exit; programs that the options do not need are not loaded; and
//! `loading/btf.rs` finds the structs of all objects in one pass, so that `relocate.rs` hands libbpf only these, and the types of
//! tracepoints, so that libbpf need not look for them (`tracepoints.rs`). libbpf opens and relocates one object. Two threads load its programs without libbpf
//! (`raw.rs`, `second_thread.rs`); the second one finds these types before. The code that the settings switch off is left out before the verifier sees it (`specialize`): the verifier would
//! remove it one piece after the other, which took a fifth of the time. The objects hold no lines of the source, which nobody sees, and no symbols of labels, among which libbpf
//! searched for half of the time that it needs to open an object. Attaching a program to a tracepoint changes the kernel's code, for which all CPUs wait several times (0.1 to 0.4 ms each). So each
//! program is attached by the thread that has loaded it while the other thread still loads, if only a command is traced, which waits.
//!
//! Architecture invariant: the interpreter keeps its loop state in the scratch map, not on the stack. The verifier assumes that
//! map memory can hold anything, so a loop converges at once; with the state on the stack it walked each round, some hundred times as
//! many instructions (`tests/verified.txt` has their numbers). A loop that is not one of `bpf_loop` is walked once for each round, whatever its state. Functions that are not `static` are verified once each,
//! so what a loop does, or what is done in several places, is best called. A number that the verifier knows on one path and not on
//! another, or of which it knows other bits, keeps the paths apart, and all that follows is walked for each. So `FORGET` makes the
//! verifier forget numbers where paths join, for two instructions each: it halves the largest program, `on_sys_exit`, compared
//! with only branches. Where the answer to a comparison only selects a number, `above`, `differs` and `least` have no branch at all. The deepest call chain has
//! eight frames, which is the limit. The stack of a whole chain is limited to 512 bytes, and Linux 6.1 rounds each frame up to a
//! multiple of 32: `on_sys_exit` uses 224 of them, and the interpreter behind it 256.

pub mod broker;
mod cgroup_paths;
mod containers;
mod counting;
mod engine;
mod error;
mod functions;
mod kernel;
mod library;
mod loading;
mod memory;
mod operations;
mod plans;
mod reading;
mod ring;
mod settings;
mod stacks;
mod threads;
mod waits;
mod wire;

pub use engine::{Access, EbpfEngine};
pub use error::Why;
pub use library::returns_refused;
pub use loading::privileges::missing_capabilities;
pub use loading::probe::{self, trial};
pub use loading::programs::{available, trial_load};
pub use operations::operations_refused;
pub use settings::{DEFAULT_RING, Overflow, Settings};
