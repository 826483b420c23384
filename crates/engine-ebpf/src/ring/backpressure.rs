//! Backpressure: what happens when records are written faster than they are read, and no call is to be lost.
//!
//! Three things, each of which needs the other two:
//!
//! 1. **Drain** ([`Drain`]). A writer that finds its ring beyond the drain mark (half of the ring) wakes the drain thread, which
//!    copies records to memory, and the reader reads these first ([`crate::ring::source`]). A copy is much cheaper than decoding. So a
//!    burst of calls costs its program nothing, and is decoded when it is over. Memory has a bound (256 MiB, or an eighth of the machine's).
//! 2. **Delay** (`bpf/backpressure.h`). The eBPF program delays a writer before its record is sent, if the ring is beyond its
//!    high-water mark (near three quarters: the drain thread has no CPU), or if twice the ring's size waits in memory: not at all at the
//!    mark, by 0.2 ms at the ring's limit or at a quarter of the bound, and by the square of the fill in between. Records above 1 KiB are delayed
//!    in proportion, up to 1 ms. A program in the kernel cannot sleep, so it loops. It holds no lock, and other threads of
//!    that CPU run between two calls. Where the kernel has interrupts off (a signal is delivered), nobody is delayed.
//! 3. **Precedence** ([`crate::ring::backlog::Precedence`]). The drain thread (`SCHED_FIFO`, where allowed) gives the reader a nice value
//!    of -20 when it is woken, until the reader has read everything. Without that, many writers take the CPU that the reader needs and
//!    spend it on waiting for the reader. The reader does not run as `SCHED_FIFO`: it would starve a machine with one CPU.
//!
//! A reader whose pipe stalls costs the program time, and no calls: beyond a quarter of the bound, two CPUs write 1 MB a second, which fills
//! the memory in four minutes.
//!
//! Calls that are lost beyond that bound are counted. Without a bound, a program would stop because a pager waits for
//! a key. `Overflow::Drop` has neither delay nor thread. It is the default with `-p`, because a pause of the trace's
//! reader would slow a server down to 5,000 calls a second on each CPU.
//!
//! Earlier versions held writers by `PTRACE_SEIZE` and `PTRACE_INTERRUPT`. Programs noticed: waits failed with EINTR,
//! their own use of ptrace was refused, and set-uid programs did not get their privileges. Every way of interrupting
//! a sleeping thread has the first of these effects, also the freezer. A delay only takes time.
//!
//! Each part alone, measured on Linux 6.18 with 2 CPUs when writers were delayed from half of the ring on, and drained beyond three quarters: seconds until
//! Stride ends, one run each, text to a file; "dd" is `dd bs=1 count=100k`, 0.2 million calls. No calls were lost but where it says so.
//!
//! | load | held by ptrace | delay | delay, drain | delay, precedence | all three |
//! |---|---|---|---|---|---|
//! | 2 dd | 0.17 | 0.30 | 0.25 | 0.19 | 0.20 |
//! | 8 dd | 0.79 | 2.51 | 2.86 | 0.68 | 0.67 |
//! | 8 dd, ring of 256 KiB (held: 4 MiB) | 1.75 | 2.82 | 2.51 | 0.64 | 0.69 |
//! | 8 dd and Stride on one CPU | 1.00 | 5.66 | 5.74 | 1.25 | 1.19 |
//! | 1,000 threads, 250 calls each | 0.22 | 0.16 | 0.14 | 0.40 | 0.41 |
//! | 2 dd, nobody reads for 4 s | 4.46 | 4.81, 14,971 lost | 4.80 | 4.34, 14,626 lost | 4.46 |
//! | a dd of `chrt -f 10` on each CPU | 1.11, 12,702 lost | 1.82 | 1.20 | 1.14 | 1.91 |
//!
//! That order against the present one, in turn on another machine with 2 CPUs and other work (load 6 to 10), medians of 5 runs: seconds until Stride ends, and
//! seconds of delay of all writers together. No calls were lost.
//!
//! | load | delay first | | drain first | |
//! |---|---|---|---|---|
//! | 2 dd with 1.6 million calls each | 2.68 | 0.37 | 2.50 | 0.32 |
//! | 8 dd | 2.93 | 1.89 | 2.33 | 1.27 |
//! | 8 dd, ring of 256 KiB | 6.19 | 0.43 | 2.87 | 1.67 |
//! | 8 dd and Stride on one CPU | 1.55 | 0.02 | 1.40 | 0.00 |
//! | 1,000 threads, 250 calls each | 0.68 | 0.45 | 0.26 | 0.00 |
//!
//! A dd of a million calls alone, at real-time priority, took by its own clock 3.00 times as long as untraced when delayed first, and takes 2.26 times as long now.
//!
//! If the reader keeps up, none of this costs anything: the thread sleeps, and a writer only reads one more word,
//! which nobody writes to.

