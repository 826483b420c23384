//! The pressure valve: when the ring fills faster than it is read, the threads that fill it are held until the reader has caught
//! up, so that no call is lost. The kernel side is `bpf/valve.h`.
//!
//! Held means stopped by ptrace. The kernel lets go of a thread whose tracer is gone, whatever state it is in and whatever it was
//! being told (a signal on its way is delivered); so a SIGKILL of Stride strands nobody. The valve itself does not let go in another
//! way: threads are seized by a thread made for that, which ends when the ring is drained. It never waits for a tracee, has nothing
//! to put back and no cases to tell apart.
//!
//! Only threads that write are held, right behind a call of theirs. One that sleeps in a call is left alone: interrupting it shows
//! in some (epoll_wait fails with EINTR), and if it is an execve, seizing it waits for that.

use crate::ring::{Gauge, Ring};
use crate::wire::{bell, read};
use std::collections::HashSet;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use stride_event::Tid;

/// How often the fill is looked at while threads are held: at first, and when the reader has stood still for long.
const LOOK: Duration = Duration::from_micros(200);
const LOOK_RARELY: Duration = Duration::from_millis(10);
/// How often what died while held is cleared away.
const CLEAR: Duration = Duration::from_millis(10);
/// Size of the ring of bells, as in `bpf/valve.h`.
const BELLS: u32 = 4096;

/// What the valve has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// How often it closed, and for how long in all.
    pub times: u64,
    pub time: Duration,
    /// How often a thread could not be held: it has another tracer, or Stride lacks the right.
    pub refused: u64,
}

#[derive(Default)]
struct Counts {
    times: AtomicU64,
    nanos: AtomicU64,
    refused: AtomicU64,
}

struct Shared {
    gauges: Vec<Gauge>,
    /// Fill from which on the threads are let go.
    low: u64,
    bells: OwnedFd,
    stop: OwnedFd,
    counts: Counts,
    /// Held threads that are not the first of their process.
    followers: Mutex<Vec<Tid>>,
}

pub struct Valve {
    shared: Arc<Shared>,
    keeper: Option<JoinHandle<()>>,
}

