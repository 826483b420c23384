//! Writes the lines of calls, of functions, of signals and of other events.

use super::{Streams, TextView};
use crate::Moment;
use crate::line::Line;
use std::sync::Arc;
use stride_decode::{FdInfo, FdNote, Part, operation_fds};
use stride_event::{Call, FdOf, LibraryCall, LibraryPart, Ns, SIGINFO_SIZE, Stack, Tid};
use stride_track::names_thread;

/// The functions that all threads may be in. A recording can name any number.
const MOST_FUNCTIONS: usize = 1 << 20;

impl TextView {
    pub(super) fn call(&mut self, call: &Call, part: Part) {
        self.note_call(call);
        if part == Part::Whole {
            self.note_comm_at_entry(call.tid);
        } else {
            self.note_comm(call.tid);
        }
        self.note_context(call.tid);
        // The stream is taken out, so that the decoder can be borrowed at the same time.
        let tracees = self.tracees.len();
        if self.stream(call.tid).is_none() {
            return;
        }
        let decoded = self.decoder.decode(call, part, &self.options, &*self.resolver);
        let line = match &mut self.streams {
            Streams::One(line, _) => line,
            Streams::PerThread { streams, .. } => match streams.get_mut(&call.tid) {
                Some((line, _)) => line,
                None => return,
            },
        };
        let (comm, label) = (self.comms.get(&call.tid), self.labels.get(&call.tid));
        line.call(&decoded, part, tracees, comm.map(Vec::as_slice), label.map(|label| &**label));
        if self.options.pids && decoded.row.is_some_and(names_thread) {
            self.note_comm(call.tid);
        }
    }

    pub(super) fn library(&mut self, call: &LibraryCall) {
        let key = (call.tid, call.depth);
        let shown = match call.part {
            // A function that finds no room is shown as a whole when it returns.
            LibraryPart::Entered if self.functions.len() >= MOST_FUNCTIONS => return,
            LibraryPart::Entered => !self.functions.insert(key),
            LibraryPart::Passed => false,
            _ if call.operation.is_some() => false,
            LibraryPart::Returned | LibraryPart::Gone => self.functions.remove(&key),
        };
        if call.part == LibraryPart::Gone && !shown && call.operation.is_none() {
            return;
        }
        self.note_comm(call.tid);
        self.note_context(call.tid);
        let (tid, tracees, nr) = (call.tid, self.tracees.len(), self.last_call(call.tid));
        let (comm, label) = (self.comms.remove(&tid), self.labels.get(&tid).cloned());
        // A line that is whole stands at the time of the entry, as that of a system call does. But operations overlap,
        // so their lines stand at the time of the completion.
        let whole = call.part == LibraryPart::Returned && !shown && call.entered != 0 && call.operation.is_none();
        let at = if whole { call.entered } else { call.at };
        let seen = self.referents(call);
        let notes: Vec<(i32, FdNote<'_>)> = seen
            .iter()
            .map(|(fd, info)| (*fd, FdNote { path: &info.path, detail: &info.detail, deleted: info.deleted }))
            .collect();
        if let Some((line, _)) = self.stream(tid) {
            let (comm, label) = (comm.as_deref(), label.as_deref());
            line.library(Moment { tid, at, tracees, nr, ip: None, comm, label }, call, shown, &notes);
        }
        self.comms.extend(comm.map(|comm| (tid, comm)));
    }

    /// The referents of the descriptors of an operation, with `-y`.
    pub(super) fn referents(&self, call: &LibraryCall) -> Vec<(i32, FdInfo)> {
        if !self.options.fds || call.operation.is_none() {
            return Vec::new();
        }
        let found =
            |(fd, made)| Some((fd, self.resolver.fd(FdOf { tid: call.tid, fd, made }, call.descriptor(fd, made))?));
        operation_fds(call).filter_map(found).collect()
    }

    pub(super) fn signal(
        &mut self,
        tid: Tid,
        info: &[u8; SIGINFO_SIZE],
        ip: Option<u64>,
        stack: Option<&Arc<Stack>>,
        at: Ns,
    ) {
        let number = i32::from_le_bytes([info[0], info[1], info[2], info[3]]);
        if !self.show.shows_signal(number) {
            return;
        }
        if self.stream(tid).is_none() {
            return;
        }
        self.note_comm(tid);
        self.note_context(tid);
        let (tracees, nr) = (self.tracees.len(), self.last_call(tid));
        let value = self.decoder.siginfo(tid, info, &self.options, &*self.resolver);
        let line = match &mut self.streams {
            Streams::One(line, _) => line,
            Streams::PerThread { streams, .. } => match streams.get_mut(&tid) {
                Some((line, _)) => line,
                None => return,
            },
        };
        let comm = self.comms.get(&tid).map(Vec::as_slice);
        let label = self.labels.get(&tid).map(|label| &**label);
        line.signal(Moment { tid, at, tracees, nr, ip, comm, label }, number, &value);
        self.stack(tid, stack);
    }

    pub(super) fn other(&mut self, tid: Tid, at: Ns, write: impl FnOnce(&mut crate::Writer<'_>)) {
        self.note_context(tid);
        self.with_line(tid, at, |line, moment| line.other(moment, write));
    }

    /// Tracing leaves the thread, perhaps in a call.
    pub(super) fn detached(&mut self, tid: Tid, call: Option<&Call>, at: Ns) {
        self.with_line(tid, at, |line, moment| line.detached(moment, call));
    }

    fn with_line(&mut self, tid: Tid, at: Ns, write: impl FnOnce(&mut Line, Moment<'_>)) {
        let (tracees, nr) = (self.tracees.len(), self.last_call(tid));
        let comm = self.comms.remove(&tid);
        let label = self.labels.get(&tid).cloned();
        if let Some((line, _)) = self.stream(tid) {
            let (comm, label) = (comm.as_deref(), label.as_deref());
            write(line, Moment { tid, at, tracees, nr, ip: None, comm, label });
        }
        self.comms.extend(comm.map(|comm| (tid, comm)));
    }

    /// Shows the stack after its call's line.
    pub(super) fn stack(&mut self, tid: Tid, stack: Option<&Arc<Stack>>) {
        let Some(stack) = stack else { return };
        let Some(mut lines) = self.stack_lines.take() else { return };
        if let Some((line, _)) = self.stream(tid) {
            line.stack(stack, &mut lines);
        }
        self.stack_lines = Some(lines);
    }
}
