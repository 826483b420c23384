//! Made-up calls.

use super::*;
use crate::subject::arguments::PATH_MAX;
use crate::waits::MAX_WATCHERS;
use stride_decode::FdInfo;
use stride_event::{Descriptor, FdOf, Phase, StartKind};
use stride_syscalls::Abi;
use stride_syscalls::uapi::consts::O_CLOEXEC;
use stride_test_support::calls::{attached, call, call_of, exited, forked, holding, naming};

const PID: Tid = 100;

struct Followed {
    tracker: Tracker,
    resolver: Before,
}

/// The files that were open before.
struct Before;

impl Resolver for Before {
    fn fd(&self, FdOf { fd, .. }: FdOf, known: Option<&Descriptor>) -> Option<FdInfo> {
        assert!(known.is_none());
        let path = match fd {
            AT_FDCWD => &b"/home"[..],
            0 => b"/dev/null",
            900 => b"/var/log/late",
            _ => return None,
        };
        Some(FdInfo { path: path.to_vec(), ..FdInfo::default() })
    }

    fn comm(&self, _: Tid) -> Option<Vec<u8>> {
        Some(b"first".to_vec())
    }
}

impl Followed {
    fn new() -> Followed {
        let mut s = Followed { tracker: Tracker::default(), resolver: Before };
        s.event(attached(PID, 0));
        s
    }

    /// Paths that nothing refers to are known while their calls are the latest event.
    fn passing() -> Followed {
        let mut s = Followed { tracker: Tracker::default().passing_paths(true), resolver: Before };
        s.event(attached(PID, 0));
        s
    }

    fn event(&mut self, event: Event<'_>) {
        self.tracker.event(&event, &self.resolver);
    }

    fn fork(&mut self, parent: Tid, tid: Tid, process: Tid) {
        self.event(forked(parent, tid, process, 1));
    }

    fn call(&mut self, call: Call) -> Seen {
        self.event(Event::Exit(&call));
        *self.tracker.seen().unwrap()
    }

    fn does(&mut self, tid: Tid, name: &str, args: &[u64], value: i64) -> Seen {
        self.call(call(tid, name, args, Outcome::Value(value)))
    }

    fn open(&mut self, tid: Tid, dir: i32, path: &str, flags: u64, fd: i64) -> Seen {
        let open = call(tid, "openat", &[dir as u32 as u64, 0x1000, flags], Outcome::Value(fd));
        self.call(naming(open, 0x1000, path))
    }

    /// A call of a 32-bit program.
    fn does_32(&mut self, name: &str, args: &[u64], value: i64) -> Seen {
        self.call(call_of(Abi::I386, PID, name, args, Outcome::Value(value)))
    }

    /// The object that a read from a descriptor is about.
    fn read(&mut self, tid: Tid, fd: i32) -> String {
        let seen = self.does(tid, "read", &[fd as u64, 0x2000, 100], 7);
        assert_eq!((seen.bytes, seen.asked, seen.fd), (Some(7), Some(100), Some(fd)));
        self.named(seen.subject())
    }

    fn named(&self, object: Option<ObjectId>) -> String {
        object.map_or("?".into(), |object| String::from_utf8_lossy(self.tracker.name(object)).into_owned())
    }
}

#[test]
fn parts_that_lead_nowhere_are_left_out() {
    let mut s = Followed::new();
    for (path, whole) in [
        (".", "/home"),
        ("a/.", "/home/a"),
        ("a/./b", "/home/a/b"),
        (".hidden/..x", "/home/.hidden/..x"),
        ("/a//b", "/a/b"),
        ("/a/.b", "/a/.b"),
        ("/.", "/"),
    ] {
        let seen = s.open(PID, AT_FDCWD, path, 0, -1);
        assert_eq!(s.named(seen.path), whole, "{path}");
    }
}

#[test]
fn paths_begin_where_the_row_says() {
    let mut s = Followed::new();
    s.open(PID, AT_FDCWD, "/srv/data", 0, 5);
    let mark = call(PID, "fanotify_mark", &[9, 1, 2, 5, 0x1000], Outcome::Value(0));
    let seen = s.call(naming(mark, 0x1000, "in"));
    assert_eq!(s.named(seen.path), "/srv/data/in");
    // The name of a message queue has nothing to do with the working directory.
    let queue = call(PID, "mq_open", &[0x1000, 0], Outcome::Value(6));
    let seen = s.call(naming(queue, 0x1000, "jobs"));
    assert_eq!((s.named(seen.path), s.read(PID, 6)), ("/jobs".into(), "/jobs".into()));
    let seen = s.call(naming(call(PID, "mq_unlink", &[0x1000], Outcome::Value(0)), 0x1000, "jobs"));
    assert_eq!(s.named(seen.path), "/jobs");
}

