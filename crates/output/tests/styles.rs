//! Each kind of event in each style of lines. A kind or a style without its lines here fails.

use std::collections::BTreeSet;
use stride_decode::{Options, Resolver};
use stride_event::{
    Call, Event, LibraryCall, LibraryFunction, LibraryPart, OperationFacts, Outcome, Param, SIGINFO_SIZE, Tid,
};
use stride_output::{Layout, STYLES, Show, Sink, TextView, form_of};
use stride_syscalls::Abi;
use stride_syscalls::library::WordType;
use stride_test_support::calls::{call, exited, forked, lasting, naming, operation};
use stride_test_support::written::Disk;

const PATH: u64 = 0x1000;
const AT_FDCWD: u64 = -100i64 as u64;

/// The kinds of events, each with a name.
macro_rules! kinds {
    ($($event:pat => $name:literal,)*) => {
        const KINDS: &[&str] = &[$($name),*];

        fn kind(event: &Event<'_>) -> &'static str {
            match event {
                $($event => $name,)*
            }
        }
    };
}

kinds! {
    Event::Started { .. } => "attached",
    Event::Named { .. } => "named",
    Event::NamespaceId { .. } => "id in a namespace",
    Event::Enter(_) => "call entered",
    Event::Exit(Call { outcome: Outcome::Gone | Outcome::Pending, .. }) => "call that does not return",
    Event::Exit(Call { outcome: Outcome::Error(_), .. }) => "call that failed",
    Event::Exit(Call { outcome: Outcome::Value(_), .. }) => "call returned",
    Event::NamingCall(_) => "naming call",
    Event::Library(LibraryCall { operation: Some(_), part: LibraryPart::Returned, result: 0x8000_0000_0000_0000.., .. }) => "operation that failed",
    Event::Library(LibraryCall { operation: Some(_), part: LibraryPart::Returned, .. }) => "operation completed",
    Event::Library(LibraryCall { operation: Some(_), .. }) => "operation without completion",
    Event::Library(LibraryCall { part: LibraryPart::Entered, .. }) => "function entered",
    Event::Library(LibraryCall { part: LibraryPart::Returned, .. }) => "function returned",
    Event::Library(LibraryCall { part: LibraryPart::Passed, .. }) => "probe passed",
    Event::Library(LibraryCall { part: LibraryPart::Gone, .. }) => "function left",
    Event::Signal { .. } => "signal",
    Event::Stopped { .. } => "stopped",
    Event::Ending { .. } => "ending",
    Event::Exited { .. } => "exited",
    Event::Killed { .. } => "killed",
    Event::Superseded { .. } => "superseded",
    Event::Detached { .. } => "detached",
    Event::Stranger { .. } => "stranger",
    Event::Personality { .. } => "personality",
    Event::Lost { .. } => "lost",
    Event::Idle => "idle",
}

struct Names;

impl Resolver for Names {
    fn comm(&self, tid: Tid) -> Option<Vec<u8>> {
        Some(if tid == 7 { b"seven".to_vec() } else { b"eight".to_vec() })
    }
}

fn lines(style: &str, events: &[Event<'_>]) -> Vec<String> {
    let disk = Disk::default();
    let layout = Layout { column: 0, form: form_of(style), ..Layout::default() };
    let options = Options { pids: true, ..Options::default() };
    let sink = Sink::new("trace", Box::new(disk.clone()), false);
    let mut view = TextView::new(layout, options, Box::new(Names), 0, Show::default(), sink);
    events.iter().for_each(|event| view.event(event));
    view.flush();
    drop(view);
    let text = disk.bytes();
    assert!(text.is_empty() || text.ends_with(b"\n"), "{style}: {}", String::from_utf8_lossy(&text));
    // Blanks before the result are a matter of columns.
    String::from_utf8(text)
        .unwrap()
        .lines()
        .map(|line| line.split(' ').filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" "))
        .collect()
}

fn function(part: LibraryPart, entered: u64, at: u64, result: u64) -> LibraryCall {
    let size = Param { name: "size".into(), ty: WordType::Int { bytes: 8, signed: false }, optional: false };
    let function =
        LibraryFunction { name: "libc:malloc".into(), params: [size].into(), result: Some(WordType::Pointer) };
    LibraryCall {
        tid: 7,
        function: function.into(),
        part,
        at,
        entered,
        words: vec![472],
        result,
        ..LibraryCall::default()
    }
}

/// Events, and the lines of perf, of strace and of truss, as [`STYLES`] has them.
type Example<'a> = (Vec<Event<'a>>, [&'static [&'static str]; STYLES.len()]);

