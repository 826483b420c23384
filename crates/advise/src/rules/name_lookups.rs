//! Programs wait for answers of name servers.

use super::common::{Bounded, Claims, ProcessCounts, plain, thing};
use super::dns;
use crate::counts::index::{Index, Observed, OpenFile};
use crate::counts::kinds::{is_read, is_write};
use crate::report::finding::{Candidate, Claim, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{LATE, LATE_FOR, REPEATED, SAME_QUESTION, TIMES, UNANSWERED, UNANSWERED_FOR, WAITED};
use crate::report::statement::{Amount, Figure, Statement, say};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use stride_event::{Ns, Tid};
use stride_syscalls::{Effect, Syscall};
use stride_track::{FileId, ObjectId, Tracker};

const SLOW_LOOKUPS: Threshold = Threshold::time(
    "slow-lookups",
    1_000_000_000,
    "lookups without repeats and lost answers count if they took this long",
);
const SLOW_LOOKUPS_PART: Threshold = Threshold::part("slow-lookups-part", 0.1, "and this part of the run");

pub const RULE: RuleInfo = RuleInfo {
    id: "name-lookups",
    title: "waiting for names",
    explanation: "The program asked a name server (port 53) and lost time: it repeated a question, an answer never came, or \
                  answers were slow. A lookup is all the queries sent on one socket until the last of them is answered. \
                  Most programs wait meanwhile.\n\n\
        Time counts as lost in lookups whose answer this run had already got, and in lookups that were not answered, or \
        only after the query was sent again (the C library waits 5 s before that). If all lookups together took at least a \
        tenth of the run and 1 s, first answers count, too, because a cache nearby would have had them. A single lookup \
        with a quick answer is not reported.\n\n\
        Example: a web server with an access rule by host name (Require host) looks up the name of each client's address, and \
        that name's address: 2 lookups a request, 4 ms each, or 10 s if the name server does not answer. With a rule by address \
        there are none.",
    thresholds: &[SLOW_LOOKUPS, SLOW_LOOKUPS_PART],
    make: || Box::new(NameLookups::default()),
};

#[derive(Default)]
struct NameLookups {
    /// Lookups that have begun and not ended.
    pending: Bounded<FileId, Pending>,
    /// Questions that have been answered, by process.
    known: Bounded<(Tid, Vec<u8>), u64>,
    servers: Bounded<ObjectId, Server>,
    processes: ProcessCounts,
}

struct Pending {
    server: ObjectId,
    pid: Tid,
    questions: Vec<dns::DnsQuestion>,
    unanswered: u64,
    began: Ns,
    line: u64,
    /// The same question had been answered before.
    again: bool,
    /// The question was sent once more because no answer came.
    repeated: bool,
}

#[derive(Default)]
struct Server {
    lookups: Share,
    again: Share,
    lost: Share,
    /// Lookups that were answered only after the question was repeated.
    late: Share,
    line: u64,
    /// Questions that were asked again, and how often.
    names: FxHashMap<Vec<u8>, u64>,
    /// The calls of all lookups.
    calls: Claims,
}

#[derive(Clone, Copy, Default)]
struct Share {
    lookups: u64,
    time: Ns,
}

impl Share {
    fn add(&mut self, time: Ns) {
        *self = self.plus(Share { lookups: 1, time });
    }

    fn plus(self, other: Share) -> Share {
        Share { lookups: self.lookups + other.lookups, time: self.time + other.time }
    }
}

const MAX_NAMES: usize = 1024;
/// Questions of one lookup: A, AAAA, and more of them for search domains.
const MAX_QUESTIONS: usize = 8;

impl Rule for NameLookups {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Connects) || row.has_effect(Effect::Closes) || is_write(row) || is_read(row)
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        let (Some(object), Some(file)) = (observed.seen.object, observed.seen.file) else { return };
        if !dns::is_name_server(object, observed.tracker) {
            return;
        }
        if observed.has(Effect::Connects) {
            self.made(observed, object, index.file(file));
        } else if observed.has(Effect::Closes) {
            self.made(observed, object, None);
            if let Some(pending) = self.pending.remove(&file) {
                self.ended(pending, observed, false);
            }
        } else if !observed.ok() {
        } else if is_write(observed.row) {
            self.sent(observed, file, object);
        } else {
            self.answered(observed, file);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let mut servers: Vec<_> = self.servers.iter().filter(|(_, server)| server.lookups.lookups > 0).collect();
        servers.sort_by_key(|(object, server)| (Reverse((server.lookups.time, server.lookups.lookups)), **object));
        let Some((object, worst)) = servers.first() else { return Vec::new() };
        let all: Ns = servers.iter().map(|(_, server)| server.lookups.time).sum();
        let slow = all >= SLOW_LOOKUPS.get() && all as f64 >= index.own_span() as f64 * SLOW_LOOKUPS_PART.ratio();
        let wasted = servers.iter().map(|(_, server)| server.wasted());
        let wasted = wasted.fold(Share::default(), |sum, share| sum.plus(share));
        if wasted.lookups == 0 && !slow {
            return Vec::new();
        }
        let wasted = wasted.time;
        let evidence = servers.iter().map(|(object, server)| {
            let mut evidence = thing(**object, server.lookups.lookups, tracker);
            evidence.time = Some(server.lookups.time);
            evidence.line = Some(server.line);
            evidence
        });
        let evidence: Vec<_> = evidence.take(2).collect();
        vec![Candidate {
            sentence: worst.sentence(&plain(tracker.name(**object))),
            evidence: evidence
                .into_iter()
                .chain(configuration(index, tracker))
                .chain(self.processes.evidence())
                .collect(),
            advice: advice(worst).into(),
            confidence: Confidence::Likely,
            claims: servers.iter().flat_map(|(_, server)| server.claims()).collect(),
            estimate: if slow && 2 * wasted < all {
                "all the time spent waiting for name servers".into()
            } else {
                "the time spent on repeated lookups and on late or missing answers".into()
            },
            more_time: if slow && 2 * wasted < all { all } else { wasted },
            ..Candidate::default()
        }]
    }
}