/// A shell gives a program the output of another one as /dev/fd/63.
#[test]
fn a_path_may_name_a_descriptor() {
    let mut s = Followed::new();
    let pipe = call(PID, "pipe2", &[0x1000, 0], Outcome::Value(0));
    let ends: Vec<u8> = [3, 63].into_iter().flat_map(i32::to_ne_bytes).collect();
    s.call(holding(pipe, Phase::Exit, 0x1000, &ends));
    let pipe = s.read(PID, 63);
    for (fd, path) in (10..).zip(["/dev/fd/63", "/proc/self/fd/63"]) {
        s.open(PID, AT_FDCWD, path, 0, fd);
        assert_eq!(s.read(PID, fd as i32), pipe, "{path}");
    }
    // A file has its own path, and the descriptor may not be known.
    s.open(PID, AT_FDCWD, "/srv/data", 0, 5);
    for (fd, path) in (20..).zip(["/dev/fd/5", "/dev/fd/77", "/dev/fd/x"]) {
        s.open(PID, AT_FDCWD, path, 0, fd);
        assert_eq!(s.read(PID, fd as i32), path);
    }
}

#[test]
fn descriptors_are_followed() {
    let mut s = Followed::new();
    assert_eq!(s.read(PID, 0), "/dev/null", "it was there before");
    assert_eq!(s.read(PID, 900), "/var/log/late");
    let seen = s.open(PID, AT_FDCWD, "./a//b", 0, 3);
    assert_eq!(s.named(seen.path), "/home/a/b");
    assert_eq!(s.read(PID, 3), "/home/a/b");
    s.open(PID, 3, "c", 0, 4);
    assert_eq!(s.read(PID, 4), "/home/a/b/c");
    for (path, whole) in
        [("..", "/home/a"), ("../../x", "/home/x"), ("../..", "/home"), ("../../../..", "/"), ("..x", "/home/a/b/..x")]
    {
        let seen = s.open(PID, 3, path, 0, -1);
        assert_eq!(s.named(seen.path), whole, "{path}");
    }
    let first = s.does(PID, "dup", &[4], 5).made.unwrap();
    let read = s.does(PID, "read", &[5, 0, 0], 0);
    assert_eq!(read.file, Some(first.1), "one description, two numbers");
    let closed = s.does(PID, "close", &[4], 0);
    assert_eq!(closed.ended, None, "another number stands for it");
    assert_eq!(s.read(PID, 4), "?");
    assert_eq!(s.read(PID, 5), "/home/a/b/c");
    s.open(PID, 3, "d", 0, 6);
    let over = s.does(PID, "dup2", &[6, 5], 5);
    assert_eq!(over.ended, Some(first.1));
    s.does(PID, "close", &[6], 0);
    assert_eq!(s.does(PID, "close", &[5], 0).ended, over.made.map(|made| made.1));
    s.open(PID, 3, "c", 0, 5);
    s.does(PID, "close_range", &[4, 9, 0], 0);
    assert_eq!(s.read(PID, 5), "?");
    s.does(PID, "epoll_create1", &[0], 4);
    assert_eq!(s.read(PID, 4), "epoll");
}

#[test]
fn an_empty_path_is_the_open_file() {
    let mut s = Followed::new();
    let file = s.open(PID, AT_FDCWD, "/x", 0, 3).made.unwrap().1;
    let fstat = |fd: i32, flags| call(PID, "newfstatat", &[fd as u32 as u64, 0x1000, 0x2000, flags], Outcome::Value(0));
    const AT_EMPTY_PATH: u64 = 0x1000;
    let seen = s.call(naming(fstat(3, AT_EMPTY_PATH), 0x1000, ""));
    assert_eq!((seen.file, s.named(seen.subject()).as_str(), seen.path), (Some(file), "/x", None));
    let seen = s.call(naming(fstat(AT_FDCWD, AT_EMPTY_PATH), 0x1000, ""));
    assert_eq!(seen.file, None, "the working directory");
    let seen = s.call(naming(fstat(3, 0), 0x1000, "below"));
    assert_eq!((seen.file, s.named(seen.path).as_str()), (None, "/x/below"));
    // Its path was not captured.
    assert_eq!(s.call(fstat(3, 0)).file, None);
}

