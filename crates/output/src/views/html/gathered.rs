//! The page's data, gathered from events.

use super::call_text::CallText;
use super::calls::{self, Calls};
use super::errors::Errors;
use super::family::Family;
use super::files::Files;
use super::lane::CallEnd;
use super::library::Library;
use super::marks::Marks;
use super::processes::{self, NamedProcess};
use super::run_facts::RunFacts;
use super::slowest::{Slow, Slowest};
use super::stacks::{PageStacks, StacksData};
use super::states::{States, WokenBy};
use super::texts::Texts;
use super::timeline::{Made, Timeline};
use super::{data, overview, timeline_data};
use crate::spelling::legible::legible;
use crate::views::processes::Processes;
use std::cell::OnceCell;
use stride_advise::CallKey;
use stride_decode::Part;
use stride_event::{Call, Event, Ns, Outcome, StartKind, Tid};
use stride_syscalls::{Effect, Ret, table};
use stride_track::Tracker;

/// Beyond a hundred days, nanoseconds are no longer exact in JavaScript. Only made-up recordings get there.
const FOREVER: Ns = 1 << 53;

pub struct Gathered {
    texts: CallText,
    stacks: PageStacks,
    calls: Calls,
    timeline: Timeline,
    slowest: Slowest,
    files: Files,
    errors: Errors,
    library: Library,
    processes: Processes<NamedProcess>,
    begin: Ns,
    end: Ns,
    busy: Ns,
    waiting: Ns,
    /// The engine measured waits.
    measured: bool,
}

impl Gathered {
    /// `captured`: the limit up to which the words of commands were captured.
    pub fn new(texts: CallText, begin: Ns, captured: usize) -> Gathered {
        Gathered {
            texts,
            stacks: PageStacks::default(),
            calls: Calls::default(),
            timeline: Timeline::default(),
            slowest: Slowest::default(),
            files: Files::default(),
            errors: Errors::default(),
            library: Library::default(),
            processes: processes::named(captured),
            begin,
            end: 0,
            busy: 0,
            waiting: 0,
            measured: false,
        }
    }

    /// Takes in an event that the tracker has already seen. `kind` is the kind of the call as findings have it.
    pub fn event(&mut self, event: &Event<'_>, kind: Option<CallKey>, tracker: &Tracker) {
        self.begin = tracker.began().unwrap_or(self.begin);
        match *event {
            Event::Started { tid, process, origin, at } => {
                let at = self.time(at);
                let process = self.processes.started(tid, process, at, tracker);
                self.timeline.started(tid, process, at, origin == StartKind::Attached);
                self.timeline.name(tid, || name(tid, tracker));
            }
            Event::Exit(call) => self.returned(call, kind, tracker),
            Event::NamingCall(call) => self.renamed(call, tracker),
            Event::Exited { tid, status, at } => {
                let at = self.time(at);
                self.gone(tid, at, tracker);
                self.processes.exited(tid, at, status);
            }
            Event::Killed { tid, signal, core, at } => {
                let at = self.time(at);
                self.gone(tid, at, tracker);
                self.processes.killed(tid, at, signal, core);
            }
            Event::Superseded { tid, old, at, .. } => {
                let at = self.time(at);
                self.timeline.superseded(tid, old, at);
            }
            Event::Detached { tid, call, at } => {
                self.time(at);
                // The tracker forgets the thread after this event.
                self.timeline.name(tid, || name(tid, tracker));
                if let Some(call) = call {
                    self.unfinished(&Call { returned: at, ..call.clone() }, Part::Entry, tracker);
                }
            }
            Event::Lost { tid, count, at } => {
                let at = self.time(at);
                self.timeline.lost(tid, at, count);
            }
            Event::Signal { at, .. } | Event::Stopped { at, .. } => {
                self.time(at);
            }
            Event::Library(call) => {
                self.time(call.at);
                self.library.add(call);
            }
            Event::Enter(_)
            | Event::Ending { .. }
            | Event::Personality { .. }
            | Event::Named { .. }
            | Event::NamespaceId { .. }
            | Event::Stranger { .. }
            | Event::Idle => {}
        }
    }

