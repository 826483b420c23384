//! The table of where the time went.

use crate::causes::chains::{Chains, Leaf};
use crate::causes::critical_path::CriticalPath;
use crate::causes::path_parts::{ActivityId, ThreadWaits};
use crate::causes::spent::{Activity, CallCount, CallOn, Party, Spent, whole};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use stride_event::{Ns, Tid, WaitKind};

/// A part of the time.
#[derive(Clone, Debug)]
pub struct TimeShare {
    pub time: Ns,
    pub activity: Activity,
    pub who: Who,
    /// The number of all such calls of these threads, on the critical path or not.
    pub calls: CallCount,
    /// The waits that were open for more than half of the time, innermost first: a thread waited for this one, another for that one, and so on.
    pub awaited_by: Vec<(Who, CallOn)>,
    /// The threads that had the CPU before this one got it, for more than half of the time that this one waited for a CPU.
    pub cpu_taken_by: Option<Who>,
    /// The time in which this one waited for a CPU that a thread had which is not traced. (Only the account of the run tells this.)
    pub kept_by_strangers: Ns,
}

/// The name of threads, and their process, if it is the only one with that name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Who {
    pub comm: Box<[u8]>,
    pub pid: Option<Tid>,
}

/// Where the time went.
#[derive(Clone, Debug, Default)]
pub struct TimeSpent {
    pub total: Ns,
    /// The run from its beginning to its end, on its critical path. Else the time of all threads together.
    pub of_run: bool,
    /// The threads whose time this is.
    pub threads: usize,
    /// Threads that were in one call all the time. Theirs is left out.
    pub idle: usize,
    /// The engine measured waits.
    pub measured: bool,
    /// The largest first.
    pub shares: Vec<TimeShare>,
}

impl Spent {
    /// Where the time of the run went: that of its critical path, if there is one. Else the time of all threads.
    pub fn report(&mut self, path: Option<&CriticalPath>) -> TimeSpent {
        let tids: Vec<Tid> = self.threads.keys().copied().collect();
        tids.into_iter().for_each(|tid| self.settle(tid));
        let mut spent = TimeSpent { of_run: path.is_some(), measured: self.measured, ..TimeSpent::default() };
        // Ordered, so that the same run has the same report.
        let mut sums: BTreeMap<ActivityId, f64> = BTreeMap::new();
        let none = ThreadWaits::default();
        for (&tid, time) in &self.threads {
            if path.is_none() && time.calls == 0 {
                spent.idle += 1;
                continue;
            }
            let parts = match path {
                None => whole(&time.spent),
                Some(path) => path.chains().thread(tid).map_or_else(Vec::new, |on_path| {
                    on_path.parts(&time.spent, path.waits(tid).unwrap_or(&none), &self.sleeping_calls)
                }),
            };
            spent.threads += usize::from(!parts.is_empty());
            for (id, part) in parts {
                *sums.entry(id).or_default() += part;
            }
        }
        spent.shares = self.shares(&sums);
        self.tell_strangers(&mut spent.shares);
        if let Some(path) = path {
            self.tell_who_waited(&mut spent.shares, path.chains());
        }
        spent.total = spent.shares.iter().map(|share| share.time).sum();
        spent
    }

    /// Processes of one name are one party. On a CPU, the thing that a call is about says nothing.
    pub(super) fn shares(&self, sums: &BTreeMap<ActivityId, f64>) -> Vec<TimeShare> {
        let names = Names::of(sums.keys().map(|id| self.party_in(*id)));
        let mut merged: Vec<TimeShare> = Vec::new();
        let mut places: FxHashMap<(&[u8], Activity), usize> = FxHashMap::default();
        for (id, time) in sums {
            let mut activity = self.told(*id);
            match &mut activity {
                Activity::InCall(on) if self.measured => on.object = None,
                // Without measured waits, no call is known better.
                Activity::Unmeasured(on) if !self.measured => activity = Activity::InCall(*on),
                _ => {}
            }
            let party = self.party_in(*id);
            let place = *places.entry((&party.comm, activity)).or_insert_with(|| {
                let (who, calls) = (names.who(party), CallCount::default());
                let cpu_taken_by =
                    matches!(activity, Activity::Off(WaitKind::Runnable)).then(|| self.taker(&party.comm)).flatten();
                let awaited_by = Vec::new();
                merged.push(TimeShare {
                    time: 0,
                    activity,
                    who,
                    calls,
                    awaited_by,
                    cpu_taken_by,
                    kept_by_strangers: 0,
                });
                merged.len() - 1
            });
            merged[place].time += time.round() as Ns;
            merged[place].calls += self.counts.get(*id as usize).copied().unwrap_or_default();
        }
        merged.retain(|share| share.time > 0);
        merged.sort_by_key(|share| std::cmp::Reverse(share.time));
        merged
    }

    /// The threads that had the CPU last, in waits of more than half of the time in which threads of this name waited for one.
    fn taker(&self, comm: &[u8]) -> Option<Who> {
        let taken =
            self.takers.iter().filter(|((waiting, _), _)| *self.parties.things[*waiting as usize].comm == *comm);
        let names = Names::of(taken.clone().filter_map(|((_, taker), _)| taker.as_ref()));
        let mut times: BTreeMap<Option<Who>, Ns> = BTreeMap::new();
        for ((_, taker), time) in taken {
            *times.entry(taker.as_ref().map(|taker| names.who(taker))).or_default() += time;
        }
        let all: Ns = times.values().sum();
        times.into_iter().find(|(_, time)| *time > all / 2)?.0
    }

