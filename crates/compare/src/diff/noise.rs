//! Differences between two runs of the same program that chance explains.
//!
//! A thread that runs alone makes the same calls each time. With several threads, some calls depend on which thread
//! comes first: make asks its jobserver once more, or a futex(2) is needed or not. Times also depend on the other load
//! of the machine.

use crate::profile::figures::{Figures, Row};
use crate::profile::range::Range;
use stride_event::Ns;
use stride_syscalls::{Class, Effect, operation, row_named};

/// True if the number of these calls depends on how fast other threads and processes are.
pub fn wavers(name: &str) -> bool {
    effects(name).iter().any(|effect| {
        use Effect::{Restarts, ReturnsFromSignal, Waits, Wakes, Yields};
        matches!(effect, Waits(_) | Wakes | Yields | Restarts | ReturnsFromSignal)
    })
}

/// The effects of a system call, or of an operation of io_uring.
fn effects(name: &str) -> &'static [Effect] {
    match name.strip_prefix(operation::PREFIX) {
        Some(name) => operation::operation_named(name).map_or(&[], |row| row.effects),
        None => row_named(name).map_or(&[], |row| row.effects),
    }
}

/// True if the calls wait for others. Their time then says nothing about the program.
pub fn waits(name: &str) -> bool {
    let waits = |effect: &Effect| matches!(effect, Effect::MayWait(_) | Effect::Connects | Effect::Forks);
    wavers(name) || effects(name).iter().any(waits)
}

/// True if the number of these calls is random. The kernel places memory at random, so the distance to the end of a
/// page varies; and programs draw some random numbers again.
fn by_lot(name: &str) -> bool {
    row_named(name).is_some_and(|row| row.class.intersects(Class::MEMORY) || row.has_effect(Effect::DrawsRandom))
}

fn expected(n: u64, wavering: u64, by_lot: bool, alone: bool) -> u64 {
    let steady = n.saturating_sub(wavering);
    let of_steady = match (alone, by_lot) {
        (true, false) => steady / 1000,
        (true, true) => steady / 50 + 2,
        (false, _) => steady.isqrt().max(2),
    };
    of_steady + if wavering > 0 { wavering / 4 + 10 } else { 0 }
}

/// True if the counts of two runs lie further apart than chance explains.
fn counts_differ(a: &Range<u64>, b: &Range<u64>, wavering: u64, by_lot: bool, alone: bool) -> bool {
    let n = a.highest.max(b.highest);
    a.gap(b) > expected(n, wavering.min(n), by_lot, alone)
}

/// True if the calls, errors or bytes of a row differ by more than chance explains.
pub fn differs(name: &str, base: &Row, this: &Row, alone: bool) -> bool {
    let (a, b) = (base.spread(), this.spread());
    let wavering = base.wavering.max(this.wavering);
    let n = base.figures.calls.max(this.figures.calls);
    let only_one_has_any = a.calls.highest.min(b.calls.highest) == 0 && a.calls.lowest.max(b.calls.lowest) > 0;
    if wavering < n && only_one_has_any {
        return true;
    }
    let by_lot = by_lot(name);
    let bytes = a.bytes.gap(&b.bytes);
    counts_differ(&a.calls, &b.calls, wavering, by_lot, alone)
        || counts_differ(&a.errors, &b.errors, wavering, by_lot, alone)
        || wavering <= n / 2 && bytes >= 4096 && bytes > a.bytes.highest.max(b.bytes.highest) / 10
}

/// True if the recordings of one run have different numbers of calls.
pub fn differs_by_itself(base: &Row, this: &Row) -> bool {
    !base.spread().calls.is_single() || !this.spread().calls.is_single()
}

