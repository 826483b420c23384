//! Records in, events out.

use crate::error::{self, StartError, Why};
use crate::files::{self, Files};
use crate::groups::Groups;
use crate::load::{Config, Kernel, RingSize};
use crate::plans::Tables;
use crate::ring::Ring;
use crate::rings::Rings;
use crate::survey::Survey;
use crate::threads::Threads;
use crate::valve::{Held, Valve};
use crate::wire::{
    read, rec_blocked, rec_call, rec_detach, rec_exec, rec_exit, rec_file, rec_flag, rec_head, rec_kind, rec_signal,
    rec_start, rec_stopped, task_flag,
};
use crate::{inside, records, refusal};
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::Path;
use std::time::Duration;
use stride_engine_base::{Dispositions, Waiting, interrupt, process, spawn};
use stride_event::{
    About, Call, Counted, Descriptor, Event, Fate, Limits, Ns, Origin, Outcome, SIGINFO_SIZE, Tid, TraceSpec,
};
use stride_syscalls::Abi;

/// What to do when calls come faster than they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// Hold the threads that make them, so that none is lost.
    Wait,
    /// Lose calls, and count them.
    Drop,
}

/// What is the engine's own to choose.
#[derive(Default, Clone, Copy, Debug)]
pub struct Settings {
    /// `None`: wait, unless there are processes to attach to, which are not to be held unasked.
    pub on_overflow: Option<Overflow>,
    /// Size of each ring: a power of two, at least a page.
    pub ring_bytes: Option<u32>,
    /// How many there are; 0: as many as this machine is worth.
    pub rings: u32,
    /// Watch calls when they are entered only if times are wanted, though some calls' memory be lost by the time they return
    /// (accept's room for an address): a fifth less for the tracee to bear.
    pub exits_only: bool,
}

impl Settings {
    fn ring(&self, spec: &TraceSpec) -> RingSize {
        let hold = match self.on_overflow {
            Some(how) => how == Overflow::Wait,
            None => spec.attach.is_empty(),
        };
        match self.ring_bytes {
            Some(bytes) => RingSize::of(bytes, hold),
            // Calls that are counted leave no records.
            None if spec.counting.is_some_and(|c| c.only) => {
                RingSize::of(1 << 20, self.on_overflow == Some(Overflow::Wait))
            }
            // Every call of a program that does nothing else must find room until the reader is there. A large ring takes its time to
            // allocate (0.2 ms for 1 MiB), which few calls are not worth.
            None if spec.calls.is_all() && spec.about.is_none() => {
                RingSize::of((DEFAULT_RING / self.rings(spec).next_power_of_two()).max(DEFAULT_RING / 4), hold)
            }
            None => RingSize::of(DEFAULT_RING / 4, hold),
        }
    }

    /// A second one is worth it where more than two CPUs may write, one of four being the reader's.
    fn rings(&self, spec: &TraceSpec) -> u32 {
        let cpus = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        match self.rings {
            0 if spec.follow => (cpus / 2).clamp(1, RINGS_MAX),
            0 => 1,
            n => n,
        }
    }
}

const RINGS_MAX: u32 = 8;
/// Where nothing else is asked for.
pub const DEFAULT_RING: u32 = 16 << 20;

/// How long the reader waits before it looks for itself.
const PATIENCE: Duration = Duration::from_millis(20);

/// An event, without what it borrows.
enum Note {
    Started {
        tid: Tid,
        process: Tid,
        origin: Origin,
        at: Ns,
    },
    Exit,
    /// The thread's call is in `threads`.
    Enter {
        tid: Tid,
    },
    Signal {
        tid: Tid,
        ip: u64,
        at: Ns,
    },
    Stopped {
        tid: Tid,
        signal: i32,
        at: Ns,
    },
    Personality {
        tid: Tid,
        abi: Abi,
        at: Ns,
    },
    Exited {
        tid: Tid,
        status: i32,
        at: Ns,
    },
    Killed {
        tid: Tid,
        signal: i32,
        core: bool,
        at: Ns,
    },
    Superseded {
        tid: Tid,
        old: Tid,
        at: Ns,
    },
    Lost {
        tid: Tid,
        count: u64,
        at: Ns,
    },
    Detached {
        tid: Tid,
        at: Ns,
    },
    Stranger {
        tid: Tid,
        fate: Fate,
    },
    Idle,
}

