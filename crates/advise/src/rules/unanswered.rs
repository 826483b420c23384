//! Datagrams that had no answer and were sent again after a while.

use super::common::{Bounded, ProcessCounts, plain, thing};
use super::dns;
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::{is_read, is_udp, is_write};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{MEAN_WAIT, RUN, UNANSWERED, UNANSWERED_FOR};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::{Ns, Tid};
use stride_syscalls::{For, Syscall};
use stride_track::{FileId, ObjectId, Tracker};

const SENT_AGAIN: Threshold = Threshold::count("sent-again", 3, "datagrams of one socket that had no answer");
const SENT_AGAIN_PART: Threshold = Threshold::part("sent-again-part", 0.1, "the part of the run that waited for them");
const VAIN_WAIT: Threshold = Threshold::time("vain-wait", 50_000_000, "a shorter wait is none for an answer");

pub const RULE: RuleInfo = RuleInfo {
    id: "unanswered",
    title: "datagrams sent again after a while",
    explanation: "A program sends a question by UDP and waits for the answer until a time runs out. Then it sends the question, or the next one, again. The datagram or its answer \
        was lost: the other side may be slow or gone, or its socket's buffer was full (udp(7)).\n\n\
        Reported are at least three such waits of 50 ms or more at one socket, if they take a tenth of the run, and if at least as many other questions of that socket had an answer. \
        A program that only sends, as a heartbeat does, never has an answer, and is not reported. Name servers have a rule of their own (name-lookups).\n\n\
        Example: a fifth of the questions to a server is lost, and the client waits 300 ms each time: 1.2 s for 20 questions. With a shorter wait that grows, or with several \
        questions under way, a loss costs little.",
    thresholds: &[SENT_AGAIN, SENT_AGAIN_PART, VAIN_WAIT],
    make: || Box::new(Unanswered::default()),
};

#[derive(Default)]
struct Unanswered {
    /// The latest datagram of each thread.
    sent: Bounded<Tid, Sent>,
    sockets: Bounded<ObjectId, Socket>,
    processes: ProcessCounts,
}

struct Sent {
    file: FileId,
    socket: ObjectId,
    /// The time for which its thread has waited in vain since.
    vain: Ns,
}

#[derive(Default)]
struct Socket {
    answered: u64,
    unanswered: u64,
    time: Ns,
    sends: Option<CallKey>,
}

impl Rule for Unanswered {
    fn wants(&self, row: &'static Syscall) -> bool {
        is_write(row) || is_read(row) || row.waits() == Some(For::Readiness)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let tid = observed.call.tid;
        if is_write(observed.row) {
            return self.sends(observed);
        }
        let Some(sent) = self.sent.get_mut(&tid) else { return };
        if observed.time_ran_out() {
            sent.vain += if observed.time_waiting() >= VAIN_WAIT.get() { observed.time_waiting() } else { 0 };
        } else if is_read(observed.row) && observed.ok() && observed.seen.file == Some(sent.file) {
            let socket = sent.socket;
            self.sent.remove(&tid);
            if let Some(socket) = self.sockets.get_mut(&socket) {
                socket.answered += 1;
            }
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let least = index.own_span() as f64 * SENT_AGAIN_PART.ratio();
        let lossy = self.sockets.iter().filter(|(_, socket)| {
            socket.unanswered >= SENT_AGAIN.get() && socket.answered >= socket.unanswered && socket.time as f64 >= least
        });
        let worst = lossy.max_by_key(|(object, socket)| (socket.time, Reverse(**object)));
        let Some((object, socket)) = worst else { return Vec::new() };
        vec![Candidate {
            sentence: say!(
                "{}: {} datagrams had no answer within {} on average, and were sent again, or the next one was: that took {} of the run's {}.",
                plain(tracker.name(*object)),
                UNANSWERED.of(socket.unanswered),
                MEAN_WAIT.of(socket.time / socket.unanswered),
                UNANSWERED_FOR.of(socket.time),
                RUN.of(index.span())
            ),
            evidence: [thing(*object, socket.unanswered, tracker)].into_iter().chain(self.processes.evidence()).collect(),
            advice: "See at the other side whether the questions come (nstat -az UdpRcvbufErrors counts those for which there was no room). Wait for less at first, about as long as answers \
                     take, and longer after each loss; have several questions under way."
                .into(),
            confidence: Confidence::Possible,
            makers: socket.sends.map(|key| (key, socket.unanswered)).into_iter().collect(),
            perhaps_more: socket.time,
            estimate: "the time of these waits".into(),
            instead_of: &["timed-waits"],
            ..Candidate::default()
        }]
    }
}

impl Unanswered {
    fn sends(&mut self, observed: &Observed<'_>) {
        let (Some(socket), Some(file), true) = (observed.seen.object, observed.seen.file, observed.ok()) else {
            return;
        };
        let tracker = observed.tracker;
        if !is_udp(socket, tracker) || dns::is_name_server(socket, tracker) {
            return;
        }
        let tid = observed.call.tid;
        self.sent.forget_ended(tracker, |_| false);
        self.sockets.make_room(|socket| socket.unanswered > 0);
        let vain = self.sent.get_mut(&tid).filter(|sent| sent.file == file).map_or(0, |sent| sent.vain);
        let Some(totals) = self.sockets.entry(socket, Socket::default) else { return };
        if vain > 0 {
            totals.unanswered += 1;
            totals.time += vain;
            totals.sends = Some(observed.key);
            self.processes.count(observed.seen.pid, tracker);
        }
        self.sent.remove(&tid);
        self.sent.entry(tid, || Sent { file, socket, vain: 0 });
    }
}
