use super::*;
use stride_event::{Call, Outcome};
use stride_test_support::calls::{attached, call, exited, forked, naming};

const PID: Tid = 100;
const CHILD: Tid = 200;

/// A tracker, and a copy that is told all events in batches.
struct Both {
    tracker: Tracker,
    teller: Teller,
    news: News,
    copy: Tracker,
}

impl Both {
    fn new() -> Both {
        let (tracker, teller, news) = Default::default();
        Both { tracker, teller, news, copy: Tracker::copy() }
    }

    /// Both know the event. `asked`: descriptors of the event's thread.
    fn event(&mut self, event: Event<'_>, asked: &[(i32, bool)]) {
        self.tracker.event(&event, &());
        let asked: Vec<_> = asked
            .iter()
            .map(|&(fd, made)| FdOf { tid: event.thread().unwrap(), fd, made })
            .map(|of| (of, self.tracker.referent(of)))
            .collect();
        self.teller.tell(&event, &self.tracker, &asked, &mut self.news);
        let mut sent = News::default();
        self.news.move_to(&mut sent);
        self.copy.learn(&mut sent.read());
        for (of, referent) in asked {
            assert_eq!(self.copy.referent(of), referent, "{of:?}");
        }
        for tid in [PID, CHILD] {
            self.agree_on(tid);
        }
    }

    fn call(&mut self, call: Call, asked: &[(i32, bool)]) {
        self.event(Event::Exit(&call), asked);
        let (seen, copied) = (self.tracker.seen().unwrap(), self.copy.seen().unwrap());
        assert_eq!(self.about(&self.tracker, seen), self.about(&self.copy, copied));
    }

    fn about(&self, tracker: &Tracker, seen: &Seen) -> String {
        let names = [seen.path, seen.object, seen.other_path].map(|object| object.map(|id| tracker.name(id)));
        format!("{seen:?} {names:?}")
    }

    /// Only threads that have had an event are known to the copy.
    fn agree_on(&self, tid: Tid) {
        let of = |tracker: &Tracker| {
            let thread = tracker.thread(tid)?;
            let process = tracker.process(thread.pid).map(ProcessFacts::of);
            let program = process.as_ref().and_then(|process| process.program);
            let program = program.map(|program| tracker.name(program).to_vec());
            Some((thread.pid, thread.comm.clone(), program, process))
        };
        if let Some(copied) = of(&self.copy) {
            assert_eq!(Some(copied), of(&self.tracker), "{tid}");
        }
    }
}

fn open(tid: Tid, path: &str, fd: i64) -> Call {
    naming(call(tid, "open", &[0x1000, 0], Outcome::Value(fd)), 0x1000, path)
}

#[test]
fn a_copy_knows_what_views_ask() {
    let mut both = Both::new();
    both.event(attached(PID, 1), &[]);
    both.call(open(PID, "/a", 3), &[(3, true)]);
    both.call(open(PID, "/b", 4), &[(4, true)]);
    // The second descriptor is none that the subject of the call has.
    both.call(call(PID, "sendfile", &[3, 4, 0, 10], Outcome::Value(10)), &[(3, false), (4, false)]);
    both.call(call(PID, "dup2", &[3, 4], Outcome::Value(4)), &[(3, false), (4, false), (4, true)]);
    both.call(naming(call(PID, "chdir", &[0x1000], Outcome::Value(0)), 0x1000, "/home"), &[]);
    both.call(open(PID, "c", 5), &[(AT_FDCWD, false), (5, true)]);
    assert_eq!(both.copy.name(both.copy.seen().unwrap().path.unwrap()), b"/home/c");
    both.event(forked(PID, CHILD, CHILD, 1), &[]);
    both.call(naming(call(CHILD, "execve", &[0x1000, 0, 0], Outcome::Value(0)), 0x1000, "/bin/new"), &[]);
    let program = both.copy.process(CHILD).unwrap().program.unwrap();
    assert_eq!(both.copy.name(program), b"/bin/new");
    both.event(exited(CHILD, 9), &[]);
    assert!(both.copy.thread(CHILD).is_some());
    // The end is over with the next event.
    both.call(call(PID, "getppid", &[], Outcome::Value(1)), &[]);
    assert!(both.copy.thread(CHILD).is_none() && both.copy.process(CHILD).is_none());
    assert!(both.copy.process(PID).is_some());
}

#[test]
fn at_the_end_a_copy_knows_all_threads_that_live() {
    let mut both = Both::new();
    both.event(attached(PID, 1), &[]);
    both.event(forked(PID, CHILD, CHILD, 1), &[]);
    let mut late = Both::new();
    late.tracker = both.tracker;
    late.teller.tell_all(&late.tracker, &mut late.news);
    late.copy.learn(&mut late.news.read());
    let live: Vec<Tid> = late.copy.live_threads().iter().map(|thread| thread.tid).collect();
    assert_eq!(live, [PID, CHILD]);
    late.agree_on(CHILD);
}

/// The copy has the paths of each call, and later only those that something refers to.
#[test]
fn paths_that_pass_are_told() {
    let mut both = Both::new();
    both.tracker = Tracker::default().passing_paths(true);
    both.event(attached(PID, 1), &[]);
    both.call(open(PID, "/a", 3), &[(3, true)]);
    for path in ["/b", "/c"] {
        both.call(naming(call(PID, "stat", &[0x1000, 0], Outcome::Value(0)), 0x1000, path), &[]);
        assert_eq!(both.copy.name(both.copy.seen().unwrap().path.unwrap()), path.as_bytes());
    }
    let rename = naming(call(PID, "rename", &[0x1000, 0x2000], Outcome::Value(0)), 0x1000, "/from");
    both.call(naming(rename, 0x2000, "/to"), &[]);
    both.call(call(PID, "read", &[3, 0, 0], Outcome::Value(0)), &[(3, false)]);
    assert_eq!(both.copy.name(both.copy.seen().unwrap().object.unwrap()), b"/a");
}