#[test]
fn what_failed_changes_nothing() {
    let mut s = Followed::new();
    s.open(PID, AT_FDCWD, "/x", 0, 3);
    let seen = s.call(call(PID, "close", &[3], Outcome::Error(4)));
    assert_eq!(s.named(seen.object), "/x");
    assert_eq!(s.read(PID, 3), "/x");
    let seen = s.call(call(PID, "read", &[3, 0, 10], Outcome::Error(11)));
    assert_eq!((seen.bytes, seen.asked), (None, Some(10)));
}

#[test]
fn processes_have_their_own_and_threads_share() {
    let mut s = Followed::new();
    s.open(PID, AT_FDCWD, "/kept", 0, 3);
    s.open(PID, AT_FDCWD, "/gone", O_CLOEXEC, 4);
    s.fork(PID, 101, PID);
    s.fork(PID, 200, 200);
    s.open(101, AT_FDCWD, "/thread", 0, 5);
    assert_eq!((s.read(PID, 5), s.read(200, 5)), ("/thread".into(), "?".into()));
    assert_eq!((s.read(200, 3), s.read(200, 4)), ("/kept".into(), "/gone".into()));
    // char *argv[] = {"prog", "x", NULL};
    let argv: Vec<u8> = [0x4000u64, 0x5000, 0].iter().flat_map(|p| p.to_le_bytes()).collect();
    let mut exec = call(200, "execve", &[0x1000, 0x3000], Outcome::Value(0));
    for (at, bytes) in
        [(0x1000, &b"bin/a_program_with_a_name\0"[..]), (0x3000, &argv), (0x4000, b"prog\0"), (0x5000, b"x\0")]
    {
        exec = holding(exec, Phase::Entry, at, bytes);
    }
    s.call(exec);
    let process = s.tracker.process(200).unwrap();
    assert_eq!((process.comm.as_slice(), process.parent), (&b"a_program_with_"[..], Some(PID)));
    assert_eq!(**process.command, [b"prog".to_vec(), b"x".to_vec()]);
    assert_eq!(s.named(process.program), "/home/bin/a_program_with_a_name");
    assert_eq!((s.read(200, 3), s.read(200, 4)), ("/kept".into(), "?".into()));
    assert_eq!(s.read(PID, 4), "/gone");
    let name = call(101, "prctl", &[15, 0x6000], Outcome::Value(0));
    s.call(holding(name, Phase::Entry, 0x6000, b"worker\0"));
    assert_eq!(s.tracker.thread(101).unwrap().comm, b"worker");
    assert_eq!(s.tracker.process(PID).unwrap().comm, b"first");
    assert_eq!(s.tracker.process(PID).unwrap().threads, 2);
    // The end of a thread may be asked about; then it is forgotten.
    s.event(Event::Exited { tid: 200, status: 0, at: 5 });
    assert!(s.tracker.process(200).is_some());
    s.event(Event::Idle);
    assert!(s.tracker.process(200).is_none() && s.tracker.thread(200).is_none());
}

#[test]
fn another_threads_execve() {
    let mut s = Followed::new();
    s.fork(PID, 101, PID);
    s.event(Event::Superseded { tid: PID, old: 101, call: None, at: 3 });
    assert!(s.tracker.thread(101).is_none());
    assert_eq!(s.tracker.process(PID).unwrap().threads, 1);
}

