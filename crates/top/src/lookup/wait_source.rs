//! Looks each second at the threads that wait, on a thread of its own, and only while the table of waits is shown or Esc leads to it.

use crate::lookup::families::{ProcessFamilies, TracedProcesses};
use crate::lookup::waits::{WaitAsker, WaitEnd, WaitFor, comm};
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use stride_engine_base::signal::without_signals;
use stride_engine_base::{blocked_call, procfs};
use stride_event::{Call, Ns, Tid};
use stride_output::shown;

/// A thread that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitingThread {
    pub pid: i32,
    /// The name of the process.
    pub comm: Arc<str>,
    pub call: Arc<str>,
    /// The time since the wait was first seen.
    pub seen: Ns,
    pub wait: WaitFor,
}

const EVERY: Duration = Duration::from_secs(1);
/// The time for looking up the other ends of waits in one interval. The rest is looked up in the next ones.
const LOOKING: Duration = Duration::from_millis(200);
/// Threads that are looked at.
const MOST_THREADS: usize = 1 << 14;

pub struct WaitSource {
    of: Arc<Mutex<TracedProcesses>>,
    news: Receiver<Vec<WaitingThread>>,
}

impl WaitSource {
    pub fn start(of: TracedProcesses) -> std::io::Result<WaitSource> {
        let (send, news) = sync_channel(1);
        let of = Arc::new(Mutex::new(of));
        let traced = of.clone();
        let look = move || {
            let mut wait_lookup = WaitLookup::default();
            loop {
                let of = traced.lock().unwrap_or_else(PoisonError::into_inner).clone();
                // Sending fails when nobody wants to know any more.
                if send.send(wait_lookup.look(&of)).is_err() {
                    break;
                }
                std::thread::sleep(EVERY);
            }
        };
        without_signals(|| std::thread::Builder::new().name("stride-waits".into()).spawn(look))?;
        Ok(WaitSource { of, news })
    }

    /// Looks at other processes from now on. The time of waits that are seen already goes on.
    pub fn look_at(&self, of: TracedProcesses) {
        *self.of.lock().unwrap_or_else(PoisonError::into_inner) = of;
    }

    /// The threads that wait, if they were looked at since this was last asked.
    pub fn news(&mut self) -> Option<Vec<WaitingThread>> {
        self.news.try_recv().ok()
    }
}

/// A call in which a thread is.
struct Stay {
    call: Call,
    /// How often the thread has run: it has not run since, so this is the same call and not the next one with these arguments.
    ran: u64,
    since: Instant,
    found: Option<WaitFor>,
}

#[derive(Default)]
struct WaitLookup {
    asker: WaitAsker,
    stays: HashMap<Tid, Stay>,
}

impl WaitLookup {
    fn look(&mut self, of: &TracedProcesses) -> Vec<WaitingThread> {
        let begun = Instant::now();
        let families = ProcessFamilies::now();
        let mut before = std::mem::take(&mut self.stays);
        let mut threads: Vec<(Tid, Tid)> = Vec::new();
        for pid in families.wanted(of) {
            let Some(abi) = blocked_call::abi_of(pid) else { continue };
            for tid in procfs::threads(pid) {
                let Some(call) = blocked_call::call_of(tid, abi) else { continue };
                let ran = runs(tid);
                let same = |stay: &Stay| {
                    (stay.call.nr, stay.call.args, stay.call.sp, stay.ran) == (call.nr, call.args, call.sp, ran)
                };
                let stay = before.remove(&tid).filter(same);
                let stay = stay.unwrap_or(Stay { call, ran, since: begun, found: None });
                self.stays.insert(tid, stay);
                threads.push((pid, tid));
                if threads.len() >= MOST_THREADS {
                    break;
                }
            }
        }
        let mut waiting = Vec::with_capacity(threads.len());
        let mut names: HashMap<Tid, Arc<str>> = HashMap::new();
        for (pid, tid) in threads {
            let Some(stay) = self.stays.get_mut(&tid) else { continue };
            if stay.found.is_none() && begun.elapsed() < LOOKING {
                stay.found = self.asker.ask(stay.call.clone(), pid, families.children(pid));
            }
            let unasked = || WaitFor { what: "...".into(), end: WaitEnd::Unasked };
            waiting.push(WaitingThread {
                pid,
                comm: names.entry(pid).or_insert_with(|| shown(&comm(pid)).into()).clone(),
                call: stay.call.row().map_or("?", |row| row.name).into(),
                seen: begun.duration_since(stay.since).as_nanos() as Ns,
                wait: stay.found.clone().unwrap_or_else(unasked),
            });
        }
        waiting
    }
}

/// How often a thread was put on a processor: the third number of `/proc/TID/schedstat`.
fn runs(tid: Tid) -> u64 {
    let text = std::fs::read_to_string(procfs::path(tid, "schedstat")).unwrap_or_default();
    text.split_ascii_whitespace().nth(2).and_then(|runs| runs.parse().ok()).unwrap_or(0)
}
