//! Shows events to the rules.

use crate::finding::Finding;
use crate::index::{Index, Observed};
use crate::ledger;
use crate::lines::Lines;
use crate::rule::{Rule, RuleInfo, rules};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use stride_event::{Event, Outcome};
use stride_track::Tracker;

pub struct Advisor {
    index: Index,
    lines: Lines,
    rules: Vec<(&'static RuleInfo, Box<dyn Rule>)>,
    /// The rules that want a call, by its name.
    wanted: FxHashMap<&'static str, Rc<[usize]>>,
}

impl Default for Advisor {
    fn default() -> Advisor {
        Advisor {
            index: Index::default(),
            lines: Lines::default(),
            rules: rules().iter().map(|info| (info, (info.make)())).collect(),
            wanted: FxHashMap::default(),
        }
    }
}

impl Advisor {
    /// An event that the tracker has taken in.
    pub fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        let line = self.lines.of(event);
        let Event::Exit(call) = *event else {
            self.index.event(event, tracker);
            self.rules.iter_mut().for_each(|(_, rule)| rule.event(event, &self.index, tracker));
            return;
        };
        let Some(seen) = tracker.seen() else { return };
        if matches!(call.outcome, Outcome::Pending | Outcome::Gone) {
            return;
        }
        let name = seen.row.map_or("", |row| row.name);
        let key = self.index.key(call, seen, tracker);
        let observed = Observed { call, seen, name, key, tracker, line };
        let closed = self.index.count(&observed);
        let rules = &mut self.rules;
        let wanted = self.wanted.entry(name).or_insert_with(|| {
            let wants = |(_, rule): &(_, Box<dyn Rule>)| rule.wants(name);
            (0..rules.len()).filter(|&i| wants(&rules[i])).collect()
        });
        for &i in wanted.iter() {
            rules[i].1.call(&observed, &self.index);
        }
        if let Some(file) = closed {
            rules.iter_mut().for_each(|(_, rule)| rule.closed(&file, &self.index, tracker));
        }
    }

    /// What there is to say, what saves most first.
    pub fn findings(&mut self, tracker: &Tracker) -> Vec<Finding> {
        let index = &self.index;
        let drafts = self.rules.iter_mut().flat_map(|(info, rule)| {
            let info: &'static RuleInfo = info;
            rule.findings(index, tracker).into_iter().map(move |draft| (info, draft))
        });
        let mut findings = ledger::settle(drafts.collect(), index);
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
