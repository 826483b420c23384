//! The data of `--top`: the counts, and the part of them that the user looks at. All names are printable when they come in here.

mod counts;
pub mod filter;
pub mod history;
mod looked_at;
mod navigation;
mod rows;
pub mod sample;
pub mod scope;
pub mod tables;

use crate::input::complete::Completion;
use crate::lookup::processes::TopProcesses;
use crate::lookup::wait_source::WaitingThread;
use crate::lookup::waits::WaitEnd;
use crate::model::counts::{MOST_ROWS, TopCounts};
use crate::model::filter::Filter;
use crate::model::looked_at::Screen;
use crate::model::sample::{OffCpu, Reason, Sample, SampleKey, SampleTally};
use crate::model::scope::TopScope;
use crate::model::tables::{Sort, Tab, TopNumber};
use crate::screen::colors::TopColors;
use crate::screen::curve::CurveGlyphs;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use stride_event::Ns;

/// Names of processes that are asked for in one interval.
const MOST_NAMES: usize = 1000;

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
    /// The waits of threads are measured (`--waits`).
    pub measured: bool,
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

    /// True if there are numbers for a column.
    pub fn has(&self, number: TopNumber) -> bool {
        (self.live || number != TopNumber::Cpu) && (self.measured || !number.is_of_waits())
    }

    /// The columns by which rows can be sorted. The names come last.
    pub fn sorts(&self) -> Vec<Sort> {
        let columns = self.screen().tab.numbers().filter(|column| self.has(column.number));
        columns.filter_map(|column| column.number.sort()).chain([Sort::Name]).collect()
    }

    /// The reasons of one process for being off its CPUs, those of most time first.
    pub fn reasons(&self, pid: i32) -> Vec<(OffCpu, Ns)> {
        let of = |(reason, time): (&Reason, &Ns)| (reason.pid == pid).then(|| (reason.why.clone(), *time));
        let mut reasons: Vec<_> = match self.totals {
            true => self.base.reasons.iter().filter_map(of).collect(),
            false => self.base.latest.reasons.iter().filter_map(|(reason, time)| of((reason, time))).collect(),
        };
        reasons.sort_by_key(|(why, time)| (Reverse(*time), why.text()));
        reasons
    }

    pub fn is_loading(&self) -> bool {
        match self.screen().tab {
            Tab::Waits => self.waiting.is_none(),
            _ => self.detail_wanted().is_some() && self.detail.length == 0,
        }
    }
}

/// A text in an expression.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
