//! The calls of a run, by the functions that led to them.

use super::labels::{FlameLabels, Label, LabelId, LabelKind};
use super::tree::{CallTree, TreePlace, Weights};
use super::waits;
use super::weight::FlameWeight;
use crate::brief::frames::{self, Function};
use crate::views::html::family::Family;
use crate::views::wakes::{Wake, WakeFinder, WokenCall};
use std::collections::HashMap;
use std::sync::Arc;
use stride_event::quantity::count;
use stride_event::{Call, CallWaits, Ns, Outcome, PerStack, Stack, Tid};
use stride_syscalls::{Abi, Effect, table};
use stride_track::Tracker;

/// The calls so far.
#[derive(Default)]
pub struct FlameGraph {
    pub weight: FlameWeight,
    pub labels: FlameLabels,
    pub tree: CallTree,
    /// Labels by the names of threads, and of system calls.
    programs: HashMap<Box<[u8]>, LabelId>,
    calls: HashMap<(Abi, u64), LabelId>,
    /// The places of stacks, by the program.
    places: PerStack<Vec<(LabelId, TreePlace)>>,
    /// Calls that may have ended waits, by their stacks. (Only in a graph of waits.)
    wakers: WakeFinder<WakerStack, Woken>,
    /// The functions of wakers' stacks, innermost first.
    waking: PerStack<Vec<LabelId>>,
    /// Calls whose stack was not found.
    without_stack: u64,
}

/// The stack of a call that may have ended a sleep.
type WakerStack = Option<Arc<Stack>>;

/// A sleep whose waker's stack is looked for: the place of the box that names the waker, and the length of the sleep.
struct Woken {
    place: TreePlace,
    time: Ns,
}

/// The programs that are kept for one stack. A thread may change its name at every call.
const MOST_PROGRAMS: usize = 16;
/// The names of threads that are kept.
const MOST_NAMES: usize = 1 << 16;

impl FlameGraph {
    pub fn new(weight: FlameWeight) -> FlameGraph {
        FlameGraph { weight, ..FlameGraph::default() }
    }

    /// Counts a call that the tracker has just seen.
    pub fn returned(&mut self, call: &Call, tracker: &Tracker) {
        if self.weight == FlameWeight::Waits {
            self.with_wakers(|wakers, told| wakers.reported(call, call.stack.clone(), told));
        }
        let failed = match call.outcome {
            Outcome::Value(_) => false,
            Outcome::Error(_) => true,
            // As in summaries, calls that do not return are not counted.
            Outcome::Gone | Outcome::Pending => return,
        };
        let waits = match self.weight {
            FlameWeight::Calls => None,
            FlameWeight::Waits => match call.waits.as_deref().filter(|waits| waits.in_call.all() > 0) {
                None => return,
                waits => waits,
            },
        };
        let program = self.program(tracker.thread(call.tid).map_or(b"?".as_slice(), |thread| &thread.comm));
        let place = match &call.stack {
            Some(stack) => self.place(stack, program),
            None => {
                // The command's own execve has none.
                let is_start = call.row().is_some_and(|row| row.has_effect(Effect::Executes));
                self.without_stack += u64::from(!is_start);
                let unknown = self.label(LabelKind::Missing, frames::UNKNOWN, b"");
                let from = self.tree.step(TreePlace::OUTSIDE, program);
                self.tree.step(from, unknown)
            }
        };
        let name = self.call(call);
        let place = self.tree.step(place, name);
        match waits {
            Some(waits) => self.waited(place, call, waits),
            None => {
                let time = call.took().unwrap_or(0);
                self.tree.count(place, Weights { calls: 1, time, errors: failed.into() });
            }
        }
    }

    /// Counts the waits in a call.
    fn waited(&mut self, place: TreePlace, call: &Call, waits: &CallWaits) {
        for (kind, waker, time) in waits::parts(waits) {
            let why = if kind.is_sleep() { LabelKind::Asleep } else { LabelKind::WithoutCpu };
            let why = self.label(why, kind.name().as_bytes(), b"");
            let mut place = self.tree.step(place, why);
            if let Some(waker) = waker {
                let waker = self.label(LabelKind::Waker, &waits::woken_by(&waker), b"");
                place = self.tree.step(place, waker);
                match WokenCall::of(call, Woken { place, time }) {
                    Ok(woken) => self.with_wakers(|wakers, told| wakers.woke(woken, told)),
                    Err(woken) => self.woken(woken, None),
                }
            } else {
                self.tree.count(place, Weights { calls: 1, time, errors: 0 });
            }
        }
    }