#[test]
fn sockets_have_ends() {
    let inet = |port: u16| [&[2, 0][..], &port.to_be_bytes(), &[127, 0, 0, 1], &[0; 8]].concat();
    let mut s = Followed::new();
    s.does(PID, "socket", &[2, 1 | O_CLOEXEC, 0], 3);
    assert_eq!(s.read(PID, 3), "TCP socket");
    let connect = call(PID, "connect", &[3, 0x1000, 16], Outcome::Value(0));
    let seen = s.call(holding(connect, Phase::Entry, 0x1000, &inet(80)));
    assert_eq!(s.named(seen.object), "TCP → 127.0.0.1:80");
    // One that does not wait has begun.
    let connect = call(PID, "connect", &[3, 0x1000, 16], Outcome::Error(115));
    s.call(holding(connect, Phase::Entry, 0x1000, &inet(80)));
    assert_eq!(s.read(PID, 3), "TCP → 127.0.0.1:80");
    // One that fails is about the peer that it should have had. A socket that has a peer keeps it.
    s.does(PID, "socket", &[2, 1, 0], 9);
    let refused = call(PID, "connect", &[9, 0x1000, 16], Outcome::Error(111));
    let seen = s.call(holding(refused, Phase::Entry, 0x1000, &inet(81)));
    assert_eq!(s.named(seen.object), "TCP → 127.0.0.1:81");
    for (port, outcome, peer) in [
        (82, Outcome::Error(110), 82),
        (83, Outcome::Error(22), 82),
        (84, Outcome::Value(0), 84),
        (85, Outcome::Error(111), 84),
    ] {
        let again = call(PID, "connect", &[9, 0x1000, 16], outcome);
        let seen = s.call(holding(again, Phase::Entry, 0x1000, &inet(port)));
        assert_eq!(s.named(seen.object), format!("TCP → 127.0.0.1:{peer}"));
    }
    let connected = call(PID, "connect", &[3, 0x1000, 16], Outcome::Error(106));
    let seen = s.call(holding(connected, Phase::Entry, 0x1000, &inet(81)));
    assert_eq!(s.named(seen.object), "TCP → 127.0.0.1:80");
    let no_socket = call(PID, "connect", &[0, 0x1000, 16], Outcome::Error(88));
    let seen = s.call(holding(no_socket, Phase::Entry, 0x1000, &inet(81)));
    assert!(seen.object.is_none_or(|object| s.tracker.peer(object).is_none()));
    s.does(PID, "socket", &[2, 1, 0], 4);
    let bind = call(PID, "bind", &[4, 0x1000, 16], Outcome::Value(0));
    s.call(holding(bind, Phase::Entry, 0x1000, &inet(6379)));
    for (fd, port) in [(5, 40_000), (6, 40_001)] {
        let accept = call(PID, "accept4", &[4, 0x1000, 0x2000], Outcome::Value(fd));
        let accept = holding(accept, Phase::Exit, 0x1000, &inet(port));
        let seen = s.call(accept);
        assert_eq!(s.named(seen.object), "TCP 127.0.0.1:6379");
        assert_eq!(s.read(PID, fd as i32), format!("TCP 127.0.0.1:6379 ← 127.0.0.1:{port}"));
        let group = s.tracker.group(seen.made.unwrap().2);
        assert_eq!(s.named(Some(group)), "TCP 127.0.0.1:6379 ← clients");
    }
    let pair = call(PID, "pipe2", &[0x1000], Outcome::Value(0));
    s.call(holding(pair, Phase::Exit, 0x1000, &[7, 0, 0, 0, 8, 0, 0, 0]));
    assert_eq!((s.read(PID, 7), s.read(PID, 8)), ("pipe".into(), "pipe".into()));
}

#[test]
fn what_has_no_name_is_told_apart() {
    let mut s = Followed::new();
    let pipe = |fds: [u8; 2]| {
        let pair = call(PID, "pipe2", &[0x1000], Outcome::Value(0));
        holding(pair, Phase::Exit, 0x1000, &[fds[0], 0, 0, 0, fds[1], 0, 0, 0])
    };
    s.call(pipe([4, 5]));
    s.call(pipe([6, 7]));
    s.does(PID, "dup2", &[5, 20], 20);
    let of = |s: &Followed, fd| s.tracker.open_file(PID, fd).unwrap().1;
    assert!(of(&s, 4) == of(&s, 5) && of(&s, 5) == of(&s, 20), "one pipe");
    assert_ne!(of(&s, 4), of(&s, 6));
    let (first, other) = (of(&s, 4), of(&s, 6));
    assert_eq!(s.tracker.group(first), s.tracker.group(other), "views show them as one");
    assert_eq!(s.tracker.found_at(other), Some(FoundAt { pid: PID, fd: 6, other: Some(7) }));
    for (call, args) in [
        ("eventfd2", &[0u64, 0][..]),
        ("epoll_create1", &[0]),
        ("memfd_create", &[0x1000, 0]),
        ("timerfd_create", &[0, 0]),
        ("socket", &[1, 1, 0]),
    ] {
        let objects = [30, 31].map(|fd| s.does(PID, call, args, fd).made.unwrap().2);
        assert_ne!(objects[0], objects[1], "{call}");
        assert_eq!(s.tracker.class_of(objects[0]), s.tracker.class_of(objects[1]), "{call}");
    }
    // Too many to be told apart.
    for _ in 0..70_000 {
        s.call(pipe([4, 5]));
    }
    let (many, sort) = (of(&s, 4), s.tracker.group(first));
    assert!(many == sort && s.tracker.is_class(many) && s.tracker.found_at(many).is_none());
    assert_eq!(s.read(PID, 4), "pipe");
}

