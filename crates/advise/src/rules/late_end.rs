//! The work of a run is done, and the run goes on until the time of a wait has run out.

use super::common::{family, family_name, process};
use super::interrupted::int;
use super::ran_out::in_call;
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::opens;
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{RUN, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::sync::Arc;
use stride_event::{Event, Ns, Stack, Tid};
use stride_syscalls::{Effect, For, Syscall, table, uapi::consts as c};
use stride_track::{ObjectKind, Tracker};

const LATE_END: Threshold = Threshold::time("late-end", 200_000_000, "a shorter wait at the end is not looked at");
const LATE_END_PART: Threshold =
    Threshold::part("late-end-part", 0.25, "the part of the run that the wait at its end took");
const WORK_BEFORE: Threshold =
    Threshold::count("work-before-end", 100, "a run with fewer calls that open, start or move something is a pause");
const WORK_AFTER: Threshold =
    Threshold::count("work-after-end", 3, "if more such calls follow, the wait was not the end of the work");

pub const RULE: RuleInfo = RuleInfo {
    id: "late-end",
    title: "a wait after the work is done",
    explanation: "A program has done its work, and does not end: something keeps it alive until a time has run out. Idle threads of a pool wait for further work until their keep-alive time is over (in Java, a pool whose shutdown() nobody calls). \
        In Node.js, a connection that is kept for the next request, or a timer, keeps the process. A background thread sleeps, and is joined at the end; a service waits for the whole time of grace after SIGTERM although it is idle; a script sleeps \
        at its end to be sure.\n\n\
        Reported is a run whose last calls that opened, started or moved something were followed by sleeps, or waits until a time ran out, of 200 ms and a quarter of the run or more, if the run waited for nothing else meanwhile and ended then, and if no signal ended it.\n\n\
        End what keeps the program alive: shut the pool down or give it daemon threads; close agents, pools of connections and servers; clear timers, or unref() them; wake a thread that sleeps with an event, and then join it; let a service end as soon as its \
        last request is answered. It is fine if the time has to pass.\n\n\
        Example: a program makes 40 thumbnails in a pool of Java, 0.6 s. The pool is not shut down, and its threads wait 2 s for more: 2.7 s. With shutdown() after the last task, 0.7 s.",
    thresholds: &[LATE_END, LATE_END_PART, WORK_BEFORE, WORK_AFTER],
    make: || Box::new(LateEnd::default()),
};

#[derive(Default)]
struct LateEnd {
    /// The number of calls that did work, and the end of the latest.
    works: u64,
    worked: Ns,
    idle: Option<Idle>,
    /// When somebody ended a thread, told one to end, or left one.
    interrupted: Ns,
}

/// A time without work, up to the end of a wait whose time ran out.
struct Idle {
    lasted: Ns,
    ended: Ns,
    /// The number of calls that did work after it.
    works: u64,
    key: CallKey,
    pid: Tid,
    comm: Box<[u8]>,
    stack: Option<Arc<Stack>>,
}

/// A shorter wait for a time that runs out is a look at something.
const SHORTEST: Ns = 10_000_000;

/// The call opens, starts or moves something. (An eventfd only wakes another thread. Run-time systems look at limits of their cgroup now and then.)
fn works(observed: &Observed<'_>) -> bool {
    let is_limit = |object| observed.tracker.name(object).starts_with(b"/sys/fs/cgroup/");
    if observed.seen.path.or(observed.seen.object).is_some_and(is_limit) {
        return false;
    }
    let is_thing = |object| !matches!(observed.tracker.kind(object), ObjectKind::Anonymous);
    let moves = || observed.seen.bytes.is_some_and(|bytes| bytes > 0) && observed.seen.object.is_some_and(is_thing);
    let does = |effect| observed.has(effect);
    observed.ok() && (opens(observed.row) || does(Effect::Forks) || does(Effect::Executes) || moves())
        || does(Effect::Connects)
}

impl Rule for LateEnd {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.waits().is_some()
            || row.transfer().is_some()
            || opens(row)
            || [Effect::Forks, Effect::Executes, Effect::Connects].into_iter().any(|effect| row.has_effect(effect))
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let call = observed.call;
        if works(observed) {
            self.works += 1;
            self.worked = self.worked.max(call.returned);
            if let Some(idle) = &mut self.idle {
                idle.works += 1;
                if idle.works > WORK_AFTER.get() {
                    self.idle = None;
                }
            }
            return;
        }
        let slept = observed.row.waits() == Some(For::Time) && observed.ok();
        if observed.time_waiting() < SHORTEST || !slept && !observed.time_ran_out() {
            return;
        }
        // Some last words may have been said since the work was done.
        if let Some(idle) = self.idle.as_mut().filter(|idle| idle.works > 0) {
            idle.lasted += call.returned.saturating_sub(idle.ended.max(call.began()));
            idle.ended = idle.ended.max(call.returned);
            return;
        }
        let lasted = call.returned.saturating_sub(self.worked);
        if lasted < LATE_END.get() || self.idle.as_ref().is_some_and(|idle| idle.lasted > lasted) {
            return;
        }
        let Some(thread) = observed.tracker.thread(call.tid) else { return };
        self.idle = Some(Idle {
            lasted,
            ended: call.returned,
            works: 0,
            key: CallKey { object: None, ..observed.key },
            pid: observed.seen.pid,
            comm: thread.comm.as_slice().into(),
            stack: call.stack.clone(),
        });
    }

    /// A server that is idle until somebody ends it does not end late.
    fn event(&mut self, event: &Event<'_>, _: &Index, _: &Tracker) {
        let at = match event {
            Event::Signal { info, at, .. } if int(info, 0) != c::SIGCHLD as i32 => at,
            Event::Killed { at, .. } | Event::Detached { at, .. } => at,
            _ => return,
        };
        self.interrupted = self.interrupted.max(*at);
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let account = index.account();
        let is_run = account.of_run && self.works >= WORK_BEFORE.get();
        let Some(idle) = self.idle.take().filter(|idle| is_run && self.interrupted < idle.ended) else {
            return Vec::new();
        };
        let name = family(&idle.comm);
        let waited = in_call(account, name, idle.key.abi, idle.key.nr, 1.0).min(idle.lasted);
        // Others may have computed meanwhile, or waited for somebody; and the run may have gone on.
        let is_all = waited * 5 >= idle.lasted * 4;
        let is_last = index.last.saturating_sub(idle.ended) * 10 <= idle.lasted;
        let is_much = waited as f64 >= index.own_total() as f64 * LATE_END_PART.ratio();
        if !is_all || !is_last || !is_much {
            return Vec::new();
        }
        let call = table(idle.key.abi).name(idle.key.nr.into());
        let is_most = waited * 2 >= index.own_total();
        vec![Candidate {
            sentence: say!(
                "At its end, the run waited for {} of its {}, and did nothing else: {} waited in {call} until the time ran out, and then the run ended.",
                WAITED.of(waited),
                RUN.of(account.total),
                family_name(name, idle.pid),
            ),
            evidence: vec![process(idle.pid, index.comm(idle.pid, tracker), 1)],
            advice: "End what keeps the program alive when its work is done: shut pools of threads down (shutdown() in Java), close connections that are kept and servers, clear timers (or unref() them in Node.js), wake \
                     threads that sleep with an event before they are joined, and leave out a sleep at the end. If the time has to pass, this is as it must be."
                .into(),
            confidence: Confidence::Possible,
            makers: vec![(idle.key, 1)],
            stacks: idle.stack.into_iter().map(|stack| (stack, 1)).collect(),
            perhaps_more: waited,
            estimate: "the wait at the end".into(),
            matters: true,
            instead_of: if is_most { &["lost-time", "timed-waits"] } else { &[] },
            unless_told: &["children-in-turn"],
            ..Candidate::default()
        }]
    }
}
