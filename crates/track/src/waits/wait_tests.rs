//! Made-up waits.

use crate::{Awaited, Tracker};
use stride_decode::Resolver;
use stride_event::{Call, Event, Ns, Outcome, Phase, Tid};
use stride_test_support::calls::{attached, call, forked, holding, spawned};

const FIRST: Tid = 100;
const OTHER: Tid = 101;
const SECOND: Ns = 1_000_000_000;

/// Its words hold the id of the second thread.
struct Words;

impl Resolver for Words {
    fn lock_holder(&self, _: Tid, _: u64) -> Option<Tid> {
        Some(OTHER)
    }
    fn comm(&self, _: Tid) -> Option<Vec<u8>> {
        Some(b"it".to_vec())
    }
}

/// `clone_args` of a thread, whose end clears a word.
fn makes(word: u64) -> Call {
    let args: Vec<u8> = [0x3d_0f00, 0, word, word, 0].iter().flat_map(|w: &u64| w.to_ne_bytes()).collect();
    holding(call(FIRST, "clone3", &[0x3000, 88], Outcome::Value(OTHER.into())), Phase::Entry, 0x3000, &args)
}

/// The thing that the first thread waits for at 0x5000.
fn awaited(made: Option<Call>, op: u64, value: u64) -> Option<Awaited> {
    let mut tracker = Tracker::default();
    let first = if made.is_some() { spawned(FIRST, 0) } else { attached(FIRST, 0) };
    tracker.event(&first, &Words);
    if let Some(made) = made {
        tracker.event(&forked(FIRST, OTHER, FIRST, 0), &Words);
        tracker.event(&Event::Exit(&made), &Words);
    }
    let wait = call(FIRST, "futex", &[0x5000, op, value], Outcome::Pending);
    tracker.event(&Event::Enter(&wait), &Words);
    tracker.event(&Event::Idle, &Words);
    tracker.wait(FIRST).unwrap().awaited.clone()
}

#[test]
fn what_a_futex_is() {
    let (join, other) = (0x109, OTHER as u64);
    let it = (OTHER, b"it".to_vec());
    assert_eq!(awaited(Some(makes(0x5000)), join, other), Some(Awaited::End(OTHER, b"it".to_vec())));
    assert_eq!(awaited(Some(makes(0x5008)), join, other), None, "another word is cleared at its end");
    assert_eq!(awaited(None, join, other), Some(Awaited::End(OTHER, b"it".to_vec())), "it was attached to");
    assert_eq!(awaited(None, join, 4711), None, "the word holds another id");
    assert_eq!(awaited(None, 0x80, 2), Some(Awaited::Lock(Some(it.clone()))));
    assert_eq!(awaited(None, 0x86, 0), Some(Awaited::Lock(Some(it))));
    assert_eq!(awaited(None, 0x189, 0), None, "a condition variable, a semaphore: what lies behind is no owner");
    assert_eq!(awaited(None, 0x18b, 0), Some(Awaited::Condition));
}

/// Since when the thread has not got on, after calls that took so long, one after the other.
fn idle_since(calls: &[(&str, &[u64], i64, Ns)]) -> Option<Ns> {
    let mut tracker = Tracker::default();
    tracker.event(&spawned(FIRST, 0), &());
    let mut now = 0;
    for (name, args, value, took) in calls {
        let call = call(FIRST, name, args, Outcome::Value(*value));
        tracker.event(&Event::Exit(&Call { entered: Some(now), returned: now + took, ..call }), &());
        now += took;
    }
    tracker.thread(FIRST).unwrap().idle_since
}

#[test]
fn a_clock_gets_nobody_on() {
    let read = ("read", &[3, 0, 9][..], 9, 10);
    let poll = ("poll", &[0x1000, 1, 1000][..], 0, SECOND);
    let meter = ("write", &[2, 0, 70][..], 70, 10);
    let look = ("poll", &[0x1000, 1, 0][..], 0, 10);
    assert_eq!(idle_since(&[read, poll, meter, poll, meter]), Some(10), "a progress meter");
    assert_eq!(idle_since(&[read, poll, look, meter, poll]), Some(10));
    assert_eq!(idle_since(&[poll, meter, read]), None);
    assert_eq!(idle_since(&[poll, meter, ("poll", &[0x1000, 1, 1000], 1, 10)]), None, "it came");
    assert_eq!(idle_since(&[read, look, meter]), None, "it draws, and looks for keys");
    let sleep = ("nanosleep", &[][..], 0, SECOND);
    assert_eq!(idle_since(&[sleep, meter]), None, "it does its work once a second");
    assert_eq!(idle_since(&[("poll", &[0, 0, 1000], 0, SECOND), meter]), None, "poll as a sleep");
    let frames: Vec<_> = [poll].into_iter().chain([look, meter].into_iter().cycle().take(40)).collect();
    assert_eq!(idle_since(&frames), None, "it waited once, and draws since");
}

#[test]
fn a_join_of_a_thread_that_is_killed() {
    let mut tracker = Tracker::default();
    tracker.event(&spawned(FIRST, 0), &());
    tracker.event(&forked(FIRST, OTHER, FIRST, 0), &());
    tracker.event(&Event::Exit(&makes(0x5000)), &());
    let join = call(FIRST, "futex", &[0x5000, 0x109, OTHER as u64], Outcome::Pending);
    tracker.event(&Event::Enter(&join), &());
    // The kernel clears the word before the first thread has seen its own end.
    tracker.event(&Event::Killed { tid: OTHER, signal: 14, core: false, at: 5 }, &());
    tracker.event(&Event::Exit(&Call { outcome: Outcome::Value(0), ..join }), &());
    tracker.event(&Event::Killed { tid: FIRST, signal: 14, core: false, at: 6 }, &());
    assert_eq!(tracker.wait(FIRST).unwrap().awaited.as_ref().unwrap().thread(), Some(OTHER));
}
