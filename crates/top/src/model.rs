//! The data of `--top`: what was counted, and what of it is looked at. All names are printable when they come in here.

use super::colors::TopColors;
use super::complete::Completion;
use super::curve::CurveGlyphs;
use super::filter::Filter;
use super::history::{History, PastRates};
use super::processes::TopProcesses;
use super::sample::{Sample, SampleKey, SampleTally};
use super::scope::TopScope;
use super::tables::{Sort, Tab};
use super::wait_source::WaitingThread;
use super::waits::WaitEnd;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use stride_event::Ns;
use stride_syscalls::{Abi, table};

/// Rows that are kept for the totals. The rows of processes that are gone are given up first.
const MOST_ROWS: usize = 1 << 15;

/// Names of processes that are asked for in one interval.
const MOST_NAMES: usize = 1000;

/// The calls of the latest interval, and of all.
#[derive(Default)]
pub struct TopCounts {
    latest: Sample,
    all: HashMap<SampleKey, SampleTally>,
    history: History,
    length: Ns,
    /// The totals have lost rows.
    pub forgot: bool,
}

impl TopCounts {
    fn add(&mut self, sample: Sample) {
        self.length = self.length.saturating_add(sample.length);
        if self.all.len() + sample.rows.len() > MOST_ROWS {
            let alive: std::collections::HashSet<i32> = sample.rows.iter().map(|(key, _)| key.pid).collect();
            self.all.retain(|key, _| alive.contains(&key.pid));
            self.forgot = true;
        }
        for (key, tally) in &sample.rows {
            if self.all.len() < MOST_ROWS || self.all.contains_key(key) {
                self.all.entry(key.clone()).or_default().merge(tally);
            }
        }
        self.history.add(&sample);
        self.latest = sample;
    }
}

/// A table that is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Screen {
    pub tab: Tab,
    pub scope: TopScope,
    pub sort: Sort,
    pub reversed: bool,
    /// The chosen row stays chosen when others overtake it.
    pub chosen: Option<SampleKey>,
    /// The first row that is shown.
    pub first: usize,
}

impl Screen {
    pub fn new(tab: Tab, scope: TopScope) -> Screen {
        let sort = match tab {
            Tab::Slowest | Tab::Waits => Sort::Longest,
            Tab::Errors => Sort::Errors,
            _ => Sort::Calls,
        };
        Screen { tab, scope, sort, reversed: false, chosen: None, first: 0 }
    }
}

/// The calls that are counted apart, by another Stride, because a table or a filter needs more than the kernel counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallsApart {
    /// The keys of `--by`.
    pub keys: &'static str,
    /// All must hold (`--where`).
    pub conditions: Vec<String>,
    pub pid: Option<i32>,
}

/// A row as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct TopRow {
    pub key: SampleKey,
    /// The name of the process, if the row is about one.
    pub comm: Arc<str>,
    pub tally: SampleTally,
    /// In thousandths of a processor, if the row is a process.
    pub cpu: Option<u64>,
    /// The other end of a wait.
    pub end: Option<WaitEnd>,
}

#[derive(Default)]
pub struct Model {
    pub base: TopCounts,
    pub detail: TopCounts,
    screens: Vec<Screen>,
    pub filter: Option<Filter>,
    /// The names of processes. Threads may have others.
    names: HashMap<i32, Arc<str>>,
    /// Samples are not shown while the view is paused.
    pub paused: bool,
    /// All calls since the start are shown, and not those of the latest interval.
    pub totals: bool,
    /// A sentence below the table.
    pub message: Option<String>,
    /// The file of the recording that is being written.
    pub recording: Option<String>,
    /// The traced program or the recording has ended.
    pub ended: bool,
    /// The subject of the view in words: the machine, a program, or a recording.
    pub subject: String,
    /// The expression that is being typed, and the word that Tab completes.
    pub typing: Option<String>,
    pub completion: Option<Completion>,
    /// An expression with a mistake, to be mended.
    pub mistyped: Option<String>,
    /// The first line that is shown of the list of keys.
    pub help: Option<usize>,
    /// The graph of the last minute. `None`: it is shown if there is room.
    pub graph: Option<bool>,
    pub processes: TopProcesses,
    /// The threads that wait, if the table of waits is shown.
    pub waiting: Option<Vec<WaitingThread>>,
    /// Only processes that have made calls are of interest: the machine is filtered.
    pub only_seen: bool,
    /// The processes are those of this machine, and live: /proc can be asked about them.
    pub live: bool,
    pub colors: TopColors,
    pub glyphs: CurveGlyphs,
}

