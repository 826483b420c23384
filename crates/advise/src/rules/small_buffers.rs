//! A socket or a pipe was given a small buffer, and much goes through it.

use super::common::{Bounded, ProcessCounts, plain, thing};
use crate::counts::by_thread::LostTime;
use crate::counts::index::{CallKey, Index, Observed, OpenFile};
use crate::counts::kinds::{is_read, is_write};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{BUFFER, BYTES, MEAN_BYTES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use std::sync::Arc;
use stride_event::{Ns, Stack};
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{FileId, ObjectId, Tracker};

const SMALL_BUFFER: Threshold =
    Threshold::count("small-buffer", 32_768, "bytes: a buffer that was set to so few is small");
const THROUGH_SMALL: Threshold =
    Threshold::count("through-small-buffer", 4 << 20, "bytes that went through a small buffer");
const SMALL_BUFFER_PART: Threshold =
    Threshold::part("small-buffer-part", 0.2, "the part of the run that passed in these transfers");

pub const RULE: RuleInfo = RuleInfo {
    id: "small-buffers",
    title: "much data through a small buffer",
    explanation: "A program sets the buffer of a socket (setsockopt(2) with SO_RCVBUF or SO_SNDBUF) or of a pipe (fcntl(2) with F_SETPIPE_SZ) to a few KiB, to save memory, and then sends much data through it. The \
        sender has to stop after each piece until the receiver has taken it, so both wake each other for each few KiB; over a network, each such piece takes a round trip. A buffer that is set also keeps TCP from \
        enlarging it.\n\n\
        Reported are buffers that were set to 32 KiB or less, also those that an accepted connection has from its listener, if 4 MiB or more went through and the transfers took a fifth of the run.\n\n\
        Leave the buffer to the kernel, which makes it as large as the connection needs (tcp(7): tcp_rmem, tcp_wmem; a pipe has 64 KiB), or make it larger than what is under way in one round trip.\n\n\
        Example: a receiver of backups sets SO_RCVBUF to 4,096 on its listener: 50 MB come in 12,290 reads of 4 KiB, and the run takes 0.74 s. Without the option it takes 0.2 s.",
    thresholds: &[SMALL_BUFFER, THROUGH_SMALL, SMALL_BUFFER_PART],
    make: || Box::new(SmallBuffers::default()),
};

#[derive(Default)]
struct SmallBuffers {
    small: Bounded<FileId, Small>,
    /// Those that were closed, by the calls that set them.
    past: Vec<Small>,
    processes: ProcessCounts,
}

/// An open file with a small buffer.
#[derive(Clone)]
struct Small {
    option: &'static str,
    size: u64,
    setter: CallKey,
    stack: Option<Arc<Stack>>,
    object: Option<ObjectId>,
    transfers: u64,
    bytes: u64,
    time: LostTime,
}

const MOST_PAST: usize = 64;

/// The name of the option that a call sets to a small size, and the size.
fn set(observed: &Observed<'_>) -> Option<(&'static str, u64)> {
    let call = observed.call;
    let (option, size) = if observed.has(Effect::SetsOfSocket) {
        let option = match call.arg("optname").filter(|_| call.arg("level") == Some(c::SOL_SOCKET))? {
            c::SO_RCVBUF | c::SO_RCVBUFFORCE => "SO_RCVBUF",
            c::SO_SNDBUF | c::SO_SNDBUFFORCE => "SO_SNDBUF",
            _ => return None,
        };
        (option, u64::from(u32::from_ne_bytes(*call.bytes("optval", 4).first_chunk()?)))
    } else if observed.has(Effect::ControlsDescriptor) && call.arg("op") == Some(c::F_SETPIPE_SZ) {
        ("F_SETPIPE_SZ", call.arg("arg")?)
    } else {
        return None;
    };
    Some((option, size))
}

impl Small {
    fn goes_through(&self, row: &Syscall) -> bool {
        match self.option {
            "SO_RCVBUF" => is_read(row),
            "SO_SNDBUF" => is_write(row),
            _ => is_read(row) || is_write(row),
        }
    }
}

impl Rule for SmallBuffers {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::SetsOfSocket)
            || row.has_effect(Effect::ControlsDescriptor)
            || row.transfer().is_some()
            || row.makes().is_some()
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let Some(file) = observed.seen.file.filter(|_| observed.ok()) else { return };
        if let Some((option, size)) = set(observed) {
            if size > SMALL_BUFFER.get() {
                self.small.remove(&file);
                return;
            }
            let small = Small {
                option,
                size,
                setter: observed.key,
                stack: observed.call.stack.clone(),
                object: observed.seen.object,
                transfers: 0,
                bytes: 0,
                time: LostTime::default(),
            };
            if let Some(of) = self.small.entry(file, || small.clone()) {
                *of = small;
            }
            return;
        }
        if self.small.len() == 0 {
            return;
        }
        // An accepted connection has the buffers of its listener.
        if let Some((_, made, object)) = observed.seen.made.filter(|(_, made, _)| *made != file) {
            if let Some(of) = self.small.get(&file).cloned() {
                self.small.entry(made, || Small { object: Some(object), ..of });
            }
            return;
        }
        let Some(bytes) = observed.seen.bytes else { return };
        let Some(of) = self.small.get_mut(&file).filter(|of| of.goes_through(observed.row)) else { return };
        of.object = observed.seen.object.or(of.object);
        of.transfers += 1;
        of.bytes += bytes;
        of.time.add(observed.call.tid, observed.time_waiting());
        self.processes.count(observed.seen.pid, observed.tracker);
    }

    fn closed(&mut self, file: &OpenFile, _: &Index, _: &Tracker) {
        if let Some(small) = self.small.remove(&file.id)
            && small.bytes > 0
            && self.past.len() < MOST_PAST
        {
            self.past.push(small);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let all = self.past.iter().chain(self.small.iter().map(|(_, small)| small));
        let timed = all.map(|small| (small.time.on_path(index.path()), small));
        let much = timed.filter(|(time, small)| {
            small.bytes >= THROUGH_SMALL.get()
                && *time as f64 >= index.own_span() as f64 * SMALL_BUFFER_PART.ratio()
                // The buffer is what makes the pieces small.
                && small.bytes / small.transfers.max(1) <= 2 * SMALL_BUFFER.get()
        });
        let Some((time, small)) = much.max_by_key(|(time, small)| (*time, Reverse(small.setter.nr))) else {
            return Vec::new();
        };
        let Some(object) = small.object else { return Vec::new() };
        let saved: Ns = time - time / 4;
        vec![Candidate {
            sentence: say!(
                "{} was given a buffer of {} bytes ({}), and {} went through in pieces of {} bytes on average.",
                plain(tracker.name(object)),
                BUFFER.of(small.size),
                small.option,
                BYTES.of(small.bytes),
                MEAN_BYTES.of(small.bytes / small.transfers.max(1)),
            ),
            evidence: [thing(object, small.transfers, tracker)].into_iter().chain(self.processes.evidence()).collect(),
            advice: "Leave the size of the buffer to the kernel, which enlarges it as needed, or set it to what is under way in one round trip (256 KiB and more)."
                .into(),
            confidence: Confidence::Likely,
            makers: vec![(small.setter, 1)],
            stacks: small.stack.iter().map(|stack| (stack.clone(), 1)).collect(),
            perhaps_more: saved,
            instead_of: &["lock-step"],
            estimate: "the time of the transfers, or a part of it".into(),
            ..Candidate::default()
        }]
    }
}
