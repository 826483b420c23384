//! The data of `--top`: what was counted, and what of it is looked at. All names are printable when they come in here.

use super::filter::Filter;
use super::sample::{Sample, SampleKey, SampleTally};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use stride_event::Ns;

/// Rows that are kept for the totals. The rows of processes that are gone are given up first.
const MOST_ROWS: usize = 1 << 15;

/// Names of processes that are asked for in one interval.
const MOST_NAMES: usize = 1000;

/// The calls of the latest interval, and of all.
#[derive(Default)]
pub struct TopCounts {
    latest: Sample,
    all: HashMap<SampleKey, SampleTally>,
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
        self.latest = sample;
    }
}

/// The tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    Processes,
    Calls,
    Files,
    Sockets,
    Errors,
    Slowest,
    Callers,
}

impl Tab {
    pub const ALL: [Tab; 7] =
        [Tab::Processes, Tab::Calls, Tab::Files, Tab::Sockets, Tab::Errors, Tab::Slowest, Tab::Callers];

    pub fn title(self) -> &'static str {
        match self {
            Tab::Processes => "Processes",
            Tab::Calls => "Calls",
            Tab::Files => "Files",
            Tab::Sockets => "Sockets",
            Tab::Errors => "Errors",
            Tab::Slowest => "Slowest",
            Tab::Callers => "Callers",
        }
    }

    /// True if the rows have keys by which the kernel does not count.
    pub fn is_detailed(self) -> bool {
        matches!(self, Tab::Files | Tab::Sockets | Tab::Callers)
    }

    /// The titles of the key columns, with the width of each but the last, which takes the rest.
    pub fn columns(self) -> &'static [(&'static str, usize)] {
        match self {
            Tab::Processes => &[("PID", 8), ("COMMAND", 0)],
            Tab::Calls => &[("CALL", 0)],
            Tab::Files => &[("FILE", 0)],
            Tab::Sockets => &[("SOCKET", 0)],
            Tab::Errors => &[("ERROR", 16), ("CALL", 0)],
            Tab::Slowest => &[("PID", 8), ("COMMAND", 16), ("CALL", 0)],
            Tab::Callers => &[("CALLER", 0)],
        }
    }

    /// The part of a key by which this table has rows.
    fn part(self, key: &SampleKey) -> SampleKey {
        let SampleKey { pid, call, errno, path, caller, .. } = key.clone();
        match self {
            Tab::Processes => SampleKey { pid, ..SampleKey::default() },
            Tab::Calls => SampleKey { call, ..SampleKey::default() },
            Tab::Files | Tab::Sockets => SampleKey { path, ..SampleKey::default() },
            Tab::Errors => SampleKey { errno, call, ..SampleKey::default() },
            Tab::Slowest => SampleKey { pid, call, ..SampleKey::default() },
            Tab::Callers => SampleKey { caller, ..SampleKey::default() },
        }
    }

    pub fn cells(self, key: &SampleKey, comm: &str) -> Vec<String> {
        let pid = || key.pid.to_string();
        match self {
            Tab::Processes => vec![pid(), comm.to_owned()],
            Tab::Calls => vec![key.call.to_string()],
            Tab::Files | Tab::Sockets => vec![key.path.to_string()],
            Tab::Errors => vec![key.errno.to_string(), key.call.to_string()],
            Tab::Slowest => vec![pid(), comm.to_owned(), key.call.to_string()],
            Tab::Callers => vec![key.caller.to_string()],
        }
    }

    /// The table that tells more about a row of this one.
    fn next(self, scope: &TopScope) -> Option<Tab> {
        match self {
            Tab::Processes if scope.call.is_none() => Some(Tab::Calls),
            Tab::Processes | Tab::Slowest => Some(Tab::Files),
            Tab::Calls | Tab::Errors => Some(if scope.pid.is_none() { Tab::Processes } else { Tab::Files }),
            Tab::Files | Tab::Sockets => Some(if scope.pid.is_none() { Tab::Processes } else { Tab::Callers }),
            Tab::Callers => None,
        }
    }
}

/// Columns of numbers, by which rows are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Calls,
    Errors,
    Bytes,
    Time,
    Longest,
    Name,
}

impl Sort {
    pub const ALL: [Sort; 6] = [Sort::Calls, Sort::Errors, Sort::Bytes, Sort::Time, Sort::Longest, Sort::Name];

