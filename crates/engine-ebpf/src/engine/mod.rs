//! The loop: records in, events out.

mod cut_off;
mod gathering;
mod start;
mod take;

use crate::broker::Connection;
use crate::containers::{CgroupChange, Containers};
use crate::kernel::Kernel;
use crate::library::LibraryCalls;
use crate::memory::pieces::MemoryPieces;
use crate::operations::OpenOperations;
use crate::reading::queued::{CallPlace, QueuedEvent, ended};
use crate::ring::backpressure::Drain;
use crate::ring::rings::Rings;
use crate::stacks::StackMemory;
use crate::threads::held_signals::HeldSignals;
use crate::threads::left_out::Watch;
use crate::threads::notable::NotableThreads;
use crate::threads::poller::Poller;
use crate::waits::WaitsOfCalls;
use crate::wire::{read, rec_head};
use cut_off::CutOff;
use gathering::Gathering;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stride_engine_base::procfs;
use stride_engine_base::signal::{is_over, now, take_nudge};
use stride_engine_base::{
    AttachFailure, Capabilities, Delayed, Dispositions, Engine, EngineError, Remote, Waiting, interrupt, process, ticks,
};
use stride_event::{Call, Counted, Descriptor, Event, Fate, Limits, Lost, Ns, SIGINFO_SIZE, Stack, Tid, Unwind};

/// How long the reader waits before it looks again without being woken.
const PATIENCE: Duration = Duration::from_millis(20);
/// How often it looks around.
const LOOK: Duration = Duration::from_millis(50);
/// Records that are handled before the clock is read for that: less than a millisecond.
const RECORDS: u64 = 256;

/// The process that loads the eBPF programs.
pub enum Access {
    /// This process, which has the capabilities for it.
    Own,
    Broker(Connection),
}

/// Traces with eBPF programs.
pub struct EbpfEngine {
    ring: Rings,
    drain: Option<Drain>,
    kernel: Kernel,
    call: Call,
    siginfo: [u8; SIGINFO_SIZE],
    /// The memory of calls in flight at their entry, by thread.
    entered: HashMap<Tid, Call>,
    spare: Vec<Call>,
    /// The descriptors of calls in flight, with the files that they refer to.
    descriptors: HashMap<Tid, Vec<Descriptor>>,
    /// The memory of calls in flight for which their records have no room.
    pieces: MemoryPieces,
    /// The waits of threads whose records have come, until the records of their calls come.
    waits: WaitsOfCalls,
    /// Lasting calls are reported when they begin.
    entries: bool,
    /// Children are traced, too.
    follow: bool,
    threads: NotableThreads,
    held: HeldSignals,
    poller: Poller,
    stacks: StackMemory,
    /// Stacks that threads' next signals interrupt, where they had to be copied.
    interrupted: HashMap<Tid, Arc<Stack>>,
    /// Functions of libraries that threads are in.
    library: LibraryCalls,
    /// Operations of io_uring in flight.
    operations: OpenOperations,
    /// The stack that the signal in `siginfo` interrupts.
    signal_stack: Option<Arc<Stack>>,
    limits: Limits,
    /// Reads what blocked calls have in memory.
    remote: Remote,
    /// Traced threads that have not ended.
    live: BTreeSet<Tid>,
    signals: Dispositions,
    /// `stop` was called, or a fatal signal arrived. The records in the ring still come, then all living threads are
    /// released.
    stopping: Option<Option<i32>>,
    /// The time at which the programs were detached. Records that were sent before may be read a good while later.
    detached: Option<Ns>,
    /// The whole machine is traced: those that are left out, and remarks about that.
    watch: Option<Watch>,
    remarks: Vec<String>,
    /// The containers of the machine, if they are told; and which cgroup and container threads are in, if in one.
    containers: Option<Containers>,
    places: HashMap<Tid, (u64, Arc<str>)>,
    /// Threads that were asked for and do not exist.
    failures: Vec<AttachFailure>,
    /// The command, until its start is reported. Until then, what it inherited is unchanged.
    waiting: Option<Waiting>,
    child: Option<Tid>,
    /// True if the command is a child (with `-D` it is not). It is reaped when it is gone.
    is_ours: bool,
    /// The command has become privileged, and is not traced any longer. It is waited for all the same.
    released: bool,
    /// Why tracing ended too early, if so.
    cut_off: Option<CutOff>,
    /// An event that was found with another one, and comes next.
    first: Option<QueuedEvent>,
    /// The record at the ring's front was handed out, or the losses before it were.
    taken: bool,
    lost_told: bool,
    /// One of the lost calls is a call whose beginning was shown and whose end was made up.
    lost_shown: bool,
    idle_told: bool,
    /// The kernel side's latest figures for threads that began or ended unseen.
    unseen: u64,
    /// When it was looked around, and the number of records that were handled.
    looked: Instant,
    records: u64,
    gathering: Gathering,
    /// Set while the rest of the ring is read.
    hurry: Option<process::Hurry>,
}

