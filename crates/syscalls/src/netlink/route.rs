//! NETLINK_ROUTE (rtnetlink(7)): links, addresses, routes, neighbours, rules.

use super::link::*;
use super::names_link::*;
use super::names_route::*;
use super::payload::*;
use crate::sets::socket::{ARPHRD, IPPROTO};
use crate::uapi::consts as c;
use crate::{Irregular, Ty, Width, structs};

const NET16: Payload = Payload::Is(Ty::Custom(Irregular::NetOrder, &Ty::Blob(2)));
const NET32: Payload = Payload::Is(Ty::Custom(Irregular::NetOrder, &Ty::Blob(4)));
const NET64: Payload = Payload::Is(Ty::Custom(Irregular::NetOrder, &Ty::Blob(8)));

structs! {
    /// linux/rtnetlink.h
    pub IFINFOMSG = ifinfomsg {
        ifi_family: FAM, ifi_type: Ty::Enum(&ARPHRD), ifi_index: IFINDEX_TY, ifi_flags: Ty::Flags(&IFF), ifi_change: Ty::Hex
    }
    /// linux/if_addr.h
    pub IFADDRMSG = ifaddrmsg {
        ifa_family: FAM, ifa_prefixlen: Ty::UInt, ifa_flags: Ty::Flags(&IFA_F), ifa_scope: Ty::Enum(&RT_SCOPE),
        ifa_index: IFINDEX_TY
    }
    /// linux/rtnetlink.h
    pub RTMSG = rtmsg {
        rtm_family: FAM, rtm_dst_len: Ty::UInt, rtm_src_len: Ty::UInt, rtm_tos: Ty::Flags(&IPTOS),
        rtm_table: Ty::Enum(&RT_TABLE), rtm_protocol: Ty::Enum(&RTPROT), rtm_scope: Ty::Enum(&RT_SCOPE),
        rtm_type: Ty::Enum(&RTN), rtm_flags: Ty::Flags(&RTM_F)
    }
    /// linux/neighbour.h
    pub NDMSG = ndmsg {
        ndm_family: FAM, ndm_ifindex: IFINDEX_TY, ndm_state: Ty::Flags(&NUD), ndm_flags: Ty::Flags(&NTF),
        ndm_type: Ty::Enum(&RTN)
    }
    /// linux/rtnetlink.h
    pub TCMSG = tcmsg {
        tcm_family: FAM, tcm_ifindex: IFINDEX_TY, tcm_handle: Ty::UInt, tcm_parent: Ty::UInt, tcm_info: Ty::UInt
    }
    /// linux/fib_rules.h
    pub FIB_RULE_HDR = fib_rule_hdr {
        family: FAM, dst_len: Ty::UInt, src_len: Ty::UInt, tos: Ty::Flags(&IPTOS), table: Ty::Enum(&RT_TABLE),
        action: Ty::Enum(&FR_ACT), flags: Ty::Flags(&FIB_RULE)
    }
    pub RTGENMSG = rtgenmsg { rtgen_family: FAM }
    pub NDTMSG = ndtmsg { ndtm_family: FAM }
    pub TCAMSG = tcamsg { tca_family: FAM }
    /// linux/if_addrlabel.h
    pub IFADDRLBLMSG = ifaddrlblmsg {
        ifal_family: FAM, ifal_prefixlen: Ty::UInt, ifal_flags: Ty::UInt, ifal_index: IFINDEX_TY, ifal_seq: Ty::UInt
    }
    /// linux/netconf.h
    pub NETCONFMSG = netconfmsg { ncm_family: FAM }
    /// linux/nexthop.h
    pub NHMSG = nhmsg {
        nh_family: FAM, nh_scope: Ty::Enum(&NH_SCOPE), nh_protocol: Ty::Enum(&RTPROT), resvd: Ty::NonZero(&Ty::Hex),
        nh_flags: Ty::Flags(&RTNH_F)
    }
    /// One of a group
    pub NEXTHOP_GRP = nexthop_grp {
        id: Ty::UInt, weight: Ty::UInt, weight_high: Ty::UInt, resvd2: Ty::NonZero(&Ty::Hex)
    }
    /// linux/dcbnl.h
    pub DCBMSG = dcbmsg { dcb_family: FAM, cmd: Ty::Enum(&DCB_CMD) }
    /// linux/if_bridge.h
    pub BR_PORT_MSG = br_port_msg { family: FAM, ifindex: IFINDEX_TY }
    /// linux/if_link.h
    pub IF_STATS_MSG = if_stats_msg {
        family: FAM, pad1: Ty::NonZero(&Ty::Hex), pad2: Ty::NonZero(&Ty::Hex), ifindex: IFINDEX_TY,
        filter_mask: Ty::Custom(Irregular::Bits, &Ty::Enum(&IFLA_STATS_GROUPS))
    }
    /// linux/pkt_sched.h
    pub SIZESPEC = tc_sizespec {
        cell_log: Ty::UInt, size_log: Ty::UInt, cell_align: Ty::Int, overhead: Ty::Int, linklayer: Ty::UInt,
        mpu: Ty::UInt, mtu: Ty::UInt, tsize: Ty::UInt
    }
    /// linux/gen_stats.h
    pub GNET_BASIC = gnet_stats_basic { bytes: Ty::UInt, packets: Ty::UInt }
    pub GNET_RATE = gnet_stats_rate_est { bps: Ty::UInt, pps: Ty::UInt }
    pub GNET_RATE64 = gnet_stats_rate_est64 { bps: Ty::UInt, pps: Ty::UInt }
    pub GNET_QUEUE = gnet_stats_queue {
        qlen: Ty::UInt, backlog: Ty::UInt, drops: Ty::UInt, requeues: Ty::UInt, overlimits: Ty::UInt
    }

    /// linux/if_link.h
    pub LINK_STATS = rtnl_link_stats {
        rx_packets: Ty::UInt, tx_packets: Ty::UInt, rx_bytes: Ty::UInt, tx_bytes: Ty::UInt, rx_errors: Ty::UInt,
        tx_errors: Ty::UInt, rx_dropped: Ty::UInt, tx_dropped: Ty::UInt, multicast: Ty::UInt, collisions: Ty::UInt,
        rx_length_errors: Ty::UInt, rx_over_errors: Ty::UInt, rx_crc_errors: Ty::UInt, rx_frame_errors: Ty::UInt,
        rx_fifo_errors: Ty::UInt, rx_missed_errors: Ty::UInt, tx_aborted_errors: Ty::UInt, tx_carrier_errors: Ty::UInt,
        tx_fifo_errors: Ty::UInt, tx_heartbeat_errors: Ty::UInt, tx_window_errors: Ty::UInt, rx_compressed: Ty::UInt,
        tx_compressed: Ty::UInt, rx_nohandler: Ty::UInt
    }
    pub LINK_MAP = rtnl_link_ifmap {
        mem_start: Ty::Hex, mem_end: Ty::Hex, base_addr: Ty::Hex, irq: Ty::UInt, dma: Ty::UInt, port: Ty::UInt
    }
    pub IFA_CACHE = ifa_cacheinfo { ifa_prefered: Ty::UInt, ifa_valid: Ty::UInt, cstamp: Ty::UInt, tstamp: Ty::UInt }
    pub RTA_CACHE = rta_cacheinfo {
        rta_clntref: Ty::UInt, rta_lastuse: Ty::UInt, rta_expires: Ty::UInt, rta_error: Ty::UInt, rta_used: Ty::UInt,
        rta_id: Ty::Hex, rta_ts: Ty::UInt, rta_tsage: Ty::UInt
    }
    pub MFC_STATS = rta_mfc_stats { mfcs_packets: Ty::UInt, mfcs_bytes: Ty::UInt, mfcs_wrong_if: Ty::UInt }
    pub RTNEXTHOP = rtnexthop {
        rtnh_len: Ty::UInt, rtnh_flags: Ty::Flags(&RTNH_F), rtnh_hops: Ty::UInt, rtnh_ifindex: IFINDEX_TY
    }
    pub NDA_CACHE = nda_cacheinfo {
        ndm_confirmed: Ty::UInt, ndm_used: Ty::UInt, ndm_updated: Ty::UInt, ndm_refcnt: Ty::UInt
    }
    pub UID_RANGE = fib_rule_uid_range { start: Ty::UInt, end: Ty::UInt }
    pub PORT_RANGE = fib_rule_port_range { start: Ty::UInt, end: Ty::UInt }
    pub TC_STATS = tc_stats {
        bytes: Ty::UInt, packets: Ty::UInt, drops: Ty::UInt, overlimits: Ty::UInt, bps: Ty::UInt, pps: Ty::UInt,
        qlen: Ty::UInt, backlog: Ty::UInt
    }
    pub TC_ESTIMATOR = tc_estimator { interval: Ty::Int, ewma_log: Ty::UInt }
    pub NDT_CONFIG = ndt_config {
        ndtc_key_len: Ty::UInt, ndtc_entry_size: Ty::UInt, ndtc_entries: Ty::UInt, ndtc_last_flush: Ty::UInt,
        ndtc_last_rand: Ty::UInt, ndtc_hash_rnd: Ty::UInt, ndtc_hash_mask: Ty::Hex, ndtc_hash_chain_gc: Ty::UInt,
        ndtc_proxy_qlen: Ty::UInt
    }
    pub NDT_STATS = ndt_stats {
        ndts_allocs: Ty::UInt, ndts_destroys: Ty::UInt, ndts_hash_grows: Ty::UInt, ndts_res_failed: Ty::UInt,
        ndts_lookups: Ty::UInt, ndts_hits: Ty::UInt, ndts_rcv_probes_mcast: Ty::UInt, ndts_rcv_probes_ucast: Ty::UInt,
        ndts_periodic_gc_runs: Ty::UInt, ndts_forced_gc_runs: Ty::UInt, ndts_table_fulls: Ty::UInt
    }
}

