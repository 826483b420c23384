//! Connections that are made only after the first packet was sent again.

use super::common::{Bounded, Claims, Covered, ProcessCounts, plain};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::is_tcp;
use crate::report::finding::{Candidate, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{MEAN_WAIT, RUN, TIMES, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::Ns;
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{FileId, Tracker, address_name};

const RESENT_PART: Threshold = Threshold::part(
    "resent-part",
    0.1,
    "the part of the run that waited for connections whose first packet was sent again",
);
const RESENT_SLACK: Threshold = Threshold::time(
    "resent-slack",
    200_000_000,
    "a connection comes at most this long after its packet was sent again",
);

pub const RULE: RuleInfo = RuleInfo {
    id: "slow-connects",
    title: "connections whose first packet was sent again",
    explanation: "connect(2) over TCP took a second, or some whole seconds, and succeeded then. So the first packet had no answer: the kernel sends it again after 1 s, and then \
        again and again (tcp(7), tcp_syn_retries). Either packets are lost on the way, or the server's queue of connections that wait for accept(2) was full: then the kernel drops \
        the packets of new ones, also on one machine.\n\n\
        Reported are such connections if the run waited for them for a tenth of its time.\n\n\
        Example: eight clients connect to a server at once, and it calls listen(fd, 1). Some of them wait for a second: 1.4 s instead of 0.2 s.",
    thresholds: &[RESENT_PART, RESENT_SLACK],
    make: || Box::new(SlowConnects::default()),
};

/// The kernel sends the first packet again after this time (tcp(7)), and later ones after whole seconds as well.
const RESEND: Ns = 1_000_000_000;

#[derive(Default)]
struct SlowConnects {
    /// Sockets that do not block, and when their connections were asked for.
    pending: Bounded<FileId, (Ns, CallKey)>,
    addresses: Bounded<Vec<u8>, Slow>,
    waited: Covered,
    claims: Claims,
    processes: ProcessCounts,
}

#[derive(Default)]
struct Slow {
    times: u64,
    time: Ns,
    line: u64,
}

impl Rule for SlowConnects {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::AsksOfSocket) || row.has_effect(Effect::Connects)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        const EINPROGRESS: u32 = c::EINPROGRESS as u32;
        let Some(file) = observed.seen.file else { return };
        if observed.has(Effect::Connects) {
            match observed.errno() {
                None if observed.ok() => self.made(observed, observed.call.began(), observed.key),
                Some(EINPROGRESS) => {
                    self.pending.make_room(|_| false);
                    self.pending.entry(file, || (observed.call.began(), observed.key));
                }
                _ => {}
            }
        } else if observed.asks_for_error()
            && let Some((began, key)) = self.pending.remove(&file)
            && observed.call.answer("optval", 4) == [0; 4]
        {
            self.made(observed, began, key);
        }
    }

    fn findings(&mut self, index: &Index, _: &Tracker) -> Vec<Candidate> {
        let waited = self.waited.time;
        let times: u64 = self.addresses.iter().map(|(_, slow)| slow.times).sum();
        if times == 0 || (waited as f64) < index.own_span() as f64 * RESENT_PART.ratio() {
            return Vec::new();
        }
        let time: Ns = self.addresses.iter().map(|(_, slow)| slow.time).sum();
        let mut worst: Vec<_> = self.addresses.iter().collect();
        worst.sort_by_key(|(address, slow)| (Reverse(slow.time), *address));
        let evidence = worst.iter().map(|(address, slow)| {
            let mut evidence = Evidence::new(EvidenceKind::Socket, plain(address), slow.times);
            (evidence.time, evidence.line) = (Some(slow.time), Some(slow.line));
            evidence
        });
        vec![Candidate {
            sentence: say!(
                "Connecting over TCP took whole seconds {}, {} on average: the first packet had no answer and was sent again; that covers {} of the run's {}.",
                if times == 1 { "once".into() } else { say!("{} times", TIMES.of(times)) },
                MEAN_WAIT.of(time / times),
                WAITED.of(waited),
                RUN.of(index.span())
            ),
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice: "If the server's queue was full, have it call accept(2) sooner, and listen(2) with a longer backlog (net.core.somaxconn limits it); nstat -az \
                     TcpExtListenOverflows counts such packets. Keep connections and use them again. Otherwise look for lost packets on the way."
                .into(),
            confidence: Confidence::Likely,
            makers: self.claims.iter().collect(),
            estimate: "the time of these connections".into(),
            perhaps_more: waited,
            instead_of: &["lock-step"],
            ..Candidate::default()
        }]
    }
}

impl SlowConnects {
    /// A connection was made that was asked for at `began`.
    fn made(&mut self, observed: &Observed<'_>, began: Ns, key: CallKey) {
        let (object, tracker, until) = (observed.seen.object, observed.tracker, observed.call.returned);
        let took = until.saturating_sub(began);
        if took < RESEND || took % RESEND > RESENT_SLACK.get() || !object.is_some_and(|object| is_tcp(object, tracker))
        {
            return;
        }
        let address = observed.call.address().and_then(address_name);
        let address = address.or_else(|| object.map(|object| tracker.name(object).to_vec())).unwrap_or_default();
        let Some(slow) = self.addresses.entry(address, Slow::default) else { return };
        slow.times += 1;
        slow.time += took;
        slow.line = observed.line;
        self.waited.add(began, until);
        self.claims.add(key, 1);
        self.processes.count(observed.seen.pid, tracker);
    }
}
