//! The loop: wait for a stop, find out what it is, report it, resume.

mod births;
mod calls;

use crate::affinity::Affinity;
use crate::attach::attach;
use crate::delays::{Delays, HeldThread};
use crate::inject::{GoingOn, Injector, settle};
use crate::injected::ThreadInjections;
use crate::note::QueuedEvent;
use crate::off_cpu;
use crate::place::OwnCpus;
use crate::plans::Plans;
use crate::seccomp;
use crate::signals::SignalHandling;
use crate::spawn::seize;
use crate::stacks::TraceeStacks;
use crate::sys::{self, Info};
use crate::threads::{CallState, Parked, Slot, Startup, State, Tracee, Tracees};
use crate::tracee::{ExitToken, Stopped, Until};
use crate::wait::{Report, Status, Stop, Waited, wait};
use nix::errno::Errno;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;
use stride_engine_base::signal::{is_over, take_nudge};
use stride_engine_base::{
    AttachFailure, Capabilities, Choose, Engine, EngineError, Interrupted, StartError, Waiting, procfs, spawn,
};
use stride_event::{CallSet, Event, Ns, SIGINFO_SIZE, Stack, StartKind, Tid, TraceSpec, Unwind};

/// Traces with ptrace(2). The tracees belong to the thread that started the engine.
#[derive(Debug)]
pub struct PtraceEngine {
    pub(crate) threads: Tracees,
    pub(crate) notes: VecDeque<QueuedEvent>,
    pub(crate) held: Vec<HeldThread>,
    /// Threads whose record is dropped when their last event was taken.
    pub(crate) retired: Vec<Slot>,
    pub(crate) parked: Vec<Parked>,
    /// Children that were gone before the event that reports their birth.
    stillborn: Vec<(Tid, QueuedEvent)>,
    pub(crate) plans: Plans,
    pub(crate) affinity: Affinity<OwnCpus>,
    pub(crate) signals: SignalHandling,
    pub(crate) stacks: TraceeStacks,
    pub(crate) injector: Injector,
    pub(crate) delays: Delays,
    siginfo: Box<[u8; SIGINFO_SIZE]>,
    /// The stack of the thread that gets the signal.
    signal_stack: Option<Arc<Stack>>,
    pub(crate) now: Ns,
    pub(crate) command: Option<Tid>,
    failures: Vec<AttachFailure>,
    calls: CallSet,
    /// Children are traced, too.
    follow: bool,
    /// Children below this depth are not.
    max_depth: u32,
    options: i32,
    entries: bool,
    want_ip: bool,
    pub(crate) want_system_time: bool,
    /// Calls come with the waits of their threads, and a sentence about what this engine does not know of them.
    want_waits: bool,
    limited: Option<&'static str>,
    no_memory: bool,
    /// A seccomp filter stops the wanted calls.
    filtered: bool,
    /// Tracees die with Stride.
    pub(crate) kill_on_exit: bool,
    detach_on_execve: bool,
    /// `stop` was called, or a fatal signal arrived: everything is released.
    pub(crate) stopping: Option<Option<i32>>,
    pub(crate) finished: bool,
    _not_send: PhantomData<*const ()>,
}

impl PtraceEngine {
    pub const CAPABILITIES: Capabilities = Capabilities {
        name: "ptrace",
        holds_program: true,
        cpu_times: true,
        counts: false,
        filters_returns: false,
        // Each call waits twice for the tracer to be scheduled.
        adds: 1_000_000,
        seccomp: true,
        kill_on_exit: true,
        stacks: cfg!(target_arch = "x86_64"),
        machine: false,
        library: false,
        operations: false,
        waits: true,
        injections: cfg!(target_arch = "x86_64"),
        vcpus: true,
    };

