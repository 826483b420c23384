//! The kinds of namespaces: namespaces(7).

use crate::uapi::consts as c;

/// A kind of namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Namespace {
    /// The flag of clone(2), unshare(2) and setns(2) that asks for a new one.
    pub flag: u64,
    /// The name in `/proc/PID/ns`.
    pub name: &'static str,
}

impl Namespace {
    /// All kinds, by name.
    pub const ALL: [Namespace; 8] = [
        Namespace { flag: c::CLONE_NEWCGROUP, name: "cgroup" },
        Namespace { flag: c::CLONE_NEWIPC, name: "ipc" },
        Namespace { flag: c::CLONE_NEWNS, name: "mnt" },
        Namespace { flag: c::CLONE_NEWNET, name: "net" },
        Namespace { flag: c::CLONE_NEWPID, name: "pid" },
        Namespace { flag: c::CLONE_NEWTIME, name: "time" },
        Namespace { flag: c::CLONE_NEWUTS, name: "uts" },
        Namespace { flag: c::CLONE_NEWUSER, name: "user" },
    ];

    /// The kinds that a call's flags ask for.
    pub fn of_flags(flags: u64) -> impl Iterator<Item = Namespace> {
        Namespace::ALL.into_iter().filter(move |kind| flags & kind.flag != 0)
    }
}
