//! Names of hosts that the file /etc/hosts answers are looked up again and again.

use super::super::common::{Bounded, Claims, is_resolvers, process};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::opens;
use crate::report::finding::{Candidate, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{CALLS, PID};
use crate::report::statement::say;
use crate::rule::Rule;
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::Tid;
use stride_syscalls::Syscall;
use stride_track::Tracker;

pub const HOST_LOOKUPS: Threshold = Threshold::count("host-lookups", 50, "reads of /etc/hosts by one process");

const HOSTS: &[u8] = b"/etc/hosts";

#[derive(Default)]
pub struct HostNames {
    lookups: Bounded<Tid, Lookups>,
}

struct Lookups {
    calls: u64,
    key: CallKey,
    line: u64,
}

impl Rule for HostNames {
    fn wants(&self, row: &'static Syscall) -> bool {
        opens(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        if !observed.ok() || observed.seen.path.is_none_or(|path| observed.tracker.name(path) != HOSTS) {
            return;
        }
        self.lookups.make_room_of_ended(observed.tracker, |lookups| lookups.calls >= HOST_LOOKUPS.get());
        let new = || Lookups { calls: 0, key: observed.key, line: observed.line };
        if let Some(lookups) = self.lookups.entry(observed.seen.pid, new) {
            lookups.calls += 1;
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let often = self.lookups.iter().filter(|(_, lookups)| lookups.calls >= HOST_LOOKUPS.get());
        let worst = often.max_by_key(|(pid, lookups)| (lookups.calls, Reverse(**pid)));
        let Some((&pid, lookups)) = worst else { return Vec::new() };
        // All calls about the resolver's files are those of lookups, and the first one is needed.
        let part = 1.0 - 1.0 / lookups.calls as f64;
        let about =
            index.tallies().filter(|(key, _)| key.object.is_some_and(|object| is_resolvers(tracker.name(object))));
        let mut claims = Claims::default();
        about.for_each(|(key, made)| claims.add(key, (made.calls as f64 * part) as u64));
        let mut evidence = Evidence::new(EvidenceKind::Path, HOSTS, lookups.calls);
        evidence.line = Some(lookups.line);
        let comm = index.comm(pid, tracker);
        vec![Candidate {
            sentence: say!(
                "Process {} looked names of hosts up {} times: the C library reads /etc/hosts anew for each lookup, and looks at its other files.",
                PID.id(pid),
                CALLS.of(lookups.calls),
            ),
            evidence: vec![evidence, process(pid, comm, lookups.calls)],
            advice: "Look each name up once, and keep the address or the connection. Where addresses change, look again after a while."
                .into(),
            confidence: Confidence::Likely,
            claims: claims.list(),
            makers: vec![(lookups.key, lookups.calls)],
            estimate: "all calls about the resolver's files but those of the first lookup".into(),
            unless_told: &["name-lookups"],
            ..Candidate::default()
        }]
    }
}
