//! Stacks of stopped threads (`-k`).

use crate::memory::MemoryReader;
use crate::sys;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{Call, CallSet, Peek, Stack, Tid, TraceSpec, Unwind};

/// Unwinds tracees that stand still, if stacks were asked for.
pub struct TraceeStacks {
    /// The calls that are reported with their stacks.
    calls: CallSet,
    unwinder: Option<Rc<RefCell<dyn Unwind>>>,
    reader: MemoryReader,
}

impl TraceeStacks {
    pub fn new(spec: &TraceSpec) -> TraceeStacks {
        TraceeStacks { calls: spec.calls.clone(), unwinder: None, reader: MemoryReader::default() }
    }

    pub fn unwind_with(&mut self, unwinder: Rc<RefCell<dyn Unwind>>) {
        self.unwinder = Some(unwinder);
    }

    /// The stack of a thread at a call.
    pub fn of_call(&mut self, call: &Call, process: Tid) -> Option<Arc<Stack>> {
        if self.calls.contains(call.abi, call.nr) { self.of(call.tid, process) } else { None }
    }

    /// The stack of a thread that is stopped.
    pub fn of(&mut self, tid: Tid, process: Tid) -> Option<Arc<Stack>> {
        let unwinder = self.unwinder.as_ref()?;
        let regs = sys::stack_regs(tid)?;
        let mut tracee = self.reader.stack_of(tid);
        let mut read = |address| {
            let mut word = [0; 8];
            (tracee.peek(address, &mut word) == word.len()).then_some(u64::from_le_bytes(word))
        };
        Some(unwinder.borrow_mut().unwind(process, &regs, None, &mut read).stack)
    }

    /// Forgets the thread's memory: the thread has executed another program, or is gone.
    pub fn forget(&mut self, tid: Tid) {
        self.reader.forget(tid);
    }
}

impl fmt::Debug for TraceeStacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceeStacks").field("wanted", &self.unwinder.is_some()).finish_non_exhaustive()
    }
}
