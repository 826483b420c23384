//! Loading and attaching the programs.

use crate::counting::counts::TakenCounts;
use crate::counting::counts::{self, CountRow};
use crate::counting::timing::Timing;
use crate::error::Why;
use crate::loading::config::Config;
use crate::loading::iterate::iterate;
use crate::loading::probe::{self, ExecSeen};
use crate::loading::raw::RawPrograms;
use crate::loading::refusal;
use crate::loading::refusal::why;
use crate::loading::relocate::{self, Types};
use crate::loading::second_thread::{self, SecondThread};
use crate::loading::{bare, cgroup_parts, constants, object, specialize};
use crate::plans::Tables;
use crate::plans::globs;
use crate::plans::hooked::{self, HookedCalls};
use crate::ring::Mapping;
use crate::ring::size::RingSize;
use crate::wire::{
    StrideSkel, StrideSkelBuilder, bound, bytes_of, call_plan, cgroup_part, choice, left_out_flag, op, task_state,
};
use crate::{library, operations};
use libbpf_rs::skel::{OpenSkel, Skel};
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle};
use nix::errno::Errno;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use stride_event::{Counting, Endings, Histogram, ProbedFile, StackRate, Tid, WantedThreads};

/// The result of starting to trace a thread or process.
pub enum Seeded {
    Adopted,
    /// The kernel does not let this user trace it.
    Refused(Errno),
    /// It has ended, but still exists.
    Ended,
    Nobody,
}

/// Who loads the programs.
enum Loader<'scope> {
    /// This thread and a second one, if there is one.
    Threads(Option<SecondThread<'scope>>),
    Libbpf,
}

/// The loaded programs and their maps. When dropped, they are gone from the kernel.
pub struct Programs {
    skel: StrideSkel<'static>,
    /// Those of its programs that are at tracepoints.
    raw: RawPrograms,
    types: Option<Types>,
    more_rings: Vec<MapHandle>,
    links: Vec<OwnedFd>,
    /// The links of the programs at the return and at the entry of each call, at the kernel's function that execve calls, and of the probes in libraries.
    returns: Option<OwnedFd>,
    entries: Option<OwnedFd>,
    watch: Option<Link>,
    probes: Vec<Link>,
    /// The link of the program that adopts threads, once that was needed.
    seeding: Option<Link>,
    counting: Option<Counting>,
    /// Calls that succeed are counted by their numbers: those that were handed out already.
    taken: Option<TakenCounts>,
    cpus: u32,
    /// Only some of the calls that are counted may be timed. Then this attaches `on_sys_enter`.
    times_some: bool,
    timing: Option<Timing>,
    /// The calls whose functions may take the place of the tracepoints.
    hooked: Option<HookedCalls>,
}

impl Programs {
    /// Loads the programs. Nothing is attached yet. The tables are made while other threads make what needs no tables.
    pub fn load<E: From<Why>>(config: Config, make: impl FnOnce() -> Result<Tables, E>) -> Result<Programs, E> {
        probe::trial()?;
        refusal::listen();
        let types = Types::prepare();
        let (tables, opened) = std::thread::scope(|scope| {
            let second = SecondThread::start(scope, types.as_ref(), config.ring);
            let tables = make()?;
            let opened = Self::open_both(config, &tables, probe::exec_seen(), &types, Loader::Threads(second));
            Ok::<_, E>((tables, opened))
        })?;
        let again = |seen, threads| Self::open(config, &tables, seen, threads);
        let kernel = match opened {
            Ok(kernel) => Ok(Programs { types, ..kernel }),
            Err(_) if types.as_ref().is_some_and(Types::are_missing) => again(probe::exec_seen(), true),
            Err(error) => Err(error),
        };
        let kernel = kernel.or_else(|_| again(ExecSeen::Entered, true));
        // (libbpf asks the verifier for its reasons, and tells them.)
        Ok(kernel.or_else(|_| again(ExecSeen::Entered, false)).map_err(|e| why(&e))?)
    }

    fn open(config: Config, tables: &Tables, seen: ExecSeen, threads: bool) -> libbpf_rs::Result<Programs> {
        let types = Types::prepare();
        let opened = Self::open_with(config, tables, seen, &types, threads);
        if types.as_ref().is_some_and(Types::are_missing) {
            return Self::open_with(config, tables, seen, &None, threads);
        }
        opened.map(|kernel| Programs { types, ..kernel })
    }

