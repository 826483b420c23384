//! All limits that decide whether something is worth saying, in one place.
//!
//! A finding is reported if its saving is worth the reader's time in a run of this size. Rules have limits of their own
//! only for what makes their pattern a pattern.

use stride_event::Ns;

/// A finding that saves calls must save at least this many, and this part of all calls of the run, ...
pub const MIN_CALLS: u64 = 100;
pub const MIN_PART_OF_CALLS: f64 = 0.02;
/// ... or at least this much time, and this part of the run's duration.
pub const MIN_TIME: Ns = 10_000_000;
pub const MIN_PART_OF_TIME: f64 = 0.02;

/// Whether a saving is worth a finding.
pub fn worth_it(calls: u64, of: u64, time: Ns, run: Ns) -> bool {
    calls >= MIN_CALLS && calls as f64 >= of as f64 * MIN_PART_OF_CALLS
        || time >= MIN_TIME && time as f64 >= run as f64 * MIN_PART_OF_TIME
}

/// A finding whose calls take hardly any of the run's time is minor, unless it saves this part of all calls.
pub const MUCH_WORK: f64 = 0.3;

/// Whether a finding that is worth it is more than minor.
pub fn matters(calls: u64, of: u64, time: Ns, run: Ns) -> bool {
    time as f64 >= run as f64 * MIN_PART_OF_TIME || calls as f64 >= of as f64 * MUCH_WORK
}

/// If other findings claimed more than this part of a finding's calls, the finding is not told: it is part of theirs.
pub const MOSTLY_CLAIMED: f64 = 0.5;
/// How many items of evidence a finding names: the most telling ones.
pub const EVIDENCE: usize = 5;

/// Hang: a call that has lasted this long is worth a table, and the table shows this many threads.
pub const HANG: Ns = 1_000_000_000;
pub const HANG_ROWS: usize = 200;

/// Stat storm: a path counts as checked again and again from this many checks on.
pub const STATS_PER_PATH: u64 = 4;
/// Stat storm: repeats by one process that count even if they are checks of parents. A compiler repeats hundreds when
/// it starts.
pub const STATS_PER_PROCESS: u64 = 1000;

/// Transfers of fewer bytes are small. This is a page, the smallest buffer of any library.
pub const SMALL_TRANSFER: u64 = 4096;
/// The largest buffer that is worth its memory. Beyond it, the calls are no longer the cost.
pub const GOOD_BUFFER: u64 = 64 << 10;
/// Tiny reads: this many reads of one open file must have got all they asked for. Else the file may have had no more to
/// read.
pub const FULL_READS: u64 = 3;
/// Small transfers: a file with more seeks than this per transfer is read or written here and there.
pub const SEEKS_PER_TRANSFER: f64 = 0.25;
/// Tiny writes: more syncs than this per write are on purpose.
pub const SYNCS_PER_WRITE: f64 = 0.1;
/// Tiny writes: this many in a row into one open file are a pattern.
pub const WRITES_IN_A_ROW: u64 = 16;
/// Byte reads: this many in a row from one open file are a pattern. A single one is a token or a wake-up.
pub const SINGLE_READS: u64 = 16;

/// Busy waiting: this many looks in a row are more than a try before waiting, ...
pub const LOOKS_IN_A_ROW: u64 = 50;
/// ... if the thread computed for less than `PAUSE` between most of them. A look at descriptors or a yield costs at
/// most `LOOK_COST`.
pub const PAUSE: Ns = 200_000;
pub const LOOK_COST: Ns = 5_000;
/// Longer sleeps are meant to let time pass.
pub const SHORT_SLEEP: Ns = 10_000_000;

/// Lock contention: this many waits at one lock, ...
pub const LOCK_WAITS: u64 = 100;
/// ... where each thread lost this part of the run.
pub const LOCK_PART: f64 = 0.1;

/// Sync storm: fewer bytes than this between two syncs are little, ...
pub const SMALL_SYNC: u64 = 64 << 10;
/// ... and this many syncs of one file after little are a pattern. A few are a program's care for its data.
pub const SMALL_SYNCS: u64 = 20;
/// Sync storm: this many calls of sync(2). It writes the dirty data of all programs, and few programs call it even
/// once.
pub const WHOLE_SYNCS: u64 = 10;

/// Unsynced rename: a file that one process replaced this often is data that the program keeps up to date. A file that
/// is replaced a few times is set up (git clone replaces its configuration nine times) or edited, which can be done
/// again.
pub const UNSYNCED_RENAMES: u64 = 20;

/// Map churn: this many mappings of one size that one process maps and unmaps again.
pub const MAPPED_AGAIN: u64 = 50;
/// Tiny maps: mappings of at most this size are tiny, and this many in one process are a pattern.
pub const TINY_MAPPING: u64 = 16 << 10;
pub const TINY_MAPPINGS: u64 = 200;
/// Heap creep: a heap that grows by less than this at a time grows in small steps (the C library takes 132 KiB and
/// more), ...
pub const SMALL_GROWTH: u64 = 128 << 10;
/// ... and this many steps are a pattern. So are this many times of giving memory back and taking it again.
pub const HEAP_STEPS: u64 = 100;
/// Madvise storm: this many calls about one place in memory.
pub const ADVISED_AGAIN: u64 = 16;

