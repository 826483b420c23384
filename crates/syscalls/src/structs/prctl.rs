//! seccomp(2).

use crate::{Ty, structs};

structs! {
    /// seccomp(2): linux/seccomp.h
    pub SECCOMP_SIZES = seccomp_notif_sizes { seccomp_notif: Ty::UInt, seccomp_notif_resp: Ty::UInt, seccomp_data: Ty::UInt }
}