    fn open_with(
        config: Config,
        tables: &Tables,
        seen: ExecSeen,
        types: &Option<Types>,
        threads: bool,
    ) -> libbpf_rs::Result<Programs> {
        std::thread::scope(|scope| {
            let by = if threads {
                Loader::Threads(SecondThread::start(scope, types.as_ref(), config.ring))
            } else {
                Loader::Libbpf
            };
            Self::open_both(config, tables, seen, types, by)
        })
    }

    fn open_both(
        config: Config,
        tables: &Tables,
        seen: ExecSeen,
        types: &Option<Types>,
        by: Loader<'_>,
    ) -> libbpf_rs::Result<Programs> {
        let mut open = relocate::open(types.as_ref(), StrideSkelBuilder::default())?;
        let cpus = libbpf_rs::num_possible_cpus()? as u32;
        let nested = probe::is_nested();
        let exec = tables.execs && !config.count_only() || nested;
        let entry = tables.needs_entry || config.times || exec && seen == ExecSeen::Entered;
        // (Nothing else is then needed of a call's entry.)
        let times_some = config.may_estimate() && !tables.needs_entry && !nested;
        let hooked = config.may_hook().then(|| hooked::calls(tables)).flatten();
        if let Some(rodata) = open.maps.rodata_data.as_deref_mut() {
            constants::set(rodata, &config, tables);
            rodata.have_prepare_exec = seen != ExecSeen::Entered;
            rodata.nested = nested;
            rodata.times_some = times_some;
            rodata.may_hook = hooked.is_some();
        }
        open.maps.ring.set_max_entries(config.ring.bytes)?;
        open.maps.rings.set_max_entries(config.rings)?;
        open.maps.rings.set_autocreate(config.rings > 1)?;
        open.maps.scratches.set_max_entries(cpus)?;
        open.maps.demultiplexings.set_max_entries(cpus)?;
        if config.stacks != StackRate::None {
            open.maps.stack_states.set_max_entries(cpus)?;
            open.maps.stack_memos.set_max_entries(bound::STACK_MEMOS.0)?;
            open.maps.script_layouts.set_max_entries(bound::SPACES.0)?;
            open.maps.code_changes.set_max_entries(bound::CODE_CHANGES.0)?;
            open.maps.code_files.set_max_entries(bound::CODE_FILES.0)?;
            open.maps.spaces.set_max_entries(bound::MOST_PROCESSES.0)?;
        }
        if config.stacks == StackRate::Sampled {
            open.maps.stack_sites.set_max_entries(bound::STACK_SITES.0)?;
        }
        // (These maps are always there: before Linux 6.8, functions that nobody calls are verified, too.)
        if config.machine.is_some() {
            open.maps.globs.set_max_entries(bound::MOST_GLOBS.0)?;
            open.maps.left_out.set_max_entries(bound::MOST_LEFT_OUT.0)?;
            open.maps.wanted_cgroups.set_max_entries(bound::MOST_CGROUPS.0)?;
            open.maps.cgroup_parts.set_max_entries(config.cgroup_parts().max(1))?;
        }
        open.maps.counts_by.set_autocreate(config.counts_more())?;
        if config.counting.is_some() && (!config.counts_more() || config.counts_failures()) {
            open.maps.counts.set_max_entries(cpus * bound::COUNT_SLOTS.0)?;
        }
        library::configure(&mut open, config.library, config.text)?;
        operations::configure(&mut open, config.operations, config.text)?;
        open.maps.ops.set_max_entries(tables.ops.len().max(1) as u32)?;
        open.maps.choices.set_max_entries(tables.choices.len().max(1) as u32)?;
        open.maps.cases.set_max_entries(tables.case_keys.len().max(1) as u32)?;
        // Each program takes a millisecond or more to load.
        // (Where calls are shown, threads may end in them.)
        open.progs.capture_entry.set_autoload(!config.count_only());
        open.progs.on_prepare_exec.set_autoload(exec && seen == ExecSeen::Prepared);
        open.progs.on_check_exec.set_autoload(exec && seen == ExecSeen::Checked);
        open.progs.on_sys_enter.set_autoload(entry);
        open.progs.on_signal.set_autoload(config.signals);
        open.progs.on_generate.set_autoload(config.signals);
        open.progs.on_fork.set_autoload(config.follow);
        open.progs.seed.set_autoload(config.attach || config.guarded);
        open.progs.learn_ids.set_autoload(nested || config.namespaces);
        open.progs.on_rename.set_autoload(config.machine.is_some_and(|machine| !machine.comm.is_empty()));
        let by_cgroup = config.containers || config.machine.is_some_and(|machine| !machine.cgroups.is_empty());
        open.progs.on_cgroup_attach.set_autoload(by_cgroup);
        open.progs.on_cgroup_begins.set_autoload(by_cgroup);
        open.progs.on_cgroup_ends.set_autoload(by_cgroup);
        let (skel, raw) = match by {
            Loader::Threads(second) => {
                // (No thread is traced yet, and nobody else is concerned. With times of some calls only, entries are attached for moments.)
                let entry = open.progs.on_sys_enter.name().to_owned();
                let at_once = |name: &OsStr| config.attaches_at_once() && !(times_some && name == entry);
                let loading = second_thread::begin(&mut open, types.as_ref(), second, at_once)?;
                let skel = open.load()?;
                // (The other thread loads programs meanwhile.)
                fill(&skel, tables)?;
                (skel, loading.finish()?)
            }
            Loader::Libbpf => {
                types.as_ref().map_or(Ok(()), Types::find)?;
                object::prepare(&mut open)?;
                let settings = object::settings(&open);
                let skel = specialize::with(settings, || open.load())?;
                fill(&skel, tables)?;
                let raw = RawPrograms::of(skel.object())?;
                (skel, raw)
            }
        };
        library::fill(&skel.maps.probes, config.library)?;
        if config.operations {
            operations::fill(&skel.maps.uring_plans)?;
        }
        let p = &skel.progs;
        if let Some(learn) = raw.get(p.learn_ids.name()) {
            bare::run(&learn.program)?;
        }
        if let Some(capture) = raw.get(p.capture_entry.name()) {
            let step = capture.program.as_raw_fd() as u32;
            skel.maps.steps.update(bytes_of(&[0u32]), bytes_of(&[step]), MapFlags::ANY)?;
        }
        // Only attaching shows whether this is allowed. No thread is watched yet.
        let watch = if p.on_check_exec.autoload() { Some(p.on_check_exec.attach()?) } else { None };
        let more_rings = further_rings(&skel, config)?;
        if let Some(machine) = config.machine {
            for (i, glob) in (0u32..).zip(globs::tables(machine)) {
                skel.maps.globs.update(bytes_of(&[i]), bytes_of(&[glob]), MapFlags::ANY)?;
            }
            for (i, part) in (0u32..).zip(cgroup_parts::parts(&machine.cgroups)) {
                skel.maps.cgroup_parts.update(bytes_of(&[i]), bytes_of(&[part]), MapFlags::ANY)?;
            }
        }
        Ok(Programs {
            skel,
            raw,
            types: None,
            more_rings,
            links: Vec::new(),
            returns: None,
            entries: None,
            watch,
            probes: Vec::new(),
            seeding: None,
            counting: config.counting,
            taken: config.counts_failures().then(TakenCounts::default),
            cpus,
            timing: None,
            times_some,
            hooked,
        })
    }

