//! Stacks of stopped threads (`-k`).

use crate::memory::MemoryReader;
use crate::sites::Sites;
use crate::sys;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{
    Call, CallSet, Peek, ScriptFrames, ScriptLayout, Stack, StackRate, ThreadMemory, Tid, TraceSpec, Unwind,
};

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

    /// Gives a call that returned its stack, if it had none when it was entered. True if the stack was read now.
    pub fn leave(&mut self, call: &mut Call, process: Tid) -> bool {
        let now = call.stack.is_none() && self.sites.is_none() && self.calls.contains(call.abi, call.nr);
        if now {
            call.stack = self.unwind(call.tid, process);
        }
        now && call.stack.is_some()
    }

    /// The stack of a thread at a signal. Samples are taken of calls only.
    pub fn at_signal(&mut self, tid: Tid, process: Tid) -> Option<Arc<Stack>> {
        if self.sites.is_none() { self.unwind(tid, process) } else { None }
    }

    /// The stack of a thread that is stopped.
    fn unwind(&mut self, tid: Tid, process: Tid) -> Option<Arc<Stack>> {
        let unwinder = self.unwinder.as_ref()?;
        let regs = sys::stack_regs(tid)?;
        let size = usize::from(regs.kind.word());
        let mut memory = StoppedMemory { tracee: self.reader.stack_of(tid), size };
        Some(unwinder.borrow_mut().unwind(process, &regs, None, &mut memory).stack)
    }

    /// Forgets the thread's memory: the thread has executed another program, or is gone.
    pub fn forget(&mut self, tid: Tid) {
        self.reader.forget(tid);
    }
}

/// The memory of a thread that is stopped. (Other threads of its process may run.)
struct StoppedMemory<P> {
    tracee: P,
    /// The size of a word.
    size: usize,
}

impl<P: Peek> ThreadMemory for StoppedMemory<P> {
    fn word(&mut self, address: u64) -> Option<u64> {
        let mut word = [0; 8];
        (self.tracee.peek(address, &mut word[..self.size]) == self.size).then_some(u64::from_le_bytes(word))
    }

    fn read(&mut self, address: u64, to: &mut [u8]) -> usize {
        self.tracee.peek(address, to)
    }

    fn script(&self, _: &ScriptLayout) -> Option<ScriptFrames> {
        None
    }

    fn is_still(&self) -> bool {
        true
    }
}

impl fmt::Debug for TraceeStacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceeStacks").field("wanted", &self.unwinder.is_some()).finish_non_exhaustive()
    }
}
