//! Signals that are never delivered, and whose receiver was in a call: they are shown behind that call, as ptrace
//! shows them, with the call's stack. (`bpf/signals.h` reports them when they are sent.)

use crate::wire::rec_signal;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use stride_event::{Stack, Tid};

/// How many are held in all: some 4 MiB. If there are more, a thread's oldest ones are shown before its call ends.
const MOST: usize = 1 << 16;

#[derive(Default)]
pub struct HeldSignals {
    held: HashMap<Tid, OfThread>,
    count: usize,
}

#[derive(Default)]
struct OfThread {
    signals: VecDeque<rec_signal>,
    /// The stack of the call that they are shown behind, once that call has returned.
    stack: Option<Arc<Stack>>,
}

impl HeldSignals {
    /// Holds a signal. Returns another one if there is no room.
    pub fn hold(&mut self, tid: Tid, signal: rec_signal) -> Option<rec_signal> {
        self.held.entry(tid).or_default().signals.push_back(signal);
        self.count += 1;
        if self.count > MOST { self.next(tid).map(|(signal, _)| signal) } else { None }
    }

    /// A call of the thread returned that had this stack.
    #[inline]
    pub fn returned(&mut self, tid: Tid, stack: Option<&Arc<Stack>>) {
        if self.count > 0
            && let Some(thread) = self.held.get_mut(&tid)
        {
            thread.stack = stack.cloned();
        }
    }

    /// Removes and returns the oldest held signal of a thread, with the stack that it interrupted.
    pub fn next(&mut self, tid: Tid) -> Option<(rec_signal, Option<Arc<Stack>>)> {
        if self.count == 0 {
            return None;
        }
        let thread = self.held.get_mut(&tid)?;
        let signal = thread.signals.pop_front().map(|signal| (signal, thread.stack.clone()));
        self.count -= usize::from(signal.is_some());
        if thread.signals.is_empty() {
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
        assert_eq!(signals.next(7).unwrap().0.info[0], 1);
        signals.renamed(7, 6);
        assert!(signals.next(7).is_none());
        assert_eq!([2, 3].map(|_| signals.next(6).unwrap().0.info[0]), [2, 3]);
        assert!(signals.next(6).is_none());
        assert_eq!(signals.next(8).unwrap().0.info[0], 9);
        assert!(signals.held.is_empty() && signals.count == 0);
    }

    #[test]
    fn they_have_the_stack_of_the_call_that_was_left() {
        let mut signals = HeldSignals::default();
        let stack = Arc::new(Stack { frames: [].into(), bottom: stride_event::Bottom::Reached });
        signals.returned(7, Some(&stack));
        assert!(signals.hold(7, signal(1)).is_none());
        assert!(signals.hold(8, signal(2)).is_none());
        signals.returned(7, Some(&stack));
        assert!(signals.next(7).unwrap().1.is_some_and(|of| Arc::ptr_eq(&of, &stack)));
        assert!(signals.next(8).unwrap().1.is_none());
        assert!(signals.hold(7, signal(3)).is_none());
        assert!(signals.next(7).unwrap().1.is_none());
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
