//! Reading another process's memory with a time limit.
//!
//! A page may come from another thread of the tracee (userfaultfd), from a FUSE server, or over NFS. A read of such a
//! page sleeps until the page is supplied, and only the death of the whole process wakes it. If the supplier is a
//! tracee that waits for Stride, that is for ever. So a separate thread does the read, and the caller stops waiting
//! at a time limit. The thread is left behind. It ends when the page is supplied, or with Stride.

use crate::procfs;
use crate::signal;
use nix::errno::Errno;
use nix::sched::CpuSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};
use stride_event::Tid;

/// The time that all reads of one call may take together.
const LIMIT: Duration = Duration::from_millis(50);
/// The limit after many reads were given up: a program may have a million such pages.
const LEAST: Duration = Duration::from_millis(1);
/// A reader that waits for a CPU is not stuck. It gets this much longer.
const OVERLOADED: u32 = 40;
/// Readers left behind at once, at most.
const MAX_STUCK: usize = 8;

/// Reads as many bytes as are readable. An error means that this way of reading does not work.
pub type ReadFn = fn(Tid, u64, &mut [u8]) -> Result<usize, Errno>;

struct Job {
    read: ReadFn,
    tid: Tid,
    addr: u64,
    buf: Vec<u8>,
    done: SyncSender<Done>,
}

struct Done {
    result: Result<usize, Errno>,
    buf: Vec<u8>,
    /// The time that the read itself took.
    took: Duration,
}

#[derive(Debug)]
struct Worker {
    id: u64,
    tid: Tid,
    jobs: Sender<Job>,
}

/// The readers that were left behind, each with the process that it reads.
type Stuck = Arc<Mutex<Vec<(u64, Tid)>>>;

/// Reads other processes' memory with a time limit.
#[derive(Debug)]
pub struct Remote {
    /// The CPUs on which readers may run: this thread may be confined to one.
    cpus: Option<CpuSet>,
    worker: Option<Worker>,
    stuck: Stuck,
    next_id: u64,
    /// The time that the reads of one call may take at present, and the rest of it for the current call.
    patience: Duration,
    left: Duration,
    /// The buffer that goes to the reader and comes back.
    spare: Vec<u8>,
}

impl Default for Remote {
    fn default() -> Remote {
        let cpus = nix::sched::sched_getaffinity(nix::unistd::Pid::from_raw(0)).ok();
        Remote {
            cpus,
            worker: None,
            stuck: Stuck::default(),
            next_id: 0,
            patience: LIMIT,
            left: LIMIT,
            spare: Vec::new(),
        }
    }
}

impl Remote {
    /// The next reads are for another call and share a new time limit.
    pub fn begin(&mut self) {
        self.left = self.patience;
    }

    /// Reads with `read`. A read that was given up gives no bytes, and until it comes back, neither do further reads
    /// of that process.
    pub fn read(&mut self, read: ReadFn, tid: Tid, addr: u64, buf: &mut [u8]) -> Result<usize, Errno> {
        if self.left.is_zero() || self.is_stuck(tid) {
            return Ok(0);
        }
        let Some(worker) = self.worker() else { return Ok(0) };
        let reader = worker.tid;
        let (done, result) = sync_channel(1);
        let mut spare = std::mem::take(&mut self.spare);
        // (Bytes of an earlier read may still be there. They are not passed on.)
        spare.resize(buf.len(), 0);
        let Some(worker) = &self.worker else { return Ok(0) };
        if worker.jobs.send(Job { read, tid, addr, buf: spare, done }).is_err() {
            self.worker = None;
            return Ok(0);
        }
        match wait(&result, self.left, || is_runnable(reader)) {
            Ok(Done { result, buf: bytes, took }) => {
                // (Not the time in which the reader waited for a CPU, and this thread then. On a busy machine, nothing would be left after a few reads.)
                self.left = self.left.saturating_sub(took);
                self.patience = (self.patience + self.patience / 8).min(LIMIT);
                if let Ok(n) = result {
                    buf[..n].copy_from_slice(&bytes[..n]);
                }
                self.spare = bytes;
                result
            }
            Err(RecvTimeoutError::Timeout) => {
                self.left = Duration::ZERO;
                self.patience = (self.patience / 2).max(LEAST);
                self.abandon(tid);
                Ok(0)
            }
            Err(RecvTimeoutError::Disconnected) => {
                self.worker = None;
                Ok(0)
            }
        }
    }

    /// True if a read of this thread's process was given up and has not come back, or too many other reads were given
    /// up.
    fn is_stuck(&self, tid: Tid) -> bool {
        let stuck = self.stuck.lock().unwrap_or_else(PoisonError::into_inner);
        if stuck.is_empty() {
            return false;
        }
        let process = procfs::group_of(tid);
        stuck.len() >= MAX_STUCK || stuck.iter().any(|&(_, p)| p == process)
    }

