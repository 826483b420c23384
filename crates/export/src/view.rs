//! The view: counts calls, and leaves the rest to outlets.

use crate::facts::OutletFacts;
use crate::outlet::{OpenOutlet, Outlet};
use crate::target::ExportTarget;
use std::io;
use stride_event::{CountBy, Counted, Counting, Event};
use stride_output::{End, Interval, View};
use stride_track::Tracker;

pub struct ExportView {
    outlets: Vec<OpenOutlet>,
    /// Sentences for the end.
    remarks: Vec<String>,
}

/// The counts that the engine may make by itself for these targets.
pub fn counting(targets: &[ExportTarget]) -> Counting {
    let any = |test: fn(&ExportTarget) -> bool| targets.iter().any(test);
    Counting {
        only: true,
        cpu_time: false,
        estimated: false,
        latencies: any(|target| target.durations),
        bytes: false,
        by: CountBy {
            errno: true,
            comm: any(|target| target.labels.thread),
            container: any(|target| target.labels.container),
            ..CountBy::SYSCALL
        },
        intervals: true,
    }
}

impl ExportView {
    pub fn new(outlets: Vec<Outlet>, facts: &OutletFacts<'_>) -> io::Result<ExportView> {
        let outlets = outlets.into_iter().map(|outlet| outlet.open(facts)).collect::<io::Result<_>>()?;
        Ok(ExportView { outlets, remarks: Vec::new() })
    }

    fn note_threads(&self, tracker: &Tracker) {
        let threads = tracker.live_threads().len() as u64;
        self.outlets.iter().for_each(|outlet| outlet.metrics.lock().threads = threads);
    }
}

impl View for ExportView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        match event {
            Event::Exit(call) if !call.counted => {
                let name = tracker.thread(call.tid).map_or(&[][..], |thread| &thread.comm);
                self.outlets.iter().for_each(|outlet| outlet.metrics.lock().add(call, name));
            }
            Event::Lost { count, .. } => self.outlets.iter().for_each(|outlet| outlet.metrics.lock().lost += count),
            _ => {}
        }
    }

    fn merge(&mut self, counted: &[Counted]) {
        for outlet in &self.outlets {
            // (The lock is free between them, for whoever wants to read.)
            counted.iter().for_each(|counted| outlet.metrics.lock().merge(counted));
        }
    }

    fn interval(&mut self, _: Interval, tracker: &Tracker) -> String {
        self.note_threads(tracker);
        String::new()
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        self.note_threads(end.tracker);
        for outlet in std::mem::take(&mut self.outlets) {
            let mut metrics = outlet.metrics.lock();
            metrics.lost = metrics.lost.max(end.lost.calls);
            drop(metrics);
            self.remarks.extend(outlet.take_remark());
            self.remarks.extend(outlet.end());
        }
        String::new()
    }

    fn take_remark(&mut self) -> Option<String> {
        let of_outlets = self.outlets.iter().find_map(OpenOutlet::take_remark);
        of_outlets.or_else(|| (!self.remarks.is_empty()).then(|| self.remarks.remove(0)))
    }
}