impl NameLookups {
    /// Counts the calls that connected or closed a socket.
    fn made(&mut self, observed: &Observed<'_>, server: ObjectId, file: Option<&OpenFile>) {
        let Some(server) = self.servers.entry(server, Server::default) else { return };
        for key in [Some(observed.key), file.and_then(|file| file.made)].into_iter().flatten() {
            server.calls.add(key, 1);
        }
    }

    fn sent(&mut self, observed: &Observed<'_>, file: FileId, server: ObjectId) {
        let questions = dns::questions(observed);
        let sent = dns::messages(observed);
        let pid = observed.seen.pid;
        let known = |known: &Bounded<(Tid, Vec<u8>), u64>| {
            !questions.is_empty() && questions.iter().all(|q| known.get(&(pid, q.identity.clone())).is_some())
        };
        let again = known(&self.known);
        let totals = self.servers.entry(server, Server::default);
        let Some(totals) = totals else { return };
        totals.calls.add(observed.key, 1);
        if let Some(pending) = self.pending.get_mut(&file) {
            // The same question again means that no answer came in time. Another question is part of the lookup.
            let repeated = questions.iter().any(|q| pending.questions.iter().any(|p| p.identity == q.identity));
            if repeated {
                pending.repeated = true;
                return;
            }
            pending.unanswered += sent;
            pending.again &= again;
            let room = MAX_QUESTIONS.saturating_sub(pending.questions.len());
            pending.questions.extend(questions.into_iter().take(room));
            return;
        }
        let began = observed.call.began();
        let line = observed.line;
        self.pending.entry(file, || Pending {
            server,
            pid,
            questions,
            unanswered: sent,
            began,
            line,
            again,
            repeated: false,
        });
    }

    fn answered(&mut self, observed: &Observed<'_>, file: FileId) {
        let Some(mut pending) = self.pending.remove(&file) else { return };
        if let Some(server) = self.servers.get_mut(&pending.server) {
            server.calls.add(observed.key, 1);
        }
        pending.unanswered = pending.unanswered.saturating_sub(dns::messages(observed));
        if pending.unanswered > 0 {
            self.pending.entry(file, || pending);
        } else {
            self.ended(pending, observed, true);
        }
    }

