//! User and group ids, capabilities.

use crate::sets::creds::*;
use crate::{PidKind, Ty, structs};

structs! {
    /// capget(2): linux/capability.h
    pub CAP_HEADER = __user_cap_header_struct { version: Ty::Enum(&CAP_VERSION), pid: Ty::Pid(PidKind::Tgid) }
    /// One 32-bit half of the three sets. Which half a word is, only the decoder of both knows.
    pub CAP_DATA = __user_cap_data_struct { effective: Ty::Hex, permitted: Ty::Hex, inheritable: Ty::Hex }
}
