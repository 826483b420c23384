//! Capabilities.

use crate::uapi::consts as c;
use crate::{Item, Set, sets};

sets! {
    /// linux/capability.h
    pub CAP_VERSION "_LINUX_CAPABILITY_VERSION_???" {
        _LINUX_CAPABILITY_VERSION_1 = 0x19980330, _LINUX_CAPABILITY_VERSION_2 = 0x20071026,
        _LINUX_CAPABILITY_VERSION_3 = 0x20080522
    }
}

/// The capabilities by number, and the bits they have in the two words of a set.
macro_rules! capabilities {
    ([$($low:ident),*] [$($high:ident),*]) => {
        sets! {
            /// linux/capability.h
            pub CAP "CAP_???" { $($low,)* $($high),* }
        }
        /// The bits of the first word of a capability set.
        pub static CAP_LOW: Set = Set::new("CAP_???", &[$(bit(concat!("1<<", stringify!($low)), c::$low)),*], false);
        /// The bits of the second word of a capability set.
        pub static CAP_HIGH: Set = Set::new("CAP_???", &[$(bit(concat!("1<<", stringify!($high)), c::$high - 32)),*], false);
    };
}

const fn bit(name: &'static str, number: u64) -> Item {
    Item { name, value: 1 << number, mask: 1 << number }
}

capabilities! {
    [
        CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER, CAP_FSETID, CAP_KILL, CAP_SETGID, CAP_SETUID,
        CAP_SETPCAP, CAP_LINUX_IMMUTABLE, CAP_NET_BIND_SERVICE, CAP_NET_BROADCAST, CAP_NET_ADMIN, CAP_NET_RAW,
        CAP_IPC_LOCK, CAP_IPC_OWNER, CAP_SYS_MODULE, CAP_SYS_RAWIO, CAP_SYS_CHROOT, CAP_SYS_PTRACE, CAP_SYS_PACCT,
        CAP_SYS_ADMIN, CAP_SYS_BOOT, CAP_SYS_NICE, CAP_SYS_RESOURCE, CAP_SYS_TIME, CAP_SYS_TTY_CONFIG, CAP_MKNOD,
        CAP_LEASE, CAP_AUDIT_WRITE, CAP_AUDIT_CONTROL, CAP_SETFCAP
    ]
    [
        CAP_MAC_OVERRIDE, CAP_MAC_ADMIN, CAP_SYSLOG, CAP_WAKE_ALARM, CAP_BLOCK_SUSPEND, CAP_AUDIT_READ, CAP_PERFMON,
        CAP_BPF, CAP_CHECKPOINT_RESTORE
    ]
}
