//! The time zone's file is checked for every time that the program converts.

use super::super::common::{Bounded, Claims, ProcessCounts, is_time_zone, plain};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::opens;
use crate::report::finding::{Candidate, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::CALLS;
use crate::report::statement::say;
use crate::report::trial::Trial;
use crate::rule::Rule;
use crate::thresholds::threshold::Threshold;
use stride_event::Tid;
use stride_syscalls::{Effect, Syscall};
use stride_track::{ObjectId, Tracker};

pub const TIME_ZONE_CHECKS: Threshold = Threshold::count("time-zone-checks", 16, "checks by one process");

const LOCAL_TIME: &[u8] = b"/etc/localtime";

#[derive(Default)]
pub struct TimeZone {
    checks: Bounded<(Tid, CallKey, ObjectId), (u64, u64)>,
}

impl Rule for TimeZone {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Asks) || opens(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let Some(path) = observed.seen.path.filter(|path| is_time_zone(observed.tracker.name(*path))) else { return };
        let at = (observed.seen.pid, observed.key, path);
        if let Some((calls, _)) = self.checks.entry(at, || (0, observed.line)) {
            *calls += 1;
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let (mut claims, mut processes) = (Claims::default(), ProcessCounts::default());
        let often = self.checks.iter().filter(|(_, (calls, _))| *calls >= TIME_ZONE_CHECKS.get());
        let mut worst = None;
        for ((pid, key, path), (calls, line)) in often {
            claims.add(*key, calls - 1);
            processes.add(*pid, *calls, index.comm(*pid, tracker));
            worst = worst.max(Some((*calls, std::cmp::Reverse(*line), *path)));
        }
        let Some((calls, line, path)) = worst.filter(|_| !claims.few()) else { return Vec::new() };
        let name = tracker.name(path);
        // The file of a zone is read if the program sets the zone. The one of the machine is checked as long as none is set.
        let is_set = name != LOCAL_TIME;
        let mut evidence = Evidence::new(EvidenceKind::Path, name, calls);
        evidence.line = Some(line.0);
        vec![Candidate {
            sentence: match is_set {
                true => say!(
                    "{} was asked for {} times by one process, because it sets the time zone again and again (tzset(3)).",
                    plain(name),
                    CALLS.of(calls)
                ),
                false => say!(
                    "{} was checked {} times by one process, once for each time that it converted, because TZ is not set.",
                    plain(name),
                    CALLS.of(calls)
                ),
            },
            evidence: [evidence].into_iter().chain(processes.evidence()).collect(),
            advice: match is_set {
                true => "Convert all times of one zone before the next zone is set, or use a library that keeps zones in memory (zoneinfo in Python, \
                         java.time, std::chrono::zoned_time).",
                false => "Set TZ in the environment (TZ=:/etc/localtime is enough), or call tzset(3) once and then \
                          localtime_r(3), which does not check again.",
            }
            .into(),
            confidence: Confidence::Certain,
            claims: claims.list(),
            estimate: "every check by a process but its first".into(),
            trial: (!is_set).then_some(Trial::Environment(&[("TZ", ":/etc/localtime")])),
            ..Candidate::default()
        }]
    }
}