/// Name lookups: lookups without repeats and lost answers are worth telling if they took this long ...
pub const SLOW_LOOKUPS: Ns = 1_000_000_000;
/// ... and this part of the run.
pub const SLOW_LOOKUPS_PART: f64 = 0.1;

/// Failed connects: an attempt that begins this soon after a failure, by the same thread, replaces the failed one.
pub const FALLBACK: Ns = 10_000_000;
/// Reconnects: this many connections of one process to one peer, one after the other, ...
pub const RECONNECTS: u64 = 20;
/// ... each for at most this many messages.
pub const FEW_MESSAGES: u64 = 4;

/// Small sends: a send of fewer bytes fits into one packet with others.
pub const SMALL_SEND: u64 = 1400;
/// Small sends: sends that follow each other this soon could have been one.
pub const SAME_MOMENT: Ns = 1_000_000;
/// How long an answer takes that a delayed acknowledgement held up: 40 ms and a little.
pub const DELAYED_ACK: std::ops::Range<Ns> = 36_000_000..60_000_000;
/// Search path: a name that is missing in this many directories is searched for. One or two misses are a fallback.
pub const SEARCH_PLACES: usize = 3;
/// ... and this many misses in one process. Short processes that each search PATH once have other things to save.
pub const MISSES_PER_PROCESS: u64 = 50;
/// Reopened: a path counts as opened again and again from this many openings by one process on.
pub const OPENS_PER_PATH: u64 = 8;
/// Time zone: this many checks by one process mean one check per converted time.
pub const TIME_ZONE_CHECKS: u64 = 16;
/// Same facts: this many repeated answers to one thread count. Libraries ask a few times when they start.
pub const SAME_FACTS: u64 = 16;
/// ... if they are this part of all calls. These calls take the kernel less time than any others.
pub const SAME_FACTS_PART: f64 = 0.1;
/// Clock calls: this many real calls that read the clock are a pattern.
pub const CLOCK_CALLS: u64 = FEW_CALLS;
/// EAGAIN spin: this many failures in a row. Two or three are an event loop that empties several descriptors.
pub const EAGAIN_STREAK: u64 = 8;
/// Tell again: an open file counts from this many repeated questions of one process on. A few are a library's that gets to
/// know the file.
pub const TELLS_PER_FILE: u64 = 16;
/// Mkdir again: a path counts from this many failures on.
pub const MKDIRS_PER_PATH: u64 = 4;
/// Epoll and files: this many refusals are a habit.
pub const EPOLL_REFUSALS: u64 = FEW_CALLS;
/// Fewer calls than this for one reason are the cost of starting up, whatever time they took.
pub const FEW_CALLS: u64 = 300;

/// Short children: a child that ends within this time, which leaves room for a tracer, and after at most this many
/// calls was hardly worth starting; ...
pub const SHORT_CHILD: Ns = 100_000_000;
pub const SHORT_CHILD_CALLS: u64 = 300;
/// ... this many of one program by one process, ...
pub const SHORT_CHILDREN: u64 = 50;
/// ... if they are this part of all children of that program.
pub const SHORT_CHILDREN_PART: f64 = 0.8;

/// Short threads: a thread that ends within this time, and after at most this many calls, is a small task; ...
pub const SHORT_THREAD: Ns = 5_000_000;
pub const SHORT_THREAD_CALLS: u64 = 32;
/// ... and this many in one process are a pattern.
pub const SHORT_THREADS: u64 = 200;

/// Uneven workers: the last worker lived so many times as long as the others did on average, ...
pub const UNEVEN_TIMES: f64 = 3.0;
/// ... and an even division saves this part of the run.
pub const UNEVEN_PART: f64 = 0.1;

/// Lock-step: this many round trips that took this part of the run, ...
pub const ROUND_TRIPS: u64 = 200;
pub const ROUND_TRIPS_PART: f64 = 0.1;
/// ... or this many of at least this time, which took this part of the run.
pub const SLOW_TRIPS: u64 = 5;
pub const SLOW_TRIP: Ns = 5_000_000;
pub const SLOW_TRIPS_PART: f64 = 0.5;

/// Retries: this many tries in a row without success, ...
pub const RETRIES: u64 = 50;
/// ... with no more than this between two of them on average.
pub const RETRY_PACE: Ns = 100_000_000;

/// Rewritten: this many versions of one file.
pub const REWRITTEN: u64 = 100;

/// Random reads: this many reads of one file at places all over it, ...
pub const RANDOM_READS: u64 = 1000;
/// ... or this many reads of the same ranges.
pub const READ_AGAIN: u64 = 300;

/// Random bytes: this many draws, and the size of a pool that serves many.
pub const RANDOM_DRAWS: u64 = 1000;
pub const RANDOM_POOL: u64 = 4096;

/// Close storm: this many descriptors that were not open.
pub const USELESS_CLOSES: u64 = 200;

/// Descriptor leak: this many descriptors of one path that stay open, or four times as many made by one syscall, ...
pub const LEAKED: u64 = 64;
/// ... if they are this part of all that were opened in the same way.
pub const LEAKED_PART: f64 = 0.9;

/// Zombies: this many children that have ended and were not waited for.
pub const ZOMBIES: u64 = 16;

/// Exec search: this many attempts that found nothing before one that did.
pub const EXEC_MISSES: u64 = 100;
