//! Running where the tracee runs.
//!
//! A stop costs several times as much if tracer and tracee run on different CPUs: each has to wake the other's CPU
//! from idle, in a virtual machine through the hypervisor. The kernel by itself keeps them apart, because it wakes a
//! thread on an idle CPU if there is one. So the tracer moves to the tracee's CPU. The tracee's own affinity is never
//! changed:
//!
//! - The tracer allows itself only the CPU where the tracee last ran (among the CPUs the user left it).
//! - The tracer becomes `SCHED_IDLE`. The kernel regards a CPU that runs only such threads as idle, and wakes the
//!   tracee there. Otherwise the tracee would move to the next idle CPU at every stop. Leaving `SCHED_IDLE` needs
//!   CAP_SYS_NICE.
//!
//! An idle-priority thread hardly runs if another thread wants the CPU, and its tracees would wait with it. So:
//!
//! - The tracer begins free, and moves only if the machine has a CPU to spare ([`Place::has_room`]: fewer other
//!   threads run than there are CPUs).
//! - It looks again every [`ROOM`], and leaves if there is no room any more.
//! - A thread of normal priority watches, and frees a tracer that does not get to run ([`crate::rescue`]).
//!
//! Running beside the tracee pays off for one tracee that makes call after call. It does not where several tracees
//! run in parallel. No rule distinguished these cases as well as trying: the cost of stops in [`Mode::Beside`] is
//! compared with their cost in a window of [`Mode::Free`]. The kernel may move the tracee at any time, so if stops
//! become slow, the tracer first assumes that the tracee has moved. After each failed trial, the distance to the next
//! one doubles. This takes no system call, except for the look for room, a change of mode, and slow stops.

use stride_event::{Ns, Tid};

/// The machine's CPUs, as this module needs them.
pub trait Place {
    /// True if moving makes sense at all.
    fn may_move(&self) -> bool;
    /// True if there is a CPU for every thread that wants one.
    fn has_room(&mut self) -> bool;
    /// The CPU where this thread last ran, if the tracer may go there.
    fn cpu_of(&mut self, tid: Tid) -> Option<usize>;
    /// Moves to this CPU as an idle-priority thread. False if that failed.
    fn come(&mut self, cpu: usize) -> bool;
    /// Moves back to the CPUs the user left the tracer, with its own priority.
    fn leave(&mut self);
    /// Notes that the tracer runs beside this thread.
    fn joined(&mut self, tid: Tid);
    /// True if the tracer was freed because it did not get to run.
    fn was_rescued(&self) -> bool;
}

/// Stops in a window in which the cost of being free is measured.
const WINDOW: u32 = 256;
/// The same for the first window: a short program ends before a whole window is over.
const FIRST: u32 = CHUNK;
/// Stops after which the tracer checks whether being beside still pays.
const CHUNK: u32 = 16;
/// Being beside fails when slow chunks exceed quick ones by this much. A slow chunk counts twice if the tracee had
/// not moved.
const PATIENCE: u32 = 16;
/// If stops are rarer than this on average, there is nothing to gain.
const RARE: Ns = 200_000;
/// A longer pause counts as this long: it is the tracee's own.
const PAUSE: Ns = 1_000_000;
/// Stops from a failed trial to the next one: the first time, and at most.
const AGAIN: u32 = 1 << 10;
const RARELY: u32 = 1 << 18;
/// Time between two looks for room.
const ROOM: Ns = 1_000_000;
/// The tracer leaves after so many looks without room in a row, because some kernel thread often runs for a moment.
const CROWDED: u32 = 2;
/// Stops for which a verdict holds.
const STANDS: u32 = 1 << 16;
/// The same for the verdict after the short first window.
const STANDS_FIRST: u32 = 1 << 9;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Free,
    /// On this CPU.
    Beside(usize),
}

#[derive(Debug)]
pub struct Affinity<P: Place> {
    mode: Mode,
    place: P,
    /// Stops in the current window.
    window: u32,
    /// The current window or chunk: stops, time spent, time of the latest stop.
    stops: u32,
    spent: Ns,
    last: Ns,
    /// The time of the latest look for room, and how many looks in a row found none.
    looked: Ns,
    crowded: u32,
    /// The time that a chunk took when the tracer was free.
    free: Ns,
    slow: u32,
    /// Stops until the next trial, or until the verdict ends.
    left: u32,
    distance: u32,
}

impl<P: Place> Affinity<P> {
    pub fn new(place: P) -> Affinity<P> {
        Affinity {
            mode: Mode::Free,
            place,
            window: FIRST,
            stops: 0,
            spent: 0,
            last: 0,
            looked: 0,
            crowded: 0,
            free: 0,
            slow: 0,
            left: 0,
            distance: AGAIN,
        }
    }

    /// A thread stopped at a system call.
    #[inline]
    pub fn at_stop(&mut self, tid: Tid, now: Ns) {
        if !self.place.may_move() {
            return;
        }
        if self.last == 0 {
            self.last = now;
        }
        self.stops += 1;
        self.spent += now.saturating_sub(self.last).min(PAUSE);
        self.last = now;
        let shares_cpu = self.mode != Mode::Free;
        if shares_cpu {
            if self.place.was_rescued() {
                return self.give_up();
            }
            self.place.joined(tid);
        }
        if self.stops >= if shares_cpu { CHUNK } else { self.window } {
            let spent = std::mem::replace(&mut self.spent, 0);
            let stops = std::mem::replace(&mut self.stops, 0);
            self.left = self.left.saturating_sub(stops);
            if shares_cpu { self.shared_chunk(tid, spent, now) } else { self.free(tid, spent, now) }
        }
    }