    /// Converts a time to one since the run began, which is 0 for earlier times. The run lasts at least until then.
    pub fn time(&mut self, at: Ns) -> Ns {
        let at = at.saturating_sub(self.begin).min(FOREVER);
        self.end = self.end.max(at);
        at
    }

    pub fn returned(&mut self, call: &Call, kind: Option<CallKey>, tracker: &Tracker) {
        let errno = match call.outcome {
            Outcome::Value(_) => None,
            Outcome::Error(errno) => Some(errno),
            Outcome::Gone | Outcome::Pending => return self.unfinished(call, Part::Whole, tracker),
        };
        let known = call.took().map(|took| took.min(FOREVER));
        let index = self.calls.add(call, known);
        // A time that is not known adds nothing.
        let took = known.unwrap_or(0);
        let seen = tracker.seen();
        let pid = seen.map_or(call.tid, |seen| seen.pid);
        let waits = self.calls.family(index) == Family::Waiting;
        self.busy += took;
        self.waiting += if waits { took } else { 0 };

        let stack = call.stack.as_ref().map(|stack| self.stacks.shown(stack));
        let object = seen.and_then(|seen| seen.subject()).map(|object| tracker.group(object));
        if let Some(object) = object {
            self.files.add(object, errno.is_some(), took, seen.and_then(|seen| seen.bytes).unwrap_or(0));
        }
        if let Some(errno) = errno {
            self.errors.add(index, errno, object, took, stack.as_ref());
        }
        // A call that was under way when tracing began is shown from the beginning of tracing.
        let at = self.time(call.began());
        let until = self.time(call.returned);
        let process = self.processes.call(pid, at, took, errno.is_some(), tracker);
        let renames = |effect: &Effect| matches!(effect, Effect::Executes | Effect::NamesThread);
        let renamed = call.row().is_some_and(|row| row.effects.iter().any(renames));
        if renamed {
            self.processes.renamed(pid, tracker);
        }
        let woken = self.waits(call, at);
        let text = OnceCell::new();
        let mut write = || text.get_or_init(|| self.texts.of(call, Part::Whole, tracker)).clone();
        let made = Made {
            tid: call.tid,
            process,
            at,
            took: until - at,
            call: index,
            end: if errno.is_some() { CallEnd::Failed } else { CallEnd::Returned },
            waits,
            states: States::of_call(call, until - at, self.timeline.until(call.tid).is_some()),
            woken,
            stack: stack.clone(),
            kind,
        };
        self.timeline.add(&made, &mut write);
        if known.is_some() {
            self.slowest.offer(took, waits, || Slow {
                at,
                took,
                call: index,
                tid: call.tid,
                who: name(call.tid, tracker),
                waits,
                text: write().call,
                stack,
            });
        }
        if renamed {
            self.timeline.name(call.tid, || name(call.tid, tracker));
        }
    }

    /// The waits of a call's thread: those before the call go to the timeline. Returns the waker in the call.
    fn waits(&mut self, call: &Call, at: Ns) -> Option<WokenBy> {
        let waits = call.waits.as_deref()?;
        self.measured = true;
        let until = self.timeline.until(call.tid);
        let before = until.and_then(|until| Some((until, States::before(waits, at.checked_sub(until)?)?)));
        if let Some((until, states)) = before {
            self.timeline.between(call.tid, until, at - until, states, || CallText::between(waits));
        }
        WokenBy::of(waits, |abi, nr| self.calls.index(abi, nr))
    }

    /// A call that will not return. Only the timeline shows it.
    pub fn unfinished(&mut self, call: &Call, part: Part, tracker: &Tracker) {
        let (at, until) = (self.time(call.began()), self.time(call.returned));
        let row = table(call.abi).get(call.nr).map(|entry| entry.row);
        // exit(2) never returns, so it is no open call.
        if until <= at || row.is_some_and(|row| matches!(row.ret, Ret::Never)) {
            return;
        }
        let call_index = self.calls.index(call.abi, call.nr);
        let pid = tracker.thread(call.tid).map_or(call.tid, |thread| thread.pid);
        let process = self.processes.serial(pid, at, tracker);
        let stack = call.stack.as_ref().map(|stack| self.stacks.shown(stack));
        let made = Made {
            tid: call.tid,
            process,
            at,
            took: until - at,
            call: call_index,
            end: CallEnd::Never,
            waits: false,
            states: States::of_call(call, until - at, false),
            woken: None,
            stack,
            kind: None,
        };
        self.timeline.stuck(&made, || self.texts.of(call, part, tracker));
    }

