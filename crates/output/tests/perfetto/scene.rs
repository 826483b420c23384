//! Made-up events.

use crate::reader::{Read, read};
use stride_decode::{FdInfo, Options, Resolver};
use stride_event::{Call, Descriptor, Event, FdOf, Lost, Outcome, Tid};
use stride_output::{End, Perfetto, RunInfo, Style, View, ViewError};
use stride_syscalls::Abi;
use stride_test_support::calls::{Memory, attached, call_of, capture_all, forked};
use stride_test_support::written::Disk;
use stride_track::Tracker;

struct Before;

impl Resolver for Before {
    fn fd(&self, FdOf { fd, .. }: FdOf, _: Option<&Descriptor>) -> Option<FdInfo> {
        (fd == -100).then(|| FdInfo { path: b"/home".to_vec(), ..FdInfo::default() })
    }

    fn comm(&self, _: Tid) -> Option<Vec<u8>> {
        Some(b"first".to_vec())
    }
}

/// A process 100 that ran before tracing.
pub struct Scene {
    tracker: Tracker,
    view: Perfetto,
    disk: Disk,
    pub lost: u64,
}

impl Scene {
    pub fn new() -> Scene {
        Scene::on(Disk::default())
    }

    pub fn on(disk: Disk) -> Scene {
        Scene::begun(0, disk)
    }

    pub fn begun(started: u64, disk: Disk) -> Scene {
        let mut scene = Scene::empty(started, disk);
        scene.event(attached(100, 1));
        scene
    }

    /// A scene without processes.
    pub fn empty(started: u64, disk: Disk) -> Scene {
        let run = RunInfo {
            args: vec!["stride".into(), "x\n".into()],
            host: "here".into(),
            started,
            waits: true,
            wall_offset: 1_700_000_000_000_000_000,
            ..RunInfo::default()
        };
        let to = Box::new(disk.clone());
        let view = Perfetto::new("disk".into(), to, Style::default(), Options::default(), Box::new(()), &run);
        Scene { tracker: Tracker::default(), view, disk, lost: 0 }
    }

    /// An event that only the tracker sees.
    pub fn unseen(&mut self, event: Event<'_>) {
        self.tracker.event(&event, &Before);
    }

    pub fn event(&mut self, event: Event<'_>) {
        self.tracker.event(&event, &Before);
        self.view.event(&event, &self.tracker);
    }

    pub fn fork(&mut self, parent: Tid, tid: Tid, process: Tid, at: u64) {
        self.event(forked(parent, tid, process, at));
    }

    pub fn exit(&mut self, entered: u64, returned: u64, call: Call) {
        self.exit_of(100, entered, returned, call);
    }

    pub fn exit_of(&mut self, tid: Tid, entered: u64, returned: u64, mut call: Call) {
        (call.tid, call.entered, call.returned) = (tid, Some(entered), returned);
        self.event(Event::Exit(&call));
    }

    pub fn take_error(&mut self) -> Option<ViewError> {
        self.view.take_error()
    }

    pub fn finish(mut self) -> Read {
        let end = End {
            tracker: &self.tracker,
            lost: Lost { calls: self.lost, ..Lost::default() },
            with_source: &std::sync::Arc::clone,
        };
        assert_eq!(self.view.finish(&end), "");
        assert_eq!(self.view.take_error(), None);
        read(&self.disk.bytes())
    }
}

/// A call of process 100. Its string, if there is one, is at 0x1000.
pub fn bytes<const N: usize>(name: &str, args: [u64; N], text: &[u8], value: i64) -> Call {
    let mut call = call_of(Abi::NATIVE, 100, name, &args, Outcome::Value(value));
    capture_all(&mut call, &mut Memory(text));
    call
}

pub fn call<const N: usize>(name: &str, args: [u64; N], text: &str, value: i64) -> Call {
    bytes(name, args, text.as_bytes(), value)
}

pub fn failed(call: Call, errno: u32) -> Call {
    Call { outcome: Outcome::Error(errno), ..call }
}
