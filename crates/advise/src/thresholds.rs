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
/// Stat storm: repeats by one process from which on it is one, if they are of parents: a compiler walks hundreds to start.
pub const STATS_PER_PROCESS: u64 = 1000;

/// Transfers of fewer bytes are small: a page, which is the least that any library's buffer holds.
pub const SMALL_TRANSFER: u64 = 4096;
/// A buffer that is worth its memory: beyond it, calls are no longer what costs.
pub const GOOD_BUFFER: u64 = 64 << 10;
/// Tiny reads: so many in one open file must have got all they asked for, else all there was may have been just that.
pub const FULL_READS: u64 = 3;
/// Small transfers: a file where more than this many seeks come on each is read or written here and there.
pub const SEEKS_PER_TRANSFER: f64 = 0.25;
/// Tiny writes: more syncs than this for each write are meant.
pub const SYNCS_PER_WRITE: f64 = 0.1;
/// Tiny writes: so many in a row into one open file are a pattern.
pub const WRITES_IN_A_ROW: u64 = 16;
/// Byte reads: so many in a row from one open file are a pattern; a token or a wake-up is one.
pub const SINGLE_READS: u64 = 16;
/// Search path: a name that so many directories do not have is searched for; one or two misses are a fallback.
pub const SEARCH_PLACES: usize = 3;
/// Reopened: openings of one path by one process from which on it counts as opened again and again.
pub const OPENS_PER_PATH: u64 = 8;
/// Time zone: checks by one process from which on they count as one per time converted.
pub const TIME_ZONE_CHECKS: u64 = 16;
/// Same facts: repeated answers to one thread from which on they count; libraries ask a few times when they start.
pub const SAME_FACTS: u64 = 16;
/// Clock calls: so many real calls to read the clock are a pattern.
pub const CLOCK_CALLS: u64 = FEW_CALLS;
/// EAGAIN spin: so many failures in a row; two or three are an event loop that empties several descriptors.
pub const EAGAIN_STREAK: u64 = 8;
/// Mkdir again: for so many failures a path counts.
pub const MKDIRS_PER_PATH: u64 = 4;
/// Epoll and files: so many refusals are a habit.
pub const EPOLL_REFUSALS: u64 = FEW_CALLS;
/// Patterns of calls that are many for one reason: fewer than this are what starting up costs, whatever time they took this time.
pub const FEW_CALLS: u64 = 300;
