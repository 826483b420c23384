//! The same program is started again and again, and most of each run is its start.

use super::common::{Bounded, MOST_FOLLOWED, on_path, plain};
use crate::counts::index::{Index, Observed};
use crate::counts::kinds::opens;
use crate::report::finding::{Candidate, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{CHILDREN, FILES, MEAN_LIFE, MEAN_START};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use stride_event::{Event, Ns, Tid, WaitKind};
use stride_syscalls::{Effect, Syscall};
use stride_track::{ObjectId, Tracker};

const SLOW_STARTS: Threshold = Threshold::count("slow-starts", 5, "runs of one program");
const SLOW_START: Threshold = Threshold::time("slow-start", 20_000_000, "a start of so long on average is slow");
const START_PART: Threshold =
    Threshold::part("start-part", 0.5, "the part of the lives of these processes that is start");
const STARTS_PART: Threshold = Threshold::part("starts-part", 0.2, "the part of the run that waited for starts");

pub const RULE: RuleInfo = RuleInfo {
    id: "slow-start",
    title: "the same start again and again",
    explanation: "A program is run several times, and each run begins like those before: it opens the same libraries, modules or classes. Where that takes most of its life, the work itself \
        is done in no time. Build steps and scripts that run an interpreter for each file are such.\n\n\
        The start of a run ends with the last file that an earlier run had opened, too, before it opens one that none had. Reported are five runs of one program whose start takes \
        20 ms and more on average and half of their lives, both without the time in which they had no CPU, if the run waited a fifth of its time for that. The estimate is the time of all starts but the first, as far as the run waited for them. \
        `short-children` tells of many children that are shorter.\n\n\
        Let one process do all items: give it all files as arguments, or let it read their names; in make, one rule for all. Or keep it running: a worker, a server, a pool. If it must start \
        each time, let it load less: in Python, import modules in the functions that use them (python3 -X importtime tells what each costs), in Java use class data sharing \
        (-XX:SharedArchiveFile), in Node.js one bundled file and the compile cache (NODE_COMPILE_CACHE), in Ruby bootsnap. Runs that are rare outside of this trace may stay as they are.\n\n\
        Example: make runs a Python script for each of 25 pages, and each run imports the same modules: 8.9 s. One run for all pages takes 0.4 s.",
    thresholds: &[SLOW_STARTS, SLOW_START, START_PART, STARTS_PART],
    make: || Box::new(SlowStarts::default()),
};

#[derive(Default)]
struct SlowStarts {
    programs: Bounded<ObjectId, Program>,
    /// Processes that run a program.
    running: Bounded<Tid, Start>,
}

#[derive(Default)]
struct Program {
    /// The files that its earlier runs opened. The first one may have done something else, as a parent that starts itself again for each item.
    files: FxHashSet<ObjectId>,
    /// Further runs that have ended.
    runs: u64,
    started: Ns,
    lived: Ns,
    /// The part of that in which they could have run, but had no CPU. It is no part of what they `started`.
    without_cpu: Ns,
    opened: u64,
    tids: Vec<Tid>,
}

struct Start {
    program: ObjectId,
    began: Ns,
    /// The time at which it opened the latest file that an earlier run had opened, too, if it had always had a CPU.
    ready: Ns,
    /// The time in which it could have run, but had no CPU.
    without_cpu: Ns,
    files: u64,
    is_first: bool,
    is_over: bool,
}

/// A program opens hardly more files at its start.
const MOST_FILES: usize = 1 << 13;
/// A start that opens fewer files is that of any program.
const FEWEST_FILES: u64 = 5;

impl Rule for SlowStarts {
    fn wants(&self, _: &'static Syscall) -> bool {
        true
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let without_cpu = without_cpu(observed);
        if without_cpu > 0
            && let Some(start) = self.running.get_mut(&observed.seen.pid)
        {
            start.without_cpu += without_cpu;
        }
        if !observed.ok() || !(observed.has(Effect::Executes) || opens(observed.row)) {
            return;
        }
        if observed.has(Effect::Executes) {
            return self.begins(observed);
        }
        let (Some(start), Some(path)) = (self.running.get_mut(&observed.seen.pid), observed.seen.path) else { return };
        let Some(program) = self.programs.get_mut(&start.program) else { return };
        if !start.is_first && !start.is_over && program.files.contains(&path) {
            start.files += 1;
            start.ready = observed.call.returned.saturating_sub(start.without_cpu);
        } else {
            if program.files.len() < MOST_FILES {
                program.files.insert(path);
            }
            // (Each process has files of its own in /proc.)
            start.is_over |= !start.is_first && !observed.tracker.name(path).starts_with(b"/proc/");
        }
    }

    fn event(&mut self, event: &Event<'_>, _: &Index, _: &Tracker) {
        if let Event::Exited { tid, at, .. } | Event::Killed { tid, at, .. } = *event {
            self.ends(tid, at);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let saved =
            |program: &Program| (program.started as f64 * on_path(&program.tids, program.lived, index.path())) as Ns;
        let slow = self.programs.iter().filter(|(_, program)| {
            program.runs + 1 >= SLOW_STARTS.get()
                && program.opened / program.runs >= FEWEST_FILES
                && program.started / program.runs >= SLOW_START.get()
                && program.started as f64
                    >= program.lived.saturating_sub(program.without_cpu) as f64 * START_PART.ratio()
                && saved(program) as f64 >= index.own_span() as f64 * STARTS_PART.ratio()
        });
        let worst = slow.max_by_key(|(object, program)| (program.started, Reverse(**object)));
        let Some((object, program)) = worst else { return Vec::new() };
        let name = tracker.name(*object);
        let runs = program.runs;
        vec![Candidate {
            sentence: say!(
                "{} was run {} times, and each run began with the same {} files as those before: that took {} on average, of the {} that it lived with a CPU.",
                plain(name),
                CHILDREN.of(runs + 1),
                FILES.of(program.opened / runs),
                MEAN_START.of(program.started / runs),
                MEAN_LIFE.of(program.lived.saturating_sub(program.without_cpu) / runs),
            ),
            evidence: vec![Evidence { time: Some(program.lived), ..Evidence::new(EvidenceKind::Program, name, runs) }],
            advice: "Let one process do all items: give it all of them at once, or keep it running. If it has to start each time, let it load less at its start: modules only where they are used \
                     (python3 -X importtime tells what each costs), a class data archive in Java, one bundled file in Node.js."
                .into(),
            confidence: Confidence::Likely,
            more_time: saved(program),
            estimate: "the starts of all runs but the first".into(),
            matters: true,
            unless_told: &["short-children"],
            ..Candidate::default()
        }]
    }
}

/// The time before and in the call in which its thread could have run, but had no CPU: others had it, which says nothing of the start.
fn without_cpu(observed: &Observed<'_>) -> Ns {
    let Some(waits) = observed.call.waits.as_deref() else { return 0 };
    waits.before.of(WaitKind::Runnable).saturating_add(waits.in_call.of(WaitKind::Runnable))
}

impl SlowStarts {
    fn begins(&mut self, observed: &Observed<'_>) {
        let (pid, now) = (observed.seen.pid, observed.call.returned);
        self.ends(pid, now);
        let Some(program) = observed.tracker.process(pid).and_then(|process| process.program) else { return };
        let is_first = self.programs.get(&program).is_none();
        self.programs.make_room(|program| program.runs > 0);
        if self.programs.entry(program, Program::default).is_none() {
            return;
        }
        self.running.make_room_of_ended(observed.tracker, |_| false);
        self.running.entry(pid, || Start {
            program,
            began: now,
            ready: now,
            files: 0,
            without_cpu: 0,
            is_first,
            is_over: false,
        });
    }

    /// A process ends, or runs another program.
    fn ends(&mut self, pid: Tid, at: Ns) {
        let Some(start) = self.running.remove(&pid).filter(|start| !start.is_first) else { return };
        let Some(program) = self.programs.get_mut(&start.program) else { return };
        program.runs += 1;
        program.opened += start.files;
        program.started += start.ready.saturating_sub(start.began);
        program.lived += at.saturating_sub(start.began);
        program.without_cpu += start.without_cpu;
        if program.tids.len() < MOST_FOLLOWED {
            program.tids.push(pid);
        }
    }
}