/// True if the times of calls differ by more than chance. `whole` is the time of all calls of the longer run. `precise`
/// is the possible error of one call's time.
pub fn takes_longer(base: &Row, this: &Row, whole: Ns, precise: Ns) -> bool {
    const LEAST: Ns = 10_000_000;
    let (a, b) = (&base.figures, &this.figures);
    let difference = a.time.abs_diff(b.time);
    if a.calls == 0 || b.calls == 0 || difference < LEAST.max(whole / 20) {
        return false;
    }
    if base.wavering.max(this.wavering) > a.calls.max(b.calls) / 2 {
        return false;
    }
    if base.spread().mean_time.meets(&this.spread().mean_time) {
        return false;
    }
    // The slow mean must be at least 1.5 times the fast one, and their difference must exceed their uncertainty.
    let (slow, fast) = if a.mean_time() > b.mean_time() { (a, b) } else { (b, a) };
    let apart = slow.mean_time() - fast.mean_time();
    apart >= precise as f64
        && apart * 2.0 >= fast.mean_time()
        && apart * apart > 16.0 * (slow.uncertainty() + fast.uncertainty())
}

/// The time of all calls but those that wait for others.
pub fn own_time<'f>(rows: impl Iterator<Item = (&'f str, &'f Figures)>) -> u64 {
    rows.filter(|(name, _)| !waits(name)).map(|(_, figures)| figures.time).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::{Call, Outcome};

    fn row(calls: u64, ns: u64, jitter: u64) -> Row {
        let mut row = Row::default();
        for i in 0..calls {
            let returned = ns + (i % 2) * jitter;
            let call = Call { entered: Some(0), returned, outcome: Outcome::Value(0), ..Call::default() };
            row.figures.add(&Figures::of(&call, None).unwrap());
        }
        row
    }

    #[test]
    fn twins_of_32_bit_programs_are_understood() {
        for name in ["futex", "futex_time64", "select", "_newselect", "ppoll_time64", "clock_nanosleep_time64"] {
            assert!(wavers(name), "{name}");
        }
        for name in ["accept4", "recvmmsg_time64", "semtimedop_time64", "waitpid", "clone3", "connect"] {
            assert!(waits(name), "{name}");
        }
        for name in ["openat", "read", "mmap", "no_such_call"] {
            assert!(!waits(name), "{name}");
        }
        assert!(by_lot("mmap2") && by_lot("brk") && !by_lot("openat"));
    }

    #[test]
    fn one_call_more_matters_to_one_thread() {
        let differ = |name, a, b, alone| differs(name, &row(a, 1, 0), &row(b, 1, 0), alone);
        assert!(differ("openat", 30, 31, true));
        assert!(!differ("openat", 30, 31, false));
        assert!(!differ("getrandom", 43, 45, false), "make -j2 of the same");
        assert!(differ("getrandom", 43, 60, false));
        assert!(!differ("brk", 30, 31, true), "the heap begins elsewhere");
        assert!(differ("openat", 0, 1, false), "it is new");
        assert!(!differ("read", 500_000, 500_001, true));
    }

    #[test]
    fn what_waits_varies() {
        let wavering = |n| Row { wavering: n, ..row(n, 1, 0) };
        assert!(!differs("futex", &wavering(100), &wavering(130), false));
        assert!(differs("futex", &wavering(100), &wavering(1000), false));
        assert!(!differs("futex", &wavering(0), &wavering(3), false), "even if there was none");
    }

    #[test]
    fn times_vary() {
        let ms = 1_000_000;
        assert!(takes_longer(&row(100, ms, 0), &row(100, 3 * ms, 0), 300 * ms, 1000));
        assert!(!takes_longer(&row(100, ms, 0), &row(100, 3 * ms, 0), 60_000 * ms, 1000), "little of the whole");
        assert!(!takes_longer(&row(100, ms, 0), &row(100, ms + ms / 4, 0), 100 * ms, 1000));
        assert!(!takes_longer(&row(4, ms, 40 * ms), &row(4, 3 * ms, 90 * ms), 200 * ms, 1000), "they vary anyway");
        assert!(!takes_longer(&row(100, 1000, 0), &row(100, 3000, 0), 1000, 1000), "next to nothing");
        assert!(
            !takes_longer(&row(9000, 20_000, 0), &row(9000, 90_000, 0), 800 * ms, ms),
            "less than what is told apart"
        );
    }
}