/// The engine says what descriptors refer to (`-y`), and so does /proc about older ones.
#[test]
fn what_has_no_name_and_is_looked_up() {
    let mut s = Followed::new();
    let pair = call(PID, "pipe2", &[0x1000], Outcome::Value(0));
    s.call(holding(pair, Phase::Exit, 0x1000, &[4, 0, 0, 0, 5, 0, 0, 0]));
    let mut read = |fd: i32, path: &str| {
        let mut read = call(PID, "read", &[fd as u64], Outcome::Value(0));
        read.descriptors.push(Descriptor { fd, path: path.into(), ..Descriptor::default() });
        let seen = s.call(read);
        (seen.file.unwrap(), seen.object.unwrap())
    };
    let (end, pipe) = read(4, "pipe:[17]");
    let (other_end, same) = read(5, "pipe:[17]");
    assert_eq!(pipe, same);
    assert_ne!(read(9, "pipe:[18]").1, pipe);
    let (epoll, other) = (read(10, "anon_inode:[eventpoll]"), read(11, "anon_inode:[eventpoll]"));
    assert_ne!(epoll, other);
    assert_eq!(epoll, read(10, "anon_inode:[eventpoll]"), "still the same one");
    assert_eq!(s.tracker.other_end(end), Some(other_end));
    assert_eq!(s.named(Some(epoll.1)), "epoll");
}

#[test]
fn the_engines_word_goes_first() {
    let mut s = Followed::new();
    s.open(PID, AT_FDCWD, "/old", 0, 3);
    let mut read = call(PID, "read", &[3], Outcome::Value(0));
    read.descriptors.push(Descriptor { fd: 3, path: b"/new".to_vec(), ..Descriptor::default() });
    let seen = s.call(read);
    assert_eq!(s.named(seen.object), "/new");
}

#[test]
fn nobody_takes_all_memory() {
    let mut s = Followed::new();
    s.does(PID, "dup2", &[0, i32::MAX as u64], i64::from(i32::MAX));
    s.does(PID, "close_range", &[5, u32::MAX as u64, 0], 0);
    s.does(PID, "close_range", &[9, 3, 0], 0);
    let long = "x".repeat(4000);
    for i in 0..300 {
        s.open(PID, AT_FDCWD, &format!("/{i}{long}"), 0, -1);
    }
    assert_eq!(s.read(PID, 0), "/dev/null");
    let seen = s.open(PID, AT_FDCWD, "/new", 0, 3);
    assert_eq!(s.named(seen.path), "(others)");
}

