//! Families of syscalls: what the page has colours for.

use serde::Serialize;
use stride_syscalls::{Class, Syscall};

/// What a call is about, coarsely enough that each family can have a colour of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Names and descriptors.
    Files,
    /// Bytes moved from or to a descriptor.
    Transfer,
    Network,
    Memory,
    Process,
    /// Made to wait for something: their time is nobody's work.
    Waiting,
    Other,
}

const TRANSFERS: &[&str] = &[
    "read",
    "write",
    "pread64",
    "pwrite64",
    "readv",
    "writev",
    "preadv",
    "pwritev",
    "preadv2",
    "pwritev2",
    "sendfile",
    "sendfile64",
    "splice",
    "tee",
    "vmsplice",
    "copy_file_range",
];

/// The beginnings of their names. (An accept or a read may wait as well, but is not made for it.)
const WAITS: &[&str] = &[
    "poll",
    "ppoll",
    "select",
    "_newselect",
    "oldselect",
    "pselect6",
    "epoll_wait",
    "epoll_pwait",
    "futex",
    "wait4",
    "waitid",
    "waitpid",
    "nanosleep",
    "clock_nanosleep",
    "pause",
    "rt_sigsuspend",
    "rt_sigtimedwait",
    "sigsuspend",
    "restart_syscall",
    "io_getevents",
    "io_pgetevents",
];

impl Family {
    pub fn of(row: Option<&Syscall>) -> Family {
        let Some(row) = row else { return Family::Other };
        let is = |class| row.class.intersects(class);
        if WAITS.iter().any(|name| row.name.starts_with(name)) {
            Family::Waiting
        } else if TRANSFERS.contains(&row.name) {
            Family::Transfer
        } else if is(Class::NETWORK) {
            Family::Network
        } else if is(Class::MEMORY) || row.name == "brk" {
            Family::Memory
        } else if is(Class::PROCESS) {
            Family::Process
        } else if is(Class::FILE.or(Class::DESC)) {
            Family::Files
        } else {
            Family::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_syscalls::{Abi, table};

    #[test]
    fn families_of_well_known_calls() {
        for (name, family) in [
            ("openat", Family::Files),
            ("close", Family::Files),
            ("read", Family::Transfer),
            ("sendto", Family::Network),
            ("mmap", Family::Memory),
            ("brk", Family::Memory),
            ("clone", Family::Process),
            ("execve", Family::Process),
            ("wait4", Family::Waiting),
            ("epoll_pwait2", Family::Waiting),
            ("epoll_ctl", Family::Files),
            ("getpid", Family::Other),
        ] {
            let row = table(Abi::NATIVE).by_name(name).next().map(|entry| entry.row);
            assert!(row.is_some(), "{name}");
            assert_eq!(Family::of(row), family, "{name}");
        }
        assert_eq!(Family::of(None), Family::Other);
    }
}
