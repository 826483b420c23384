//! The account of the time with one name for threads of a pool, which only their numbers tell apart.

use crate::causes::shares::{TimeByChain, TimeShare, TimeSpent, Who, common};
use crate::causes::spent::Activity;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use stride_event::{Comm, NamedThread, Tid, Waker};

/// The characters before the number of a thread.
const BEFORE_NUMBER: &[u8] = b"-_#:/ ";

/// The name of a thread without the number at its end: the threads of a pool are called `worker-1`, `worker-2` and so on.
pub fn family(comm: &[u8]) -> &[u8] {
    let end = comm.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    let name = &comm[..end];
    if has_numbers(name) { name } else { comm }
}

/// True for a family's name that does without a number.
pub fn has_numbers(family: &[u8]) -> bool {
    family.last().is_some_and(|last| BEFORE_NUMBER.contains(last))
}

impl TimeSpent {
    /// The same account with one name, such as `worker-N`, for the threads of each family of which there are several. Parts of the time that have become the
    /// same are one.
    pub fn by_family(&self) -> TimeSpent {
        let families = Families::of(&self.shares);
        if families.0.is_empty() {
            return self.clone();
        }
        let mut places: FxHashMap<(Box<[u8]>, Activity), usize> = FxHashMap::default();
        let mut merged: Vec<(TimeShare, TimeByChain, BTreeMap<Option<Who>, u64>)> = Vec::new();
        for share in &self.shares {
            let who = families.who(&share.who);
            let activity = families.activity(share.activity);
            let place = *places.entry((who.comm.clone(), activity)).or_insert_with(|| {
                let share = TimeShare {
                    time: 0,
                    activity,
                    who,
                    calls: Default::default(),
                    kept_by_strangers: 0,
                    ..share.clone()
                };
                merged.push((share, BTreeMap::new(), BTreeMap::new()));
                merged.len() - 1
            });
            let (sum, chains, takers) = &mut merged[place];
            sum.time += share.time;
            sum.calls += share.calls;
            sum.kept_by_strangers += share.kept_by_strangers;
            let mut chain = Vec::new();
            for wait in share.awaited_by.iter().map(|(who, on)| (families.who(who), *on)) {
                // Members of a family that wait for each other are one.
                if !chain.contains(&wait) {
                    chain.push(wait);
                }
            }
            *chains.entry(chain).or_default() += share.time;
            *takers.entry(share.cpu_taken_by.as_ref().map(|who| families.who(who))).or_default() += share.time;
        }
        let mut shares: Vec<TimeShare> = merged
            .into_iter()
            .map(|(share, chains, takers)| {
                let mostly = takers.into_iter().find(|(_, time)| *time > share.time / 2);
                TimeShare { awaited_by: common(&chains), cpu_taken_by: mostly.and_then(|(taker, _)| taker), ..share }
            })
            .collect();
        shares.sort_by_key(|share| std::cmp::Reverse(share.time));
        TimeSpent { shares, ..self.clone() }
    }
}

/// The families with several names, each with the process that all of these belong to.
struct Families(FxHashMap<Box<[u8]>, Option<Tid>>);

impl Families {
    fn of(shares: &[TimeShare]) -> Families {
        let mut names: BTreeMap<&[u8], BTreeMap<&[u8], Option<Tid>>> = BTreeMap::new();
        for share in shares {
            let waiting = share.awaited_by.iter().map(|(who, _)| who);
            for who in waiting.chain([&share.who]).chain(&share.cpu_taken_by) {
                names.entry(family(&who.comm)).or_default().insert(&who.comm, who.pid);
            }
            if let Activity::Asleep(_, _, Some(Waker::Thread(thread, _))) = &share.activity {
                names.entry(family(thread.name())).or_default().entry(thread.name()).or_insert(Some(thread.process));
            }
        }
        let families = names.into_iter().filter(|(_, members)| members.len() > 1);
        let process = |members: BTreeMap<&[u8], Option<Tid>>| {
            let first = members.values().next().copied().flatten();
            first.filter(|first| members.values().all(|pid| *pid == Some(*first)))
        };
        Families(families.map(|(name, members)| (name.into(), process(members))).collect())
    }

