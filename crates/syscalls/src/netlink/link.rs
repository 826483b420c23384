//! Attributes of links that nest: kinds of links, bridges and their ports, virtual functions, address families. Also
//! the databases of bridges, and the reports of multicast routers.

use super::names_bridge::*;
use super::payload::*;
use crate::sets::socket::FAMILY;
use crate::uapi::consts as c;
use crate::{Irregular, Ty, Width, structs};

/// The family of a message.
pub const FAM: Ty = Ty::Enum(&FAMILY);
const U8S: Ty = Ty::Items(&Ty::As(Width::W1, &Ty::UInt));
const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);
const OPTIONS: Ty = Ty::Custom(Irregular::Bits, &Ty::Enum(&BR_BOOLOPT));
const MAC: Ty = Ty::Custom(Irregular::Mac, &Ty::Blob(6));

structs! {
    /// linux/if_link.h
    pub LINK_STATS64 = rtnl_link_stats64 {
        rx_packets: Ty::UInt, tx_packets: Ty::UInt, rx_bytes: Ty::UInt, tx_bytes: Ty::UInt, rx_errors: Ty::UInt,
        tx_errors: Ty::UInt, rx_dropped: Ty::UInt, tx_dropped: Ty::UInt, multicast: Ty::UInt, collisions: Ty::UInt,
        rx_length_errors: Ty::UInt, rx_over_errors: Ty::UInt, rx_crc_errors: Ty::UInt, rx_frame_errors: Ty::UInt,
        rx_fifo_errors: Ty::UInt, rx_missed_errors: Ty::UInt, tx_aborted_errors: Ty::UInt, tx_carrier_errors: Ty::UInt,
        tx_fifo_errors: Ty::UInt, tx_heartbeat_errors: Ty::UInt, tx_window_errors: Ty::UInt, rx_compressed: Ty::UInt,
        tx_compressed: Ty::UInt, rx_nohandler: Ty::UInt, rx_otherhost_dropped: Ty::UInt
    }
    /// linux/if_link.h
    pub BRIDGE_ID = ifla_bridge_id { prio: U8S, addr: MAC }
    /// linux/if_bridge.h
    pub BOOLOPTS = br_boolopt_multi { optval: OPTIONS, optmask: OPTIONS }
    /// linux/can/netlink.h
    pub CAN_STATS = can_device_stats {
        bus_error: Ty::UInt, error_warning: Ty::UInt, error_passive: Ty::UInt, bus_off: Ty::UInt, arbitration_lost: Ty::UInt,
        restarts: Ty::UInt
    }
    // Virtual functions: linux/if_link.h
    pub VF_MAC = ifla_vf_mac { vf: Ty::UInt, mac: MAC }
    pub VF_BROADCAST = ifla_vf_broadcast { broadcast: MAC }
    pub VF_VLAN = ifla_vf_vlan { vf: Ty::UInt, vlan: Ty::UInt, qos: Ty::UInt }
    pub VF_VLAN_INFO = ifla_vf_vlan_info { vf: Ty::UInt, vlan: Ty::UInt, qos: Ty::UInt, vlan_proto: ETHERTYPE_TY }
    pub VF_TX_RATE = ifla_vf_tx_rate { vf: Ty::UInt, rate: Ty::UInt }
    pub VF_RATE = ifla_vf_rate { vf: Ty::UInt, min_tx_rate: Ty::UInt, max_tx_rate: Ty::UInt }
    pub VF_SPOOFCHK = ifla_vf_spoofchk { vf: Ty::UInt, setting: Ty::UInt }
    pub VF_LINK = ifla_vf_link_state { vf: Ty::UInt, link_state: Ty::Enum(&VF_LINK_STATE) }
    pub VF_RSS = ifla_vf_rss_query_en { vf: Ty::UInt, setting: Ty::UInt }
    pub VF_TRUST = ifla_vf_trust { vf: Ty::UInt, setting: Ty::UInt }
    pub VF_GUID = ifla_vf_guid { vf: Ty::UInt, guid: HEX64 }
    /// linux/if_link.h
    pub PORT_VSI = ifla_port_vsi {
        vsi_mgr_id: Ty::UInt, vsi_type_id: Ty::Custom(Irregular::HexBytes, &Ty::Blob(3)), vsi_type_version: Ty::UInt,
        pad: Ty::NonZero(&Ty::Custom(Irregular::HexBytes, &Ty::Blob(3)))
    }
    /// linux/if_link.h
    pub IFLA_CACHE = ifla_cacheinfo {
        max_reasm_len: Ty::UInt, tstamp: Ty::UInt, reachable_time: Ty::UInt, retrans_time: Ty::UInt
    }
    /// linux/if_bridge.h
    pub VLAN_INFO = bridge_vlan_info { flags: Ty::Flags(&BRIDGE_VLAN_INFO), vid: Ty::UInt }
    /// linux/if_bridge.h
    pub MDB_ENTRY = br_mdb_entry {
        ifindex: IFINDEX_TY, state: Ty::Enum(&MDB_STATE), flags: Ty::Flags(&MDB_FLAGS), vid: Ty::UInt,
        addr: Ty::Custom(Irregular::MdbAddress, &Ty::Blob(20))
    }
    /// linux/rtnetlink.h
    pub CACHE_REPORT = rtgenmsg { rtgen_family: Ty::Custom(Irregular::RouteFamily, &FAM) }
}

