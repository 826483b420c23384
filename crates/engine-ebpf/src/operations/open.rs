//! Operations that were submitted and are not completed yet.
//!
//! While an operation is in flight, the address of its request (`struct io_kiocb`) is its own. Further completions of the same operation
//! come without that address, and so do those that find no room in the queue: they are known by their ring and the number that the program
//! gave the operation (`user_data`).
//!
//! Some operations are never seen to complete: those with `IOSQE_CQE_SKIP_SUCCESS` that succeed, and those that are in flight when their
//! thread ends. They are reported when their request's address is used again, when their thread ends, or at the end of tracing.

use crate::library::texts;
use crate::reading::records;
use crate::wire::{read, rec_completed, rec_head, rec_kind, rec_submitted};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use stride_event::{Descriptor, LibraryCall, LibraryFunction, LibraryPart, Ns, OperationFacts, Tid};
use stride_syscalls::operation::operation;
use stride_syscalls::uapi::consts as c;

/// Operations in flight that are kept. Of those beyond, the oldest is given up.
const MOST: usize = 1 << 17;
/// Requests whose files are known, and who are not reported yet. There is one at a time for each thread.
const MOST_FILES: usize = 1 << 12;
/// Calls whose memory is used again.
const SPARE: usize = 64;
/// The place of `flags` in `struct io_uring_sqe`.
const FLAGS: usize = 1;

#[derive(Default)]
pub struct OpenOperations {
    /// In the order of their submission.
    open: BTreeMap<u64, Open>,
    submitted: u64,
    by_request: FxHashMap<u64, u64>,
    by_number: FxHashMap<(u64, u64), u64>,
    /// Their thread has ended.
    leaving: VecDeque<LibraryCall>,
    /// The files of descriptors of requests that are about to be reported as submitted or completed.
    files: FxHashMap<u64, Vec<Descriptor>>,
    functions: FxHashMap<u8, Arc<LibraryFunction>>,
    spare: Vec<LibraryCall>,
}

struct Open {
    request: u64,
    ring: u64,
    call: LibraryCall,
}

impl OpenOperations {
    /// The operation that has to be reported before this record, because the record shows that no completion will come.
    pub fn before(&mut self, kind: rec_kind, rec: &[u8]) -> Option<LibraryCall> {
        if self.open.is_empty() && self.leaving.is_empty() {
            return None;
        }
        match kind {
            rec_kind::REC_SUBMITTED => {
                let request = read::<rec_submitted>(rec)?.req;
                let id = *self.by_request.get(&request)?;
                self.give_up(id, records::began(rec))
            }
            rec_kind::REC_EXIT | rec_kind::REC_DETACH => {
                self.leave(read::<rec_head>(rec)?.tid as Tid, records::began(rec))
            }
            _ => None,
        }
    }

    /// Takes away an operation that a thread submitted, of which no completion will be seen.
    pub fn leave(&mut self, tid: Tid, at: Ns) -> Option<LibraryCall> {
        if self.leaving.is_empty() && !self.open.is_empty() {
            let ids: Vec<u64> = self.open.iter().filter(|(_, open)| open.call.tid == tid).map(|(&id, _)| id).collect();
            let gone: Vec<LibraryCall> = ids.into_iter().filter_map(|id| self.give_up(id, at)).collect();
            self.leaving.extend(gone);
        }
        self.leaving.pop_front()
    }

    /// A descriptor of a request, whose submission or completion follows.
    pub fn refers(&mut self, request: u64, file: Descriptor) {
        // The operations that stay had their submission or completion lost.
        if self.files.len() >= MOST_FILES {
            self.files.clear();
        }
        self.files.entry(request).or_default().push(file);
    }

    fn give_up(&mut self, id: u64, at: Ns) -> Option<LibraryCall> {
        let mut call = self.remove(id)?;
        call.part = LibraryPart::Gone;
        call.at = at;
        Some(call)
    }

