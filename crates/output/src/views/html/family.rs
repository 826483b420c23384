//! Families of syscalls, each with a colour on the page.

use serde::Serialize;
use stride_syscalls::{Class, Data, Effect, Flow, Syscall, Transfer};

/// The purpose of a call, coarse enough for each family to have a colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Names and descriptors.
    Files,
    /// Bytes moved from or to a descriptor.
    Transfer,
    Network,
    Memory,
    Process,
    /// The purpose of the call is to wait, so its time is not work.
    Waiting,
    Other,
}

impl Family {
    pub fn of(row: Option<&Syscall>) -> Family {
        let Some(row) = row else { return Family::Other };
        let is = |class| row.class.intersects(class);
        // An accept or a read may wait as well, but waiting is not its purpose.
        if row.waits().is_some() || row.has_effect(Effect::Restarts) {
            Family::Waiting
        } else if row.transfer().is_some_and(|transfer| moves_data(row, transfer)) {
            Family::Transfer
        } else if is(Class::NETWORK) {
            Family::Network
        } else if is(Class::MEMORY) {
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

/// True if the call moves a file's data. Records of the kernel do not count, nor do calls that only sockets take.
fn moves_data(row: &Syscall, transfer: &Transfer) -> bool {
    transfer.data != Data::Records && (transfer.flow == Flow::Between || !row.class.intersects(Class::NETWORK))
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
            ("futex", Family::Waiting),
            ("sendfile", Family::Transfer),
            ("getdents64", Family::Files),
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
