//! Made-up children with copies of descriptors, and with their parent's.

use crate::{FileId, Seen, Tracker};
use stride_event::{Event, Outcome, Tid};
use stride_test_support::calls::{call, exited, forked, naming, spawned};

const PARENT: Tid = 100;
const CHILD: Tid = 200;
const O_CLOEXEC: u64 = 0o2000000;
const VFORK: u64 = 0x4111;
const FILES: u64 = 0x400;

struct Followed(Tracker);

impl Followed {
    fn new() -> Followed {
        let mut scene = Followed(Tracker::default());
        scene.event(spawned(PARENT, 0));
        scene
    }

    fn event(&mut self, event: Event<'_>) {
        self.0.event(&event, &());
    }

    fn does(&mut self, tid: Tid, name: &str, args: &[u64], value: i64) -> Seen {
        let call = naming(call(tid, name, args, Outcome::Value(value)), 0x1000, "/file");
        self.event(Event::Exit(&call));
        *self.0.seen().unwrap()
    }

    fn open(&mut self, tid: Tid, flags: u64, fd: i64) -> FileId {
        self.does(tid, "open", &[0x1000, flags], fd).made.unwrap().1
    }

    fn child(&mut self) {
        self.event(forked(PARENT, CHILD, CHILD, 1));
    }

    fn returns(&mut self, flags: u64) {
        self.does(PARENT, "clone", &[flags], CHILD.into());
    }

    /// The answer is what has gone with it.
    fn ends(&mut self, tid: Tid) -> Vec<FileId> {
        self.event(exited(tid, 9));
        self.event(Event::Idle);
        self.0.gone_files().to_vec()
    }

    fn held(&self, pid: Tid) -> Vec<FileId> {
        self.0.held_files(pid)
    }

    fn holds(&self, pid: Tid, fd: i64) -> bool {
        self.0.open_file(pid, fd as i32).is_some()
    }
}

#[test]
fn a_child_that_execs_has_what_the_parent_closes() {
    let mut s = Followed::new();
    // subprocess.run(stdin=DEVNULL): a child in vfork(2) makes it its standard input and runs a program.
    let null = s.open(PARENT, O_CLOEXEC, 3);
    s.child();
    s.does(CHILD, "dup2", &[3, 0], 0);
    s.does(CHILD, "execve", &[0x1000, 0, 0], 0);
    s.returns(VFORK);
    assert_eq!(s.held(CHILD), [null], "its third went with the execve");
    assert_eq!(s.does(PARENT, "close", &[3], 0).ended, None, "the child has it");
    assert_eq!(s.held(PARENT), []);
    assert_eq!(s.ends(CHILD), [null]);
}

#[test]
fn what_ends_without_a_close() {
    let mut s = Followed::new();
    let (kept, cloexec, marked, ioctl) =
        (s.open(PARENT, 0, 3), s.open(PARENT, O_CLOEXEC, 4), s.open(PARENT, 0, 5), s.open(PARENT, 0, 6));
    s.does(PARENT, "close_range", &[5, 5, 4], 0);
    s.does(PARENT, "ioctl", &[6, 0x5451], 0);
    // Onto itself: nothing is closed, and it is still to be closed by an execve.
    s.does(PARENT, "dup2", &[4, 4], 4);
    s.does(PARENT, "execve", &[0x1000, 0, 0], 0);
    assert_eq!(s.0.gone_files(), [cloexec, marked, ioctl]);
    assert_eq!(s.held(PARENT), [kept]);
    let over = s.open(PARENT, 0, 3);
    assert_eq!(s.0.gone_files(), [kept], "its close was not seen");
    let last = s.open(PARENT, 0, 7);
    s.does(PARENT, "close_range", &[7, 9, 0], 0);
    assert_eq!(s.0.gone_files(), [last]);
    assert_eq!(s.ends(PARENT), [over]);
}

