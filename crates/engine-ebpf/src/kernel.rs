//! The kernel side as the engine sees it: loaded by this process, or by a broker for it.

use crate::broker::Connection;
use crate::counting::counts::{self, CountRow};
use crate::error::Why;
use crate::functions::Functions;
use crate::loading::config::Config;
use crate::loading::programs::{Programs, Seeded};
use crate::loading::refusal::why;
use crate::plans::Tables;
use crate::reading::files::FilePrograms;
use crate::ring::shared::{self, Shared, SharedFds};
use crate::threads::poller_programs::BlockedPrograms;
use crate::waits::programs::WaitPrograms;
use crate::wire::{
    bytes_of, cgroup_part, change_key, code_change, code_file, code_file_key, read, script_layout, task_flag,
};
use libbpf_rs::{MapCore, MapFlags};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use stride_engine_base::{StartError, process};
use stride_event::{CallSet, Counted, Counting, ProbedFile, Tid, TraceSpec};

pub struct Kernel {
    shared: Shared,
    side: Side,
    counting: Option<Counting>,
}

enum Side {
    Own(Box<OwnSide>),
    Broker(Connection),
}

/// Everything that this process has loaded.
struct OwnSide {
    /// The programs that look up descriptors.
    files: Option<FilePrograms>,
    /// The programs that find out what threads wait for.
    waits: Option<WaitPrograms>,
    blocked: Option<BlockedPrograms>,
    functions: Functions,
    programs: Programs,
}

impl Kernel {
    /// Loads the programs. Those that look up descriptors and find waits are attached, the others are not yet.
    pub fn load(config: Config, spec: &TraceSpec) -> Result<Kernel, StartError> {
        let mut programs = Programs::load(config, || Tables::of(spec))?;
        let files =
            spec.descriptors.then(|| FilePrograms::attach(&programs, &spec.calls, spec.operations, false)).transpose();
        let files = files.map_err(|e| why(&e))?;
        let waits = WaitPrograms::wanted(&programs, spec, None).map_err(|e| why(&e))?;
        let shared = SharedFds::of(&programs).and_then(Shared::new).map_err(|e| Why::NoMemory(e.to_string()))?;
        let functions = Functions::new(programs.take_hooked());
        let side = Side::Own(Box::new(OwnSide { files, waits, blocked: None, functions, programs }));
        Ok(Kernel { shared, side, counting: config.counting })
    }

    /// Has a broker load and attach them.
    pub fn of_broker(connection: Connection, config: &Config, spec: &TraceSpec) -> Result<Kernel, Why> {
        let fds = connection.begin(config, spec)?;
        let shared = Shared::new(fds).map_err(|e| Why::NoMemory(e.to_string()))?;
        Ok(Kernel { shared, side: Side::Broker(connection), counting: config.counting })
    }

    pub fn attach(&mut self) -> Result<(), Why> {
        match &mut self.side {
            Side::Own(own) => own.programs.attach(),
            Side::Broker(_) => Ok(()),
        }
    }

    /// Sets the probes in libraries. They go first when tracing ends. `only` is the process that alone is traced.
    /// Returns sentences about functions that cannot be traced.
    pub fn probe(&mut self, files: &[ProbedFile], only: Option<Tid>) -> Result<Vec<String>, Why> {
        self.own().map_or(Ok(Vec::new()), |programs| programs.probe(files, only))
    }

    /// Ends tracing. The contents of the rings stay, and waits that last are told.
    pub fn detach(&mut self) {
        match &mut self.side {
            Side::Own(own) => {
                own.functions.end();
                own.programs.end_functions();
                own.programs.detach();
                own.files = None;
                WaitPrograms::end(&mut own.waits);
            }
            Side::Broker(connection) => connection.detach(),
        }
    }

