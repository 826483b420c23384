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
        sdiag_family: FAM, sdiag_protocol: Ty::Hex, pdiag_ino: Ty::UInt, pdiag_show: Ty::Flags(&PACKET_SHOW),
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

structs! {
    /// linux/inet_diag.h: what TCPDIAG_GETSOCK passes, older than the request above.
    pub INET_COMPAT = inet_diag_req {
        idiag_family: FAM, idiag_src_len: Ty::UInt, idiag_dst_len: Ty::UInt,
        idiag_ext: Ty::Custom(Irregular::BitsFromOne, &Ty::Enum(&INET_DIAG_EXT)),
        id: Ty::Custom(Irregular::InetDiagId, &Ty::Blob(48)), idiag_states: STATES, idiag_dbs: Ty::UInt
    }
    /// linux/inet_diag.h: an instruction of the filter for sockets, and what it compares.
    pub FILTER_OP = inet_diag_bc_op { code: Ty::Enum(&INET_DIAG_BC), yes: Ty::UInt, no: Ty::UInt }
    pub FILTER_HOST = inet_diag_hostcond { family: FAM, prefix_len: Ty::UInt, port: Ty::Int }
    pub FILTER_MARK = inet_diag_markcond { mark: Ty::UInt, mask: Ty::UInt }
    /// linux/inet_diag.h: a key for signatures of TCP segments
    pub MD5SIG = tcp_diag_md5sig {
        tcpm_family: FAM, tcpm_prefixlen: Ty::UInt, tcpm_keylen: Ty::UInt,
        tcpm_addr: Ty::Custom(Irregular::FamilyAddress("tcpm_family"), &Ty::Blob(16)),
        tcpm_key: Ty::Custom(Irregular::Counted("tcpm_keylen", true), &Ty::Blob(80))
    }
    /// linux/inet_diag.h
    pub INET_OPTIONS = inet_diag_sockopt {
        recverr: BIT, is_icsk: BIT, freebind: BIT, hdrincl: BIT, mc_loop: BIT, transparent: BIT, mc_all: BIT, nodefrag: BIT,
        bind_address_no_port: BIT, recverr_rfc4884: BIT, defer_connect: BIT,
        unused: Ty::NonZero(&Ty::Custom(Irregular::BitsOfByte(3, 8), &Ty::Hex))
    }
    /// linux/packet_diag.h
    pub PACKET_LIST = packet_diag_mclist {
        pdmc_index: IFINDEX_TY, pdmc_count: Ty::UInt, pdmc_type: Ty::UInt, pdmc_alen: Ty::UInt,
        pdmc_addr: Ty::Custom(Irregular::Counted("pdmc_alen", true), &Ty::Blob(32))
    }
}

const BIT: Ty = Ty::NonZero(&Ty::UInt);
const CURSOR: Ty = Ty::Struct(&SMC_CURSOR);
const DECLINED: Ty = Ty::Custom(Irregular::Numbered, &Ty::Enum(&SMC_DECLINE));
const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);
const ID: Ty = Ty::Custom(Irregular::InetDiagId, &Ty::Blob(48));

structs! {
    // linux/smc_diag.h
    pub SMC_REQUEST = smc_diag_req {
        diag_family: FAM, diag_ext: Ty::Custom(Irregular::BitsFromOne, &Ty::Enum(&SMC_DIAG_EXT)), id: ID
    }
    pub SMC_MESSAGE = smc_diag_msg {
        diag_family: FAM, diag_state: Ty::Enum(&SMC_STATE), diag_fallback: Ty::Enum(&SMC_MODE), diag_shutdown: Ty::UInt, id: ID,
        diag_uid: Ty::UInt, diag_inode: Ty::U64
    }
    pub SMC_CURSOR = smc_diag_cursor { reserved: Ty::UInt, wrap: Ty::UInt, count: Ty::UInt }
    pub SMC_CONNECTION = smc_diag_conninfo {
        token: Ty::UInt, sndbuf_size: Ty::UInt, rmbe_size: Ty::UInt, peer_rmbe_size: Ty::UInt, rx_prod: CURSOR,
        rx_cons: CURSOR, tx_prod: CURSOR, tx_cons: CURSOR, rx_prod_flags: Ty::Hex, rx_conn_state_flags: Ty::Hex,
        tx_prod_flags: Ty::Hex, tx_conn_state_flags: Ty::Hex, tx_prep: CURSOR, tx_sent: CURSOR, tx_fin: CURSOR
    }
    pub SMC_LINK = smc_diag_linkinfo {
        link_id: Ty::UInt, ibname: Ty::CStr, ibport: Ty::UInt, gid: Ty::CStr, peer_gid: Ty::CStr
    }
    pub SMC_GROUP = smc_diag_lgrinfo { lnk: Ty::Items(&Ty::Struct(&SMC_LINK)), role: Ty::Enum(&SMC_ROLE) }
    pub SMC_DMB = smcd_diag_dmbinfo {
        linkid: Ty::UInt, peer_gid: HEX64, my_gid: HEX64, token: HEX64, peer_token: HEX64, peer_gid_ext: HEX64,
        my_gid_ext: HEX64
    }
    pub SMC_FALLBACK = smc_diag_fallback { reason: DECLINED, peer_diagnosis: DECLINED }
}