    /// Takes in a submission. Returns an operation that is given up because there are too many.
    pub fn submitted(&mut self, rec: &[u8]) -> Option<LibraryCall> {
        let fixed = read::<rec_submitted>(rec)?;
        let opcode = fixed.opcode;
        let new = || Arc::new(LibraryFunction::of_operation(opcode));
        let function = self.functions.entry(opcode).or_insert_with(new).clone();
        let mut call = self.spare.pop().unwrap_or_default();
        call.tid = fixed.head.tid as Tid;
        call.function = function;
        call.entered = fixed.at;
        call.depth = 0;
        call.words.clear();
        call.texts.clear();
        call.descriptors.clear();
        if !self.files.is_empty() {
            call.descriptors.extend(self.files.remove(&fixed.req).into_iter().flatten());
        }
        let known = fixed.known != 0;
        if let (true, Some(row)) = (known, operation(opcode)) {
            call.words.extend(row.args.iter().map(|arg| arg.of(&fixed.sqe)));
            texts(&rec[size_of::<rec_submitted>()..], &mut call.texts);
        }
        call.operation = Some(OperationFacts {
            polled: fixed.polled != 0,
            flags: if known { fixed.sqe[FLAGS] } else { 0 },
            user_data: fixed.user_data,
            cqe_flags: 0,
        });
        let id = self.submitted;
        self.submitted += 1;
        self.by_request.insert(fixed.req, id);
        self.by_number.insert((fixed.ring, fixed.user_data), id);
        self.open.insert(id, Open { request: fixed.req, ring: fixed.ring, call });
        if self.open.len() <= MOST {
            return None;
        }
        let oldest = *self.open.first_key_value()?.0;
        self.give_up(oldest, fixed.at)
    }

    /// Takes in a completion, and puts its operation in `to`. False if its operation is not known: it was submitted before tracing began, or
    /// by a thread that is not traced.
    pub fn completed(&mut self, rec: &[u8], to: &mut LibraryCall) -> bool {
        let Some(fixed) = read::<rec_completed>(rec) else { return false };
        let number = (fixed.ring, fixed.user_data);
        let by_request = self
            .by_request
            .get(&fixed.req)
            .copied()
            .filter(|id| self.open.get(id).is_some_and(|open| open.ring == fixed.ring && open.number() == number));
        let flags = u64::from(fixed.cqe_flags);
        // Another ring may post any number here (IORING_OP_MSG_RING), but without these flags.
        let is_further = flags & (c::IORING_CQE_F_MORE | c::IORING_CQE_F_NOTIF) != 0 || fixed.overflowed != 0;
        let by_number = || self.by_number.get(&number).copied().filter(|_| is_further);
        let Some(id) = by_request.or_else(by_number) else { return false };
        let mut call = if flags & c::IORING_CQE_F_MORE != 0 {
            // The request itself may be gone: what is still to come are notifications.
            if by_request.is_some() {
                self.by_request.remove(&fixed.req);
            }
            let Some(open) = self.open.get(&id) else { return false };
            open.call.clone()
        } else {
            let Some(call) = self.remove(id) else { return false };
            call
        };
        call.part = LibraryPart::Returned;
        call.at = fixed.at;
        call.result = fixed.res as i64 as u64;
        if !self.files.is_empty() {
            call.descriptors.extend(self.files.remove(&fixed.req).into_iter().flatten());
        }
        if let Some(facts) = &mut call.operation {
            facts.cqe_flags = fixed.cqe_flags;
        }
        let old = std::mem::replace(to, call);
        if self.spare.len() < SPARE {
            self.spare.push(old);
        }
        true
    }

    fn remove(&mut self, id: u64) -> Option<LibraryCall> {
        let open = self.open.remove(&id)?;
        if self.by_request.get(&open.request) == Some(&id) {
            self.by_request.remove(&open.request);
        }
        if self.by_number.get(&open.number()) == Some(&id) {
            self.by_number.remove(&open.number());
        }
        Some(open.call)
    }

    /// A thread has taken over another's id.
    pub fn renamed(&mut self, old: Tid, new: Tid) {
        for open in self.open.values_mut().filter(|open| open.call.tid == old) {
            open.call.tid = new;
        }
    }
}

