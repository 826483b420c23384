//! Looks each second at the threads that wait, on a thread of its own, and only while the table of waits is shown or can be gone back to.

use super::waits::{WaitAsker, WaitEnd, WaitFor, comm};
use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use stride_engine_base::signal::without_signals;
use stride_engine_base::{inside, procfs};
use stride_event::{Call, Ns, Tid};
use stride_output::shown;

/// The processes whose waits are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitsOf {
    Machine,
    /// These, and those that they have started if that is wanted.
    Processes {
        pids: Vec<i32>,
        and_children: bool,
    },
}

impl WaitsOf {
    /// These processes and one more.
    pub fn and(&self, pid: Option<i32>) -> WaitsOf {
        let mut all = self.clone();
        if let (WaitsOf::Processes { pids, .. }, Some(pid)) = (&mut all, pid)
            && !pids.contains(&pid)
        {
            pids.push(pid);
        }
        all
    }
}

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
    of: Arc<Mutex<WaitsOf>>,
    news: Receiver<Vec<WaitingThread>>,
}

impl WaitSource {
    pub fn start(of: WaitsOf) -> std::io::Result<WaitSource> {
        let (send, news) = sync_channel(1);
        let of = Arc::new(Mutex::new(of));
        let whose = of.clone();
        let look = move || {
            let mut lookout = Lookout::default();
            loop {
                let of = whose.lock().unwrap_or_else(PoisonError::into_inner).clone();
                // Sending fails when nobody wants to know any more.
                if send.send(lookout.look(&of)).is_err() {
                    break;
                }
                std::thread::sleep(EVERY);
            }
        };
        without_signals(|| std::thread::Builder::new().name("stride-waits".into()).spawn(look))?;
        Ok(WaitSource { of, news })
    }

    /// Looks at other processes from now on. The time of waits that are seen already goes on.
    pub fn look_at(&self, of: WaitsOf) {
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
struct Lookout {
    asker: WaitAsker,
    stays: HashMap<Tid, Stay>,
}

impl Lookout {
    fn look(&mut self, of: &WaitsOf) -> Vec<WaitingThread> {
        let begun = Instant::now();
        let families = Families::now();
        let mut before = std::mem::take(&mut self.stays);
        let mut threads: Vec<(Tid, Tid)> = Vec::new();
        for pid in families.wanted(of) {
            let Some(abi) = inside::abi_of(pid) else { continue };
            for tid in procfs::threads(pid) {
                let Some(call) = inside::call_of(tid, abi) else { continue };
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

/// The children of each process.
struct Families {
    all: Vec<Tid>,
    children: HashMap<Tid, Vec<Tid>>,
}

impl Families {
    fn now() -> Families {
        let all: Vec<Tid> = procfs::processes().collect();
        let mut children: HashMap<Tid, Vec<Tid>> = HashMap::new();
        for &pid in &all {
            if let Some(parent) = procfs::parent(pid) {
                children.entry(parent).or_default().push(pid);
            }
        }
        children.values_mut().for_each(|pids| pids.sort_unstable());
        Families { all, children }
    }

    fn children(&self, pid: Tid) -> &[Tid] {
        self.children.get(&pid).map_or(&[], Vec::as_slice)
    }

    /// Never Stride itself, and those that it has started for its tables.
    fn wanted(&self, of: &WaitsOf) -> Vec<Tid> {
        let own = std::process::id() as Tid;
        match of {
            WaitsOf::Machine => {
                let helps = |pid: &Tid| self.children(own).contains(pid) && is_stride(*pid);
                self.all.iter().copied().filter(|pid| *pid != own && !helps(pid)).collect()
            }
            WaitsOf::Processes { pids, and_children } => {
                let mut wanted = pids.clone();
                let mut known: HashSet<Tid> = pids.iter().copied().collect();
                // (One that is waited for may also be a child.)
                let mut at = 0;
                while *and_children && at < wanted.len() {
                    wanted.extend(self.children(wanted[at]).iter().filter(|child| known.insert(**child)));
                    at += 1;
                }
                wanted
            }
        }
    }
}

/// True if a process runs the program that this one runs.
fn is_stride(pid: Tid) -> bool {
    let program = |path: String| std::fs::read_link(path).ok();
    program(procfs::path(pid, "exe")).is_some_and(|theirs| Some(theirs) == program("/proc/self/exe".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_followed() {
        let children = HashMap::from([(1, vec![2, 3]), (2, vec![4]), (4, vec![1])]);
        let families = Families { all: vec![1, 2, 3, 4, 5], children };
        let of = |pids: &[i32], and_children| WaitsOf::Processes { pids: pids.to_vec(), and_children };
        assert_eq!(families.wanted(&of(&[2], false)), [2]);
        // (Ids that were used again may seem to go round in a circle.)
        assert_eq!(families.wanted(&of(&[2], true)), [2, 4, 1, 3]);
        assert_eq!(families.wanted(&WaitsOf::Machine), [1, 2, 3, 4, 5]);
        // A process that is waited for may be no child of them.
        assert_eq!(of(&[2], true).and(Some(5)), of(&[2, 5], true));
        assert_eq!(of(&[2], true).and(Some(2)), of(&[2], true));
        assert_eq!(WaitsOf::Machine.and(Some(2)), WaitsOf::Machine);
    }
}
