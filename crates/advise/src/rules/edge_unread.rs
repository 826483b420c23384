//! A program waits for an edge-triggered descriptor of which it has not read everything.

use super::common::{Bounded, plain, process, thing};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::{is_asked, is_read, is_write};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{BYTES, RUN, TIMES, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use std::sync::Arc;
use stride_event::{Ns, Outcome, Stack, Tid};
use stride_syscalls::{Effect, For, Syscall, uapi::consts as c};
use stride_track::{ObjectId, Tracker};

const EDGE_WAIT_PART: Threshold =
    Threshold::part("edge-wait-part", 0.2, "the part of the run that waited behind reads that filled their buffers");
const EDGE_BUFFER: Threshold = Threshold::count("edge-buffer", 256, "the bytes of the smallest such buffer");

pub const RULE: RuleInfo = RuleInfo {
    id: "edge-unread",
    title: "not read to the end before an edge-triggered wait",
    explanation: "With EPOLLET, epoll_wait(2) tells of a descriptor only when something new comes. A program that reads one buffer full and waits again hears nothing of \
        the bytes that are left: they lie there until the other end sends more. If that waits for an answer, both wait for ever.\n\n\
        Reported is a descriptor whose last read, of at least 256 bytes, returned all that was asked for, if the program then waited at its epoll descriptor for a fifth \
        of the run. Most reads of the descriptor have to return less, so that records of one size do not count: nine of ten, or a quarter if the buffer is a multiple of 512 bytes. \
        Waits whose time ran out without news count whatever the reads were, if a read then finds bytes: they had been there. Nothing counts if a client asks again before its next read, or if a server sends something after the wait: then it had read all that it wanted.\n\n\
        Example: a gateway reads up to 4,096 bytes for each event. The first message of 9,000 bytes stops it for good. Reading until EAGAIN, or leaving EPOLLET out, mends \
        that (epoll(7), \"Level-triggered and edge-triggered\").",
    thresholds: &[EDGE_WAIT_PART, EDGE_BUFFER],
    make: || Box::new(EdgeUnread::default()),
};

#[derive(Default)]
struct EdgeUnread {
    /// By process and descriptor.
    watched: Bounded<(Tid, i32), Watched>,
    /// A wait of each thread whose time ran out: its epoll descriptor, and how long it waited.
    timed_out: Bounded<Tid, (i32, Ns)>,
    /// The descriptor of each process whose last read filled its buffer: it is the one that is waited for.
    full: Bounded<Tid, i32>,
    waits: Bounded<(Tid, ObjectId), Wait>,
}

/// A descriptor with EPOLLET.
#[derive(Default)]
struct Watched {
    epoll: i32,
    object: Option<ObjectId>,
    reads: u64,
    full_reads: u64,
    /// What the last read asked for and got.
    filled: Option<u64>,
    /// The same, if that was a buffer and not a small record.
    full: Option<u64>,
    read: Option<CallKey>,
    stack: Option<Arc<Stack>>,
    /// The waits since then, which count if the next thing that the process does with the descriptor is to find more bytes.
    unsure: Option<Wait>,
}

#[derive(Clone)]
struct Wait {
    waits: u64,
    time: Ns,
    bytes: u64,
    read: Option<CallKey>,
    stack: Option<Arc<Stack>>,
    reads: u64,
}

/// At most one read in so many may fill its buffer.
const RARELY: u64 = 10;
/// Buffers are multiples of this. Then reads fill them because there is more, unless nearly all do.
const BUFFER_UNIT: u64 = 512;

impl Rule for EdgeUnread {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Watches) || row.waits() == Some(For::Readiness) || is_read(row) || is_write(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        if observed.has(Effect::Watches) {
            self.watch(observed);
        } else if observed.row.waits() == Some(For::Readiness) {
            self.wait(observed);
        } else if is_read(observed.row) {
            self.read(observed);
        } else if let Some(watched) = descriptor(observed).and_then(|key| self.watched.get_mut(&key)) {
            // A client that asks, and a server that sends something after it has waited, have read all that they wanted. (A server may answer what it has read so far.)
            let asks = observed.seen.object.is_some_and(|object| is_asked(object, observed.tracker));
            if asks || watched.unsure.is_some() {
                (watched.filled, watched.full, watched.unsure) = (None, None, None);
            }
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let total = index.span();
        // Nobody came back to these, also because the program hangs.
        let unsure = self
            .watched
            .iter_mut()
            .filter_map(|((pid, _), watched)| Some((*pid, watched.object?, watched.unsure.take()?)));
        let unsure: Vec<_> = unsure.collect();
        unsure.into_iter().for_each(|(pid, object, wait)| self.count(pid, object, &wait, tracker));
        let long = self.waits.iter().filter(|(_, wait)| wait.time as f64 >= total as f64 * EDGE_WAIT_PART.ratio());
        let longest = long.max_by_key(|(key, wait)| (wait.time, Reverse(**key)));
        let Some((&(pid, object), wait)) = longest else { return Vec::new() };
        let comm = index.comm(pid, tracker);
        vec![Candidate {
            sentence: say!(
                "{} read {} from {}, all that it had asked for, and then waited with EPOLLET, which does not tell of bytes that are left: {} times, {} of the run's {}.",
                if comm.is_empty() { format!("process {pid}") } else { plain(comm) },
                BYTES.of(wait.bytes),
                plain(tracker.name(object)),
                TIMES.of(wait.waits),
                WAITED.of(wait.time),
                RUN.of(total),
            ),
            evidence: vec![thing(object, wait.waits, tracker), process(pid, comm, wait.waits)],
            advice: "Read until read(2) returns EAGAIN before you wait again, or leave EPOLLET out.".into(),
            confidence: Confidence::Possible,
            makers: wait.read.map(|key| (key, wait.reads)).into_iter().collect(),
            stacks: wait.stack.clone().map(|stack| (stack, wait.reads)).into_iter().collect(),
            estimate: "these waits".into(),
            whole_time: Some(wait.time),
            instead_of: &["timed-waits", "lock-step", "lost-time"],
            ..Candidate::default()
        }]
    }
}

impl EdgeUnread {
    fn watch(&mut self, observed: &Observed<'_>) {
        let key = (observed.seen.pid, observed.arg("fd") as i32);
        let events = observed.call.field("event", "events").unwrap_or(0);
        if !observed.ok() || events & c::EPOLLET == 0 || events & c::EPOLLIN == 0 {
            self.watched.remove(&key);
            return;
        }
        self.watched.make_room_of_ended(observed.tracker, |_| false);
        if let Some(watched) = self.watched.entry(key, Watched::default) {
            // Setting the descriptor again tells of what is there.
            watched.epoll = observed.arg("epfd") as i32;
            (watched.filled, watched.full, watched.unsure) = (None, None, None);
        }
    }

    fn count(&mut self, pid: Tid, object: ObjectId, wait: &Wait, tracker: &Tracker) {
        self.waits.make_room_of_ended(tracker, |wait| wait.time > 0);
        let Some(all) = self.waits.entry((pid, object), || Wait { waits: 0, time: 0, ..wait.clone() }) else { return };
        all.time += wait.time;
        all.waits += wait.waits;
        all.reads = all.reads.max(wait.reads);
    }

    fn read(&mut self, observed: &Observed<'_>) {
        let Some((pid, fd)) = descriptor(observed) else { return };
        let Some(watched) = self.watched.get_mut(&(pid, fd)) else { return };
        let unsure = watched.unsure.take();
        let room = ["count", "len", "size"].into_iter().find_map(|name| observed.call.arg(name)).unwrap_or(0);
        let got = match observed.call.outcome {
            Outcome::Value(got) => got as u64,
            _ => 0,
        };
        let waited = self.timed_out.remove(&observed.call.tid).filter(|(epoll, _)| *epoll == watched.epoll);
        // Nothing new had been told, so these bytes were there before the wait.
        let late = waited.zip(watched.filled);
        let late = late.map(|((_, time), bytes)| Wait { time, waits: 1, ..Wait::after(watched, bytes) });
        let left = [unsure, late].into_iter().flatten().filter(|_| got > 0);
        watched.object = observed.seen.object;
        watched.read = Some(observed.key);
        watched.reads += 1;
        // (The other end may be read by other functions.)
        watched.stack = observed.call.stack.clone().or(watched.stack.take());
        watched.filled = (got == room && got > 0).then_some(got);
        watched.full = watched.filled.filter(|got| *got >= EDGE_BUFFER.get());
        if watched.full.is_some() {
            watched.full_reads += 1;
            self.full.make_room_of_ended(observed.tracker, |_| false);
            self.full.remove(&pid);
            self.full.entry(pid, || fd);
        }
        if let Some(object) = observed.seen.object {
            left.for_each(|wait| self.count(pid, object, &wait, observed.tracker));
        }
    }

    /// A wait that is not for the descriptors of an epoll descriptor has no `epfd`.
    fn wait(&mut self, observed: &Observed<'_>) {
        let Some(epoll) = observed.call.arg("epfd").map(|epoll| epoll as i32) else { return };
        if self.is_behind_full_read(observed, epoll) || observed.call.outcome != Outcome::Value(0) {
            self.timed_out.remove(&observed.call.tid);
            return;
        }
        let time = observed.time_waiting();
        self.timed_out.make_room_of_ended(observed.tracker, |_| false);
        if let Some(latest) = self.timed_out.entry(observed.call.tid, || (epoll, time)) {
            *latest = (epoll, time);
        }
    }

    /// True if the wait counts, because the read before had filled a buffer.
    fn is_behind_full_read(&mut self, observed: &Observed<'_>, epoll: i32) -> bool {
        let pid = observed.seen.pid;
        let Some(watched) = self.full.get_mut(&pid).and_then(|fd| self.watched.get_mut(&(pid, *fd))) else {
            return false;
        };
        let Some(bytes) = watched.full else { return false };
        // (A program may ask for exactly what is to come, and records may be of one size.)
        let is_buffer = bytes.is_multiple_of(BUFFER_UNIT) && watched.full_reads * 4 <= watched.reads * 3;
        if watched.epoll != epoll || !is_buffer && watched.full_reads * RARELY > watched.reads {
            return false;
        }
        let mut wait = watched.unsure.take().unwrap_or_else(|| Wait::after(watched, bytes));
        wait.time += observed.time();
        wait.waits += 1;
        watched.unsure = Some(wait);
        true
    }
}

/// The process and the descriptor that a call reads or writes.
fn descriptor(observed: &Observed<'_>) -> Option<(Tid, i32)> {
    let fd = observed.call.arg("fd").or(observed.call.arg("sockfd"))?;
    Some((observed.seen.pid, fd as i32))
}

impl Wait {
    fn after(watched: &Watched, bytes: u64) -> Wait {
        Wait { waits: 0, time: 0, bytes, read: watched.read, stack: watched.stack.clone(), reads: watched.reads }
    }
}

#[cfg(test)]
mod tests {
    use crate::test_run::TestRun;
    use stride_event::{Event, Ns, Outcome, Phase, Tid};
    use stride_syscalls::uapi::consts as c;
    use stride_test_support::calls::{call, exited, holding, lasting, spawned};

    const MS: Ns = 1_000_000;
    const MAIN: Tid = 7;

    /// A client reads head and body of each answer, the body into a buffer of its very size, and then waits for its epoll descriptor.
    fn rounds(asks_again: bool) -> Vec<&'static str> {
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        let mut now = 1_000;
        let mut show = |name: &str, args: &[u64], value: i64, took: Ns| {
            let mut it = call(MAIN, name, args, Outcome::Value(value));
            if name == "epoll_ctl" {
                let event = [(c::EPOLLIN | c::EPOLLET).to_le_bytes(), 5u64.to_le_bytes()];
                let event = [&event[0][..4], &event[1][..]].concat();
                it = holding(it, Phase::Entry, args[3], &event);
            }
            run.show(Event::Exit(&lasting(it, now, took)));
            now += took + 10_000;
        };
        show("socket", &[c::AF_INET, c::SOCK_STREAM, 0], 5, 10);
        show("epoll_create1", &[0], 4, 10);
        show("epoll_ctl", &[4, c::EPOLL_CTL_ADD, 5, 0x9000], 0, 10);
        for _ in 0..20 {
            if asks_again {
                show("write", &[5, 0x1000, 100], 100, 10);
            }
            show("read", &[5, 0x2000, 4096], 300, 10);
            show("read", &[5, 0x4000, 16384], 16384, 10);
            show("epoll_wait", &[4, 0x3000, 8, u64::MAX], 1, 20 * MS);
        }
        run.show(exited(MAIN, now + 10));
        run.finding_ids()
    }

    #[test]
    fn a_client_that_asks_again_has_read_all_that_it_wanted() {
        assert_eq!(rounds(false), ["edge-unread"]);
        assert!(!rounds(true).contains(&"edge-unread"));
    }
}
