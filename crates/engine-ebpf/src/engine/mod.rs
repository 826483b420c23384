//! The loop: records in, events out.

mod note;
mod take;

use crate::error::{self, StartError, Why};
use crate::files::Files;
use crate::groups::Groups;
use crate::load::{Config, Kernel};
use crate::plans::Tables;
use crate::refusal;
use crate::ring::Ring;
use crate::rings::Rings;
use crate::settings::Settings;
use crate::survey::Survey;
use crate::threads::Threads;
use crate::valve::{Held, Valve};
use crate::wire::{read, rec_head, task_flag};
use note::{Note, ended};
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::Path;
use std::time::Duration;
use stride_engine_base::signal::now;
use stride_engine_base::{Dispositions, Waiting, interrupt, process, spawn};
use stride_event::{About, Call, Counted, Descriptor, Event, Fate, Limits, Origin, SIGINFO_SIZE, Tid, TraceSpec};

/// How long the reader waits before it looks for itself.
const PATIENCE: Duration = Duration::from_millis(20);

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
            engine.first = Some(Note::Started { tid, process: tid, origin: Origin::Spawned, at: now() });
        } else if engine.ring.peek().is_none() {
            return Err(StartError::Attach { tids: engine.failures });
        }
        Ok(engine)
    }

    /// The next event; `None` when all traced threads are gone.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> io::Result<Option<Event<'_>>> {
        let Some(note) = self.step()? else { return Ok(None) };
        Ok(Some(self.event(note)))
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
                return Ok(Some(Note::Detached { tid, at: now() }));
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
}

fn exists(tid: Tid) -> bool {
    Path::new(&format!("/proc/{tid}")).exists()
}
