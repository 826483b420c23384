//! Numbers that get other files, in each way, by made-up calls. `cli/tests/reused_numbers.rs` does the same with real ones.

use super::*;
use stride_event::{Call, Descriptor, Event, Outcome, Tid};
use stride_syscalls::uapi::consts as c;
use stride_test_support::calls::{call, exited, forked, naming, operation, spawned};

const PID: Tid = 100;
const CHILD: Tid = 200;

struct Followed(Tracker);

impl Followed {
    fn new() -> Followed {
        let mut followed = Followed(Tracker::default());
        followed.event(spawned(PID, 0));
        followed
    }

    fn event(&mut self, event: Event<'_>) {
        self.0.event(&event, &());
    }

    fn call(&mut self, call: Call) {
        self.event(Event::Exit(&call));
    }

    fn does(&mut self, tid: Tid, name: &str, args: &[u64], value: i64) {
        self.call(call(tid, name, args, Outcome::Value(value)));
    }

    fn open(&mut self, tid: Tid, path: &str, fd: i64) {
        self.call(naming(call(tid, "open", &[0x1000, 0], Outcome::Value(fd)), 0x1000, path));
    }

    fn named(&self, of: FdOf) -> String {
        match self.0.referent(of) {
            Referent::Object(object) => String::from_utf8_lossy(self.0.name(object)).into_owned(),
            Referent::Nothing => "nothing".into(),
            Referent::Unknown => "unknown".into(),
        }
    }

    /// The referent of an argument of the latest call.
    fn given(&self, fd: i32) -> String {
        self.named(FdOf { tid: PID, fd, made: false })
    }

    /// The referent of a descriptor that the latest call made.
    fn made(&self, fd: i32) -> String {
        self.named(FdOf { tid: PID, fd, made: true })
    }

    /// The referent after another call.
    fn later(&mut self, tid: Tid, fd: i32) -> String {
        self.does(tid, "getppid", &[], 1);
        self.named(FdOf { tid, fd, made: false })
    }
}

#[test]
fn an_argument_is_the_file_from_before_and_a_result_the_one_from_after() {
    let mut s = Followed::new();
    s.open(PID, "/a", 3);
    assert_eq!((s.given(3), s.made(3)), ("/a".into(), "/a".into()));
    s.open(PID, "/b", 4);
    for dup in ["dup2", "dup3"] {
        s.open(PID, "/c", 5);
        s.does(PID, dup, &[4, 5], 5);
        assert_eq!((s.given(4), s.given(5), s.made(5)), ("/b".into(), "/c".into(), "/b".into()), "{dup}");
        assert_eq!(s.later(PID, 5), "/b", "{dup}");
    }
    s.does(PID, "dup2", &[3, 7], 7);
    assert_eq!((s.given(7), s.made(7)), ("nothing".into(), "/a".into()));
    s.does(PID, "dup2", &[3, 3], 3);
    assert_eq!((s.given(3), s.made(3)), ("/a".into(), "/a".into()));
    s.does(PID, "close", &[3], 0);
    assert_eq!((s.given(3), s.later(PID, 3)), ("/a".into(), "nothing".into()));
    s.call(call(PID, "open", &[0x1000, 0], Outcome::Error(2)));
    assert_eq!(s.later(PID, 3), "nothing");
    // Another thread's call in between has nothing to do with it.
    s.does(PID, "dup2", &[4, 7], 7);
    assert_eq!(s.named(FdOf { tid: CHILD, fd: 7, made: false }), "nothing");
}

/// The file behind a received descriptor is unknown, but it is no longer the file from before.
#[test]
fn copies_of_unknown_files_leave_nothing_behind() {
    let mut s = Followed::new();
    s.open(PID, "/a", 3);
    s.does(PID, "dup2", &[9, 3], 3);
    assert_eq!((s.given(3), s.made(3), s.later(PID, 3)), ("/a".into(), "nothing".into(), "nothing".into()));
    s.does(PID, "fcntl", &[9, c::F_DUPFD], 5);
    assert_eq!(s.later(PID, 5), "nothing");
    s.open(PID, "/a", 3);
    s.does(PID, "pidfd_open", &[PID as u64], 4);
    s.does(PID, "pidfd_getfd", &[4, 3], 6);
    assert_eq!((s.given(4), s.made(6)), ("pidfd".into(), "(pidfd_getfd)".into()));
    s.does(PID, "execve", &[], 0);
    assert_eq!((s.later(PID, 4), s.later(PID, 6), s.later(PID, 3)), ("nothing".into(), "nothing".into(), "/a".into()));
    // The engine has looked at it.
    let known = Descriptor { fd: 6, made: true, path: b"/b".to_vec(), ..Descriptor::default() };
    let got = call(PID, "pidfd_getfd", &[4, 3], Outcome::Value(6));
    s.call(Call { descriptors: vec![known], ..got });
    assert_eq!((s.made(6), s.later(PID, 6)), ("/b".into(), "/b".into()));
}

