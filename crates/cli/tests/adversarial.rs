//! Recordings that are made to be slow or to take memory. Every view shows them in bounded memory and within `CPU`
//! seconds of processor time, however busy the machine is ([`fixtures`] has all views). A view takes about a second.
//! Each recording is so large that work which grows with the square of its size takes several times the limit.

mod common;
#[path = "hostile/fixtures.rs"]
mod fixtures;

use common::*;
use fixtures::{FIXTURES, Fixture};
use std::collections::BTreeSet;
use std::process::Command;
use stride_event::{Call, Event, Ns, Outcome, Phase};
use stride_record::Metadata;
use stride_test_support::calls::{holding, naming};

/// Seconds of processor time for a view. The kernel kills a process that takes more.
const CPU: u64 = 10;

/// A recording that may have stacks, without which some views refuse it.
fn recorded(scratch: &Scratch) -> Recorded {
    Recorded::with(scratch, &Metadata { args: vec!["stride".into()], stacks: true, ..Metadata::default() })
}

/// Shows the recording in each view, with this many MiB of address space.
fn shown(scratch: &Scratch, memory: u64) {
    std::fs::copy(scratch.path("rec"), scratch.path("base")).unwrap();
    std::fs::write(scratch.path("limits.toml"), "limits = [\"total <= 0\"]\n").unwrap();
    std::fs::write(scratch.path("advise.toml"), "").unwrap();
    std::fs::write(scratch.path("declared"), "/usr\n/lib\n").unwrap();
    std::fs::write(scratch.path("earlier.json"), fixtures::EARLIER_RUNS).unwrap();
    let size = scratch.path("rec").metadata().unwrap().len();
    let mut failed = Vec::new();
    // Other options and other forms take as long.
    let mut seen = BTreeSet::new();
    let mut is_first = |fixture: &&Fixture| {
        let option = fixture.options.first().map_or("", |option| option.split('=').next().unwrap());
        !fixture.live && seen.insert(option)
    };
    for fixture in FIXTURES.iter().filter(|fixture| is_first(fixture)) {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            &format!("ulimit -v {}; ulimit -t {CPU}; exec \"$0\" \"$@\"", memory << 10),
            STRIDE,
            "--replay=rec",
        ]);
        // The output does not matter, and may be large.
        command.args(fixture.options).args(["-o", "/dev/null"]).current_dir(scratch.path(""));
        // The heap of a second thread would reserve address space that it does not use.
        command.env("MALLOC_ARENA_MAX", "1");
        let run = Run::of(command);
        // (A limit is broken.)
        if !matches!(run.code(), Some(0 | 3)) {
            failed.push(format!("{:?} of {size} bytes: {:?} {:.400}", fixture.options, run.status, run.err));
        }
        fixture.remove_output(&scratch.path(""));
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// No machine has so many threads, but a recording names one in a byte. Two kilobytes for each would exceed the memory
/// limit. (A view that works in a thread of its own has a copy of what is known of them.)
#[test]
fn very_many_threads() {
    let scratch = Scratch::new("adversarial-threads");
    let mut run = recorded(&scratch);
    for tid in 1..=1 << 17 {
        run.started(tid, None, 0);
    }
    run.finish();
    shown(&scratch, 320);
}

/// None of the calls returns.
#[test]
fn very_many_calls_under_way() {
    let scratch = Scratch::new("adversarial-under-way");
    let mut run = recorded(&scratch);
    for tid in 1..=1 << 17 {
        run.event(Event::Enter(&Recorded::call("getpid", tid, &[], 0)));
    }
    run.finish();
    shown(&scratch, 500);
}

#[test]
fn each_the_child_of_the_last() {
    let scratch = Scratch::new("adversarial-chain");
    let mut run = recorded(&scratch);
    run.started(1, None, 0);
    for tid in 2..=20_000 {
        run.started(tid, Some(tid - 1), tid as Ns);
        run.exit(&Recorded::call("getpid", tid, &[], tid as Ns));
    }
    run.finish();
    shown(&scratch, 500);
}

/// State kept for one thread cannot serve the next one, which is earlier.
#[test]
fn times_that_go_back() {
    let scratch = Scratch::new("adversarial-times");
    let mut run = recorded(&scratch);
    for tid in 1..=60_000 {
        let at = (60_000 - tid as Ns) * 1_000_000_000;
        run.started(tid, None, at);
        run.exit(&Recorded::call("getpid", tid, &[], at));
        run.ended(tid, at + 200);
    }
    run.finish();
    shown(&scratch, 500);
}

/// A command may have this many words.
#[test]
fn calls_of_very_many_blocks() {
    const WORDS: u64 = 20_000;
    let scratch = Scratch::new("adversarial-blocks");
    let mut run = recorded(&scratch);
    run.started(1, None, 0);
    let pointers: Vec<u8> = (0..WORDS).flat_map(|i| (0x100_0000 + i * 16).to_ne_bytes()).collect();
    let mut execve = naming(Recorded::call("execve", 1, &[0x1000, 0x10_0000], 0), 0x1000, "/bin/true");
    execve = holding(execve, Phase::Entry, 0x10_0000, &pointers);
    for i in 0..WORDS {
        execve = naming(execve, 0x100_0000 + i * 16, "word");
    }
    for _ in 0..20 {
        run.exit(&execve);
    }
    run.finish();
    shown(&scratch, 500);
}

#[test]
fn no_path_twice() {
    let scratch = Scratch::new("adversarial-paths");
    let mut run = recorded(&scratch);
    run.started(1, None, 0);
    for i in 0..60_000u64 {
        let path = format!("/a/directory/{i:x}/and/a/file");
        let open = naming(Recorded::call("openat", 1, &[-100i64 as u64, 0x1000], i * 1000), 0x1000, path);
        run.exit(&Call { outcome: Outcome::Value(3 + i as i64), ..open });
    }
    run.finish();
    shown(&scratch, 500);
}