#[test]
fn each_kind_of_event_in_each_style() {
    let opened = |tid, outcome| {
        lasting(naming(call(tid, "openat", &[AT_FDCWD, PATH, 0, 0], outcome), PATH, "a"), 1_000_000, 2_000_000)
    };
    let (entered, returned) = (opened(7, Outcome::Pending), opened(7, Outcome::Value(3)));
    let (failed, gone) =
        (opened(7, Outcome::Error(2)), lasting(call(7, "exit_group", &[3], Outcome::Gone), 1_000_000, 0));
    let other = lasting(call(8, "getppid", &[], Outcome::Value(1)), 2_000_000, 1_000);
    let mut info = [0; SIGINFO_SIZE];
    info[0] = 15;
    let malloc = function(LibraryPart::Entered, 1_000_000, 1_000_000, 0);
    let freed = function(LibraryPart::Returned, 1_000_000, 3_000_000, 0x5000);
    let left = function(LibraryPart::Gone, 1_000_000, 3_000_000, 0);
    let probe = function(LibraryPart::Passed, 1_000_000, 1_000_000, 0);
    let unseen = function(LibraryPart::Returned, 0, 3_000_000, 0x5000);
    let read = operation(7, "read", &[3, 0x2000, 5], &[], 5);
    let wrong = operation(7, "read", &[3, 0x2000, 5], &[], -9);
    let silent = LibraryCall {
        part: LibraryPart::Gone,
        operation: Some(OperationFacts { flags: 0x40, ..OperationFacts::default() }),
        ..read.clone()
    };
    let examples: Vec<Example<'_>> = vec![
        (
            vec![Event::Exit(&returned)],
            [
                &["0.000 ( 2.000 ms): seven/7 openat(dfd: CWD, filename: \"a\") = 3"],
                &["openat(AT_FDCWD, \"a\", O_RDONLY) = 3"],
                &["openat(AT_FDCWD, \"a\", O_RDONLY) = 3"],
            ],
        ),
        (
            vec![Event::Exit(&failed)],
            [
                &[
                    "0.000 ( 2.000 ms): seven/7 openat(dfd: CWD, filename: \"a\") = -1 ENOENT (No such file or directory)",
                ],
                &["openat(AT_FDCWD, \"a\", O_RDONLY) = -1 ENOENT (No such file or directory)"],
                &["openat(AT_FDCWD, \"a\", O_RDONLY) Err#2 ENOENT"],
            ],
        ),
        (
            vec![Event::Enter(&entered), Event::Exit(&other), Event::Exit(&returned)],
            [
                &[
                    "0.000 ( 0.001 ms): eight/8 getppid() = 1",
                    "0.000 ( 2.000 ms): seven/7 openat(dfd: CWD, filename: \"a\") = 3",
                ],
                &["openat(AT_FDCWD, \"a\", O_RDONLY <unfinished ...>", "getppid() = 1", "<... openat resumed>) = 3"],
                &["getppid() = 1", "openat(AT_FDCWD, \"a\", O_RDONLY) = 3"],
            ],
        ),
        (
            vec![Event::Exit(&gone), Event::Ending { tid: 7 }, exited(7, 2_000_000)],
            [
                &["0.000 ( ): seven/7 exit_group(error_code: 3) = ?"],
                &["exit_group(3) = ?", "+++ exited with 0 +++"],
                &["_exit(3)"],
            ],
        ),
        (
            vec![Event::Library(&malloc), Event::Library(&freed)],
            [
                &["0.000 ( 2.000 ms): seven/7 libc:malloc(size: 472) = 0x5000"],
                &["libc:malloc(472) = 0x5000"],
                &["-> libc:malloc(472)", "<- libc:malloc() = 0x00005000"],
            ],
        ),
        (
            vec![Event::Library(&malloc), Event::Exit(&other), Event::Library(&freed)],
            [
                &[
                    "1.000 ( 0.001 ms): eight/8 getppid() = 1",
                    "0.000 ( 2.000 ms): seven/7 libc:malloc(size: 472) = 0x5000",
                ],
                &["libc:malloc(472 <unfinished ...>", "getppid() = 1", "<... libc:malloc resumed>) = 0x5000"],
                &["-> libc:malloc(472)", "getppid() = 1", "<- libc:malloc() = 0x00005000"],
            ],
        ),
        (
            vec![Event::Library(&malloc), Event::Library(&left)],
            [
                &["0.000 ( ): seven/7 libc:malloc(size: 472) = ?"],
                &["libc:malloc(472) = ?"],
                &["-> libc:malloc(472)", "<- libc:malloc()\t(no return)"],
            ],
        ),
        (
            vec![Event::Library(&unseen)],
            [
                &["0.000 ( ): seven/7 libc:malloc(...) = 0x5000"],
                &["libc:malloc(...) = 0x5000"],
                &["<- libc:malloc() = 0x00005000"],
            ],
        ),
        (
            vec![Event::Library(&probe)],
            [&["0.000 ( ): seven/7 libc:malloc(size: 472)"], &["libc:malloc(472)"], &["-> libc:malloc(472)"]],
        ),
        (
            vec![Event::Library(&read)],
            [
                &["0.000 ( 0.002 ms): seven/7 io_uring:read(fd: 3, buf: 0x2000, len: 5, offset: 0) = 5"],
                &["io_uring:read(3, 0x2000, 5, 0) = 5 (submitted by io_uring_enter)"],
                &["io_uring:read(3, 0x00002000, 5, 0) = 5"],
            ],
        ),
        (
            vec![Event::Library(&wrong)],
            [
                &[
                    "0.000 ( 0.002 ms): seven/7 io_uring:read(fd: 3, buf: 0x2000, len: 5, offset: 0) = -1 EBADF (Bad file descriptor)",
                ],
                &["io_uring:read(3, 0x2000, 5, 0) = -EBADF (Bad file descriptor) (submitted by io_uring_enter)"],
                &["io_uring:read(3, 0x00002000, 5, 0) Err#9 EBADF"],
            ],
        ),
        (
            vec![Event::Library(&silent)],
            [
                &["0.000 ( ): seven/7 io_uring:read(fd: 3, buf: 0x2000, len: 5, offset: 0) = ?"],
                &[
                    "io_uring:read(3, 0x2000, 5, 0) = ? (IOSQE_CQE_SKIP_SUCCESS, no completion if it succeeds, submitted by io_uring_enter)",
                ],
                &["io_uring:read(3, 0x00002000, 5, 0)\t(no completion)"],
            ],
        ),
        (
            vec![Event::Signal { tid: 7, info: &info, ip: None, stack: None, at: 1 }],
            [
                &[],
                &["--- SIGTERM {si_signo=SIGTERM, si_code=SI_USER, si_pid=0, si_uid=0} ---"],
                &["Received signal #15, SIGTERM", "siginfo: {si_signo=SIGTERM, si_code=SI_USER, si_pid=0, si_uid=0}"],
            ],
        ),
        (vec![Event::Stopped { tid: 7, signal: 19, at: 1 }], [&[], &["--- stopped by SIGSTOP ---"], &[]]),
        (
            vec![Event::Killed { tid: 7, signal: 9, core: false, at: 1 }],
            [&[], &["+++ killed by SIGKILL +++"], &["\t*** process killed ***"]],
        ),
        (
            vec![Event::Superseded { tid: 7, old: 8, call: None, at: 1 }],
            [&[], &["+++ superseded by execve in pid 8 +++"], &[]],
        ),
        (
            vec![forked(1, 7, 7, 1), Event::Detached { tid: 7, call: Some(&entered), at: 2_000_000 }],
            [
                &["0.000 ( ): seven/7 openat(dfd: CWD, filename: \"a\") ..."],
                &["openat(AT_FDCWD, \"a\", O_RDONLY <detached ...>"],
                &["openat(AT_FDCWD, \"a\", O_RDONLY)\t(sleeping...)"],
            ],
        ),
        (
            vec![Event::Personality { tid: 7, abi: Abi::I386, at: 1 }],
            [&[], &["[ Process PID=7 runs in 32 bit mode. ]"], &[]],
        ),
        (
            vec![Event::Lost { tid: 7, count: 3, at: 1 }],
            [&["... 3 calls lost here"], &["... 3 calls lost here"], &["... 3 calls lost here"]],
        ),
        (
            vec![
                Event::NamingCall(&returned),
                Event::Named { tid: 7, name: [0; 16] },
                Event::NamespaceId { tid: 7, namespace: 1, id: 2 },
                Event::Stranger { tid: 9, fate: stride_event::Fate::Exited },
                Event::Idle,
            ],
            [&[], &[], &[]],
        ),
    ];
    let mut wrong = String::new();
    for (events, expected) in &examples {
        for (style, expected) in STYLES.iter().zip(expected) {
            let kinds: Vec<&str> = events.iter().map(kind).collect();
            let lines = lines(style, events);
            if lines != *expected {
                wrong += &format!("{style}: {kinds:?}\n  expected {expected:#?}\n  written {lines:#?}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let shown: BTreeSet<&str> = examples.iter().flat_map(|(events, _)| events).map(kind).collect();
    let missing: Vec<&&str> = KINDS.iter().filter(|kind| !shown.contains(**kind)).collect();
    assert!(missing.is_empty(), "no lines are expected of {missing:?}");
}

/// Functions that call one another are indented in the styles that have two lines for a call.
#[test]
fn functions_in_functions() {
    let outer = function(LibraryPart::Entered, 1_000_000, 1_000_000, 0);
    let inner = LibraryCall { depth: 1, ..function(LibraryPart::Entered, 2_000_000, 2_000_000, 0) };
    let inner_end = LibraryCall { depth: 1, ..function(LibraryPart::Returned, 2_000_000, 3_000_000, 1) };
    let outer_end = function(LibraryPart::Returned, 1_000_000, 5_000_000, 2);
    let events = [&outer, &inner, &inner_end, &outer_end].map(Event::Library);
    assert_eq!(
        lines("perf", &events),
        [
            "1.000 ( 1.000 ms): seven/7 libc:malloc(size: 472) = 0x1",
            "0.000 ( 4.000 ms): seven/7 libc:malloc(size: 472) = 0x2",
        ]
    );
    assert_eq!(lines("truss", &events).len(), 4);
}