static XDP_ATTRS: Attrs = attrs(
    &IFLA_XDP,
    &[
        (c::IFLA_XDP_FD, Payload::Is(Ty::Fd)),
        (c::IFLA_XDP_ATTACHED, Payload::Is(Ty::As(Width::W1, &Ty::Enum(&XDP_ATTACHED)))),
        (c::IFLA_XDP_FLAGS, Payload::Is(Ty::Flags(&XDP_FLAGS))),
        (c::IFLA_XDP_PROG_ID, U32),
        (c::IFLA_XDP_DRV_PROG_ID, U32),
        (c::IFLA_XDP_SKB_PROG_ID, U32),
        (c::IFLA_XDP_HW_PROG_ID, U32),
        (c::IFLA_XDP_EXPECTED_FD, Payload::Is(Ty::Fd)),
    ],
);

static DOWN_REASON_ATTRS: Attrs =
    attrs(&IFLA_PROTO_DOWN_REASON, &[(c::IFLA_PROTO_DOWN_REASON_MASK, X32), (c::IFLA_PROTO_DOWN_REASON_VALUE, X32)]);

static PORT_ATTRS: Attrs = attrs(
    &IFLA_PORT,
    &[
        (c::IFLA_PORT_VF, U32),
        (c::IFLA_PORT_PROFILE, Payload::Text),
        (c::IFLA_PORT_VSI_TYPE, Payload::Is(Ty::Struct(&PORT_VSI))),
        (c::IFLA_PORT_REQUEST, U8),
        (c::IFLA_PORT_RESPONSE, U16),
    ],
);
static VF_PORT_ATTRS: Attrs = attrs(&IFLA_VF_PORT, &[(c::IFLA_VF_PORT, Payload::Nested(&PORT_ATTRS))]);

