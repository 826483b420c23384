//! Signals that are never delivered, and whose receiver was in a call: they are shown behind that call, as ptrace
//! shows them. (`bpf/signals.h` reports them when they are sent.)

use crate::wire::rec_signal;
use std::collections::{HashMap, VecDeque};
use stride_event::Tid;

/// How many are held in all: some 4 MiB. If there are more, a thread's oldest ones are shown before its call ends.
const MOST: usize = 1 << 16;

#[derive(Default)]
pub struct HeldSignals {
    held: HashMap<Tid, VecDeque<rec_signal>>,
    count: usize,
}

impl HeldSignals {
    /// Holds a signal. Returns another one if there is no room.
    pub fn hold(&mut self, tid: Tid, signal: rec_signal) -> Option<rec_signal> {
        self.held.entry(tid).or_default().push_back(signal);
        self.count += 1;
        if self.count > MOST { self.next(tid) } else { None }
    }

    /// Removes and returns the oldest held signal of a thread.
    pub fn next(&mut self, tid: Tid) -> Option<rec_signal> {
        if self.count == 0 {
            return None;
        }
        let signals = self.held.get_mut(&tid)?;
        let signal = signals.pop_front();
        self.count -= usize::from(signal.is_some());
        if signals.is_empty() {
            self.held.remove(&tid);
        }
        signal
    }

    /// Thread `old` goes on as `tid`, for which no signals are held.
    pub fn renamed(&mut self, old: Tid, tid: Tid) {
        if let Some(signals) = self.held.remove(&old) {
            self.held.insert(tid, signals);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(number: u64) -> rec_signal {
        rec_signal { info: [number, 0, 0, 0, 0, 0], ..rec_signal::default() }
    }

    #[test]
    fn they_come_in_order_and_follow_their_thread() {
        let mut signals = HeldSignals::default();
        for number in 1..=3 {
            assert!(signals.hold(7, signal(number)).is_none());
        }
        assert!(signals.hold(8, signal(9)).is_none());
        assert_eq!(signals.next(7).unwrap().info[0], 1);
        signals.renamed(7, 6);
        assert!(signals.next(7).is_none());
        assert_eq!([2, 3].map(|_| signals.next(6).unwrap().info[0]), [2, 3]);
        assert!(signals.next(6).is_none());
        assert_eq!(signals.next(8).unwrap().info[0], 9);
        assert!(signals.held.is_empty() && signals.count == 0);
    }

    #[test]
    fn what_finds_no_room_is_shown_sooner() {
        let mut signals = HeldSignals::default();
        for number in 0..MOST as u64 {
            assert!(signals.hold(7, signal(number)).is_none());
        }
        assert_eq!(signals.hold(7, signal(1)).unwrap().info[0], 0);
        assert_eq!(signals.hold(8, signal(5)).unwrap().info[0], 5);
        assert_eq!(signals.count, MOST);
    }
}
