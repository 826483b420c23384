//! The threads, their tracks and their packet sequences.

use super::global;
use super::lane::PacketSequence;
use super::rate::Rate;
use super::waits::WaitTrack;
use crate::views::wakes::WakeFinder;
use std::collections::{HashMap, VecDeque};
use stride_event::{Call, CallWaits, Ns, Tid};
use stride_track::Tracker;

pub struct Tracks {
    threads: HashMap<Tid, ThreadTrack>,
    processes: HashMap<Tid, ProcessTrack>,
    /// Sequences of threads that have ended.
    free: Vec<PacketSequence>,
    /// Threads and their tracks, oldest first. Some have ended.
    order: VecDeque<(Tid, u64)>,
    /// Calls that woke others, by the tracks of both. (Only if waits are measured.)
    pub wakers: WakeFinder<u64, u64>,
    lanes: u64,
    track: u64,
    /// The beginning of the run. For threads that ran before, engines do not know the time of their start.
    began: Ns,
}

pub struct ThreadTrack {
    pub pid: Tid,
    pub track: u64,
    pub lane: PacketSequence,
    /// The call that the thread is in, if its entry was reported: its name and the time of its entry.
    pub open_call: Option<(&'static str, Ns)>,
    /// True if the slice of a call that does not return is open.
    pub open: bool,
    /// The slices of libraries' functions that are open.
    pub functions: u32,
    /// If it waited.
    waits: Option<WaitTrack>,
}

pub struct ProcessTrack {
    track: u64,
    threads: usize,
    pub rate: Rate,
}

/// The most strings for all sequences together, and the number that each may always keep.
const STRINGS: usize = 1 << 16;
const STRINGS_EACH: usize = 16;

/// The most threads that have a track at the same time. Each takes about a kilobyte, and a recording can name millions
/// in a few bytes each.
const MOST: usize = 1 << 16;
/// The most sequences that wait for a next thread.
const MOST_FREE: usize = 1 << 8;

impl Tracks {
    /// The numbers of tracks begin at `first`.
    pub fn new(first: u64, began: Ns) -> Tracks {
        Tracks {
            threads: HashMap::new(),
            processes: HashMap::new(),
            free: Vec::new(),
            order: VecDeque::new(),
            wakers: WakeFinder::default(),
            lanes: 1,
            track: first,
            began,
        }
    }

    /// The next number for a track or a flow.
    pub fn next(&mut self) -> u64 {
        self.track += 1;
        self.track
    }

    /// The thread, which is added if it is new.
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
        // If the id still has a thread, the end of that thread was lost.
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
        let thread = ThreadTrack { pid, track, lane, open_call: None, open: false, functions: 0, waits: None };
        self.threads.insert(tid, thread);
        if is_new {
            self.name(tid, at, tracker, out);
        } else {
            self.name_thread(tid, at, tracker, out);
        }
        self.order.push_back((tid, track));
        self.make_room(at, out);
    }

    /// Drops the oldest threads beyond the limit. A dropped thread that makes another call gets a new track.
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

    /// A packet sequence for a track: a free one, or a new one.
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

    /// Writes the names of a thread and its process.
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

    /// Writes the thread's name alone: the process's command may be long, and a process may have very many threads.
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
        self.wakers.ended(tid, at, |_, _| ());
        // If times jump back, no free sequence fits, and each new thread would search all of them.
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

    /// Writes the waits of a call that lasted until this time, to a track below that of the thread's calls.
    pub fn waits(&mut self, call: &Call, waits: &CallWaits, until: Ns, out: &mut Vec<u8>) {
        let (track, began) = (self.next(), self.began);
        let Some(thread) = self.threads.get_mut(&call.tid) else { return };
        let of_waits = thread.waits.get_or_insert_with(|| {
            global::waits_track(out, call.began().max(began), track, thread.track);
            WaitTrack { track, until: began }
        });
        of_waits.add(call, waits, until, out);
    }

    pub fn tids(&self) -> Vec<Tid> {
        let mut tids: Vec<Tid> = self.threads.keys().copied().collect();
        tids.sort_unstable();
        tids
    }
}
