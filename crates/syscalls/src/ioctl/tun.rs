//! Requests of /dev/net/tun: linux/if_tun.h. The sizes and types in their numbers are not those of the arguments.

use crate::uapi::consts as c;
use crate::{Case, Dir, Ty, Width, sets, structs};

sets! {
    /// linux/if_tun.h
    pub TUN_FLAGS "IFF_???" {
        IFF_TUN, IFF_TAP, IFF_NAPI, IFF_NAPI_FRAGS, IFF_NO_CARRIER, IFF_MULTI_QUEUE, IFF_ATTACH_QUEUE, IFF_DETACH_QUEUE, IFF_PERSIST,
        IFF_NO_PI, IFF_ONE_QUEUE, IFF_VNET_HDR, IFF_TUN_EXCL
    }
    pub OFFLOADS "TUN_F_???" {
        TUN_F_CSUM, TUN_F_TSO4, TUN_F_TSO6, TUN_F_TSO_ECN, TUN_F_UFO, TUN_F_USO4, TUN_F_USO6
    }
}

structs! {
    /// linux/if.h
    pub INTERFACE = ifreq {
        ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr,
        ifr_flags = "ifr_ifru.ifru_flags": Ty::As(Width::W2, &Ty::Flags(&TUN_FLAGS))
    }
}

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::TUNSETIFF, Ty::Ptr(Dir::In, &Ty::Struct(&INTERFACE))),
    Case(c::TUNGETIFF, Ty::Ptr(Dir::Out, &Ty::Struct(&INTERFACE))),
    Case(c::TUNSETQUEUE, Ty::Ptr(Dir::In, &Ty::Struct(&INTERFACE))),
    Case(c::TUNSETPERSIST, Ty::HexLong),
    Case(c::TUNSETNOCSUM, Ty::HexLong),
    Case(c::TUNSETOWNER, Ty::Uid),
    Case(c::TUNSETGROUP, Ty::Gid),
    Case(c::TUNSETLINK, Ty::HexLong),
    Case(c::TUNSETOFFLOAD, Ty::Flags(&OFFLOADS)),
    Case(c::TUNSETTXFILTER, Ty::Addr),
];