    pub fn attach(&mut self) -> Result<(), Why> {
        let p = &self.skel.progs;
        let all = [
            &p.on_prepare_exec,
            &p.on_cgroup_begins,
            &p.on_cgroup_ends,
            &p.on_cgroup_attach,
            &p.on_rename,
            &p.on_fork,
            &p.on_exec,
            &p.on_exit,
            &p.on_signal,
            &p.on_generate,
            &p.on_complete,
            &p.on_complete_before,
            &p.on_overflow,
            &p.on_refused,
            &p.on_submit,
            &p.on_submit_before,
        ];
        for program in all {
            self.links.extend(self.raw.attach(program.name()).map_err(|e| why(&e))?);
        }
        if self.times_some {
            self.returns = self.raw.attach(p.on_sys_exit.name()).map_err(|e| why(&e))?;
            if let Some(entry) = self.raw.get(p.on_sys_enter.name()) {
                let timing = Timing::start(entry.program.as_fd(), self.skel.maps.counts.as_fd(), self.cpus);
                self.timing = Some(timing.map_err(|e| why(&e.into()))?);
            }
            return Ok(());
        }
        self.attach_to_calls().map_err(|e| why(&e))
    }

    /// Attaches the programs that every call runs.
    pub fn attach_to_calls(&mut self) -> libbpf_rs::Result<()> {
        let p = &self.skel.progs;
        self.returns = self.raw.attach(p.on_sys_exit.name())?;
        self.entries = self.raw.attach(p.on_sys_enter.name())?;
        Ok(())
    }

    /// The functions of the wanted calls are watched, and no longer all calls.
    pub fn leave_tracepoints(&mut self) {
        self.returns = None;
        self.entries = None;
    }

