//! A process reads a pipe to its end, and waits for that after its children have ended: somebody whom they left behind has the pipe.

use super::common::{Bounded, base_name, count_stack, makes_child, plain, process};
use crate::counts::index::{Index, Observed};
use crate::counts::kinds::is_read;
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{MEAN_WAIT, PID, RUN, TIMES, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use std::sync::Arc;
use stride_event::{Event, Ns, Outcome, Stack, Tid};
use stride_syscalls::{Effect, Syscall};
use stride_track::{ObjectId, ObjectKind, Tracker};

const HELD_PIPES: Threshold =
    Threshold::count("held-pipes", 3, "ends of pipes that were waited for after the children had ended");
const HELD_PIPE_WAIT: Threshold =
    Threshold::time("held-pipe-wait", 20_000_000, "a shorter wait for the end of a pipe is not looked at");
const HELD_PIPES_PART: Threshold = Threshold::part("held-pipes-part", 0.3, "the part of the run that these waits took");

pub const RULE: RuleInfo = RuleInfo {
    id: "held-pipe",
    title: "waiting for the end of a pipe that somebody else has",
    explanation: "A process starts a program and reads what the program writes to a pipe, up to the end. The program ends, but the pipe does not: the program has left a process in the background, which has \
        inherited the other end of the pipe. A pipe ends when the last process has closed it, so the reader waits for the process in the background, though nothing comes any more.\n\n\
        Reported are three ends of pipes (a read that returns 0) which came 20 ms or more after the last child of the reader had ended and the last bytes had come, if these waits took three tenths of the run.\n\n\
        Let the process in the background have other output: in a shell, `job >/dev/null 2>&1 &`; in C, close the descriptors or open /dev/null (daemon(3)). Or let the reader wait for its child and not for the end of the pipe: in \
        Python, give subprocess.run a file in place of a pipe; in Node.js, listen to 'exit' and not to 'close'. It is fine if the output of the process in the background is wanted.\n\n\
        Example: each of six hooks of a deployment starts a job with & and ends at once. subprocess.run(capture_output=True) returns when the job has ended, 350 ms later: 2.1 s of 2.3 s.",
    thresholds: &[HELD_PIPES, HELD_PIPE_WAIT, HELD_PIPES_PART],
    make: || Box::new(HeldPipe::default()),
};

#[derive(Default)]
struct HeldPipe {
    parents: Bounded<Tid, Parent>,
}

/// A process with children.
#[derive(Default)]
struct Parent {
    alive: u64,
    /// When the last child ended or bytes of a pipe came, whichever was later.
    since: Ns,
    /// The program of the child that ended last.
    program: Option<ObjectId>,
    times: u64,
    waited: Ns,
    stacks: Vec<(Arc<Stack>, u64)>,
}

const MOST_STACKS: usize = 32;

impl Rule for HeldPipe {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Forks) || is_read(row)
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
        let Some(parent) = self.parents.get_mut(&pid) else { return };
        let is_pipe = observed.seen.object.is_some_and(|object| observed.tracker.kind(object) == ObjectKind::Pipe);
        let Outcome::Value(bytes) = call.outcome else { return };
        if !is_pipe {
            return;
        }
        let waited = call.returned.saturating_sub(parent.since);
        if bytes == 0 && parent.alive == 0 && parent.program.is_some() && waited >= HELD_PIPE_WAIT.get() {
            parent.times += 1;
            parent.waited += waited;
            if let Some(stack) = &call.stack {
                count_stack(&mut parent.stacks, MOST_STACKS, stack, call.stack_calls.into());
            }
        }
        parent.since = call.returned;
    }

    fn event(&mut self, event: &Event<'_>, _: &Index, tracker: &Tracker) {
        let (Event::Exited { tid, at, .. } | Event::Killed { tid, at, .. }) = *event else { return };
        let Some(child) = tracker.process(tid) else { return };
        if let Some(parent) = child.parent.and_then(|parent| self.parents.get_mut(&parent)) {
            parent.alive = parent.alive.saturating_sub(1);
            parent.since = parent.since.max(at);
            parent.program = child.program.or(parent.program);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let least = index.own_span() as f64 * HELD_PIPES_PART.ratio();
        let often =
            self.parents.iter().filter(|(_, parent)| parent.times >= HELD_PIPES.get() && parent.waited as f64 >= least);
        let Some((pid, parent)) = often.max_by_key(|(pid, parent)| (parent.waited, Reverse(**pid))) else {
            return Vec::new();
        };
        let comm = index.comm(*pid, tracker);
        let program = parent.program.map_or(String::new(), |program| plain(base_name(tracker.name(program))));
        vec![Candidate {
            sentence: say!(
                "{} (pid {}) waited {} times for the end of a pipe after its child ({program}) had ended, {} each time on average, {} of the run's {}: somebody whom the child \
                 left behind had the pipe.",
                plain(comm),
                PID.id(*pid),
                TIMES.of(parent.times),
                MEAN_WAIT.of(parent.waited / parent.times.max(1)),
                WAITED.of(parent.waited),
                RUN.of(index.own_span()),
            ),
            evidence: vec![process(*pid, comm, parent.times)],
            advice: "Give what runs in the background other output than the pipe (in a shell: >/dev/null 2>&1 &), or wait for the end of the child, and not for that of the pipe."
                .into(),
            confidence: Confidence::Likely,
            stacks: parent.stacks.clone(),
            perhaps_more: parent.waited,
            estimate: "these waits, as far as nothing else has to wait for what is left behind".into(),
            matters: true,
            instead_of: &["lost-time"],
            ..Candidate::default()
        }]
    }
}