static PROP_ATTRS: Attrs = attrs(&IFLA, &[(c::IFLA_ALT_IFNAME, Payload::Text)]);

static IFLA_ATTRS: Attrs = attrs(
    &IFLA,
    &[
        (c::IFLA_ADDRESS, Payload::Mac),
        (c::IFLA_BROADCAST, Payload::Mac),
        (c::IFLA_IFNAME, Payload::Text),
        (c::IFLA_MTU, U32),
        (c::IFLA_LINK, U32),
        (c::IFLA_QDISC, Payload::Text),
        (c::IFLA_STATS, Payload::Extensible(&LINK_STATS, 92)),
        (c::IFLA_MASTER, IFINDEX),
        (c::IFLA_TXQLEN, U32),
        (c::IFLA_MAP, Payload::Extensible(&LINK_MAP, 28)),
        (c::IFLA_WEIGHT, U32),
        (c::IFLA_OPERSTATE, U8),
        (c::IFLA_LINKMODE, U8),
        (c::IFLA_LINKINFO, Payload::Nested(&IFLA_INFO_ATTRS)),
        (c::IFLA_NET_NS_PID, U32),
        (c::IFLA_IFALIAS, Payload::Text),
        (c::IFLA_NUM_VF, U32),
        (c::IFLA_VFINFO_LIST, Payload::Nested(&VF_LIST_ATTRS)),
        (c::IFLA_PROTINFO, PROTINFO),
        (c::IFLA_AF_SPEC, AF_SPEC),
        (c::IFLA_STATS64, Payload::Extensible(&LINK_STATS64, 184)),
        (c::IFLA_GROUP, U32),
        (c::IFLA_NET_NS_FD, Payload::Is(Ty::Fd)),
        (c::IFLA_EXT_MASK, Payload::Is(Ty::Flags(&RTEXT_FILTER))),
        (c::IFLA_PROMISCUITY, U32),
        (c::IFLA_NUM_TX_QUEUES, U32),
        (c::IFLA_NUM_RX_QUEUES, U32),
        (c::IFLA_CARRIER, U8),
        (c::IFLA_CARRIER_CHANGES, U32),
        (c::IFLA_LINK_NETNSID, S32),
        (c::IFLA_PHYS_PORT_NAME, Payload::Text),
        (c::IFLA_PROTO_DOWN, U8),
        (c::IFLA_GSO_MAX_SEGS, U32),
        (c::IFLA_GSO_MAX_SIZE, U32),
        (c::IFLA_XDP, Payload::Nested(&XDP_ATTRS)),
        (c::IFLA_VF_PORTS, Payload::Nested(&VF_PORT_ATTRS)),
        (c::IFLA_PORT_SELF, Payload::Nested(&PORT_ATTRS)),
        (c::IFLA_PROTO_DOWN_REASON, Payload::Nested(&DOWN_REASON_ATTRS)),
        (c::IFLA_EVENT, Payload::Is(Ty::Enum(&IFLA_EVENTS))),
        (c::IFLA_NEW_NETNSID, S32),
        (c::IFLA_TARGET_NETNSID, S32),
        (c::IFLA_CARRIER_UP_COUNT, U32),
        (c::IFLA_CARRIER_DOWN_COUNT, U32),
        (c::IFLA_NEW_IFINDEX, IFINDEX),
        (c::IFLA_MIN_MTU, U32),
        (c::IFLA_MAX_MTU, U32),
        (c::IFLA_PROP_LIST, Payload::Nested(&PROP_ATTRS)),
        (c::IFLA_ALT_IFNAME, Payload::Text),
        (c::IFLA_PERM_ADDRESS, Payload::Mac),
        (c::IFLA_PARENT_DEV_NAME, Payload::Text),
        (c::IFLA_PARENT_DEV_BUS_NAME, Payload::Text),
        (c::IFLA_GRO_MAX_SIZE, U32),
        (c::IFLA_TSO_MAX_SIZE, U32),
        (c::IFLA_TSO_MAX_SEGS, U32),
        (c::IFLA_ALLMULTI, U32),
        (c::IFLA_GSO_IPV4_MAX_SIZE, U32),
        (c::IFLA_GRO_IPV4_MAX_SIZE, U32),
        (c::IFLA_NETNS_IMMUTABLE, U8),
        (c::IFLA_HEADROOM, U16),
        (c::IFLA_TAILROOM, U16),
    ],
);

