//! Taking in records: what each reports, and what is reported before it.

use super::EbpfEngine;
use crate::containers::{self, CgroupChange};
use crate::memory::absent;
use crate::reading::queued::{CallPlace, QueuedEvent, ended};
use crate::reading::records::StackSource;
use crate::reading::{files, records};
use crate::wire::{
    file_flag, read, rec_blocked, rec_call, rec_cgroup, rec_changed, rec_detach, rec_exec, rec_exit, rec_file,
    rec_flag, rec_head, rec_id, rec_kind, rec_moved, rec_signal, rec_start, rec_stopped, stack_id,
};
use std::sync::Arc;
use stride_engine_base::{blocked_call, procfs};
use stride_event::{LibraryCall, Ns, Outcome, SIGINFO_SIZE, Stack, StartKind, Tid};

impl EbpfEngine {
    /// The event that has to be reported before the record at the ring's front, if there is one.
    pub(super) fn precedes(&mut self, head: &rec_head) -> Option<QueuedEvent> {
        let tid = head.tid as Tid;
        if head.lost > 0 && !self.lost_told {
            let at = self.ring.peek().map_or(0, records::began);
            // The call's return is the first thing that was lost.
            if let Some(mut call) = self.threads.take_blocked(tid) {
                call.outcome = Outcome::Gone;
                call.returned = at;
                // Its end is unknown and among the losses, so there is nothing to count.
                call.counted = true;
                self.call = call;
                self.lost_shown = true;
                return Some(QueuedEvent::Exit(CallPlace::Returned));
            }
            self.lost_told = true;
            // The descriptors of a lost call may be among them.
            self.descriptors.remove(&tid);
            self.pieces.forget(tid);
            let count = u64::from(head.lost) - u64::from(std::mem::take(&mut self.lost_shown));
            if count > 0 {
                return Some(QueuedEvent::Lost { tid, count, at });
            }
        }
        if let Some(note) = self.unannounced(head) {
            return Some(note);
        }
        let kind = rec_kind(u32::from(head.kind));
        if is_past_call(kind, head)
            && let Some((signal, stack)) = self.held.next(tid)
        {
            let at = self.ring.peek().map_or(signal.at, records::began);
            return Some(self.signal(tid, &signal, stack, at));
        }
        if let Some(rec) = self.ring.peek()
            && let Some(call) = self.operations.before(kind, rec)
        {
            return Some(self.operation(call));
        }
        if let Some(rec) = self.ring.peek()
            && self.library.leaves(kind, rec)
        {
            return Some(QueuedEvent::Library(()));
        }
        if kind == rec_kind::REC_CALL || kind == rec_kind::REC_BLOCKED {
            let has_entry = u32::from(head.flags) & rec_flag::FLAG_HAS_ENTRY.0 != 0;
            // execve returns with the ABI of the new program.
            let entered = if has_entry { self.entered.get(&tid) } else { None };
            let abi = entered.map_or_else(|| records::abi(head.abi), |call| call.abi);
            if self.threads.changes_abi(tid, abi) {
                let at = self.ring.peek().map_or(0, records::began);
                return Some(QueuedEvent::Personality { tid, abi, at });
            }
        }
        None
    }

    /// A thread was found blocked. Tells whether that is to be shown.
    fn blocked(&mut self, rec: &rec_blocked) -> bool {
        let tid = rec.head.tid as Tid;
        let call = match self.entered.get(&tid) {
            Some(call) => call.clone(),
            None => {
                let mut call = records::blocked(rec);
                if !blocked_call::read(&mut call, &self.limits, &mut self.remote) {
                    return false;
                }
                call
            }
        };
        self.threads.blocks(call);
        // At the end, the call is shown with its released thread.
        self.stopping.is_none()
    }

