//! The contract between engines and the rest of Stride.

use crate::error::{AttachFailure, EngineError};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use stride_event::{Call, Counted, Event, Lost, Tid, Unwind};

/// A source of events: an engine that observes a program, or the replay of a recording.
///
/// A caller takes events with [`Engine::next`] until there are none, and asks for everything else afterwards or in between.
pub trait Engine {
    fn capabilities(&self) -> Capabilities;

    /// The next event; `None` when no traced thread is left. Engines that hold the program keep the thread concerned stopped until the
    /// next call.
    fn next(&mut self) -> Result<Option<Event<'_>>, EngineError>;

    /// Sets the unwinder of stacks, before the first event is taken. Wanted if `TraceSpec::stacks` is set.
    fn unwind_with(&mut self, _unwinder: Rc<RefCell<dyn Unwind>>) {}

    /// Sets the filter of the calls that `TraceSpec::injections` change, before the first event is taken. Without it, all calls of their
    /// sets are changed.
    fn choose_with(&mut self, _choice: Rc<RefCell<dyn Choose>>) {}

    /// Ends tracing. What was recorded so far still comes out of `next`, then the threads that live on, then `None`.
    fn stop(&mut self);

    /// The command that this engine started.
    fn command(&self) -> Option<Tid> {
        None
    }

    /// The threads that could not be attached to, if others could.
    fn failures(&self) -> &[AttachFailure] {
        &[]
    }

    /// The fatal signal to Stride that ended tracing. The caller should die of the signal when its output is written.
    fn interrupted(&self) -> Option<i32> {
        None
    }

    fn lost(&self) -> Lost {
        Lost::default()
    }

    fn delayed(&self) -> Delayed {
        Delayed::default()
    }

    /// The calls that the engine itself counted (`TraceSpec::counting`).
    fn counted(&self) -> Result<Vec<Counted>, EngineError> {
        Ok(Vec::new())
    }

    /// The calls that the engine has counted since this was last asked (`Counting::intervals`). The rest comes from
    /// [`Engine::counted`] at the end.
    fn take_counted(&mut self) -> Result<Vec<Counted>, EngineError> {
        Ok(Vec::new())
    }

    /// After the last event: a remark about how the events ended, or an error if they ended too early.
    fn ending(&self) -> Result<Option<String>, EngineError> {
        Ok(None)
    }

    /// After the last event: the work of the engine and its cost, for debugging Stride (`-d`).
    fn costs(&self) -> Vec<String> {
        Vec::new()
    }

    /// Sentences for the user that came up since the last question.
    fn remarks(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Facts for debugging Stride (`-d`).
    fn facts(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Decides which calls may be changed, for filters that the engine does not know (paths and descriptors).
pub trait Choose {
    /// Asked when the thread stands still at the entry of the call, whose memory at entry was captured.
    fn chooses(&mut self, call: &Call) -> bool;
}

/// How engines differ, as far as others must know. Callers ask for these, never for an engine's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capabilities {
    /// The engine's name, for messages and recordings.
    pub name: &'static str,
    /// The program stands still while an event is shown, so that /proc tells what was true at that moment.
    pub holds_program: bool,
    /// Calls come with the CPU time that they took.
    pub cpu_times: bool,
    /// Serves `TraceSpec::counting`.
    pub counts: bool,
    /// Decides in the kernel how calls have to return in order to be reported. Others know there only the call's number.
    pub filters_returns: bool,
    /// The time that the engine itself may add to a call, in nanoseconds.
    pub adds: u64,
    /// Serves `Seccomp::On`.
    pub seccomp: bool,
    /// Serves `TraceSpec::kill_on_exit`.
    pub kill_on_exit: bool,
    /// Serves `TraceSpec::stacks`.
    pub stacks: bool,
    /// Serves `TraceSpec::machine`.
    pub machine: bool,
    /// Serves `TraceSpec::library`.
    pub library: bool,
    /// Serves `TraceSpec::operations`.
    pub operations: bool,
    /// Serves `TraceSpec::waits`.
    pub waits: bool,
    /// Serves `TraceSpec::injections`.
    pub injections: bool,
    /// Serves `TraceSpec::vcpus`.
    pub vcpus: bool,
}

/// The price of losing no calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Delayed {
    /// The number of calls that were delayed, and the sum of their delays.
    pub calls: u64,
    pub time: Duration,
}