static IFA_ATTRS: Attrs = attrs(
    &IFA,
    &[
        (c::IFA_ADDRESS, Payload::Address),
        (c::IFA_LOCAL, Payload::Address),
        (c::IFA_LABEL, Payload::Text),
        (c::IFA_BROADCAST, Payload::Address),
        (c::IFA_ANYCAST, Payload::Address),
        (c::IFA_CACHEINFO, Payload::Is(Ty::Struct(&IFA_CACHE))),
        (c::IFA_MULTICAST, Payload::Address),
        (c::IFA_FLAGS, Payload::Is(Ty::Flags(&IFA_F))),
        (c::IFA_RT_PRIORITY, U32),
        (c::IFA_TARGET_NETNSID, S32),
        (c::IFA_PROTO, Payload::Is(Ty::As(Width::W1, &Ty::Enum(&IFAPROT)))),
    ],
);

static METRICS: Attrs = Attrs {
    names: Some(&RTAX),
    payloads: &[(c::RTAX_LOCK, X32), (c::RTAX_FEATURES, X32), (c::RTAX_CC_ALGO, Payload::Text)],
    default: U32,
};

static RTA_ATTRS: Attrs = attrs(
    &RTA,
    &[
        (c::RTA_DST, Payload::Address),
        (c::RTA_SRC, Payload::Address),
        (c::RTA_IIF, IFINDEX),
        (c::RTA_OIF, IFINDEX),
        (c::RTA_GATEWAY, Payload::Address),
        (c::RTA_PRIORITY, U32),
        (c::RTA_PREFSRC, Payload::Address),
        (c::RTA_METRICS, Payload::Nested(&METRICS)),
        (c::RTA_MULTIPATH, Payload::NextHops(&RTA_ATTRS)),
        (c::RTA_FLOW, U32),
        (c::RTA_CACHEINFO, Payload::Is(Ty::Struct(&RTA_CACHE))),
        (c::RTA_TABLE, Payload::Is(Ty::Enum(&RT_TABLE))),
        (c::RTA_MARK, U32),
        (c::RTA_MFC_STATS, Payload::Is(Ty::Struct(&MFC_STATS))),
        (c::RTA_VIA, Payload::Via),
        (c::RTA_NEWDST, Payload::Address),
        (c::RTA_PREF, U8),
        (c::RTA_ENCAP_TYPE, Payload::Is(Ty::As(Width::W2, &Ty::Enum(&LWTUNNEL_ENCAP)))),
        (c::RTA_EXPIRES, U64),
        (c::RTA_UID, Payload::Is(Ty::Uid)),
        (c::RTA_TTL_PROPAGATE, U8),
        (c::RTA_IP_PROTO, Payload::Is(Ty::As(Width::W1, &Ty::Enum(&IPPROTO)))),
        (c::RTA_SPORT, NET16),
        (c::RTA_DPORT, NET16),
        (c::RTA_NH_ID, U32),
    ],
);

