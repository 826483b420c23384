//! The kernel's ticks: how long a thread may run until the kernel next accounts run time to it.

use std::fs;

/// CPUs on which a thread that runs alone gets no ticks (the kernel's parameter `nohz_full`).
const TICKLESS: &str = "/sys/devices/system/cpu/nohz_full";

/// The time from one tick to the next, in nanoseconds. `None`: it is not known, or not all CPUs have ticks.
pub fn longest() -> Option<u64> {
    let tickless = fs::read_to_string(TICKLESS).unwrap_or_default();
    has_none(&tickless).then(period).flatten()
}

/// True if the list has no CPUs. (Kernels differ in how they write that.)
fn has_none(list: &str) -> bool {
    matches!(list.trim(), "" | "(null)")
}

/// The coarse clocks advance at each tick.
fn period() -> Option<u64> {
    let mut resolution = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: fills in the struct, which outlives the call.
    let result = unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC_COARSE, &mut resolution) };
    let period = resolution.tv_sec as u64 * 1_000_000_000 + resolution.tv_nsec as u64;
    (result == 0 && period > 0).then_some(period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_this_kernel() {
        let period = period().unwrap();
        // (CONFIG_HZ is 1000, 300, 250 or 100.)
        assert!(
            [1_000_000, 3_333_333, 4_000_000, 10_000_000].iter().any(|tick: &u64| tick.abs_diff(period) < 1_000),
            "{period}"
        );
        assert!(has_none("\n") && has_none("(null)\n") && has_none("  (null)\n"));
        assert!(!has_none("1-3\n"));
    }
}
