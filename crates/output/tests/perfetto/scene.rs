//! Made-up events, and a disk that may be full.

use crate::reader::{Read, read};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use stride_decode::{FdInfo, Options, World};
use stride_event::{Call, Descriptor, Event, Limits, Origin, Outcome, Peek, Phase, Tid, capture};
use stride_output::{End, Perfetto, RunInfo, Style, View};
use stride_syscalls::{Abi, plan::Plan, table};
use stride_track::Tracker;

/// What is written, piece by piece, up to so many bytes.
#[derive(Clone)]
pub struct Disk {
    pieces: Arc<Mutex<Vec<u8>>>,
    room: usize,
}

impl Disk {
    pub fn of(room: usize) -> Disk {
        Disk { pieces: Arc::default(), room }
    }

    pub fn whole_pieces(&self) -> Vec<u8> {
        self.pieces.lock().unwrap().clone()
    }
}

impl Write for Disk {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let mut pieces = self.pieces.lock().unwrap();
        if pieces.len() + piece.len() > self.room {
            return Err(io::Error::from_raw_os_error(28));
        }
        pieces.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Before;

impl World for Before {
    fn fd(&self, _: Tid, fd: i32, _: Option<&Descriptor>) -> Option<FdInfo> {
        (fd == -100).then(|| FdInfo { path: b"/home".to_vec(), ..FdInfo::default() })
    }

    fn comm(&self, _: Tid) -> Option<Vec<u8>> {
        Some(b"first".to_vec())
    }
}

/// A process 100 that was there before.
pub struct Scene {
    tracker: Tracker,
    view: Perfetto,
    disk: Disk,
    pub lost: u64,
}

impl Scene {
    pub fn new() -> Scene {
        Scene::on(Disk::of(usize::MAX))
    }

    pub fn on(disk: Disk) -> Scene {
        Scene::begun(0, disk)
    }

    pub fn begun(started: u64, disk: Disk) -> Scene {
        let mut scene = Scene::empty(started, disk);
        scene.event(Event::Started { tid: 100, process: 100, origin: Origin::Attached, at: 1 });
        scene
    }

    /// Without a process.
    pub fn empty(started: u64, disk: Disk) -> Scene {
        let run = RunInfo {
            args: vec!["stride".into(), "x\n".into()],
            host: "here".into(),
            started,
            wall_offset: 1_700_000_000_000_000_000,
            ..RunInfo::default()
        };
        let to = Box::new(disk.clone());
        let view = Perfetto::new("disk".into(), to, Style::default(), Options::default(), Box::new(()), &run);
        Scene { tracker: Tracker::default(), view, disk, lost: 0 }
    }

    /// An event that the view is not shown.
    pub fn unseen(&mut self, event: Event<'_>) {
        self.tracker.event(&event, &Before);
    }

    pub fn event(&mut self, event: Event<'_>) {
        self.tracker.event(&event, &Before);
        self.view.event(&event, &self.tracker);
    }

    pub fn fork(&mut self, parent: Tid, tid: Tid, process: Tid, at: u64) {
        self.event(Event::Started { tid, process, origin: Origin::Forked { parent }, at });
    }

    pub fn exit(&mut self, entered: u64, returned: u64, call: Call) {
        self.exit_of(100, entered, returned, call);
    }

    pub fn exit_of(&mut self, tid: Tid, entered: u64, returned: u64, mut call: Call) {
        (call.tid, call.entered, call.returned) = (tid, entered, returned);
        self.event(Event::Exit(&call));
    }

    pub fn take_error(&mut self) -> Option<String> {
        self.view.take_error()
    }

    pub fn finish(mut self) -> Read {
        let end = End { tracker: &self.tracker, lost_calls: self.lost, lost_threads: 0, lost_signals: 0 };
        assert_eq!(self.view.finish(&end), "");
        assert_eq!(self.view.take_error(), None);
        read(&self.disk.whole_pieces())
    }
}

/// The same bytes, ending in zeros, wherever a tracee's pointer leads.
struct Memory<'m>(&'m [u8]);

impl Peek for Memory<'_> {
    fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize {
        for (i, byte) in buf.iter_mut().enumerate() {
            *byte = self.0.get((addr.wrapping_sub(0x1000) as usize).wrapping_add(i)).copied().unwrap_or(0);
        }
        if addr == 0 { 0 } else { buf.len() }
    }
}

/// Copies what the call's plan says.
pub fn fill(call: &mut Call, memory: &[u8]) {
    let Some(entry) = table(call.abi).get(call.nr) else { return };
    let plan = Plan::of(entry.row, call.abi);
    let limits = Limits { text: 32, elements: 32 };
    for phase in [Phase::Entry, Phase::Exit] {
        capture(&plan, entry.row, phase, call, &limits, &mut Memory(memory));
    }
}

/// A call of process 100 whose string, if it takes one, is at 0x1000.
pub fn bytes<const N: usize>(name: &str, args: [u64; N], text: &[u8], value: i64) -> Call {
    let entry = table(Abi::NATIVE).by_name(name).next().expect("a syscall of this name");
    let mut call = Call { tid: 100, nr: entry.nr.into(), outcome: Outcome::Value(value), ..Call::default() };
    call.args[..N].copy_from_slice(&args);
    fill(&mut call, text);
    call
}

pub fn call<const N: usize>(name: &str, args: [u64; N], text: &str, value: i64) -> Call {
    bytes(name, args, text.as_bytes(), value)
}

pub fn failed(call: Call, errno: u32) -> Call {
    Call { outcome: Outcome::Error(errno), ..call }
}
