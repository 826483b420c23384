//! The calls that were counted in an interval. All names are printable when they come in here.

use std::sync::Arc;
use stride_event::Ns;
use stride_track::Cause;

/// The properties that calls have in common if they are counted together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SampleKey {
    pub pid: i32,
    pub comm: Arc<str>,
    pub call: Arc<str>,
    /// Empty: the calls succeeded.
    pub errno: Arc<str>,
    /// Empty: not known, or the calls are about no file.
    pub path: Arc<str>,
    pub caller: Arc<str>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleTally {
    pub calls: u64,
    pub errors: u64,
    pub bytes: u64,
    pub time: Ns,
    pub longest: Ns,
    /// The parts of the time in which threads slept, and in which they could run but had no CPU (`--waits`).
    pub blocked: Ns,
    pub runnable: Ns,
}

impl SampleTally {
    pub fn merge(&mut self, other: &SampleTally) {
        self.calls += other.calls;
        self.errors += other.errors;
        self.bytes += other.bytes;
        self.time = self.time.saturating_add(other.time);
        self.longest = self.longest.max(other.longest);
        self.blocked = self.blocked.saturating_add(other.blocked);
        self.runnable = self.runnable.saturating_add(other.runnable);
    }
}

/// A reason for which the threads of a process were off their CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reason {
    pub pid: i32,
    pub why: OffCpu,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OffCpu {
    /// The thing that calls waited for.
    Cause(Cause),
    /// The thread or interrupt that ended their longest sleeps.
    Waker(Arc<str>),
    /// Between calls, threads had no CPU.
    NoCpu,
}

impl OffCpu {
    /// Its name in a sentence.
    pub fn text(&self) -> Arc<str> {
        match self {
            OffCpu::Cause(cause) => cause.words().unwrap_or("something else").into(),
            OffCpu::Waker(waker) => waker.clone(),
            OffCpu::NoCpu => "a CPU between its calls".into(),
        }
    }
}

/// The calls of an interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    pub length: Ns,
    pub rows: Vec<(SampleKey, SampleTally)>,
    /// The times off the CPU, by their reasons.
    pub reasons: Vec<(Reason, Ns)>,
}