    /// The programs at functions do nothing any more.
    pub fn end_functions(&mut self) {
        if let Some(bss) = self.skel.maps.bss_data.as_deref_mut() {
            // SAFETY: a valid, aligned u32 of our own mapping.
            unsafe { AtomicU32::from_ptr(&mut bss.hooks_over) }.store(1, Ordering::Relaxed);
        }
    }

    /// Sets the probes in libraries. They go first when tracing ends. `only` is the process that alone is traced.
    /// Returns sentences about functions that cannot be traced.
    pub fn probe(&mut self, files: &[ProbedFile], only: Option<Tid>) -> Result<Vec<String>, Why> {
        let (links, remarks) = library::attach(&self.skel.progs, files, only)?;
        self.probes.extend(links);
        Ok(remarks)
    }

    /// Ends tracing. The contents of the ring stay. The programs that every call runs are detached first, and the one
    /// that reports threads' ends is among the last.
    ///
    /// No return is seen any longer before the first entry is missed. So all calls that are reported have their time, and the memory and the
    /// descriptors that they had when they were entered. A call that is entered meanwhile is one that had not returned at the end.
    pub fn detach(&mut self) {
        if let Some(timing) = &mut self.timing {
            timing.end();
        }
        self.probes.clear();
        self.leave_tracepoints();
        while self.links.pop().is_some() {}
        self.watch = None;
    }

    /// Marks the process of a pidfd as traced.
    pub fn adopt(&mut self, pidfd: BorrowedFd<'_>, flags: u32) -> libbpf_rs::Result<()> {
        let key = pidfd.as_raw_fd() as u32;
        let state = task_state { flags, ..task_state::default() };
        if let Some(words) = self.skel.maps.data_reader_data.as_deref_mut() {
            // SAFETY: a valid, aligned u64 of our own mapping, which the kernel side counts atomically, too.
            unsafe { AtomicU64::from_ptr(&mut words.threads_alive) }.fetch_add(1, Ordering::Relaxed);
        }
        self.skel.maps.tasks.update(bytes_of(&[key]), bytes_of(&[state]), MapFlags::ANY)
    }

    /// From now on, threads are adopted for this user, and only those whose memory is behind `proof`, a descriptor of /proc/PID/mem.
    /// `own` is this process's own.
    pub fn guard(&mut self, uid: u32, gid: u32, own: BorrowedFd<'_>, proof: BorrowedFd<'_>) {
        if let Some(bss) = self.skel.maps.bss_data.as_deref_mut() {
            (bss.guarded_uid, bss.guarded_gid) = (uid, gid);
            (bss.own_memory, bss.given_proof) = (own.as_raw_fd() as u32, proof.as_raw_fd() as u32);
        }
    }

    /// Marks a thread, or all threads of a process, as traced. A record reports each, unless it is a command that was started
    /// for the trace (`TASK_BEFORE_EXEC` in `flags`).
    pub fn seed(&mut self, id: Tid, whole_process: bool, flags: u32) -> libbpf_rs::Result<Seeded> {
        if let Some(bss) = self.skel.maps.bss_data.as_deref_mut() {
            bss.seed_id = id as u32;
            bss.seed_is_tgid = u32::from(whole_process);
            bss.seed_flags = flags;
            (bss.seed_found, bss.seed_ended) = (0, 0);
        }
        if self.seeding.is_none() {
            self.seeding = Some(self.skel.progs.seed.attach()?);
        }
        let Some(link) = &self.seeding else { return Ok(Seeded::Nobody) };
        // Threads that were being cloned meanwhile are found the second time.
        for _ in 0..2 {
            iterate(link)?;
        }
        let Some(bss) = self.skel.maps.bss_data.as_deref() else { return Ok(Seeded::Nobody) };
        // SAFETY: valid, aligned numbers of our own mapping.
        let [found, ended] = [&bss.seed_found, &bss.seed_ended].map(|n| unsafe { std::ptr::read_volatile(n) } != 0);
        Ok(match (found, ended) {
            (true, _) => Seeded::Adopted,
            (false, true) => Seeded::Ended,
            (false, false) => Seeded::Nobody,
        })
    }

    /// Looks at all threads of the machine, or of one process: adopts those that are wanted, and drops those that are no
    /// longer wanted. Records report each.
    pub fn decide(&mut self, process: Option<Tid>) -> libbpf_rs::Result<()> {
        self.seed(process.unwrap_or(0), true, 0).map(drop)
    }