    /// Starts the command, attaches, or both. With `-D` it returns in another process than the caller's, which
    /// becomes the command.
    pub fn start(spec: TraceSpec) -> Result<PtraceEngine, StartError> {
        let filter = seccomp::filter(&spec);
        let command = spec.command.as_ref();
        let waiting = command.map(|command| spawn(command, filter.as_ref(), spec.daemonize)).transpose()?;
        Self::start_filtered(spec, waiting, filter.is_some())
    }

    /// The same for a command that was forked earlier, without a seccomp filter.
    pub fn start_waiting(spec: TraceSpec, waiting: Option<Waiting>) -> Result<PtraceEngine, StartError> {
        Self::start_filtered(spec, waiting, false)
    }

    fn start_filtered(spec: TraceSpec, waiting: Option<Waiting>, filtered: bool) -> Result<PtraceEngine, StartError> {
        if spec.waits {
            off_cpu::is_accounted()?;
        }
        let kill_on_exit = spec.kill_on_exit || filtered;
        let options = options(spec.follow, kill_on_exit, filtered);
        let delays = Delays::new(&spec.injections).map_err(StartError::refused("timer_create"))?;
        // Comes before attaching, because attaching to many threads takes time.
        let signals = SignalHandling::install(&spec).map_err(StartError::refused("timer_create"))?;
        let mut threads = Vec::new();
        if let Some(waiting) = waiting {
            let (tid, running) = seize(waiting, options, filtered)?;
            threads.push((tid, running, StartKind::Spawned));
        }
        let attached = attach(&spec.attach, spec.follow, options);
        threads.extend(attached.threads.into_iter().map(|(tid, running)| (tid, running, StartKind::Attached)));
        if threads.is_empty() {
            return Err(StartError::Attach(attached.failures));
        }
        let mut engine = PtraceEngine {
            threads: Tracees::default(),
            notes: VecDeque::with_capacity(8),
            held: Vec::with_capacity(8),
            retired: Vec::new(),
            parked: Vec::new(),
            stillborn: Vec::new(),
            plans: Plans::new(&spec),
            affinity: Affinity::new(OwnCpus::new()),
            signals,
            stacks: TraceeStacks::new(&spec),
            injector: Injector::new(spec.injections.clone()),
            delays,
            signal_stack: None,
            siginfo: Box::new([0; SIGINFO_SIZE]),
            now: sys::now(),
            command: None,
            failures: attached.failures,
            follow: spec.follow,
            max_depth: spec.max_depth.unwrap_or(u32::MAX),
            options,
            entries: spec.entries,
            want_ip: spec.want_ip,
            want_system_time: spec.want_system_time,
            want_waits: spec.waits,
            limited: spec.waits.then_some(off_cpu::LIMITS),
            no_memory: spec.no_memory,
            filtered,
            kill_on_exit,
            detach_on_execve: spec.detach_on_execve,
            stopping: None,
            finished: false,
            calls: spec.reported(),
            _not_send: PhantomData,
        };
        for (tid, running, origin) in threads {
            let process = procfs::group_of(tid);
            let mut thread = Tracee::new(tid, process, State::Running(running));
            thread.injections = ThreadInjections::new(engine.injector.next_root());
            if origin == StartKind::Spawned {
                engine.command = Some(tid);
                thread.startup = Startup::Before;
                // `spawn` took its first stop.
                thread.new = false;
            }
            engine.threads.insert(thread);
            engine.notes.push_back(QueuedEvent::Started { tid, process, origin, at: engine.now });
        }
        Ok(engine)
    }

    fn resume_held(&mut self) {
        while let Some(held) = self.held.pop() {
            match held.delay {
                Some(delay) if delay > 0 => self.delays.add(HeldThread { delay: None, ..held }, delay),
                _ => self.resume(&held),
            }
        }
        while let Some(held) = self.delays.due() {
            self.resume(&held);
        }
    }