    /// Marks the command as traced, which waits to be let go.
    pub fn adopt(&mut self, command: Tid) -> Result<(), Why> {
        let flags = task_flag::TASK_BEFORE_EXEC.0;
        match &mut self.side {
            Side::Own(own) => {
                let pidfd = process::pidfd(command);
                let pidfd = pidfd.map_err(|e| Why::Refused(format!("pidfd_open: {}", process::strerror(e))))?;
                own.programs.adopt(pidfd.as_fd(), flags).map_err(|e| Why::Refused(format!("bpf: {e}")))
            }
            Side::Broker(connection) => match connection.seed(command, false, true)? {
                Seeded::Adopted => Ok(()),
                Seeded::Refused(errno) => {
                    Err(Why::Refused(format!("/proc/{command}/mem: {}", process::strerror(errno))))
                }
                Seeded::Ended | Seeded::Nobody => Err(Why::Refused("the broker does not find the command".to_owned())),
            },
        }
    }

    /// Marks a thread, or all threads of a process, as traced. A record reports each.
    pub fn seed(&mut self, id: Tid, whole_process: bool) -> Result<Seeded, Why> {
        match &mut self.side {
            Side::Own(own) => {
                let seeded = own.programs.seed(id, whole_process, 0).map_err(|e| why(&e))?;
                own.note_sleeps();
                Ok(seeded)
            }
            Side::Broker(connection) => connection.seed(id, whole_process, false),
        }
    }

    /// Sends records of the blocked or stopped threads: those found blocked for the second time, or all. False if that cannot be done. `calls`:
    /// those that are told.
    pub fn look_for_blocked(&mut self, calls: &CallSet, ring_bytes: u32, at_once: bool) -> bool {
        match &mut self.side {
            Side::Own(own) => own.look_for_blocked(calls, ring_bytes, at_once),
            Side::Broker(connection) => connection.look_for_blocked(at_once),
        }
    }

    /// Sees to it that the functions of the wanted calls take the place of all calls, once that is worthwhile.
    pub fn look_at_functions(&mut self) {
        if let Side::Own(own) = &mut self.side {
            own.functions.look(&mut own.programs);
        }
    }

    /// A sentence about that.
    pub fn fact(&self) -> Option<String> {
        match &self.side {
            Side::Own(own) => own.functions.fact(),
            Side::Broker(_) => None,
        }
    }

    /// Looks at all threads of the machine, or of one process: adopts those that are wanted, and drops those that are no
    /// longer wanted. Records report each.
    pub fn decide(&mut self, process: Option<Tid>) -> Result<(), Why> {
        let Side::Own(own) = &mut self.side else { return Ok(()) };
        own.programs.decide(process).map_err(|e| why(&e))?;
        own.note_sleeps();
        Ok(())
    }

    /// Never traces this process; `children`: nor those that it starts from now on.
    pub fn leave_out(&mut self, process: Tid, children: bool) -> Result<(), Why> {
        self.own().map_or(Ok(()), |programs| programs.leave_out(process, children).map_err(|e| why(&e)))
    }

    /// Threads in this cgroup and below it are wanted.
    pub fn want_cgroup(&mut self, id: u64) -> Result<(), Why> {
        self.own().map_or(Ok(()), |programs| programs.want_cgroup(id).map_err(|e| why(&e)))
    }

    /// The directory of this number in the paths to wanted cgroups.
    pub fn set_cgroup_part(&mut self, at: u32, part: cgroup_part) -> Result<(), Why> {
        self.own().map_or(Ok(()), |programs| programs.set_cgroup_part(at, part).map_err(|e| why(&e)))
    }

    /// And no longer.
    pub fn unwant_cgroup(&mut self, id: u64) {
        if let Some(programs) = self.own() {
            programs.unwant_cgroup(id);
        }
    }

    fn own(&mut self) -> Option<&mut Programs> {
        match &mut self.side {
            Side::Own(own) => Some(&mut own.programs),
            Side::Broker(_) => None,
        }
    }

