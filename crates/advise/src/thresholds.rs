//! The limits that rules share.
//!
//! A finding is reported if its saving is worth the reader's time in a run of this size. Limits for what makes a pattern a
//! pattern stand in the file of its rule, as [`crate::threshold::Threshold`]s.

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

/// A finding that would make the run hardly shorter is minor, unless it saves this part of all calls, ...
pub const MUCH_WORK: f64 = 0.3;
/// ... or work of threads for which the run does not wait, of this part of the run's time.
pub const MUCH_TIME_OF_WORK: f64 = 0.1;

/// True if a finding that is worth telling is more than minor. `time` is on the critical path of the run, `work` anywhere.
pub fn matters(calls: u64, of: u64, time: Ns, work: Ns, run: Ns) -> bool {
    let part = |time: Ns, least: f64| time as f64 >= run as f64 * least;
    part(time, MIN_PART_OF_TIME) || part(work, MUCH_TIME_OF_WORK) || calls as f64 >= of as f64 * MUCH_WORK
}

/// If other findings claimed more than this part of a finding's calls, the finding is not told: it is part of theirs.
pub const MOSTLY_CLAIMED: f64 = 0.5;
/// How many items of evidence a finding names: the most telling ones.
pub const EVIDENCE: usize = 5;

/// Transfers of fewer bytes are small. This is a page, the smallest buffer of any library.
pub const SMALL_TRANSFER: u64 = 4096;
/// The largest buffer that is worth its memory. Beyond it, the calls are no longer the cost.
pub const GOOD_BUFFER: u64 = 64 << 10;
/// Small transfers: a file with more seeks than this per transfer is read or written here and there.
pub const SEEKS_PER_TRANSFER: f64 = 0.25;

/// ... each for at most this many messages.
pub const FEW_MESSAGES: u64 = 4;

/// How long an answer takes that a delayed acknowledgement held up: 40 ms and a little.
pub const DELAYED_ACK: std::ops::Range<Ns> = 36_000_000..60_000_000;
/// Fewer calls than this for one reason are the cost of starting up, whatever time they took.
pub const FEW_CALLS: u64 = 300;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hardly_any_time_matters_only_with_many_calls() {
        let second = 1_000_000_000;
        let matters = |calls, of, time, work| matters(calls, of, time, work, second);
        assert!(matters(100, 1_000_000, 20_000_000, 20_000_000), "a fiftieth of the time");
        assert!(!matters(100, 1_000, 19_000_000, 19_000_000), "a tenth of the calls, and less time");
        assert!(matters(300, 1_000, 0, 0), "three tenths of the calls");
        assert!(!matters(100, 1_000, 0, 90_000_000), "work for which nobody waits");
        assert!(matters(100, 1_000, 0, 100_000_000), "much work");
    }
}
