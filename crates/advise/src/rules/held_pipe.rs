//! A process reads a pipe to its end, and waits for that after its children have ended: somebody whom they left behind has the pipe.

use super::common::{Bounded, base_name, count_stack, makes_child, plain, process};
use crate::counts::index::{Index, Observed};
use crate::counts::kinds::{is_read, is_write};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{MEAN_WAIT, PID, RUN, TIMES, WAITED};
use crate::report::statement::{Statement, say};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use std::sync::Arc;
use stride_event::{Event, Ns, Outcome, Stack, Tid};
use stride_syscalls::{Effect, For, Syscall};
use stride_track::{ObjectId, ObjectKind, Tracker};

const HELD_PIPES: Threshold =
    Threshold::count("held-pipes", 3, "ends of pipes that were waited for after the children had ended");
const HELD_PIPE_WAIT: Threshold =
    Threshold::time("held-pipe-wait", 20_000_000, "a shorter wait for the end of a pipe is not looked at");
const LONG_HELD_PIPE: Threshold = Threshold::time(
    "long-held-pipe",
    300_000_000,
    "one such wait is enough if it lasts this long, and if all who wrote to the pipe are known to have ended",
);
const HELD_PIPES_PART: Threshold = Threshold::part("held-pipes-part", 0.3, "the part of the run that these waits took");

pub const RULE: RuleInfo = RuleInfo {
    id: "held-pipe",
    title: "waiting for the end of a pipe that somebody else has",
    explanation: "A process starts a program and reads what the program writes to a pipe, up to the end. The program ends, but the pipe does not: another process has inherited the other end, such as one that the program has left in the \
        background, or a helper that was started after the pipe was made. A pipe ends when the last process has closed it, so the reader waits for the process in the background, though nothing comes any more.\n\n\
        Reported are three ends of pipes (a read that returns 0) which came 20 ms or more after the last bytes and after the end of the reader's last child, or of all its children that had written to the pipe, if these waits took three tenths of the run; or one, if it was 300 ms and all that had written to the pipe had ended.\n\n\
        Let the process in the background have other output: in a shell, `job >/dev/null 2>&1 &`; in C, close the descriptors or open /dev/null (daemon(3)). A helper that is forked must close the end that is for writing, and one that is executed does not have it with O_CLOEXEC. A process that makes a pipe for each of several children closes the end for writing right after each fork, or later children have the ends of all earlier ones. Or let the reader wait for its child and not for the end of the pipe: in \
        Python, give subprocess.run a file in place of a pipe; in Node.js, listen to 'exit' and not to 'close'. It is fine if the output of the process in the background is wanted.\n\n\
        Example: each of six hooks of a deployment starts a job with & and ends at once. subprocess.run(capture_output=True) returns when the job has ended, 350 ms later: 2.1 s of 2.3 s.",
    thresholds: &[HELD_PIPES, HELD_PIPE_WAIT, LONG_HELD_PIPE, HELD_PIPES_PART],
    make: || Box::new(HeldPipe::default()),
};

#[derive(Default)]
struct HeldPipe {
    parents: Bounded<Tid, Parent>,
    pipes: Bounded<ObjectId, Piped>,
    /// The pipes to which each process, or one below it, has written.
    written: Bounded<Tid, Vec<ObjectId>>,
}

/// A pipe to which somebody has written.
#[derive(Default)]
struct Piped {
    /// The processes that have written to it, with those above them, as far as they live.
    writers: Vec<Tid>,
    /// When the last of them ended or the last bytes were read, whichever was later.
    since: Ns,
    /// The program of the writer that ended last.
    program: Option<ObjectId>,
}

const MOST_LEVELS: usize = 6;
const MOST_WRITERS: usize = 16;

/// A process with children.
#[derive(Default)]
struct Parent {
    alive: u64,
    /// When the last child ended or bytes of a pipe came, whichever was later.
    since: Ns,
    /// How long the process waited for descriptors before its next read of a pipe.
    polled: Ns,
    /// The program of the child that ended last.
    program: Option<ObjectId>,
    times: u64,
    waited: Ns,
    /// The longest wait for a pipe to which all who had written had ended.
    longest: Ns,
    /// The program whose end did not end the pipe.
    held_after: Option<ObjectId>,
    stacks: Vec<(Arc<Stack>, u64)>,
}

const MOST_STACKS: usize = 32;

impl Parent {
    /// A pipe ended so long after those who had written to it.
    fn ends(&mut self, waited: Ns, program: Option<ObjectId>, observed: &Observed<'_>) {
        if waited < HELD_PIPE_WAIT.get() {
            return;
        }
        self.times += 1;
        self.waited += waited;
        self.held_after = program;
        if let Some(stack) = &observed.call.stack {
            count_stack(&mut self.stacks, MOST_STACKS, stack, observed.call.stack_calls.into());
        }
    }
}

impl Piped {
    /// All who wrote to the pipe were below this process, and have ended. (Those above the process itself live on.)
    fn has_only(&self, reader: Tid, tracker: &Tracker) -> bool {
        let above: Vec<Tid> = with_those_above(reader, tracker).collect();
        self.program.is_some() && self.writers.contains(&reader) && self.writers.iter().all(|pid| above.contains(pid))
    }
}

/// A process, its parent, and so on.
fn with_those_above(pid: Tid, tracker: &Tracker) -> impl Iterator<Item = Tid> {
    let parent = |pid: &Tid| tracker.process(*pid).and_then(|process| process.parent);
    std::iter::successors(Some(pid), parent).take(MOST_LEVELS)
}

