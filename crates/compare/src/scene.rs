//! Made-up runs, for tests.

use crate::profile::Profile;
use crate::tally::Tally;
use stride_event::{Call, Event, Ns, Origin, Outcome, Phase, Tid};
use stride_output::End;
use stride_syscalls::{Abi, table};
use stride_track::Tracker;

pub const PID: Tid = 100;

#[derive(Default)]
pub struct Scene {
    pub tracker: Tracker,
    pub tally: Tally,
    pub lost_calls: u64,
    now: Ns,
}

impl Scene {
    /// One process.
    pub fn new() -> Scene {
        let mut scene = Scene::default();
        scene.start(PID, Origin::Attached);
        scene
    }

    pub fn event(&mut self, event: Event<'_>) {
        self.tracker.event(&event, &());
        self.tally.event(&event, &self.tracker);
    }

    pub fn start(&mut self, tid: Tid, origin: Origin) {
        self.event(Event::Started { tid, process: tid, origin, at: 1000 });
    }

    pub fn exit(&mut self, tid: Tid) {
        self.now += 1000;
        self.event(Event::Exited { tid, status: 0, at: self.now + 1000 });
    }

    /// Calls that each take a microsecond.
    pub fn calls(&mut self, n: u64, name: &str, path: &str, outcome: Outcome) {
        for _ in 0..n {
            self.call(PID, name, path, outcome, 1000);
        }
    }

    pub fn call(&mut self, tid: Tid, name: &str, path: &str, outcome: Outcome, ns: Ns) {
        let entry = table(Abi::X86_64).by_name(name).next().unwrap();
        let at = entry.row.args.iter().position(|arg| matches!(arg.ty, stride_syscalls::Ty::Path));
        let mut call = Call { tid, abi: Abi::X86_64, nr: entry.nr.into(), args: [7; 6], outcome, ..Call::default() };
        if let Some(at) = at {
            call.args[at] = 0x1000;
            let bytes = [path.as_bytes(), b"\0"].concat();
            call.blocks.push(0, Phase::Entry, 0x1000, bytes.len(), |to| {
                to.copy_from_slice(&bytes);
                bytes.len()
            });
        }
        self.now += ns + 1000;
        (call.entered, call.returned) = (1000 + self.now - ns, 1000 + self.now);
        self.event(Event::Exit(&call));
    }

    pub fn end(&self) -> End<'_> {
        End { tracker: &self.tracker, lost_calls: self.lost_calls, lost_threads: 0, lost_signals: 0 }
    }

    pub fn profile(&self) -> Profile {
        Profile::new(&self.tally, &self.end(), &|_| true)
    }
}