    fn ended(&mut self, pending: Pending, observed: &Observed<'_>, answered: bool) {
        let now = if answered { observed.call.returned } else { observed.call.began() };
        let time = now.saturating_sub(pending.began);
        let Some(server) = self.servers.get_mut(&pending.server) else { return };
        server.lookups.add(time);
        server.line = pending.line;
        self.processes.count(pending.pid, observed.tracker);
        if !answered {
            server.lost.add(time);
        } else if pending.repeated {
            server.late.add(time);
        } else if pending.again {
            server.again.add(time);
            if let Some(first) = pending.questions.first()
                && (server.names.len() < MAX_NAMES || server.names.contains_key(&first.name))
            {
                *server.names.entry(first.name.clone()).or_default() += 1;
            }
        }
        if answered {
            for question in pending.questions {
                if let Some(times) = self.known.entry((pending.pid, question.identity), || 0) {
                    *times += 1;
                }
            }
        }
    }
}

impl Server {
    fn wasted(&self) -> Share {
        self.again.plus(self.lost).plus(self.late)
    }

    /// The share of the calls that belongs to needless lookups.
    fn claims(&self) -> impl Iterator<Item = Claim> {
        let part = (self.again.lookups + self.lost.lookups) as f64 / self.lookups.lookups.max(1) as f64;
        self.calls.iter().map(move |(key, calls)| Claim { key, calls: (calls as f64 * part) as u64 })
    }

    fn sentence(&self, name: &str) -> Statement {
        let times =
            |figure: Figure| if figure.amount == Amount::Whole(1) { "once".into() } else { say!("{} times", figure) };
        let mut text = say!(
            "{name} was asked for names {}, and the answers took {} in all",
            times(TIMES.of(self.lookups.lookups)),
            WAITED.of(self.lookups.time)
        );
        if self.again.lookups > 0 {
            let most = self.names.iter().max_by_key(|(name, n)| (**n, Reverse(*name)));
            let most = most
                .map_or(Statement::default(), |(name, n)| say!(" ({} {})", plain(name), times(SAME_QUESTION.of(*n))));
            let again = REPEATED.of(self.again.lookups);
            text = say!("{}; {} repeated a question that had been answered before{}", text, again, most);
        }
        if self.late.lookups > 0 {
            let (late, took) = (LATE.of(self.late.lookups), LATE_FOR.of(self.late.time));
            text = say!("{}; {} had to be asked twice ({})", text, late, took);
        }
        if self.lost.lookups > 0 {
            let (lost, took) = (UNANSWERED.of(self.lost.lookups), UNANSWERED_FOR.of(self.lost.time));
            text = say!("{}; {} got no answer ({})", text, lost, took);
        }
        say!("{}.", text)
    }
}

fn advice(server: &Server) -> &'static str {
    if server.lost.time + server.late.time > server.again.time {
        "Check /etc/resolv.conf: a name server that does not answer costs 5 s each time. Put one that answers first, or \
         lower `options timeout:` and `attempts:`. Use addresses instead of names where that is enough (access rules, logs)."
    } else {
        "Look names up once and keep the addresses, or keep the connections; run a caching resolver on this machine \
            (systemd-resolved, nscd, unbound); use addresses instead of names where that is enough (access rules, logs)."
    }
}

/// The files that configure name lookups, if they were read for each lookup.
fn configuration<'a>(index: &'a Index, tracker: &'a Tracker) -> impl Iterator<Item = Evidence> + use<> {
    const FILES: [&[u8]; 4] = [b"/etc/resolv.conf", b"/etc/hosts", b"/etc/nsswitch.conf", b"/etc/gai.conf"];
    let mut calls = [0; FILES.len()];
    for (key, tally) in index.tallies() {
        let at = key.object.and_then(|object| FILES.iter().position(|file| *file == tracker.name(object)));
        if let Some(at) = at {
            calls[at] += tally.calls;
        }
    }
    let most = (0..FILES.len()).max_by_key(|at| calls[*at]).filter(|at| calls[*at] > 0);
    most.map(|at| Evidence::new(EvidenceKind::Path, FILES[at], calls[at])).into_iter()
}
