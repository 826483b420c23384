//! /proc/PID/stat (proc_pid_stat(5)).

use crate::procfs;
use stride_event::Tid;

/// The fields behind the name, which may hold anything. The first is the letter of the state.
pub fn behind_name(stat: &str) -> Option<&str> {
    stat.rsplit_once(") ").map(|(_, fields)| fields)
}

/// True for a thread of the kernel, which runs no program.
pub fn is_kernel_thread(tid: Tid) -> bool {
    const PF_KTHREAD: u64 = 0x0020_0000;
    let stat = std::fs::read(procfs::path(tid, "stat")).unwrap_or_default();
    let stat = String::from_utf8_lossy(&stat);
    // state, parent, group, session, terminal, its group, flags
    let flags = behind_name(&stat).and_then(|fields| fields.split(' ').nth(6)?.parse::<u64>().ok());
    flags.is_some_and(|flags| flags & PF_KTHREAD != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_fields() {
        assert_eq!(behind_name("7 (a) Z 1 ) S 3 7"), Some("S 3 7"));
        assert_eq!(behind_name(""), None);
    }
}