    /// Counts the sleeps whose wakers become known, or turn out not to be found.
    fn with_wakers(
        &mut self,
        step: impl FnOnce(&mut WakeFinder<WakerStack, Woken>, &mut dyn FnMut(Woken, Option<Wake<WakerStack>>)),
    ) {
        let mut found = Vec::new();
        step(&mut self.wakers, &mut |woken, wake| found.push((woken, wake)));
        for (woken, wake) in found {
            self.woken(woken, wake.and_then(|wake| wake.waker));
        }
    }

    /// Counts a sleep below the functions of its waker, of which the innermost comes first.
    fn woken(&mut self, Woken { mut place, time }: Woken, waker: WakerStack) {
        if let Some(stack) = waker {
            let labels = &mut self.labels;
            let functions = self.waking.get(&stack, |stack| {
                let label = |name: &[u8], module: &[u8]| Label {
                    kind: LabelKind::Waker,
                    name: name.into(),
                    module: module.into(),
                };
                let functions = frames::of_stack(stack).map(|function| label(&function.name, function.path()));
                let missing = frames::missing(stack).map(|mark| label(mark, b""));
                functions.chain(missing).map(|label| labels.id(label)).collect()
            });
            place = functions.iter().fold(place, |place, &function| self.tree.step(place, function));
        }
        self.tree.count(place, Weights { calls: 1, time, errors: 0 });
    }

    /// A thread ended.
    pub fn ended(&mut self, tid: Tid, at: Ns) {
        self.with_wakers(|wakers, told| wakers.ended(tid, at, told));
    }

    /// No more events come.
    pub fn finish(&mut self) {
        self.with_wakers(|wakers, told| wakers.give_up(told));
    }

    fn label(&mut self, kind: LabelKind, name: &[u8], module: &[u8]) -> LabelId {
        self.labels.id(Label { kind, name: name.into(), module: module.into() })
    }

    fn program(&mut self, comm: &[u8]) -> LabelId {
        if let Some(&id) = self.programs.get(comm) {
            return id;
        }
        let id = self.label(LabelKind::Program, comm, b"");
        if self.programs.len() < MOST_NAMES {
            self.programs.insert(comm.into(), id);
        }
        id
    }

    fn call(&mut self, call: &Call) -> LabelId {
        let key = (call.abi, call.nr);
        if let Some(&id) = self.calls.get(&key) {
            return id;
        }
        let row = table(call.abi).get(call.nr).map(|entry| entry.row);
        let name = table(call.abi).name(call.nr);
        let id = self.label(LabelKind::Call(Family::of(row)), name.as_bytes(), b"");
        // Numbers of calls that do not exist may be any.
        if row.is_some() {
            self.calls.insert(key, id);
        }
        id
    }

    /// The place of the innermost function.
    fn place(&mut self, stack: &Arc<Stack>, program: LabelId) -> TreePlace {
        let cached = self.places.get(stack, |_| Vec::new());
        if let Some((_, place)) = cached.iter().find(|(of, _)| *of == program) {
            return *place;
        }
        let functions: Vec<Function<'_>> = frames::of_stack(stack).collect();
        let mut place = self.tree.step(TreePlace::OUTSIDE, program);
        if let Some(mark) = frames::missing(stack) {
            let mark = self.label(LabelKind::Missing, mark, b"");
            place = self.tree.step(place, mark);
        }
        for function in functions.iter().rev() {
            let kind = if function.is_own { LabelKind::Own } else { LabelKind::Library };
            let label = self.label(kind, &function.name, function.path());
            place = self.tree.step(place, label);
        }
        let cached = self.places.get(stack, |_| Vec::new());
        if cached.len() >= MOST_PROGRAMS {
            cached.clear();
        }
        cached.push((program, place));
        place
    }

    /// Sentences about what the graph lacks.
    pub fn limits(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let (one, several) = match self.weight {
            FlameWeight::Calls => ("call is", "calls are"),
            FlameWeight::Waits => ("wait is", "waits are"),
        };
        let all: u64 = self.tree.nodes.iter().map(|node| node.own.calls).sum();
        if self.without_stack > 0 {
            let calls = count(self.without_stack, "call has", "calls have");
            remarks.push(format!("{calls} no stack. The box [unknown] stands for the functions that led to them."));
        }
        if self.tree.cut > 0 {
            let they = count(self.tree.cut, one, several);
            remarks
                .push(format!("There were too many different stacks: {they} shown without the innermost functions."));
        }
        if self.tree.left_out > 0 {
            let they = count(self.tree.left_out, one, several);
            remarks
                .push(format!("There were too many different stacks: {they} not shown, besides the {all} that are."));
        }
        remarks
    }
}
