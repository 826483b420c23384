//! Shows events to the rules.

use crate::counts::callers::CallerLookup;
use crate::counts::index::{CallKey, Index, Observed, Scope};
use crate::counts::kinds::CallKind;
use crate::counts::lines::Lines;
use crate::ledger;
use crate::report::finding::{Finding, Findings};
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
    /// Minor findings are reported as well.
    all: bool,
    index: Index,
    lines: Lines,
    stacks: StackTally<CallKey>,
    rules: Vec<(&'static RuleInfo, Box<dyn Rule>)>,
    /// By the address of the row.
    rows: FxHashMap<*const Syscall, OfRow>,
}

/// All calls of a row have the same kind, and the same rules want them.
#[derive(Clone)]
struct OfRow {
    kind: CallKind,
    /// The rules that want these calls.
    wanted_by: Rc<[usize]>,
}

impl Advisor {
    /// With `all`, minor findings are reported as well.
    pub fn new(scope: Scope, all: bool) -> Advisor {
        Advisor {
            all,
            index: Index::new(scope),
            lines: Lines::default(),
            stacks: StackTally::default(),
            rules: rules().iter().map(|info| (info, (info.make)())).collect(),
            rows: FxHashMap::default(),
        }
    }

    /// Shows the rules an event that the tracker has taken in. Returns the kind of the call, if it is one that has
    /// returned.
    pub fn event(&mut self, event: &Event<'_>, tracker: &Tracker) -> Option<CallKey> {
        let line = self.lines.of(event);
        for id in tracker.gone_files() {
            if let Some(file) = self.index.gone(*id) {
                self.rules.iter_mut().for_each(|(_, rule)| rule.closed(&file, &self.index, tracker));
            }
        }
        self.index.event(event, tracker);
        let Event::Exit(call) = *event else {
            self.rules.iter_mut().for_each(|(_, rule)| rule.event(event, &self.index, tracker));
            return None;
        };
        let seen = tracker.seen()?;
        if matches!(call.outcome, Outcome::Pending | Outcome::Gone) {
            self.rules.iter_mut().for_each(|(_, rule)| rule.event(event, &self.index, tracker));
            return None;
        }
        let row = seen.row.unwrap_or(&UNKNOWN);
        let key = self.index.key(call, seen, tracker);
        // Callers of other pipes would be named.
        if !key.object.is_some_and(|object| tracker.is_class(object)) {
            self.stacks.count(call, key);
        }
        let rules = &mut self.rules;
        let OfRow { kind, wanted_by } = self.rows.entry(row).or_insert_with(|| {
            let wants = |(_, rule): &(_, Box<dyn Rule>)| rule.wants(row);
            OfRow { kind: CallKind::of(row), wanted_by: (0..rules.len()).filter(|&i| wants(&rules[i])).collect() }
        });
        let observed = Observed { call, seen, row, kind: *kind, key, tracker, line };
        let closed = self.index.count(&observed);
        for &i in wanted_by.iter() {
            rules[i].1.call(&observed, &self.index);
        }
        if let Some(file) = closed {
            rules.iter_mut().for_each(|(_, rule)| rule.closed(&file, &self.index, tracker));
        }
        Some(key)
    }

    /// True if the program uses io_uring, and its operations are not reported.
    pub fn has_unseen_operations(&self) -> bool {
        self.index.has_unseen_operations()
    }

    /// The findings, the largest saving first. So many calls were lost. `with_source` finds the lines of the functions that make the calls.
    pub fn findings(&mut self, lost: u64, tracker: &Tracker, with_source: &WithSource<'_>) -> Findings {
        self.index.ends(lost);
        let index = &self.index;
        let candidates = self.rules.iter_mut().flat_map(|(info, rule)| {
            let info: &'static RuleInfo = info;
            rule.findings(index, tracker).into_iter().map(move |candidate| (info, candidate))
        });
        let mut findings: Vec<Finding> =
            ledger::settle(candidates.collect(), index, &CallerLookup::new(&self.stacks, index, with_source));
        let mut minor = Vec::new();
        if !self.all {
            (minor, findings) = findings.into_iter().partition(|finding| finding.minor);
        }
        for finding in &mut findings {
            let rule = self.rules.iter().find(|(info, _)| info.id == finding.id);
            finding.table = rule.and_then(|(_, rule)| rule.table());
        }
        let (calls, unfollowed) = (index.calls, index.unfollowed);
        Findings { minor, reported: findings, calls, unfollowed, time: self.index.account().clone() }
    }
}