const BOTH_WAYS: Ty = Ty::Custom(Irregular::McastDirections, &Ty::Items(&Ty::U64));

structs! {
    // linux/if_bridge.h
    pub VLAN_XSTATS = bridge_vlan_xstats {
        rx_bytes: Ty::U64, rx_packets: Ty::U64, tx_bytes: Ty::U64, tx_packets: Ty::U64, vid: Ty::UInt,
        flags: Ty::Flags(&BRIDGE_VLAN_INFO), pad2: Ty::NonZero(&Ty::Hex)
    }
    pub MCAST_STATS = br_mcast_stats {
        igmp_v1queries: BOTH_WAYS, igmp_v2queries: BOTH_WAYS, igmp_v3queries: BOTH_WAYS, igmp_leaves: BOTH_WAYS,
        igmp_v1reports: BOTH_WAYS, igmp_v2reports: BOTH_WAYS, igmp_v3reports: BOTH_WAYS, igmp_parse_errors: Ty::U64,
        mld_v1queries: BOTH_WAYS, mld_v2queries: BOTH_WAYS, mld_leaves: BOTH_WAYS, mld_v1reports: BOTH_WAYS,
        mld_v2reports: BOTH_WAYS, mld_parse_errors: Ty::U64, mcast_bytes: BOTH_WAYS, mcast_packets: BOTH_WAYS
    }
    pub STP_XSTATS = bridge_stp_xstats {
        transition_blk: Ty::U64, transition_fwd: Ty::U64, rx_bpdu: Ty::U64, tx_bpdu: Ty::U64, rx_tcn: Ty::U64, tx_tcn: Ty::U64
    }
    /// linux/mpls.h
    pub MPLS_LINK_STATS = mpls_link_stats {
        rx_packets: Ty::U64, tx_packets: Ty::U64, rx_bytes: Ty::U64, tx_bytes: Ty::U64, rx_errors: Ty::U64,
        tx_errors: Ty::U64, rx_dropped: Ty::U64, tx_dropped: Ty::U64, rx_noroute: Ty::U64
    }
}

static BRIDGE_XSTATS_ATTRS: Attrs = attrs(
    &BRIDGE_XSTATS,
    &[
        (c::BRIDGE_XSTATS_VLAN, Payload::Trailed(&Ty::Struct(&VLAN_XSTATS))),
        (c::BRIDGE_XSTATS_MCAST, Payload::Trailed(&Ty::Struct(&MCAST_STATS))),
        (c::BRIDGE_XSTATS_STP, Payload::Trailed(&Ty::Struct(&STP_XSTATS))),
    ],
);
static BOND_3AD_ATTRS: Attrs =
    Attrs { names: Some(&BOND_3AD_STAT), payloads: &[(c::BOND_3AD_STAT_PAD, Payload::Bytes)], default: U64 };