impl HeldPipe {
    fn writes(&mut self, pid: Tid, pipe: ObjectId, tracker: &Tracker) {
        self.pipes.make_room(|piped| !piped.writers.is_empty());
        let Some(piped) = self.pipes.entry(pipe, Piped::default) else { return };
        if piped.writers.contains(&pid) {
            return;
        }
        for writer in with_those_above(pid, tracker) {
            if piped.writers.contains(&writer) || piped.writers.len() >= MOST_WRITERS {
                continue;
            }
            piped.writers.push(writer);
            self.written.make_room_of_ended(tracker, |_| false);
            self.written.entry(writer, Vec::new).into_iter().for_each(|pipes| pipes.push(pipe));
        }
    }
}

impl Rule for HeldPipe {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Forks) || is_read(row) || is_write(row) || row.waits() == Some(For::Readiness)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (call, pid) = (observed.call, observed.seen.pid);
        if observed.has(Effect::Forks) {
            if makes_child(call) {
                self.parents.make_room_of_ended(observed.tracker, |parent| parent.times >= HELD_PIPES.get());
                self.parents.entry(pid, Parent::default).into_iter().for_each(|parent| parent.alive += 1);
            }
            return;
        }
        if observed.row.waits() == Some(For::Readiness) {
            self.parents.get_mut(&pid).into_iter().for_each(|parent| parent.polled = observed.time_waiting());
            return;
        }
        let pipe = observed.seen.object.filter(|object| observed.tracker.kind(*object) == ObjectKind::Pipe);
        let (Some(pipe), Outcome::Value(bytes)) = (pipe, call.outcome) else { return };
        if is_write(observed.row) {
            return self.writes(pid, pipe, observed.tracker);
        }
        let Some(parent) = self.parents.get_mut(&pid) else { return };
        // A process that could run, but had no CPU, did not wait for the pipe.
        let slept = std::mem::take(&mut parent.polled) + observed.time_waiting();
        let piped = self.pipes.get_mut(&pipe);
        if bytes == 0 {
            let by_children = (parent.alive == 0 && parent.program.is_some()).then_some((parent.since, parent.program));
            let by_writers = piped.filter(|piped| piped.has_only(pid, observed.tracker));
            let by_writers = by_writers.map(|piped| (piped.since, piped.program));
            let since = by_writers.or(by_children);
            if let Some((since, program)) = since {
                let waited = call.returned.saturating_sub(since).min(slept);
                if by_writers.is_some() {
                    parent.longest = parent.longest.max(waited);
                }
                parent.ends(waited, program, observed);
            }
        } else if let Some(piped) = piped {
            piped.since = call.returned;
        }
        parent.since = call.returned;
    }

    fn event(&mut self, event: &Event<'_>, _: &Index, tracker: &Tracker) {
        let (Event::Exited { tid, at, .. } | Event::Killed { tid, at, .. }) = *event else { return };
        let Some(child) = tracker.process(tid) else { return };
        for pipe in self.written.remove(&tid).into_iter().flatten() {
            if let Some(piped) = self.pipes.get_mut(&pipe) {
                piped.writers.retain(|writer| *writer != tid);
                (piped.since, piped.program) = (piped.since.max(at), child.program.or(piped.program));
            }
        }
        if let Some(parent) = child.parent.and_then(|parent| self.parents.get_mut(&parent)) {
            parent.alive = parent.alive.saturating_sub(1);
            parent.since = parent.since.max(at);
            parent.program = child.program.or(parent.program);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let least = index.own_span() as f64 * HELD_PIPES_PART.ratio();
        let often = self.parents.iter().filter(|(_, parent)| {
            let is_enough = parent.times >= HELD_PIPES.get() || parent.longest >= LONG_HELD_PIPE.get();
            is_enough && parent.waited as f64 >= least
        });
        let Some((pid, parent)) = often.max_by_key(|(pid, parent)| (parent.waited, Reverse(**pid))) else {
            return Vec::new();
        };
        let comm = index.comm(*pid, tracker);
        let program = parent
            .held_after
            .or(parent.program)
            .map_or(String::new(), |program| plain(base_name(tracker.name(program))));
        let (is_one, mean) = (parent.times == 1, MEAN_WAIT.of(parent.waited / parent.times.max(1)));
        vec![Candidate {
            sentence: say!(
                "{} (pid {}) waited {}for the end of a pipe after its child ({program}) had ended, {}{} of the run's {}: another process \
                 had the other end of the pipe, and wrote nothing.",
                plain(comm),
                PID.id(*pid),
                if is_one { Statement::default() } else { say!("{} times ", TIMES.of(parent.times)) },
                if is_one { Statement::default() } else { say!("{} each time on average, ", mean) },
                WAITED.of(parent.waited),
                RUN.of(index.own_span()),
            ),
            evidence: vec![process(*pid, comm, parent.times)],
            advice: "Give what runs in the background other output than the pipe (in a shell: >/dev/null 2>&1 &), or wait for the end of the child, and not for that of the pipe. If several children are started, close each pipe's end for writing before the next one is forked: \
                     later children inherit it."
                .into(),
            confidence: Confidence::Likely,
            stacks: parent.stacks.clone(),
            perhaps_more: parent.waited,
            estimate: "these waits, as far as nothing else has to wait for what is left behind".into(),
            matters: true,
            // The process that is left behind may be another worker.
            instead_of: &["lost-time", "uneven-workers"],
            ..Candidate::default()
        }]
    }
}