    /// Never traces this process; `children`: nor those that it starts from now on.
    pub fn leave_out(&self, process: Tid, children: bool) -> libbpf_rs::Result<()> {
        let flags = if children { left_out_flag::LEFT_OUT_CHILDREN.0 } else { 0 };
        self.skel.maps.left_out.update(bytes_of(&[process as u32]), bytes_of(&[flags]), MapFlags::ANY)
    }

    /// Threads in this cgroup and below it are wanted.
    pub fn want_cgroup(&self, id: u64) -> libbpf_rs::Result<()> {
        self.skel.maps.wanted_cgroups.update(bytes_of(&[id]), bytes_of(&[1u32]), MapFlags::ANY)
    }

    /// The directory of this number in the paths to wanted cgroups.
    pub fn set_cgroup_part(&self, at: u32, part: cgroup_part) -> libbpf_rs::Result<()> {
        self.skel.maps.cgroup_parts.update(bytes_of(&[at]), bytes_of(&[part]), MapFlags::ANY)
    }

    /// The fill of a ring beyond which records of calls are refused.
    pub fn ring_call_limit(&self) -> u64 {
        self.skel.maps.rodata_data.map_or(0, |rodata| rodata.ring_call_limit)
    }

    pub fn rings(&self) -> Vec<BorrowedFd<'_>> {
        std::iter::once(self.skel.maps.ring.as_fd()).chain(self.more_rings.iter().map(AsFd::as_fd)).collect()
    }

    /// Stride is in a PID namespace of its own: its depth, and where struct pid has its ids.
    pub fn nested(&self) -> Option<(u32, u32)> {
        let nested = self.skel.maps.rodata_data.is_some_and(|rodata| rodata.nested);
        self.skel.maps.bss_data.as_deref().filter(|_| nested).map(|bss| (bss.pid_level, bss.pid_numbers))
    }

    /// The kernel side's state of each traced thread.
    pub fn tasks(&self) -> BorrowedFd<'_> {
        self.skel.maps.tasks.as_fd()
    }

    /// The calls whose functions may take the place of the tracepoints.
    pub fn take_hooked(&mut self) -> Option<HookedCalls> {
        self.hooked.take()
    }

    /// The maps by their names. `None`: the map is not used.
    pub fn maps(&self) -> io::Result<HashMap<String, Option<OwnedFd>>> {
        object::descriptors(self.skel.object())
    }

    /// The contents of the map of settings.
    pub fn settings(&self) -> Vec<u8> {
        self.skel.maps.rodata.lookup(bytes_of(&[0u32]), MapFlags::ANY).ok().flatten().unwrap_or_default()
    }

    /// The programs' variables.
    pub fn variables(&self) -> BorrowedFd<'_> {
        self.skel.maps.bss.as_fd()
    }

    /// The relocations that other objects use, too.
    pub fn types(&self) -> Option<&Types> {
        self.types.as_ref()
    }

    /// The ring that wakes the drain thread.
    pub fn drain_wakeups(&self) -> BorrowedFd<'_> {
        self.skel.maps.drain_wakeups.as_fd()
    }

    /// The words that the programs and the reader share.
    pub fn words(&self) -> BorrowedFd<'_> {
        self.skel.maps.data_reader.as_fd()
    }

    /// Stacks that were unwound before, by the words that they depend on.
    pub fn stacks(&self) -> &impl MapCore {
        &self.skel.maps.stack_memos
    }

    /// Where address spaces have the frames of scripts.
    pub fn script_layouts(&self) -> &impl MapCore {
        &self.skel.maps.script_layouts
    }

    /// Changes of mapped code.
    pub fn changes(&self) -> &impl MapCore {
        &self.skel.maps.code_changes
    }

    /// Files that code was mapped from.
    pub fn code_files(&self) -> &impl MapCore {
        &self.skel.maps.code_files
    }

    /// True if a process still has this address space.
    pub fn has_space(&self, process: stride_event::Tid, space: u64) -> bool {
        let known = self.skel.maps.spaces.lookup(bytes_of(&[process as u32]), MapFlags::ANY);
        // Without an entry, the process has not called execve.
        known.is_ok_and(|known| known.is_none_or(|known| known == space.to_ne_bytes()))
    }

    /// And no longer.
    pub fn unwant_cgroup(&self, id: u64) {
        // It may be gone already.
        let _ = self.skel.maps.wanted_cgroups.delete(bytes_of(&[id]));
    }

    /// The counts so far. With `ended`, those of that interval only, which are then forgotten.
    pub fn counts(&self, ended: Option<u32>) -> libbpf_rs::Result<Vec<CountRow>> {
        let maps = &self.skel.maps;
        match self.counting {
            None => Ok(Vec::new()),
            Some(counting) if counting.is_by_number() => {
                let estimate = |slot, now| self.timing.as_ref()?.estimates().find(slot, now);
                counts::by_number(&maps.calls, &maps.counts, self.cpus, estimate)
            }
            Some(_) => {
                let mut rows = counts::by_key(&maps.counts_by, ended)?;
                if let Some(taken) = &self.taken {
                    let all = counts::by_number(&maps.calls, &maps.counts, self.cpus, |_, _| None)?;
                    rows.extend(taken.rest(all, ended.is_some()));
                }
                Ok(rows)
            }
        }
    }
}

