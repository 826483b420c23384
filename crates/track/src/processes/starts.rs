//! Threads that begin to be traced.

use crate::descriptors::{AT_FDCWD, Descriptors};
use crate::processes::MAX_THREADS;
use crate::{Process, Thread, Tracker};
use std::rc::Rc;
use stride_decode::{Resolver, TRACER};
use stride_event::{Ns, StartKind, Tid};

/// So many descriptors that a process had open before it was traced are looked up at once. The others are looked up
/// when they are used.
const ASKED_FIRST: i32 = 64;

impl Tracker {
    pub(crate) fn started(&mut self, tid: Tid, pid: Tid, origin: StartKind, at: Ns, resolver: &dyn Resolver) {
        if origin == StartKind::Spawned && self.began == Some(at) {
            self.pending_command = Some(tid);
        }
        if origin == StartKind::Attached {
            self.pending_command = None;
        }
        if self.threads.len() >= MAX_THREADS && !self.threads.contains_key(&tid) {
            return;
        }
        self.renewals += 1;
        let parent = match origin {
            StartKind::Forked { parent } => self.threads.get(&parent).cloned(),
            StartKind::Spawned | StartKind::Attached => None,
        };
        let inherited = || parent.as_ref().map(|p| p.comm.clone());
        // Before its execve, the command's process has Stride's name.
        let command = || resolver.comm(TRACER).filter(|_| origin == StartKind::Spawned);
        let comm = inherited().or_else(command).or_else(|| resolver.comm(tid)).unwrap_or_default();
        // If the id is known already, the end of its thread was lost.
        let reused = self
            .threads
            .insert(
                tid,
                Thread {
                    tid,
                    pid,
                    comm: comm.clone(),
                    started: at,
                    attached: origin == StartKind::Attached,
                    idle_since: None,
                    timed_out: 0,
                    cleared_at_end: None,
                    joined_by: None,
                },
            )
            .is_some();
        if let Some(process) = self.processes.get_mut(&pid).filter(|_| !reused) {
            process.threads += 1;
            if let StartKind::Forked { parent } = origin
                && !self.names_only
            {
                self.clone_began(parent, tid);
            }
            return;
        }
        let asked = origin == StartKind::Attached && !self.names_only;
        let mut process = Process {
            pid,
            parent: None,
            made_by: None,
            comm,
            program: None,
            command: if asked { resolver.command_line(pid).into() } else { Rc::default() },
            started: at,
            threads: 1,
            descriptors: Descriptors::default(),
            cwd: None,
            predates_trace: true,
            network_mounts: None,
        };
        if let Some(from) = parent.and_then(|parent| self.processes.get(&parent.pid)) {
            process.parent = Some(from.pid);
            process.program = from.program;
            process.command = from.command.clone();
            process.cwd = from.cwd;
            process.predates_trace = from.predates_trace;
            if let StartKind::Forked { parent } = origin
                && !self.names_only
            {
                process.made_by = Some(parent);
                match self.inherited(parent, pid) {
                    Some(descriptors) => process.descriptors = descriptors,
                    None => process.predates_trace = true,
                }
            }
            self.processes.insert(pid, process);
            return;
        }
        self.processes.insert(pid, process);
        if self.names_only {
            return;
        }
        // The command begins with what Stride had. When /proc could be asked about the command, it may have ended.
        let inherited = (origin == StartKind::Spawned).then(|| self.ask(TRACER, AT_FDCWD, resolver)).flatten();
        let whom = if inherited.is_some() { TRACER } else { tid };
        // As it is now. Later, these numbers may belong to others.
        let cwd = inherited.or_else(|| self.ask(tid, AT_FDCWD, resolver));
        for fd in 0..ASKED_FIRST {
            if let Some(object) = self.ask(whom, fd, resolver) {
                self.opened(pid, fd, object, "", false);
            }
        }
        if let Some(process) = self.processes.get_mut(&pid) {
            process.cwd = cwd;
            process.predates_trace = inherited.is_none();
        }
    }
}
