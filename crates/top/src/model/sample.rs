//! The calls that were counted in an interval. All names are printable when they come in here.

use std::sync::Arc;
use stride_event::Ns;

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
}

impl SampleTally {
    pub fn merge(&mut self, other: &SampleTally) {
        self.calls += other.calls;
        self.errors += other.errors;
        self.bytes += other.bytes;
        self.time = self.time.saturating_add(other.time);
        self.longest = self.longest.max(other.longest);
    }
}

/// The calls of an interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    pub length: Ns,
    pub rows: Vec<(SampleKey, SampleTally)>,
}