static BOND_ATTRS: Attrs = attrs(&BOND_XSTATS, &[(c::BOND_XSTATS_3AD, Payload::Nested(&BOND_3AD_ATTRS))]);
/// The counters that a kind of links has of its own.
pub static XSTATS_ATTRS: Attrs = attrs(
    &XSTATS_TYPE,
    &[
        (c::LINK_XSTATS_TYPE_BRIDGE, Payload::Nested(&BRIDGE_XSTATS_ATTRS)),
        (c::LINK_XSTATS_TYPE_BOND, Payload::Nested(&BOND_ATTRS)),
    ],
);
/// The counters of what hardware has done in the kernel's place.
pub static OFFLOAD_ATTRS: Attrs =
    attrs(&OFFLOAD_XSTATS, &[(c::IFLA_OFFLOAD_XSTATS_CPU_HIT, Payload::Extensible(&LINK_STATS64, 184))]);
static MPLS_ATTRS: Attrs = attrs(&MPLS_STATS, &[(c::MPLS_STATS_LINK, Payload::Trailed(&Ty::Struct(&MPLS_LINK_STATS)))]);
/// The counters of each address family.
pub static FAMILY_STATS_ATTRS: Attrs = attrs(&FAMILY, &[(c::AF_MPLS, Payload::Nested(&MPLS_ATTRS))]);

static QUERIER_ATTRS: Attrs = attrs(
    &BRIDGE_QUERIER,
    &[
        (c::BRIDGE_QUERIER_IP_ADDRESS, IPV4),
        (c::BRIDGE_QUERIER_IP_PORT, IFINDEX),
        (c::BRIDGE_QUERIER_IP_OTHER_TIMER, TICKS),
        (c::BRIDGE_QUERIER_IPV6_ADDRESS, IPV6),
        (c::BRIDGE_QUERIER_IPV6_PORT, IFINDEX),
        (c::BRIDGE_QUERIER_IPV6_OTHER_TIMER, TICKS),
    ],
);

static BRIDGE_ATTRS: Attrs = attrs(
    &IFLA_BR,
    &[
        (c::IFLA_BR_FORWARD_DELAY, TICKS),
        (c::IFLA_BR_HELLO_TIME, TICKS),
        (c::IFLA_BR_MAX_AGE, TICKS),
        (c::IFLA_BR_AGEING_TIME, TICKS),
        (c::IFLA_BR_STP_STATE, U32),
        (c::IFLA_BR_PRIORITY, U16),
        (c::IFLA_BR_VLAN_FILTERING, U8),
        (c::IFLA_BR_VLAN_PROTOCOL, Payload::Is(ETHERTYPE_TY)),
        (c::IFLA_BR_GROUP_FWD_MASK, X16),
        (c::IFLA_BR_ROOT_ID, Payload::Is(Ty::Struct(&BRIDGE_ID))),
        (c::IFLA_BR_BRIDGE_ID, Payload::Is(Ty::Struct(&BRIDGE_ID))),
        (c::IFLA_BR_ROOT_PORT, U16),
        (c::IFLA_BR_ROOT_PATH_COST, U32),
        (c::IFLA_BR_TOPOLOGY_CHANGE, U8),
        (c::IFLA_BR_TOPOLOGY_CHANGE_DETECTED, U8),
        (c::IFLA_BR_HELLO_TIMER, TICKS),
        (c::IFLA_BR_TCN_TIMER, TICKS),
        (c::IFLA_BR_TOPOLOGY_CHANGE_TIMER, TICKS),
        (c::IFLA_BR_GC_TIMER, TICKS),
        (c::IFLA_BR_GROUP_ADDR, Payload::Mac),
        (c::IFLA_BR_MCAST_ROUTER, U8),
        (c::IFLA_BR_MCAST_SNOOPING, U8),
        (c::IFLA_BR_MCAST_QUERY_USE_IFADDR, U8),
        (c::IFLA_BR_MCAST_QUERIER, U8),
        (c::IFLA_BR_MCAST_HASH_ELASTICITY, U32),
        (c::IFLA_BR_MCAST_HASH_MAX, U32),
        (c::IFLA_BR_MCAST_LAST_MEMBER_CNT, U32),
        (c::IFLA_BR_MCAST_STARTUP_QUERY_CNT, U32),
        (c::IFLA_BR_MCAST_LAST_MEMBER_INTVL, TICKS),
        (c::IFLA_BR_MCAST_MEMBERSHIP_INTVL, TICKS),
        (c::IFLA_BR_MCAST_QUERIER_INTVL, TICKS),
        (c::IFLA_BR_MCAST_QUERY_INTVL, TICKS),
        (c::IFLA_BR_MCAST_QUERY_RESPONSE_INTVL, TICKS),
        (c::IFLA_BR_MCAST_STARTUP_QUERY_INTVL, TICKS),
        (c::IFLA_BR_NF_CALL_IPTABLES, U8),
        (c::IFLA_BR_NF_CALL_IP6TABLES, U8),
        (c::IFLA_BR_NF_CALL_ARPTABLES, U8),
        (c::IFLA_BR_VLAN_DEFAULT_PVID, U16),
        (c::IFLA_BR_VLAN_STATS_ENABLED, U8),
        (c::IFLA_BR_MCAST_STATS_ENABLED, U8),
        (c::IFLA_BR_MCAST_IGMP_VERSION, U8),
        (c::IFLA_BR_MCAST_MLD_VERSION, U8),
        (c::IFLA_BR_VLAN_STATS_PER_PORT, U8),
        (c::IFLA_BR_MULTI_BOOLOPT, Payload::Is(Ty::Struct(&BOOLOPTS))),
        (c::IFLA_BR_MCAST_QUERIER_STATE, Payload::Nested(&QUERIER_ATTRS)),
        (c::IFLA_BR_FDB_N_LEARNED, U32),
        (c::IFLA_BR_FDB_MAX_LEARNED, U32),
        (c::IFLA_BR_STP_MODE, Payload::Is(Ty::Enum(&BR_STP_MODE))),
    ],
);

