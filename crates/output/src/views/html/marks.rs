//! The calls in the timeline that belong to each finding.

use super::lane::{CallEnd, Lane};
use std::collections::HashSet;
use stride_advise::{CallKey, Finding};
use stride_event::Tid;

/// A bit for each finding, the first in the lowest bit. Later findings have no marks: the numbers must be exact in
/// JavaScript's bitwise operators.
pub type MarkBits = u32;
const MOST: usize = 31;

/// The calls that findings are about.
#[derive(Default)]
pub struct Marks(Vec<Marked>);

struct Marked {
    kinds: HashSet<CallKey>,
    /// The processes that make most of the calls. A kind of calls without an object is marked in these only.
    pids: Vec<Tid>,
    /// Threads that waited to the end.
    stuck: Vec<Tid>,
}

impl Marks {
    pub fn of(findings: &[Finding]) -> Marks {
        let marked = findings.iter().take(MOST).map(|finding| Marked {
            kinds: finding.calls.iter().copied().collect(),
            pids: finding.evidence.iter().filter_map(|evidence| evidence.pid).collect(),
            stuck: finding.table.iter().flat_map(|table| &table.rows).filter_map(|row| row.thread()).collect(),
        });
        Marks(marked.collect())
    }

    fn bits(&self, is: impl Fn(&Marked) -> bool) -> MarkBits {
        let bits = self.0.iter().enumerate().map(|(i, marked)| MarkBits::from(is(marked)) << i);
        bits.fold(0, |all, bit| all | bit)
    }

    /// The marks of each call and of each bin in a lane. Both are empty if there are none.
    pub fn of_lane(&self, lane: &Lane, pid: Option<Tid>) -> (Vec<MarkBits>, Vec<MarkBits>) {
        let is = |marked: &Marked, kind: &CallKey| {
            let here = kind.object.is_some() || pid.is_some_and(|pid| marked.pids.contains(&pid));
            here && marked.kinds.contains(kind)
        };
        let slices = lane.slices.iter().map(|slice| {
            let stuck = |marked: &Marked| slice.end == CallEnd::Never && marked.stuck.contains(&lane.tid);
            self.bits(|marked| stuck(marked) || slice.kind.is_some_and(|kind| is(marked, &kind)))
        });
        let bins = lane.bins.iter().map(|bin| self.bits(|marked| bin.kinds().any(|kind| is(marked, &kind))));
        (some(slices.collect()), some(bins.collect()))
    }
}

fn some(marks: Vec<MarkBits>) -> Vec<MarkBits> {
    if marks.iter().all(|marks| *marks == 0) { Vec::new() } else { marks }
}
