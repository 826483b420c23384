//! The processes of a run as a tree, with their counts, in bounded memory. Views describe each in their own way.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;
use stride_event::{Ns, Tid};
use stride_track::{Process, Tracker};

/// Up to twice this number of processes are kept, and all living ones, up to `LIVING`.
const ROOM: usize = 500;
const LIVING: usize = 1 << 16;

/// Unique in a run, unlike a pid.
pub type Serial = u32;

/// `L`: what a view says of a process.
pub struct ProcessNode<L> {
    pub pid: Tid,
    parent: Option<Serial>,
    pub label: L,
    pub from: Ns,
    pub to: Option<Ns>,
    pub end: NodeEnd,
    pub threads: u64,
    pub calls: u64,
    pub errors: u64,
    pub busy: Ns,
    /// The number of descendants that were dropped.
    pub more: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeEnd {
    /// The process did not end.
    None,
    Exit(i32),
    Signal {
        signal: i32,
        core: bool,
    },
}

/// Describes a process by the programs that it runs.
pub type Describe<L> = Box<dyn Fn(&Process) -> L>;

pub struct Processes<L> {
    room: usize,
    living: usize,
    all: HashMap<Serial, ProcessNode<L>>,
    live: HashMap<Tid, Serial>,
    next: Serial,
    /// The number of dropped processes without a parent.
    more: u64,
    pub count: u64,
    pub threads: u64,
    /// The number of processes from which on some are dropped.
    limit: usize,
    describe: Describe<L>,
    /// The first process's command, as captured.
    first_command: Rc<Vec<Vec<u8>>>,
}

/// All processes: parents before their children, and siblings by age.
pub struct ProcessRows<L> {
    /// Each with its depth in the tree.
    pub rows: Vec<(ProcessNode<L>, usize)>,
    /// The number of dropped processes without a parent.
    pub more: u64,
    /// The place of each process among the rows.
    pub places: HashMap<Serial, usize>,
}

impl<L: Default> Processes<L> {
    pub fn new(describe: Describe<L>) -> Processes<L> {
        Processes::with(ROOM, describe)
    }

    pub fn with(room: usize, describe: Describe<L>) -> Processes<L> {
        let (all, live) = Default::default();
        let (limit, first_command) = (2 * room, Rc::default());
        Processes {
            room,
            living: LIVING,
            all,
            live,
            next: 0,
            more: 0,
            count: 0,
            threads: 0,
            limit,
            describe,
            first_command,
        }
    }

    /// The same for labels that are large: no more than so many living processes are kept.
    pub fn with_living(self, living: usize) -> Processes<L> {
        Processes { living, ..self }
    }

    pub fn started(&mut self, tid: Tid, pid: Tid, at: Ns, tracker: &Tracker) -> Serial {
        self.threads += 1;
        if tid == pid {
            self.live.remove(&pid);
        }
        let serial = self.serial(pid, at, tracker);
        if let Some(it) = self.all.get_mut(&serial) {
            it.threads += 1;
        }
        serial
    }

    /// The process that has this id now.
    pub fn serial(&mut self, pid: Tid, at: Ns, tracker: &Tracker) -> Serial {
        if let Some(&serial) = self.live.get(&pid) {
            return serial;
        }
        if self.all.len() >= self.limit {
            self.prune(false, self.room);
            if self.all.len() > self.living {
                self.prune(true, self.living / 2);
            }
            // The search among the living found too few to drop. The next search waits until there are many more.
            self.limit = (2 * self.all.len()).max(2 * self.room);
        }
        let serial = self.next;
        self.next = self.next.wrapping_add(1);
        let known = tracker.process(pid);
        let parent = known.and_then(|it| it.parent).and_then(|parent| self.live.get(&parent)).copied();
        let label = known.map(|it| (self.describe)(it)).unwrap_or_default();
        self.count += 1;
        self.live.insert(pid, serial);
        let process = ProcessNode {
            pid,
            parent,
            label,
            from: at,
            to: None,
            end: NodeEnd::None,
            threads: 0,
            calls: 0,
            errors: 0,
            busy: 0,
            more: 0,
        };
        self.all.insert(serial, process);
        serial
    }

