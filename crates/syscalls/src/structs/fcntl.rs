//! Structs of fcntl(2).

use crate::sets::fcntl::*;
use crate::sets::files::WHENCE;
use crate::uapi::consts as c;
use crate::{Irregular, PidKind, Ty, structs};

const OWNERS: &[(u64, PidKind)] =
    &[(c::F_OWNER_TID, PidKind::Tid), (c::F_OWNER_PID, PidKind::Tgid), (c::F_OWNER_PGRP, PidKind::Pgid)];

structs! {
    /// A lock to be set: asm-generic/fcntl.h
    pub FLOCK_SET = flock { l_type: Ty::Enum(&LOCK_TYPE), l_whence: Ty::Enum(&WHENCE), l_start: Ty::Long, l_len: Ty::Long }
    /// A lock asked for, with its holder.
    pub FLOCK_GOT = flock {
        l_type: Ty::Enum(&LOCK_TYPE), l_whence: Ty::Enum(&WHENCE), l_start: Ty::Long, l_len: Ty::Long,
        l_pid: Ty::Pid(PidKind::Tgid)
    }
    pub FLOCK64_SET = flock64 { l_type: Ty::Enum(&LOCK_TYPE), l_whence: Ty::Enum(&WHENCE), l_start: Ty::I64, l_len: Ty::I64 }
    pub FLOCK64_GOT = flock64 {
        l_type: Ty::Enum(&LOCK_TYPE), l_whence: Ty::Enum(&WHENCE), l_start: Ty::I64, l_len: Ty::I64,
        l_pid: Ty::Pid(PidKind::Tgid)
    }
    /// asm-generic/fcntl.h
    pub OWNER = f_owner_ex { r#type: Ty::Enum(&OWNER_TYPE), pid: Ty::Custom(Irregular::PidBy("type", OWNERS), &Ty::Int) }
    /// F_GETDELEG: linux/fcntl.h, 6.19.
    pub DELEGATION = delegation { d_flags: Ty::Hex, d_type: Ty::Enum(&LOCK_TYPE), __pad: Ty::Hex }
}
