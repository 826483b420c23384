//! The columns about waits (`--waits`): times off the CPU, and the waker that ended the longest sleep.

use crate::cell::{IdCell, MeasureCell, NameCell, WordCell};
use std::borrow::Cow;
use stride_event::{CallWaits, Interrupt, NamedThread, Ns, WaitKind, WaitTimes, Waker};
use stride_syscalls::{Abi, table};

/// The waits of a call that was measured.
#[derive(Clone, Copy)]
pub struct RowWaits<'a> {
    /// `None`: there were none.
    found: Option<&'a CallWaits>,
    /// The word for the thing that the thread waited for longest.
    cause: Option<&'static str>,
}

impl<'a> RowWaits<'a> {
    pub fn new(found: Option<&'a CallWaits>, cause: Option<&'static str>) -> RowWaits<'a> {
        RowWaits { found, cause }
    }

    fn waker(&self) -> Option<&'a Waker> {
        self.found?.longest.as_ref()?.waker.as_ref()
    }
}

/// The values of the columns. All are missing if the call was not measured.
pub struct WaitCells<'a>(pub Option<RowWaits<'a>>);

impl<'a> WaitCells<'a> {
    /// A time during the call.
    pub fn during(&self, kind: WaitKind) -> MeasureCell {
        self.time(|waits| waits.in_call.of(kind))
    }

    /// A time before the call, of all kinds of sleep or of all others.
    pub fn before(&self, asleep: bool) -> MeasureCell {
        let of = |times: &WaitTimes| if asleep { times.asleep() } else { times.all() - times.asleep() };
        self.time(|waits| of(&waits.before))
    }

    fn time(&self, of: impl Fn(&CallWaits) -> Ns) -> MeasureCell {
        MeasureCell(self.0.map(|waits| waits.found.map_or(0, of) as i64))
    }

    pub fn cause(&self) -> WordCell<'a> {
        WordCell::of(self.0.and_then(|waits| waits.cause).map(str::as_bytes))
    }

    /// The columns about the waker.
    pub fn waker(&self) -> WakerCells<'a> {
        match self.0.and_then(|waits| waits.waker()) {
            Some(Waker::Thread(thread, call)) => {
                WakerCells { kind: Some("thread"), thread: Some(thread), call: *call, interrupt: None }
            }
            Some(Waker::Interrupt(interrupt)) => {
                WakerCells { kind: Some("interrupt"), thread: None, call: None, interrupt: Some(interrupt) }
            }
            Some(Waker::Hidden) => WakerCells { kind: Some("hidden"), thread: None, call: None, interrupt: None },
            None => WakerCells { kind: None, thread: None, call: None, interrupt: None },
        }
    }
}

/// The values of the columns about the waker: a thread, an interrupt or none.
pub struct WakerCells<'a> {
    kind: Option<&'static str>,
    thread: Option<&'a NamedThread>,
    call: Option<(Abi, u64)>,
    interrupt: Option<&'a Interrupt>,
}

impl<'a> WakerCells<'a> {
    pub fn kind(&self) -> WordCell<'static> {
        WordCell::of(self.kind.map(str::as_bytes))
    }

    pub fn tid(&self) -> IdCell {
        IdCell(self.known().map(|thread| thread.tid))
    }

    pub fn pid(&self) -> IdCell {
        IdCell(self.known().map(|thread| thread.process))
    }

    /// A thread of another PID namespace has no id.
    fn known(&self) -> Option<&'a NamedThread> {
        self.thread.filter(|thread| thread.tid != 0)
    }

    pub fn comm(&self) -> NameCell<'a> {
        NameCell::of(self.thread.map(NamedThread::name).filter(|name| !name.is_empty()))
    }

    pub fn call_name(&self) -> Option<Cow<'static, str>> {
        self.call.map(|(abi, nr)| table(abi).name(nr))
    }

    /// `name` is the [name of the call](Self::call_name).
    pub fn call<'n>(&self, name: Option<&'n str>) -> WordCell<'n> {
        WordCell::call(self.call, name)
    }

    pub fn interrupt(&self) -> WordCell<'a> {
        WordCell::of(self.interrupt.map(|interrupt| interrupt.word().as_bytes()))
    }
}
