//! Recordings of made-up runs.

use super::Scratch;
use std::ffi::OsString;
use stride_event::{Call, Event, Lost, Ns, Outcome, Tid};
use stride_record::{Metadata, Recorder};
use stride_syscalls::Abi;
use stride_test_support::calls::{attached, call_of, exited, forked, lasting};

/// The unfinished recording `rec` in a test's directory.
pub struct Recorded(Recorder<std::fs::File>);

impl Recorded {
    pub fn new(scratch: &Scratch) -> Recorded {
        let args = ["stride", "made-up"].map(OsString::from).into();
        Recorded::with(scratch, &Metadata { args, ..Metadata::default() })
    }

    pub fn with(scratch: &Scratch, metadata: &Metadata) -> Recorded {
        let file = std::fs::File::create(scratch.path("rec")).unwrap();
        Recorded(Recorder::new(file, metadata).unwrap())
    }

    pub fn event(&mut self, event: Event<'_>) {
        self.0.event(&event).unwrap();
    }

    pub fn exit(&mut self, call: &Call) {
        self.event(Event::Exit(call));
    }

    /// Starts a process: one that was running before, or a child of `parent`.
    pub fn started(&mut self, tid: Tid, parent: Option<Tid>, at: Ns) {
        self.event(parent.map_or(attached(tid, at), |parent| forked(parent, tid, tid, at)));
    }

    pub fn ended(&mut self, tid: Tid, at: Ns) {
        self.event(exited(tid, at));
    }

    pub fn finish(mut self) {
        self.0.finish(Lost::default()).unwrap();
    }

    /// A short call that returns 0.
    pub fn call(name: &str, tid: Tid, args: &[u64], at: Ns) -> Call {
        lasting(call_of(Abi::NATIVE, tid, name, args, Outcome::Value(0)), at, 100)
    }
}