    fn free(&mut self, tid: Tid, spent: Ns, now: Ns) {
        let window = std::mem::replace(&mut self.window, WINDOW);
        if self.left == 0 && spent < RARE * Ns::from(window) && self.place.has_room() {
            (self.looked, self.crowded) = (now, 0);
            self.free = spent / Ns::from(window / CHUNK);
            self.slow = 0;
            self.left = if window == FIRST { STANDS_FIRST } else { STANDS };
            self.come(tid);
        }
    }

    fn shared_chunk(&mut self, tid: Tid, spent: Ns, now: Ns) {
        if now.saturating_sub(self.looked) >= ROOM {
            self.looked = now;
            self.crowded = if self.place.has_room() { 0 } else { self.crowded + 1 };
            if self.crowded >= CROWDED {
                // If the crowd was a passing one, the tracer soon returns: the next window ends with a look.
                self.left = 0;
                return self.leave();
            }
        }
        if spent > self.free / 4 * 3 {
            self.slow += if self.come(tid) { 1 } else { 2 };
        } else {
            self.slow = self.slow.saturating_sub(1);
        }
        if self.slow >= PATIENCE {
            self.give_up();
        } else if self.left == 0 {
            // It went well. Measure again what being free would cost.
            self.distance = AGAIN;
            self.leave();
        }
    }

    /// Leaves, each time for longer.
    fn give_up(&mut self) {
        self.leave();
        self.left = self.distance;
        self.distance = (self.distance * 2).min(RARELY);
    }

    /// Moves to the CPU where this thread last ran. False if the tracer is there already, or must not go.
    fn come(&mut self, tid: Tid) -> bool {
        let Some(cpu) = self.place.cpu_of(tid).filter(|&cpu| self.mode != Mode::Beside(cpu)) else { return false };
        self.place.joined(tid);
        let moved = self.place.come(cpu);
        if moved {
            self.mode = Mode::Beside(cpu);
        }
        moved
    }

    fn leave(&mut self) {
        (self.stops, self.spent) = (0, 0);
        if self.mode != Mode::Free {
            self.mode = Mode::Free;
            self.place.leave();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A made-up machine.
    #[derive(Debug)]
    struct Stage {
        room: bool,
        rescued: bool,
        cpu: Option<usize>,
        log: Vec<&'static str>,
    }

    impl Place for Stage {
        fn may_move(&self) -> bool {
            true
        }
        fn has_room(&mut self) -> bool {
            self.room
        }
        fn cpu_of(&mut self, _: Tid) -> Option<usize> {
            self.cpu
        }
        fn come(&mut self, _: usize) -> bool {
            self.log.push("come");
            self.rescued = false;
            true
        }
        fn leave(&mut self) {
            self.log.push("leave");
        }
        fn joined(&mut self, _: Tid) {}
        fn was_rescued(&self) -> bool {
            self.rescued
        }
    }

    struct Run {
        affinity: Affinity<Stage>,
        now: Ns,
    }

    impl Run {
        fn new(room: bool) -> Run {
            let stage = Stage { room, rescued: false, cpu: Some(1), log: Vec::new() };
            Run { affinity: Affinity::new(stage), now: 1 }
        }

        /// Makes so many stops. A stop costs 90 µs if the tracer is free.
        fn stops(&mut self, n: u32, beside: Ns) -> &[&'static str] {
            self.affinity.place.log.clear();
            for _ in 0..n {
                self.now += if self.affinity.mode == Mode::Free { 90_000 } else { beside };
                self.affinity.at_stop(7, self.now);
            }
            &self.affinity.place.log
        }
    }

    #[test]
    fn comes_where_there_is_room_and_stays_while_it_pays() {
        let mut run = Run::new(true);
        assert_eq!(run.stops(FIRST - 1, 10_000), [""; 0], "the first guess is to be free");
        assert_eq!(run.stops(1, 10_000), ["come"]);
        // It measures again now and then.
        assert_eq!(run.stops(STANDS_FIRST + WINDOW, 10_000), ["leave", "come"]);
        assert_eq!(run.stops(STANDS - CHUNK, 10_000), [""; 0]);
    }

    #[test]
    fn never_comes_where_others_want_the_cpus() {
        let mut run = Run::new(false);
        assert_eq!(run.stops(100_000, 10_000), [""; 0]);
        run.affinity.place.room = true;
        assert_eq!(run.stops(WINDOW, 10_000), ["come"], "soon after the others have gone");
    }

    #[test]
    fn goes_when_others_come() {
        let mut run = Run::new(true);
        run.stops(FIRST + CHUNK, 10_000);
        run.affinity.place.room = false;
        let most = CROWDED * (ROOM.div_ceil(10_000) as u32 + CHUNK);
        assert_eq!(run.stops(most, 10_000), ["leave"]);
        assert_eq!(run.stops(100_000, 10_000), [""; 0]);
    }

    #[test]
    fn a_rescue_ends_it_at_the_next_stop_and_trials_become_rare() {
        let mut run = Run::new(true);
        run.stops(FIRST, 10_000);
        let mut distance = AGAIN;
        for _ in 0..10 {
            run.affinity.place.rescued = true;
            assert_eq!(run.stops(1, 3_000_000), ["leave"]);
            assert_eq!(run.stops(distance - WINDOW, 10_000), [""; 0]);
            assert_eq!(run.stops(2 * WINDOW, 10_000), ["come"]);
            distance = (distance * 2).min(RARELY);
        }
    }

    #[test]
    fn leaves_when_it_does_not_pay() {
        let mut run = Run::new(true);
        run.stops(FIRST, 10_000);
        assert_eq!(run.stops(PATIENCE * CHUNK, 90_000), ["leave"]);
    }
}