static PORT_OF_BRIDGE_ATTRS: Attrs = attrs(
    &IFLA_BRPORT,
    &[
        (c::IFLA_BRPORT_STATE, U8),
        (c::IFLA_BRPORT_PRIORITY, U16),
        (c::IFLA_BRPORT_COST, U32),
        (c::IFLA_BRPORT_MODE, U8),
        (c::IFLA_BRPORT_GUARD, U8),
        (c::IFLA_BRPORT_PROTECT, U8),
        (c::IFLA_BRPORT_FAST_LEAVE, U8),
        (c::IFLA_BRPORT_LEARNING, U8),
        (c::IFLA_BRPORT_UNICAST_FLOOD, U8),
        (c::IFLA_BRPORT_PROXYARP, U8),
        (c::IFLA_BRPORT_LEARNING_SYNC, U8),
        (c::IFLA_BRPORT_PROXYARP_WIFI, U8),
        (c::IFLA_BRPORT_ROOT_ID, Payload::Is(Ty::Struct(&BRIDGE_ID))),
        (c::IFLA_BRPORT_BRIDGE_ID, Payload::Is(Ty::Struct(&BRIDGE_ID))),
        (c::IFLA_BRPORT_DESIGNATED_PORT, U16),
        (c::IFLA_BRPORT_DESIGNATED_COST, U16),
        (c::IFLA_BRPORT_ID, U16),
        (c::IFLA_BRPORT_NO, U16),
        (c::IFLA_BRPORT_TOPOLOGY_CHANGE_ACK, U8),
        (c::IFLA_BRPORT_CONFIG_PENDING, U8),
        (c::IFLA_BRPORT_MESSAGE_AGE_TIMER, TICKS),
        (c::IFLA_BRPORT_FORWARD_DELAY_TIMER, TICKS),
        (c::IFLA_BRPORT_HOLD_TIMER, TICKS),
        (c::IFLA_BRPORT_MULTICAST_ROUTER, U8),
        (c::IFLA_BRPORT_MCAST_FLOOD, U8),
        (c::IFLA_BRPORT_MCAST_TO_UCAST, U8),
        (c::IFLA_BRPORT_VLAN_TUNNEL, U8),
        (c::IFLA_BRPORT_BCAST_FLOOD, U8),
        (c::IFLA_BRPORT_GROUP_FWD_MASK, X16),
        (c::IFLA_BRPORT_NEIGH_SUPPRESS, U8),
        (c::IFLA_BRPORT_ISOLATED, U8),
        (c::IFLA_BRPORT_BACKUP_PORT, IFINDEX),
        (c::IFLA_BRPORT_MRP_RING_OPEN, U8),
        (c::IFLA_BRPORT_MRP_IN_OPEN, U8),
        (c::IFLA_BRPORT_MCAST_EHT_HOSTS_LIMIT, U32),
        (c::IFLA_BRPORT_MCAST_EHT_HOSTS_CNT, U32),
        (c::IFLA_BRPORT_LOCKED, U8),
        (c::IFLA_BRPORT_MAB, U8),
        (c::IFLA_BRPORT_MCAST_N_GROUPS, U32),
        (c::IFLA_BRPORT_MCAST_MAX_GROUPS, U32),
        (c::IFLA_BRPORT_NEIGH_VLAN_SUPPRESS, U8),
        (c::IFLA_BRPORT_BACKUP_NHID, U32),
        (c::IFLA_BRPORT_NEIGH_FORWARD_GRAT, U8),
    ],
);

