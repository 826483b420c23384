//! Sets of capabilities (capabilities(7)), and those that a trace can tell to be unneeded.

use stride_syscalls::sets;
use stride_syscalls::uapi::consts as c;

/// A set of capabilities, a bit for each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CapabilitySet(u64);

impl CapabilitySet {
    /// No capability.
    pub const NONE: CapabilitySet = CapabilitySet(0);

    /// Those that a trace can tell to be unneeded.
    ///
    /// The others are needed for files of others, whose owners and modes calls do not show (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER, CAP_FSETID), beyond
    /// limits and reserves (CAP_SYS_RESOURCE), or by the rules of a security module (CAP_MAC_OVERRIDE).
    pub const TELLABLE: CapabilitySet = {
        let untellable = CapabilitySet::of(&[
            c::CAP_DAC_OVERRIDE,
            c::CAP_DAC_READ_SEARCH,
            c::CAP_FOWNER,
            c::CAP_FSETID,
            c::CAP_SYS_RESOURCE,
            c::CAP_MAC_OVERRIDE,
        ]);
        CapabilitySet(((1 << (c::CAP_LAST_CAP + 1)) - 1) & !untellable.0)
    };

    /// These capabilities, by their numbers.
    pub const fn of(capabilities: &[u64]) -> CapabilitySet {
        let mut set = 0;
        let mut at = 0;
        while at < capabilities.len() {
            set |= 1 << capabilities[at];
            at += 1;
        }
        CapabilitySet(set)
    }

    /// Those of both.
    pub const fn or(self, other: CapabilitySet) -> CapabilitySet {
        CapabilitySet(self.0 | other.0)
    }

    /// Their names, of those that a trace can tell to be unneeded.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.tellable().filter_map(|one| sets::creds::CAP.name_of(one))
    }

    /// Their numbers (linux/capability.h), of those that a trace can tell to be unneeded.
    pub fn tellable(self) -> impl Iterator<Item = u64> {
        (0..=c::CAP_LAST_CAP).filter(move |at| self.0 & Self::TELLABLE.0 & (1 << at) != 0)
    }
}

pub const SYS_ADMIN: CapabilitySet = CapabilitySet::of(&[c::CAP_SYS_ADMIN]);
pub const SYS_NICE: CapabilitySet = CapabilitySet::of(&[c::CAP_SYS_NICE]);
pub const IPC_LOCK: CapabilitySet = CapabilitySet::of(&[c::CAP_IPC_LOCK]);
pub const SYS_PTRACE: CapabilitySet = CapabilitySet::of(&[c::CAP_SYS_PTRACE]);
pub const SYSLOG: CapabilitySet = CapabilitySet::of(&[c::CAP_SYSLOG]);
pub const NET_ADMIN: CapabilitySet = CapabilitySet::of(&[c::CAP_NET_ADMIN]);
/// Marks, priorities and raw headers of packets.
pub const PACKETS: CapabilitySet = CapabilitySet::of(&[c::CAP_NET_ADMIN, c::CAP_NET_RAW]);
/// Sockets of families that are seldom used.
pub const OTHER_FAMILY: CapabilitySet =
    CapabilitySet::of(&[c::CAP_NET_BIND_SERVICE, c::CAP_SYS_ADMIN, c::CAP_IPC_LOCK]).or(PACKETS);
/// Requests that drivers and file systems define for themselves.
pub const DEVICE: CapabilitySet = CapabilitySet::of(&[
    c::CAP_SYS_ADMIN,
    c::CAP_SYS_RAWIO,
    c::CAP_SYS_TTY_CONFIG,
    c::CAP_LINUX_IMMUTABLE,
    c::CAP_SYS_MODULE,
    c::CAP_SYS_NICE,
    c::CAP_SYS_TIME,
    c::CAP_WAKE_ALARM,
    c::CAP_BLOCK_SUSPEND,
    c::CAP_PERFMON,
    c::CAP_IPC_LOCK,
    c::CAP_KILL,
])
.or(PACKETS);
/// Ids that a thread gives itself, or says that it has.
pub const IDS: CapabilitySet = CapabilitySet::of(&[c::CAP_SETUID, c::CAP_SETGID, c::CAP_SYS_ADMIN]);