    fn resume(&mut self, &HeldThread { slot, until, signal, .. }: &HeldThread) {
        let thread = &mut self.threads[slot];
        if let Some(stopped) = thread.take_stopped() {
            match until {
                _ if !self.want_waits => {}
                Until::Continued => thread.off_cpu.listens(),
                Until::Syscall | Until::Event => thread.off_cpu.resumes(sys::now()),
            }
            thread.state = State::Running(stopped.resume(until, signal));
        }
    }

    /// Keeps a stopped thread until its events are taken, then resumes it as its state demands.
    fn hold(&mut self, slot: Slot, signal: i32) {
        self.hold_until(slot, GoingOn { signal, delay: None });
    }

    fn hold_until(&mut self, slot: Slot, GoingOn { signal, delay }: GoingOn) {
        let until = if self.filtered && self.threads[slot].call_state != CallState::Wanted {
            Until::Event
        } else {
            Until::Syscall
        };
        self.held.push(HeldThread { slot, until, signal, delay });
    }

    pub(crate) fn handle(&mut self, report: Report) {
        let tid = report.tid;
        match report.status {
            Status::Stopped(token, stop) => match self.threads.find(tid) {
                Some(slot) => {
                    // A thread that is held stops again only because it was killed.
                    self.delays.forget(slot);
                    let thread = &mut self.threads[slot];
                    thread.state = match std::mem::replace(&mut thread.state, State::Gone) {
                        State::Running(running) => State::Stopped(running.stopped(token)),
                        _ => State::Stopped(Stopped::new(token)),
                    };
                    self.stopped(slot, stop, report.system_time);
                }
                None => self.stopped_unknown(tid, token, stop, report.system_time),
            },
            Status::Exited(token, status) => {
                let at = self.now;
                self.gone(tid, token, QueuedEvent::Exited { tid, status, at });
            }
            Status::Killed(token, signal, core) => {
                let at = self.now;
                self.gone(tid, token, QueuedEvent::Killed { tid, signal, core, at });
            }
            Status::Continued => {}
        }
    }

    pub(crate) fn stopped(&mut self, slot: Slot, stop: Stop, system_time: Ns) {
        let new = std::mem::replace(&mut self.threads[slot].new, false);
        self.threads[slot].off_cpu.stops(self.now);
        if self.threads[slot].too_deep {
            let signal = if let Stop::Signal(signal) = stop { signal } else { 0 };
            self.release(slot, signal);
            return;
        }
        match stop {
            Stop::Syscall | Stop::Seccomp => self.at_syscall(slot, system_time),
            Stop::Signal(signal) => {
                let thread = &mut self.threads[slot];
                // The request failed because the thread was killed meanwhile.
                if thread.startup != Startup::Before
                    && let Some(stopped) = thread.stopped()
                    && stopped.siginfo(&mut self.siginfo).is_ok()
                {
                    let ip = if self.want_ip { stopped.syscall_info().ok().map(Info::ip) } else { None };
                    self.signal_stack = self.stacks.at_signal(thread.tid, thread.process);
                    if self.signal_stack.is_some() {
                        thread.held += sys::now().saturating_sub(self.now);
                    }
                    self.notes.push_back(QueuedEvent::Signal {
                        tid: thread.tid,
                        info: (),
                        ip,
                        stack: (),
                        at: self.now,
                    });
                }
                self.hold(slot, signal);
            }
            Stop::Group(signal) => {
                let tid = self.threads[slot].tid;
                self.notes.push_back(QueuedEvent::Stopped { tid, signal, at: self.now });
                self.held.push(HeldThread { slot, until: Until::Continued, signal: 0, delay: None });
            }
            Stop::NewChild => {
                let thread = &self.threads[slot];
                if let Some(Ok(child)) = thread.stopped().map(Stopped::event_msg) {
                    self.adopt(child as Tid, thread.tid, thread.abi);
                }
                self.hold(slot, 0);
            }
            Stop::Exec => self.exec(slot),
            Stop::Exiting => {
                self.end_call(slot);
                self.notes.push_back(QueuedEvent::Ending { tid: self.threads[slot].tid });
                self.held.push(HeldThread { slot, until: Until::Event, signal: 0, delay: None });
            }
            Stop::Trap => {
                let thread = &mut self.threads[slot];
                if new && let Some(nr) = thread.stopped().and_then(Stopped::interrupted_call) {
                    thread.interrupted = Interrupted::in_call(nr);
                }
                self.hold(slot, 0);
            }
            Stop::Other => self.hold(slot, 0),
        }
    }

