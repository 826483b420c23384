//! NETLINK_SOCK_DIAG (sock_diag(7)).

use super::names_diag::*;
use super::payload::*;
use crate::sets::socket::{ETH_P, FAMILY, IPPROTO, NETLINK_FAMILY, SOCK_TYPE};
use crate::uapi::consts as c;
use crate::{Irregular, Ty, Width, structs};

const FAM: Ty = Ty::Enum(&FAMILY);
const STATES: Ty = Ty::Custom(Irregular::Bits, &Ty::Enum(&TCP_STATE));
/// The directions that are shut down.
const SHUT: Ty = Ty::Custom(Irregular::Numbered, &Ty::As(Width::W1, &Ty::Flags(&SHUTDOWN)));
const COOKIE: Ty = Ty::Items(&Ty::UInt);

structs! {
    /// linux/unix_diag.h
    pub UNIX_REQUEST = unix_diag_req {
        sdiag_family: FAM, sdiag_protocol: Ty::UInt, udiag_states: STATES, udiag_ino: Ty::UInt,
        udiag_show: Ty::Flags(&UDIAG_SHOW), udiag_cookie: COOKIE
    }
    pub UNIX_MESSAGE = unix_diag_msg {
        udiag_family: FAM, udiag_type: Ty::Enum(&SOCK_TYPE), udiag_state: Ty::Enum(&TCP_STATE), udiag_ino: Ty::UInt,
        udiag_cookie: COOKIE
    }
    /// linux/netlink_diag.h
    pub NETLINK_REQUEST = netlink_diag_req {
        sdiag_family: FAM, sdiag_protocol: Ty::Custom(Irregular::NetlinkProtocol, &Ty::UInt), ndiag_ino: Ty::UInt,
        ndiag_show: Ty::Flags(&NDIAG_SHOW), ndiag_cookie: COOKIE
    }
    pub NETLINK_MESSAGE = netlink_diag_msg {
        ndiag_family: FAM, ndiag_type: Ty::Enum(&SOCK_TYPE), ndiag_protocol: Ty::Enum(&NETLINK_FAMILY),
        ndiag_state: Ty::Enum(&NETLINK_STATE), ndiag_portid: Ty::UInt, ndiag_dst_portid: Ty::UInt,
        ndiag_dst_group: Ty::UInt, ndiag_ino: Ty::UInt, ndiag_cookie: COOKIE
    }
    /// linux/packet_diag.h
    pub PACKET_REQUEST = packet_diag_req {
        sdiag_family: FAM, sdiag_protocol: Ty::Enum(&ETH_P), pdiag_ino: Ty::UInt, pdiag_show: Ty::Flags(&PACKET_SHOW),
        pdiag_cookie: COOKIE
    }
    pub PACKET_MESSAGE = packet_diag_msg {
        pdiag_family: FAM, pdiag_type: Ty::Enum(&SOCK_TYPE), pdiag_num: Ty::Enum(&ETH_P), pdiag_ino: Ty::UInt,
        pdiag_cookie: COOKIE
    }
    /// linux/inet_diag.h. The socket's id is a struct of its own; its addresses are of the message's family.
    pub INET_REQUEST = inet_diag_req_v2 {
        sdiag_family: FAM, sdiag_protocol: Ty::Enum(&IPPROTO),
        idiag_ext: Ty::Custom(Irregular::BitsFromOne, &Ty::Enum(&INET_DIAG_EXT)), idiag_states: STATES,
        id: Ty::Custom(Irregular::InetDiagId, &Ty::Blob(48))
    }
    pub INET_MESSAGE = inet_diag_msg {
        idiag_family: FAM, idiag_state: Ty::Enum(&TCP_STATE), idiag_timer: Ty::UInt, idiag_retrans: Ty::UInt,
        id: Ty::Custom(Irregular::InetDiagId, &Ty::Blob(48)), idiag_expires: Ty::UInt, idiag_rqueue: Ty::UInt,
        idiag_wqueue: Ty::UInt, idiag_uid: Ty::UInt, idiag_inode: Ty::UInt
    }
    pub MEMINFO = inet_diag_meminfo { idiag_rmem: Ty::UInt, idiag_wmem: Ty::UInt, idiag_fmem: Ty::UInt, idiag_tmem: Ty::UInt }
    pub VEGASINFO = tcpvegas_info { tcpv_enabled: Ty::UInt, tcpv_rttcnt: Ty::UInt, tcpv_rtt: Ty::UInt, tcpv_minrtt: Ty::UInt }
    pub DCTCPINFO = tcp_dctcp_info {
        dctcp_enabled: Ty::UInt, dctcp_ce_state: Ty::UInt, dctcp_alpha: Ty::UInt, dctcp_ab_ecn: Ty::UInt, dctcp_ab_tot: Ty::UInt
    }
    pub BBRINFO = tcp_bbr_info {
        bbr_bw_lo: Ty::Hex, bbr_bw_hi: Ty::Hex, bbr_min_rtt: Ty::UInt, bbr_pacing_gain: Ty::UInt, bbr_cwnd_gain: Ty::UInt
    }
    pub PACKET_INFO = packet_diag_info {
        pdi_index: IFINDEX_TY, pdi_version: Ty::Enum(&TPACKET_VERSION), pdi_reserve: Ty::UInt, pdi_copy_thresh: Ty::UInt,
        pdi_tstamp: Ty::UInt, pdi_flags: Ty::Flags(&PDI)
    }
    pub PACKET_RING = packet_diag_ring {
        pdr_block_size: Ty::UInt, pdr_block_nr: Ty::UInt, pdr_frame_size: Ty::UInt, pdr_frame_nr: Ty::UInt,
        pdr_retire_tmo: Ty::UInt, pdr_sizeof_priv: Ty::UInt, pdr_features: Ty::UInt
    }
    pub UNIX_VFS = unix_diag_vfs { udiag_vfs_dev: Ty::As(Width::W4, &Ty::Dev), udiag_vfs_ino: Ty::UInt }
    pub UNIX_RQLEN = unix_diag_rqlen { udiag_rqueue: Ty::UInt, udiag_wqueue: Ty::UInt }
    pub NETLINK_RING = netlink_diag_ring {
        ndr_block_size: Ty::UInt, ndr_block_nr: Ty::UInt, ndr_frame_size: Ty::UInt, ndr_frame_nr: Ty::UInt
    }
}

