//! The rows of the table, and their past.

use super::history::PastRates;
use super::sample::{SampleKey, SampleTally};
use super::scope::TopScope;
use super::tables::{Sort, Tab};
use super::{Model, TopRow};
use std::cmp::Reverse;
use std::collections::HashMap;

impl Model {
    /// The rows of the table, sorted.
    pub fn lines(&self) -> Vec<TopRow> {
        let screen = self.screen();
        let mut lines = if screen.tab == Tab::Waits { self.waits() } else { self.counted() };
        let name = |line: &TopRow| (line.comm.clone(), line.key.call.clone(), line.key.path.clone(), line.key.pid);
        lines.sort_by_cached_key(|line| (name(line), line.key.errno.clone(), line.key.caller.clone()));
        if screen.sort != Sort::Name {
            lines.sort_by_key(|line| Reverse(screen.sort.of(&line.tally, line.cpu)));
        }
        if screen.reversed {
            lines.reverse();
        }
        lines
    }

    fn counted(&self) -> Vec<TopRow> {
        let (tab, counts) = (self.screen().tab, self.counts());
        let mut rows: HashMap<SampleKey, SampleTally> = HashMap::new();
        let mut add = |key: &SampleKey, tally: &SampleTally| {
            if self.shows(key) {
                rows.entry(tab.part(key)).or_default().merge(tally);
            }
        };
        match self.totals {
            false => counts.latest.rows.iter().for_each(|(key, tally)| add(key, tally)),
            true => counts.all.iter().for_each(|(key, tally)| add(key, tally)),
        }
        let row = |(key, tally): (SampleKey, SampleTally)| {
            let comm = self.names.get(&key.pid).cloned().unwrap_or_default();
            let cpu = if tab == Tab::Processes { self.processes.share(key.pid) } else { None };
            TopRow { key, comm, tally, cpu, end: None }
        };
        rows.into_iter().map(row).collect()
    }

    /// Threads of a process that wait for the same are one row.
    fn waits(&self) -> Vec<TopRow> {
        let mut rows: HashMap<SampleKey, TopRow> = HashMap::new();
        for thread in self.waiting.iter().flatten() {
            let comm = self.names.get(&thread.pid).cloned().unwrap_or_else(|| thread.comm.clone());
            let key =
                SampleKey { pid: thread.pid, comm: comm.clone(), call: thread.call.clone(), ..SampleKey::default() };
            let unseen = self.only_seen && !self.knows(thread.pid);
            let TopScope { pid, call, .. } = &self.screen().scope;
            let elsewhere =
                pid.is_some_and(|pid| pid != thread.pid) || call.as_ref().is_some_and(|call| *call != thread.call);
            let filtered = self.filter.as_ref().is_some_and(|filter| filter.is_about_counts() && !filter.holds(&key));
            if unseen || elsewhere || filtered {
                continue;
            }
            let key = Tab::Waits.part(&SampleKey { path: thread.wait.what.clone(), ..key });
            let row = rows.entry(key.clone()).or_insert_with(|| TopRow {
                key,
                comm,
                tally: SampleTally::default(),
                cpu: None,
                end: Some(thread.wait.end.clone()),
            });
            row.tally.merge(&SampleTally { calls: 1, longest: thread.seen, ..SampleTally::default() });
        }
        rows.into_values().collect()
    }

    /// The calls and errors of the last minute, of all rows of the table.
    pub fn past(&self, intervals: usize) -> Vec<PastRates> {
        let all = self.counts().history.rates(intervals, 1, |key| self.shows(key).then_some(0));
        all.into_iter().next().unwrap_or_default()
    }

    /// The calls of the last intervals of each of some rows.
    pub fn past_of(&self, rows: &[TopRow], intervals: usize) -> Vec<Vec<PastRates>> {
        let tab = self.screen().tab;
        let places: HashMap<&SampleKey, usize> =
            rows.iter().enumerate().map(|(place, row)| (&row.key, place)).collect();
        let line = |key: &SampleKey| if self.shows(key) { places.get(&tab.part(key)).copied() } else { None };
        self.counts().history.rates(intervals, rows.len(), line)
    }

    /// The sum of all rows.
    pub fn sum(lines: &[TopRow]) -> SampleTally {
        lines.iter().fold(SampleTally::default(), |mut sum, line| {
            sum.merge(&line.tally);
            sum
        })
    }
}
