//! A message goes out in several small packets, or many messages go out in a packet each.

use super::common::{Bounded, Claims, ProcessCounts, plain, thing};
use crate::counts::index::{CallKey, Index, Observed, OpenFile};
use crate::counts::kinds::{is_datagram, is_tcp, is_write};
use crate::report::finding::{Candidate, Claim, Confidence};
use crate::report::quantity::{HELD_UP, IN_A_ROW, MEAN_BYTES, MEAN_WAIT, SENDS};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::shared::{DELAYED_ACK, FEW_CALLS};
use crate::thresholds::threshold::Threshold;
use rustc_hash::{FxHashMap, FxHasher};
use std::cmp::Reverse;
use std::hash::{Hash, Hasher};
use stride_event::Ns;
use stride_syscalls::{Data, Effect, Syscall, uapi::consts as c};
use stride_track::{FileId, ObjectId, Tracker};

const SMALL_SEND: Threshold =
    Threshold::bytes("small-send", 1400, "a send of fewer bytes fits into one packet with others");
const SAME_MOMENT: Threshold =
    Threshold::time("same-moment", 1_000_000, "sends that follow each other this soon could have been one");

pub const RULE: RuleInfo = RuleInfo {
    id: "small-sends",
    title: "small sends in a row",
    explanation: "A message is sent over TCP in several small pieces, one call right after the other. Each call costs about \
                  as much as a packet. Without TCP_NODELAY it can also cost 40 ms: the kernel holds the second small piece \
                  back until the first is acknowledged (Nagle's algorithm), the other side delays the acknowledgement \
                  because it has nothing to answer yet, and both wait.\n\n\
        A send counts if it has less than 1,400 bytes, follows another on the same connection within a millisecond, and \
        neither MSG_MORE nor TCP_CORK is set; a larger one that follows a small one counts if its answer was held up. All but the first of a row could be saved. If TCP_NODELAY is not set and an \
        answer comes 36 to 60 ms after such a row, the estimate includes that time.\n\n\
        Datagrams of UDP and of local sockets (SOCK_DGRAM) count if they have less than 700 bytes and follow another to the same address within a millisecond, with nothing received in between; 300 of these are reported. \
        Collectors of metrics (statsd) and logs take several lines in one datagram. Where each datagram is a message of a protocol, sendmmsg(2) sends many with one call.\n\n\
        In Python, join the parts before socket.sendall, or write to socket.makefile('wb') and flush; in Go, wrap the connection in a bufio.Writer; in Node.js, use cork and uncork; in Java, a \
        BufferedOutputStream. Small messages that have to arrive at once, such as keys that a user types, may stay.\n\n\
        Example: a client writes a header of 12 bytes, then a body of 200, and reads the answer, 1,000 times: each round takes 41 ms instead of 0.1. One writev(2) or sendmsg(2) for both saves 1,000 calls and 40 s.",
    thresholds: &[SMALL_SEND, SAME_MOMENT],
    make: || Box::new(SmallSends::default()),
};

#[derive(Default)]
struct SmallSends {
    flows: Bounded<FileId, Flow>,
    /// By peer. All clients of a port count as one.
    totals: Bounded<ObjectId, Total>,
    processes: ProcessCounts,
}

/// An open connection.
#[derive(Default)]
struct Flow {
    nodelay: bool,
    corked: bool,
    /// A hash of the address of the latest datagram.
    to: u64,
    /// The number of small sends since the last answer that followed each other at once.
    row: u64,
    sent: Ns,
    /// The latest one was a large one after a small one: the kernel may hold that back, too.
    large: Option<CallKey>,
}

#[derive(Default)]
struct Total {
    sends: u64,
    extra: u64,
    /// Those of them that were large themselves, and came after a small one.
    before_large: u64,
    bytes: u64,
    line: u64,
    /// Answers that came as late as after a delayed acknowledgement.
    stalls: u64,
    waited: Ns,
    claims: Claims,
}