impl EbpfEngine {
    pub const CAPABILITIES: Capabilities = Capabilities {
        name: "ebpf",
        holds_program: false,
        cpu_times: false,
        counts: true,
        filters_returns: true,
        adds: 2_000,
        seccomp: false,
        kill_on_exit: false,
        stacks: cfg!(target_arch = "x86_64"),
        machine: true,
        library: true,
        operations: true,
        waits: true,
        injections: false,
        vcpus: false,
    };

    /// Ends tracing. With a signal (that Stride received), the command gets the signal too, as under strace.
    fn end(&mut self, signal: Option<i32>) {
        if self.stopping.is_none() {
            // If that fails, it exits without having run.
            let _ = self.let_go();
            self.stopping = Some(signal);
            self.hurry = process::Hurry::begin();
            // Calls in flight at the end are shown with their threads.
            self.poller.look(&mut self.kernel, true);
            self.poller.end();
            self.kernel.detach();
            self.detached = Some(now());
            if let Some(drain) = &mut self.drain {
                drain.stop();
            }
            if let (Some(signal), Some(command)) = (signal, self.child)
                && (self.released || self.live.contains(&command))
            {
                interrupt::pass_on(command, signal);
            }
            if self.released {
                self.child = None;
            }
        }
    }

    fn let_go(&mut self) -> io::Result<()> {
        let gone = self.waiting.take().map_or(Ok(0), Waiting::go);
        gone.map(drop).map_err(|e| io::Error::other(e.to_string()))
    }

    fn step(&mut self) -> io::Result<Option<QueuedEvent>> {
        if let Some(note) = self.first.take() {
            return Ok(Some(note));
        }
        self.let_go()?;
        loop {
            if let Some(signal) = self.signals.caught() {
                self.end(Some(signal));
            }
            let due = ticks::due();
            if self.stopping.is_none() && (is_over() || self.kernel.is_cut_off()) {
                self.cut_off = self.kernel.is_cut_off().then_some(CutOff::Broker);
                self.end(None);
            }
            if std::mem::take(&mut self.taken) {
                self.ring.advance();
                self.lost_told = false;
            }
            if take_nudge() {
                return Ok(Some(QueuedEvent::Idle));
            }
            if let Some(rec) = self.ring.peek() {
                self.idle_told = false;
                let Some(head) = read::<rec_head>(rec) else {
                    self.taken = true;
                    continue;
                };
                self.poller.record(&mut self.kernel);
                self.records += 1;
                if self.records.is_multiple_of(RECORDS) {
                    self.look_around();
                    self.kernel.look_at_functions();
                }
                if let Some(note) = self.precedes(&head) {
                    return Ok(Some(note));
                }
                self.taken = true;
                if let Some(note) = self.record(&head) {
                    return Ok(Some(note));
                }
                continue;
            }
            if self.cut_off.is_none()
                && let Some(e) = self.ring.failure()
            {
                self.cut_off = Some(CutOff::Unreadable(e));
                self.end(None);
            }
            if self.stopping.is_some()
                && let Some(&tid) = self.live.first()
            {
                if let Some((signal, stack)) = self.held.next(tid) {
                    return Ok(Some(self.signal(tid, &signal, stack, self.left_at())));
                }
                if let Some(call) = self.operations.leave(tid, self.left_at()) {
                    return Ok(Some(self.operation(call)));
                }
                if self.library.leave(tid, self.left_at()) {
                    return Ok(Some(QueuedEvent::Library(())));
                }
                self.live.remove(&tid);
                // Reaping the command would wait for it now.
                self.child = None;
                if self.unseen > 0 && !procfs::exists(tid) {
                    continue;
                }
                let at = self.leave(tid);
                return Ok(Some(QueuedEvent::Detached { tid, call: Some(CallPlace::InFlight(tid)), at }));
            }
            if self.all_gone() {
                let Some(pid) = self.child.take().filter(|_| self.is_ours) else { return Ok(None) };
                let status = process::wait_for(pid);
                if let (true, Some(status)) = (self.live.remove(&pid), status) {
                    return Ok(Some(ended(pid, status, 0)));
                }
                return Ok(None);
            }
            if let Some(note) = self.reap() {
                return Ok(Some(note));
            }
            self.poller.idle(&mut self.kernel);
            self.look_around();
            self.kernel.look_at_functions();
            if !self.wait()? && (due || !std::mem::replace(&mut self.idle_told, true)) {
                return Ok(Some(QueuedEvent::Idle));
            }
        }
    }