static NFEA_ATTRS: Attrs =
    attrs(&NFEA, &[(c::NFEA_ACTIVITY_NOTIFY, Payload::Is(Ty::As(Width::W1, &Ty::Flags(&FDB_NOTIFY))))]);

static NDA_ATTRS: Attrs = attrs(
    &NDA,
    &[
        (c::NDA_DST, Payload::Address),
        (c::NDA_LLADDR, Payload::Mac),
        (c::NDA_CACHEINFO, Payload::Is(Ty::Struct(&NDA_CACHE))),
        (c::NDA_PROBES, U32),
        (c::NDA_VLAN, U16),
        (c::NDA_PORT, NET16),
        (c::NDA_VNI, U32),
        (c::NDA_IFINDEX, IFINDEX),
        (c::NDA_MASTER, IFINDEX),
        (c::NDA_LINK_NETNSID, U32),
        (c::NDA_SRC_VNI, U32),
        (c::NDA_PROTOCOL, Payload::Is(Ty::As(Width::W1, &Ty::Enum(&RTPROT)))),
        (c::NDA_NH_ID, U32),
        (c::NDA_FDB_EXT_ATTRS, Payload::Nested(&NFEA_ATTRS)),
        (c::NDA_FLAGS_EXT, Payload::Is(Ty::Flags(&NTF_EXT))),
        (c::NDA_NDM_STATE_MASK, Payload::Is(Ty::As(Width::W2, &Ty::Flags(&NUD)))),
        (c::NDA_NDM_FLAGS_MASK, Payload::Is(Ty::As(Width::W1, &Ty::Flags(&NTF)))),
    ],
);