/// The part of a stall that the delayed acknowledgement causes.
const ACK_DELAY: Ns = 40_000_000;

impl Rule for SmallSends {
    fn wants(&self, row: &'static Syscall) -> bool {
        let one = row.transfer().is_some_and(|transfer| !matches!(transfer.data, Data::Messages | Data::Nowhere));
        row.has_effect(Effect::SetsOfSocket) || one
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (Some(object), Some(file)) = (observed.seen.object, observed.seen.file) else { return };
        if !is_tcp(object, observed.tracker) && !is_datagram(object, observed.tracker) {
            return;
        }
        if observed.has(Effect::SetsOfSocket) {
            return self.set(observed, file);
        }
        let Some(bytes) = observed.seen.bytes.filter(|bytes| *bytes > 0) else { return };
        if is_write(observed.row) {
            self.sent(observed, file, observed.tracker.group(object), bytes);
        } else if let Some(flow) = self.flows.get_mut(&file) {
            let waited = observed.call.returned.saturating_sub(flow.sent);
            if flow.row > 1
                && !flow.nodelay
                && DELAYED_ACK.contains(&waited)
                && let Some(total) = self.totals.get_mut(&observed.tracker.group(object))
            {
                total.stalls += 1;
                total.waited += waited.min(ACK_DELAY);
                if let Some(large) = flow.large {
                    total.extra += 1;
                    total.before_large += 1;
                    total.claims.add(large, 1);
                    self.processes.count(observed.seen.pid, observed.tracker);
                }
            }
            (flow.row, flow.large) = (0, None);
        }
    }

    fn closed(&mut self, file: &OpenFile, _: &Index, _: &Tracker) {
        self.flows.remove(&file.id);
    }

    fn findings(&mut self, _: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let streams = self.candidate(|object| !is_datagram(object, tracker), tracker);
        let datagrams = self.candidate(|object| is_datagram(object, tracker), tracker);
        streams.map(|it| it.candidate).into_iter().chain(datagrams.and_then(of_datagrams)).collect()
    }
}

/// The same finding, about datagrams.
fn of_datagrams(candidate: SendsOfPeer) -> Option<Candidate> {
    let SendsOfPeer { name, sends, extra, bytes, candidate } = candidate;
    let needed = bytes.div_ceil(SMALL_SEND.get());
    let part = extra.saturating_sub(needed) as f64 / extra.max(1) as f64;
    let claims = candidate.claims.into_iter().map(|claim| Claim { calls: (claim.calls as f64 * part) as u64, ..claim });
    (extra >= FEW_CALLS.get()).then(|| Candidate {
        sentence: say!(
            "{name}: {} of {} datagrams ({} bytes on average) came right after another.",
            IN_A_ROW.of(extra),
            SENDS.of(sends),
            MEAN_BYTES.of(bytes / sends.max(1)),
        ),
        advice: "Put many messages into one datagram of up to about 1,400 bytes, or some KiB on a local socket (collectors of metrics and logs take a line for each), or give many datagrams to one sendmmsg(2)."
            .into(),
        claims: claims.collect(),
        estimate: "all datagrams but as many as hold the same bytes".into(),
        ..candidate
    })
}

/// The small sends to peers of one kind.
struct SendsOfPeer {
    /// Those of the peer with most of them.
    name: String,
    sends: u64,
    extra: u64,
    bytes: u64,
    candidate: Candidate,
}