#[test]
fn what_lasts_is_asked_about_once() {
    struct Peers(Cell<u32>);
    impl Resolver for Peers {
        fn other_ends(&self, tid: Tid, fd: i32) -> Vec<Tid> {
            assert_eq!((tid, fd), (PID, 3));
            self.0.set(self.0.get() + 1);
            vec![7]
        }
        fn lock_holder(&self, _: Tid, addr: u64) -> Option<Tid> {
            (addr == 0x5000).then_some(101)
        }
        fn comm(&self, _: Tid) -> Option<Vec<u8>> {
            Some(b"peer".to_vec())
        }
    }
    let resolver = Peers(Cell::new(0));
    let mut tracker = Tracker::default();
    for (tid, origin) in [(PID, StartKind::Spawned), (101, StartKind::Forked { parent: PID })] {
        tracker.event(&Event::Started { tid, process: PID, origin, at: 0 }, &resolver);
    }
    let read = call(PID, "read", &[3, 0, 1], Outcome::Pending);
    let lock = call(101, "futex", &[0x5000, 128, 2], Outcome::Pending);
    for event in [Event::Enter(&read), Event::Enter(&lock), Event::Idle, Event::Idle] {
        tracker.event(&event, &resolver);
    }
    let wait = tracker.wait(PID).unwrap();
    assert_eq!((wait.name(), &wait.others[..]), ("read", &[(7, b"peer".to_vec())][..]));
    assert_eq!(tracker.wait(101).unwrap().awaited.as_ref().unwrap().thread(), Some(101));
    // One returns, the other does not.
    tracker.event(&Event::Exit(&Call { outcome: Outcome::Error(512), ..lock.clone() }), &resolver);
    assert!(tracker.wait(101).is_some(), "a signal came");
    tracker.event(&Event::Exit(&Call { outcome: Outcome::Value(1), ..lock.clone() }), &resolver);
    assert!(tracker.wait(101).is_none());
    tracker.event(&Event::Exit(&Call { outcome: Outcome::Gone, ..read.clone() }), &resolver);
    tracker.event(&Event::Killed { tid: PID, signal: 2, core: false, at: 9 }, &resolver);
    assert_eq!(tracker.wait(PID).unwrap().others.len(), 1);
    assert_eq!(resolver.0.get(), 1);
    tracker.event(&Event::Idle, &resolver);
    assert!(tracker.wait(PID).is_none());
}

/// Eight thousand words that are the same four kilobytes would be 32 MiB for each execve.
#[test]
fn a_command_is_no_longer_than_what_was_captured() {
    let mut s = Followed::new();
    let execve = call(PID, "execve", &[0x1000, 0x10_0000], Outcome::Value(0));
    let execve = holding(execve, Phase::Entry, 0x1000, &[b'x'; 4095]);
    let pointers: Vec<u8> = (0..8192).flat_map(|_| 0x1000u64.to_le_bytes()).collect();
    let execve = holding(execve, Phase::Entry, 0x10_0000, &pointers);
    let captured = execve.blocks.size();
    s.call(execve);
    let words = &s.tracker.process(PID).unwrap().command;
    assert_eq!(words[0].len(), 4095);
    assert!(words.iter().map(Vec::len).sum::<usize>() <= captured, "{} words", words.len());
}

/// Each call would copy and look up as many bytes as the working directory's name has.
#[test]
fn names_that_grow_with_each_call() {
    let mut s = Followed::new();
    for _ in 0..1000 {
        let chdir = call(PID, "chdir", &[0x1000], Outcome::Value(0));
        s.call(holding(chdir, Phase::Entry, 0x1000, &[&[b'x'; 4000][..], b"\0"].concat()));
        let cwd = s.tracker.working_directory(PID).unwrap();
        assert!(s.tracker.name(cwd).len() <= 2 * PATH_MAX);
    }
}

#[test]
fn what_very_many_threads_watch_is_not_kept() {
    let mut s = Followed::new();
    let fds: Vec<u8> = (0..64u64).flat_map(|fd| (fd | 1 << 32).to_le_bytes()).collect();
    let mut watched = 0;
    for tid in 1000..20_000 {
        let poll = call(tid, "poll", &[0x1000, 64, u64::MAX], Outcome::Pending);
        s.event(Event::Enter(&holding(poll, Phase::Entry, 0x1000, &fds)));
        watched += s.tracker.wait(tid).unwrap().watched.len();
    }
    assert!((64..=MAX_WATCHERS * 64).contains(&watched), "{watched}");
}
#[test]
fn some_commands_of_bpf_make_descriptors() {
    let mut s = Followed::new();
    s.does(PID, "bpf", &[5, 0x1000, 48], 7);
    assert_eq!(s.read(PID, 7), "bpf");
    assert!(s.does(PID, "bpf", &[2, 0x1000, 32], 0).made.is_none(), "an update makes none");
    assert_eq!(s.read(PID, 0), "/dev/null");
}

#[test]
fn some_results_of_landlock_create_ruleset_are_descriptors() {
    let mut s = Followed::new();
    s.does(PID, "landlock_create_ruleset", &[0x1000, 24, 0], 8);
    assert_eq!(s.read(PID, 8), "landlock ruleset");
    assert!(s.does(PID, "landlock_create_ruleset", &[0, 0, 1], 6).made.is_none(), "a version is no descriptor");
}