    pub fn call(&mut self, pid: Tid, at: Ns, took: Ns, failed: bool, tracker: &Tracker) -> Serial {
        let serial = self.serial(pid, at, tracker);
        if let Some(it) = self.all.get_mut(&serial) {
            // After a loss, a call may come before its process's start.
            it.from = it.from.min(at);
            it.calls += 1;
            it.errors += u64::from(failed);
            it.busy += took;
        }
        serial
    }

    /// The process now runs something else.
    pub fn renamed(&mut self, pid: Tid, tracker: &Tracker) {
        let (Some(serial), Some(known)) = (self.live.get(&pid).copied(), tracker.process(pid)) else { return };
        if serial == 0 {
            self.first_command = known.command.clone();
        }
        let label = (self.describe)(known);
        if let Some(it) = self.all.get_mut(&serial) {
            it.label = label;
        }
    }

    /// The description of the living process with this id.
    pub fn label(&mut self, pid: Tid) -> Option<&mut L> {
        self.all.get_mut(self.live.get(&pid)?).map(|it| &mut it.label)
    }

    /// Adds to the description of the first process. `add` gets its command as captured.
    pub fn complete(&mut self, add: impl FnOnce(&[Vec<u8>], &mut L)) {
        if let Some(it) = self.all.get_mut(&0) {
            add(&self.first_command, &mut it.label);
        }
    }

    /// A thread ended. The end of a process's first thread is reported when all threads have ended.
    pub fn exited(&mut self, tid: Tid, at: Ns, status: i32) {
        self.ended(tid, at, NodeEnd::Exit(status));
    }

    pub fn killed(&mut self, tid: Tid, at: Ns, signal: i32, core: bool) {
        self.ended(tid, at, NodeEnd::Signal { signal, core });
    }

    fn ended(&mut self, tid: Tid, at: Ns, end: NodeEnd) {
        if let Some(it) = self.live.remove(&tid).and_then(|serial| self.all.get_mut(&serial)) {
            (it.to, it.end) = (Some(at), end);
        }
    }

    /// The process that came first: the command, or the first that was attached to.
    pub fn first(&self) -> Option<&ProcessNode<L>> {
        self.all.get(&0)
    }

    /// Drops the processes with the fewest calls, so that `room` are left. Their children move to the nearest kept
    /// ancestor.
    fn prune(&mut self, living: bool, room: usize) {
        let is_alive = |it: &ProcessNode<L>| self.live.contains_key(&it.pid) && it.to.is_none();
        // The first process stands for the whole run and is kept.
        let mut order: Vec<(u64, Serial)> = self
            .all
            .iter()
            .filter(|(serial, it)| (living || !is_alive(it)) && **serial != 0)
            .map(|(serial, it)| (it.calls, *serial))
            .collect();
        // Of equal processes, the latest is dropped first.
        order.sort_unstable_by_key(|&(calls, serial)| (calls, Reverse(serial)));
        order.truncate(self.all.len().saturating_sub(room));
        let mut gone: HashMap<Serial, Option<Serial>> =
            order.iter().map(|(_, serial)| (*serial, self.all[serial].parent)).collect();
        // Parents are older than their children. In order of age, each finds its parent's nearest kept ancestor already
        // known.
        let mut oldest: Vec<Serial> = gone.keys().copied().collect();
        oldest.sort_unstable();
        for serial in &oldest {
            let parent = gone[serial];
            if let Some(&kept) = parent.and_then(|parent| gone.get(&parent)) {
                gone.insert(*serial, kept);
            }
        }
        for serial in &oldest {
            let more = 1 + self.all.remove(serial).map_or(0, |it| it.more);
            match gone[serial].and_then(|parent| self.all.get_mut(&parent)) {
                Some(parent) => parent.more += more,
                None => self.more += more,
            }
        }
        for it in self.all.values_mut() {
            it.parent = it.parent.and_then(|parent| gone.get(&parent).copied().unwrap_or(Some(parent)));
        }
    }

