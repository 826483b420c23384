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

/// Busy waiting: so many looks in a row are more than a try before waiting, ...
pub const LOOKS_IN_A_ROW: u64 = 50;
/// ... if less than this was computed between most of them. A look at descriptors or a yield costs no more than this.
pub const PAUSE: Ns = 200_000;
pub const LOOK_COST: Ns = 5_000;
/// Sleeps that are longer are meant to let time pass.
pub const SHORT_SLEEP: Ns = 10_000_000;

/// Lock contention: so many waits at one lock, ...
pub const LOCK_WAITS: u64 = 100;
/// ... where each thread lost this part of the run.
pub const LOCK_PART: f64 = 0.1;

/// Sync storm: what is written between two syncs is little below this size, ...
pub const SMALL_SYNC: u64 = 64 << 10;
/// ... and so many syncs of one file after little are a pattern. A few are a program's care for what it keeps.
pub const SMALL_SYNCS: u64 = 20;
/// Calls of sync(2), which writes what all programs have left, and few programs make even once.
pub const WHOLE_SYNCS: u64 = 10;

/// Unsynced rename: a file that one process replaced so often is kept up to date by a program that lives on it; one that is replaced a
/// few times is set up (git clone replaces its configuration nine times) or edited, which can be done again.
pub const UNSYNCED_RENAMES: u64 = 20;

/// Memory that one process maps and unmaps again, so often of one size.
pub const MAPPED_AGAIN: u64 = 50;
/// Mappings of a process that are no larger than this are tiny; so many of them are a pattern.
pub const TINY_MAPPING: u64 = 16 << 10;
pub const TINY_MAPPINGS: u64 = 200;
/// Heap creep: a heap that grows by less than this at a time grows by small steps (the C library takes 132 KiB and more), ...
pub const SMALL_GROWTH: u64 = 128 << 10;
/// ... and so many are a pattern; or so many times that it was given back and asked for again.
pub const HEAP_STEPS: u64 = 100;
/// Advice about one place in memory, so often.
pub const ADVISED_AGAIN: u64 = 16;

/// Name lookups: without repeats and lost answers, they are worth telling if they took this long ...
pub const SLOW_LOOKUPS: Ns = 1_000_000_000;
/// ... and this part of the run.
pub const SLOW_LOOKUPS_PART: f64 = 0.1;

/// Failed connects: an attempt that begins this soon after another has failed, by the same thread, was made in its stead.
pub const FALLBACK: Ns = 10_000_000;
/// Connections of one process to one peer, so often one after the other, ...
pub const RECONNECTS: u64 = 20;
/// ... each for so few messages.
pub const FEW_MESSAGES: u64 = 4;

/// Small sends: what fits into one packet with others.
pub const SMALL_SEND: u64 = 1400;
/// Sends that follow each other this soon could have been one.
pub const SAME_MOMENT: Ns = 1_000_000;
/// What an answer takes that a delayed acknowledgement held up: 40 ms and a little.
pub const DELAYED_ACK: std::ops::Range<Ns> = 36_000_000..60_000_000;
/// Search path: a name that so many directories do not have is searched for; one or two misses are a fallback.
pub const SEARCH_PLACES: usize = 3;
/// ... and so many misses in one process: short ones that each search PATH once have other things to save.
pub const MISSES_PER_PROCESS: u64 = 50;
/// Reopened: openings of one path by one process from which on it counts as opened again and again.
pub const OPENS_PER_PATH: u64 = 8;
/// Time zone: checks by one process from which on they count as one per time converted.
pub const TIME_ZONE_CHECKS: u64 = 16;
/// Same facts: repeated answers to one thread from which on they count; libraries ask a few times when they start.
pub const SAME_FACTS: u64 = 16;
/// ... and the part of all calls that they are; they take the kernel less time than any others.
pub const SAME_FACTS_PART: f64 = 0.1;
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

/// Short children: one that is over within this time, which leaves room for a tracer, and after so few calls was hardly worth
/// starting; ...
pub const SHORT_CHILD: Ns = 100_000_000;
pub const SHORT_CHILD_CALLS: u64 = 300;
/// ... so many of one program by one process, ...
pub const SHORT_CHILDREN: u64 = 50;
/// ... and this part of all that it ran of it.
pub const SHORT_CHILDREN_PART: f64 = 0.8;

/// Close storm: so many descriptors that were not open.
pub const USELESS_CLOSES: u64 = 200;

/// Descriptor leak: so many descriptors of one path that stay open, or four times as many made by one call; ...
pub const LEAKED: u64 = 64;
/// ... and this part of all that were opened so.
pub const LEAKED_PART: f64 = 0.9;

/// Children that are gone and not waited for.
pub const ZOMBIES: u64 = 16;

/// Exec search: so many attempts that found nothing before one that did.
pub const EXEC_MISSES: u64 = 100;