#[test]
fn close_on_exec_is_where_the_row_says() {
    let mut s = Followed::new();
    s.does(PID, "memfd_create", &[0x1000, 1], 5);
    s.does(PID, "memfd_create", &[0x1000, 2], 6);
    s.does(PID, "mq_open", &[0x1000, 0], 7);
    s.does(PID, "execve", &[0x1000, 0x2000, 0x3000], 0);
    let open: Vec<bool> = [5, 6, 7].iter().map(|fd| s.tracker.open_file(PID, *fd).is_some()).collect();
    assert_eq!(open, [false, true, false], "MFD_CLOEXEC is 1; a message queue is always closed");
}

#[test]
fn calls_of_32_bit_programs() {
    let mut s = Followed::new();
    s.open(PID, AT_FDCWD, "/data", 0, 5);
    let name = |s: &Followed, fd| s.tracker.open_file(PID, fd).map(|(_, object)| s.tracker.name(object).to_vec());
    s.does_32("fcntl64", &[5, 1030, 0], 6);
    assert_eq!(name(&s, 6).as_deref(), Some(&b"/data"[..]), "F_DUPFD_CLOEXEC");
    s.does_32("ioctl", &[6, 0x5450, 0], 0);
    s.does_32("ioctl", &[5, 0x5451, 0], 0);
    s.does(PID, "execve", &[0x1000, 0x2000, 0x3000], 0);
    assert_eq!((name(&s, 5), name(&s, 6).is_some()), (None, true), "FIOCLEX, FIONCLEX");
    for (call, args) in [
        ("ppoll_time64", &[0x1000, 1, 0x2000, 0, 8][..]),
        ("_newselect", &[7, 0x1000, 0, 0, 0x2000]),
        ("pselect6_time64", &[7, 0x1000, 0, 0, 0x2000, 0]),
        ("futex_time64", &[0x1000, 0x80, 2, 0x2000]),
        ("clock_gettime64", &[1, 0x1000]),
    ] {
        s.does_32("write", &[6, 0x1000, 5], 5);
        assert!(s.tracker.thread(PID).unwrap().idle_since.is_none());
        s.does_32(call, args, 0);
        assert!(s.tracker.thread(PID).unwrap().idle_since.is_some(), "{call} that waits in vain gets nobody on");
    }
}

/// Without a word about descriptors: most calls are not looked at.
#[test]
fn only_names_are_followed() {
    let mut tracker = Tracker::of_names();
    let resolver = Before;
    tracker.event(&attached(1, 0), &resolver);
    assert_eq!(tracker.thread(1).unwrap().comm, b"first");
    let path =
        naming(call(1, "execve", &[0x1000, 0, 0], Outcome::Value(0)), 0x1000, "/usr/bin/a-name-that-is-too-long");
    tracker.event(&Event::Exit(&path), &resolver);
    assert_eq!(tracker.thread(1).unwrap().comm, b"a-name-that-is-");
    tracker.event(&forked(1, 2, 2, 10), &resolver);
    let renamed = call(2, "prctl", &[c::PR_SET_NAME, 0x1000], Outcome::Value(0));
    tracker.event(&Event::NamingCall(&naming(renamed, 0x1000, "worker")), &resolver);
    assert_eq!(
        (&*tracker.thread(1).unwrap().comm, &*tracker.thread(2).unwrap().comm),
        (&b"a-name-that-is-"[..], &b"worker"[..])
    );
    let opened = naming(call(2, "openat", &[AT_FDCWD as u32 as u64, 0x1000, 0], Outcome::Value(7)), 0x1000, "/x");
    tracker.event(&Event::Exit(&opened), &resolver);
    assert!(tracker.seen().is_none() && tracker.descriptor(2, 7).is_none());
    tracker.event(&exited(2, 20), &resolver);
    tracker.event(&Event::Idle, &resolver);
    assert!(tracker.thread(2).is_none() && tracker.thread(1).is_some());
}

