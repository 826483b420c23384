//! Views that work in threads of their own write what they write without these threads. Stride has the threads only if there are several CPUs, so the
//! same recording is replayed with one CPU and with all.

mod common;

use common::*;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use std::path::Path;

/// Options that affect what is asked and what is written.
const OPTIONS: &[&[&str]] = &[
    &[],
    &["-T", "-ttt"],
    &["-r", "-n", "-i"],
    &["-n", "-e", "trace=close"],
    &["-y"],
    &["-yy", "-Y", "-tt"],
    &["-v", "-s", "300"],
    &["-e", "trace=openat,read"],
    &["-e", "raw=all"],
    &["-e", "status=failed"],
    &["-e", "read=3", "-e", "write=1"],
    &["-X", "verbose"],
    &["-k"],
    &["-q", "-a", "60", "--color=always"],
    &["-P", "/etc/passwd"],
    &["--style=perf"],
    &["--style=truss"],
    &["--where", "duration > 50us"],
    &["--syscall-limit=20"],
    &["-C"],
    &["--json"],
    &["--json", "-yy"],
    &["--json", "-v", "-s", "300", "-k"],
    &["--json", "-e", "raw=all", "-i"],
    &["--json", "-e", "trace=%file"],
    &["--json", "--where", "path.startsWith(\"/etc/\")"],
];

/// The CPUs that children get while `run` runs.
fn on_one_cpu<T>(run: impl FnOnce() -> T) -> T {
    let this = Pid::from_raw(0);
    let all = sched_getaffinity(this).unwrap();
    let first = (0..CpuSet::count()).find(|cpu| all.is_set(*cpu).unwrap()).unwrap();
    let mut one = CpuSet::new();
    one.set(first).unwrap();
    sched_setaffinity(this, &one).unwrap();
    let result = run();
    sched_setaffinity(this, &all).unwrap();
    result
}

fn has_several_cpus() -> bool {
    std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1)
}

/// The file that a replay writes, its messages, and its exit status.
fn replayed(scratch: &Scratch, options: &[&str]) -> (String, String, Option<i32>) {
    let _ = std::fs::remove_file(scratch.path("again"));
    let run = scratch.replay(&[&["-o", "again"], options].concat());
    (scratch.read("again"), run.err.clone(), run.code())
}

#[track_caller]
fn same_both_ways(scratch: &Scratch, options: &[&str], what: &str) {
    let alone = on_one_cpu(|| replayed(scratch, options));
    let apart = replayed(scratch, options);
    for (i, (apart, alone)) in apart.0.lines().zip(alone.0.lines()).enumerate() {
        assert_eq!(apart, alone, "{what} {options:?}, line {}", i + 1);
    }
    assert_eq!(apart.0.len(), alone.0.len(), "{what} {options:?}");
    assert_eq!((apart.1, apart.2), (alone.1, alone.2), "{what} {options:?}");
}

#[test]
fn all_options_show_the_same_with_and_without_threads() {
    if !has_several_cpus() {
        skip!("there is one CPU");
    }
    let script = "cat a | tr a b > c; ls -l /proc/self/fd; (exit 3); cat /etc/passwd nothing; \
                  (sleep 5 & kill -TERM $!; wait); rm c; exec sh -c 'cd /etc; cat passwd'";
    for engine in engines() {
        let ways = [&[][..], &["-yy", "-Y", "-k", "-i"]];
        for noted in ways {
            let scratch = Scratch::new(&format!("apart{engine}{}", noted.len()));
            std::fs::write(scratch.path("a"), "aaa\n").unwrap();
            let args = [&[engine, "-f", "--record=rec"], noted, &["sh", "-c", script]].concat();
            assert!(scratch.stride(args).trace.lines().count() > 50);
            OPTIONS.iter().for_each(|options| same_both_ways(&scratch, options, &format!("{engine} {noted:?}")));
        }
    }
}

/// Calls with descriptors in memory, and others of which views ask what only the tracker knows.
const CALLS: &[&str] =
    &["descriptors-passed", "descriptors", "fcntl", "io-uring", "messages-many", "poll", "process", "sockets"];

#[test]
fn descriptors_in_memory_are_known_with_and_without_threads() {
    if !has_several_cpus() {
        skip!("there is one CPU");
    }
    for source in sources("syscalls").into_iter().filter(|source| CALLS.contains(&&*stem(source))) {
        let scratch = Scratch::new(&format!("calls-{}", stem(&source)));
        let program = scratch.path("program");
        if let Err(why) = cc(&source, &program) {
            println!("skipped: {}: {why}", stem(&source));
            continue;
        }
        scratch.stride(["-q", "-f", "--record=rec"].map(Path::new).into_iter().chain([&*program]));
        same_both_ways(&scratch, &["--json"], &stem(&source));
        let objects = scratch.read("again").matches("\"fd\":").count();
        assert!(objects > 10, "{}: {objects}", stem(&source));
    }
}

/// Many batches, of few and of many bytes, and threads that take turns.
#[test]
fn long_recordings_are_shown_the_same_with_and_without_threads() {
    if !has_several_cpus() {
        skip!("there is one CPU");
    }
    let scratch = Scratch::new("apart-long");
    let mut recorded = Recorded::new(&scratch);
    let threads = [7, 8, 9];
    threads.iter().for_each(|tid| recorded.started(*tid, None, 1));
    for i in 0..20_000u64 {
        let tid = threads[i as usize % threads.len()];
        recorded.exit(&Recorded::call("getppid", tid, &[], 1000 * i));
    }
    threads.iter().for_each(|tid| recorded.ended(*tid, 30_000_000));
    recorded.finish();
    for options in [&[][..], &["-r", "-T"], &["--json"]] {
        same_both_ways(&scratch, options, "long");
    }
    assert_eq!(replayed(&scratch, &["-q"]).0.matches("getppid").count(), 20_000);
}

/// One CPU has no further threads to work on it.
#[test]
fn one_cpu_gets_no_threads() {
    let scratch = Scratch::new("apart-threads");
    scratch.stride(["-q", "--record=rec", "true"]);
    let threads = || {
        let made = ["-f", "-e", "trace=clone,clone3", STRIDE, "--replay=rec", "-o", "again"];
        scratch.stride(made).trace.lines().filter(|line| line.contains("CLONE_THREAD")).count()
    };
    assert_eq!(on_one_cpu(threads), 0);
    if has_several_cpus() {
        assert_eq!(threads(), 3);
    }
}

/// A reader that leaves, and a disk that is full, are noticed as without threads.
#[test]
fn failures_of_the_output_are_told() {
    let scratch = Scratch::new("apart-failures");
    let mut recorded = Recorded::new(&scratch);
    recorded.started(7, None, 1);
    (0..20_000).for_each(|i| recorded.exit(&Recorded::call("getppid", 7, &[], 1000 * i)));
    recorded.finish();
    for options in [&[][..], &["--json"]] {
        let full = || {
            let run = scratch.replay(&[&["-o", "/dev/full"], options].concat());
            (run.err.clone(), run.code())
        };
        assert!(full().0.contains("/dev/full: No space left on device"), "{:?}", full());
        assert_eq!(full(), on_one_cpu(full));
        let left = || {
            let run = scratch.replay(&[&["-o", "|head -n 3 > kept"], options].concat());
            (scratch.read("kept"), run.err.clone(), run.code())
        };
        assert_eq!(left().0.lines().count(), 3);
        assert_eq!(left(), on_one_cpu(left));
    }
}
