//! Delivers metrics and logs to a Collector, from a thread of its own.
//!
//! Numbers are totals since the beginning of the run. So one delivery makes up for all that failed before it, and nothing has to be
//! kept. Only logs wait, and few.

use crate::otlp::logs::{self, LogNote};
use crate::otlp::metrics::{self, CountedBetween};
use crate::otlp::post::Collector;
use crate::otlp::resource::OtlpResource;
use crate::periodic::Task;
use crate::shared::SharedRegistry;
use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// After a failure, the first wait. Each further one is twice as long, up to [`LONGEST_WAIT`].
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// So many logs wait to be delivered.
const MOST_LOGS: usize = 100;
/// So often it is tried at the end, before it is given up.
const LAST_TRIES: u32 = 2;
const LAST_WAIT: Duration = Duration::from_millis(500);

pub struct CollectorTask {
    collector: Collector,
    resource: OtlpResource,
    metrics: SharedRegistry,
    every: Duration,
    wait: Duration,
    started: u64,
    logs: VecDeque<(u64, LogNote)>,
    told_lost: u64,
    told_full: bool,
    /// To say at once that nothing is delivered.
    remarks: Sender<String>,
    fails: bool,
    result: Delivered,
}

/// The result of all deliveries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Why the last delivery failed, if it did.
    pub failure: Option<String>,
    /// There was one that did not.
    pub any: bool,
    /// Series and logs that the Collector did not take.
    pub rejected: u64,
    /// Logs that were never delivered.
    pub logs: u64,
}

impl CollectorTask {
    pub fn new(
        collector: Collector,
        resource: OtlpResource,
        metrics: SharedRegistry,
        every: Duration,
        started: u64,
        remarks: Sender<String>,
    ) -> CollectorTask {
        CollectorTask {
            collector,
            resource,
            metrics,
            every,
            wait: FIRST_WAIT,
            started,
            logs: VecDeque::new(),
            told_lost: 0,
            told_full: false,
            remarks,
            fails: false,
            result: Delivered::default(),
        }
    }

    fn deliver(&mut self) -> Result<(), String> {
        let now = clock();
        let (lost, full) = self.metrics.lock().trouble();
        if lost > self.told_lost {
            self.note(now, LogNote::Lost(lost - self.told_lost));
            self.told_lost = lost;
        }
        if full && !self.told_full {
            self.note(now, LogNote::SeriesFull);
            self.told_full = true;
        }
        let series = self.metrics.read();
        let times = CountedBetween { start: self.started, end: now };
        let mut rejected = 0;
        for request in metrics::requests(&series, &self.resource, times) {
            rejected += self.collector.send("/v1/metrics", &request)?;
        }
        // (Totals are rejected again and again, and are one number.)
        self.result.rejected = rejected;
        self.result.any = true;
        if !self.logs.is_empty() {
            let request = logs::request(self.logs.make_contiguous(), &self.resource);
            self.result.rejected += self.collector.send("/v1/logs", &request)?;
            self.logs.clear();
        }
        Ok(())
    }

    fn note(&mut self, at: u64, note: LogNote) {
        if self.logs.len() == MOST_LOGS {
            self.logs.pop_front();
            self.result.logs += 1;
        }
        self.logs.push_back((at, note));
    }
}

impl Task for CollectorTask {
    type Result = Delivered;

    fn first_wait(&self) -> Duration {
        self.every
    }

    fn again(&mut self) -> Duration {
        match self.deliver() {
            Ok(()) => {
                (self.fails, self.wait) = (false, FIRST_WAIT);
                self.every
            }
            Err(why) => {
                if !std::mem::replace(&mut self.fails, true) {
                    let to = self.collector.authority();
                    let _ =
                        self.remarks.send(format!("Can't deliver metrics to otlp://{to}: {why}; Stride tries again"));
                }
                let wait = self.wait;
                self.wait = (wait * 2).min(LONGEST_WAIT);
                wait
            }
        }
    }

    fn last(mut self) -> Delivered {
        for again in (0..LAST_TRIES).rev() {
            self.result.failure = self.deliver().err();
            if self.result.failure.is_none() || again == 0 {
                break;
            }
            std::thread::sleep(LAST_WAIT);
        }
        self.result.logs += self.logs.len() as u64;
        self.result
    }
}

/// The time, in nanoseconds.
pub fn clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
}
