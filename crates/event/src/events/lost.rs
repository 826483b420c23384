use crate::quantity::count;
use std::fmt;

/// The events that an engine could not report, because they came faster than they could be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Calls.
    pub calls: u64,
    /// Starts and ends of threads.
    pub threads: u64,
    /// Signals.
    pub signals: u64,
}

/// As in "3 calls were lost, 1 signal was lost". Empty if nothing was lost.
impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lost { calls, threads, signals } = *self;
        let mut between = "";
        let mut part = |n: u64, one, many, what| {
            if n > 0 {
                write!(f, "{between}{} {what}", count(n, one, many))?;
                between = ", ";
            }
            Ok(())
        };
        part(calls, "call was", "calls were", "lost")?;
        part(threads, "start or end", "starts or ends", "of a thread unseen")?;
        part(signals, "signal was", "signals were", "lost")
    }
}

impl Lost {
    /// True if nothing was lost.
    pub fn is_none(&self) -> bool {
        *self == Lost::default()
    }
}