#[test]
fn one_table_for_two_processes() {
    for (execs, returns_late) in [(false, false), (false, true), (true, true)] {
        let mut s = Followed::new();
        let file = s.open(PARENT, 0, 3);
        s.child();
        if !returns_late {
            s.returns(FILES);
        }
        let other = s.open(CHILD, O_CLOEXEC, 4);
        s.does(CHILD, "close", &[3], 0);
        if execs {
            s.does(CHILD, "execve", &[0x1000, 0, 0], 0);
            assert_eq!(s.held(CHILD), []);
        }
        let gone = if execs { Vec::new() } else { s.ends(CHILD) };
        assert_eq!(gone, [], "the parent may have it");
        if returns_late {
            s.returns(FILES);
            assert_eq!(s.0.gone_files(), [file]);
        }
        assert_eq!(s.held(PARENT), [other], "{execs} {returns_late}");
    }
}

#[test]
fn one_table_until_it_is_unshared() {
    let mut s = Followed::new();
    let file = s.open(PARENT, 0, 3);
    s.child();
    s.returns(FILES);
    assert_eq!(s.held(PARENT), [], "the child may close it");
    s.does(CHILD, "unshare", &[FILES], 0);
    s.does(CHILD, "close", &[3], 0);
    assert_eq!((s.held(PARENT), s.held(CHILD)), (vec![file], vec![]));
}

#[test]
fn a_fork_has_a_copy() {
    let mut s = Followed::new();
    let file = s.open(PARENT, 0, 3);
    s.child();
    assert_eq!(s.does(CHILD, "close", &[3], 0).ended, None);
    let own = s.open(CHILD, 0, 4);
    s.returns(17);
    assert_eq!((s.held(PARENT), s.held(CHILD)), (vec![file], vec![own]));
    // The parent dies in the next one.
    s.event(forked(PARENT, 300, 300, 1));
    s.does(300, "close", &[3], 0);
    assert_eq!(s.ends(PARENT), [file]);
    assert_eq!(s.does(CHILD, "close", &[4], 0).ended, Some(own));
}

/// With a look at each descriptor, this would take many minutes.
#[test]
fn what_is_left_open_costs_nothing() {
    const MANY: i64 = 1 << 19;
    let mut s = Followed::new();
    let file = s.open(PARENT, 0, 3);
    (4..MANY).for_each(|fd| _ = s.does(PARENT, "dup2", &[3, fd as u64], fd));
    assert_eq!(s.held(PARENT).len() as i64, MANY - 3);
    for _ in 0..20_000 {
        let cloexec = s.does(PARENT, "fcntl", &[3, 1030, 0], MANY).made.unwrap();
        s.does(PARENT, "execve", &[0x1000, 0, 0], 0);
        assert_eq!((cloexec.1, s.holds(PARENT, MANY)), (file, false));
        s.does(PARENT, "dup2", &[3, MANY as u64], MANY);
        s.does(PARENT, "close_range", &[MANY as u64, u32::MAX.into(), 0], 0);
        assert!(!s.holds(PARENT, MANY));
        s.does(PARENT, "close_range", &[MANY as u64, u32::MAX.into(), 4], 0);
    }
}

/// A child is a few bytes of a recording, and a copy of its parent's descriptors takes its time.
#[test]
fn copies_for_very_many_children_are_bounded() {
    let mut s = Followed::new();
    let file = s.open(PARENT, 0, 3);
    (4..10_000).for_each(|fd| _ = s.does(PARENT, "dup2", &[3, fd as u64], fd));
    let mut with = 0;
    for _ in 0..2_000 {
        s.child();
        with += u64::from(s.held(CHILD).contains(&file));
        s.ends(CHILD);
    }
    assert!((100..1000).contains(&with), "{with}");
    // Real work goes on: who opens files may hand them on.
    (0..500).for_each(|_| _ = s.open(PARENT, 0, 3));
    s.does(PARENT, "close_range", &[4, u32::MAX.into(), 0], 0);
    s.child();
    assert_eq!(s.held(CHILD), s.held(PARENT));
}
