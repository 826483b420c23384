//! The time of calls of one kind, by the threads that made them: only time on the critical path makes a run longer.

use rustc_hash::FxHashMap;
use stride_event::{Ns, Tid};
use stride_track::CriticalPath;

/// At most this many threads are told apart for one kind of call. The time of later ones counts like that of the
/// others.
const MAX_THREADS: usize = 64;

#[derive(Clone, Copy, Default, Debug)]
pub struct CallCost {
    pub calls: u64,
    /// Time inside the call, without what chance added.
    pub time: Ns,
}

impl CallCost {
    /// The time of so many of these calls.
    pub fn of(&self, calls: u64) -> Ns {
        (u128::from(self.time) * u128::from(calls) / u128::from(self.calls.max(1))) as Ns
    }
}

/// Calls of one kind about one thing, with the time of each thread.
#[derive(Clone, Default, Debug)]
pub struct KindTally {
    pub cost: CallCost,
    /// The time that threads computed after such a call, until their next one.
    pub work_after: Ns,
    /// Calls that hardly waited, if calls of this kind about this thing may have to.
    quick: Option<Box<Quick>>,
    /// The thread of the latest call. Most often, there is no other.
    latest: (Tid, Ns),
    others: Vec<(Tid, Ns)>,
}

/// A call that takes so many times as long as the shortest one has waited.
const WAITED: Ns = 4;

/// The calls that took hardly longer than the shortest one.
#[derive(Clone, Copy, Debug)]
struct Quick {
    least: Ns,
    cost: CallCost,
}

impl Quick {
    fn add(&mut self, time: Ns) {
        if time.saturating_mul(WAITED) < self.least {
            // All calls before this one have waited.
            self.cost = CallCost::default();
        }
        self.least = self.least.min(time.max(1));
        if time <= self.least.saturating_mul(WAITED) {
            self.cost.calls += 1;
            self.cost.time += time;
        }
    }
}

impl KindTally {
    /// Adds a call that may have had to wait for the other end of a pipe or the like.
    pub fn add_waiting(&mut self, tid: Tid, time: Ns) {
        let new = || Box::new(Quick { least: Ns::MAX, cost: CallCost::default() });
        self.quick.get_or_insert_with(new).add(time);
        self.add(tid, time);
    }

    /// The calls by which one of them is priced: their time contains no waiting.
    pub fn prices(&self) -> CallCost {
        self.quick.as_ref().map_or(self.cost, |quick| quick.cost)
    }

    pub fn add(&mut self, tid: Tid, time: Ns) {
        self.cost.calls += 1;
        self.cost.time += time;
        if self.latest.0 != tid {
            let known = self.others.iter().rposition(|(known, _)| *known == tid);
            let own = known.map_or((tid, 0), |at| self.others.swap_remove(at));
            let before = std::mem::replace(&mut self.latest, own);
            if before.0 != 0 && self.others.len() < MAX_THREADS {
                self.others.push(before);
            }
        }
        self.latest.1 += time;
    }

    /// The part of the time that is on the critical path, from 0 to 1.
    pub fn on_path(&self, path: &CriticalPath) -> f64 {
        let each = || self.others.iter().chain([&self.latest]);
        let all: Ns = each().map(|(_, time)| time).sum();
        if all == 0 {
            return 1.0;
        }
        each().map(|(tid, time)| path.share(*tid) * *time as f64).sum::<f64>() / all as f64
    }
}

/// Time that a rule measured by itself, such as waiting, by the threads that lost it.
#[derive(Clone, Default)]
pub struct LostTime(FxHashMap<Tid, Ns>);

/// At most this many threads are told apart. Later ones count as if they were on the path.
const MAX_LOSERS: usize = 1 << 12;

impl LostTime {
    pub fn add(&mut self, tid: Tid, time: Ns) {
        let tid = if self.0.len() < MAX_LOSERS || self.0.contains_key(&tid) { tid } else { 0 };
        *self.0.entry(tid).or_default() += time;
    }

    pub fn total(&self) -> Ns {
        self.0.values().sum()
    }

    /// The number of threads that lost much of the time: half of an equal share or more.
    pub fn threads(&self) -> u64 {
        let share = self.total() / self.0.len().max(1) as Ns;
        self.0.values().filter(|time| **time * 2 >= share).count() as u64
    }

    /// True if one thread lost all of it.
    pub fn is_of_one(&self) -> bool {
        self.0.len() == 1
    }

    /// The part of the time for which the run waited.
    pub fn on_path(&self, path: &CriticalPath) -> Ns {
        self.0.iter().map(|(tid, time)| (*time as f64 * path.share(*tid)) as Ns).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_has_no_price() {
        let mut tally = KindTally::default();
        for time in [900_000, 1_000, 1_200, 50_000, 800_000, 1_400] {
            tally.add_waiting(1, time);
        }
        let CallCost { calls, time } = tally.prices();
        assert_eq!((calls, time, tally.cost.calls), (3, 3_600, 6));
    }

    #[test]
    fn times_of_threads_add_up() {
        let mut tally = KindTally::default();
        for tid in [1, 1, 2, 1, 2, 3, 3, 1] {
            tally.add(tid, 10);
        }
        assert_eq!((tally.cost.calls, tally.cost.time), (8, 80));
        let mut times: Vec<_> = tally.others.iter().copied().chain([tally.latest]).collect();
        times.sort_unstable();
        assert_eq!(times, [(1, 40), (2, 20), (3, 20)]);
        for tid in 0..1000 {
            tally.add(tid, 1);
        }
        assert!(tally.others.len() <= MAX_THREADS);
        assert_eq!(tally.cost.calls, 1008);
    }
}