use crate::ring::backlog::{SharedWords, backlog_max};
use crate::ring::size::RingSize;
use crate::ring::source::Drained;
use crate::ring::{Gauge, Ring};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Bytes that are moved at a time. The reader waits that long for a ring that is being drained.
const MOVE: usize = 256 << 10;
/// How often the drain thread looks at the rings while one is beyond half of the drain mark.
const LOOK: Duration = Duration::from_millis(1);
/// Size of the ring of wakeups, as in `bpf/backpressure.h`.
const WAKEUPS: u32 = 4096;

/// The drain thread.
pub struct Drain {
    stop: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Drain {
    /// `wakeups`: the ring that wakes the thread.
    pub fn start(
        wakeups: BorrowedFd<'_>,
        rings: Vec<(Gauge, Arc<Drained>)>,
        words: Arc<SharedWords>,
        size: RingSize,
    ) -> io::Result<Drain> {
        // SAFETY: takes numbers.
        let stop = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
        if stop < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: just opened, and nobody else's.
        let stop = Arc::new(unsafe { OwnedFd::from_raw_fd(stop) });
        let drainer = Drainer {
            wakeups: (wakeups.try_clone_to_owned()?, Ring::new(wakeups, WAKEUPS)?),
            stop: stop.clone(),
            rings,
            words,
            size,
            most: backlog_max(),
        };
        let thread = Builder::new().name("drain".into()).spawn(move || drainer.run())?;
        Ok(Drain { stop, thread: Some(thread) })
    }

    pub fn stop(&mut self) {
        let one = 1u64;
        // SAFETY: eight bytes of a live value.
        unsafe { libc::write(self.stop.as_raw_fd(), (&raw const one).cast(), size_of_val(&one)) };
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Drain {
    fn drop(&mut self) {
        self.stop();
    }
}

struct Drainer {
    wakeups: (OwnedFd, Ring),
    stop: Arc<OwnedFd>,
    rings: Vec<(Gauge, Arc<Drained>)>,
    words: Arc<SharedWords>,
    size: RingSize,
    most: u64,
}

impl Drainer {
    fn run(mut self) {
        block_signals();
        hurry();
        let mut none = Vec::new();
        loop {
            self.words.drain_waits().store(1, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            let beyond = self.fullest() > self.size.drain_mark();
            let stopped = self.wait(beyond.then_some(Duration::ZERO));
            self.words.drain_waits().store(0, Ordering::Relaxed);
            if stopped {
                return;
            }
            while self.wakeups.1.take(usize::MAX >> 1, &mut none) {
                none.clear();
            }
            self.words.precedence.raise();
            while self.fullest() > self.size.drain_mark() / 2 {
                self.drain();
                if self.wait(Some(LOOK)) {
                    return;
                }
            }
        }
    }

    /// The fill of the fullest ring.
    fn fullest(&self) -> u64 {
        self.rings.iter().map(|(gauge, _)| gauge.fill()).max().unwrap_or(0)
    }

    /// Moves records out of rings that are beyond the drain mark, down to half of that. So poll(2) still reports that there is
    /// something to read.
    fn drain(&self) {
        let mark = self.size.drain_mark();
        for (gauge, ring) in self.rings.iter().filter(|(gauge, _)| gauge.fill() > mark) {
            while gauge.fill() > mark / 2
                && self.words.backlog().load(Ordering::Relaxed) < self.most
                && ring.drain(MOVE.min(mark as usize / 4)) > 0
            {}
        }
    }

    /// Waits for a wake-up, or for a time. Tells whether the thread is to end.
    fn wait(&self, patience: Option<Duration>) -> bool {
        let watched = |fd: &OwnedFd| libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let mut fds = [watched(&self.stop), watched(&self.wakeups.0)];
        // With a time limit, it waits only for the end.
        let watched = if patience.is_some() { 1 } else { 2 };
        let patience = patience.map_or(-1, |time| time.as_millis() as libc::c_int);
        // SAFETY: so many valid pollfds, which outlive the call.
        let n = unsafe { libc::poll(fds.as_mut_ptr(), watched, patience) };
        n > 0 && fds[0].revents != 0
    }
}

/// The drain thread must run although writers take all CPUs. It only copies memory, so nobody else waits for long.
/// Where that priority is not allowed, the delays must suffice.
fn hurry() {
    // (It concerns this thread only, and those it starts.)
    if stride_engine_base::set_policy(0, libc::SCHED_FIFO, 1).is_err() {
        // SAFETY: takes only numbers.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, -20) };
    }
}

/// Signals to Stride are for its main thread, so this thread blocks them.
fn block_signals() {
    // SAFETY: fills in a set of its own, which outlives its use; concerns this thread only, and those it starts.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
}
