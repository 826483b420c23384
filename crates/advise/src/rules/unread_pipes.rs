//! A process reads its children's pipes one after the other, and children cannot go on because their pipes are full.

use super::common::{Bounded, count_stack, plain, process};
use crate::counts::index::{Index, Observed};
use crate::counts::kinds::{is_read, is_write};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{PID, PIPES, PROCESSES, RUN, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use std::sync::Arc;
use stride_event::{Ns, Stack, Tid};
use stride_syscalls::Syscall;
use stride_track::{ObjectId, ObjectKind, Tracker};

const UNREAD_PIPE_PART: Threshold = Threshold::part(
    "unread-pipe-part",
    0.2,
    "the part of the run in which a child could not write, while the reader waited for another pipe",
);

pub const RULE: RuleInfo = RuleInfo {
    id: "unread-pipes",
    title: "pipes that are read one after the other",
    explanation: "A process starts several children at the same time, and reads what they write to pipes: all of the first, then all of the second, and so on. A pipe holds 64 KiB. A child that has written so much waits until its \
        turn comes, so the children work one after the other.\n\n\
        Reported is a process that waited in reads of one pipe while another one, which it read later, was full, and the writer of that waited, if that took a fifth of the run for one child. The estimate is that time of the child that waited for longest.\n\n\
        Read from all pipes as bytes come: with poll(2), selectors or asyncio in Python, a thread or goroutine for each child, streams in Node.js. Or let the children write to files. If a child writes a little more than 64 KiB, a larger pipe is enough (F_SETPIPE_SZ in fcntl(2)). \
        It is fine if the children have to take turns anyway.\n\n\
        Example: a report starts six exports with Popen(stdout=PIPE) and calls communicate() on one after the other. Each export works for 0.3 s and writes 2 MiB: 1.7 s. With a thread that reads for each, 0.4 s.",
    thresholds: &[UNREAD_PIPE_PART],
    make: || Box::new(UnreadPipes::default()),
};

#[derive(Default)]
struct UnreadPipes {
    pipes: Bounded<ObjectId, WrittenPipe>,
    readers: Bounded<Tid, PipeReader>,
}

/// A pipe that is written or read.
#[derive(Default)]
struct WrittenPipe {
    /// When anything was read from it for the first time.
    first_read: Option<Ns>,
    /// The process that waited because nothing had been read yet, and its wait. (If two pipes are merged, one is full while the other has nothing, and that is as it must be.)
    full: Option<(Tid, Waits)>,
}

/// A process that reads from pipes.
#[derive(Default)]
struct PipeReader {
    /// Its waits for the pipes, in their order: those for one pipe in a row are one entry.
    waits: Vec<(ObjectId, Waits)>,
    stacks: Vec<(Arc<Stack>, u64)>,
}

/// Waits in a row, from the begin of the first to the end of the last.
#[derive(Clone, Copy)]
struct Waits {
    began: Ns,
    ended: Ns,
    waited: Ns,
}

/// A process that reads its pipes one after the other.
struct InTurn<'r> {
    pid: Tid,
    reader: &'r PipeReader,
    /// The pipes that it read.
    pipes: u64,
    /// The processes that waited.
    writers: Vec<(Tid, Ns)>,
}

/// Shorter waits do not say that a pipe is full for long.
const WAIT_AT_LEAST: Ns = 1_000_000;
const MOST_WAITS: usize = 1024;
const MOST_STACKS: usize = 32;

