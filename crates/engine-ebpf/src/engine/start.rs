//! Starting: the programs are loaded, then the command is let go, or threads are adopted.

use super::gathering::Gathering;
use super::{Access, EbpfEngine};
use crate::cgroup_paths;
use crate::containers::Containers;
use crate::error::{self, Why};
use crate::kernel::Kernel;
use crate::library::LibraryCalls;
use crate::loading::config::{Config, tells_containers};
use crate::loading::programs::Seeded;
use crate::memory::pieces::MemoryPieces;
use crate::operations::OpenOperations;
use crate::reading::queued::QueuedEvent;
use crate::ring::backlog::SharedWords;
use crate::ring::backpressure::Drain;
use crate::ring::rings::Rings;
use crate::ring::size::RingSize;
use crate::ring::source::{Drained, RingSource};
use crate::ring::{Gauge, Ring};
use crate::settings::Settings;
use crate::stacks::StackMemory;
use crate::threads::held_signals::HeldSignals;
use crate::threads::left_out::Watch;
use crate::threads::notable::NotableThreads;
use crate::threads::poller::Poller;
use crate::waits::WaitsOfCalls;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;
use stride_engine_base::procfs;
use stride_engine_base::signal::now;
use stride_engine_base::stat::is_kernel_thread;
use stride_engine_base::{Dispositions, Remote, StartError, Waiting, process, spawn};
use stride_event::{Call, SIGINFO_SIZE, StartKind, Tid, TraceSpec};

impl EbpfEngine {
    /// Starts the command, attaches, or both.
    pub fn start(spec: TraceSpec) -> Result<EbpfEngine, StartError> {
        Self::start_with(spec, Settings::default())
    }

    pub fn start_with(spec: TraceSpec, settings: Settings) -> Result<EbpfEngine, StartError> {
        Self::start_by(spec, settings, Access::Own)
    }

    pub fn start_by(spec: TraceSpec, settings: Settings, access: Access) -> Result<EbpfEngine, StartError> {
        // The child is forked first, so that it gets ready while the programs are loaded.
        let command = spec.command.as_ref();
        let mut waiting = command.map(|command| spawn(command, None, spec.daemonize)).transpose()?;
        Self::start_waiting(&spec, settings, access, &mut waiting)
    }

