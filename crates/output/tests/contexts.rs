//! SELinux contexts in the text of a trace (`--secontext`).

use stride_decode::{Labelled, Options, Resolver};
use stride_event::{Call, Event, Outcome, Tid};
use stride_output::{Layout, Show, Sink, TextView};
use stride_test_support::calls::{call, naming};
use stride_test_support::written::Disk;

const AT_FDCWD: u64 = -100i64 as u64;
const PATH: u64 = 0x1000;

/// The file `there` exists in the directory of descriptor 5, and in the working directory, where it is labelled
/// otherwise.
struct Labels;

impl Resolver for Labels {
    fn context(&self, tid: Tid, of: Labelled<'_>) -> Option<Vec<u8>> {
        let context: &[u8] = match of {
            Labelled::Thread if tid == 7 => b"kernel_t",
            Labelled::Thread => return None,
            Labelled::Fd(3) => b"passwd_file_t",
            Labelled::Fd(5) => b"dir_t",
            Labelled::Path { dir: -100, path: b"there" } => b"passwd_file_t",
            Labelled::Path { dir: 5, path: b"there" } => b"hostile\x1b]_t\n",
            _ => return None,
        };
        Some(context.to_vec())
    }
}

fn text(contexts: bool, events: &[Event<'_>]) -> String {
    let disk = Disk::default();
    let sink = Sink::new("trace", Box::new(disk.clone()), false);
    let options = Options { contexts, ..Options::default() };
    let layout = Layout { column: 0, ..Layout::default() };
    let mut view = TextView::new(layout, options, Box::new(Labels), 0, Show::default(), sink);
    events.iter().for_each(|event| view.event(event));
    view.flush();
    drop(view);
    let text = disk.bytes();
    String::from_utf8(text).unwrap()
}

fn opened(tid: Tid, dir: u64, path: &str, outcome: Outcome) -> Call {
    naming(call(tid, "openat", &[dir, PATH, 0, 0], outcome), PATH, path)
}

#[test]
fn threads_descriptors_and_paths_have_contexts() {
    let calls = [
        opened(7, AT_FDCWD, "there", Outcome::Value(3)),
        opened(7, 5, "there", Outcome::Value(4)),
        opened(7, 5, "gone", Outcome::Error(2)),
        opened(8, AT_FDCWD, "gone", Outcome::Error(2)),
        call(7, "dup", &[3], Outcome::Value(6)),
    ];
    let mut events: Vec<_> = calls.iter().map(Event::Exit).collect();
    events.push(Event::Stopped { tid: 7, signal: 19, at: 0 });
    let expected = [
        r#"[kernel_t] openat(AT_FDCWD, "there" [passwd_file_t], O_RDONLY) = 3 [passwd_file_t]"#,
        r#"[kernel_t] openat(5 [dir_t], "there" [hostile\33]_t\n], O_RDONLY) = 4"#,
        r#"[kernel_t] openat(5 [dir_t], "gone", O_RDONLY) = -1 ENOENT (No such file or directory)"#,
        r#"openat(AT_FDCWD, "gone", O_RDONLY) = -1 ENOENT (No such file or directory)"#,
        r"[kernel_t] dup(3 [passwd_file_t]) = 6",
        r"[kernel_t] --- stopped by SIGSTOP ---",
    ];
    assert_eq!(text(true, &events).lines().collect::<Vec<_>>(), expected);
    assert!(!text(false, &events).contains('['));
}

#[test]
fn a_resumed_call_has_the_contexts_of_both_moments() {
    let entered = opened(7, AT_FDCWD, "there", Outcome::Pending);
    let other = call(8, "getpid", &[], Outcome::Value(8));
    let returned = opened(7, AT_FDCWD, "there", Outcome::Value(3));
    let text = text(true, &[Event::Enter(&entered), Event::Exit(&other), Event::Exit(&returned)]);
    let expected = [
        r#"[kernel_t] openat(AT_FDCWD, "there" [passwd_file_t], O_RDONLY <unfinished ...>"#,
        "getpid() = 8",
        "[kernel_t] <... openat resumed>) = 3 [passwd_file_t]",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}
