//! Requests of descriptors that stand for processes and their calls: seccomp listeners, pidfds, perf events.

use crate::sets::files::OPEN_FLAGS;
use crate::sets::signal::AUDIT_ARCH;
use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Len, PidKind, Ty, When, Width, sets, structs};

sets! {
    /// linux/seccomp.h
    pub RESPONSE_FLAGS "SECCOMP_USER_NOTIF_FLAG_???" { SECCOMP_USER_NOTIF_FLAG_CONTINUE }
    pub ADDFD_FLAGS "SECCOMP_ADDFD_FLAG_???" { SECCOMP_ADDFD_FLAG_SETFD, SECCOMP_ADDFD_FLAG_SEND }
    pub LISTENER_FLAGS "SECCOMP_USER_NOTIF_???" { SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP }
    /// linux/pidfd.h
    pub PIDFD_INFO_MASK "PIDFD_INFO_???" {
        PIDFD_INFO_PID, PIDFD_INFO_CREDS, PIDFD_INFO_CGROUPID, PIDFD_INFO_EXIT, PIDFD_INFO_COREDUMP,
        PIDFD_INFO_SUPPORTED_MASK, PIDFD_INFO_COREDUMP_SIGNAL, PIDFD_INFO_COREDUMP_CODE
    }
    pub COREDUMP_MASK "PIDFD_COREDUMP_???" {
        PIDFD_COREDUMPED, PIDFD_COREDUMP_SKIP, PIDFD_COREDUMP_USER, PIDFD_COREDUMP_ROOT
    }
}

const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);
const ID: Ty = Ty::Uid;

const fn has(bits: &'static [u64]) -> When {
    When::AnySet("mask", bits)
}
const PID: When = has(&[c::PIDFD_INFO_PID]);
const CREDS: When = has(&[c::PIDFD_INFO_CREDS]);

structs! {
    /// linux/seccomp.h
    pub CALL = seccomp_data {
        nr: Ty::Custom(Irregular::CallNumber("arch"), &Ty::UInt), arch: Ty::Enum(&AUDIT_ARCH),
        instruction_pointer: Ty::As(Width::W8, &Ty::Addr), args: Ty::Items(&HEX64)
    }
    pub NOTIFICATION = seccomp_notif {
        id: HEX64, pid: Ty::Pid(PidKind::Tid), flags: Ty::Hex, data: Ty::Struct(&CALL)
    }
    pub RESPONSE = seccomp_notif_resp {
        id: HEX64, val: Ty::I64, error: Ty::Custom(Irregular::ErrorNumber, &Ty::Int), flags: Ty::Flags(&RESPONSE_FLAGS)
    }
    pub ADDFD = seccomp_notif_addfd {
        id: HEX64, flags: Ty::Flags(&ADDFD_FLAGS), srcfd: Ty::Fd, newfd: Ty::Int, newfd_flags: Ty::Flags(&OPEN_FLAGS)
    }
    /// linux/pidfd.h: what the kernel has filled in.
    pub PIDFD_INFO = pidfd_info {
        mask: Ty::U64 => When::Never,
        cgroupid: Ty::U64 => has(&[c::PIDFD_INFO_CGROUPID]),
        pid: Ty::Pid(PidKind::Tid) => PID, tgid: Ty::Pid(PidKind::Tgid) => PID, ppid: Ty::Pid(PidKind::Tgid) => PID,
        ruid: ID => CREDS, rgid: ID => CREDS, euid: ID => CREDS, egid: ID => CREDS, suid: ID => CREDS, sgid: ID => CREDS,
        fsuid: ID => CREDS, fsgid: ID => CREDS,
        exit_code: Ty::Items(&Ty::Custom(Irregular::WaitStatus, &Ty::Int)) => has(&[c::PIDFD_INFO_EXIT]),
        coredump_mask: Ty::Flags(&COREDUMP_MASK) => has(&[c::PIDFD_INFO_COREDUMP]),
        coredump_signal: Ty::Signal => has(&[c::PIDFD_INFO_COREDUMP_SIGNAL]),
        coredump_code: Ty::UInt => has(&[c::PIDFD_INFO_COREDUMP_CODE]),
        supported_mask: Ty::As(Width::W8, &Ty::Flags(&PIDFD_INFO_MASK)) => has(&[c::PIDFD_INFO_SUPPORTED_MASK])
    }
}

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::SECCOMP_IOCTL_NOTIF_RECV, Ty::Custom(Irregular::Notification, &Ty::Turn(&NOTIFICATION, &NOTIFICATION))),
    Case(c::SECCOMP_IOCTL_NOTIF_SEND, Ty::Ptr(Dir::In, &Ty::Struct(&RESPONSE))),
    Case(c::SECCOMP_IOCTL_NOTIF_ID_VALID, Ty::Array(Dir::In, &HEX64, Len::Fixed(1))),
    Case(c::SECCOMP_IOCTL_NOTIF_ID_VALID_WRONG_DIR, Ty::Array(Dir::In, &HEX64, Len::Fixed(1))),
    Case(c::SECCOMP_IOCTL_NOTIF_ADDFD, Ty::Ptr(Dir::In, &Ty::Struct(&ADDFD))),
    Case(c::SECCOMP_IOCTL_NOTIF_SET_FLAGS, Ty::As(Width::Word, &Ty::Flags(&LISTENER_FLAGS))),
    Case(
        c::PERF_EVENT_IOC_QUERY_BPF,
        Ty::Custom(Irregular::PerfPrograms, &Ty::Buffer(Dir::InOut, Len::Fixed(4096), 4096)),
    ),
    Case(
        c::PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
        Ty::Custom(Irregular::PerfAttr, &Ty::Buffer(Dir::InOutAlways, Len::Fixed(144), 144)),
    ),
];