    pub fn into_rows(mut self) -> ProcessRows<L> {
        if self.all.len() > self.room {
            self.prune(true, self.room);
        }
        let mut children: HashMap<Option<Serial>, Vec<Serial>> = HashMap::new();
        for (serial, it) in &self.all {
            let parent = it.parent.filter(|parent| self.all.contains_key(parent));
            children.entry(parent).or_default().push(*serial);
        }
        children.values_mut().for_each(|list| list.sort_by_key(|serial| Reverse((self.all[serial].from, *serial))));
        let mut rows = Vec::with_capacity(self.all.len());
        let mut places = HashMap::new();
        let mut due: Vec<(Serial, usize)> =
            children.remove(&None).unwrap_or_default().into_iter().map(|serial| (serial, 0)).collect();
        while let Some((serial, depth)) = due.pop() {
            let Some(row) = self.all.remove(&serial) else { continue };
            places.insert(serial, rows.len());
            rows.push((row, depth));
            due.extend(children.remove(&Some(serial)).unwrap_or_default().into_iter().map(|child| (child, depth + 1)));
        }
        ProcessRows { rows, more: self.more, places }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::{Event, StartKind};

    fn started(processes: &mut Processes<()>, tracker: &mut Tracker, pid: Tid, parent: Option<Tid>, at: Ns) {
        let origin = parent.map_or(StartKind::Spawned, |parent| StartKind::Forked { parent });
        tracker.event(&Event::Started { tid: pid, process: pid, origin, at }, &());
        processes.started(pid, pid, at, tracker);
    }

    fn ended(processes: &mut Processes<()>, tracker: &mut Tracker, pid: Tid, at: Ns) {
        tracker.event(&Event::Exited { tid: pid, status: 0, at }, &());
        processes.exited(pid, at, 0);
    }

    #[test]
    fn a_tree() {
        let (mut processes, mut tracker) = (Processes::new(Box::new(|_| ())), Tracker::default());
        started(&mut processes, &mut tracker, 1, None, 0);
        started(&mut processes, &mut tracker, 2, Some(1), 10);
        started(&mut processes, &mut tracker, 3, Some(1), 20);
        started(&mut processes, &mut tracker, 4, Some(2), 30);
        processes.call(4, 35, 5, true, &tracker);
        ended(&mut processes, &mut tracker, 4, 40);
        processes.killed(3, 50, 9, false);
        let data = processes.into_rows();
        let rows: Vec<_> = data.rows.iter().map(|(p, depth)| (p.pid, *depth, p.end, p.calls, p.errors)).collect();
        let (lives, killed) = (NodeEnd::None, NodeEnd::Signal { signal: 9, core: false });
        let expected = [(1, 0, lives, 0, 0), (2, 1, lives, 0, 0), (4, 2, NodeEnd::Exit(0), 1, 1), (3, 1, killed, 0, 0)];
        assert_eq!(rows, expected);
    }

    /// No process ends, and each is the child of the one before. A walk up the chain for each would take many minutes.
    #[test]
    fn a_long_chain_of_the_living() {
        const MANY: Tid = 300_000;
        let (mut processes, mut tracker) = (Processes::new(Box::new(|_| ())), Tracker::default());
        started(&mut processes, &mut tracker, 1, None, 0);
        let mut most = 0;
        for pid in 2..=MANY {
            started(&mut processes, &mut tracker, pid, Some(pid - 1), pid as Ns);
            most = most.max(processes.all.len());
        }
        assert!(most <= 2 * LIVING, "{most}");
        let data = processes.into_rows();
        assert_eq!((data.rows.len(), data.places.len(), data.rows[0].0.pid), (ROOM, ROOM, 1));
        assert_eq!(data.more + data.rows.iter().map(|(p, _)| p.more).sum::<u64>() + ROOM as u64, MANY as u64);
    }

    /// Each process starts the next and ends. Then one starts very many.
    #[test]
    fn very_many_stay_bounded() {
        for chain in [true, false] {
            let (mut processes, mut tracker) = (Processes::with(50, Box::new(|_| ())), Tracker::default());
            started(&mut processes, &mut tracker, 1, None, 0);
            for pid in 2..20_000 {
                started(&mut processes, &mut tracker, pid, Some(if chain { pid - 1 } else { 1 }), pid as Ns);
                let gone = if chain { pid - 1 } else { pid };
                ended(&mut processes, &mut tracker, gone, pid as Ns);
                assert!(processes.all.len() <= 104);
            }
            assert_eq!(processes.count, 19_999);
            let data = processes.into_rows();
            assert_eq!((data.rows.len(), data.places.len()), (50, 50));
            assert_eq!(data.more + data.rows.iter().map(|(p, _)| p.more).sum::<u64>() + 50, 19_999);
            assert_eq!(data.rows[0].0.pid, 1);
        }
    }
}
