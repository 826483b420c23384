//! Which threads there are, their tracks and packet sequences.

use super::global;
use super::lane::PacketSequence;
use super::rate::Rate;
use std::collections::{HashMap, VecDeque};
use stride_event::{Ns, Tid};
use stride_track::Tracker;

pub struct Tracks {
    threads: HashMap<Tid, ThreadTrack>,
    processes: HashMap<Tid, ProcessTrack>,
    /// Sequences of threads that are gone.
    free: Vec<PacketSequence>,
    /// Threads and their tracks, in the order of their beginning; some are gone.
    order: VecDeque<(Tid, u64)>,
    lanes: u64,
    track: u64,
    /// When all begins. Engines do not know when a thread did that was there before.
    began: Ns,
}

pub struct ThreadTrack {
    pub pid: Tid,
    pub track: u64,
    pub lane: PacketSequence,
    /// The call it is in, as far as was told: its name, and when it was entered.
    pub inside: Option<(&'static str, Ns)>,
    /// The slice of a call that does not return stands open.
    pub open: bool,
}

pub struct ProcessTrack {
    track: u64,
    threads: usize,
    pub rate: Rate,
}

/// Strings that all sequences together keep, and those that each may keep whatever others do.
const STRINGS: usize = 1 << 16;
const STRINGS_EACH: usize = 16;

/// Threads that have a track at the same time. Each takes about a kilobyte, and a recording names millions in a few bytes each.
const MOST: usize = 1 << 16;
/// Sequences that wait for the next thread.
const MOST_FREE: usize = 1 << 8;

impl Tracks {
    /// Tracks are numbered from `first` on.
    pub fn new(first: u64, began: Ns) -> Tracks {
        Tracks {
            threads: HashMap::new(),
            processes: HashMap::new(),
            free: Vec::new(),
            order: VecDeque::new(),
            lanes: 1,
            track: first,
            began,
        }
    }

    /// A number for a track or a flow.
    pub fn next(&mut self) -> u64 {
        self.track += 1;
        self.track
    }

    /// A thread that may not have been told of.
    pub fn thread(
        &mut self,
        tid: Tid,
        at: Ns,
        tracker: &Tracker,
        out: &mut Vec<u8>,
    ) -> (&mut ThreadTrack, &mut ProcessTrack) {
        if !self.threads.contains_key(&tid) {
            self.start(tid, tracker.thread(tid).map_or(tid, |thread| thread.pid), at, tracker, out);
        }
        let limit = (STRINGS / self.lanes as usize).max(STRINGS_EACH);
        let thread = self.threads.get_mut(&tid).expect("started just now");
        thread.lane.trim(limit, out);
        let process = self.processes.get_mut(&thread.pid).expect("a process is there as long as its threads");
        (thread, process)
    }

    pub fn start(&mut self, tid: Tid, pid: Tid, at: Ns, tracker: &Tracker, out: &mut Vec<u8>) {
        let at = at.max(self.began);
        // The end of a thread that is there already was lost.
        self.end(tid, at, out);
        let track = self.next();
        let process_track = self.next();
        let known = self.processes.len();
        let process = self.processes.entry(pid).or_insert_with(|| ProcessTrack {
            track: process_track,
            threads: 0,
            rate: Rate::new(at),
        });
        process.threads += 1;
        let is_new = self.processes.len() > known;
        let lane = self.open_lane(track, at, out);
        let thread = ThreadTrack { pid, track, lane, inside: None, open: false };
        self.threads.insert(tid, thread);
        if is_new {
            self.name(tid, at, tracker, out);
        } else {
            self.name_thread(tid, at, tracker, out);
        }
        self.order.push_back((tid, track));
        self.make_room(at, out);
    }

    /// Gives up the oldest threads beyond the limit: should they go on, they begin again on another track.
    fn make_room(&mut self, at: Ns, out: &mut Vec<u8>) {
        if self.order.len() > 2 * MOST {
            let threads = &self.threads;
            self.order.retain(|(tid, track)| threads.get(tid).is_some_and(|thread| thread.track == *track));
        }
        while self.threads.len() > MOST
            && let Some((tid, track)) = self.order.pop_front()
        {
            if self.threads.get(&tid).is_some_and(|thread| thread.track == track) {
                self.end(tid, at, out);
            }
        }
    }

    /// A packet sequence for a track: one that is free again, or a new one.
    pub fn open_lane(&mut self, track: u64, at: Ns, out: &mut Vec<u8>) -> PacketSequence {
        match self.free.iter().rposition(|lane| lane.last() <= at) {
            Some(i) => {
                let mut lane = self.free.swap_remove(i);
                lane.turn_to(track, out);
                lane
            }
            None => {
                self.lanes += 1;
                PacketSequence::new(self.lanes, track, at, out)
            }
        }
    }

    /// Writes what a thread and its process are called.
    pub fn name(&self, tid: Tid, at: Ns, tracker: &Tracker, out: &mut Vec<u8>) {
        let at = at.max(self.began);
        let Some(thread) = self.threads.get(&tid) else { return };
        if let Some(process) = self.processes.get(&thread.pid) {
            match tracker.process(thread.pid) {
                Some(known) => global::process(out, at, process.track, thread.pid, &known.comm, &known.command),
                None => global::process(out, at, process.track, thread.pid, b"", &[]),
            }
        }
        self.name_thread(tid, at, tracker, out);
    }

    /// Leaves out the process: its command may be long, and it may have very many threads.
    fn name_thread(&self, tid: Tid, at: Ns, tracker: &Tracker, out: &mut Vec<u8>) {
        let Some(thread) = self.threads.get(&tid) else { return };
        let name = tracker.thread(tid).map_or(&b""[..], |known| &known.comm);
        global::thread(out, at, thread.track, thread.pid, tid, name);
    }

    pub fn get(&mut self, tid: Tid) -> Option<&mut ThreadTrack> {
        self.threads.get_mut(&tid)
    }

    pub fn end(&mut self, tid: Tid, at: Ns, out: &mut Vec<u8>) {
        let Some(thread) = self.threads.remove(&tid) else { return };
        // Where times jump back, none of these serves, and all would be looked through for each thread.
        if self.free.len() < MOST_FREE {
            self.free.push(thread.lane);
        }
        let Some(process) = self.processes.get_mut(&thread.pid) else { return };
        process.threads -= 1;
        if process.threads == 0
            && let Some(process) = self.processes.remove(&thread.pid)
        {
            let track = self.next();
            global::counter(out, at, track, Some(process.track), &process.rate);
        }
    }

    pub fn tids(&self) -> Vec<Tid> {
        let mut tids: Vec<Tid> = self.threads.keys().copied().collect();
        tids.sort_unstable();
        tids
    }
}
