//! Counts calls, with a fixed number of series.
//!
//! While there is room, calls have series of their own. A fifth of the room is kept for calls that find none: these are told by syscall
//! alone. When that is full, too, calls are counted together.

use crate::durations::Durations;
use crate::families::{MetricSeries, Point, PointValue};
use crate::instruments::{self, Instrument, LabelKey};
use crate::label_names::{LabelNames, LabelValueId};
use crate::labels::ExportLabels;
use rustc_hash::FxHashMap;
use stride_event::{Call, Counted, Histogram, Ns, Outcome};
use stride_syscalls::{Abi, table};

/// The least limit of series that makes sense.
pub const FEWEST_SERIES: usize = 100;
/// The most that can be asked for: about a GiB of memory.
pub const MOST_SERIES: usize = 1_000_000;
/// If nothing else is asked for.
pub const DEFAULT_SERIES: usize = 10_000;

/// Series of calls: one that counts, and a histogram if there are any.
const SERIES_OF_CALLS: usize = 2;
const SERIES_OF_ERRORS: usize = 1;
/// Series without labels of calls, and those of calls and errors that have no room at all.
const ALWAYS: usize = WITHOUT_CALLS + SERIES_OF_CALLS + SERIES_OF_ERRORS;
const WITHOUT_CALLS: usize = 8;
/// This part of the room is kept for series of calls by syscall alone.
const KEPT_PART: usize = 5;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct CallLabels {
    syscall: LabelValueId,
    thread: LabelValueId,
    container: LabelValueId,
    /// `NONE` in series that are not about errors.
    error: LabelValueId,
}

#[derive(Default)]
struct CallSeries {
    calls: u64,
    durations: Durations,
}

pub struct Registry {
    limit: usize,
    used: usize,
    labels: ExportLabels,
    /// There are histograms.
    has_durations: bool,
    names: LabelNames,
    syscalls: FxHashMap<(Abi, u64), LabelValueId>,
    calls: FxHashMap<CallLabels, CallSeries>,
    errors: FxHashMap<CallLabels, u64>,
    folded: u64,
    pub lost: u64,
    pub threads: u64,
    version: LabelValueId,
    engine: LabelValueId,
}

/// Calls to count, with what their labels are made of.
struct CallsToCount<'a> {
    call: (Abi, u64),
    thread: &'a [u8],
    container: Option<&'a str>,
    /// 0: they succeeded.
    errno: u32,
    calls: u64,
}

impl Registry {
    pub fn new(limit: usize, labels: ExportLabels, has_durations: bool, version: &str, engine: &str) -> Registry {
        let mut names = LabelNames::new(limit * 2);
        // (A recording may name any engine.)
        let [version, engine] = [version, engine].map(|fact| names.of(fact.as_bytes()));
        Registry {
            limit,
            used: ALWAYS,
            labels,
            has_durations,
            names,
            syscalls: FxHashMap::default(),
            calls: FxHashMap::default(),
            errors: FxHashMap::default(),
            folded: 0,
            lost: 0,
            threads: 0,
            version,
            engine,
        }
    }

    /// Counts a call that returned.
    pub fn add(&mut self, call: &Call, thread: &[u8]) {
        let errno = match call.outcome {
            Outcome::Value(_) => 0,
            Outcome::Error(errno) => errno,
            Outcome::Pending | Outcome::Gone => return,
        };
        let container = call.container.as_deref();
        let series = self.count(&CallsToCount { call: (call.abi, call.nr), thread, container, errno, calls: 1 });
        if let Some(time) = call.took() {
            series.durations.add(time);
        }
    }

    /// Adds calls that the engine counted.
    pub fn merge(&mut self, counted: &Counted) {
        let Some(call) = counted.call else { return };
        let (thread, container, calls) = (&counted.comm[..], counted.container.as_deref(), counted.tally.calls);
        let series = self.count(&CallsToCount { call, thread, container, errno: counted.errno, calls });
        let (histogram, total): (&Histogram, Ns) = (&counted.tally.latencies, counted.tally.wall.total);
        series.durations.merge(histogram, total);
    }

    fn count(&mut self, of: &CallsToCount<'_>) -> &mut CallSeries {
        let labels = self.labels_of(of);
        if of.errno != 0 {
            let error = match stride_event::errno_name(of.errno) {
                Some(name) => self.names.of(name.as_bytes()),
                None => self.names.of(format!("errno {}", of.errno).as_bytes()),
            };
            let place = self
                .place(CallLabels { error, ..labels }, SERIES_OF_ERRORS, |all, labels| all.errors.contains_key(labels));
            *self.errors.entry(place).or_default() += of.calls;
        }
        let place = self.place(labels, self.series_of_calls(), |all, labels| all.calls.contains_key(labels));
        if place != labels || labels.has_others() {
            self.folded += of.calls;
        }
        let series = self.calls.entry(place).or_default();
        series.calls += of.calls;
        series
    }