    fn exec(&mut self, slot: Slot) {
        let thread = &self.threads[slot];
        let tid = thread.tid;
        let old = match thread.stopped().map(Stopped::event_msg) {
            Some(Ok(old)) => old as Tid,
            _ => tid,
        };
        for tid in [tid, old] {
            self.plans.forget(tid);
            self.stacks.forget(tid);
        }
        let mut slot = slot;
        if old != tid
            && let Some(other) = self.threads.find(old)
        {
            // The thread lives on under its leader's id. The leader's own record ends here.
            let stopped = self.threads[slot].take_stopped();
            self.end_call(slot);
            self.threads.unlink(slot);
            self.retired.push(slot);
            self.threads.rename(other, tid);
            // The stop was reported for the id, and is this thread's.
            self.threads[other].off_cpu.stops(self.now);
            if let Some(stopped) = stopped {
                self.threads[other].state = State::Stopped(stopped);
            }
            self.superseded(other, old);
            slot = other;
        }
        let thread = &mut self.threads[slot];
        let first = thread.startup != Startup::Done;
        thread.startup = Startup::Done;
        if self.detach_on_execve && !first {
            self.release(slot, 0);
        } else {
            self.hold(slot, 0);
        }
    }

    /// Stops tracing a thread that is stopped.
    pub(crate) fn release(&mut self, slot: Slot, signal: i32) {
        settle(&mut self.threads[slot]);
        if let Some(stopped) = self.threads[slot].take_stopped() {
            stopped.detach(signal);
        }
        self.detached(slot);
    }

    /// Tracing has ended for a thread that lives on.
    pub(crate) fn detached(&mut self, slot: Slot) {
        let note = QueuedEvent::Detached { tid: self.threads[slot].tid, call: self.in_flight(slot), at: self.now };
        self.notes.extend((!self.threads[slot].too_deep).then_some(note));
        self.retire(slot);
    }

    /// Thread `old` lives on under the id that its record has now.
    fn superseded(&mut self, slot: Slot, old: Tid) {
        let note =
            QueuedEvent::Superseded { tid: self.threads[slot].tid, old, call: self.in_flight(slot), at: self.now };
        self.notes.push_back(note);
    }

    /// The call that a thread is in, if it is to be reported.
    fn in_flight(&self, slot: Slot) -> Option<Slot> {
        (self.threads[slot].call_state == CallState::Wanted).then_some(slot)
    }

    pub(crate) fn retire(&mut self, slot: Slot) {
        self.threads.unlink(slot);
        self.retired.push(slot);
    }

    fn gone(&mut self, tid: Tid, token: ExitToken, note: QueuedEvent) {
        self.plans.forget(tid);
        self.stacks.forget(tid);
        match self.threads.find(tid) {
            Some(slot) => {
                self.delays.forget(slot);
                self.end_call(slot);
                let thread = &mut self.threads[slot];
                match std::mem::replace(&mut thread.state, State::Gone) {
                    State::Running(running) => drop(running.reaped(token)),
                    State::Stopped(stopped) => drop(stopped.reaped(token)),
                    State::Gone => {}
                }
                self.notes.extend((!self.threads[slot].too_deep).then_some(note));
                self.retire(slot);
            }
            None if self.follow && self.stopping.is_none() => {
                self.parked.retain(|p| p.tid != tid);
                self.stillborn.push((tid, note));
            }
            None => self.stranger(tid, &note),
        }
        // If the parent was killed before its event was seen, its child still waits here.
        self.adopt_parked(tid);
    }
}