    /// Tells of the times in which threads waited for a CPU how much of that a thread which is not traced had the CPU before they got it. (A CPU may also have been
    /// idle, and takes a moment to begin.)
    fn tell_strangers(&self, shares: &mut [TimeShare]) {
        let traced: FxHashSet<&[u8]> = self.parties.things.iter().map(|party| &*party.comm).collect();
        // By the name of those that waited: all the time, and that of strangers.
        let mut waited: FxHashMap<&[u8], (Ns, Ns)> = FxHashMap::default();
        for ((waiting, taker), time) in &self.takers {
            let (all, strangers) = waited.entry(&self.parties.things[*waiting as usize].comm).or_default();
            *all += time;
            *strangers += if taker.as_ref().is_some_and(|taker| !traced.contains(&*taker.comm)) { *time } else { 0 };
        }
        for share in shares.iter_mut().filter(|share| share.activity == Activity::Off(WaitKind::Runnable)) {
            let (all, strangers) = waited.get(&*share.who.comm).copied().unwrap_or_default();
            share.kept_by_strangers = (share.time as f64 * (strangers as f64 / all.max(1) as f64)) as Ns;
        }
    }

    pub(super) fn party_in(&self, id: ActivityId) -> &Party {
        &self.parties.things[self.activities.things[id as usize].0 as usize]
    }

    /// The activity with its waker as the table tells it.
    fn told(&self, id: ActivityId) -> Activity {
        let (party, activity) = self.activities.things[id as usize];
        match activity {
            Activity::Asleep(on, kind, Some(waker)) => Activity::Asleep(on, kind, Some(self.wakers.told(party, waker))),
            other => other,
        }
    }

    /// Tells of the largest share of each wait, and of each party at work, who waited meanwhile.
    fn tell_who_waited(&self, shares: &mut [TimeShare], chains: &Chains) {
        let above = chains.iter().flat_map(|(_, above, _)| above);
        let names = Names::of(above.map(|id| self.party_in(*id)));
        // By name, and by wait if it is one.
        let mut by_leaf: FxHashMap<(&[u8], Option<Activity>), TimeByChain> = FxHashMap::default();
        for (leaf, above, time) in chains.iter() {
            let (party, activity) = match leaf {
                Leaf::Waits(id) => (self.party_in(id), Some(self.told(id))),
                Leaf::Works(tid) => {
                    let Some(thread) = self.threads.get(&tid) else { continue };
                    (&self.parties.things[thread.party as usize], None)
                }
            };
            // Threads that take turns wait for each other again and again.
            let mut waits = Vec::new();
            for wait in above.iter().rev().filter_map(|id| self.wait_of(*id, &names)) {
                if !waits.contains(&wait) {
                    waits.push(wait);
                }
            }
            *by_leaf.entry((&party.comm, activity)).or_default().entry(waits).or_default() += time;
        }
        for share in shares {
            let is_wait = matches!(share.activity, Activity::Asleep(..))
                || by_leaf.contains_key(&(&share.who.comm, Some(share.activity)));
            let leaf = (&share.who.comm[..], is_wait.then_some(share.activity));
            // Once for each leaf.
            let Some(chains) = by_leaf.remove(&leaf) else { continue };
            share.awaited_by = common(&chains);
        }
    }

    fn wait_of(&self, id: ActivityId, names: &Names<'_>) -> Option<(Who, CallOn)> {
        let on = self.activities.things[id as usize].1.call()?;
        Some((names.who(self.party_in(id)), *on))
    }
}

/// Threads that waited for each other, innermost first, and for how long these did.
pub(super) type TimeByChain = BTreeMap<Vec<(Who, CallOn)>, Ns>;

/// The waits that were open for more than half of the time: the longest beginning that such chains have in common.
pub(super) fn common(chains: &TimeByChain) -> Vec<(Who, CallOn)> {
    let all: Ns = chains.values().sum();
    let mut beginning: Vec<(Who, CallOn)> = Vec::new();
    loop {
        let mut next: BTreeMap<&(Who, CallOn), Ns> = BTreeMap::new();
        for (chain, time) in chains {
            if let Some((wait, _)) = chain.strip_prefix(&beginning[..]).and_then(|rest| rest.split_first()) {
                *next.entry(wait).or_default() += time;
            }
        }
        match next.into_iter().find(|(_, time)| *time > all / 2) {
            Some((wait, _)) => beginning.push(wait.clone()),
            None => return beginning,
        }
    }
}

/// The processes of parties, by name. `None`: there are several.
struct Names<'a>(FxHashMap<&'a [u8], Option<Tid>>);

impl<'a> Names<'a> {
    fn of(parties: impl Iterator<Item = &'a Party>) -> Names<'a> {
        let mut pids = FxHashMap::default();
        for party in parties {
            let pid = pids.entry(&party.comm[..]).or_insert(Some(party.pid));
            if *pid != Some(party.pid) {
                *pid = None;
            }
        }
        Names(pids)
    }

    fn who(&self, party: &Party) -> Who {
        Who { comm: party.comm.clone(), pid: self.0.get(&party.comm[..]).copied().flatten() }
    }
}
