//! A file on a network file system is read or written in many requests of middling size.

use super::common::{Bounded, Claims, largest, plain, process, thing};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::is_write;
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{BYTES, CALLS, MEAN_BYTES, MEAN_WAIT, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::shared::{SEEKS_PER_TRANSFER, SMALL_TRANSFER};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::{Ns, Outcome, Tid};
use stride_syscalls::Syscall;
use stride_track::{ObjectId, ObjectKind, Tracker};

const LARGE_REQUEST: Threshold =
    Threshold::bytes("large-request", 1 << 20, "requests to a network file system of at least this size are large");
const ROUND_TRIP: Threshold = Threshold::time(
    "round-trip",
    100_000,
    "a transfer that takes so long, and 1 ns more for each byte, was a request to the server; shorter ones were served from memory",
);
const ROUND_TRIPS: Threshold = Threshold::count("network-requests-of-file", 50, "requests to the server for one file");

pub const RULE: RuleInfo = RuleInfo {
    id: "network-requests",
    title: "small requests to a network file system",
    explanation: "A file on a network file system (nfs, cifs, ceph, lustre, 9p, sshfs and the like) is read or written from beginning to \
        end in requests of 4 KiB to 1 MiB, and each goes to the server and back. The way takes much longer than the bytes do.\n\n\
        A transfer counts as a round trip if it takes at least 100 us, and 1 ns for each byte: those that memory serves, because the kernel reads ahead or \
        writes later, are shorter. A file is reported if one process made 50 round trips for it, and at most a fourth of its \
        transfers began elsewhere than where the one before had ended. With requests of 1 MiB so many round trips are left as there \
        are MiB. Each of the others saves its time, less the time that its bytes take at 1 Gbit/s, because that is not saved.\n\n\
        Smaller transfers are reported as `tiny-reads` and `tiny-writes`, those all over the file as `random-reads`.\n\n\
        Example: an analysis reads a file of 400 MiB from sshfs with O_DIRECT, 64 KiB at a time: 6,400 round trips of 2 ms, 12.8 s. \
        With 1 MiB at a time it makes 400.",
    thresholds: &[LARGE_REQUEST, ROUND_TRIP, ROUND_TRIPS],
    make: || Box::new(NetworkRequests::default()),
};

/// The time of a byte at 1 Gbit/s, and the most that copying a byte from memory takes.
const OF_BYTE: Ns = 8;
const OF_COPY: Ns = 1;

#[derive(Default)]
struct NetworkRequests {
    /// By process, file and direction.
    files: Bounded<(Tid, ObjectId, bool), Requests>,
}

struct Requests {
    key: CallKey,
    line: u64,
    calls: u64,
    jumps: u64,
    /// The calls that went to the server.
    trips: u64,
    bytes: u64,
    time: Ns,
    /// The offset at which the latest one ended, as far as the calls show.
    end: u64,
}

impl Requests {
    fn new(key: CallKey, line: u64) -> Requests {
        Requests { key, line, calls: 0, jumps: 0, trips: 0, bytes: 0, time: 0, end: 0 }
    }

    fn saved_trips(&self) -> u64 {
        self.trips.saturating_sub(self.bytes.div_ceil(LARGE_REQUEST.get()))
    }

    fn saved_time(&self) -> Ns {
        let waited = self.time.saturating_sub(self.bytes * OF_BYTE);
        (waited as f64 * self.saved_trips() as f64 / self.trips.max(1) as f64) as Ns
    }

    fn is_wasteful(&self) -> bool {
        self.trips >= ROUND_TRIPS.get() && self.jumps as f64 <= self.calls as f64 * SEEKS_PER_TRANSFER.ratio()
    }
}

impl Rule for NetworkRequests {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.returns_moved() && row.transfer().is_some()
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (Some(object), Some(asked), Outcome::Value(moved)) =
            (observed.seen.object, observed.seen.asked, observed.call.outcome)
        else {
            return;
        };
        let bytes = moved.max(0) as u64;
        let is_middling = bytes >= SMALL_TRANSFER.get() && asked < LARGE_REQUEST.get();
        if !is_middling || observed.tracker.kind(object) != ObjectKind::Path {
            return;
        }
        let of = (observed.seen.pid, object, is_write(observed.row));
        self.files.make_room(|requests| requests.trips > 0);
        let Some(requests) = self.files.entry(of, || Requests::new(observed.key, observed.line)) else { return };
        requests.calls += 1;
        if observed.row.transfer().is_some_and(|transfer| transfer.at_offset)
            && let Some(at) = observed.call.arg("offset")
        {
            requests.jumps += u64::from(requests.end != at);
            requests.end = at.wrapping_add(bytes);
        }
        if observed.time() >= ROUND_TRIP.get() + bytes * OF_COPY {
            requests.trips += 1;
            requests.bytes += bytes;
            requests.time += observed.time();
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let on_network = self.files.iter().filter(|((_, object, _), requests)| {
            requests.is_wasteful() && tracker.network_file_system(*object).is_some()
        });
        let files =
            largest(on_network, 4, |((pid, object, _), requests)| (requests.saved_time(), Reverse((*object, *pid))));
        let Some(((pid, object, writes), worst)) = files.first() else { return Vec::new() };
        let mut claims = Claims::default();
        files.iter().for_each(|(_, requests)| claims.add(requests.key, requests.saved_trips()));
        let saved = files.iter().map(|(_, requests)| requests.saved_time() as f64 * index.on_path(requests.key));
        let evidence = files.iter().map(|((_, object, _), requests)| {
            let mut evidence = thing(*object, requests.trips, tracker);
            evidence.bytes = Some(requests.bytes);
            evidence.time = Some(requests.time);
            evidence.line = Some(requests.line);
            evidence
        });
        vec![Candidate {
            sentence: say!(
                "{} is on a network file system ({}) and was {} in {} requests to the server, of {} bytes and {} each on average: {} in all \
                 for {}.",
                plain(tracker.name(*object)),
                plain(tracker.network_file_system(*object).unwrap_or_default().as_bytes()),
                if *writes { "written" } else { "read" },
                CALLS.of(worst.trips),
                MEAN_BYTES.of(worst.bytes / worst.trips),
                MEAN_WAIT.of(worst.time / worst.trips),
                WAITED.of(worst.time),
                BYTES.of(worst.bytes),
            ),
            evidence: evidence.chain([process(*pid, index.comm(*pid, tracker), worst.calls)]).collect(),
            advice: "Move 1 MiB or more with each call. Where the file is opened with O_DIRECT or O_SYNC and need not be, leave that out: \
                     the kernel reads ahead then, and writes later. For NFS, the mount options rsize and wsize limit what one request \
                     can have."
                .into(),
            confidence: Confidence::Likely,
            claims: claims.list(),
            estimate: "all round trips but one for each MiB, less the time that the bytes take at 1 Gbit/s".into(),
            whole_time: Some(saved.sum::<f64>() as Ns),
            ..Candidate::default()
        }]
    }
}