/// Puts the tables into their maps.
fn fill(skel: &StrideSkel<'_>, tables: &Tables) -> libbpf_rs::Result<()> {
    let maps = &skel.maps;
    // (Copying is faster than bpf(2), which copies one element after the other.)
    let array = |map: &dyn AsFd, values: &[u8]| -> libbpf_rs::Result<()> {
        if !values.is_empty() {
            Mapping::variables(map.as_fd(), values.len())?.store(values);
        }
        Ok(())
    };
    array(&maps.calls, bytes_of(&tables.calls))?;
    array(&maps.ops, bytes_of(&tables.ops))?;
    array(&maps.choices, bytes_of(&tables.choices))?;
    if !tables.case_keys.is_empty() {
        let (keys, runs) = (bytes_of(&tables.case_keys), bytes_of(&tables.case_runs));
        maps.cases.update_batch(keys, runs, tables.case_keys.len() as u32, MapFlags::ANY, MapFlags::ANY)?;
    }
    Ok(())
}

/// Makes the rings behind the first, and lists them all for the kernel side.
fn further_rings(skel: &StrideSkel<'_>, config: Config) -> libbpf_rs::Result<Vec<MapHandle>> {
    if config.rings <= 1 {
        return Ok(Vec::new());
    }
    let rings: Vec<MapHandle> =
        (1..config.rings).map(|_| object::new_ring(config.ring)).collect::<libbpf_rs::Result<_>>()?;
    let all = std::iter::once(skel.maps.ring.as_fd()).chain(rings.iter().map(AsFd::as_fd));
    for (i, fd) in (0u32..).zip(all) {
        skel.maps.rings.update(bytes_of(&[i]), bytes_of(&[fd.as_raw_fd() as u32]), MapFlags::ANY)?;
    }
    Ok(rings)
}

/// Tests whether the engine works on this machine: it loads and attaches the engine for a moment.
pub fn available() -> Result<(), Why> {
    trial_load(1 << 16).map(drop)
}

/// Loads and attaches everything, with a ring of this size. Returns how long that took.
pub fn trial_load(ring_bytes: u32) -> Result<Duration, Why> {
    let begin = Instant::now();
    let tables = Tables {
        ops: Vec::new(),
        calls: Vec::new(),
        choices: Vec::new(),
        case_keys: Vec::new(),
        case_runs: Vec::new(),
        needs_entry: true,
        execs: true,
        few: false,
        names: false,
    };
    let config = Config {
        follow: true,
        times: true,
        ip: true,
        unknown: true,
        detach_on_execve: false,
        signals: true,
        counting: None,
        fds: None,
        endings: &Endings::default(),
        wanted_threads: WantedThreads::default(),
        attach: true,
        machine: None,
        max_depth: None,
        whole_spaces: false,
        containers: false,
        namespaces: true,
        stacks: StackRate::All,
        library: &[],
        operations: false,
        text: 0,
        ring: RingSize::of(ring_bytes, true),
        rings: 1,
        others_first: false,
        functions: false,
        guarded: false,
    };
    let mut kernel = Programs::load(config, || Ok::<_, Why>(tables))?;
    kernel.attach()?;
    Ok(begin.elapsed())
}

/// An array map has its elements at multiples of eight bytes.
const _: () = assert!(
    size_of::<call_plan>().is_multiple_of(8)
        && size_of::<op>().is_multiple_of(8)
        && size_of::<choice>().is_multiple_of(8)
);

/// The bounds in wire.h are those that Rust assumes.
const _: () = assert!(bound::BUCKETS.0 as usize == Histogram::BUCKETS && bound::BUCKET_BITS.0 == Histogram::BITS);