/// Traces with eBPF programs.
pub struct EbpfEngine {
    ring: Rings,
    valve: Option<Valve>,
    kernel: Kernel,
    call: Call,
    siginfo: [u8; SIGINFO_SIZE],
    /// What calls in flight had in memory when they were entered, by thread.
    entered: HashMap<Tid, Call>,
    spare: Vec<Call>,
    /// Where descriptors are looked up, and what was found for calls in flight.
    files: Option<Files>,
    descriptors: HashMap<Tid, Vec<Descriptor>>,
    /// Calls that last are told of when they begin.
    entries: bool,
    /// Children are traced, too.
    follow: bool,
    threads: Threads,
    groups: Groups,
    survey: Survey,
    limits: Limits,
    /// Traced threads that have not ended.
    live: BTreeSet<Tid>,
    signals: Dispositions,
    /// `stop` was called, or a fatal signal arrived: what is in the ring still comes, then all who live on are let go.
    stopping: Option<Option<i32>>,
    /// Asked for, and not there.
    failures: Vec<Tid>,
    /// The command, until its start has been told: whoever wants to know what it was given finds it untouched.
    waiting: Option<Waiting>,
    child: Option<Tid>,
    /// The child is one (with `-D` it is not), and reaped when it is gone.
    is_ours: bool,
    first: Option<Note>,
    /// The record at the ring's front was handed out; or the losses before it were.
    taken: bool,
    lost_told: bool,
    /// Of the losses to be told, one is a call whose beginning was shown and whose end was made up.
    lost_shown: bool,
    idle_told: bool,
    /// What the kernel last said of threads that came or went unseen.
    unseen: u64,
}

impl EbpfEngine {
    /// Starts the command or attaches, or both.
    pub fn start(spec: TraceSpec) -> Result<EbpfEngine, StartError> {
        Self::start_with(spec, Settings::default())
    }

    pub fn start_with(spec: TraceSpec, settings: Settings) -> Result<EbpfEngine, StartError> {
        // The child is forked first: it gets ready while the programs are loaded.
        let command = spec.command.as_ref();
        let mut waiting = command.map(|command| spawn(command, None, spec.daemonize)).transpose()?;
        Self::start_waiting(&spec, settings, &mut waiting)
    }

    /// The same for a command that was forked before. It is taken when it is let go; after an error it may still be there, for another
    /// engine to trace.
    pub fn start_waiting(
        spec: &TraceSpec,
        settings: Settings,
        waiting: &mut Option<Waiting>,
    ) -> Result<EbpfEngine, StartError> {
        let tables = Tables::of(spec)?;
        let config = Config {
            follow: spec.follow,
            times: spec.want_times,
            ip: spec.want_ip,
            unknown: spec.calls.unknown,
            exits_only: settings.exits_only,
            detach_on_execve: spec.detach_on_execve,
            signals: spec.signals,
            counting: spec.counting,
            fds: match &spec.about {
                Some(About::Fds(fds)) => Some(fds),
                _ => None,
            },
            skip_failed: spec.skip_failed,
            skip_successful: spec.skip_successful,
            attach: !spec.attach.is_empty(),
            ring: settings.ring(spec),
            // Descriptors are told of in one ring.
            rings: if spec.descriptors { 1 } else { settings.rings(spec) },
        };
        let mut kernel = Kernel::load(config, &tables)?;
        let rings: io::Result<_> = kernel.rings().iter().map(|&fd| Ring::new(fd, config.ring.bytes)).collect();
        let ring = Rings::new(rings.map_err(|e| Why::NoMemory(e.to_string()))?);
        let valve = config.ring.hold.then(|| Valve::new(kernel.bells(), &kernel.rings(), config.ring.mark()));
        let files = spec.descriptors.then(|| kernel.files(&spec.calls)).transpose()?;
        kernel.attach()?;
        let mut failures = Vec::new();
        for &tid in &spec.attach {
            if !kernel.seed(tid, spec.follow).map_err(|e| refusal::why(&e))? {
                failures.push(tid);
            }
        }
        let mut survey = Survey::new(spec.entries, spec.calls.clone(), config.ring.bytes);
        if !spec.attach.is_empty() {
            survey.look(&kernel, true);
        }
        let mut engine = EbpfEngine {
            ring,
            // Without it, calls are lost, and told to be.
            valve: valve.and_then(Result::ok),
            kernel,
            call: Call::default(),
            siginfo: [0; SIGINFO_SIZE],
            entered: HashMap::new(),
            files,
            descriptors: HashMap::new(),
            spare: Vec::new(),
            entries: spec.entries,
            follow: spec.follow,
            threads: Threads::default(),
            groups: Groups::default(),
            survey,
            limits: spec.limits,
            live: BTreeSet::new(),
            signals: Dispositions::install(spec),
            stopping: None,
            failures,
            waiting: None,
            child: None,
            is_ours: false,
            first: None,
            taken: false,
            lost_told: false,
            lost_shown: false,
            idle_told: false,
            unseen: 0,
        };
        if let Some(command) = waiting {
            let failed = |call| move |error: io::Error| StartError::Spawn { call, error };
            let pidfd = process::pidfd(command.pid()).map_err(|e| failed("pidfd_open")(e.into()))?;
            let adopted = engine.kernel.adopt(pidfd.as_fd(), task_flag::TASK_BEFORE_EXEC.0);
            adopted.map_err(|e| failed("bpf")(io::Error::other(e.to_string())))?;
            engine.is_ours = command.is_child();
        }
        if let Some(command) = waiting.take() {
            let tid = command.pid();
            command.ready()?;
            engine.waiting = Some(command);
            engine.child = Some(tid);
            engine.live.insert(tid);
            engine.first = Some(Note::Started { tid, process: tid, origin: Origin::Spawned, at: 0 });
        } else if engine.ring.peek().is_none() {
            return Err(StartError::Attach { tids: engine.failures });
        }
        Ok(engine)
    }