static UNIX_ATTRS: Attrs = attrs(
    &UNIX_DIAG,
    &[
        (c::UNIX_DIAG_NAME, Payload::Text),
        (c::UNIX_DIAG_VFS, Payload::Is(Ty::Struct(&UNIX_VFS))),
        (c::UNIX_DIAG_PEER, U32),
        (c::UNIX_DIAG_ICONS, Payload::List(&Ty::UInt)),
        (c::UNIX_DIAG_RQLEN, Payload::Is(Ty::Struct(&UNIX_RQLEN))),
        (c::UNIX_DIAG_MEMINFO, Payload::SockMemory),
        (c::UNIX_DIAG_SHUTDOWN, U8),
        (c::UNIX_DIAG_UID, Payload::Is(Ty::Uid)),
    ],
);

static NETLINK_ATTRS: Attrs = attrs(
    &NETLINK_DIAG,
    &[
        (c::NETLINK_DIAG_MEMINFO, Payload::SockMemory),
        (c::NETLINK_DIAG_GROUPS, Payload::List(&Ty::As(Width::Word, &Ty::HexLong))),
        (c::NETLINK_DIAG_RX_RING, Payload::Is(Ty::Struct(&NETLINK_RING))),
        (c::NETLINK_DIAG_TX_RING, Payload::Is(Ty::Struct(&NETLINK_RING))),
        (c::NETLINK_DIAG_FLAGS, Payload::Is(Ty::Flags(&NDIAG_FLAG))),
    ],
);