impl Open {
    fn number(&self) -> (u64, u64) {
        (self.ring, self.call.operation.map_or(0, |facts| facts.user_data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::bytes_of;

    const SILENT: u8 = c::IOSQE_CQE_SKIP_SUCCESS as u8;
    const MORE: u32 = c::IORING_CQE_F_MORE as u32;

    #[derive(Default)]
    struct Run {
        operations: OpenOperations,
        parts: Vec<String>,
    }

    impl Run {
        fn tell(&mut self, call: &LibraryCall) {
            let number = call.operation.unwrap().user_data;
            self.parts.push(format!("{number} {:?} {}", call.part, call.result as i64));
        }

        fn submit(&mut self, req: u64, user_data: u64, flags: u8) {
            let mut rec = rec_submitted { req, ring: 1, user_data, known: 1, at: 5, ..rec_submitted::default() };
            rec.sqe[FLAGS] = flags;
            let rec = bytes_of(std::slice::from_ref(&rec)).to_vec();
            while let Some(call) = self.operations.before(rec_kind::REC_SUBMITTED, &rec) {
                self.tell(&call);
            }
            assert!(self.operations.submitted(&rec).is_none());
        }

        fn complete(&mut self, completed: rec_completed) {
            let rec = rec_completed { at: 9, ring: 1, ..completed };
            let mut call = LibraryCall { result: 0, ..LibraryCall::default() };
            match self.operations.completed(bytes_of(&[rec]), &mut call) {
                true => self.tell(&call),
                false => self.parts.push("unknown".into()),
            }
        }

        fn parts(&mut self) -> Vec<String> {
            std::mem::take(&mut self.parts)
        }
    }

    #[test]
    fn completions_find_their_submissions() {
        let mut run = Run::default();
        run.submit(100, 1, 0);
        run.submit(200, 2, 0);
        run.complete(rec_completed { req: 200, user_data: 2, res: -2, ..rec_completed::default() });
        run.complete(rec_completed { req: 100, user_data: 1, res: 7, ..rec_completed::default() });
        assert_eq!(run.parts(), ["2 Returned -2", "1 Returned 7"]);
        // Completions of an operation that was never seen, and of another one at the same address.
        run.submit(100, 3, 0);
        run.complete(rec_completed { req: 300, user_data: 3, ..rec_completed::default() });
        run.complete(rec_completed { req: 100, user_data: 4, ..rec_completed::default() });
        assert_eq!(run.parts(), ["unknown", "unknown"]);
    }

    #[test]
    fn an_operation_without_a_completion_ends_with_the_next_use_of_its_address() {
        let mut run = Run::default();
        run.submit(100, 1, SILENT);
        run.submit(100, 2, 0);
        assert_eq!(run.parts(), ["1 Gone 0"]);
        let left = run.operations.leave(0, 9).map(|call| call.operation.unwrap().user_data);
        assert_eq!((left, run.operations.leave(0, 9).is_none()), (Some(2), true));
        assert!(run.operations.by_request.is_empty() && run.operations.by_number.is_empty());
    }

    #[test]
    fn further_completions_are_known_by_number() {
        let mut run = Run::default();
        run.submit(100, 1, 0);
        let further = rec_completed { user_data: 1, cqe_flags: MORE, res: 1, ..rec_completed::default() };
        run.complete(further);
        run.complete(further);
        // A message from another ring is not one of them.
        run.complete(rec_completed { user_data: 1, res: 5, ..rec_completed::default() });
        run.complete(rec_completed { req: 100, user_data: 1, res: -125, ..rec_completed::default() });
        assert_eq!(run.parts(), ["1 Returned 1", "1 Returned 1", "unknown", "1 Returned -125"]);
        // A send without copying: its request ends first, and a notification follows.
        run.submit(100, 2, 0);
        run.complete(rec_completed { req: 100, user_data: 2, cqe_flags: MORE, res: 9, ..rec_completed::default() });
        run.submit(100, 3, 0);
        let notified = c::IORING_CQE_F_NOTIF as u32;
        run.complete(rec_completed { req: 200, user_data: 2, cqe_flags: notified, ..rec_completed::default() });
        assert_eq!(run.parts(), ["2 Returned 9", "2 Returned 0"]);
        // No room in the queue.
        run.complete(rec_completed { user_data: 3, overflowed: 1, res: 4, ..rec_completed::default() });
        assert_eq!(run.parts(), ["3 Returned 4"]);
    }
}
