//! Chains of threads that waited for a thread on the critical path: its parent or client, the thread that waited for that one, and so on.

use crate::causes::ended_wait::EndedWait;
use crate::causes::path_parts::{ActivityId, TimeOnPath, add};
use rustc_hash::FxHashMap;
use stride_event::{Ns, Tid};

/// The thread on the path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leaf {
    /// In a wait that no traced thread ended.
    Waits(ActivityId),
    Works(Tid),
}

/// The time of each leaf, by the waits that were open meanwhile, the outermost first.
#[derive(Default, Debug)]
pub struct Chains {
    times: FxHashMap<(Leaf, Box<[ActivityId]>), Ns>,
    /// The time of each thread on the path.
    threads: FxHashMap<Tid, TimeOnPath>,
}

/// The time in further chains is not told.
const MAX_CHAINS: usize = 1 << 16;
/// A longer chain has its innermost waits only.
const MAX_DEPTH: usize = 16;

impl Chains {
    /// The path goes back through this time of a thread. `behind`: the threads that the path came through, the latest last. `waits` has the waits of
    /// a thread in the order of their ends.
    pub fn adds<'a>(
        &mut self,
        tid: Tid,
        from: Ns,
        to: Ns,
        behind: &mut Vec<Tid>,
        waits: impl Fn(Tid) -> &'a [EndedWait],
    ) {
        behind.retain(|other| *other != tid);
        behind.drain(..behind.len().saturating_sub(MAX_DEPTH));
        // Between two of these moments no wait begins or ends.
        let mut moments = vec![from, to];
        for wait in behind.iter().flat_map(|other| within(waits(*other), from, to)) {
            moments.extend([wait.from, wait.to].into_iter().filter(|at| (from..to).contains(at)));
        }
        moments.sort_unstable();
        moments.dedup();
        for piece in moments.windows(2) {
            let above = who_waits(tid, piece[0], piece[1], behind, &waits);
            self.piece(tid, piece[0], piece[1], waits(tid), &above);
        }
        behind.push(tid);
    }

    fn piece(&mut self, tid: Tid, from: Ns, to: Ns, waits: &[EndedWait], above: &[ActivityId]) {
        let mut rest = to - from;
        for wait in within(waits, from, to).filter(|wait| wait.by.is_none()) {
            let part = (wait.to.min(to) - wait.from.max(from)).min(rest);
            self.add(Leaf::Waits(wait.activity), above, part);
            add(&mut self.threads.entry(tid).or_default().waits, wait.activity, part);
            rest -= part;
        }
        self.add(Leaf::Works(tid), above, rest);
        self.threads.entry(tid).or_default().works += rest;
    }

    fn add(&mut self, leaf: Leaf, above: &[ActivityId], time: Ns) {
        if time == 0 {
            return;
        }
        let key = (leaf, above.into());
        if self.times.len() < MAX_CHAINS || self.times.contains_key(&key) {
            *self.times.entry(key).or_default() += time;
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (Leaf, &[ActivityId], Ns)> {
        self.times.iter().map(|((leaf, above), time)| (*leaf, &above[..], *time))
    }

    /// The time of a thread on the path.
    pub fn thread(&self, tid: Tid) -> Option<&TimeOnPath> {
        self.threads.get(&tid)
    }
}

/// The waits that share some time with this one.
fn within(waits: &[EndedWait], from: Ns, to: Ns) -> impl Iterator<Item = &EndedWait> {
    waits[waits.partition_point(|wait| wait.to <= from)..].iter().take_while(move |wait| wait.from < to)
}

/// The waits at a time that a thread ended, or that a thread ended that waited for that one, and so on. The outermost comes first.
fn who_waits<'a>(
    tid: Tid,
    from: Ns,
    to: Ns,
    behind: &[Tid],
    waits: &impl Fn(Tid) -> &'a [EndedWait],
) -> Vec<ActivityId> {
    let (mut chain, mut above) = (vec![tid], Vec::new());
    for &other in behind.iter().rev() {
        let by_chain = |wait: &&EndedWait| wait.by.is_some_and(|(by, _)| chain.contains(&by));
        if let Some(wait) = within(waits(other), from, to).find(by_chain) {
            chain.push(other);
            above.push(wait.activity);
        }
    }
    above.reverse();
    above.dedup();
    above
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(chains: &Chains) -> Vec<(Leaf, Vec<ActivityId>, Ns)> {
        let mut all: Vec<_> = chains.iter().map(|(leaf, above, time)| (leaf, above.to_vec(), time)).collect();
        all.sort_by_key(|(leaf, above, _)| (above.clone(), matches!(leaf, Leaf::Works(_))));
        all
    }

    fn wait(from: Ns, to: Ns, activity: ActivityId, by: Tid) -> EndedWait {
        EndedWait { from, to, activity, by: Some((by, to)) }
    }

    /// Thread 1 waits for 2, and 2 for 3, which sleeps for a while. 4 waits for somebody else.
    #[test]
    fn each_moment_has_the_waits_that_were_open_then() {
        let waits = [
            vec![wait(50, 120, 1, 2)],
            vec![wait(30, 110, 2, 3)],
            vec![EndedWait { from: 40, to: 60, activity: 9, by: None }],
            vec![wait(0, 200, 4, 5)],
        ];
        let (mut chains, mut behind) = (Chains::default(), vec![4, 1, 2]);
        chains.adds(3, 10, 100, &mut behind, |tid| &waits[tid as usize - 1]);
        let expected = [
            (Leaf::Works(3), vec![], 20),
            (Leaf::Waits(9), vec![1, 2], 10),
            (Leaf::Works(3), vec![1, 2], 40),
            (Leaf::Waits(9), vec![2], 10),
            (Leaf::Works(3), vec![2], 10),
        ];
        assert_eq!(sorted(&chains), expected);
        assert_eq!(behind, [4, 1, 2, 3]);
    }

    /// A thread waits for a second thing, and the path came through that wait only.
    #[test]
    fn earlier_waits_of_the_same_thread_count() {
        let waits = [vec![wait(10, 50, 1, 2), wait(55, 70, 8, 2)], vec![]];
        let mut chains = Chains::default();
        chains.adds(2, 0, 60, &mut vec![1], |tid| &waits[tid as usize - 1]);
        let expected = [(Leaf::Works(2), vec![], 10 + 5), (Leaf::Works(2), vec![1], 40), (Leaf::Works(2), vec![8], 5)];
        assert_eq!(sorted(&chains), expected);
    }

    /// A hostile recording has chains of any length.
    #[test]
    fn memory_is_bounded() {
        let mut chains = Chains::default();
        let mut behind: Vec<Tid> = (1..1000).collect();
        for at in 0..2 * MAX_CHAINS as Ns {
            chains.adds(5000 + at as Tid, at, at + 1, &mut behind, |_| &[]);
        }
        assert_eq!(behind.len(), MAX_DEPTH + 1);
        assert_eq!(chains.times.len(), MAX_CHAINS);
    }
}