static PACKET_ATTRS: Attrs = attrs(
    &PACKET_DIAG,
    &[
        (c::PACKET_DIAG_INFO, Payload::Is(Ty::Struct(&PACKET_INFO))),
        (c::PACKET_DIAG_RX_RING, Payload::Is(Ty::Struct(&PACKET_RING))),
        (c::PACKET_DIAG_TX_RING, Payload::Is(Ty::Struct(&PACKET_RING))),
        (c::PACKET_DIAG_FILTER, Payload::Filter),
        (c::PACKET_DIAG_FANOUT, U32),
        (c::PACKET_DIAG_UID, Payload::Is(Ty::Uid)),
        (c::PACKET_DIAG_MEMINFO, Payload::SockMemory),
    ],
);

static INET_REQUEST_ATTRS: Attrs =
    attrs(&INET_DIAG_REQ, &[(c::INET_DIAG_REQ_PROTOCOL, Payload::Is(Ty::Enum(&IPPROTO)))]);

static ULP_ATTRS: Attrs = attrs(&INET_ULP_INFO, &[(c::INET_ULP_INFO_NAME, Payload::Text)]);

static INET_ATTRS: Attrs = attrs(
    &INET_DIAG,
    &[
        (c::INET_DIAG_MEMINFO, Payload::Is(Ty::Struct(&MEMINFO))),
        (c::INET_DIAG_VEGASINFO, Payload::Is(Ty::Struct(&VEGASINFO))),
        (c::INET_DIAG_CONG, Payload::Text),
        (c::INET_DIAG_TOS, U8),
        (c::INET_DIAG_TCLASS, U8),
        (c::INET_DIAG_SKMEMINFO, Payload::SockMemory),
        (c::INET_DIAG_SHUTDOWN, Payload::Is(SHUT)),
        (c::INET_DIAG_DCTCPINFO, Payload::Is(Ty::Struct(&DCTCPINFO))),
        (c::INET_DIAG_SKV6ONLY, U8),
        (c::INET_DIAG_PROTOCOL, Payload::Is(Ty::As(Width::W1, &Ty::Enum(&IPPROTO)))),
        (c::INET_DIAG_ULP_INFO, Payload::Nested(&ULP_ATTRS)),
        (c::INET_DIAG_CGROUP_ID, U64),
        (c::INET_DIAG_MARK, U32),
        (c::INET_DIAG_BBRINFO, Payload::Is(Ty::Struct(&BBRINFO))),
        (c::INET_DIAG_CLASS_ID, U32),
    ],
);

/// The contents of a message about sockets of a family, to the kernel or from it.
pub fn sock_diag(family: u64, request: bool) -> Option<&'static Body> {
    static UNIX: [Body; 2] =
        [Body { header: &UNIX_MESSAGE, attrs: Some(&UNIX_ATTRS) }, Body { header: &UNIX_REQUEST, attrs: None }];
    static NETLINK: [Body; 2] = [
        Body { header: &NETLINK_MESSAGE, attrs: Some(&NETLINK_ATTRS) },
        Body { header: &NETLINK_REQUEST, attrs: None },
    ];
    static PACKET: [Body; 2] =
        [Body { header: &PACKET_MESSAGE, attrs: Some(&PACKET_ATTRS) }, Body { header: &PACKET_REQUEST, attrs: None }];
    static INET: [Body; 2] = [
        Body { header: &INET_MESSAGE, attrs: Some(&INET_ATTRS) },
        Body { header: &INET_REQUEST, attrs: Some(&INET_REQUEST_ATTRS) },
    ];
    let bodies = match family {
        c::AF_UNIX => &UNIX,
        c::AF_NETLINK => &NETLINK,
        c::AF_PACKET => &PACKET,
        c::AF_INET | c::AF_INET6 => &INET,
        _ => return None,
    };
    Some(&bodies[usize::from(request)])
}