impl Rule for UnreadPipes {
    fn wants(&self, row: &'static Syscall) -> bool {
        is_read(row) || is_write(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let is_pipe = |object: &ObjectId| observed.tracker.kind(*object) == ObjectKind::Pipe;
        let Some(pipe) = observed.seen.object.filter(is_pipe) else { return };
        let (pid, ended, waited) = (observed.seen.pid, observed.call.returned, observed.time_waiting());
        let waits = Waits { began: ended.saturating_sub(waited), ended, waited };
        self.pipes.make_room(|pipe| pipe.full.is_some());
        let Some(written) = self.pipes.entry(pipe, WrittenPipe::default) else { return };
        if is_write(observed.row) {
            if waited >= WAIT_AT_LEAST && written.first_read.is_none_or(|read| waits.began < read) {
                written.full.get_or_insert((pid, waits));
            }
            return;
        }
        written.first_read.get_or_insert(ended);
        if waited < WAIT_AT_LEAST {
            return;
        }
        self.readers.make_room_of_ended(observed.tracker, |reader| reader.waits.len() > 1);
        let Some(reader) = self.readers.entry(pid, PipeReader::default) else { return };
        let has_room = reader.waits.len() < MOST_WAITS;
        match reader.waits.last_mut() {
            Some((of, row)) if *of == pipe => (row.ended, row.waited) = (ended, row.waited + waited),
            _ if has_room => reader.waits.push((pipe, waits)),
            _ => {}
        }
        if let Some(stack) = &observed.call.stack {
            count_stack(&mut reader.stacks, MOST_STACKS, stack, observed.call.stack_calls.into());
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let least = index.own_span() as f64 * UNREAD_PIPE_PART.ratio();
        let in_turn = self.readers.iter().map(|(pid, reader)| self.in_turn(*pid, reader));
        let Some(worst) =
            in_turn.filter(|it| it.longest() as f64 >= least.max(1.0)).max_by_key(|it| (it.longest(), Reverse(it.pid)))
        else {
            return Vec::new();
        };
        let comm = index.comm(worst.pid, tracker);
        let mut writers = worst.writers.clone();
        writers.sort_by_key(|(pid, waited)| (Reverse(*waited), *pid));
        let of_writer = |(pid, waited): &(Tid, Ns)| {
            let mut evidence = process(*pid, index.comm(*pid, tracker), 0);
            evidence.time = Some(*waited);
            evidence
        };
        vec![Candidate {
            sentence: say!(
                "{} (pid {}) read {} pipes one after the other. Meanwhile, {} processes could not write, because their pipes were full: one of them waited for {} of the run's {}.",
                plain(comm),
                PID.id(worst.pid),
                PIPES.of(worst.pipes),
                PROCESSES.of(worst.writers.len() as u64),
                WAITED.of(worst.longest()),
                RUN.of(index.own_span()),
            ),
            evidence: [process(worst.pid, comm, 0)].into_iter().chain(writers.iter().take(3).map(of_writer)).collect(),
            advice: "Read from all pipes as bytes come: with poll(2), selectors or asyncio, or a thread for each child; or let the children write to files. If a child writes little more than the pipe holds, make the pipe larger (F_SETPIPE_SZ)."
                .into(),
            confidence: Confidence::Likely,
            stacks: worst.reader.stacks.clone(),
            perhaps_more: worst.longest(),
            estimate: "the time in which the child that waited for longest could not write".into(),
            matters: true,
            instead_of: &["lost-time", "timed-waits", "children-in-turn"],
            ..Candidate::default()
        }]
    }
}

impl UnreadPipes {
    fn in_turn<'r>(&self, pid: Tid, reader: &'r PipeReader) -> InTurn<'r> {
        let mut pipes: Vec<ObjectId> = reader.waits.iter().map(|(pipe, _)| *pipe).collect();
        pipes.sort_unstable();
        pipes.dedup();
        let writers = pipes.iter().filter_map(|pipe| {
            let (writer, full) = self.pipes.get(pipe)?.full.filter(|(writer, _)| *writer != pid)?;
            let others = reader.waits.iter().filter(|(of, _)| of != pipe);
            // The reader waited for other pipes for most of that time.
            let elsewhere: Ns = others.map(|(_, waits)| waits.within(&full)).sum();
            (elsewhere * 2 >= full.waited).then_some((writer, full.waited))
        });
        InTurn { pid, reader, pipes: pipes.len() as u64, writers: writers.collect() }
    }
}

impl InTurn<'_> {
    fn longest(&self) -> Ns {
        self.writers.iter().map(|(_, waited)| *waited).max().unwrap_or(0)
    }
}

impl Waits {
    /// The part of the waiting that lies within another wait, if these are spread evenly.
    fn within(&self, other: &Waits) -> Ns {
        let both = self.ended.min(other.ended).saturating_sub(self.began.max(other.began));
        let length = (self.ended - self.began).max(1);
        (both as f64 * self.waited as f64 / length as f64) as Ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(began: Ns, ended: Ns, waited: Ns) -> Waits {
        Waits { began, ended, waited }
    }

    #[test]
    fn waits_in_a_row_are_spread_evenly() {
        assert_eq!(waits(0, 100, 50).within(&waits(20, 60, 40)), 20);
        assert_eq!(waits(0, 100, 100).within(&waits(50, 300, 250)), 50);
        assert_eq!(waits(0, 100, 100).within(&waits(200, 300, 100)), 0);
        assert_eq!(waits(5, 5, 0).within(&waits(0, 9, 9)), 0);
    }
}
