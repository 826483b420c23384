//! Values of socket options.

use crate::sets::socket::TIPC_SCOPE;
use crate::sets::sockopt::*;
use crate::{Dir, Irregular, Len, PidKind, Ty, structs};

/// An address in network order.
const IPV4: Ty = Ty::Custom(Irregular::Ip, &Ty::Blob(4));
const IPV6: Ty = Ty::Custom(Irregular::Ip, &Ty::Blob(16));
const IFINDEX: Ty = Ty::Custom(Irregular::Ifindex, &Ty::UInt);

structs! {
    /// `SO_LINGER`: linux/socket.h of the kernel
    pub LINGER = linger { l_onoff: Ty::Int, l_linger: Ty::Int }
    /// `SO_PEERCRED`, `SCM_CREDENTIALS`
    pub UCRED = ucred { pid: Ty::Pid(PidKind::Tgid), uid: Ty::Uid, gid: Ty::Gid }
    /// `IP_ADD_MEMBERSHIP`: linux/in.h
    pub IP_MREQ = ip_mreq { imr_multiaddr: IPV4, imr_interface: IPV4 }
    /// `IPV6_ADD_MEMBERSHIP`: linux/in6.h
    pub IPV6_MREQ = ipv6_mreq { ipv6mr_multiaddr: IPV6, ipv6mr_interface = "ipv6mr_ifindex": IFINDEX }
    /// `MCAST_JOIN_GROUP`: linux/in.h
    pub GROUP_REQ = group_req { gr_interface: IFINDEX, gr_group: Ty::Custom(Irregular::SockaddrStorage, &Ty::Blob(128)) }
    /// `PACKET_ADD_MEMBERSHIP`: linux/if_packet.h
    pub PACKET_MREQ = packet_mreq {
        mr_ifindex: IFINDEX, mr_type: Ty::Enum(&PACKET_MR), mr_alen: Ty::UInt, mr_address: Ty::Blob(8)
    }
    /// `PACKET_RX_RING`
    pub TPACKET_REQ = tpacket_req {
        tp_block_size: Ty::UInt, tp_block_nr: Ty::UInt, tp_frame_size: Ty::UInt, tp_frame_nr: Ty::UInt
    }
    /// `PACKET_STATISTICS`; the oldest version of the ring tells less
    pub TPACKET_STATS = tpacket_stats_v3 { tp_packets: Ty::UInt, tp_drops: Ty::UInt, tp_freeze_q_cnt: Ty::UInt }
    /// `TIPC_GROUP_JOIN`: linux/tipc.h
    pub TIPC_GROUP_REQ = tipc_group_req {
        type: Ty::UInt, instance: Ty::UInt, scope: Ty::Enum(&TIPC_SCOPE), flags: Ty::Flags(&TIPC_GROUP)
    }
    /// `TCP_AO_ADD_KEY`: linux/tcp.h
    pub TCP_AO_ADD = tcp_ao_add {
        addr: Ty::Custom(Irregular::SockaddrStorage, &Ty::Blob(128)), prefix: Ty::UInt, alg_name: Ty::CStr,
        ifindex: IFINDEX, set_current: Ty::UInt, set_rnext: Ty::UInt, reserved: Ty::Hex, reserved2: Ty::Hex,
        sndid: Ty::UInt, rcvid: Ty::UInt, maclen: Ty::UInt, keyflags: Ty::Flags(&TCP_AO_FLAGS), key: Ty::Blob(80),
        keylen: Ty::UInt
    }
    /// A filter program of the old kind: linux/filter.h
    pub SOCK_FPROG = sock_fprog { len: Ty::UInt, filter: Ty::Array(Dir::In, &Ty::Struct(&SOCK_FILTER), Len::Of("len")) }
    /// One instruction of it
    pub SOCK_FILTER = sock_filter { code: Ty::Hex, jt: Ty::UInt, jf: Ty::UInt, k: Ty::Hex }
}