    fn of(self, tally: &SampleTally) -> u64 {
        match self {
            Sort::Calls | Sort::Name => tally.calls,
            Sort::Errors => tally.errors,
            Sort::Bytes => tally.bytes,
            Sort::Time => tally.time,
            Sort::Longest => tally.longest,
        }
    }
}

/// The row that was gone into, and those before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopScope {
    pub pid: Option<i32>,
    pub comm: Option<Arc<str>>,
    pub call: Option<Arc<str>>,
    pub errno: Option<Arc<str>>,
    pub path: Option<Arc<str>>,
}

impl TopScope {
    fn has(&self, key: &SampleKey) -> bool {
        fn is<T: PartialEq>(wanted: &Option<T>, given: &T) -> bool {
            wanted.as_ref().is_none_or(|wanted| wanted == given)
        }
        is(&self.pid, &key.pid)
            && is(&self.call, &key.call)
            // Only tables of counts have these.
            && (key.errno.is_empty() && !key.path.is_empty() || is(&self.errno, &key.errno))
            && (key.path.is_empty() || is(&self.path, &key.path))
    }

    /// `redis-server (812) > read > /var/lib/x`
    pub fn told(&self) -> String {
        let process = self.pid.map(|pid| format!("{} ({pid})", self.comm.as_deref().unwrap_or("?")));
        let rest = [&self.errno, &self.call, &self.path].into_iter().flatten().map(|part| part.to_string());
        process.into_iter().chain(rest).collect::<Vec<_>>().join(" > ")
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
            Tab::Slowest => Sort::Longest,
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
    /// The expression that is being typed.
    pub typing: Option<String>,
    /// An expression with a mistake, to be mended.
    pub mistyped: Option<String>,
    pub help: bool,
}

impl Model {
    pub fn new(subject: String, totals: bool) -> Model {
        Model { screens: vec![Screen::new(Tab::Processes, TopScope::default())], subject, totals, ..Model::default() }
    }

    pub fn screen(&self) -> &Screen {
        &self.screens[self.screens.len() - 1]
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
        if !screen.tab.is_detailed() && by_reader.is_none() {
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

    /// The rows of the table, sorted.
    pub fn lines(&self) -> Vec<TopRow> {
        let screen = self.screen();
        let counts = self.counts();
        let latest = counts.latest.rows.iter().map(|(key, tally)| (key, tally));
        let mut rows: HashMap<SampleKey, SampleTally> = HashMap::new();
        let mut add = |key: &SampleKey, tally: &SampleTally| {
            let filtered = self.filter.as_ref().is_some_and(|filter| filter.is_about_counts() && !filter.holds(key));
            let of_errors = screen.tab == Tab::Errors && key.errno.is_empty();
            if !filtered && !of_errors && screen.scope.has(key) {
                rows.entry(screen.tab.part(key)).or_default().merge(tally);
            }
        };
        match self.totals {
            false => latest.for_each(|(key, tally)| add(key, tally)),
            true => counts.all.iter().for_each(|(key, tally)| add(key, tally)),
        }
        let comm = |key: &SampleKey| self.names.get(&key.pid).cloned().unwrap_or_default();
        let mut lines: Vec<TopRow> =
            rows.into_iter().map(|(key, tally)| TopRow { comm: comm(&key), key, tally }).collect();
        let name = |line: &TopRow| (line.comm.clone(), line.key.call.clone(), line.key.path.clone(), line.key.pid);
        lines.sort_by_cached_key(|line| (name(line), line.key.errno.clone(), line.key.caller.clone()));
        if screen.sort != Sort::Name {
            lines.sort_by_key(|line| Reverse(screen.sort.of(&line.tally)));
        }
        if screen.reversed {
            lines.reverse();
        }
        lines
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
        let (screen, key) = (self.screen(), &line.key);
        let Some(next) = screen.tab.next(&screen.scope) else { return false };
        let mut scope = screen.scope.clone();
        let given = |text: &Arc<str>| (!text.is_empty()).then(|| text.clone());
        if key.pid != 0 {
            (scope.pid, scope.comm) = (Some(key.pid), Some(line.comm.clone()));
        }
        scope.call = given(&key.call).or(scope.call);
        scope.errno = given(&key.errno).or(scope.errno);
        scope.path = given(&key.path).or(scope.path);
        self.screen_mut().chosen = Some(line.key.clone());
        self.enter(Screen::new(next, scope), true);
        true
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
        self.detail_wanted().is_some() && self.detail.length == 0
    }
}

/// A text in an expression.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
