//! Recordings that are made to be slow or to take memory: every view shows them in bounded memory, and within `CPU` seconds of the
//! processor's time, however busy the machine is. A view takes about a second of that. Each recording is of a size at which work
//! that grows with its square takes several times the limit.

mod common;

use common::*;
use std::process::Command;
use stride_event::{BlockRef, Call, Event, Lost, Ns, Origin, Outcome, Phase, Tid};
use stride_record::{Metadata, Recorder};
use stride_syscalls::{Abi, table};

struct Scene(Recorder<std::fs::File>);

impl Scene {
    fn new(scratch: &Scratch) -> Scene {
        let file = std::fs::File::create(scratch.path("rec")).unwrap();
        let metadata = Metadata { args: vec!["stride".into(), "hostile".into()], ..Metadata::default() };
        Scene(Recorder::new(file, &metadata).unwrap())
    }

    fn event(&mut self, event: Event<'_>) {
        self.0.event(&event).unwrap();
    }

    fn started(&mut self, tid: Tid, process: Tid, parent: Option<Tid>, at: Ns) {
        let origin = parent.map_or(Origin::Attached, |parent| Origin::Forked { parent });
        self.event(Event::Started { tid, process, origin, at });
    }

    fn ended(&mut self, tid: Tid, at: Ns) {
        self.event(Event::Exited { tid, status: 0, at });
    }
}

fn call(name: &str, tid: Tid, at: Ns) -> Call {
    let nr = table(Abi::NATIVE).by_name(name).next().unwrap().nr.into();
    Call { tid, nr, entered: at, returned: at + 100, outcome: Outcome::Value(0), ..Call::default() }
}

/// Seconds of the processor's time for a view: the kernel ends what takes more.
const CPU: u64 = 10;

/// Shows the recording in each way, in so many MiB of address space.
fn shown(scratch: &Scratch, memory: u64) {
    let views: [&[&str]; 8] = [
        &[],
        &["-c"],
        &["-c", "--by=pid,tid,path"],
        &["--json"],
        &["--html=page"],
        &["--perfetto=pf"],
        &["--diff=rec"],
        &["--advise"],
    ];
    let size = scratch.path("rec").metadata().unwrap().len();
    let mut failed = Vec::new();
    for view in views {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            &format!("ulimit -v {}; ulimit -t {CPU}; exec \"$0\" \"$@\"", memory << 10),
            STRIDE,
            "--replay=rec",
        ]);
        // What is written is of no interest, and may be much.
        command.args(view).args(["-o", "/dev/null"]).current_dir(scratch.path(""));
        let run = Run::of(command);
        if run.code() != Some(0) {
            failed.push(format!("{view:?} of {size} bytes: {:?} {:.400}", run.status, run.err));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// A machine does not have so many threads, but naming one takes a byte. A kilobyte for each is more memory than there is.
#[test]
fn very_many_threads() {
    let scratch = Scratch::new("adversarial-threads");
    let mut scene = Scene::new(&scratch);
    for tid in 1..=1 << 17 {
        scene.started(tid, tid, None, 0);
    }
    scene.0.finish(Lost::default()).unwrap();
    shown(&scratch, 230);
}

/// None of them returns.
#[test]
fn very_many_calls_under_way() {
    let scratch = Scratch::new("adversarial-under-way");
    let mut scene = Scene::new(&scratch);
    for tid in 1..=1 << 17 {
        scene.event(Event::Enter(&call("getpid", tid, 0)));
    }
    scene.0.finish(Lost::default()).unwrap();
    shown(&scratch, 500);
}

#[test]
fn each_the_child_of_the_last() {
    let scratch = Scratch::new("adversarial-chain");
    let mut scene = Scene::new(&scratch);
    scene.started(1, 1, None, 0);
    for tid in 2..=20_000 {
        scene.started(tid, tid, Some(tid - 1), tid as Ns);
        scene.event(Event::Exit(&call("getpid", tid, tid as Ns)));
    }
    scene.0.finish(Lost::default()).unwrap();
    shown(&scratch, 500);
}

/// What was kept for one thread cannot serve the next, which is earlier.
#[test]
fn times_that_go_back() {
    let scratch = Scratch::new("adversarial-times");
    let mut scene = Scene::new(&scratch);
    for tid in 1..=60_000 {
        let at = (60_000 - tid as Ns) * 1_000_000_000;
        scene.started(tid, tid, None, at);
        scene.event(Event::Exit(&call("getpid", tid, at)));
        scene.ended(tid, at + 200);
    }
    scene.0.finish(Lost::default()).unwrap();
    shown(&scratch, 500);
}

/// As many words as a command may have.
#[test]
fn calls_of_very_many_blocks() {
    const WORDS: u64 = 20_000;
    let scratch = Scratch::new("adversarial-blocks");
    let mut scene = Scene::new(&scratch);
    scene.started(1, 1, None, 0);
    let mut execve = call("execve", 1, 0);
    execve.args = [0x1000, 0x10_0000, 0, 0, 0, 0];
    let pointers: Vec<u8> = (0..WORDS).flat_map(|i| (0x100_0000 + i * 16).to_ne_bytes()).collect();
    let block = |addr, bytes| BlockRef { op: 0, phase: Phase::Entry, addr, faulted: false, bytes };
    execve.blocks.push_block(block(0x1000, b"/bin/true\0"));
    execve.blocks.push_block(block(0x10_0000, &pointers));
    for i in 0..WORDS {
        execve.blocks.push_block(block(0x100_0000 + i * 16, b"word\0"));
    }
    for _ in 0..20 {
        scene.event(Event::Exit(&execve));
    }
    scene.0.finish(Lost::default()).unwrap();
    shown(&scratch, 500);
}

#[test]
fn no_path_twice() {
    let scratch = Scratch::new("adversarial-paths");
    let mut scene = Scene::new(&scratch);
    scene.started(1, 1, None, 0);
    for i in 0..60_000u64 {
        let mut open = call("openat", 1, i * 1000);
        open.args = [-100i64 as u64, 0x1000, 0, 0, 0, 0];
        open.outcome = Outcome::Value(3 + i as i64);
        let path = format!("/a/directory/{i:x}/and/a/file\0");
        let block = BlockRef { op: 0, phase: Phase::Entry, addr: 0x1000, faulted: false, bytes: path.as_bytes() };
        open.blocks.push_block(block);
        scene.event(Event::Exit(&open));
    }
    scene.0.finish(Lost::default()).unwrap();
    shown(&scratch, 500);
}