    fn labels_of(&mut self, of: &CallsToCount<'_>) -> CallLabels {
        let names = &mut self.names;
        let room = self.limit;
        let syscall = match self.syscalls.get(&of.call) {
            Some(&id) => id,
            None => {
                let id = names.of(table(of.call.0).name(of.call.1).as_bytes());
                // (A program may make calls of any number.)
                if self.syscalls.len() < room {
                    self.syscalls.insert(of.call, id);
                }
                id
            }
        };
        let thread = if self.labels.thread { names.of(of.thread) } else { LabelValueId::NONE };
        let container = of.container.filter(|_| self.labels.container);
        let container = container.map_or(LabelValueId::NONE, |name| names.of(name.as_bytes()));
        CallLabels { syscall, thread, container, error: LabelValueId::NONE }
    }

    /// The series for these labels, or one with fewer labels.
    fn place(&mut self, of: CallLabels, cost: usize, has: impl Fn(&Registry, &CallLabels) -> bool) -> CallLabels {
        let kept = (self.limit - ALWAYS) / KEPT_PART;
        for (labels, room) in [(of, self.limit - kept), (of.folded(self.labels, true), self.limit)] {
            if has(self, &labels) {
                return labels;
            }
            if self.used + cost <= room {
                self.used += cost;
                return labels;
            }
        }
        of.folded(self.labels, false)
    }

    /// Lost calls, and whether calls were folded.
    pub fn trouble(&self) -> (u64, bool) {
        (self.lost, self.folded > 0)
    }

    /// The counts so far.
    pub fn families(&self) -> Vec<MetricSeries> {
        let calls = self.calls.iter().map(|(labels, series)| (labels, PointValue::Count(series.calls)));
        let errors = self.errors.iter().map(|(labels, &calls)| (labels, PointValue::Count(calls)));
        let durations =
            self.calls.iter().map(|(labels, series)| (labels, PointValue::Durations(series.durations.clone())));
        let count = |instrument, n| MetricSeries::single(instrument, PointValue::Count(n));
        let facts = [(LabelKey::Version, self.version), (LabelKey::Engine, self.engine)];
        let facts = facts.into_iter().filter_map(|(key, id)| Some((key, self.names.text(id)?))).collect();
        let of_calls = [
            Some(self.family(&instruments::CALLS, calls)),
            Some(self.family(&instruments::ERRORS, errors)),
            self.has_durations.then(|| self.family(&instruments::DURATION, durations)),
        ];
        let others = [
            count(&instruments::LOST, self.lost),
            count(&instruments::FOLDED, self.folded),
            count(&instruments::THREADS, self.threads),
            count(&instruments::SERIES, self.series() as u64),
            count(&instruments::SERIES_LIMIT, self.limit as u64),
            MetricSeries {
                instrument: &instruments::BUILD,
                points: vec![Point { labels: facts, value: PointValue::Count(1) }],
            },
        ];
        of_calls.into_iter().flatten().chain(others).collect()
    }

    fn series_of_calls(&self) -> usize {
        if self.has_durations { SERIES_OF_CALLS } else { 1 }
    }

    fn series(&self) -> usize {
        WITHOUT_CALLS + self.calls.len() * self.series_of_calls() + self.errors.len() * SERIES_OF_ERRORS
    }

    fn family<'a>(
        &self,
        instrument: &'static Instrument,
        series: impl Iterator<Item = (&'a CallLabels, PointValue)>,
    ) -> MetricSeries {
        let point = |(labels, value): (&CallLabels, PointValue)| Point {
            labels: instrument
                .labels
                .iter()
                .filter_map(|&key| Some((key, self.names.text(labels.get(key))?)))
                .collect(),
            value,
        };
        MetricSeries { instrument, points: series.map(point).collect() }
    }
}

impl CallLabels {
    fn get(&self, key: LabelKey) -> LabelValueId {
        match key {
            LabelKey::Syscall => self.syscall,
            LabelKey::ThreadName => self.thread,
            LabelKey::ContainerName => self.container,
            LabelKey::ErrorType => self.error,
            LabelKey::Version | LabelKey::Engine => LabelValueId::NONE,
        }
    }

    fn has_others(&self) -> bool {
        [self.syscall, self.thread, self.container].contains(&LabelValueId::OTHERS)
    }

    /// Labels of calls that are told by their syscall, or not even by that.
    fn folded(self, labels: ExportLabels, by_syscall: bool) -> CallLabels {
        let others = |has| if has { LabelValueId::OTHERS } else { LabelValueId::NONE };
        CallLabels {
            syscall: if by_syscall { self.syscall } else { LabelValueId::OTHERS },
            thread: others(labels.thread),
            container: others(labels.container),
            error: if by_syscall { self.error } else { others(self.error != LabelValueId::NONE) },
        }
    }
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
