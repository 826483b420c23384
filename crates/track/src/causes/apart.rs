//! The time of each process, or of each thread, apart from that of others.

use crate::causes::path_parts::ActivityId;
use crate::causes::shares::TimeSpent;
use crate::causes::spent::{CallCount, Spent};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use stride_event::{Ns, Tid};

/// A process, or one of its threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeOwner {
    pub pid: Tid,
    /// If the time is that of one thread.
    pub tid: Option<Tid>,
    /// The name under which most of the time passed.
    pub comm: Box<[u8]>,
}

/// The time of a process or of a thread, by activity.
#[derive(Default)]
struct OwnerSum {
    parts: BTreeMap<ActivityId, f64>,
    threads: usize,
}

impl Spent {
    /// Where the time of each process went, or of each thread: those with most time first. An id of a thread that came again is one thread.
    pub fn apart(&mut self, by_thread: bool) -> Vec<(TimeOwner, TimeSpent)> {
        let tids: Vec<Tid> = self.threads.keys().copied().collect();
        tids.into_iter().for_each(|tid| self.settle(tid));
        let mut owners: BTreeMap<(Tid, Option<Tid>), OwnerSum> = BTreeMap::new();
        for (&tid, time) in &self.threads {
            let mut pids: Vec<Tid> = Vec::new();
            for &(id, part) in &time.spent {
                let pid = self.party_in(id).pid;
                let sum = owners.entry((pid, by_thread.then_some(tid))).or_default();
                *sum.parts.entry(id).or_default() += part as f64;
                if !pids.contains(&pid) {
                    sum.threads += 1;
                    pids.push(pid);
                }
            }
        }
        let whole = |((pid, tid), sum): ((Tid, Option<Tid>), OwnerSum)| {
            let mut shares = self.shares(&sum.parts);
            let mut names: BTreeMap<&[u8], Ns> = BTreeMap::new();
            for share in &mut shares {
                // Calls are counted for each process, and not for each thread. Who had the CPU is known for all processes of a name.
                share.cpu_taken_by = None;
                if by_thread {
                    share.calls = CallCount::default();
                }
                *names.entry(&share.who.comm).or_default() += share.time;
            }
            let comm = names.into_iter().max_by_key(|(_, time)| *time).map(|(comm, _)| comm.into()).unwrap_or_default();
            let (total, threads) = (shares.iter().map(|share| share.time).sum(), sum.threads);
            let spent = TimeSpent { total, threads, measured: self.measured, shares, ..TimeSpent::default() };
            (TimeOwner { pid, tid, comm }, spent)
        };
        let mut all: Vec<_> = owners.into_iter().map(whole).collect();
        all.sort_by_key(|(owner, spent)| (Reverse(spent.total), owner.pid, owner.tid));
        all
    }
}