impl Valve {
    /// `mark`: the fill from which on the kernel side rings the bell.
    pub fn new(bells: BorrowedFd<'_>, rings: &[BorrowedFd<'_>], mark: u64) -> io::Result<Valve> {
        // SAFETY: takes numbers.
        let stop = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
        if stop < 0 {
            return Err(io::Error::last_os_error());
        }
        let shared = Arc::new(Shared {
            gauges: rings.iter().map(|&ring| Gauge::new(ring)).collect::<io::Result<_>>()?,
            low: mark / 4,
            bells: bells.try_clone_to_owned()?,
            // SAFETY: just opened, and nobody else's.
            stop: unsafe { OwnedFd::from_raw_fd(stop) },
            counts: Counts::default(),
            followers: Mutex::default(),
        });
        let bells = Ring::new(bells, BELLS)?;
        let keeper = Builder::new().name("valve".into()).spawn({
            let shared = shared.clone();
            move || shared.keep(bells)
        })?;
        Ok(Valve { shared, keeper: Some(keeper) })
    }

    pub fn held(&self) -> Held {
        let Counts { times, nanos, refused } = &self.shared.counts;
        Held {
            times: times.load(Ordering::Relaxed),
            time: Duration::from_nanos(nanos.load(Ordering::Relaxed)),
            refused: refused.load(Ordering::Relaxed),
        }
    }

    /// Lets go of all threads, and holds none any more.
    pub fn stop(&mut self) {
        let one = 1u64;
        // SAFETY: eight bytes of a live value.
        unsafe { libc::write(self.shared.stop.as_raw_fd(), (&raw const one).cast(), size_of_val(&one)) };
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

impl Drop for Valve {
    fn drop(&mut self) {
        self.stop();
    }
}

enum Heard {
    Bell,
    Stop,
    Nothing,
}

impl Shared {
    /// Has a thread hold the writers whenever the bell rings.
    fn keep(&self, mut bells: Ring) {
        block_signals();
        hurry();
        loop {
            match self.listen(None) {
                Heard::Stop => return,
                Heard::Nothing => continue,
                Heard::Bell => {}
            }
            let keeper = std::thread::current();
            let over = AtomicBool::new(false);
            std::thread::scope(|scope| {
                let holder = Builder::new().name("hold".into()).spawn_scoped(scope, || {
                    self.hold(&mut bells);
                    over.store(true, Ordering::Release);
                    keeper.unpark();
                });
                // Without a thread to hold them, calls are lost, and told to be.
                let Ok(holder) = holder else { return std::thread::sleep(CLEAR) };
                while !over.load(Ordering::Acquire) {
                    std::thread::park_timeout(CLEAR);
                    self.clear();
                }
                // Not only done, but gone: that is what lets the threads go.
                let _ = holder.join();
            });
        }
    }

    /// Of the fullest ring.
    fn fill(&self) -> u64 {
        self.gauges.iter().map(Gauge::fill).max().unwrap_or(0)
    }

    /// Waits for a bell or the end.
    fn listen(&self, patience: Option<Duration>) -> Heard {
        let watched = |fd: &OwnedFd| libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let mut fds = [watched(&self.stop), watched(&self.bells)];
        let time = patience.map(|p| libc::timespec { tv_sec: 0, tv_nsec: p.subsec_nanos() as libc::c_long });
        let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: two valid pollfds, and a time or none; they outlive the call.
        let n = unsafe { libc::ppoll(fds.as_mut_ptr(), 2, time, std::ptr::null()) };
        match fds {
            _ if n <= 0 => Heard::Nothing,
            [stop, _] if stop.revents != 0 => Heard::Stop,
            _ => Heard::Bell,
        }
    }

    /// Holds whoever the bell is rung for until the ring is drained. The thread that runs this must end then.
    fn hold(&self, bells: &mut Ring) {
        let mut held = HashSet::new();
        let mut since = None;
        let (mut patience, mut fill) = (LOOK, 0);
        loop {
            while let Some(bell) = bells.peek().map(read::<bell>) {
                bells.advance();
                // Bells of before may be left when the valve has opened.
                if let Some(id) = bell
                    && self.fill() > self.low
                    && !held.contains(&id.tid)
                    && self.seize(id)
                {
                    held.insert(id.tid);
                    since.get_or_insert_with(Instant::now);
                }
            }
            let was = std::mem::replace(&mut fill, self.fill());
            if fill <= self.low {
                break;
            }
            patience = if fill == was { (patience * 2).min(LOOK_RARELY) } else { LOOK };
            if let Heard::Stop = self.listen(Some(patience)) {
                break;
            }
        }
        self.followers.lock().unwrap_or_else(|e| e.into_inner()).clear();
        if let Some(since) = since {
            self.counts.times.fetch_add(1, Ordering::Relaxed);
            self.counts.nanos.fetch_add(since.elapsed().as_nanos() as u64, Ordering::Relaxed);
        }
    }

    fn seize(&self, id: bell) -> bool {
        let tid = id.tid as Tid;
        if matches!(state(tid), None | Some(b'S' | b'D')) {
            return false;
        }
        // SAFETY: these requests take numbers.
        let seized = unsafe {
            libc::ptrace(libc::PTRACE_SEIZE, tid, 0usize, 0usize) == 0
                && libc::ptrace(libc::PTRACE_INTERRUPT, tid, 0usize, 0usize) == 0
        };
        if seized && id.tid != id.tgid {
            self.followers.lock().unwrap_or_else(|e| e.into_inner()).push(tid);
        }
        if !seized && !matches!(state(tid), None | Some(b'Z' | b'X')) {
            self.counts.refused.fetch_add(1, Ordering::Relaxed);
        }
        seized
    }

    /// Clears away threads that were killed while held. An execve waits for the other threads of its process to be gone, and
    /// PTRACE_SEIZE waits for the execve: the holder cannot do it.
    fn clear(&self) {
        let mut followers = self.followers.lock().unwrap_or_else(|e| e.into_inner());
        followers.retain(|&tid| {
            let mut status = 0;
            // SAFETY: one int to write to. Nobody else waits for a thread that is not its process's first: the id is good.
            let gone = unsafe { libc::waitpid(tid, &mut status, libc::__WALL | libc::WNOHANG) };
            gone == 0 || gone > 0 && libc::WIFSTOPPED(status)
        });
    }
}

/// The letter that /proc has for what a thread does.
fn state(tid: Tid) -> Option<u8> {
    let stat = std::fs::read(format!("/proc/{tid}/stat")).ok()?;
    // Behind the name, which may hold anything.
    let end = stat.iter().rposition(|&b| b == b')')?;
    stat.get(end + 2).copied()
}

/// The valve must get its turn when all CPUs are taken by those it is to hold. Where that is not allowed, the ring's reserve must do.
fn hurry() {
    let first = libc::sched_param { sched_priority: 1 };
    // SAFETY: reads one sched_param, which outlives the call; concerns this thread only, and those it starts.
    unsafe {
        if libc::sched_setscheduler(0, libc::SCHED_FIFO, &first) != 0 {
            libc::setpriority(libc::PRIO_PROCESS, 0, -20);
        }
    }
}

/// Signals to Stride are for its main thread.
fn block_signals() {
    // SAFETY: fills in a set of its own, which outlives its use; concerns this thread only, and those it starts.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
}