impl Model {
    pub fn new(subject: String, totals: bool) -> Model {
        let screens = vec![Screen::new(Tab::Processes, TopScope::default())];
        Model { screens, subject, totals, live: !totals, ..Model::default() }
    }

    pub fn screen(&self) -> &Screen {
        &self.screens[self.screens.len() - 1]
    }

    /// True if the table of waits is shown, or Esc leads to it.
    pub fn has_waits(&self) -> bool {
        self.screens.iter().any(|screen| screen.tab == Tab::Waits)
    }

    pub fn screen_mut(&mut self) -> &mut Screen {
        let last = self.screens.len() - 1;
        &mut self.screens[last]
    }

    /// Takes a sample. `name` finds the name of a process that is there.
    pub fn count(&mut self, sample: Sample, name: impl Fn(i32) -> Option<Arc<str>>) {
        if !self.paused {
            self.learn_names(&sample, name);
            self.base.add(sample);
        }
    }

    /// Takes a sample of the calls that are counted apart.
    pub fn count_detail(&mut self, sample: Sample, name: impl Fn(i32) -> Option<Arc<str>>) {
        if !self.paused {
            self.learn_names(&sample, name);
            self.detail.add(sample);
        }
    }

    /// True if a process has made calls.
    pub fn knows(&self, pid: i32) -> bool {
        self.names.contains_key(&pid)
    }

    /// A process that is gone by now has the name of its thread with most calls.
    fn learn_names(&mut self, sample: &Sample, name: impl Fn(i32) -> Option<Arc<str>>) {
        let mut busiest: HashMap<i32, (u64, &Arc<str>)> = HashMap::new();
        for (key, tally) in &sample.rows {
            let known = busiest.entry(key.pid).or_insert((tally.calls, &key.comm));
            if tally.calls > known.0 {
                *known = (tally.calls, &key.comm);
            }
        }
        if self.names.len() + busiest.len() > MOST_ROWS {
            self.names.retain(|pid, _| busiest.contains_key(pid));
        }
        for (place, (pid, (_, thread))) in busiest.into_iter().enumerate() {
            // Each question takes time.
            let asked = if place < MOST_NAMES { name(pid) } else { None };
            match asked {
                Some(name) => _ = self.names.insert(pid, name),
                None => _ = self.names.entry(pid).or_insert_with(|| thread.clone()),
            }
        }
    }

    /// The counts that the table is made of.
    fn counts(&self) -> &TopCounts {
        if self.detail_wanted().is_some() { &self.detail } else { &self.base }
    }

    /// The calls that another Stride has to count for this screen, because the kernel does not count by their keys.
    pub fn detail_wanted(&self) -> Option<CallsApart> {
        let screen = self.screen();
        let by_reader = self.filter.as_ref().filter(|filter| !filter.is_about_counts());
        // Waits are not calls that returned.
        if screen.tab == Tab::Waits || !screen.tab.is_detailed() && by_reader.is_none() {
            return None;
        }
        let (pid, mut conditions) = self.seen();
        let keys = match screen.tab {
            Tab::Files => {
                conditions.push("path != \"\" && fd.kind != \"socket\"".into());
                "pid,comm,syscall,path"
            }
            Tab::Sockets => {
                conditions.push("fd.kind == \"socket\"".into());
                "pid,comm,syscall,path"
            }
            // The path is shown escaped, so that it cannot always be asked for.
            Tab::Callers if screen.scope.path.is_some() => "pid,comm,syscall,path,caller",
            Tab::Callers => "pid,comm,syscall,caller",
            _ => "pid,comm,syscall,errno",
        };
        Some(CallsApart { keys, conditions, pid })
    }

    /// The calls that the table is about: of which process, and what holds for them.
    pub fn seen(&self) -> (Option<i32>, Vec<String>) {
        let scope = &self.screen().scope;
        let mut conditions: Vec<String> = self.filter.iter().map(|filter| filter.source().to_owned()).collect();
        conditions.extend(scope.call.as_ref().map(|call| format!("name == {}", quoted(call))));
        conditions.extend(scope.errno.as_ref().map(|errno| format!("errno == {}", quoted(errno))));
        (scope.pid, conditions)
    }

    /// The length of the time that the numbers are about.
    pub fn length(&self) -> Ns {
        let counts = self.counts();
        if self.totals { counts.length } else { counts.latest.length }
    }

    /// True if the table has calls with this key.
    fn shows(&self, key: &SampleKey) -> bool {
        let screen = self.screen();
        let filtered = self.filter.as_ref().is_some_and(|filter| filter.is_about_counts() && !filter.holds(key));
        let of_errors = screen.tab == Tab::Errors && key.errno.is_empty();
        !filtered && !of_errors && screen.scope.has(key)
    }

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

