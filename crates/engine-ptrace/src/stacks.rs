//! Stacks of stopped threads (`-k`).

use crate::memory::MemoryReader;
use crate::sites::Sites;
use crate::sys;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{Call, CallSet, Peek, Stack, StackRate, Tid, TraceSpec, Unwind};

/// Unwinds tracees that stand still, if stacks were asked for.
pub struct TraceeStacks {
    /// The calls that are reported with their stacks.
    calls: CallSet,
    /// The places from which calls are made, if only samples are taken.
    sites: Option<Sites>,
    unwinder: Option<Rc<RefCell<dyn Unwind>>>,
    reader: MemoryReader,
}

impl TraceeStacks {
    pub fn new(spec: &TraceSpec) -> TraceeStacks {
        let sites = (spec.stacks == StackRate::Sampled).then(Sites::default);
        TraceeStacks { calls: spec.calls.clone(), sites, unwinder: None, reader: MemoryReader::default() }
    }

    pub fn unwind_with(&mut self, unwinder: Rc<RefCell<dyn Unwind>>) {
        self.unwinder = Some(unwinder);
    }

    /// Gives a call that was entered at `ip` its stack. The thread stands there.
    pub fn enter(&mut self, call: &mut Call, process: Tid, ip: u64) {
        if self.unwinder.is_none() || !self.calls.contains(call.abi, call.nr) {
            return;
        }
        if let Some(sites) = &mut self.sites {
            let Some(calls) = sites.take_sample(process, ip, call.sp) else { return };
            call.stack_calls = calls;
        }
        call.stack = self.unwind(call.tid, process);
    }

    /// Gives a call that returned its stack, if it had none when it was entered.
    pub fn leave(&mut self, call: &mut Call, process: Tid) {
        if call.stack.is_none() && self.sites.is_none() && self.calls.contains(call.abi, call.nr) {
            call.stack = self.unwind(call.tid, process);
        }
    }

    /// The stack of a thread at a signal. Samples are taken of calls only.
    pub fn at_signal(&mut self, tid: Tid, process: Tid) -> Option<Arc<Stack>> {
        if self.sites.is_none() { self.unwind(tid, process) } else { None }
    }

    /// The stack of a thread that is stopped.
    fn unwind(&mut self, tid: Tid, process: Tid) -> Option<Arc<Stack>> {
        let unwinder = self.unwinder.as_ref()?;
        let regs = sys::stack_regs(tid)?;
        let mut tracee = self.reader.stack_of(tid);
        let size = usize::from(regs.kind.word());
        let mut read = |address| {
            let mut word = [0; 8];
            (tracee.peek(address, &mut word[..size]) == size).then_some(u64::from_le_bytes(word))
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
