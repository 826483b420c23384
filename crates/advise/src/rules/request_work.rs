//! A server opens the same files for each request.

use super::common::{Bounded, Claims, largest, plain, process, thing};
use crate::counts::index::{Index, Observed};
use crate::counts::kinds::{Io, io, is_read, is_served, is_write, opens};
use crate::report::finding::{Candidate, Claim, Confidence};
use crate::report::quantity::{CALLS, FILES, MEAN_CALLS, REQUESTS};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use stride_event::Tid;
use stride_syscalls::Syscall;
use stride_track::{FileId, ObjectId, ObjectKind, Tracker};

const WORK_REQUESTS: Threshold = Threshold::count("work-requests", 20, "requests to one server");
const OPENS_PER_REQUEST: Threshold =
    Threshold::part("opens-per-request", 3.0, "files that were opened for a request, on average");
const OPENS_PER_FILE: Threshold =
    Threshold::part("opens-per-file", 5.0, "times that each of these files was opened, on average");

pub const RULE: RuleInfo = RuleInfo {
    id: "request-work",
    title: "the same files for each request",
    explanation: "A server reads the same files again for each request: templates, configuration, translations, keys. A request begins when a thread receives bytes on a connection of a client, and \
        ends when the thread sends on it.\n\n\
        Reported are twenty requests for which three files and more were opened on average, if each file was opened five times and more. The estimate is the calls about these files, without the first of each, and \
        at most the work on what was read.\n\n\
        Read such files at the start, or when they are first needed, and keep them: in Python, functools.lru_cache around the function that reads; in Node.js, a Map; in Go, embed or template.ParseFiles once; in Java, a \
        static field; in PHP, opcache for code and APCu for data. Where files may change, compare the modification time once a second, or watch them with inotify(7). A server of files that are too many for its \
        memory, or that change with each request, is well as it is.\n\n\
        Example: a shop's page has 40 parts, and each is a file: 400 requests open files 16,000 times.",
    thresholds: &[WORK_REQUESTS, OPENS_PER_REQUEST, OPENS_PER_FILE],
    make: || Box::new(RequestWork::default()),
};

#[derive(Default)]
struct RequestWork {
    /// The connection for which each thread works.
    serving: Bounded<Tid, Served>,
    /// By process, and the common name of the connections of its clients.
    servers: Bounded<(Tid, ObjectId), Server>,
}

#[derive(Clone, Copy, PartialEq)]
struct Served {
    file: FileId,
    by: (Tid, ObjectId),
}

#[derive(Default)]
struct Server {
    requests: u64,
    opens: u64,
    /// How often each file was opened.
    files: FxHashMap<ObjectId, u64>,
    claims: Claims,
}

const MOST_FILES: usize = 1 << 12;

impl Rule for RequestWork {
    fn wants(&self, _: &'static Syscall) -> bool {
        true
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (tid, tracker) = (observed.call.tid, observed.tracker);
        if let (Some(file), Some(object), Some(1..)) = (observed.seen.file, observed.seen.object, observed.seen.bytes)
            && tracker.kind(object) == ObjectKind::Socket
        {
            if is_read(observed.row) && is_served(tracker.name(object)) {
                self.begins(observed, file, tracker.group(object));
            } else if is_write(observed.row) && self.serving.get(&tid).is_some_and(|served| served.file == file) {
                self.serving.remove(&tid);
            }
            return;
        }
        if self.serving.len() == 0 {
            return;
        }
        let Some(served) = self.serving.get(&tid) else { return };
        let Some(server) = self.servers.get_mut(&served.by) else { return };
        let Some(object) = observed.key.object.filter(|object| tracker.kind(*object) == ObjectKind::Path) else {
            return;
        };
        if opens(observed.row) && observed.ok() && io(object, tracker) == Io::File {
            server.opens += 1;
            if server.files.len() < MOST_FILES || server.files.contains_key(&object) {
                *server.files.entry(object).or_default() += 1;
            }
        }
        if server.files.contains_key(&object) {
            server.claims.add(observed.key, 1);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let busy = self.servers.iter().filter(|(_, server)| server.repeats());
        let worst = busy.max_by_key(|(of, server)| (server.opens, Reverse(**of)));
        let Some(((pid, object), server)) = worst else { return Vec::new() };
        let comm = index.comm(*pid, tracker);
        let files = server.files.len() as u64;
        // The first time is needed.
        let part = 1.0 - files as f64 / server.opens as f64;
        let claims =
            server.claims.iter().map(|(key, calls)| Claim { key, calls: (calls as f64 * part).round() as u64 });
        let most = largest(server.files.iter(), 3, |(file, opens)| (**opens, Reverse(**file)));
        vec![Candidate {
            sentence: say!(
                "For each of {} requests to {}, {} opened {} files on average, and only {} different ones in all: {} opens.",
                REQUESTS.of(server.requests),
                plain(tracker.name(*object)),
                if comm.is_empty() { format!("process {pid}") } else { plain(comm) },
                MEAN_CALLS.mean(server.opens, server.requests),
                FILES.of(files),
                CALLS.of(server.opens),
            ),
            evidence: most
                .into_iter()
                .map(|(file, opens)| thing(*file, *opens, tracker))
                .chain([process(*pid, comm, server.opens)])
                .collect(),
            advice: "Read these files once and keep what is in them. If they may change, look at their modification times now and then, or watch them with inotify(7).".into(),
            confidence: Confidence::Likely,
            claims: claims.collect(),
            estimate: "all calls about these files but the first, and at most the work on what was read".into(),
            work_after: true,
            instead_of: &["reopened", "random-reads"],
            ..Candidate::default()
        }]
    }
}

impl RequestWork {
    fn begins(&mut self, observed: &Observed<'_>, file: FileId, name: ObjectId) {
        let (tid, by) = (observed.call.tid, (observed.seen.pid, name));
        self.serving.make_room_of_ended(observed.tracker, |_| false);
        // (A request may come in several pieces.)
        let now = Served { file, by };
        let goes_on = self.serving.get(&tid) == Some(&now);
        self.serving.remove(&tid);
        self.serving.entry(tid, || now);
        if let Some(server) = self.servers.entry(by, Server::default) {
            server.requests += u64::from(!goes_on);
        }
    }
}

impl Server {
    fn repeats(&self) -> bool {
        let opens = self.opens as f64;
        self.requests >= WORK_REQUESTS.get()
            && opens >= self.requests as f64 * OPENS_PER_REQUEST.ratio()
            && opens >= self.files.len() as f64 * OPENS_PER_FILE.ratio()
            && self.files.len() < MOST_FILES
    }
}