    fn who(&self, who: &Who) -> Who {
        match self.0.get(family(&who.comm)) {
            Some(pid) => Who { comm: [family(&who.comm), b"N"].concat().into(), pid: *pid },
            None => who.clone(),
        }
    }

    fn activity(&self, activity: Activity) -> Activity {
        let Activity::Asleep(on, kind, Some(Waker::Thread(thread, call))) = activity else { return activity };
        let Some(pid) = self.0.get(family(thread.name())) else { return activity };
        let mut comm = Comm::default();
        let name = [family(thread.name()), b"N"].concat();
        comm.iter_mut().zip(name).for_each(|(to, byte)| *to = byte);
        let process = pid.unwrap_or(thread.process);
        let thread = NamedThread { tid: process, process, comm };
        Activity::Asleep(on, kind, Some(Waker::Thread(thread, call)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::spent::{CallCount, CallOn};
    use stride_event::{Ns, WaitKind};
    use stride_syscalls::Abi;

    const WAIT: CallOn = CallOn { abi: Abi::X86_64, nr: 202, object: None };

    fn named(comm: &str) -> Who {
        Who { comm: comm.as_bytes().into(), pid: Some(7) }
    }

    fn share(comm: &str, time: Ns, activity: Activity, waiting: &[&str]) -> TimeShare {
        TimeShare {
            time,
            activity,
            who: named(comm),
            calls: CallCount { calls: 1, interrupted: 0 },
            awaited_by: waiting.iter().map(|comm| (named(comm), WAIT)).collect(),
            cpu_taken_by: None,
            kept_by_strangers: 0,
        }
    }

    fn woken_by(comm: &str) -> Activity {
        let mut bytes = Comm::default();
        bytes.iter_mut().zip(comm.bytes()).for_each(|(to, byte)| *to = byte);
        let thread = NamedThread { tid: 9, process: 7, comm: bytes };
        Activity::Asleep(WAIT, WaitKind::Blocked, Some(Waker::Thread(thread, None)))
    }

    fn names(shares: Vec<TimeShare>) -> Vec<(String, Ns, u64, Vec<String>)> {
        let text = |comm: &[u8]| String::from_utf8_lossy(comm).into_owned();
        let spent = TimeSpent { shares, ..TimeSpent::default() }.by_family();
        let told = spent.shares.into_iter().map(|share| {
            let waiting = share.awaited_by.iter().map(|(who, _)| text(&who.comm)).collect();
            (text(&share.who.comm), share.time, share.calls.calls, waiting)
        });
        told.collect()
    }

    #[test]
    fn a_pool_has_one_name() {
        let told = names(vec![
            share("main", 50, Activity::Computing, &[]),
            share("worker-1", 40, Activity::Computing, &["worker-2", "worker-3", "main"]),
            share("worker-2", 30, Activity::Computing, &["worker-1", "main"]),
        ]);
        let waiting = || vec!["worker-N".to_owned(), "main".to_owned()];
        assert_eq!(told, [("worker-N".into(), 70, 2, waiting()), ("main".into(), 50, 1, Vec::new())]);
    }

    #[test]
    fn wakers_of_a_pool_are_one() {
        let told = names(vec![
            share("main", 20, woken_by("worker-1"), &[]),
            share("main", 10, woken_by("worker-2"), &[]),
            share("main", 5, woken_by("other"), &[]),
        ]);
        assert_eq!(told, [("main".into(), 30, 2, Vec::new()), ("main".into(), 5, 1, Vec::new())]);
    }

    #[test]
    fn a_single_number_stays() {
        let told = names(vec![share("worker-1", 40, Activity::Computing, &["python3"])]);
        assert_eq!(told, [("worker-1".into(), 40, 1, vec!["python3".into()])]);
    }
}
