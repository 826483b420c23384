//! From when on something is worth saying: all numbers in one place.
//!
//! A finding is reported if what it saves is worth the reader's time in a run of this size. Rules have thresholds of their own only
//! for what makes their pattern a pattern.

use stride_event::Ns;

/// A finding that saves calls saves at least this many, and this part of all calls of the run, ...
pub const MIN_CALLS: u64 = 100;
pub const MIN_PART_OF_CALLS: f64 = 0.02;
/// ... or at least this much time, and this part of how long the run took.
pub const MIN_TIME: Ns = 10_000_000;
pub const MIN_PART_OF_TIME: f64 = 0.02;

/// Whether a saving is worth a finding.
pub fn worth_it(calls: u64, of: u64, time: Ns, run: Ns) -> bool {
    calls >= MIN_CALLS && calls as f64 >= of as f64 * MIN_PART_OF_CALLS
        || time >= MIN_TIME && time as f64 >= run as f64 * MIN_PART_OF_TIME
}

/// A finding of which others claimed more than this part is part of theirs, and not told.
pub const MOSTLY_CLAIMED: f64 = 0.5;
/// Items of evidence that a finding names: the most telling ones.
pub const EVIDENCE: usize = 5;

/// Hang: how long a call has lasted when it is worth a table; and the threads that the table shows.
pub const HANG: Ns = 1_000_000_000;
pub const HANG_ROWS: usize = 200;

/// Stat storm: checks of one path from which on it counts as checked again and again.
pub const STATS_PER_PATH: u64 = 4;