    /// The same for a command that was forked earlier. It is taken when it is let go. After an error it may still be
    /// there, for another engine to trace.
    pub fn start_waiting(
        spec: &TraceSpec,
        settings: Settings,
        access: Access,
        waiting: &mut Option<Waiting>,
    ) -> Result<EbpfEngine, StartError> {
        // Comes first because getting ready takes time.
        let signals = Dispositions::install(spec);
        // A command waits for this. Processes that are attached to run, and are likely busy.
        let _hurry = if spec.attach.is_empty() && spec.machine.is_none() { None } else { process::Hurry::begin() };
        let config = Config::of(spec, &settings);
        let mut kernel = match access {
            Access::Own => Kernel::load(config, spec)?,
            Access::Broker(connection) => Kernel::of_broker(connection, &config, spec)?,
        };
        let (ring, drain) = rings(&kernel, config.ring).map_err(|e| Why::NoMemory(e.to_string()))?;
        let mut watch = spec.machine.as_ref().map(|_| Watch::begin(settings.own_children));
        if let Some(watch) = &mut watch {
            watch.look();
            for (&process, left) in watch.found() {
                kernel.leave_out(process, left.children)?;
            }
        }
        kernel.attach()?;
        let mut remarks = kernel.probe(&spec.library, only_process(spec, waiting.as_ref()))?;
        if let Some(machine) = &spec.machine {
            remarks.extend(cgroup_paths::follow(&mut kernel, &machine.cgroups)?);
        }
        let mut containers = spec.machine.as_ref().map(|machine| Containers::new(&machine.containers));
        containers = containers.filter(|_| tells_containers(spec));
        if let Some(containers) = &mut containers {
            let found = containers.find();
            found.wanted.iter().try_for_each(|&id| kernel.want_cgroup(id))?;
            remarks.extend(found.remarks);
        }
        if watch.is_some() {
            kernel.decide(None)?;
        }
        let mut failures = Vec::new();
        for &tid in &spec.attach {
            // Its calls are waited for in vain.
            if is_kernel_thread(tid) {
                failures.push(error::of_the_kernel(tid));
                continue;
            }
            match kernel.seed(tid, spec.follow)? {
                Seeded::Adopted => {}
                Seeded::Refused(errno) => failures.push(error::refused(tid, errno)),
                Seeded::Ended => failures.push(error::ended(tid, spec.follow)),
                Seeded::Nobody => failures.push(error::gone(tid)),
            }
        }
        // Most of the machine's threads are in a call at any time, so calls are shown when they return.
        let entries = spec.entries && spec.machine.is_none();
        let mut poller = Poller::new(entries, spec.calls.clone(), config.ring.bytes);
        if !spec.attach.is_empty() {
            poller.look(&mut kernel, true);
        }
        let mut engine = EbpfEngine {
            ring,
            drain,
            kernel,
            call: Call::default(),
            siginfo: [0; SIGINFO_SIZE],
            entered: HashMap::new(),
            descriptors: HashMap::new(),
            pieces: MemoryPieces::default(),
            waits: WaitsOfCalls::default(),
            spare: Vec::new(),
            entries,
            follow: spec.follow,
            threads: NotableThreads::default(),
            held: HeldSignals::default(),
            poller,
            stacks: StackMemory::default(),
            interrupted: HashMap::new(),
            library: LibraryCalls::new(&spec.library),
            operations: OpenOperations::default(),
            signal_stack: None,
            limits: spec.limits,
            remote: Remote::default(),
            live: BTreeSet::new(),
            signals,
            stopping: None,
            detached: None,
            failures,
            watch,
            remarks,
            containers,
            places: HashMap::new(),
            waiting: None,
            child: None,
            is_ours: false,
            released: false,
            cut_off: None,
            first: None,
            taken: false,
            lost_told: false,
            lost_shown: false,
            idle_told: false,
            unseen: 0,
            looked: Instant::now(),
            records: 0,
            gathering: Gathering::default(),
            hurry: None,
        };
        if let Some(command) = waiting {
            engine.kernel.adopt(command.pid())?;
            engine.is_ours = command.is_child();
        }
        if let Some(command) = waiting.take() {
            let tid = command.pid();
            command.ready()?;
            engine.waiting = Some(command);
            engine.child = Some(tid);
            engine.live.insert(tid);
            engine.first = Some(QueuedEvent::Started { tid, process: tid, origin: StartKind::Spawned, at: now() });
        } else if spec.machine.is_none() && engine.failures.len() == spec.attach.len() {
            return Err(StartError::Attach(engine.failures));
        }
        Ok(engine)
    }
}

/// The reader's end of the rings, and the thread that drains them. (Without that thread calls may be lost, and are
/// counted.)
fn rings(kernel: &Kernel, size: RingSize) -> io::Result<(Rings, Option<Drain>)> {
    let words = SharedWords::new(kernel.shared().fds.words.as_fd())?;
    let fds = kernel.rings();
    let new = |&fd: &BorrowedFd<'_>| Ok(Drained::new(Ring::new(fd, size.bytes)?, words.clone()));
    let all: Vec<_> = fds.iter().map(new).collect::<io::Result<_>>()?;
    let gauges: Vec<_> = fds.iter().map(|&fd| Gauge::new(fd)).collect::<io::Result<_>>()?;
    let rings = Rings::new(all.iter().cloned().map(RingSource::new).collect());
    let drain = size.wait.then(|| {
        Drain::start(kernel.shared().fds.drain_wakeups.as_fd(), gauges.into_iter().zip(all).collect(), words, size).ok()
    });
    Ok((rings, drain.flatten()))
}

/// The process that alone is traced, if it is known before anything runs. Probes are then set in no other process.
fn only_process(spec: &TraceSpec, command: Option<&Waiting>) -> Option<Tid> {
    match (spec.follow || spec.machine.is_some(), command, &spec.attach[..]) {
        (false, Some(command), []) => Some(command.pid()),
        (false, None, &[tid]) => Some(procfs::group_of(tid)),
        _ => None,
    }
}