    /// The next event; `None` when all traced threads are gone.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> io::Result<Option<Event<'_>>> {
        let Some(note) = self.step()? else { return Ok(None) };
        Ok(Some(match note {
            Note::Started { tid, process, origin, at } => Event::Started { tid, process, origin, at },
            Note::Exit => Event::Exit(&self.call),
            Note::Enter { tid } => match self.threads.blocked(tid) {
                Some(call) => Event::Enter(call),
                None => Event::Idle,
            },
            Note::Signal { tid, ip, at } => Event::Signal { tid, info: &self.siginfo, ip: Some(ip), at },
            Note::Stopped { tid, signal, at } => Event::Stopped { tid, signal, at },
            Note::Personality { tid, abi, at } => Event::Personality { tid, abi, at },
            Note::Exited { tid, status, at } => Event::Exited { tid, status, at },
            Note::Killed { tid, signal, core, at } => Event::Killed { tid, signal, core, at },
            Note::Superseded { tid, old, at } => Event::Superseded { tid, old, call: self.entered.get(&tid), at },
            Note::Lost { tid, count, at } => Event::Lost { tid, count, at },
            Note::Detached { tid, at } => {
                Event::Detached { tid, call: self.threads.blocked(tid).or_else(|| self.entered.get(&tid)), at }
            }
            Note::Stranger { tid, fate } => Event::Stranger { tid, fate },
            Note::Idle => Event::Idle,
        }))
    }

    /// Stops tracing: what was recorded so far still comes out of `next`, then the threads that live on, then `None`.
    /// With a signal (that Stride received), the command gets it too, as strace does it. Signals that arrive by themselves do the same
    /// (see `-I`).
    pub fn stop(&mut self, signal: Option<i32>) {
        if self.stopping.is_none() {
            // Should that fail, it exits unrun.
            let _ = self.let_go();
            self.stopping = Some(signal);
            self.files = None;
            // The calls that threads are in at the end are shown with them.
            self.survey.look(&self.kernel, true);
            self.kernel.detach();
            if let Some(valve) = &mut self.valve {
                valve.stop();
            }
            if let (Some(signal), Some(command)) = (signal, self.child)
                && self.live.contains(&command)
            {
                interrupt::pass_on(command, signal);
            }
        }
    }

    /// The fatal signal that ended tracing; the caller should die of it when its output is written.
    pub fn interrupted(&self) -> Option<i32> {
        self.stopping.flatten()
    }

    /// The threads asked for that are not there, where others are.
    pub fn failures(&self) -> Vec<String> {
        self.failures.iter().map(|&tid| error::no_such(tid)).collect()
    }

    /// The command that was started.
    pub fn command(&self) -> Option<Tid> {
        self.child
    }

    /// What it took not to lose calls.
    pub fn held(&self) -> Held {
        self.valve.as_ref().map_or(Held::default(), Valve::held)
    }

    /// Calls that found no room in the ring: those that [`Event::Lost`] told of, and those of threads of which nothing came after.
    pub fn lost_calls(&self) -> u64 {
        self.kernel.calls_lost()
    }

    /// Threads that came or went without a record, for lack of room in the ring.
    pub fn unseen_threads(&self) -> u64 {
        self.kernel.control_lost()
    }

    /// What was counted in the kernel, if that was asked for.
    pub fn counted(&self) -> io::Result<Vec<Counted>> {
        self.kernel.counted().map_err(io::Error::other)
    }

    /// Whether calls are watched when they are entered, too, at its price.
    pub fn sees_entry(&self) -> bool {
        self.kernel.sees_entry()
    }

    fn let_go(&mut self) -> io::Result<()> {
        let gone = self.waiting.take().map_or(Ok(0), Waiting::go);
        gone.map(drop).map_err(|e| io::Error::other(e.to_string()))
    }

    fn step(&mut self) -> io::Result<Option<Note>> {
        if let Some(note) = self.first.take() {
            return Ok(Some(note));
        }
        self.let_go()?;
        loop {
            if let Some(signal) = self.signals.caught() {
                self.stop(Some(signal));
            }
            if std::mem::take(&mut self.taken) {
                self.ring.advance();
                self.lost_told = false;
            }
            if let Some(rec) = self.ring.peek() {
                self.idle_told = false;
                let Some(head) = read::<rec_head>(rec) else {
                    self.taken = true;
                    continue;
                };
                self.survey.record(&self.kernel);
                if let Some(note) = self.precedes(&head) {
                    return Ok(Some(note));
                }
                self.taken = true;
                if let Some(note) = self.record(&head) {
                    return Ok(Some(note));
                }
                continue;
            }
            if self.stopping.is_some()
                && let Some(tid) = self.live.pop_first()
            {
                // Reaping the command would now be waiting for it.
                self.child = None;
                if self.unseen > 0 && !exists(tid) {
                    continue;
                }
                return Ok(Some(Note::Detached { tid, at: 0 }));
            }
            if self.all_gone() {
                if self.stopping.is_none()
                    && let Some((tid, status)) = self.groups.pop()
                {
                    return Ok(Some(ended(tid, status, 0)));
                }
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
            self.survey.idle(&self.kernel);
            if !self.wait()? && !std::mem::replace(&mut self.idle_told, true) {
                return Ok(Some(Note::Idle));
            }
        }
    }

    /// A thread whose first record found no room, before the record at the ring's front, which is its.
    fn unannounced(&mut self, head: &rec_head) -> Option<Note> {
        self.unseen = self.kernel.control_lost();
        let tid = head.tid as Tid;
        let of_thread = matches!(
            rec_kind(u32::from(head.kind)),
            rec_kind::REC_CALL
                | rec_kind::REC_ENTRY
                | rec_kind::REC_SIGNAL
                | rec_kind::REC_EXIT
                | rec_kind::REC_BLOCKED
                | rec_kind::REC_STOPPED
        );
        let new = self.unseen > 0 && of_thread && self.live.insert(tid);
        let at = if new { self.ring.peek().map_or(0, records::began) } else { 0 };
        new.then(|| Note::Started { tid, process: process::group_of(tid), origin: Origin::Attached, at })
    }

    /// Whether nothing more will come, the ring being empty.
    fn all_gone(&mut self) -> bool {
        self.unseen = self.kernel.control_lost();
        if self.unseen == 0 || self.stopping.is_some() {
            return self.live.is_empty();
        }
        // The last thread's records were sent before it was counted off.
        self.kernel.alive() == 0 && self.ring.peek().is_none()
    }

    /// Waits until there is something to read or a moment has passed; tells whether there is.
    fn wait(&mut self) -> io::Result<bool> {
        self.kernel.set_waiting(true);
        let mut ready = self.ring.peek().is_some();
        if !ready {
            let watched = |fd: &BorrowedFd<'_>| libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            let mut polled: Vec<libc::pollfd> = self.kernel.rings().iter().map(watched).collect();
            let patience = self.survey.patience(PATIENCE).as_millis() as i32 + 1;
            // SAFETY: so many valid pollfds.
            let n = unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, patience) };
            if n < 0 {
                let e = io::Error::last_os_error();
                if e.kind() != io::ErrorKind::Interrupted {
                    return Err(e);
                }
            }
            ready = self.ring.peek().is_some();
        }
        self.kernel.set_waiting(false);
        Ok(ready)
    }

    /// Reaps who is gone: others may wait for that. Besides the command these are children that tracees gave to Stride (CLONE_PARENT).
    fn reap(&mut self) -> Option<Note> {
        // Whoever attaches may have children of other kinds.
        let tid = if self.is_ours { process::gone_child()? } else { return None };
        let is_command = Some(tid) == self.child;
        // Its record comes first.
        if is_command && self.live.contains(&tid) {
            return None;
        }
        let status = process::wait_for(tid)?;
        self.child = self.child.filter(|_| !is_command);
        // With -f it was traced itself.
        let fate = if status & 0x7f == 0 { Fate::Exited } else { Fate::Killed };
        (!self.follow && !is_command).then_some(Note::Stranger { tid, fate })
    }

    /// What is to be told before the record at the ring's front.
    fn precedes(&mut self, head: &rec_head) -> Option<Note> {
        let tid = head.tid as Tid;
        if head.lost > 0 && !self.lost_told {
            let at = self.ring.peek().map_or(0, records::began);
            // Its return is the first thing that was lost.
            if let Some(mut call) = self.threads.take_blocked(tid) {
                call.outcome = Outcome::Gone;
                call.returned = at;
                // Its end is not known, and it is among the losses: there is nothing to count.
                call.counted = true;
                self.call = call;
                self.lost_shown = true;
                return Some(Note::Exit);
            }
            self.lost_told = true;
            // Those of a lost call may be among them.
            self.descriptors.remove(&tid);
            let count = u64::from(head.lost) - u64::from(std::mem::take(&mut self.lost_shown));
            if count > 0 {
                return Some(Note::Lost { tid, count, at });
            }
        }
        if let Some(note) = self.unannounced(head) {
            return Some(note);
        }
        let kind = rec_kind(u32::from(head.kind));
        if kind == rec_kind::REC_CALL || kind == rec_kind::REC_BLOCKED {
            let has_entry = u32::from(head.flags) & rec_flag::FLAG_HAS_ENTRY.0 != 0;
            // execve returns with the ABI of the new program.
            let entered = if has_entry { self.entered.get(&tid) } else { None };
            let abi = entered.map_or_else(|| records::abi(head.abi), |call| call.abi);
            if self.threads.changes_abi(tid, abi) {
                let at = self.ring.peek().map_or(0, records::began);
                return Some(Note::Personality { tid, abi, at });
            }
        }
        None
    }

    /// A thread was found blocked; tells whether that is to be shown.
    fn blocked(&mut self, rec: &rec_blocked) -> bool {
        let tid = rec.head.tid as Tid;
        let call = match self.entered.get(&tid) {
            Some(call) => call.clone(),
            None => {
                let mut call = records::blocked(rec);
                if !inside::read(&mut call, &self.limits) {
                    return false;
                }
                call
            }
        };
        self.threads.blocks(call);
        // At the end it is shown with the thread that is let go.
        self.stopping.is_none()
    }

    /// Takes in the record at the ring's front.
    fn record(&mut self, head: &rec_head) -> Option<Note> {
        let rec = self.ring.peek()?;
        let tid = head.tid as Tid;
        match rec_kind(u32::from(head.kind)) {
            rec_kind::REC_CALL => {
                let fixed = read::<rec_call>(rec)?;
                let flags = u32::from(head.flags);
                self.call.blocks.clear();
                let before = if flags & rec_flag::FLAG_HAS_ENTRY.0 != 0 { self.entered.remove(&tid) } else { None };
                let memory = if let Some(before) = before {
                    let old = std::mem::replace(&mut self.call, before);
                    self.spare.push(old);
                    let (more, memory) = records::more(&fixed, rec);
                    self.call.returned = more.at;
                    self.call.counted = flags & rec_flag::FLAG_COUNTED.0 != 0;
                    memory
                } else {
                    records::facts(&mut self.call, &fixed, rec)
                };
                records::blocks(&mut self.call, memory);
                self.call.descriptors.clear();
                if !self.descriptors.is_empty() {
                    self.call.descriptors.extend(self.descriptors.remove(&tid).into_iter().flatten());
                }
                self.call.outcome =
                    if flags & rec_flag::FLAG_GONE.0 != 0 { Outcome::Gone } else { Outcome::from_raw(fixed.ret) };
                self.threads.returned(&mut self.call);
                Some(Note::Exit)
            }
            rec_kind::REC_ENTRY => {
                let fixed = read::<rec_call>(rec)?;
                let mut call = self.spare.pop().unwrap_or_default();
                call.blocks.clear();
                let memory = records::facts(&mut call, &fixed, rec);
                records::blocks(&mut call, memory);
                let tell = self.entries && u32::from(head.flags) & rec_flag::FLAG_TELL.0 != 0;
                if tell {
                    self.threads.blocks(call.clone());
                }
                if let Some(stale) = self.entered.insert(tid, call) {
                    self.spare.push(stale);
                }
                tell.then_some(Note::Enter { tid })
            }
            rec_kind::REC_FILE => {
                let file = read::<rec_file>(rec)?;
                let found = files::descriptor(&file, &rec[size_of::<rec_file>()..])?;
                self.descriptors.entry(tid).or_default().push(found);
                None
            }
            rec_kind::REC_START => {
                let rec = read::<rec_start>(rec)?;
                self.live.insert(tid);
                self.groups.joins(tid, rec.process as Tid);
                let origin = match rec.parent {
                    0 => Origin::Attached,
                    parent => Origin::Forked { parent: parent as Tid },
                };
                if rec.parent != 0 {
                    self.threads.starts(tid, records::abi(head.abi));
                }
                Some(Note::Started { tid, process: rec.process as Tid, origin, at: rec.at })
            }
            rec_kind::REC_SIGNAL => {
                let rec = read::<rec_signal>(rec)?;
                self.siginfo = [0; SIGINFO_SIZE];
                for (to, word) in self.siginfo.chunks_exact_mut(8).zip(rec.info) {
                    to.copy_from_slice(&word.to_ne_bytes());
                }
                if matches!(rec.info[0] as i32, libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU) {
                    self.survey.hurry();
                }
                Some(Note::Signal { tid, ip: rec.ip, at: rec.at })
            }
            rec_kind::REC_BLOCKED => {
                let rec = read::<rec_blocked>(rec)?;
                self.blocked(&rec).then_some(Note::Enter { tid })
            }
            rec_kind::REC_STOPPED => {
                let rec = read::<rec_stopped>(rec)?;
                Some(Note::Stopped { tid, signal: rec.signal as i32, at: rec.at })
            }
            rec_kind::REC_EXIT => {
                let rec_exit { status, at, .. } = read::<rec_exit>(rec)?;
                let status = status as i32;
                self.live.remove(&tid);
                self.descriptors.remove(&tid);
                self.threads.gone(tid);
                if let Some(call) = self.entered.remove(&tid) {
                    self.spare.push(call);
                }
                if self.groups.keeps(tid, status) {
                    return None;
                }
                self.first = self.groups.leaves(tid).map(|(first, own)| {
                    let all = u32::from(head.flags) & rec_flag::FLAG_ALL_EXIT.0 != 0;
                    ended(first, if all { status } else { own }, at)
                });
                Some(ended(tid, status, at))
            }
            rec_kind::REC_EXEC => {
                let rec_exec { old, at, .. } = read::<rec_exec>(rec)?;
                let old = old as Tid;
                self.live.remove(&old);
                self.live.insert(tid);
                self.threads.renamed(old, tid);
                self.groups.takes_over(old, tid);
                if let Some(mut call) = self.entered.remove(&old) {
                    call.tid = tid;
                    self.entered.insert(tid, call);
                }
                Some(Note::Superseded { tid, old, at })
            }
            rec_kind::REC_DETACH => {
                let at = read::<rec_detach>(rec)?.at;
                self.live.remove(&tid);
                self.first = self.groups.leaves(tid).map(|(first, status)| ended(first, status, at));
                // Whoever is let go is not waited for.
                self.child = self.child.filter(|&child| child != tid);
                Some(Note::Detached { tid, at })
            }
            _ => None,
        }
    }
}

/// A thread's end by its status as wait(2) gives it.
fn ended(tid: Tid, status: i32, at: Ns) -> Note {
    match status & 0x7f {
        0 => Note::Exited { tid, status: status >> 8 & 0xff, at },
        signal => Note::Killed { tid, signal, core: status & 0x80 != 0, at },
    }
}

fn exists(tid: Tid) -> bool {
    Path::new(&format!("/proc/{tid}")).exists()
}