impl SmallSends {
    fn candidate(&self, wanted: impl Fn(ObjectId) -> bool, tracker: &Tracker) -> Option<SendsOfPeer> {
        let totals = self.totals.iter().filter(|(object, total)| total.extra > 0 && wanted(**object));
        let mut often: Vec<_> = totals.collect();
        often.sort_by_key(|(object, total)| (Reverse((total.waited, total.extra)), **object));
        let (object, worst) = *often.first()?;
        let evidence = often.iter().map(|(object, total)| {
            let mut evidence = thing(**object, total.sends, tracker);
            evidence.bytes = Some(total.bytes);
            evidence.line = Some(total.line);
            evidence
        });
        let stalls = match worst.stalls {
            0 => "".into(),
            n => say!(
                "; {} of the answers came {} later on average: TCP_NODELAY is not set, so the kernel holds the second piece \
                 back until the other side acknowledges the first, and the other side delays that",
                HELD_UP.of(n),
                MEAN_WAIT.of(worst.waited / n)
            ),
        };
        let mut claims: FxHashMap<_, u64> = FxHashMap::default();
        often
            .iter()
            .flat_map(|(_, total)| total.claims.iter())
            .for_each(|(key, n)| *claims.entry(key).or_default() += n);
        let how = if worst.before_large > 0 { "right before or after another send" } else { "right after another" };
        let candidate = Candidate {
            sentence: say!(
                "{}: {} of {} small sends ({} bytes on average) came {how}{}.",
                plain(tracker.name(*object)),
                IN_A_ROW.of(worst.extra),
                SENDS.of(worst.sends),
                MEAN_BYTES.of(worst.bytes / worst.sends.max(1)),
                stalls,
            ),
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice:
                "Send the parts of a message together: with writev(2) or sendmsg(2), a buffer that is flushed once for \
                     each message, MSG_MORE or TCP_CORK."
                    .into(),
            confidence: Confidence::Likely,
            claims: claims.into_iter().map(|(key, calls)| Claim { key, calls }).collect(),
            estimate: "every send that came right after another, and 40 ms for each answer that was held up".into(),
            more_time: often.iter().map(|(_, total)| total.waited).sum(),
            ..Candidate::default()
        };
        let (sends, extra, bytes) = (worst.sends, worst.extra, worst.bytes);
        Some(SendsOfPeer { name: plain(tracker.name(*object)), sends, extra, bytes, candidate })
    }

    fn set(&mut self, observed: &Observed<'_>, file: FileId) {
        if observed.arg("level") != c::IPPROTO_TCP || !observed.ok() {
            return;
        }
        let on = observed.call.bytes("optval", 4).iter().any(|byte| *byte != 0);
        let Some(flow) = self.flows.entry(file, Flow::default) else { return };
        match observed.arg("optname") & 0xffff_ffff {
            c::TCP_NODELAY => flow.nodelay = on,
            c::TCP_CORK => flow.corked = on,
            _ => {}
        }
    }

    fn sent(&mut self, observed: &Observed<'_>, file: FileId, peer: ObjectId, bytes: u64) {
        let Some(flow) = self.flows.entry(file, Flow::default) else { return };
        let mut hasher = FxHasher::default();
        observed.call.address().hash(&mut hasher);
        let to = hasher.finish();
        let elsewhere = std::mem::replace(&mut flow.to, to) != to;
        let small = if is_datagram(peer, observed.tracker) { SMALL_SEND.get() / 2 } else { SMALL_SEND.get() };
        if elsewhere {
            flow.row = 0;
        }
        let follows = flow.row > 0 && observed.call.began().saturating_sub(flow.sent) <= SAME_MOMENT.get();
        let is_joined = flow.corked || observed.arg("flags") & c::MSG_MORE != 0;
        flow.large = None;
        if bytes >= small && follows && !is_joined && is_tcp(peer, observed.tracker) {
            (flow.large, flow.row, flow.sent) = (Some(observed.key), flow.row + 1, observed.call.returned);
            return;
        }
        if bytes >= small || is_joined {
            flow.row = 0;
            return;
        }
        let Some(total) = self.totals.entry(peer, Total::default) else { return };
        total.sends += 1;
        total.bytes += bytes;
        if !follows {
            flow.row = 0;
        }
        flow.row += 1;
        flow.sent = observed.call.returned;
        if flow.row > 1 {
            total.extra += 1;
            total.line = observed.line;
            total.claims.add(observed.key, 1);
            self.processes.count(observed.seen.pid, observed.tracker);
        }
    }
}
