//! Made-up servers.

use super::{RequestKind, Requests};
use crate::causes::spent::Activity;
use crate::causes::tests::{CHILD, MAIN, does};
use crate::{CallOn, Tracker};
use stride_event::{
    Call, CallWaits, Event, Interrupt, NamedThread, Ns, Outcome, Phase, Sleep, Tid, WaitKind, WaitTimes, Waker,
};
use stride_syscalls::table;
use stride_test_support::calls::{exited, forked, holding, spawned};

fn kinds(events: &[Event<'_>]) -> Vec<RequestKind> {
    let (mut tracker, mut requests) = (Tracker::default(), Requests::default());
    for event in events {
        tracker.event(event, &());
        requests.event(event, &tracker);
    }
    requests.kinds(&tracker)
}

/// The numbers of the only kind of request: requests that were answered, those that were not, and the parts, which add up to the durations.
fn parts(events: &[Event<'_>]) -> (u64, u64, Vec<(String, Ns)>) {
    let [kind] = &kinds(events)[..] else { panic!("{:?}", kinds(events)) };
    let name = |on: CallOn| table(on.abi).name(on.nr).to_string();
    let word = |activity| match activity {
        Activity::Computing => "computing".to_owned(),
        Activity::InCall(on) => name(on),
        Activity::Asleep(on, ..) => format!("asleep in {}", name(on)),
        Activity::Off(kind) => kind.name().to_owned(),
        other => format!("{other:?}"),
    };
    let parts: Vec<_> = kind.shares.iter().map(|share| (word(share.activity), share.time)).collect();
    assert_eq!(parts.iter().map(|(_, time)| time).sum::<Ns>(), kind.total, "{kind:?}");
    (kind.answered, kind.unanswered, parts)
}

fn are(found: (u64, u64, Vec<(String, Ns)>), answered: u64, unanswered: u64, parts: &[(&str, Ns)]) {
    let expected: Vec<_> = parts.iter().map(|&(name, time)| (name.to_owned(), time)).collect();
    assert_eq!(found, (answered, unanswered, expected));
}

/// A thread slept in a call for so long, until another one, or a timer, woke it.
fn slept(call: Call, asleep: Ns, runnable: Ns, by: Option<Tid>) -> Call {
    let thread = |tid| Waker::Thread(NamedThread { tid, process: MAIN, comm: [0; 16] }, None);
    let waker = Some(by.map_or(Waker::Interrupt(Interrupt::Timer), thread));
    let in_call = WaitTimes::from_iter([(WaitKind::Blocked, asleep), (WaitKind::Runnable, runnable)]);
    let longest = Some(Sleep { time: asleep, kind: WaitKind::Blocked, waker });
    Call { waits: Some(Box::new(CallWaits { in_call, sleeps: 1, longest, ..CallWaits::default() })), ..call }
}

/// A process that listens and has accepted a client, whose socket is 4, at 100.
fn server() -> [Call; 3] {
    [
        does(MAIN, "socket", &[2, 1, 0], 3, 10, 11),
        does(MAIN, "listen", &[3, 5], 0, 20, 21),
        does(MAIN, "accept", &[3, 0, 0], 4, 30, 100),
    ]
}

const BYTES: [u64; 3] = [4, 0x1000, 10];

fn receives(tid: Tid, from: Ns, to: Ns) -> Call {
    does(tid, "recvfrom", &BYTES, 10, from, to)
}

fn sends(tid: Tid, from: Ns, to: Ns) -> Call {
    does(tid, "sendto", &BYTES, 10, from, to)
}

/// The same with the socket of a second client.
fn other(call: Call) -> Call {
    let mut args = call.args;
    args[0] = 5;
    Call { args, ..call }
}

fn run<'a>(before: &[Event<'a>], calls: &'a [Call]) -> Vec<Event<'a>> {
    let mut events = vec![spawned(MAIN, 1)];
    events.extend_from_slice(before);
    events.extend(calls.iter().map(Event::Exit));
    events
}

#[test]
fn one_thread_answers() {
    let [socket, listen, accept] = server();
    let calls = [
        socket,
        listen,
        accept,
        receives(MAIN, 110, 120),
        sends(MAIN, 150, 155),
        // The rest of the answer.
        sends(MAIN, 160, 161),
        // The next request, whose bytes come in two pieces, and one that is not answered.
        receives(MAIN, 170, 200),
        receives(MAIN, 205, 210),
        sends(MAIN, 240, 250),
        receives(MAIN, 260, 300),
        does(MAIN, "recvfrom", &BYTES, 0, 310, 320),
    ];
    // From the connection on: 61; from the first bytes of the second on: 50.
    let computing = 10 + 30 + 5 + 5 + 30;
    let expected = [("computing", computing), ("sendto", 5 + 1 + 10), ("recvfrom", 10 + 5)];
    are(parts(&run(&[], &calls)), 2, 1, &expected);
    let kind = &kinds(&run(&[], &calls))[0];
    assert_eq!((kind.total, kind.longest.took), (111, 61));
}

/// A worker slept from before the request came. The thread that woke the worker had the request until then.
#[test]
fn another_thread_answers() {
    let [socket, listen, accept] = server();
    let wakes = does(MAIN, "futex", &[0x9000, 0x81, 1], 1, 220, 240);
    let waits = slept(does(CHILD, "futex", &[0x9000, 0x80, 0], 0, 60, 236), 170, 4, Some(MAIN));
    let works = slept(does(CHILD, "nanosleep", &[0, 0], 0, 236, 336), 98, 0, None);
    let child = forked(MAIN, CHILD, MAIN, 50);
    let calls = [
        socket,
        listen,
        accept,
        receives(MAIN, 110, 120),
        sends(MAIN, 130, 140),
        receives(MAIN, 150, 200),
        waits,
        // The waking call returned later than the call of the woken thread.
        wakes,
        works,
        sends(CHILD, 340, 350),
    ];
    let expected = [
        ("asleep in nanosleep", 98),
        // 40 of the first request; behind it, 20 of the receiver and 4 of the worker.
        ("computing", 20 + 20 + 4),
        ("sendto", 10 + 10),
        ("futex", 10 + 2),
        ("recvfrom", 10),
        ("runnable", 4),
        ("nanosleep", 2),
    ];
    let mut events = run(&[child], &calls);
    events.push(exited(CHILD, 400));
    let (answered, unanswered, mut found) = parts(&events);
    assert_eq!((answered, unanswered), (2, 0));
    let mut expected: Vec<_> = expected.iter().map(|&(name, time)| (name.to_owned(), time)).collect();
    // (Equal parts have no order.)
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

/// The client may send its next request before the call that answered has returned, or before this is known.
#[test]
fn an_answer_that_returns_late() {
    let [socket, listen, accept] = server();
    let child = forked(MAIN, CHILD, MAIN, 50);
    let calls = [
        socket,
        listen,
        accept,
        receives(MAIN, 110, 120),
        receives(MAIN, 125, 160),
        sends(CHILD, 140, 170),
        // The client has its last answer, and closes.
        Call { outcome: Outcome::Pending, ..sends(CHILD, 180, 180) },
        does(MAIN, "recvfrom", &BYTES, 0, 160, 188),
        does(MAIN, "close", &[4], 0, 189, 190),
        sends(CHILD, 180, 191),
    ];
    // (The last send is seen at its entry.)
    let mut events = run(&[child], &calls);
    let entry = events.len() - 4;
    events[entry] = Event::Enter(&calls[6]);
    let kind = &kinds(&events)[0];
    // 100 to 170, and 160 to 191.
    assert_eq!((kind.answered, kind.unanswered, kind.total, kind.longest.took), (2, 0, 101, 70));
}

/// A thread that answers others meanwhile has the request wait.
#[test]
fn requests_wait_for_a_busy_thread() {
    let [socket, listen, accept] = server();
    let calls = [
        socket,
        listen,
        accept,
        does(MAIN, "accept", &[3, 0, 0], 5, 100, 101),
        receives(MAIN, 101, 110),
        other(receives(MAIN, 110, 120)),
        sends(MAIN, 150, 160),
        other(sends(MAIN, 170, 180)),
    ];
    // The first: 1 for accepting the other client, 9 for receiving, 40 for the other request, and 10 for the answer. The second: 9 and 10 for the first one, 10 for
    // receiving, 30 of computing, 10 behind the first one's answer, and 10.
    let expected =
        [("Busy", 10 + 30 + 9 + 10), ("computing", 30 + 10), ("sendto", 10 + 10), ("recvfrom", 9 + 10), ("accept", 1)];
    are(parts(&run(&[], &calls)), 2, 0, &expected);
}

/// A worker that answers another request first, which the receiver gave to it while it had no work.
#[test]
fn requests_wait_in_a_queue() {
    let [socket, listen, accept] = server();
    let calls = [
        socket,
        listen,
        accept,
        does(MAIN, "accept", &[3, 0, 0], 5, 100, 101),
        sends(MAIN, 102, 103),
        other(sends(MAIN, 103, 104)),
        receives(MAIN, 110, 120),
        other(receives(MAIN, 120, 130)),
        slept(does(CHILD, "futex", &[0x9000, 0x80, 0], 0, 60, 140), 75, 1, Some(MAIN)),
        does(MAIN, "futex", &[0x9000, 0x81, 1], 1, 133, 136),
        // For the other request.
        slept(does(CHILD, "nanosleep", &[0, 0], 0, 140, 200), 60, 0, None),
        other(sends(CHILD, 210, 220)),
        slept(does(CHILD, "nanosleep", &[0, 0], 0, 230, 300), 70, 0, None),
        sends(CHILD, 300, 310),
    ];
    let found = kinds(&run(&[forked(MAIN, CHILD, MAIN, 50)], &calls));
    // The first answers; then 130 to 220 and 120 to 310.
    assert_eq!((found[0].answered, found[0].total), (4, 3 + 3 + 90 + 190));
    let busy = found[0].shares.iter().find(|share| share.activity == Activity::Busy).unwrap();
    // The request of the first client: from the waking of the worker to its answer to the other one, and before that, while the receiver received the other
    // one. (And a few behind the first answers.)
    assert!((85..=85 + 15 + 4).contains(&busy.time), "{busy:?}");
    let asleep = found[0].shares.iter().filter(|share| matches!(share.activity, Activity::Asleep(..)));
    assert_eq!(asleep.map(|share| share.time).sum::<Ns>(), 60 + 70);
}

/// There are 100 requests. Each takes 40, and 3 of them also wait for a lock, three times for 30.
#[test]
fn the_slowest_are_compared_with_the_others() {
    let served = |slow: &[u64], requests: u64| {
        let mut calls = server().to_vec();
        let mut at = 100;
        for request in 0..requests {
            calls.push(receives(MAIN, at, at + 10));
            at += 10;
            if slow.contains(&request) {
                for _ in 0..3 {
                    calls.push(slept(does(MAIN, "flock", &[5, 2], 0, at, at + 30), 30, 0, None));
                    at += 30;
                }
            }
            calls.push(sends(MAIN, at, at + 40));
            at += 80;
        }
        kinds(&run(&[], &calls)).remove(0)
    };
    let kind = served(&[20, 40, 99], 100);
    let slow = kind.slow.as_ref().unwrap();
    // The slowest hundredth, and those that took as long.
    assert_eq!((slow.slowest.requests, slow.slowest.mean), (3, 130));
    assert_eq!(slow.ordinary.mean, 40);
    let [more] = &slow.more[..] else { panic!("{slow:?}") };
    assert!(matches!(more.share.activity, Activity::Asleep(on, ..) if table(on.abi).name(on.nr) == "flock"));
    assert_eq!((more.share.time, more.ordinary, more.more(), more.calls()), (90, 0, 90, Some([3.0, 0.0])));
    // The last of them.
    assert_eq!((kind.longest.took, kind.longest.receiver), (130, MAIN));
    assert_eq!(kind.longest.since, 100 + 99 * 90 + 2 * 90 + 10);
    // All are alike, or there are too few.
    assert!(served(&[], 100).slow.is_none());
    assert!(served(&[3], 19).slow.is_none());
}

#[test]
fn clients_make_no_requests() {
    let address = does(MAIN, "connect", &[3, 0x2000, 16], 0, 20, 21);
    let on = |call: Call| {
        let mut args = call.args;
        args[0] = 3;
        Call { args, ..call }
    };
    let socket = does(MAIN, "socket", &[2, 1, 0], 3, 10, 11);
    let calls = [socket.clone(), address, on(receives(MAIN, 30, 40)), on(sends(MAIN, 50, 60))];
    assert!(kinds(&run(&[], &calls)).is_empty());
    // It spoke first.
    let calls = [socket.clone(), on(sends(MAIN, 30, 40)), on(receives(MAIN, 50, 60)), on(sends(MAIN, 70, 80))];
    assert!(kinds(&run(&[], &calls)).is_empty());
    // A server that inherited its socket is one.
    let calls = [socket, on(receives(MAIN, 30, 40)), on(sends(MAIN, 50, 60))];
    assert_eq!(parts(&run(&[], &calls)).0, 1);
}

/// An address of a client, with this port.
fn client(port: u8) -> [u8; 16] {
    let mut address = [0; 16];
    (address[0], address[3]) = (2, port);
    address
}

/// A call on a socket for datagrams, and the address that came with it, or to which it sent.
fn with_address(call: Call, port: u8) -> Call {
    let mut args = call.args;
    (args[0], args[4], args[5]) = (3, 0x5000, 16);
    let call = holding(Call { args, ..call }, Phase::Entry, 0x5000, &client(port));
    holding(call, Phase::Exit, 0x5000, &client(port))
}

/// The same with recvmsg or sendmsg.
fn message(name: &str, from: Ns, to: Ns, port: u8) -> Call {
    let head = [0x5000u64, 16, 0, 0, 0, 0, 0].map(u64::to_le_bytes).concat();
    let call = holding(does(MAIN, name, &[3, 0x6000, 0], 10, from, to), Phase::Entry, 0x6000, &head);
    let phase = if name == "recvmsg" { Phase::Exit } else { Phase::Entry };
    holding(call, phase, 0x5000, &client(port))
}

/// Datagrams of all clients come through one socket, and go out through it.
#[test]
fn datagrams_are_told_apart_by_their_clients() {
    let socket = || does(MAIN, "socket", &[2, 2, 0], 3, 10, 11);
    let calls = [
        socket(),
        with_address(receives(MAIN, 20, 30), 1),
        with_address(receives(MAIN, 30, 40), 2),
        with_address(sends(MAIN, 50, 60), 2),
        with_address(sends(MAIN, 80, 90), 1),
        // An empty one.
        message("recvmsg", 95, 100, 1),
        message("sendmsg", 110, 120, 1),
        message("recvmsg", 125, 130, 3),
    ];
    // 30 to 90, 40 to 60, 100 to 120.
    let kind = &kinds(&run(&[], &calls))[0];
    assert_eq!((kind.answered, kind.unanswered, kind.total, kind.longest.took), (3, 1, 60 + 20 + 20, 60));
    // Of these clients nothing is known.
    let on = |call: Call| Call { args: [3, 0x1000, 10, 0, 0, 0], ..call };
    assert!(kinds(&run(&[], &[socket(), on(receives(MAIN, 30, 40)), on(sends(MAIN, 50, 60))])).is_empty());
    // It asked, and the answer came from another address.
    let calls = [socket(), with_address(sends(MAIN, 30, 40), 1), with_address(receives(MAIN, 50, 60), 2)];
    assert!(kinds(&run(&[], &calls)).is_empty());
    // A server that asks others.
    let calls = [
        socket(),
        with_address(receives(MAIN, 20, 30), 1),
        with_address(sends(MAIN, 30, 40), 9),
        with_address(receives(MAIN, 50, 60), 9),
        with_address(sends(MAIN, 60, 70), 1),
    ];
    let kind = &kinds(&run(&[], &calls))[0];
    assert_eq!((kind.answered, kind.unanswered, kind.total), (1, 0, 40));
}

/// A hostile recording has as many connections and threads as it likes, and as many calls in one request.
#[test]
fn what_very_many_things_cost_is_bounded() {
    let (mut tracker, mut requests) = (Tracker::default(), Requests::default());
    let mut event = |event: Event<'_>| {
        tracker.event(&event, &());
        requests.event(&event, &tracker);
    };
    event(spawned(MAIN, 1));
    server().iter().for_each(|call| event(Event::Exit(call)));
    let mut at = 100;
    for fd in 0..70_000u64 {
        at += 10;
        event(Event::Exit(&does(MAIN, "accept", &[3, 0, 0], 10 + fd as i64, at, at + 1)));
        if fd % 7 == 0 {
            event(forked(MAIN, 1_000 + fd as Tid, MAIN, at));
        }
        let bytes = [10 + fd % 50, 0x1000, 10];
        let tid = 1_000 + (fd / 7 * 7) as Tid;
        event(Event::Exit(&does(tid, "recvfrom", &bytes, 10, at + 2, at + 3)));
        event(Event::Exit(&does(tid, "sendto", &bytes, 10, at + 4, at + 5)));
    }
    assert!(requests.connections.len() <= super::MAX_CONNECTIONS && requests.logs.len() <= super::MAX_THREADS + 1);
    let segments: usize = requests.logs.values().map(|log| log.segments.len()).sum();
    assert!(segments <= 2 * super::MAX_SEGMENTS, "{segments}");
    let kinds = requests.kinds(&tracker);
    for kind in &kinds {
        let sum = kind.shares.iter().map(|share| share.time).sum::<Ns>();
        assert!(sum.abs_diff(kind.total) <= kind.total / 1000 + 100, "{sum} of {}", kind.total);
    }
}
