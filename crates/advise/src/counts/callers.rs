//! The functions of the program that make the calls of findings.
//!
//! Stacks are counted while calls come, by syscall and thing. Their functions and lines are looked up at the end, and
//! only for findings, because a program's debug information takes time and memory to read.

use crate::counts::index::{CallKey, Index};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::Arc;
use stride_event::{CallingFunction, Stack, WithSource};
use stride_track::{StackId, StackTally};

/// The callers of a finding's calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Callers {
    /// Each with its share of the calls, from 0 to 1; the largest first. Empty if no stacks are known. The shares add
    /// up to less than 1 if some stacks lead nowhere.
    pub shares: Vec<(CallingFunction, f64)>,
    /// The calls whose stacks were taken.
    pub sampled: u64,
    /// All calls of these kinds about these things.
    pub of: u64,
}

impl Callers {
    /// True if the shares are estimates, because not every stack was taken.
    pub fn is_estimate(&self) -> bool {
        self.sampled < self.of
    }
}

/// Finds the callers of things. Each stack is looked up once.
pub struct CallerLookup<'a> {
    stacks: &'a StackTally<CallKey>,
    index: &'a Index,
    with_source: &'a WithSource<'a>,
    found: RefCell<FxHashMap<StackId, Option<CallingFunction>>>,
}

impl<'a> CallerLookup<'a> {
    pub fn new(stacks: &'a StackTally<CallKey>, index: &'a Index, with_source: &'a WithSource<'a>) -> CallerLookup<'a> {
        CallerLookup { stacks, index, with_source, found: RefCell::default() }
    }

    /// The callers of these calls: kinds of calls about things, each with the number of them that counts.
    pub fn of(&self, calls: impl Iterator<Item = (CallKey, u64)>) -> Callers {
        let mut found = self.found.borrow_mut();
        let mut weights: FxHashMap<CallingFunction, f64> = FxHashMap::default();
        let mut callers = Callers::default();
        let mut whole = 0.0;
        for (key, weight) in calls.filter(|(_, weight)| *weight > 0) {
            callers.of += self.index.tally(key).calls;
            let counts = self.stacks.of(&key);
            if counts.is_empty() {
                continue;
            }
            // With the calls whose caller is not found.
            whole += weight as f64;
            let all: u64 = counts.iter().map(|(_, count)| count.calls).sum();
            for (id, count) in counts {
                callers.sampled += count.taken;
                let find = || CallingFunction::of(self.stacks.stack(*id), self.with_source);
                if let Some(caller) = found.entry(*id).or_insert_with(find) {
                    let share = count.calls as f64 / all as f64;
                    *weights.entry(caller.clone()).or_default() += share * weight as f64;
                }
            }
        }
        callers.share(weights, whole);
        callers
    }

    /// The callers of calls with these stacks, each with the number of calls for which it stands.
    pub fn of_stacks(&self, stacks: &[(Arc<Stack>, u64)]) -> Callers {
        let mut weights: FxHashMap<CallingFunction, f64> = FxHashMap::default();
        let whole = stacks.iter().map(|(_, calls)| calls).sum();
        // The rule says of samples that they are samples.
        let mut callers = Callers { sampled: whole, of: whole, ..Callers::default() };
        for (stack, calls) in stacks {
            if let Some(caller) = CallingFunction::of(stack, self.with_source) {
                *weights.entry(caller).or_default() += *calls as f64;
            }
        }
        callers.share(weights, whole as f64);
        callers
    }
}

impl Callers {
    fn share(&mut self, weights: FxHashMap<CallingFunction, f64>, whole: f64) {
        self.shares = weights.into_iter().map(|(caller, weight)| (caller, weight / whole)).collect();
        self.shares.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| place(&a.0).cmp(&place(&b.0))));
    }
}

/// An order for callers with the same share.
fn place(caller: &CallingFunction) -> (Option<&str>, Option<u32>, Option<u64>) {
    (caller.function.as_deref(), caller.source.as_ref().map(|source| source.line), caller.offset)
}

#[cfg(test)]
mod tests {
    use super::Callers;
    use crate::test_run::TestRun;
    use std::sync::Arc;
    use stride_event::{Bottom, Event, Outcome, SourceLine, Stack, StackFrame, Symbol};
    use stride_test_support::calls::{attached, call, lasting, naming};

    fn stack(function: &str) -> Arc<Stack> {
        let symbol = Some(Symbol { name: function.into(), offset: 0 });
        let frame = StackFrame { module: None, offset: 1, symbol, source: None, inlined: Box::default() };
        Arc::new(Stack { frames: [Arc::new(frame)].into(), bottom: Bottom::Reached })
    }

    /// The callers of a stat storm in which each call has the stack that `of` gives for its number.
    fn callers(of: impl Fn(u64) -> Option<(Arc<Stack>, u32)>) -> Callers {
        let mut run = TestRun::new(true);
        run.show(attached(7, 1));
        for i in 0..400 {
            let mut call = lasting(call(7, "stat", &[0x1000, 0x2000], Outcome::Value(0)), 10_000 * (i + 1), 5000);
            if let Some((stack, calls)) = of(i) {
                (call.stack, call.stack_calls) = (Some(stack), calls);
            }
            run.show(Event::Exit(&naming(call, 0x1000, "/config")));
        }
        let line = |frame: &Arc<StackFrame>| {
            let source = Some(SourceLine { file: "p.c".into(), line: 5 });
            Arc::new(StackFrame { source, ..(**frame).clone() })
        };
        let findings = run.findings_with(&line).reported;
        assert_eq!(findings.len(), 1, "{findings:?}");
        findings[0].callers.clone()
    }

    fn shares(callers: &Callers) -> Vec<(&str, f64)> {
        assert!(callers.shares.iter().all(|(caller, _)| caller.source.as_ref().unwrap().line == 5));
        let share = |share: f64| (share * 1e6).round() / 1e6;
        callers.shares.iter().map(|(caller, s)| (caller.function.as_deref().unwrap(), share(*s))).collect()
    }

    #[test]
    fn shares_of_all_calls() {
        let (often, seldom) = (stack("often"), stack("seldom"));
        let found = callers(|i| Some((if i % 4 == 0 { seldom.clone() } else { often.clone() }, 1)));
        assert_eq!(shares(&found), [("often", 0.75), ("seldom", 0.25)]);
        assert!(!found.is_estimate());
    }

    #[test]
    fn samples_count_for_the_calls_they_stand_for() {
        let (often, seldom) = (stack("often"), stack("seldom"));
        // The first calls are all sampled, and stand for themselves.
        let found = callers(|i| match i {
            0..10 => Some((seldom.clone(), 1)),
            _ if i % 30 == 0 => Some((often.clone(), 30)),
            _ => None,
        });
        assert_eq!((found.sampled, found.of), (10 + 13, 400));
        assert_eq!(shares(&found), [("often", 390.0 / 400.0), ("seldom", 10.0 / 400.0)]);
        assert!(found.is_estimate());
    }

    #[test]
    fn unknown_callers_have_their_share() {
        let nowhere = Arc::new(Stack { frames: [].into(), bottom: Bottom::Unknown });
        let known = stack("known");
        let found = callers(|i| Some((if i % 2 == 0 { nowhere.clone() } else { known.clone() }, 1)));
        assert_eq!(shares(&found), [("known", 0.5)]);
        assert_eq!(callers(|_| None), Callers { of: 400, ..Callers::default() });
    }
}