static FRA_ATTRS: Attrs = attrs(
    &FRA,
    &[
        (c::FRA_DST, Payload::Address),
        (c::FRA_SRC, Payload::Address),
        (c::FRA_IIFNAME, Payload::Text),
        (c::FRA_GOTO, U32),
        (c::FRA_PRIORITY, U32),
        (c::FRA_FWMARK, U32),
        (c::FRA_FLOW, U32),
        (c::FRA_TUN_ID, NET64),
        (c::FRA_SUPPRESS_IFGROUP, U32),
        (c::FRA_SUPPRESS_PREFIXLEN, U32),
        (c::FRA_TABLE, Payload::Is(Ty::Enum(&RT_TABLE))),
        (c::FRA_FWMASK, U32),
        (c::FRA_OIFNAME, Payload::Text),
        (c::FRA_L3MDEV, U8),
        (c::FRA_UID_RANGE, Payload::Is(Ty::Struct(&UID_RANGE))),
        (c::FRA_PROTOCOL, Payload::Is(Ty::As(Width::W1, &Ty::Enum(&RTPROT)))),
        (c::FRA_IP_PROTO, Payload::Is(Ty::As(Width::W1, &Ty::Enum(&IPPROTO)))),
        (c::FRA_SPORT_RANGE, Payload::Is(Ty::Struct(&PORT_RANGE))),
        (c::FRA_DPORT_RANGE, Payload::Is(Ty::Struct(&PORT_RANGE))),
        (c::FRA_DSCP, U8),
        (c::FRA_FLOWLABEL, NET32),
        (c::FRA_FLOWLABEL_MASK, NET32),
    ],
);

static STATS2_ATTRS: Attrs = attrs(
    &TCA_STATS,
    &[
        (c::TCA_STATS_BASIC, Payload::Extensible(&GNET_BASIC, 12)),
        (c::TCA_STATS_RATE_EST, Payload::Is(Ty::Struct(&GNET_RATE))),
        (c::TCA_STATS_QUEUE, Payload::Is(Ty::Struct(&GNET_QUEUE))),
        (c::TCA_STATS_RATE_EST64, Payload::Is(Ty::Struct(&GNET_RATE64))),
        (c::TCA_STATS_BASIC_HW, Payload::Extensible(&GNET_BASIC, 12)),
        (c::TCA_STATS_PKT64, U64),
    ],
);

static STAB_ATTRS: Attrs = attrs(
    &TCA_STAB,
    &[
        (c::TCA_STAB_BASE, Payload::Is(Ty::Struct(&SIZESPEC))),
        (c::TCA_STAB_DATA, Payload::List(&Ty::As(Width::W2, &Ty::UInt))),
    ],
);

static ACT_ATTRS: Attrs = attrs(
    &TCA_ACT,
    &[
        (c::TCA_ACT_KIND, Payload::Text),
        (c::TCA_ACT_INDEX, U32),
        (c::TCA_ACT_STATS, Payload::Nested(&STATS2_ATTRS)),
        (c::TCA_ACT_FLAGS, Payload::Is(Ty::Flags(&TCA_ACT_FLAGS))),
        (c::TCA_ACT_HW_STATS, Payload::Is(Ty::Flags(&TCA_ACT_HW_STATS))),
        (c::TCA_ACT_USED_HW_STATS, Payload::Is(Ty::Flags(&TCA_ACT_HW_STATS))),
        (c::TCA_ACT_IN_HW_COUNT, U32),
    ],
);
/// Their types count them.
static ACTS: Attrs = Attrs { names: None, payloads: &[], default: Payload::Nested(&ACT_ATTRS) };
static ROOT_ATTRS: Attrs = attrs(
    &TCA_ROOT,
    &[
        (c::TCA_ROOT_TAB, Payload::Nested(&ACTS)),
        (c::TCA_ROOT_FLAGS, Payload::Is(Ty::Flags(&TCA_ROOT_FLAGS))),
        (c::TCA_ROOT_COUNT, U32),
        (c::TCA_ROOT_TIME_DELTA, Payload::Milliseconds),
        (c::TCA_ROOT_EXT_WARN_MSG, Payload::Text),
    ],
);

static MDB_ATTRS: Attrs =
    attrs(&MDBA, &[(c::MDBA_MDB, Payload::Nested(&MDB_LIST)), (c::MDBA_ROUTER, Payload::Nested(&ROUTERS))]);