    /// Takes in the record at the ring's front.
    pub(super) fn record(&mut self, head: &rec_head) -> Option<QueuedEvent> {
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
                let pieces = self.pieces.take(tid, flags);
                let source = records::blocks(&mut self.call, memory, &pieces);
                // A call that was reported at its entry has the stack of its entry.
                if let Some(stack) = self.stacks.of(source, &mut self.kernel) {
                    self.call.stack = Some(stack);
                }
                self.call.descriptors.clear();
                if !self.descriptors.is_empty() {
                    self.call.descriptors.extend(self.descriptors.remove(&tid).into_iter().flatten());
                }
                self.call.outcome =
                    if flags & rec_flag::FLAG_GONE.0 != 0 { Outcome::Gone } else { Outcome::from_raw(fixed.ret) };
                if flags & rec_flag::FLAG_FAULTED.0 != 0 {
                    absent::add(&mut self.call, &self.limits, &mut self.remote);
                    self.kernel.shared().absence_read();
                }
                self.call.waits = self.waits.take(&self.call);
                self.threads.returned(&mut self.call);
                if !self.places.is_empty() {
                    self.call.container = self.places.get(&tid).map(|place| place.1.clone());
                }
                self.held.returned(tid, self.call.stack.as_ref());
                Some(QueuedEvent::Exit(CallPlace::Returned))
            }
            rec_kind::REC_ENTRY => {
                let fixed = read::<rec_call>(rec)?;
                let mut call = self.spare.pop().unwrap_or_default();
                call.blocks.clear();
                let memory = records::facts(&mut call, &fixed, rec);
                let pieces = self.pieces.take(tid, u32::from(head.flags));
                let source = records::blocks(&mut call, memory, &pieces);
                call.stack = self.stacks.of(source, &mut self.kernel);
                let tell = self.entries && u32::from(head.flags) & rec_flag::FLAG_TELL.0 != 0;
                if tell {
                    self.threads.blocks(call.clone());
                }
                if let Some(stale) = self.entered.insert(tid, call) {
                    self.spare.push(stale);
                }
                tell.then_some(QueuedEvent::Enter(CallPlace::Shown(tid)))
            }
            rec_kind::REC_MEMORY => {
                self.pieces.add(tid, rec);
                None
            }
            rec_kind::REC_WAIT => {
                self.waits.add(&read(rec)?);
                None
            }
            rec_kind::REC_FILE => {
                let file = read::<rec_file>(rec)?;
                let found = files::descriptor(&file, &rec[size_of::<rec_file>()..])?;
                if file.flags & file_flag::FILE_OPERATION.0 != 0 {
                    self.operations.refers(file.request, found);
                    return None;
                }
                self.descriptors.entry(tid).or_default().push(found);
                None
            }
            rec_kind::REC_START => {
                let rec = read::<rec_start>(rec)?;
                self.live.insert(tid);
                if rec.cgroup != 0 {
                    self.place(tid, rec.cgroup);
                }
                let origin = match rec.parent {
                    0 => StartKind::Attached,
                    parent => StartKind::Forked { parent: parent as Tid },
                };
                if rec.parent != 0 {
                    self.threads.starts(tid, records::abi(head.abi));
                    self.library.starts(tid, rec.process as Tid, rec.parent as Tid);
                }
                let started = QueuedEvent::Started { tid, process: rec.process as Tid, origin, at: rec.at };
                if origin != StartKind::Attached || rec.comm[0] == 0 {
                    return Some(started);
                }
                self.first = Some(started);
                Some(QueuedEvent::Named { tid, name: rec.comm })
            }
            rec_kind::REC_ID => {
                let rec = read::<rec_id>(rec)?;
                // (A thread that was about to be gone has lost its ids.)
                (rec.space != 0).then_some(QueuedEvent::NamespaceId { tid, namespace: rec.space, id: rec.id as Tid })
            }
            rec_kind::REC_STACK => {
                let source = records::interrupted(&read::<rec_call>(rec)?, rec);
                if let Some(stack) = self.stacks.of(source, &mut self.kernel) {
                    self.interrupted.insert(tid, stack);
                }
                None
            }
            rec_kind::REC_SIGNAL => {
                let signal = read::<rec_signal>(rec)?;
                if matches!(signal.info[0] as i32, libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU) {
                    self.poller.hurry();
                }
                let held = u32::from(head.flags) & rec_flag::FLAG_HELD.0 != 0;
                let signal = if held { self.held.hold(tid, signal)? } else { signal };
                let stack = match signal.stack {
                    none if none == u64::from(stack_id::STACK_NONE.0) => None,
                    unknown if unknown == u64::from(stack_id::STACK_UNKNOWN.0) => self.interrupted.remove(&tid),
                    id => self.stacks.of(StackSource::Known(id), &mut self.kernel),
                };
                Some(self.signal(tid, &signal, stack, signal.at))
            }
            rec_kind::REC_BLOCKED => {
                let rec = read::<rec_blocked>(rec)?;
                self.blocked(&rec).then_some(QueuedEvent::Enter(CallPlace::Shown(tid)))
            }
            rec_kind::REC_STOPPED => {
                let rec = read::<rec_stopped>(rec)?;
                Some(QueuedEvent::Stopped { tid, signal: rec.signal as i32, at: rec.at })
            }
            rec_kind::REC_EXIT => {
                let rec_exit { status, at, .. } = read::<rec_exit>(rec)?;
                let status = status as i32;
                self.live.remove(&tid);
                self.descriptors.remove(&tid);
                self.pieces.forget(tid);
                self.waits.forget(tid);
                self.interrupted.remove(&tid);
                self.places.remove(&tid);
                self.threads.gone(tid);
                if let Some(call) = self.entered.remove(&tid) {
                    self.spare.push(call);
                }
                Some(ended(tid, status, at))
            }
            rec_kind::REC_EXEC => {
                let rec_exec { old, at, .. } = read::<rec_exec>(rec)?;
                let old = old as Tid;
                // An untraced thread takes the place of a traced one. From outside it is the same thread.
                let traced = self.live.remove(&old);
                if let Some(place) = self.places.remove(&old) {
                    self.places.insert(tid, place);
                }
                self.live.insert(tid);
                self.threads.renamed(old, tid);
                self.library.renamed(old, tid);
                self.operations.renamed(old, tid);
                self.held.renamed(old, tid);
                self.waits.renamed(old, tid);
                if let Some(mut call) = self.entered.remove(&old) {
                    call.tid = tid;
                    self.entered.insert(tid, call);
                }
                traced.then_some(QueuedEvent::Superseded { tid, old, call: Some(CallPlace::Entered(tid)), at })
            }
            rec_kind::REC_DETACH => {
                let at = read::<rec_detach>(rec)?.at;
                self.live.remove(&tid);
                self.places.remove(&tid);
                self.waits.forget(tid);
                if u32::from(head.flags) & rec_flag::FLAG_PRIVILEGED.0 != 0 {
                    self.remarks.push(format!(
                        "{tid} became privileged: it executed a set-user-ID, set-group-ID or otherwise protected program, or changed its \
                         user. Your privileges do not suffice to trace it, so it runs on untraced. To follow it, run Stride as root \
                         (`-u USER` runs the command as USER)"
                    ));
                    self.released |= self.child == Some(tid) && self.is_ours;
                    return Some(QueuedEvent::Detached { tid, call: Some(CallPlace::InFlight(tid)), at });
                }
                // A released thread is not waited for.
                self.child = self.child.filter(|&child| child != tid);
                Some(QueuedEvent::Detached { tid, call: Some(CallPlace::InFlight(tid)), at })
            }
            rec_kind::REC_LIBRARY => {
                if !self.library.take(rec) {
                    return None;
                }
                self.library.complete(self.limits.text, &mut self.remote);
                Some(QueuedEvent::Library(()))
            }
            rec_kind::REC_SUBMITTED => {
                let given_up = self.operations.submitted(rec)?;
                Some(self.operation(given_up))
            }
            rec_kind::REC_COMPLETED => {
                self.operations.completed(rec, self.library.current_mut()).then_some(QueuedEvent::Library(()))
            }
            rec_kind::REC_MOVED => {
                let cgroup = read::<rec_moved>(rec)?.cgroup;
                self.place(tid, cgroup);
                None
            }
            rec_kind::REC_CGROUP => {
                let rec = read::<rec_cgroup>(rec)?;
                let (containers, mut change) = (self.containers.as_mut()?, CgroupChange::default());
                if rec.gone == 0 {
                    containers.begins(rec.cgroup, containers::path(&rec.path), &mut change);
                } else {
                    containers.ends(rec.cgroup, &mut change);
                }
                self.apply(change);
                None
            }
            rec_kind::REC_CHANGED => {
                let process = read::<rec_changed>(rec)?.process;
                // If that fails, the process's next execve decides.
                let _ = self.kernel.decide(Some(process as Tid));
                None
            }
            _ => None,
        }
    }

    /// Reports an operation of io_uring.
    pub(super) fn operation(&mut self, call: LibraryCall) -> QueuedEvent {
        *self.library.current_mut() = call;
        QueuedEvent::Library(())
    }

    pub(super) fn signal(&mut self, tid: Tid, signal: &rec_signal, stack: Option<Arc<Stack>>, at: Ns) -> QueuedEvent {
        self.siginfo = [0; SIGINFO_SIZE];
        for (to, word) in self.siginfo.chunks_exact_mut(8).zip(signal.info) {
            to.copy_from_slice(&word.to_ne_bytes());
        }
        self.signal_stack = stack;
        QueuedEvent::Signal { tid, info: (), ip: Some(signal.ip), stack: (), at }
    }

    /// Reports a thread whose first record found no room, before the record at the ring's front, which is this
    /// thread's.
    fn unannounced(&mut self, head: &rec_head) -> Option<QueuedEvent> {
        self.unseen = self.kernel.shared().control_lost();
        let tid = head.tid as Tid;
        let of_thread = matches!(
            rec_kind(u32::from(head.kind)),
            rec_kind::REC_CALL
                | rec_kind::REC_ENTRY
                | rec_kind::REC_SIGNAL
                | rec_kind::REC_EXIT
                | rec_kind::REC_BLOCKED
                | rec_kind::REC_STOPPED
                | rec_kind::REC_LIBRARY
                | rec_kind::REC_SUBMITTED
        );
        let new = self.unseen > 0 && of_thread && self.live.insert(tid);
        let at = if new { self.ring.peek().map_or(0, records::began) } else { 0 };
        new.then(|| QueuedEvent::Started { tid, process: procfs::group_of(tid), origin: StartKind::Attached, at })
    }
}

/// The thread is not, or no longer, in the call that it was in when the signals were sent.
fn is_past_call(kind: rec_kind, head: &rec_head) -> bool {
    match kind {
        rec_kind::REC_LEFT | rec_kind::REC_EXIT | rec_kind::REC_EXEC | rec_kind::REC_DETACH => true,
        rec_kind::REC_SIGNAL => u32::from(head.flags) & rec_flag::FLAG_HELD.0 == 0,
        _ => false,
    }
}