static SMC_ATTRS: Attrs = attrs(
    &SMC_DIAG,
    &[
        (c::SMC_DIAG_CONNINFO, Payload::Is(Ty::Struct(&SMC_CONNECTION))),
        (c::SMC_DIAG_LGRINFO, Payload::Is(Ty::Struct(&SMC_GROUP))),
        (c::SMC_DIAG_SHUTDOWN, Payload::Is(Ty::As(Width::W1, &Ty::Flags(&SHUTDOWN)))),
        (c::SMC_DIAG_DMBINFO, Payload::Is(Ty::Struct(&SMC_DMB))),
        (c::SMC_DIAG_FALLBACK, Payload::Is(Ty::Struct(&SMC_FALLBACK))),
    ],
);

static UNIX_ATTRS: Attrs = attrs(
    &UNIX_DIAG,
    &[
        (c::UNIX_DIAG_NAME, Payload::Text),
        (c::UNIX_DIAG_VFS, Payload::Is(Ty::Struct(&UNIX_VFS))),
        (c::UNIX_DIAG_PEER, U32),
        (c::UNIX_DIAG_ICONS, Payload::List(&Ty::UInt)),
        (c::UNIX_DIAG_RQLEN, Payload::Is(Ty::Struct(&UNIX_RQLEN))),
        (c::UNIX_DIAG_MEMINFO, Payload::Indexed(&SK_MEMINFO, &Ty::UInt)),
        (c::UNIX_DIAG_SHUTDOWN, U8),
        (c::UNIX_DIAG_UID, Payload::Is(Ty::Uid)),
    ],
);

static NETLINK_ATTRS: Attrs = attrs(
    &NETLINK_DIAG,
    &[
        (c::NETLINK_DIAG_MEMINFO, Payload::Indexed(&SK_MEMINFO, &Ty::UInt)),
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
        (c::PACKET_DIAG_MCLIST, Payload::List(&Ty::Struct(&PACKET_LIST))),
        (c::PACKET_DIAG_RX_RING, Payload::Is(Ty::Struct(&PACKET_RING))),
        (c::PACKET_DIAG_TX_RING, Payload::Is(Ty::Struct(&PACKET_RING))),
        (c::PACKET_DIAG_FILTER, Payload::Filter),
        (c::PACKET_DIAG_FANOUT, U32),
        (c::PACKET_DIAG_UID, Payload::Is(Ty::Uid)),
        (c::PACKET_DIAG_MEMINFO, Payload::Indexed(&SK_MEMINFO, &Ty::UInt)),
    ],
);

static INET_REQUEST_ATTRS: Attrs = attrs(
    &INET_DIAG_REQ,
    &[(c::INET_DIAG_REQ_BYTECODE, Payload::DiagFilter), (c::INET_DIAG_REQ_PROTOCOL, Payload::Is(Ty::Enum(&IPPROTO)))],
);

