//! clone3(2), kcmp(2).

use crate::sets::process::CLONE3;
use crate::uapi::consts as c;
use crate::{Dir, Irregular, Len, PidKind, Ty, When, Width, structs};

/// An address in a 64-bit member, whatever the ABI.
const ADDR: Ty = Ty::As(Width::W8, &Ty::Addr);

const CHOOSES_TID: When = When::AnyOf(&[When::NoneOf("set_tid", !0, &[0]), When::NoneOf("set_tid_size", !0, &[0])]);

structs! {
    /// clone3(2), as the program fills it in: linux/sched.h
    pub CLONE_ARGS = clone_args {
        flags: Ty::As(Width::W8, &Ty::Flags(&CLONE3)),
        pidfd: ADDR => When::AnySet("flags", &[c::CLONE_PIDFD]),
        child_tid: ADDR => When::AnySet("flags", &[c::CLONE_CHILD_SETTID, c::CLONE_CHILD_CLEARTID]),
        parent_tid: ADDR => When::AnySet("flags", &[c::CLONE_PARENT_SETTID]),
        exit_signal: Ty::Custom(Irregular::WideSignal, &Ty::U64),
        stack: ADDR,
        stack_size: Ty::As(Width::W8, &Ty::HexLong),
        tls: ADDR => When::AnySet("flags", &[c::CLONE_SETTLS]),
        set_tid: Ty::Custom(Irregular::Between(1, 32), &Ty::Array(Dir::In, &Ty::Pid(PidKind::Tgid), Len::Of("set_tid_size"))) => CHOOSES_TID,
        set_tid_size: Ty::U64 => CHOOSES_TID,
        cgroup: Ty::U64 => When::AnyOf(&[When::AnySet("flags", &[c::CLONE_INTO_CGROUP]), When::NoneOf("cgroup", !0, &[0])])
    }
    /// clone3(2), what the kernel answers: linux/sched.h
    pub CLONE_REPLY = clone_args {
        pidfd: Ty::Array(Dir::Out, &Ty::Fd, Len::Fixed(1)),
        parent_tid: Ty::Array(Dir::Out, &Ty::Pid(PidKind::Tid), Len::Fixed(1))
    }
    /// kcmp(2) with `KCMP_EPOLL_TFD`: linux/kcmp.h
    pub EPOLL_SLOT = kcmp_epoll_slot { efd: Ty::Custom(Irregular::FdOf("pid2"), &Ty::UInt), tfd: Ty::Custom(Irregular::FdOf("pid2"), &Ty::UInt), toff: Ty::UInt }
}
