//! A thread of normal priority watches an idle-priority tracer. If the tracer does not get to run although a tracee
//! waits for it, this thread restores the tracer's priority and CPUs.

use crate::sys;
use nix::sched::CpuSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::thread::{Builder, Thread, park};
use std::time::{Duration, Instant};
use stride_engine_base::procfs;
use stride_engine_base::signal::without_signals;
use stride_engine_base::stat::behind_name;
use stride_event::Tid;

/// Time between two looks. A tracee waits at most twice as long.
const PERIOD: Duration = Duration::from_millis(2);
/// A look that comes late by half a period means that this thread did not get to run either, for example because a
/// cgroup's quota is used up.
const LATE: u32 = 3;

#[derive(Debug)]
struct Shared {
    tracer: Tid,
    cpus: CpuSet,
    /// The tracer is an idle-priority thread. Whoever clears this flag restores its priority.
    on: AtomicBool,
    /// The thread that stopped last.
    tracee: AtomicI32,
    /// More than one tracee has stopped since the tracer moved here.
    several: AtomicBool,
    ended: AtomicBool,
}

#[derive(Debug)]
pub struct Rescuer {
    shared: Arc<Shared>,
    thread: Thread,
}

impl Rescuer {
    /// A rescuer for the calling thread. `None` if no thread could be started.
    pub fn new(cpus: CpuSet) -> Option<Rescuer> {
        let shared = Arc::new(Shared {
            tracer: sys::own_tid(),
            cpus,
            on: AtomicBool::new(false),
            tracee: AtomicI32::new(0),
            several: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        });
        let watched = shared.clone();
        let spawn = || {
            Builder::new().name("rescue".into()).stack_size(64 << 10).spawn(move || {
                // The tracer may be confined to one CPU already.
                let _ = sys::set_cpus(0, &watched.cpus);
                watch(&watched);
            })
        };
        let thread = without_signals(spawn).ok()?.thread().clone();
        Some(Rescuer { shared, thread })
    }

    /// Makes the calling tracer an idle-priority thread.
    pub fn enter(&self) {
        self.shared.several.store(false, SeqCst);
        self.shared.on.store(true, SeqCst);
        self.thread.unpark();
        sys::set_idle_policy(0, true);
        if !self.is_on() {
            // Rescued before it became idle-priority.
            sys::set_idle_policy(0, false);
        }
    }

    /// Restores normal priority, unless a rescue has done so.
    pub fn leave(&self) {
        if self.shared.on.swap(false, SeqCst) {
            sys::set_idle_policy(0, false);
        }
    }

    pub fn is_on(&self) -> bool {
        self.shared.on.load(SeqCst)
    }

    /// This thread has stopped and waits for the tracer.
    pub fn watch(&self, tid: Tid) {
        use std::sync::atomic::Ordering::Relaxed;
        if self.shared.tracee.load(Relaxed) != tid && self.shared.tracee.swap(tid, Relaxed) != 0 {
            self.shared.several.store(true, Relaxed);
        }
    }
}

impl Drop for Rescuer {
    fn drop(&mut self) {
        self.shared.ended.store(true, SeqCst);
        self.thread.unpark();
    }
}

fn watch(shared: &Shared) {
    let mut watch = Watch::default();
    while !shared.ended.load(SeqCst) {
        if !shared.on.load(SeqCst) {
            watch = Watch::default();
            park();
            continue;
        }
        let start = Instant::now();
        std::thread::sleep(PERIOD);
        let late = start.elapsed() > PERIOD * 3 / 2;
        let look = Look { runnable: state(shared.tracer) == Some('R'), ran: sys::cpu_time(shared.tracer), late };
        let waits = || shared.several.load(SeqCst) || state(shared.tracee.load(SeqCst)) != Some('R');
        if watch.is_starved(look) && waits() && shared.on.swap(false, SeqCst) {
            sys::set_idle_policy(shared.tracer, false);
            let _ = sys::set_cpus(shared.tracer, &shared.cpus);
        }
    }
}

/// How the tracer is at one moment.
#[derive(Clone, Copy, Debug)]
struct Look {
    /// The tracer runs or is ready to run.
    runnable: bool,
    /// The time it has spent on a CPU.
    ran: Option<u64>,
    /// The rescuer itself came late.
    late: bool,
}

#[derive(Debug, Default)]
struct Watch {
    before: Option<Look>,
    late: u32,
}

impl Watch {
    /// True if the tracer was ready to run at two looks and has not run between them.
    fn is_starved(&mut self, look: Look) -> bool {
        let before = self.before.replace(look);
        self.late = if look.late { self.late + 1 } else { 0 };
        let is_due = self.late == 0 || self.late > LATE;
        // If the times cannot be read, being ready to run is enough.
        is_due && look.runnable && before.is_some_and(|b| b.runnable && b.ran == look.ran)
    }
}

fn state(tid: Tid) -> Option<char> {
    let stat = procfs::text(procfs::path(tid, "stat"))?;
    behind_name(&stat)?.chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(runnable: bool, ran: u64, late: bool) -> Look {
        Look { runnable, ran: Some(ran), late }
    }

    #[test]
    fn a_tracer_that_wants_to_run_and_does_not_is_starved() {
        let mut watch = Watch::default();
        assert!(!watch.is_starved(look(true, 5, false)), "one look says nothing");
        assert!(watch.is_starved(look(true, 5, false)));
        assert!(!watch.is_starved(look(true, 6, false)), "it has run");
        assert!(!watch.is_starved(look(false, 6, false)), "it waits for its tracees");
        assert!(!watch.is_starved(look(true, 6, false)), "it has just begun to wait");
    }

    #[test]
    fn nobody_runs_where_the_quota_is_used_up() {
        let mut watch = Watch::default();
        assert!(!watch.is_starved(look(true, 5, false)));
        for _ in 0..LATE {
            assert!(!watch.is_starved(look(true, 5, true)));
        }
        assert!(watch.is_starved(look(true, 5, true)), "this is no exception any more");
    }

    #[test]
    fn a_rescued_thread_has_its_priority_back() {
        if !sys::may_leave_idle_policy() {
            println!("skipped: a_rescued_thread_has_its_priority_back: no CAP_SYS_NICE");
            return;
        }
        let rescuer = Rescuer::new(sys::own_cpus().unwrap()).unwrap();
        rescuer.enter();
        assert!(rescuer.is_on() && !sys::has_default_policy());
        rescuer.leave();
        assert!(!rescuer.is_on() && sys::has_default_policy());
    }
}