static TUN_ATTRS: Attrs = attrs(
    &IFLA_TUN,
    &[
        (c::IFLA_TUN_OWNER, Payload::Is(Ty::Uid)),
        (c::IFLA_TUN_GROUP, Payload::Is(Ty::Gid)),
        (c::IFLA_TUN_TYPE, Payload::Is(Ty::As(Width::W1, &Ty::Enum(&TUN_TYPE)))),
        (c::IFLA_TUN_PI, U8),
        (c::IFLA_TUN_VNET_HDR, U8),
        (c::IFLA_TUN_PERSIST, U8),
        (c::IFLA_TUN_MULTI_QUEUE, U8),
        (c::IFLA_TUN_NUM_QUEUES, U32),
        (c::IFLA_TUN_NUM_DISABLED_QUEUES, U32),
    ],
);

/// The kind of a link, and what the links of a kind have of their own.
pub static IFLA_INFO_ATTRS: Attrs = attrs(
    &super::names_route::IFLA_INFO,
    &[
        (c::IFLA_INFO_KIND, Payload::Text),
        (
            c::IFLA_INFO_DATA,
            Payload::ByKind(
                c::IFLA_INFO_KIND,
                &[("bridge", Payload::Nested(&BRIDGE_ATTRS)), ("tun", Payload::Nested(&TUN_ATTRS))],
                &Payload::Bytes,
            ),
        ),
        (
            c::IFLA_INFO_XSTATS,
            Payload::ByKind(c::IFLA_INFO_KIND, &[("can", Payload::Is(Ty::Struct(&CAN_STATS)))], &Payload::Bytes),
        ),
        (c::IFLA_INFO_SLAVE_KIND, Payload::Text),
        (
            c::IFLA_INFO_SLAVE_DATA,
            Payload::ByKind(
                c::IFLA_INFO_SLAVE_KIND,
                &[("bridge", Payload::Nested(&PORT_OF_BRIDGE_ATTRS))],
                &Payload::Bytes,
            ),
        ),
    ],
);

static VF_STATS_ATTRS: Attrs = attrs(
    &IFLA_VF_STATS,
    &[
        (c::IFLA_VF_STATS_RX_PACKETS, U64),
        (c::IFLA_VF_STATS_TX_PACKETS, U64),
        (c::IFLA_VF_STATS_RX_BYTES, U64),
        (c::IFLA_VF_STATS_TX_BYTES, U64),
        (c::IFLA_VF_STATS_BROADCAST, U64),
        (c::IFLA_VF_STATS_MULTICAST, U64),
        (c::IFLA_VF_STATS_RX_DROPPED, U64),
        (c::IFLA_VF_STATS_TX_DROPPED, U64),
    ],
);
static VF_VLAN_ATTRS: Attrs =
    attrs(&IFLA_VF_VLAN_INFO, &[(c::IFLA_VF_VLAN_INFO, Payload::Is(Ty::Struct(&VF_VLAN_INFO)))]);