#[test]
fn ranges() {
    let mut s = Followed::new();
    for fd in 3..8 {
        s.open(PID, &format!("/{fd}"), fd);
    }
    s.does(PID, "close_range", &[3, 4, 0], 0);
    assert_eq!((s.later(PID, 4), s.later(PID, 5)), ("nothing".into(), "/5".into()));
    s.does(PID, "close_range", &[5, 5, c::CLOSE_RANGE_CLOEXEC], 0);
    assert_eq!(s.later(PID, 5), "/5");
    // The thread has a table of its own from here on, and the others keep theirs.
    s.event(forked(PID, PID + 1, PID, 1));
    s.does(PID, "clone", &[c::CLONE_FILES | c::CLONE_THREAD | c::CLONE_VM], (PID + 1).into());
    s.does(PID + 1, "close_range", &[6, 6, c::CLOSE_RANGE_UNSHARE], 0);
    assert_eq!(s.later(PID, 6), "/6");
    s.event(exited(PID + 1, 0));
    s.does(PID, "close_range", &[6, 6, c::CLOSE_RANGE_UNSHARE], 0);
    assert_eq!(s.later(PID, 6), "nothing");
    s.does(PID, "execve", &[], 0);
    assert_eq!((s.later(PID, 5), s.later(PID, 7)), ("nothing".into(), "/7".into()));
}

#[test]
fn children() {
    for (flags, own) in [(0, true), (c::CLONE_FILES, false), (c::CLONE_FILES | c::CLONE_VM | c::CLONE_VFORK, false)] {
        let mut s = Followed::new();
        s.open(PID, "/a", 3);
        s.event(forked(PID, CHILD, CHILD, 1));
        // The child runs before the clone(2) of its parent returns.
        s.does(CHILD, "close", &[3], 0);
        s.open(CHILD, "/b", 3);
        s.does(PID, "clone", &[flags], CHILD.into());
        assert_eq!((s.later(CHILD, 3).as_str(), s.later(PID, 3).as_str()), ("/b", if own { "/a" } else { "/b" }));
        s.does(CHILD, "close_range", &[3, 3, c::CLOSE_RANGE_UNSHARE], 0);
        s.open(CHILD, "/c", 3);
        assert_eq!((s.later(CHILD, 3).as_str(), s.later(PID, 3).as_str()), ("/c", if own { "/a" } else { "/b" }));
    }
}

#[test]
fn operations_of_io_uring() {
    let mut s = Followed::new();
    s.open(PID, "/a", 3);
    let close = operation(PID, "close", &[3], &[], 0);
    s.event(Event::Library(&close));
    assert_eq!((s.given(3), s.later(PID, 3)), ("/a".into(), "nothing".into()));
    let open = operation(PID, "openat", &[c::AT_FDCWD, 0x1000], &[(1, "/b")], 3);
    s.event(Event::Library(&open));
    assert_eq!((s.made(3), s.later(PID, 3)), ("/b".into(), "/b".into()));
}

/// With filters, only what the latest call tells is known.
#[test]
fn filtered_calls_tell_only_of_themselves() {
    let mut s = Followed(Tracker::partial(true));
    s.event(spawned(PID, 0));
    s.open(PID, "/a", 3);
    assert_eq!((s.made(3), s.later(PID, 3)), ("/a".into(), "unknown".into()));
    s.open(PID, "/b", 4);
    s.does(PID, "dup2", &[3, 4], 4);
    assert_eq!(s.given(4), "nothing", "it may have been closed meanwhile");
}