static MDB_LIST: Attrs = attrs(&MDBA_MDB, &[(c::MDBA_MDB_ENTRY, Payload::Nested(&MDB_ENTRY_ATTRS))]);
static ROUTERS: Attrs = attrs(&MDBA_ROUTER, &[(c::MDBA_ROUTER_PORT, Payload::Headed(&IFINDEX_TY, &ROUTER_PORT_ATTRS))]);
static DCB_ATTRS: Attrs = attrs(&DCB_ATTR, &[]);
static STATS_ATTRS: Attrs = attrs(
    &IFLA_STATS_GROUPS,
    &[
        (c::IFLA_STATS_LINK_64, Payload::Extensible(&LINK_STATS64, 184)),
        (c::IFLA_STATS_LINK_XSTATS, Payload::Nested(&XSTATS_ATTRS)),
        (c::IFLA_STATS_LINK_XSTATS_SLAVE, Payload::Nested(&XSTATS_ATTRS)),
        (c::IFLA_STATS_LINK_OFFLOAD_XSTATS, Payload::Nested(&OFFLOAD_ATTRS)),
        (c::IFLA_STATS_AF_SPEC, Payload::Nested(&FAMILY_STATS_ATTRS)),
    ],
);

static TCA_ATTRS: Attrs = attrs(
    &TCA,
    &[
        (c::TCA_KIND, Payload::Text),
        (c::TCA_STATS, Payload::Extensible(&TC_STATS, 36)),
        (c::TCA_STATS2, Payload::Nested(&STATS2_ATTRS)),
        (c::TCA_STAB, Payload::Nested(&STAB_ATTRS)),
        (c::TCA_RATE, Payload::Is(Ty::Struct(&TC_ESTIMATOR))),
        (c::TCA_FCNT, U32),
        (c::TCA_CHAIN, U32),
        (c::TCA_HW_OFFLOAD, U8),
        (c::TCA_INGRESS_BLOCK, U32),
        (c::TCA_EGRESS_BLOCK, U32),
    ],
);

static IFAL_ATTRS: Attrs = attrs(&IFAL, &[(c::IFAL_ADDRESS, Payload::Address), (c::IFAL_LABEL, U32)]);

static NETCONFA_ATTRS: Attrs =
    Attrs { names: Some(&NETCONFA), payloads: &[(c::NETCONFA_IFINDEX, IFINDEX)], default: S32 };

static NETNSA_ATTRS: Attrs = attrs(
    &NETNSA,
    &[
        (c::NETNSA_NSID, S32),
        (c::NETNSA_PID, U32),
        (c::NETNSA_FD, Payload::Is(Ty::Fd)),
        (c::NETNSA_TARGET_NSID, S32),
        (c::NETNSA_CURRENT_NSID, S32),
    ],
);

static NDTPA_ATTRS: Attrs = Attrs { names: Some(&NDTPA), payloads: &[(c::NDTPA_IFINDEX, IFINDEX)], default: U64 };

static NDTA_ATTRS: Attrs = attrs(
    &NDTA,
    &[
        (c::NDTA_NAME, Payload::Text),
        (c::NDTA_THRESH1, U32),
        (c::NDTA_THRESH2, U32),
        (c::NDTA_THRESH3, U32),
        (c::NDTA_CONFIG, Payload::Is(Ty::Struct(&NDT_CONFIG))),
        (c::NDTA_PARMS, Payload::Nested(&NDTPA_ATTRS)),
        (c::NDTA_STATS, Payload::Is(Ty::Struct(&NDT_STATS))),
        (c::NDTA_GC_INTERVAL, U64),
    ],
);

static RES_GROUP_ATTRS: Attrs = attrs(
    &NHA_RES_GROUP,
    &[
        (c::NHA_RES_GROUP_BUCKETS, U16),
        (c::NHA_RES_GROUP_IDLE_TIMER, TICKS),
        (c::NHA_RES_GROUP_UNBALANCED_TIMER, TICKS),
        (c::NHA_RES_GROUP_UNBALANCED_TIME, TICKS),
    ],
);

static RES_BUCKET_ATTRS: Attrs = attrs(
    &NHA_RES_BUCKET,
    &[(c::NHA_RES_BUCKET_INDEX, U16), (c::NHA_RES_BUCKET_IDLE_TIME, TICKS), (c::NHA_RES_BUCKET_NH_ID, U32)],
);

