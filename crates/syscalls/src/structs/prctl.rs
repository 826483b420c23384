//! seccomp(2).

use crate::{Dir, Irregular, Len, Ty, structs};

structs! {
    /// A seccomp program, shown in instructions with `-v`: linux/filter.h
    pub SECCOMP_PROGRAM = sock_fprog {
        len: Ty::UInt,
        filter: Ty::Custom(Irregular::SeccompFilter, &Ty::Array(Dir::In, &Ty::Struct(&INSTRUCTION), Len::Of("len")))
    }
    /// linux/filter.h
    pub INSTRUCTION = sock_filter { code: Ty::Hex, jt: Ty::UInt, jf: Ty::UInt, k: Ty::Hex }
    /// seccomp(2): linux/seccomp.h
    pub SECCOMP_SIZES = seccomp_notif_sizes { seccomp_notif: Ty::UInt, seccomp_notif_resp: Ty::UInt, seccomp_data: Ty::UInt }
}
