//! The limits that rules share. Those that are judgements can be set, under `[findings]`; the others are facts about
//! the kernel and about libraries.
//!
//! A finding is reported if its saving is worth the reader's time in a run of this size. Limits for what makes a
//! pattern a pattern stand in the file of its rule.

use crate::thresholds::threshold::Threshold;
use stride_event::Ns;

/// The table of `--advise-config` that has the shared limits.
pub const TABLE: &str = "findings";

/// A finding that saves calls must save at least this many, and this part of all calls of the run, ...
const MIN_CALLS: Threshold = Threshold::count("min-calls", 100, "a finding has to save so many calls, ...");
const MIN_PART_OF_CALLS: Threshold =
    Threshold::part("min-part-of-calls", 0.02, "... which are this part of all calls of the run, ...");
/// ... or at least this much time, and this part of the run's duration.
const MIN_TIME: Threshold = Threshold::time("min-time", 10_000_000, "... or it has to save so much time, ...");
const MIN_PART_OF_TIME: Threshold = Threshold::part(
    "min-part-of-time",
    0.02,
    "... which is this part of the run; a finding that saves a smaller part of it is minor, ...",
);
/// A finding whose calls take hardly any of the run's time is minor, unless it saves this part of all calls, and a time
/// that can be felt.
const MUCH_WORK: Threshold =
    Threshold::part("min-part-of-work", 0.3, "... unless it saves min-time and this part of all calls of the run, ...");
const FELT_PART: Threshold = Threshold::part(
    "min-part-of-felt",
    0.03,
    "... which with the ways into the kernel and back is this part of the run, ...",
);
const MUCH_TIME_OF_WORK: Threshold = Threshold::part(
    "min-part-of-others",
    0.1,
    "... or work of this part of the run's time, by threads for which the run does not wait",
);
/// If other findings claimed more than this part of a finding's calls, the finding is not reported: it is part of theirs.
const OWN_PART: Threshold =
    Threshold::part("own-part", 0.5, "the part of a finding's calls that no other finding may have claimed before");

/// Fewer calls than this for one reason are the cost of starting up, whatever time they took.
pub const FEW_CALLS: Threshold =
    Threshold::count("few-calls", 300, "fewer calls than this for one reason are the cost of starting up");
/// The default is a page, the smallest buffer of any library.
pub const SMALL_TRANSFER: Threshold =
    Threshold::bytes("small-transfer", 4096, "reads and writes of fewer bytes are small");
pub const SEEKS_PER_TRANSFER: Threshold = Threshold::part(
    "seeks-per-transfer",
    0.25,
    "a file with more seeks than this for each transfer is read or written here and there",
);
pub const FEW_MESSAGES: Threshold =
    Threshold::count("few-messages", 4, "a connection for at most so many messages is short");

/// All shared limits that can be set.
pub const SHARED: &[Threshold] = &[
    MIN_CALLS,
    MIN_PART_OF_CALLS,
    MIN_TIME,
    MIN_PART_OF_TIME,
    MUCH_WORK,
    FELT_PART,
    MUCH_TIME_OF_WORK,
    OWN_PART,
    FEW_CALLS,
    SMALL_TRANSFER,
    SEEKS_PER_TRANSFER,
    FEW_MESSAGES,
];

/// True if a saving is worth a finding.
pub fn worth_it(calls: u64, of: u64, time: Ns, run: Ns) -> bool {
    calls >= MIN_CALLS.get() && calls as f64 >= of as f64 * MIN_PART_OF_CALLS.ratio()
        || time >= MIN_TIME.get() && time as f64 >= run as f64 * MIN_PART_OF_TIME.ratio()
}

/// The cost of a call besides the time inside: its way into the kernel and back, and the library's part.
const BESIDE_CALL: Ns = 2_000;

/// True if a finding that is worth telling is more than minor. `time` is on the critical path of the run, `work`
/// anywhere.
pub fn matters(calls: u64, of: u64, time: Ns, work: Ns, run: Ns) -> bool {
    let part = |time: Ns, least: Threshold| time as f64 >= run as f64 * least.ratio();
    let many = calls as f64 >= of as f64 * MUCH_WORK.ratio();
    // As far as the run waits for these calls.
    let share = if work == 0 { 1.0 } else { (time as f64 / work as f64).min(1.0) };
    let felt = (work + calls * BESIDE_CALL) as f64 * share;
    let felt = felt >= MIN_TIME.get() as f64 && felt >= run as f64 * FELT_PART.ratio();
    part(time, MIN_PART_OF_TIME) || part(work, MUCH_TIME_OF_WORK) || many && felt
}

/// True if most of a finding's calls belong to findings that save more.
pub fn is_anothers(calls: u64, claimed: u64) -> bool {
    (calls as f64) < claimed as f64 * OWN_PART.ratio()
}

/// The number of items of evidence that a finding names: the most telling ones.
pub const EVIDENCE: usize = 5;
/// The largest buffer that is worth its memory. Beyond it, the calls are no longer the cost.
pub const GOOD_BUFFER: u64 = 64 << 10;
/// The time that an answer takes if a delayed acknowledgement held it up: 40 ms and a little.
pub const DELAYED_ACK: std::ops::Range<Ns> = 36_000_000..60_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hardly_any_time_matters_only_with_many_calls() {
        let second = 1_000_000_000;
        let matters = |calls, of, time, work| matters(calls, of, time, work, second);
        assert!(matters(100, 1_000_000, 20_000_000, 20_000_000), "a fiftieth of the time");
        assert!(!matters(100, 1_000, 19_000_000, 19_000_000), "a tenth of the calls, and less time");
        assert!(
            matters(6_000, 20_000, 18_000_000, 18_000_000),
            "three tenths of the calls, and 30 ms with the ways into the kernel"
        );
        assert!(
            !matters(3_000, 10_000, 18_000_000, 18_000_000),
            "three tenths of the calls, and a fortieth of the time"
        );
        assert!(!matters(9_000, 10_000, 100_000, 10_000_000), "calls of a thread for which the run does not wait");
        assert!(!matters(300, 1_000, 9_000_000, 9_000_000), "nobody feels that");
        assert!(matters(20_000, 40_000, 0, 0), "so many calls are felt, however short they are");
        assert!(!matters(100, 1_000, 0, 90_000_000), "work for which nobody waits");
        assert!(matters(100, 1_000, 0, 100_000_000), "much work");
    }
}
