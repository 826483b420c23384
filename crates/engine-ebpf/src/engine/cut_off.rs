//! Tracing that ended although nobody asked for that.

use nix::errno::Errno;
use std::{fmt, io};
use stride_engine_base::process;

/// Why tracing ended although nobody asked for that.
pub enum CutOff {
    Broker,
    /// The ring has records that cannot be read.
    Unreadable(io::Error),
}

impl fmt::Display for CutOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CutOff::Broker => f.write_str(
                "stride-broker has ended, or does not answer, and tracing has ended with it. What was traced runs on as if nothing had \
                 happened. See why the broker ended (`journalctl -u stride-broker`), and start Stride again",
            ),
            CutOff::Unreadable(e) => write!(
                f,
                "the ring buffer could not be read any further, because the kernel did not map the rest of it ({}), and tracing has ended. \
                 What was traced runs on as if nothing had happened. A smaller ring is mapped as a whole at the start: try --ring-size=1M",
                process::strerror(Errno::from_raw(e.raw_os_error().unwrap_or(0)))
            ),
        }
    }
}