impl Engine for PtraceEngine {
    fn capabilities(&self) -> Capabilities {
        Self::CAPABILITIES
    }

    fn next(&mut self) -> Result<Option<Event<'_>>, EngineError> {
        loop {
            if let Some(note) = self.notes.pop_front() {
                self.signals.active();
                let find = |slot: Slot| Some(&self.threads[slot].call);
                return Ok(Some(note.borrowed(&self.siginfo, self.signal_stack.as_ref(), None, find)));
            }
            while let Some(slot) = self.retired.pop() {
                self.threads.remove(slot);
            }
            if self.finished {
                return Ok(None);
            }
            if self.stopping.is_none()
                && let Some(signal) = self.signals.caught()
            {
                self.stopping = Some(Some(signal));
            }
            if is_over() {
                self.stopping.get_or_insert(None);
            }
            if self.stopping.is_some() {
                self.release_all();
                self.finished = true;
                continue;
            }
            if take_nudge() {
                // The timer that interrupted the waiting stops when it is quiet.
                self.signals.active();
                return Ok(Some(Event::Idle));
            }
            self.resume_held();
            if self.threads.is_empty() && self.parked.is_empty() {
                return Ok(None);
            }
            // The event that reports a child's birth may never come (CLONE_PTRACE with CLONE_UNTRACED), so it is not
            // waited for once it is quiet.
            let unsettled = !self.parked.is_empty() || !self.stillborn.is_empty();
            match wait(unsettled, self.want_system_time).map_err(failed("wait4"))? {
                Waited::Report(report) => {
                    self.now = sys::now();
                    self.handle(report);
                }
                Waited::Interrupted if self.signals.quiet(self.now) => return Ok(Some(Event::Idle)),
                Waited::Nothing => self.settle(),
                Waited::Interrupted => {}
                Waited::NoChildren => {
                    // Everything is gone without a report (another tracer or a reaper took it).
                    self.finished = true;
                }
            }
        }
    }

    fn unwind_with(&mut self, unwinder: Rc<RefCell<dyn Unwind>>) {
        self.stacks.unwind_with(unwinder);
    }

    fn choose_with(&mut self, choice: Rc<RefCell<dyn Choose>>) {
        self.injector.choose_with(choice);
    }

    fn remarks(&mut self) -> Vec<String> {
        let waits = self.limited.take().map(str::to_owned);
        self.injector.remarks().into_iter().chain(waits).collect()
    }

    /// Signals to Stride do the same by themselves, and then the command gets the signal, too (see `-I`).
    fn stop(&mut self) {
        self.stopping.get_or_insert(None);
    }

    fn command(&self) -> Option<Tid> {
        self.command
    }

    fn failures(&self) -> &[AttachFailure] {
        &self.failures
    }

    fn interrupted(&self) -> Option<i32> {
        self.stopping.flatten()
    }

    fn facts(&self) -> Vec<String> {
        let mut facts = vec![format!("ptrace_setoptions = {:#x}", self.options)];
        if self.options & libc::PTRACE_O_EXITKILL != 0 {
            // Otherwise attaching would have failed.
            facts.push("PTRACE_O_EXITKILL works".into());
        }
        facts
    }
}

fn failed(call: &str) -> impl FnOnce(Errno) -> EngineError {
    move |errno| EngineError::new(format!("{call}: {}", sys::strerror(errno)))
}

fn options(follow: bool, kill_on_exit: bool, filtered: bool) -> i32 {
    use libc::*;
    let mut options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT;
    if follow {
        options |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
    }
    if filtered {
        // Without Stride's filter the option stays off: a program's own RET_TRACE must fail with ENOSYS, as it does
        // untraced.
        options |= PTRACE_O_TRACESECCOMP;
    }
    if kill_on_exit {
        options |= PTRACE_O_EXITKILL;
    }
    options
}