static VF_ATTRS: Attrs = attrs(
    &IFLA_VF,
    &[
        (c::IFLA_VF_MAC, Payload::Is(Ty::Struct(&VF_MAC))),
        (c::IFLA_VF_VLAN, Payload::Is(Ty::Struct(&VF_VLAN))),
        (c::IFLA_VF_TX_RATE, Payload::Is(Ty::Struct(&VF_TX_RATE))),
        (c::IFLA_VF_SPOOFCHK, Payload::Is(Ty::Struct(&VF_SPOOFCHK))),
        (c::IFLA_VF_LINK_STATE, Payload::Is(Ty::Struct(&VF_LINK))),
        (c::IFLA_VF_RATE, Payload::Is(Ty::Struct(&VF_RATE))),
        (c::IFLA_VF_RSS_QUERY_EN, Payload::Is(Ty::Struct(&VF_RSS))),
        (c::IFLA_VF_STATS, Payload::Nested(&VF_STATS_ATTRS)),
        (c::IFLA_VF_TRUST, Payload::Is(Ty::Struct(&VF_TRUST))),
        (c::IFLA_VF_IB_NODE_GUID, Payload::Is(Ty::Struct(&VF_GUID))),
        (c::IFLA_VF_IB_PORT_GUID, Payload::Is(Ty::Struct(&VF_GUID))),
        (c::IFLA_VF_VLAN_LIST, Payload::Nested(&VF_VLAN_ATTRS)),
        (c::IFLA_VF_BROADCAST, Payload::Is(Ty::Struct(&VF_BROADCAST))),
    ],
);
/// A link's virtual functions.
pub static VF_LIST_ATTRS: Attrs = attrs(&IFLA_VF_INFO, &[(c::IFLA_VF_INFO, Payload::Nested(&VF_ATTRS))]);

static INET_CONF_ATTRS: Attrs = attrs(&IFLA_INET, &[(c::IFLA_INET_CONF, Payload::Indexed(&IPV4_DEVCONF, &Ty::Int))]);
static INET6_ATTRS: Attrs = attrs(
    &IFLA_INET6,
    &[
        (c::IFLA_INET6_FLAGS, Payload::Is(Ty::Flags(&IF_FLAGS6))),
        (c::IFLA_INET6_CONF, Payload::Indexed(&DEVCONF, &Ty::Int)),
        (c::IFLA_INET6_STATS, Payload::Indexed(&IPSTATS_MIB, &Ty::U64)),
        (c::IFLA_INET6_CACHEINFO, Payload::Is(Ty::Struct(&IFLA_CACHE))),
        (c::IFLA_INET6_ICMP6STATS, Payload::Indexed(&ICMP6_MIB, &Ty::U64)),
        (c::IFLA_INET6_TOKEN, IPV6),
        (c::IFLA_INET6_ADDR_GEN_MODE, Payload::Is(Ty::As(Width::W1, &Ty::Enum(&ADDR_GEN_MODE)))),
        (c::IFLA_INET6_RA_MTU, U32),
    ],
);
static MCTP_ATTRS: Attrs = attrs(&IFLA_MCTP, &[(c::IFLA_MCTP_NET, U32), (c::IFLA_MCTP_PHYS_BINDING, X8)]);
static FAMILY_ATTRS: Attrs = attrs(
    &FAMILY,
    &[
        (c::AF_INET, Payload::Nested(&INET_CONF_ATTRS)),
        (c::AF_INET6, Payload::Nested(&INET6_ATTRS)),
        (c::AF_MCTP, Payload::Nested(&MCTP_ATTRS)),
    ],
);

static TUNNEL_ATTRS: Attrs = attrs(
    &VLAN_TUNNEL,
    &[
        (c::IFLA_BRIDGE_VLAN_TUNNEL_ID, U32),
        (c::IFLA_BRIDGE_VLAN_TUNNEL_VID, U16),
        (c::IFLA_BRIDGE_VLAN_TUNNEL_FLAGS, Payload::Is(Ty::As(Width::W2, &Ty::Flags(&BRIDGE_VLAN_INFO)))),
    ],
);
static OF_BRIDGE_ATTRS: Attrs = attrs(
    &IFLA_BRIDGE,
    &[
        (c::IFLA_BRIDGE_FLAGS, Payload::Is(Ty::As(Width::W2, &Ty::Flags(&BRIDGE_FLAGS)))),
        (c::IFLA_BRIDGE_MODE, Payload::Is(Ty::As(Width::W2, &Ty::Enum(&BRIDGE_MODE)))),
        (c::IFLA_BRIDGE_VLAN_INFO, Payload::Trailed(&Ty::Struct(&VLAN_INFO))),
        (c::IFLA_BRIDGE_VLAN_TUNNEL_INFO, Payload::Nested(&TUNNEL_ATTRS)),
    ],
);