    /// The place of the chosen row.
    pub fn chosen(&self, lines: &[TopRow]) -> usize {
        let screen = self.screen();
        let found = screen.chosen.as_ref().and_then(|key| lines.iter().position(|line| line.key == *key));
        found.unwrap_or_else(|| screen.first.min(lines.len().saturating_sub(1)))
    }

    /// Chooses another row.
    pub fn choose(&mut self, lines: &[TopRow], place: usize) {
        self.screen_mut().chosen = lines.get(place.min(lines.len().saturating_sub(1))).map(|line| line.key.clone());
    }

    /// Scrolls so that the chosen row is among the `height` that are shown.
    pub fn scroll(&mut self, lines: &[TopRow], height: usize) {
        let chosen = self.chosen(lines);
        let screen = self.screen_mut();
        screen.first = screen.first.min(chosen).max((chosen + 1).saturating_sub(height.max(1)));
    }

    /// Shows another table of the same calls.
    pub fn show(&mut self, tab: Tab) {
        let scope = self.screen().scope.clone();
        self.enter(Screen::new(tab, scope), false);
    }

    /// Goes into the chosen row. False: there is nothing below.
    pub fn drill(&mut self, lines: &[TopRow]) -> bool {
        let Some(line) = lines.get(self.chosen(lines)) else { return false };
        if let Some(end) = &line.end {
            self.follow(line, end.clone());
            return true;
        }
        let (screen, key) = (self.screen(), &line.key);
        let mut scope = screen.scope.clone();
        let given = |text: &Arc<str>| (!text.is_empty()).then(|| text.clone());
        if key.pid != 0 {
            (scope.pid, scope.comm) = (Some(key.pid), Some(line.comm.clone()));
        }
        // Calls that do nothing but wait are about no files.
        let next = match screen.tab.next(&screen.scope) {
            Some(Tab::Files) if self.live && waits(&key.call) => Some(Tab::Waits),
            next => next,
        };
        let Some(next) = next else { return false };
        if next != Tab::Waits {
            scope.call = given(&key.call).or(scope.call);
            scope.errno = given(&key.errno).or(scope.errno);
            scope.path = given(&key.path).or(scope.path);
        }
        self.screen_mut().chosen = Some(line.key.clone());
        self.enter(Screen::new(next, scope), true);
        true
    }

    /// Goes from a wait to the process that is waited for, or says why that is not known.
    fn follow(&mut self, line: &TopRow, end: WaitEnd) {
        let who = format!("{} ({})", line.comm, line.key.pid);
        match end {
            WaitEnd::Process { pid, comm, more } => {
                let scope = TopScope { pid: Some(pid), comm: Some(comm.clone()), ..TopScope::default() };
                self.screen_mut().chosen = Some(line.key.clone());
                self.enter(Screen::new(Tab::Calls, scope), true);
                let more = if more.is_empty() { more } else { format!(": {more}") };
                self.message =
                    Some(format!("{who} waits for {comm} ({pid}){more}. 8 shows its own waits, Esc goes back."));
            }
            WaitEnd::Unknown(why) => {
                self.message = Some(format!("The process that {who} waits for is not known: {why}."));
            }
            WaitEnd::Unasked => {
                self.message = Some(format!("Stride has not looked yet for whom {who} waits: try again in a second."));
            }
        }
    }

    fn enter(&mut self, screen: Screen, deeper: bool) {
        let before = self.detail_wanted();
        if deeper {
            self.screens.push(screen);
        } else {
            *self.screen_mut() = screen;
        }
        self.forget_unless(before);
    }

    /// Goes back to the table before. False: this is the first.
    pub fn back(&mut self) -> bool {
        let before = self.detail_wanted();
        if self.screens.len() > 1 {
            self.screens.pop();
            self.forget_unless(before);
            return true;
        }
        false
    }

    pub fn set_filter(&mut self, filter: Option<Filter>) {
        let before = self.detail_wanted();
        self.filter = filter;
        self.forget_unless(before);
    }

    /// The counts of other calls are of no use.
    fn forget_unless(&mut self, before: Option<CallsApart>) {
        if self.detail_wanted() != before {
            self.detail = TopCounts::default();
        }
    }

    pub fn is_loading(&self) -> bool {
        match self.screen().tab {
            Tab::Waits => self.waiting.is_none(),
            _ => self.detail_wanted().is_some() && self.detail.length == 0,
        }
    }
}

/// True if calls of this name do nothing but wait.
fn waits(name: &str) -> bool {
    table(Abi::NATIVE).by_name(name).next().is_some_and(|entry| entry.row.waits().is_some())
}

/// A text in an expression.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