    /// Does what has to be done now and then, if the whole machine is traced: leaves out the processes that read Stride's output and
    /// were found only now, and notes the new names of containers.
    fn look_around(&mut self) {
        let Some(watch) = &mut self.watch else { return };
        if self.looked.elapsed() < LOOK {
            return;
        }
        self.looked = Instant::now();
        for process in watch.again() {
            let left = watch.found().get(&process);
            // If that fails, the process goes on being traced, as it would without the search.
            let _ = self.kernel.leave_out(process, left.is_some_and(|left| left.children));
            let _ = self.kernel.decide(Some(process));
        }
        let Some(change) = self.containers.as_mut().and_then(Containers::look) else { return };
        self.apply(change);
        for place in self.places.values_mut() {
            if let Some(name) = self.containers.as_ref().and_then(|containers| containers.name(place.0)) {
                place.1 = name.clone();
            }
        }
    }

    /// Has the kernel side know which cgroups are wanted.
    fn apply(&mut self, change: CgroupChange) {
        let decide = !change.wanted.is_empty() || !change.unwanted.is_empty();
        self.remarks.extend(change.remarks);
        change.unwanted.iter().for_each(|&id| self.kernel.unwant_cgroup(id));
        for &id in &change.wanted {
            if let Err(e) = self.kernel.want_cgroup(id) {
                self.remarks
                    .push(format!("a container is not traced, because the kernel side has no room for it: {e}"));
            }
        }
        if decide {
            // If that fails, the threads' next execve decides.
            let _ = self.kernel.decide(None);
        }
    }

    /// A thread is in this cgroup.
    fn place(&mut self, tid: Tid, cgroup: u64) {
        let name = self.containers.as_ref().and_then(|containers| containers.name(cgroup));
        match name {
            Some(name) => self.places.insert(tid, (cgroup, name.clone())),
            None => self.places.remove(&tid),
        };
    }

    /// Tracing of the thread has ended. Its call, if it is in one, gets the waits so far. Returns the time of the end: of a thread that waits, the latest moment
    /// at which that was seen.
    fn leave(&mut self, tid: Tid) -> Ns {
        let call = self.threads.blocked_mut(tid).or_else(|| self.entered.get_mut(&tid));
        let left = call.and_then(|call| {
            let (waits, until) = self.waits.leave(call)?;
            call.waits = Some(waits);
            until
        });
        left.unwrap_or_else(|| self.left_at())
    }

    /// The time at which the threads are left that are still traced.
    fn left_at(&self) -> Ns {
        self.detached.unwrap_or_else(now)
    }

    /// True if nothing more will come, given that the ring is empty.
    fn all_gone(&mut self) -> bool {
        self.unseen = self.kernel.shared().control_lost();
        // A new process may be wanted at any time.
        if self.watch.is_some() && self.stopping.is_none() {
            return false;
        }
        if self.released && self.stopping.is_none() {
            return false;
        }
        if self.stopping.is_some() || self.unseen == 0 && self.live.is_empty() {
            return self.live.is_empty();
        }
        // The kernel side's own count, whatever the records said. A thread is counted off after its records were
        // sent.
        self.kernel.shared().alive() == 0 && self.ring.peek().is_none()
    }