/// The attributes of a link, by address family (IFLA_AF_SPEC).
pub const AF_SPEC: Payload =
    Payload::ByFamily(&[(c::AF_BRIDGE, Payload::Nested(&OF_BRIDGE_ATTRS))], &Payload::Nested(&FAMILY_ATTRS));
/// The attributes of a link for the address family of the message (IFLA_PROTINFO).
pub const PROTINFO: Payload = Payload::ByFamily(
    &[(c::AF_BRIDGE, Payload::Nested(&PORT_OF_BRIDGE_ATTRS)), (c::AF_INET6, Payload::Nested(&INET6_ATTRS))],
    &Payload::Bytes,
);

static MDB_INFO_ATTRS: Attrs = attrs(&MDBA_MDB_EATTR, &[(c::MDBA_MDB_EATTR_TIMER, TICKS)]);
/// An entry of a bridge's multicast database.
pub static MDB_ENTRY_ATTRS: Attrs =
    attrs(&MDBA_MDB_ENTRY, &[(c::MDBA_MDB_ENTRY_INFO, Payload::Headed(&Ty::Struct(&MDB_ENTRY), &MDB_INFO_ATTRS))]);
/// A port of a bridge behind which there are multicast routers.
pub static ROUTER_PORT_ATTRS: Attrs = attrs(
    &ROUTER_PATTR,
    &[
        (c::MDBA_ROUTER_PATTR_TIMER, TICKS),
        (c::MDBA_ROUTER_PATTR_TYPE, Payload::Is(Ty::As(Width::W1, &Ty::Enum(&MDB_RTR_TYPE)))),
        (c::MDBA_ROUTER_PATTR_INET_TIMER, TICKS),
        (c::MDBA_ROUTER_PATTR_INET6_TIMER, TICKS),
        (c::MDBA_ROUTER_PATTR_VID, U16),
    ],
);

static IPV4_REPORT: Attrs = attrs(
    &IPMRA_CREPORT,
    &[
        (c::IPMRA_CREPORT_MSGTYPE, Payload::Is(Ty::As(Width::W1, &Ty::Enum(&IGMPMSG)))),
        (c::IPMRA_CREPORT_VIF_ID, U32),
        (c::IPMRA_CREPORT_SRC_ADDR, IPV4),
        (c::IPMRA_CREPORT_DST_ADDR, IPV4),
        (c::IPMRA_CREPORT_TABLE, U32),
    ],
);
static IPV6_REPORT: Attrs = attrs(
    &IP6MRA_CREPORT,
    &[
        (c::IP6MRA_CREPORT_MSGTYPE, Payload::Is(Ty::As(Width::W1, &Ty::Enum(&MRT6MSG)))),
        (c::IP6MRA_CREPORT_MIF_ID, U32),
        (c::IP6MRA_CREPORT_SRC_ADDR, IPV6),
        (c::IP6MRA_CREPORT_DST_ADDR, IPV6),
    ],
);

/// A multicast router's report of a packet without a route.
pub fn cache_report(family: u64) -> &'static Body {
    static IPV4_BODY: Body = Body { header: &CACHE_REPORT, attrs: Some(&IPV4_REPORT) };
    static IPV6_BODY: Body = Body { header: &CACHE_REPORT, attrs: Some(&IPV6_REPORT) };
    static OTHER_BODY: Body = Body { header: &CACHE_REPORT, attrs: None };
    match family {
        c::RTNL_FAMILY_IPMR => &IPV4_BODY,
        c::RTNL_FAMILY_IP6MR => &IPV6_BODY,
        _ => &OTHER_BODY,
    }
}
