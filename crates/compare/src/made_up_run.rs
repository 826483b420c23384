//! Made-up runs, for tests.

use crate::profile::Profile;
use crate::tally::Tally;
use std::sync::Arc;
use stride_event::{Event, Lost, Ns, Outcome, StartKind, Tid};
use stride_output::End;
use stride_syscalls::{Ty, table};
use stride_test_support::calls::{call, exited, lasting, naming, operation};
use stride_track::Tracker;

pub const PID: Tid = 100;

#[derive(Default)]
pub struct MadeUpRun {
    pub tracker: Tracker,
    pub tally: Tally,
    pub lost_calls: u64,
    now: Ns,
}

impl MadeUpRun {
    /// A run of one process.
    pub fn new() -> MadeUpRun {
        let mut run = MadeUpRun::default();
        run.start(PID, StartKind::Attached);
        run
    }

    pub fn event(&mut self, event: Event<'_>) {
        self.tracker.event(&event, &());
        self.tally.event(&event, &self.tracker);
    }

    pub fn start(&mut self, tid: Tid, origin: StartKind) {
        self.event(Event::Started { tid, process: tid, origin, at: 1000 });
    }

    pub fn exit(&mut self, tid: Tid) {
        self.now += 1000;
        self.event(exited(tid, self.now + 1000));
    }

    /// Calls that each take a microsecond.
    pub fn calls(&mut self, n: u64, name: &str, path: &str, outcome: Outcome) {
        for _ in 0..n {
            self.call(PID, name, path, outcome, 1000);
        }
    }

    pub fn call(&mut self, tid: Tid, name: &str, path: &str, outcome: Outcome, ns: Ns) {
        let mut call = call(tid, name, &[7; 6], outcome);
        let row = table(call.abi).get(call.nr).unwrap().row;
        if let Some(at) = row.args.iter().position(|arg| matches!(arg.ty, Ty::Path)) {
            call.args[at] = 0x1000;
            call = naming(call, 0x1000, path);
        }
        self.now += ns + 1000;
        self.event(Event::Exit(&lasting(call, 1000 + self.now - ns, ns)));
    }

    /// Reads of io_uring.
    pub fn operations(&mut self, n: u64) {
        for _ in 0..n {
            self.event(Event::Library(&operation(PID, "read", &[3, 0x1000, 100, 0], &[], 10)));
        }
    }

    pub fn end(&self) -> End<'_> {
        End {
            tracker: &self.tracker,
            lost: Lost { calls: self.lost_calls, ..Lost::default() },
            with_source: &Arc::clone,
        }
    }

    pub fn profile(&self) -> Profile {
        Profile::new(&self.tally, &self.end(), &|_| true)
    }
}