    /// Leaves the reader behind. It ends when its read returns, because nobody sends it anything any more.
    fn abandon(&mut self, tid: Tid) {
        if let Some(worker) = self.worker.take() {
            let process = procfs::group_of(tid);
            self.stuck.lock().unwrap_or_else(PoisonError::into_inner).push((worker.id, process));
        }
    }

    fn worker(&mut self) -> Option<&Worker> {
        if self.worker.is_none() {
            let (jobs, queue) = channel();
            let (started, is_started) = sync_channel(1);
            let (id, stuck, cpus) = (self.next_id, self.stuck.clone(), self.cpus);
            self.next_id += 1;
            let spawn = || {
                Builder::new().name("read".into()).stack_size(128 << 10).spawn(move || {
                    // The caller may be confined to one CPU, as an idle-priority thread.
                    signal::schedule_normally(cpus.as_ref());
                    let _ = started.send(signal::own_tid());
                    serve(&queue);
                    stuck.lock().unwrap_or_else(PoisonError::into_inner).retain(|&(other, _)| other != id);
                })
            };
            // Signals are for the thread that waits for them.
            signal::without_signals(spawn).ok()?;
            let tid = is_started.recv().ok()?;
            self.worker = Some(Worker { id, tid, jobs });
        }
        self.worker.as_ref()
    }
}

fn serve(queue: &Receiver<Job>) {
    while let Ok(Job { read, tid, addr, mut buf, done }) = queue.recv() {
        let start = Instant::now();
        let result = read(tid, addr, &mut buf);
        // A caller that gave up has dropped its end.
        let _ = done.send(Done { result, buf, took: start.elapsed() });
    }
}

/// Waits up to the limit, and longer while the reader waits for a CPU instead of sleeping in its read.
fn wait<T>(result: &Receiver<T>, limit: Duration, is_runnable: impl Fn() -> bool) -> Result<T, RecvTimeoutError> {
    for _ in 0..OVERLOADED {
        match result.recv_timeout(limit) {
            Err(RecvTimeoutError::Timeout) if is_runnable() => {}
            // (A reader that has just come back sleeps, too.)
            Err(RecvTimeoutError::Timeout) => break,
            other => return other,
        }
    }
    result.try_recv().map_err(|_| RecvTimeoutError::Timeout)
}

fn is_runnable(tid: Tid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/self/task/{tid}/stat")).unwrap_or_default();
    crate::stat::behind_name(&stat).is_some_and(|fields| fields.starts_with('R'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Condvar;

    fn fill(_: Tid, addr: u64, buf: &mut [u8]) -> Result<usize, Errno> {
        buf.fill(addr as u8);
        Ok(buf.len() - 1)
    }

    #[test]
    fn bytes_come_back_as_read() {
        let mut remote = Remote::default();
        for addr in 1..4 {
            remote.begin();
            let mut buf = [0; 4];
            assert_eq!(remote.read(fill, 1, addr, &mut buf), Ok(3));
            assert_eq!(buf, [addr as u8, addr as u8, addr as u8, 0]);
        }
        assert_eq!(remote.read(|_, _, _| Err(Errno::ESRCH), 1, 0, &mut [0]), Err(Errno::ESRCH));
    }

    #[test]
    fn a_reader_that_comes_back_at_the_last_moment_is_heard() {
        let (done, result) = sync_channel(1);
        let comes_back = || {
            done.send(7).unwrap();
            false
        };
        assert_eq!(wait(&result, Duration::ZERO, comes_back), Ok(7));
        assert_eq!(wait(&result, Duration::ZERO, || false), Err(RecvTimeoutError::Timeout));
    }

    #[test]
    fn a_read_that_does_not_end_is_given_up_and_comes_back() {
        static SUPPLIED: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());
        fn missing(_: Tid, _: u64, _: &mut [u8]) -> Result<usize, Errno> {
            let supplied = SUPPLIED.0.lock().unwrap();
            drop(SUPPLIED.1.wait_while(supplied, |s| !*s).unwrap());
            Ok(1)
        }
        let me = std::process::id() as Tid;
        let mut remote = Remote::default();
        remote.begin();
        assert_eq!(remote.read(missing, me, 0, &mut [0]), Ok(0));
        assert!(remote.worker.is_none() && remote.patience < LIMIT);
        // No more reads for this call, nor for this process. Other processes are read as before.
        assert_eq!(remote.read(fill, 1, 7, &mut [0; 2]), Ok(0));
        remote.begin();
        assert_eq!(remote.read(fill, me, 7, &mut [0; 2]), Ok(0));
        assert_eq!(remote.read(fill, 1, 7, &mut [0; 2]), Ok(1));
        *SUPPLIED.0.lock().unwrap() = true;
        SUPPLIED.1.notify_all();
        while remote.is_stuck(me) {
            std::thread::yield_now();
        }
        remote.begin();
        assert_eq!(remote.read(fill, me, 7, &mut [0; 2]), Ok(1));
    }
}