    fn programs(&self) -> Option<&Programs> {
        match &self.side {
            Side::Own(own) => Some(&own.programs),
            Side::Broker(_) => None,
        }
    }

    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    pub fn rings(&self) -> Vec<BorrowedFd<'_>> {
        self.shared.fds.rings.iter().map(AsFd::as_fd).collect()
    }

    /// The connection to the broker has ended, and so has tracing.
    pub fn is_cut_off(&self) -> bool {
        matches!(&self.side, Side::Broker(connection) if connection.is_cut_off())
    }

    /// The broker, if it loaded the programs.
    pub fn broker(&self) -> Option<&Connection> {
        match &self.side {
            Side::Own(_) => None,
            Side::Broker(connection) => Some(connection),
        }
    }

    /// Stacks that were unwound before, by the words that they depend on. (A broker takes no stacks.)
    pub fn stacks(&self) -> Option<&impl MapCore> {
        self.programs().map(Programs::stacks)
    }

    /// The change that raised the generation to this number, if it is still known. It may be that of another address space.
    pub fn change(&self, space: u64, generation: u32) -> Option<code_change> {
        let key = change_key { slot: shared::slot(space) as u32, generation };
        read(&self.programs()?.changes().lookup(bytes_of(&[key]), MapFlags::ANY).ok()??)
    }

    /// A file that code was mapped from, if it is still known.
    pub fn code_file(&self, key: code_file_key) -> Option<code_file> {
        read(&self.programs()?.code_files().lookup(bytes_of(&[key]), MapFlags::ANY).ok()??)
    }

    /// The next process that maps the file needs not wait until the file is opened.
    pub fn code_file_is_opened(&self, key: code_file_key) {
        if let Some((programs, file)) = self.programs().zip(self.code_file(key)) {
            let opened = code_file { opened: 1, ..file };
            // (The file may be forgotten just now. Then the next process waits.)
            let _ = programs.code_files().update(bytes_of(&[key]), bytes_of(&[opened]), MapFlags::EXIST);
        }
    }

    /// Tells where the frames of scripts are in an address space. (If another one is in its place by now, the layout finds nothing there, and the next
    /// stack shows it.)
    pub fn tell_script(&self, space: u64, layout: script_layout) {
        if let Some(programs) = self.programs() {
            // (Without it, the next stack comes without such frames, too, and says so.)
            let _ = programs.script_layouts().update(bytes_of(&[space]), bytes_of(&[layout]), MapFlags::ANY);
            self.shared.has_script(space);
        }
    }

    /// True if a process still has this address space.
    pub fn has_space(&self, process: Tid, space: u64) -> bool {
        self.programs().is_some_and(|programs| programs.has_space(process, space))
    }

    /// The counts so far. `container` finds the container of a cgroup.
    pub fn counted(&self, container: impl Fn(u64) -> Option<Arc<str>>) -> Result<Vec<Counted>, Why> {
        let Some(counting) = self.counting else { return Ok(Vec::new()) };
        Ok(counts::counted(&self.counts(None)?, counting.by, container))
    }

    /// The counts since the last question. `Counting::intervals` was asked for.
    pub fn take_counted(&mut self, container: impl Fn(u64) -> Option<Arc<str>>) -> Result<Vec<Counted>, Why> {
        let Some(counting) = self.counting.filter(|counting| counting.intervals) else { return Ok(Vec::new()) };
        let ended = self.shared.next_interval();
        Ok(counts::counted(&self.counts(Some(ended))?, counting.by, container))
    }

    fn counts(&self, ended: Option<u32>) -> Result<Vec<CountRow>, Why> {
        match &self.side {
            Side::Own(own) => own.programs.counts(ended).map_err(|e| why(&e)),
            Side::Broker(connection) => connection.counts(ended),
        }
    }
}

impl OwnSide {
    fn note_sleeps(&mut self) {
        self.waits.iter_mut().for_each(WaitPrograms::note_sleeps);
    }

    fn look_for_blocked(&mut self, calls: &CallSet, ring_bytes: u32, at_once: bool) -> bool {
        if self.blocked.is_none() {
            self.blocked = BlockedPrograms::load(&self.programs, calls, ring_bytes, false).ok();
        }
        self.blocked.as_mut().is_some_and(|blocked| {
            blocked.look(at_once);
            true
        })
    }
}