const TLS_CONFIG: Payload = Payload::Is(Ty::As(Width::W2, &Ty::Enum(&TLS_CONF)));
static TLS_ATTRS: Attrs = attrs(
    &TLS_INFO,
    &[
        (c::TLS_INFO_VERSION, Payload::Is(Ty::As(Width::W2, &Ty::Enum(&TLS_VERSION)))),
        (c::TLS_INFO_CIPHER, Payload::Is(Ty::As(Width::W2, &Ty::Enum(&TLS_CIPHER)))),
        (c::TLS_INFO_TXCONF, TLS_CONFIG),
        (c::TLS_INFO_RXCONF, TLS_CONFIG),
    ],
);
static MPTCP_ATTRS: Attrs = attrs(
    &MPTCP_SUBFLOW_ATTR,
    &[
        (c::MPTCP_SUBFLOW_ATTR_TOKEN_REM, X32),
        (c::MPTCP_SUBFLOW_ATTR_TOKEN_LOC, X32),
        (c::MPTCP_SUBFLOW_ATTR_RELWRITE_SEQ, U32),
        (c::MPTCP_SUBFLOW_ATTR_MAP_SEQ, U64),
        (c::MPTCP_SUBFLOW_ATTR_MAP_SFSEQ, U32),
        (c::MPTCP_SUBFLOW_ATTR_SSN_OFFSET, U32),
        (c::MPTCP_SUBFLOW_ATTR_MAP_DATALEN, U16),
        (c::MPTCP_SUBFLOW_ATTR_FLAGS, Payload::Is(Ty::Flags(&MPTCP_SUBFLOW_FLAG))),
        (c::MPTCP_SUBFLOW_ATTR_ID_REM, U8),
        (c::MPTCP_SUBFLOW_ATTR_ID_LOC, U8),
    ],
);
static ULP_ATTRS: Attrs = attrs(
    &INET_ULP_INFO,
    &[
        (c::INET_ULP_INFO_NAME, Payload::Text),
        (c::INET_ULP_INFO_TLS, Payload::Nested(&TLS_ATTRS)),
        (c::INET_ULP_INFO_MPTCP, Payload::Nested(&MPTCP_ATTRS)),
    ],
);

static STORAGE_ATTRS: Attrs =
    attrs(&BPF_STORAGE, &[(c::SK_DIAG_BPF_STORAGE_MAP_ID, U32), (c::SK_DIAG_BPF_STORAGE_MAP_VALUE, Payload::Word)]);
static STORAGES_ATTRS: Attrs = attrs(&BPF_STORAGES, &[(c::SK_DIAG_BPF_STORAGE, Payload::Nested(&STORAGE_ATTRS))]);
const ADDRESSES: Payload = Payload::List(&Ty::Custom(Irregular::SockaddrStorage, &Ty::Blob(128)));

static INET_ATTRS: Attrs = attrs(
    &INET_DIAG,
    &[
        (c::INET_DIAG_MEMINFO, Payload::Is(Ty::Struct(&MEMINFO))),
        (c::INET_DIAG_VEGASINFO, Payload::Is(Ty::Struct(&VEGASINFO))),
        (c::INET_DIAG_CONG, Payload::Text),
        (c::INET_DIAG_TOS, U8),
        (c::INET_DIAG_TCLASS, U8),
        (c::INET_DIAG_SKMEMINFO, Payload::Indexed(&SK_MEMINFO, &Ty::UInt)),
        (c::INET_DIAG_SHUTDOWN, Payload::Is(SHUT)),
        (c::INET_DIAG_DCTCPINFO, Payload::Is(Ty::Struct(&DCTCPINFO))),
        (c::INET_DIAG_SKV6ONLY, U8),
        (c::INET_DIAG_PROTOCOL, Payload::Is(Ty::As(Width::W1, &Ty::Enum(&IPPROTO)))),
        (c::INET_DIAG_ULP_INFO, Payload::Nested(&ULP_ATTRS)),
        (c::INET_DIAG_CGROUP_ID, U64),
        (c::INET_DIAG_MARK, U32),
        (c::INET_DIAG_LOCALS, ADDRESSES),
        (c::INET_DIAG_PEERS, ADDRESSES),
        (c::INET_DIAG_MD5SIG, Payload::List(&Ty::Struct(&MD5SIG))),
        (c::INET_DIAG_SK_BPF_STORAGES, Payload::Nested(&STORAGES_ATTRS)),
        (c::INET_DIAG_SOCKOPT, Payload::Open(&INET_OPTIONS)),
        (c::INET_DIAG_BBRINFO, Payload::Is(Ty::Struct(&BBRINFO))),
        (c::INET_DIAG_CLASS_ID, U32),
    ],
);

/// The request of TCPDIAG_GETSOCK.
pub static COMPAT_REQUEST: Body = Body { header: &INET_COMPAT, attrs: Some(&INET_REQUEST_ATTRS) };

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
    static SMC: [Body; 2] =
        [Body { header: &SMC_MESSAGE, attrs: Some(&SMC_ATTRS) }, Body { header: &SMC_REQUEST, attrs: None }];
    let bodies = match family {
        c::AF_SMC => &SMC,
        c::AF_UNIX => &UNIX,
        c::AF_NETLINK => &NETLINK,
        c::AF_PACKET => &PACKET,
        c::AF_INET | c::AF_INET6 => &INET,
        _ => return None,
    };
    Some(&bodies[usize::from(request)])
}
