//! Records in, events out.

use crate::error::{self, StartError, Why};
use crate::files::{self, Files};
use crate::load::{Config, Kernel, RingSize};
use crate::plans::Tables;
use crate::ring::Ring;
use crate::valve::{Held, Valve};
use crate::wire::{
    read, rec_call, rec_detach, rec_exec, rec_exit, rec_file, rec_flag, rec_head, rec_kind, rec_more, rec_signal,
    rec_start, task_flag,
};
use crate::{records, refusal};
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use stride_engine_base::{Dispositions, Waiting, interrupt, process, spawn};
use stride_event::{About, Call, Counted, Descriptor, Event, Fate, Ns, Origin, Outcome, SIGINFO_SIZE, Tid, TraceSpec};

/// What to do when calls come faster than they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// Hold the threads that make them, so that none is lost.
    Wait,
    /// Lose calls, and count them.
    Drop,
}

/// What is the engine's own to choose.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// `None`: wait, unless there are processes to attach to, which are not to be held unasked.
    pub on_overflow: Option<Overflow>,
    /// Size of the ring: a power of two, at least a page.
    pub ring_bytes: u32,
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
        RingSize::of(self.ring_bytes, hold)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        // A larger ring takes its time to allocate.
        Settings { on_overflow: None, ring_bytes: 4 << 20, exits_only: false }
    }
}

/// How long the reader waits before it looks for itself.
const PATIENCE_MS: i32 = 20;

/// An event, without what it borrows.
enum Note {
    Started { tid: Tid, origin: Origin, at: Ns },
    Exit,
    Signal { tid: Tid, ip: u64, at: Ns },
    Exited { tid: Tid, status: i32, at: Ns },
    Killed { tid: Tid, signal: i32, core: bool, at: Ns },
    Superseded { tid: Tid, old: Tid, at: Ns },
    Lost { tid: Tid, count: u64, at: Ns },
    Detached { tid: Tid, at: Ns },
    Stranger { tid: Tid, fate: Fate },
    Idle,
}