/// Short processes, as a busy machine has them all day: each with a thread, and many with a pipe.
#[test]
fn nothing_is_kept_of_processes_that_have_ended() {
    let mut s = Followed::new();
    let mut most = 0;
    for i in 0..200_000_u32 {
        let pid = 1000 + (i % 2_000_000) as Tid * 2;
        s.fork(PID, pid, pid);
        s.does(PID, "fork", &[], pid.into());
        s.fork(pid, pid + 1, pid);
        s.does(pid, "clone", &[0x3d_0f00], (pid + 1).into());
        if i % 16 == 0 {
            let pipe = call(pid, "pipe2", &[0x1000, 0], Outcome::Value(0));
            s.call(holding(pipe, Phase::Exit, 0x1000, &[3, 0, 0, 0, 4, 0, 0, 0]));
            s.does(pid, "dup", &[3], 5);
        }
        s.event(exited(pid + 1, 2));
        s.event(exited(pid, 3));
        let Tracker { threads, processes, ends, unsettled, waits, .. } = &s.tracker;
        most = most.max(threads.len() + processes.len() + ends.len() + unsettled.len() + waits.len());
    }
    assert!(most < 20, "{most}");
}

/// Names that come once take no memory, and those that something refers to stay.
#[test]
fn paths_pass_unless_something_refers_to_them() {
    let mut s = Followed::passing();
    s.open(PID, AT_FDCWD, "dir", 0, 3);
    let before = s.tracker.objects.len();
    for i in 0..100 {
        let stat = call(PID, "newfstatat", &[3, 0x1000, 0, 0], Outcome::Value(0));
        let seen = s.call(naming(stat, 0x1000, format!("./{i}//x")));
        assert_eq!(s.named(seen.path), format!("/home/dir/{i}/x"));
        assert_eq!(s.tracker.kind(seen.path.unwrap()), ObjectKind::Path);
    }
    let fails = |name: &str, args: &[u64]| call(PID, name, args, Outcome::Error(2));
    let seen = s.call(naming(fails("openat", &[3, 0x1000, 0]), 0x1000, "no"));
    assert_eq!(s.named(seen.path), "/home/dir/no");
    let both = call(PID, "renameat", &[3, 0x1000, 3, 0x2000], Outcome::Value(0));
    let seen = s.call(naming(naming(both, 0x1000, "from"), 0x2000, "to"));
    assert_eq!((s.named(seen.path), s.named(seen.other_path)), ("/home/dir/from".into(), "/home/dir/to".into()));
    assert_eq!(s.tracker.objects.len(), before);
    s.open(PID, 3, "file", 0, 4);
    s.does(PID, "getpid", &[], 1);
    assert_eq!(s.read(PID, 4), "/home/dir/file");
    s.call(naming(call(PID, "chdir", &[0x1000], Outcome::Value(0)), 0x1000, "/new"));
    let seen = s.call(naming(call(PID, "stat", &[0x1000, 0], Outcome::Value(0)), 0x1000, "x"));
    assert_eq!(s.named(seen.path), "/new/x");
    s.call(naming(call(PID, "execve", &[0x1000, 0, 0], Outcome::Value(0)), 0x1000, "bin/program"));
    s.does(PID, "getpid", &[], 1);
    assert_eq!(s.named(s.tracker.process(PID).unwrap().program), "/new/bin/program");
    // A thread that waits is asked about later.
    let waits = call(PID, "openat", &[AT_FDCWD as u64, 0x1000, 0], Outcome::Pending);
    s.event(Event::Enter(&naming(waits, 0x1000, "fifo")));
    s.fork(PID, PID + 1, PID + 1);
    s.call(naming(call(PID + 1, "stat", &[0x1000, 0], Outcome::Value(0)), 0x1000, "other"));
    assert_eq!(s.named(s.tracker.wait(PID).and_then(|wait| wait.seen.path)), "/new/fifo");
}

/// The directory at which a path begins is the one from before the call.
#[test]
fn the_directory_of_a_path_is_known_with_the_call() {
    let mut s = Followed::new();
    s.open(PID, AT_FDCWD, "dir", 0, 3);
    let seen = s.open(PID, 3, "file", 0, 4);
    let directory = seen.directory.map(|(fd, object)| (fd, s.named(Some(object))));
    assert_eq!(directory, Some((3, "/home/dir".into())));
    let of = |fd| FdOf { tid: PID, fd, made: false };
    assert_eq!(s.tracker.referent(of(3)).object(), seen.directory.map(|directory| directory.1));
    // An absolute path begins at none.
    assert_eq!(s.open(PID, 3, "/file", 0, 4).directory, None);
    assert_eq!(s.tracker.referent(of(3)).object(), seen.directory.map(|directory| directory.1));
}
