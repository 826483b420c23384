//! Finds out if the kernel may take the CPU from a thread that runs one of the kernel's functions.

use std::fs::read_to_string;

/// True if that is so, or not known. Programs at functions lose calls then (`tests/kernels/functions` on Linux 6.12 with preempt=full).
pub fn may_be_full() -> bool {
    let read = |path| read_to_string(path).unwrap_or_default();
    is_full(&read("/sys/kernel/debug/sched/preempt"), &read("/proc/cmdline"), &read("/proc/version"))
}

/// `modes`: such as `none (voluntary) full`, if debugfs is mounted. Else the kernel's parameter tells, and at last how it was built.
fn is_full(modes: &str, parameters: &str, version: &str) -> bool {
    let in_use = modes.split_whitespace().find_map(|mode| mode.strip_prefix('(')?.strip_suffix(')'));
    let asked_for = parameters.split_whitespace().filter_map(|word| word.strip_prefix("preempt=")).next_back();
    match in_use.or(asked_for) {
        Some(mode) => !matches!(mode, "none" | "voluntary"),
        None => version.contains("PREEMPT"),
    }
}

#[cfg(test)]
mod tests {
    use super::is_full;

    #[test]
    fn the_mode_in_use_is_known() {
        const DYNAMIC: &str = "Linux version 6.12 #1 SMP PREEMPT_DYNAMIC Debian";
        assert!(!is_full("none (voluntary) full", "preempt=full", DYNAMIC));
        assert!(is_full("none voluntary (full)\n", "", DYNAMIC));
        assert!(is_full("none voluntary full (lazy)", "", DYNAMIC));
        assert!(!is_full("", "quiet preempt=full preempt=none", DYNAMIC));
        assert!(is_full("", "preempt=full", DYNAMIC));
        assert!(is_full("", "quiet", DYNAMIC), "not known");
        assert!(is_full("", "quiet", "#1 SMP PREEMPT_RT"));
        assert!(!is_full("", "quiet", "#1 SMP Debian 6.1"));
    }
}
