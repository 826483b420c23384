//! The summary as JSON: an object for each row and one for all, each on a line.

use super::column::quantile;
use super::label::{Labels, errno_name, syscall};
use super::part::KeyPart;
use super::{LostCalls, Summary, SummaryKind};
use crate::views::json::Json;
use stride_event::{CallStats, Times};
use stride_track::{ObjectKind, Tracker};

impl Summary {
    /// Writes all numbers, because columns are only for tables. The order of the rows is the table's.
    pub(super) fn render_json(&self, lost: LostCalls, tracker: Option<&Tracker>, out: &mut Vec<u8>) {
        let labels = Labels { names: &self.names, tracker, tell_abi: false };
        let rows = self.sorted(tracker);
        let mut all = CallStats::default();
        for row in &rows {
            all.merge(row.tally);
            Json::new(out).line("summary", |j| {
                self.kind(j);
                self.interval(j);
                j.key("by").object(|j| {
                    for (i, key) in self.layout.by.iter().enumerate() {
                        // The row for calls without room has no keys of its own.
                        let part = row.key.get(i).copied().unwrap_or(KeyPart::Others);
                        j.part(self.heading(*key), part, &labels);
                    }
                });
                self.numbers(row.tally, j);
            });
        }
        Json::new(out).line("summary_total", |j| {
            self.kind(j);
            self.interval(j);
            j.key("by").array(|j| self.layout.by.iter().for_each(|key| j.str(self.heading(*key))));
            j.key("rows").int(rows.len());
            self.numbers(&all, j);
            j.key("lost_calls").int(lost.calls);
            j.key("lost_are_counted").bool(lost.counted);
        });
    }

    /// Tells operations from system calls, whatever the keys are.
    fn kind(&self, j: &mut Json<'_>) {
        if self.of == SummaryKind::Operations {
            j.key("of").str("io_uring");
        }
    }

    fn interval(&self, j: &mut Json<'_>) {
        if let Some(interval) = &self.interval {
            j.key("time_ns").int(interval.wall_time());
            j.key("interval_ns").int(interval.length());
        }
    }

    fn numbers(&self, row: &CallStats, j: &mut Json<'_>) {
        j.key("calls").int(row.calls);
        j.key("errors").int(row.errors);
        j.key("bytes").int(row.bytes);
        j.key("wall_ns").object(|j| {
            j.times(&row.wall);
            j.key("p50").int(quantile(row, 0.5));
            j.key("p99").int(quantile(row, 0.99));
        });
        if self.layout.waits {
            j.key("blocked_ns").int(row.blocked);
            j.key("runnable_ns").int(row.runnable);
        }
        // These times are known only if they are asked for.
        if !self.layout.wall_clock {
            j.key("cpu_ns").object(|j| j.times(&row.cpu));
        }
    }
}

impl Json<'_> {
    fn times(&mut self, times: &Times) {
        self.key("total").int(times.total);
        // Calls that were under way when tracing began have no time.
        self.key("min").int(times.min.min(times.max));
        self.key("max").int(times.max);
    }

    fn part(&mut self, name: &'static str, part: KeyPart, labels: &Labels<'_>) {
        match part {
            KeyPart::None => self.key(name).null(),
            KeyPart::Others => self.key(name).str("(others)"),
            KeyPart::Call(abi, nr) => {
                self.key(name).str(&syscall(abi, nr));
                self.key("abi").str(abi.name());
            }
            KeyPart::Object(object) => self.name(name, labels.object(object)),
            KeyPart::Name(id) | KeyPart::Functions(id) => self.name(name, labels.names.name(id)),
            KeyPart::Fd(fd, object) => {
                let socket = |object| labels.tracker.is_some_and(|tracker| tracker.kind(object) == ObjectKind::Socket);
                self.key(name).known_fd(fd, object.map(|object| (labels.object(object), socket(object))));
            }
            KeyPart::Errno(0) => self.key(name).str("ok"),
            KeyPart::Errno(number) => self.key(name).str(&errno_name(number)),
            KeyPart::Id(id) => self.key(name).int(id),
            KeyPart::Duration(bucket) | KeyPart::Size(bucket) => match bucket.range() {
                None => self.key(name).null(),
                Some((least, most)) => self.key(name).object(|j| {
                    j.key("min").int(least);
                    j.key("max").int(most);
                }),
            },
        }
    }
}
