//! Shows events to the rules.

use crate::callers::CallerLookup;
use crate::finding::Finding;
use crate::index::{CallKey, Index, Observed, Scope};
use crate::ledger;
use crate::lines::Lines;
use crate::rule::{Rule, RuleInfo};
use crate::rules::rules;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use stride_event::{Event, Outcome, WithSource};
use stride_syscalls::{Class, Ret, Syscall, syscall};
use stride_track::{StackTally, Tracker};

/// The row of a number that no table has. No rule wants it.
static UNKNOWN: Syscall = syscall("", Class::NONE, Ret::Int, &[]);

pub struct Advisor {
    index: Index,
    lines: Lines,
    stacks: StackTally<CallKey>,
    rules: Vec<(&'static RuleInfo, Box<dyn Rule>)>,
    /// The rules that want a call, by the address of its row.
    wanted: FxHashMap<*const Syscall, Rc<[usize]>>,
}

impl Advisor {
    pub fn new(scope: Scope) -> Advisor {
        Advisor {
            index: Index::new(scope),
            lines: Lines::default(),
            stacks: StackTally::default(),
            rules: rules().iter().map(|info| (info, (info.make)())).collect(),
            wanted: FxHashMap::default(),
        }
    }

    /// Shows the rules an event that the tracker has taken in.
    pub fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        let line = self.lines.of(event);
        for id in tracker.gone_files() {
            if let Some(file) = self.index.gone(*id) {
                self.rules.iter_mut().for_each(|(_, rule)| rule.closed(&file, &self.index, tracker));
            }
        }
        self.index.event(event, tracker);
        let Event::Exit(call) = *event else {
            self.rules.iter_mut().for_each(|(_, rule)| rule.event(event, &self.index, tracker));
            return;
        };
        let Some(seen) = tracker.seen() else { return };
        if matches!(call.outcome, Outcome::Pending | Outcome::Gone) {
            return;
        }
        let row = seen.row.unwrap_or(&UNKNOWN);
        let key = self.index.key(call, seen, tracker);
        self.stacks.count(call, key);
        let observed = Observed { call, seen, row, key, tracker, line };
        let closed = self.index.count(&observed);
        let rules = &mut self.rules;
        let wanted = self.wanted.entry(row).or_insert_with(|| {
            let wants = |(_, rule): &(_, Box<dyn Rule>)| rule.wants(row);
            (0..rules.len()).filter(|&i| wants(&rules[i])).collect()
        });
        for &i in wanted.iter() {
            rules[i].1.call(&observed, &self.index);
        }
        if let Some(file) = closed {
            rules.iter_mut().for_each(|(_, rule)| rule.closed(&file, &self.index, tracker));
        }
    }

    /// The findings, the largest saving first. `with_source` finds the lines of the functions that make the calls.
    pub fn findings(&mut self, tracker: &Tracker, with_source: &WithSource<'_>) -> Vec<Finding> {
        self.index.ends();
        let index = &self.index;
        let drafts = self.rules.iter_mut().flat_map(|(info, rule)| {
            let info: &'static RuleInfo = info;
            rule.findings(index, tracker).into_iter().map(move |draft| (info, draft))
        });
        let mut findings =
            ledger::settle(drafts.collect(), index, &CallerLookup::new(&self.stacks, index, with_source));
        for finding in &mut findings {
            let rule = self.rules.iter().find(|(info, _)| info.id == finding.id);
            finding.table = rule.and_then(|(_, rule)| rule.table());
        }
        findings
    }

    pub fn calls(&self) -> u64 {
        self.index.calls
    }
}