static NHA_ATTRS: Attrs = attrs(
    &NHA,
    &[
        (c::NHA_ID, U32),
        (c::NHA_BLACKHOLE, U32),
        (c::NHA_GROUPS, U32),
        (c::NHA_FDB, U32),
        (c::NHA_GROUP, Payload::List(&Ty::Struct(&NEXTHOP_GRP))),
        (c::NHA_RES_GROUP, Payload::Nested(&RES_GROUP_ATTRS)),
        (c::NHA_RES_BUCKET, Payload::Nested(&RES_BUCKET_ATTRS)),
        (c::NHA_GROUP_TYPE, Payload::Is(Ty::As(Width::W2, &Ty::Enum(&NEXTHOP_GRP_TYPE)))),
        (c::NHA_OIF, IFINDEX),
        (c::NHA_GATEWAY, Payload::Address),
        (c::NHA_ENCAP_TYPE, Payload::Is(Ty::As(Width::W2, &Ty::Enum(&LWTUNNEL_ENCAP)))),
        (c::NHA_MASTER, IFINDEX),
    ],
);

/// Messages come in groups of four types: make, delete, get, set.
static ROUTE: &[(u64, Body)] = &[
    (c::RTM_NEWLINK, Body { header: &IFINFOMSG, attrs: Some(&IFLA_ATTRS) }),
    (c::RTM_NEWADDR, Body { header: &IFADDRMSG, attrs: Some(&IFA_ATTRS) }),
    (c::RTM_NEWROUTE, Body { header: &RTMSG, attrs: Some(&RTA_ATTRS) }),
    (c::RTM_NEWNEIGH, Body { header: &NDMSG, attrs: Some(&NDA_ATTRS) }),
    (c::RTM_NEWRULE, Body { header: &FIB_RULE_HDR, attrs: Some(&FRA_ATTRS) }),
    (c::RTM_NEWQDISC, Body { header: &TCMSG, attrs: Some(&TCA_ATTRS) }),
    (c::RTM_NEWTCLASS, Body { header: &TCMSG, attrs: Some(&TCA_ATTRS) }),
    (c::RTM_NEWTFILTER, Body { header: &TCMSG, attrs: Some(&TCA_ATTRS) }),
    (c::RTM_NEWACTION, Body { header: &TCAMSG, attrs: Some(&ROOT_ATTRS) }),
    (c::RTM_GETDCB & !3, Body { header: &DCBMSG, attrs: Some(&DCB_ATTRS) }),
    (c::RTM_NEWMDB, Body { header: &BR_PORT_MSG, attrs: Some(&MDB_ATTRS) }),
    (c::RTM_NEWSTATS, Body { header: &IF_STATS_MSG, attrs: Some(&STATS_ATTRS) }),
    (c::RTM_NEWMULTICAST, Body { header: &IFADDRMSG, attrs: Some(&IFA_ATTRS) }),
    (c::RTM_GETANYCAST & !3, Body { header: &IFADDRMSG, attrs: Some(&IFA_ATTRS) }),
    (c::RTM_NEWNEIGHTBL, Body { header: &NDTMSG, attrs: Some(&NDTA_ATTRS) }),
    (c::RTM_NEWADDRLABEL, Body { header: &IFADDRLBLMSG, attrs: Some(&IFAL_ATTRS) }),
    (c::RTM_NEWNETCONF, Body { header: &NETCONFMSG, attrs: Some(&NETCONFA_ATTRS) }),
    (c::RTM_NEWNSID, Body { header: &RTGENMSG, attrs: Some(&NETNSA_ATTRS) }),
    (c::RTM_NEWCHAIN, Body { header: &TCMSG, attrs: Some(&TCA_ATTRS) }),
    (c::RTM_NEWNEXTHOP, Body { header: &NHMSG, attrs: Some(&NHA_ATTRS) }),
];

/// The contents of a routing message about an address family.
pub fn route(kind: u64, family: u64) -> Option<&'static Body> {
    RTM.name_of(kind)?;
    if kind & !3 == c::RTM_NEWCACHEREPORT {
        return Some(cache_report(family));
    }
    ROUTE.iter().find(|(first, _)| *first == kind & !3).map(|(_, body)| body)
}