/// Traces with eBPF programs.
pub struct EbpfEngine {
    ring: Ring,
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
    follow: bool,
    /// Traced threads that have not ended.
    live: BTreeSet<Tid>,
    signals: Dispositions,
    /// `stop` was called, or a fatal signal arrived: what is in the ring still comes, then all who live on are let go.
    stopping: Option<Option<i32>>,
    /// Asked for, and not there.
    failures: Vec<Tid>,
    child: Option<Tid>,
    /// The child is one (with `-D` it is not), and reaped when it is gone.
    is_ours: bool,
    first: Option<Note>,
    /// The record at the ring's front was handed out; or the losses before it were.
    taken: bool,
    lost_told: bool,
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
        };
        let mut kernel = Kernel::load(config, &tables)?;
        let ring = Ring::new(kernel.ring(), config.ring.bytes).map_err(|e| Why::NoMemory(e.to_string()))?;
        let valve = config.ring.hold.then(|| Valve::new(kernel.bells(), kernel.ring(), config.ring.mark()));
        let files = spec.descriptors.then(|| kernel.files(&spec.calls)).transpose()?;
        kernel.attach()?;
        let mut failures = Vec::new();
        for &tid in &spec.attach {
            if !kernel.seed(tid, spec.follow).map_err(|e| refusal::why(&e))? {
                failures.push(tid);
            }
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
            follow: spec.follow,
            live: BTreeSet::new(),
            signals: Dispositions::install(spec),
            stopping: None,
            failures,
            child: None,
            is_ours: false,
            first: None,
            taken: false,
            lost_told: false,
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
            let tid = command.go()?;
            engine.child = Some(tid);
            engine.live.insert(tid);
            engine.first = Some(Note::Started { tid, origin: Origin::Spawned, at: 0 });
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
            Note::Started { tid, origin, at } => Event::Started { tid, origin, at },
            Note::Exit => Event::Exit(&self.call),
            Note::Signal { tid, ip, at } => Event::Signal { tid, info: &self.siginfo, ip: Some(ip), at },
            Note::Exited { tid, status, at } => Event::Exited { tid, status, at },
            Note::Killed { tid, signal, core, at } => Event::Killed { tid, signal, core, at },
            Note::Superseded { tid, old, at } => Event::Superseded { tid, old, call: self.entered.get(&tid), at },
            Note::Lost { tid, count, at } => Event::Lost { tid, count, at },
            Note::Detached { tid, at } => Event::Detached { tid, call: self.entered.get(&tid), at },
            Note::Stranger { tid, fate } => Event::Stranger { tid, fate },
            Note::Idle => Event::Idle,
        }))
    }

    /// Stops tracing: what was recorded so far still comes out of `next`, then the threads that live on, then `None`.
    /// With a signal (that Stride received), the command gets it too, as strace does it. Signals that arrive by themselves do the same
    /// (see `-I`).
    pub fn stop(&mut self, signal: Option<i32>) {
        if self.stopping.is_none() {
            self.stopping = Some(signal);
            self.files = None;
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

    fn step(&mut self) -> io::Result<Option<Note>> {
        if let Some(note) = self.first.take() {
            return Ok(Some(note));
        }
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
                if head.lost > 0 && !self.lost_told {
                    self.lost_told = true;
                    // Those of a lost call may be among them.
                    self.descriptors.remove(&(head.tid as Tid));
                    return Ok(Some(Note::Lost { tid: head.tid as Tid, count: u64::from(head.lost), at: time(rec) }));
                }
                if let Some(note) = self.unannounced(&head) {
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
                let Some(pid) = self.child.take().filter(|_| self.is_ours) else { return Ok(None) };
                let status = process::wait_for(pid);
                if let (true, Some(status)) = (self.live.remove(&pid), status) {
                    return Ok(Some(ended(pid, status, 0)));
                }
                return Ok(None);
            }
            if let Some(note) = self.bury() {
                return Ok(Some(note));
            }
            if !self.wait()? && !std::mem::replace(&mut self.idle_told, true) {
                return Ok(Some(Note::Idle));
            }
        }
    }

    /// Waits for children that are gone: besides the command, which is waited for in the end, those that a tracee made in Stride's name (CLONE_PARENT), and those
    /// that were there before Stride was executed. Tracees may wait for that in their turn.
    fn bury(&mut self) -> Option<Note> {
        let tid = process::gone_child().filter(|&tid| self.child != Some(tid))?;
        let status = process::wait_for(tid)?;
        // Records tell of those that are followed.
        let fate = if libc::WIFEXITED(status) { Fate::Exited } else { Fate::Killed };
        (!self.follow).then_some(Note::Stranger { tid, fate })
    }

    /// A thread whose first record found no room, before the record at the ring's front, which is its.
    fn unannounced(&mut self, head: &rec_head) -> Option<Note> {
        self.unseen = self.kernel.control_lost();
        let tid = head.tid as Tid;
        let of_thread = matches!(
            rec_kind(u32::from(head.kind)),
            rec_kind::REC_CALL | rec_kind::REC_ENTRY | rec_kind::REC_SIGNAL | rec_kind::REC_EXIT
        );
        let new = self.unseen > 0 && of_thread && self.live.insert(tid);
        let at = if new { self.ring.peek().map_or(0, time) } else { 0 };
        new.then_some(Note::Started { tid, origin: Origin::Attached, at })
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
            let mut poll = libc::pollfd { fd: self.kernel.ring().as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: one valid pollfd.
            let n = unsafe { libc::poll(&mut poll, 1, PATIENCE_MS) };
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
                Some(Note::Exit)
            }
            rec_kind::REC_ENTRY => {
                let fixed = read::<rec_call>(rec)?;
                let mut call = self.spare.pop().unwrap_or_default();
                call.blocks.clear();
                let memory = records::facts(&mut call, &fixed, rec);
                records::blocks(&mut call, memory);
                if let Some(stale) = self.entered.insert(tid, call) {
                    self.spare.push(stale);
                }
                None
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
                let origin = match rec.parent {
                    0 => Origin::Attached,
                    parent => Origin::Forked { parent: parent as Tid },
                };
                Some(Note::Started { tid, origin, at: rec.at })
            }
            rec_kind::REC_SIGNAL => {
                let rec = read::<rec_signal>(rec)?;
                self.siginfo = [0; SIGINFO_SIZE];
                for (to, word) in self.siginfo.chunks_exact_mut(8).zip(rec.info) {
                    to.copy_from_slice(&word.to_ne_bytes());
                }
                Some(Note::Signal { tid, ip: rec.ip, at: rec.at })
            }
            rec_kind::REC_EXIT => {
                let rec_exit { status, at, .. } = read::<rec_exit>(rec)?;
                let status = status as i32;
                self.live.remove(&tid);
                self.descriptors.remove(&tid);
                if let Some(call) = self.entered.remove(&tid) {
                    self.spare.push(call);
                }
                Some(ended(tid, status, at))
            }
            rec_kind::REC_EXEC => {
                let rec_exec { old, at, .. } = read::<rec_exec>(rec)?;
                let old = old as Tid;
                self.live.remove(&old);
                self.live.insert(tid);
                if let Some(mut call) = self.entered.remove(&old) {
                    call.tid = tid;
                    self.entered.insert(tid, call);
                }
                Some(Note::Superseded { tid, old, at })
            }
            rec_kind::REC_DETACH => {
                let at = read::<rec_detach>(rec)?.at;
                self.live.remove(&tid);
                // Whoever is let go is not waited for.
                self.child = self.child.filter(|&child| child != tid);
                Some(Note::Detached { tid, at })
            }
            _ => None,
        }
    }
}

/// When what a record tells of began; 0 if it does not say.
fn time(rec: &[u8]) -> Ns {
    let Some(head) = read::<rec_head>(rec) else { return 0 };
    if !matches!(rec_kind(u32::from(head.kind)), rec_kind::REC_CALL | rec_kind::REC_ENTRY) {
        // Behind the head of all others.
        return read::<rec_detach>(rec).map_or(0, |rec| rec.at);
    }
    let more = u32::from(head.flags) & rec_flag::FLAG_MORE.0 != 0;
    let more = more.then(|| read::<rec_more>(&rec[size_of::<rec_call>()..])).flatten();
    more.map_or(0, |more| if more.entered != 0 { more.entered } else { more.at })
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