    /// Waits for records, or for a moment. Tells whether there are any.
    fn wait(&mut self) -> io::Result<bool> {
        self.kernel.shared().set_waiting(true);
        if self.gathering.is_due(self.records) && self.stopping.is_none() {
            self.gathering.rest(&self.kernel.rings());
        }
        let mut ready = self.ring.peek().is_some();
        if !ready {
            let watched = |fd: &BorrowedFd<'_>| libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            let mut polled: Vec<libc::pollfd> = self.kernel.rings().iter().map(watched).collect();
            let broker = self.kernel.broker().filter(|broker| !broker.is_cut_off());
            polled.extend(broker.map(|broker| watched(&broker.as_fd())));
            let patience = self.poller.patience(PATIENCE).as_millis() as i32 + 1;
            // SAFETY: so many valid pollfds.
            let n = unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, patience) };
            if n < 0 {
                let e = io::Error::last_os_error();
                if e.kind() != io::ErrorKind::Interrupted {
                    return Err(e);
                }
            }
            if let Some(broker) = broker
                && n > 0
                && polled.last().is_some_and(|last| last.revents != 0)
            {
                broker.ends();
            }
            ready = self.ring.peek().is_some();
        }
        self.kernel.shared().set_waiting(false);
        Ok(ready)
    }

    /// Reaps ended children, because others may wait for that. Besides the command these are children that tracees
    /// gave to Stride (CLONE_PARENT).
    fn reap(&mut self) -> Option<QueuedEvent> {
        // When attaching, Stride may have other children.
        let tid = if self.is_ours { process::gone_child()? } else { return None };
        let is_command = Some(tid) == self.child;
        // Its record comes first.
        if is_command && self.live.contains(&tid) {
            return None;
        }
        let status = process::wait_for(tid)?;
        self.child = self.child.filter(|_| !is_command);
        if is_command && std::mem::take(&mut self.released) {
            return Some(ended(tid, status, 0));
        }
        // With -f it was traced itself.
        let fate = if status & 0x7f == 0 { Fate::Exited } else { Fate::Killed };
        (!self.follow && !is_command).then_some(QueuedEvent::Stranger { tid, fate })
    }
}

impl Engine for EbpfEngine {
    fn capabilities(&self) -> Capabilities {
        Self::CAPABILITIES
    }

    fn next(&mut self) -> Result<Option<Event<'_>>, EngineError> {
        let note = self.step().map_err(|e| EngineError::new(format!("reading the ring buffer: {e}")))?;
        Ok(note.map(|note| {
            note.borrowed(&self.siginfo, self.signal_stack.as_ref(), Some(self.library.current()), |held| match held {
                CallPlace::Returned => Some(&self.call),
                CallPlace::Shown(tid) => self.threads.blocked(tid),
                CallPlace::Entered(tid) => self.entered.get(&tid),
                CallPlace::InFlight(tid) => self.threads.blocked(tid).or_else(|| self.entered.get(&tid)),
            })
        }))
    }

    /// Signals to Stride end tracing by themselves (see `-I`).
    fn stop(&mut self) {
        self.end(None);
    }

    fn unwind_with(&mut self, unwinder: Rc<RefCell<dyn Unwind>>) {
        self.stacks.unwind_with(unwinder);
    }

    fn costs(&self) -> Vec<String> {
        self.stacks.costs().into_iter().chain(self.kernel.fact()).collect()
    }

    fn ending(&self) -> Result<Option<String>, EngineError> {
        match &self.cut_off {
            None => Ok(None),
            Some(why) => Err(EngineError::new(why.to_string())),
        }
    }

    fn facts(&self) -> Vec<String> {
        self.watch.iter().map(Watch::summary).collect()
    }

    fn remarks(&mut self) -> Vec<String> {
        std::mem::take(&mut self.remarks)
    }

    fn command(&self) -> Option<Tid> {
        self.child
    }

    fn failures(&self) -> &[AttachFailure] {
        &self.failures
    }

    fn interrupted(&self) -> Option<i32> {
        self.stopping.flatten()
    }

    fn lost(&self) -> Lost {
        self.kernel.shared().lost()
    }

    fn delayed(&self) -> Delayed {
        self.kernel.shared().delayed()
    }

    fn counted(&self) -> Result<Vec<Counted>, EngineError> {
        let container = |cgroup| self.containers.as_ref()?.name(cgroup).cloned();
        self.kernel.counted(container).map_err(|e| EngineError::new(format!("reading the counters: {e}")))
    }

    fn take_counted(&mut self) -> Result<Vec<Counted>, EngineError> {
        let containers = &self.containers;
        let container = |cgroup| containers.as_ref()?.name(cgroup).cloned();
        self.kernel.take_counted(container).map_err(|e| EngineError::new(format!("reading the counters: {e}")))
    }
}