    /// A call that the filters leave out has changed what its thread runs or is called.
    pub fn renamed(&mut self, call: &Call, tracker: &Tracker) {
        let Some(thread) = tracker.thread(call.tid) else { return };
        self.processes.renamed(thread.pid, tracker);
        self.timeline.name(call.tid, || name(call.tid, tracker));
    }

    pub fn gone(&mut self, tid: Tid, at: Ns, tracker: &Tracker) {
        self.timeline.name(tid, || name(tid, tracker));
        self.timeline.ended(tid, at);
    }

    /// The data for the page.
    pub fn data(
        mut self,
        facts: RunFacts,
        findings: Option<Vec<data::FindingData>>,
        marks: &Marks,
        tracker: &Tracker,
    ) -> data::PageData {
        for tid in self.timeline.living() {
            // A detached thread was named when it was detached. The tracker has forgotten it.
            if tracker.thread(tid).is_some() {
                self.timeline.name(tid, || name(tid, tracker));
            }
        }
        self.processes.complete(|captured, it| {
            if let Some(whole) = facts.command(captured) {
                it.command = whole;
            }
        });
        let rows = self.calls.rows();
        let counted = |part: fn(&calls::CallRow) -> u64| rows.iter().map(part).sum();
        let numbers = data::NumbersData {
            length: self.end,
            calls: counted(|row| row.counted.calls),
            errors: counted(|row| row.counted.errors),
            busy: self.busy,
            waiting: self.waiting,
            threads: self.processes.threads,
            processes: self.processes.count,
            lost: facts.lost,
        };
        let first = self.processes.first();
        let what = first.map(|it| &it.label).map(|it| if it.command.is_empty() { &it.comm } else { &it.command });
        let what = what.filter(|what| !what.is_empty()).cloned().unwrap_or_default();
        let most_failed = self.errors.most();
        let most_failed = most_failed.as_ref().map(|(call, errno, n)| (&*rows[*call as usize].name, &**errno, *n));
        let sentence = overview::sentence(&numbers, rows, most_failed);
        let (processes, places) = processes::data(self.processes);
        let mut texts = Texts::default();
        // If there is no room for all stacks, those of the slowest calls are kept.
        let mut stacks = StacksData::new(self.stacks);
        let slowest = slowest(self.slowest, &mut texts, &mut stacks);
        let errors = self.errors.data(tracker, &mut stacks);
        let pids: Vec<Tid> = processes.rows.iter().map(|row| row.pid).collect();
        let timeline = timeline_data::of(self.timeline, self.measured, &places, &mut texts, &mut stacks, marks, &pids);
        data::PageData {
            title: what,
            warnings: facts.warnings,
            sentence,
            numbers,
            about: facts.facts,
            findings,
            calls: self.calls.data(),
            timeline,
            files: self.files.data(tracker),
            errors,
            slowest,
            library: self.library.data(),
            processes,
            texts: texts.into_vec(),
            stacks: stacks.all,
            functions: stacks.functions,
        }
    }
}

/// The thread's own name.
fn name(tid: Tid, tracker: &Tracker) -> String {
    tracker.thread(tid).map(|thread| legible(&thread.comm, 64)).unwrap_or_default()
}

fn slowest(slowest: Slowest, texts: &mut Texts, stacks: &mut StacksData) -> Vec<data::SlowData> {
    let slow = |slow: Slow| data::SlowData {
        at: slow.at,
        took: slow.took,
        call: slow.call,
        tid: slow.tid,
        waits: slow.waits,
        text: texts.place(&slow.text),
        stack: stacks.place(slow.stack.as_ref()),
        who: slow.who,
    };
    slowest.into_sorted().into_iter().map(slow).collect()
}
