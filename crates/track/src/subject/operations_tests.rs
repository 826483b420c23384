//! Made-up operations among made-up calls.

use crate::{ObjectId, Seen, Tracker};
use stride_decode::{FdInfo, Resolver};
use stride_event::{Descriptor, Event, FdOf, LibraryCall, OperationFacts, Outcome, Tid};
use stride_syscalls::uapi::consts as c;
use stride_test_support::calls::{attached, call, operation};

const PID: Tid = 100;
const CWD: u64 = c::AT_FDCWD;

struct Followed(Tracker);

struct Home;

impl Resolver for Home {
    fn fd(&self, FdOf { fd, .. }: FdOf, _: Option<&Descriptor>) -> Option<FdInfo> {
        (fd == CWD as i32).then(|| FdInfo { path: b"/home".to_vec(), ..FdInfo::default() })
    }
}

impl Followed {
    fn new() -> Followed {
        let mut tracker = Tracker::default();
        tracker.event(&attached(PID, 0), &Home);
        Followed(tracker)
    }

    fn end(&mut self, call: &LibraryCall) -> Seen {
        self.0.event(&Event::Library(call), &Home);
        *self.0.seen().unwrap()
    }

    fn does(&mut self, name: &str, words: &[u64], texts: &[(u8, &str)], result: i32) -> Seen {
        self.end(&operation(PID, name, words, texts, result))
    }

    fn named(&self, object: Option<ObjectId>) -> String {
        object.map_or("?".into(), |object| String::from_utf8_lossy(self.0.name(object)).into_owned())
    }

    /// The source that a system call reads from.
    fn read(&mut self, fd: u64) -> String {
        self.0.event(&Event::Exit(&call(PID, "read", &[fd, 0x1000, 10], Outcome::Value(10))), &Home);
        let object = self.0.seen().unwrap().object;
        self.named(object)
    }
}

#[test]
fn files_are_opened_read_and_closed() {
    let mut s = Followed::new();
    let opened = s.does("openat", &[CWD, 0x1000], &[(1, "data/file")], 3);
    assert_eq!(s.named(opened.path), "/home/data/file");
    assert_eq!(opened.made.map(|made| made.0), Some(3));
    let read = s.does("read", &[3, 0x1000, 100, 0], &[], 7);
    assert_eq!((s.named(read.object), read.fd), ("/home/data/file".into(), Some(3)));
    assert_eq!((read.bytes, read.asked, read.pid), (Some(7), Some(100), PID));
    assert_eq!(s.read(3), "/home/data/file", "a system call uses the same descriptor");
    let below = s.does("unlinkat", &[3, 0x1000], &[(1, "x")], -(c::ENOTDIR as i32));
    assert_eq!(s.named(below.path), "/home/data/file/x");
    let moved = s.does("renameat", &[CWD, 0x1000, CWD, 0x2000], &[(1, "a"), (3, "/b")], 0);
    assert_eq!((s.named(moved.path), s.named(moved.other_path)), ("/home/a".into(), "/b".into()));
    let failed = s.does("close", &[3], &[], -(c::EBADF as i32));
    assert_eq!((failed.fd, s.0.gone_files()), (Some(3), &[][..]));
    s.does("close", &[3], &[], 0);
    assert_eq!(s.0.gone_files(), [read.file.unwrap()]);
    assert_eq!(s.read(3), "?");
}

#[test]
fn sockets_get_the_names_that_calls_give_them() {
    let mut s = Followed::new();
    s.does("socket", &[c::AF_INET, c::SOCK_STREAM], &[], 4);
    assert_eq!(s.read(4), "TCP socket");
    s.does("accept", &[4], &[], 5);
    assert_eq!(s.read(5), "TCP socket ← clients");
}

/// The ring has a table of files of its own, whose places are no descriptors.
#[test]
fn places_in_the_table_are_no_descriptors() {
    let mut s = Followed::new();
    s.does("openat", &[CWD, 0x1000], &[(1, "file")], 3);
    // file_index: the file goes into the table.
    let direct = s.does("openat", &[CWD, 0x1000, 0, 0, 4], &[(1, "other")], 0);
    assert_eq!((direct.made, s.named(direct.path)), (None, "/home/other".into()));
    let closed = s.does("close", &[0, 4], &[], 0);
    assert_eq!((closed.fd, s.0.gone_files()), (None, &[][..]));
    let facts = OperationFacts { flags: c::IOSQE_FIXED_FILE as u8, ..OperationFacts::default() };
    let read = operation(PID, "read", &[3, 0x1000, 100, 0], &[], 7);
    let read = s.end(&LibraryCall { operation: Some(facts), ..read });
    assert_eq!((read.fd, read.object, read.bytes), (None, None, Some(7)));
    assert_eq!(s.read(3), "/home/file");
}

/// Only a part of a long path was captured, and a directory is not what the operation is about.
#[test]
fn a_path_that_was_cut_is_unknown() {
    let mut s = Followed::new();
    let mut open = operation(PID, "openat", &[CWD, 0x1000], &[(1, "/long")], 3);
    open.texts[0].cut = true;
    let open = s.end(&open);
    assert_eq!((open.path, open.object), (None, None));
    assert_eq!(s.read(3), "(io_uring:openat)");
}
