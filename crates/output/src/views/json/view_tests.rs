//! The JSON of made-up events.

use super::JsonView;
use crate::{End, RunInfo, Show, Sink, View};
use stride_decode::Options;
use stride_event::{Call, CallSet, Event, Lost, Outcome, StartKind};
use stride_syscalls::Abi;
use stride_test_support::calls::{self, lasting};
use stride_test_support::written::Disk;
use stride_track::Tracker;

/// All lines but the first.
fn lines_with(options: Options, show: Show, events: &[Event<'_>]) -> Vec<String> {
    let out = Disk::default();
    let info = RunInfo { wall_offset: 1_000_000, ..RunInfo::default() };
    let sink = Sink::new("output", Box::new(out.clone()), false);
    let mut view = JsonView::new(&info, options, Box::new(()), show, false, sink);
    let mut tracker = Tracker::default();
    for event in events {
        tracker.event(event, &());
        view.event(event, &tracker);
    }
    let end =
        End { tracker: &tracker, lost: Lost { calls: 3, threads: 0, signals: 2 }, with_source: &std::sync::Arc::clone };
    assert_eq!(view.finish(&end), "");
    out.text().lines().skip(1).map(str::to_owned).collect()
}

fn lines(events: &[Event<'_>]) -> Vec<String> {
    lines_with(Options::default(), Show::default(), events)
}

fn started(tid: i32) -> Event<'static> {
    Event::Started { tid, process: 10, origin: StartKind::Attached, at: 5 }
}

/// All calls take equally long.
fn call(tid: i32, name: &str, args: &[u64], outcome: Outcome) -> Call {
    lasting(calls::call(tid, name, args, outcome), 100, 150)
}

const END: &str = r#"{"type":"end","calls":1,"errors":0,"unfinished":0,"signals":0,"lost_calls":3,"unseen_threads":0,"lost_signals":2}"#;

#[test]
fn a_call() {
    let seek = call(11, "lseek", &[7, -1i64 as u64, 2], Outcome::Value(1 << 60));
    let seen = lines(&[started(11), Event::Exit(&seek)]);
    assert_eq!(
        seen,
        [
            r#"{"type":"start","pid":10,"tid":11,"origin":"attached","time_ns":1000005,"start_ns":5}"#,
            r#"{"type":"call","name":"lseek","pid":10,"tid":11,"args":{"fd":{"fd":7},"offset":-1,"whence":{"raw":"0x2","name":"SEEK_END"}},"outcome":"ok","ret":1152921504606846976,"time_ns":1000100,"start_ns":100,"duration_ns":150,"nr":8,"abi":"x86_64"}"#,
            END
        ]
    );
}

/// Numbers are JSON numbers whatever their value, and addresses never are.
#[test]
fn shapes_follow_types() {
    let args = |call: Call| {
        let line = lines(&[started(11), Event::Exit(&call)]).swap_remove(1);
        let (_, args) = line.split_once(r#""args":"#).unwrap();
        args.split_once(r#","time_ns""#).unwrap().0.to_owned()
    };
    let munmap = |addr, len| call(11, "munmap", &[addr, len], Outcome::Value(0));
    assert_eq!(args(munmap(0x1000, 1)), r#"{"addr":"0x1000","length":1},"outcome":"ok","ret":0"#);
    assert_eq!(args(munmap(0, u64::MAX)), r#"{"addr":null,"length":18446744073709551615},"outcome":"ok","ret":0"#);
    let umask = call(11, "umask", &[0], Outcome::Value(0o22));
    assert_eq!(args(umask), r#"{"mask":"00"},"outcome":"ok","ret":"022""#);
    let unread = call(11, "unlink", &[0x7000], Outcome::Error(14));
    assert_eq!(args(unread), r#"{"path":"0x7000"},"outcome":"error","error":{"errno":14,"name":"EFAULT"}"#);
    let access = |mode| call(11, "access", &[0, mode], Outcome::Error(4095));
    let error = r#","outcome":"error","error":{"errno":4095}"#;
    assert_eq!(args(access(0)), format!(r#"{{"pathname":null,"mode":{{"raw":"0x0","set":["F_OK"]}}}}{error}"#));
    let mode = r#"{"raw":"0xff","set":["R_OK","W_OK","X_OK"],"unknown":"0xf8"}"#;
    assert_eq!(args(access(0xff)), format!(r#"{{"pathname":null,"mode":{mode}}}{error}"#));
    let unknown = Call { nr: 9999, ..call(11, "getpid", &[1], Outcome::Value(-1)) };
    assert_eq!(
        args(unknown),
        r#"{"arg1":"0x1","arg2":"0x0","arg3":"0x0","arg4":"0x0","arg5":"0x0","arg6":"0x0"},"outcome":"ok","ret":"0xffffffffffffffff""#
    );
}

/// A call gives the same object whether its entry is reported or not.
#[test]
fn parts_make_a_whole() {
    let mut done = call(11, "openat", &[-100i64 as u64, 0x7000, 0o100, 0o644], Outcome::Value(3));
    for fds in [false, true] {
        let options = || Options { fds, ..Options::default() };
        let whole = lines_with(options(), Show::default(), &[started(11), Event::Exit(&done)]);
        let entered = Call { outcome: Outcome::Pending, returned: 100, ..done.clone() };
        let parts = [started(11), Event::Enter(&entered), Event::Exit(&done)];
        assert_eq!(lines_with(options(), Show::default(), &parts), whole);
        assert!(whole[1].contains(r#""mode":"0644"},"outcome":"ok","ret":{"fd":3,"object":"(openat)"}"#), "{whole:?}");
    }
    // With -e raw the arguments are registers, and all of them are known at entry.
    let options = || Options { raw: CallSet::all(), ..Options::default() };
    done.nr = calls::number(Abi::X86_64, "read");
    let entered = Call { outcome: Outcome::Pending, ..done.clone() };
    let parts = lines_with(options(), Show::default(), &[started(11), Event::Enter(&entered), Event::Exit(&done)]);
    assert_eq!(parts, lines_with(options(), Show::default(), &[started(11), Event::Exit(&done)]));
    assert!(parts[1].contains(r#""registers":["0xffffffffffffff9c","0x7000","0x40"],"outcome":"ok","ret":"0x3""#));
}

#[test]
fn calls_in_flight_are_told_when_threads_leave() {
    let pause = |tid| Call { returned: 100, ..call(tid, "pause", &[], Outcome::Pending) };
    let unfinished = |tid| {
        format!(
            r#"{{"type":"call","name":"pause","pid":10,"tid":{tid},"args":{{}},"outcome":"unfinished","time_ns":1000100,"start_ns":100,"nr":34,"abi":"x86_64"}}"#
        )
    };
    let (first, second, third) = (pause(11), pause(12), pause(13));
    let seen = lines(&[
        started(11),
        started(12),
        started(13),
        Event::Enter(&first),
        Event::Enter(&second),
        Event::Killed { tid: 11, signal: 9, core: false, at: 300 },
        Event::Detached { tid: 12, call: Some(&second), at: 300 },
        Event::Detached { tid: 13, call: Some(&third), at: 300 },
    ]);
    assert_eq!((&seen[3], &seen[5], &seen[7]), (&unfinished(11), &unfinished(12), &unfinished(13)));
    assert_eq!(
        seen[4],
        r#"{"type":"killed","pid":10,"tid":11,"signal":{"raw":9,"name":"SIGKILL"},"core":false,"time_ns":1000300,"start_ns":300}"#
    );
    assert_eq!(seen[8], r#"{"type":"detach","pid":10,"tid":13,"time_ns":1000300,"start_ns":300}"#);
    assert!(seen[9].contains(r#""calls":3,"errors":0,"unfinished":3"#), "{seen:?}");
}

#[test]
fn an_execve_takes_over_the_first_thread() {
    let (pause, execve) = (call(10, "pause", &[], Outcome::Pending), call(11, "execve", &[], Outcome::Pending));
    let returned = Call { tid: 10, outcome: Outcome::Value(0), ..execve.clone() };
    let seen = lines(&[
        started(10),
        started(11),
        Event::Enter(&pause),
        Event::Enter(&execve),
        Event::Superseded { tid: 10, old: 11, call: Some(&execve), at: 200 },
        Event::Exit(&returned),
    ]);
    let expected = [
        r#"{"type":"start","#,
        r#"{"type":"start","#,
        r#"{"type":"call","name":"pause","pid":10,"tid":10,"#,
        r#"{"type":"superseded","pid":10,"tid":10,"by":11,"#,
        r#"{"type":"call","name":"execve","pid":10,"tid":10,"#,
        r#"{"type":"exec","pid":10,"tid":10,"#,
        r#"{"type":"end","#,
    ];
    assert_eq!(seen.len(), expected.len(), "{seen:#?}");
    assert!(seen.iter().zip(expected).all(|(line, begin)| line.starts_with(begin)), "{seen:#?}");
    assert!(seen[2].contains(r#""outcome":"unfinished""#) && seen[4].contains(r#""outcome":"ok""#), "{seen:?}");
}

#[test]
fn what_is_lost_is_told_and_what_is_quiet_is_not() {
    let events = [
        started(11),
        Event::Lost { tid: 11, count: 7, at: 9 },
        Event::Stopped { tid: 11, signal: 19, at: 10 },
        Event::Personality { tid: 11, abi: Abi::I386, at: 11 },
        Event::Exited { tid: 11, status: 3, at: 12 },
    ];
    let seen = lines(&events);
    assert_eq!(seen[1], r#"{"type":"lost","pid":10,"tid":11,"calls":7,"time_ns":1000009,"start_ns":9}"#);
    assert_eq!(
        seen[2],
        r#"{"type":"stopped","pid":10,"tid":11,"signal":{"raw":19,"name":"SIGSTOP"},"time_ns":1000010,"start_ns":10}"#
    );
    assert_eq!(seen[3], r#"{"type":"personality","pid":10,"tid":11,"abi":"i386","time_ns":1000011,"start_ns":11}"#);
    assert_eq!(seen[4], r#"{"type":"exit","pid":10,"tid":11,"status":3,"time_ns":1000012,"start_ns":12}"#);
    let quiet = Show { exit: false, attach: false, personality: false, ..Show::default() };
    let seen = lines_with(Options::default(), quiet, &events);
    assert_eq!(seen.len(), 3, "lost, stopped and end: {seen:?}");
}

/// A full disk is reported once.
#[test]
fn failures_are_told() {
    let sink = Sink::new("there", Box::new(Disk::of(0)), true);
    let (info, options) = (RunInfo::default(), Options::default());
    let mut view = JsonView::new(&info, options, Box::new(()), Show::default(), false, sink);
    let tracker = Tracker::default();
    view.event(&Event::Idle, &tracker);
    assert_eq!(view.take_error().map(|e| e.to_string()).as_deref(), Some("there: No space left on device"));
    view.event(&Event::Idle, &tracker);
    assert_eq!(view.take_error(), None);
}
