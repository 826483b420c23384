//! Acknowledgements, NETLINK_GENERIC, NETLINK_NETFILTER, NETLINK_SELINUX.

use super::names_core::NLMSGERR_ATTR;
use super::names_generic::*;
use super::names_other::*;
use super::payload::*;
use crate::sets::socket::FAMILY;
use crate::uapi::consts as c;
use crate::{Set, Ty, Width, structs};

structs! {
    /// linux/genetlink.h
    pub GENLMSGHDR = genlmsghdr { cmd: Ty::Hex, version: Ty::UInt, reserved: Ty::NonZero(&Ty::Hex) }
    /// The same for the family that tells of families
    pub CTRLMSGHDR = genlmsghdr { cmd: Ty::Enum(&CTRL_CMD), version: Ty::UInt, reserved: Ty::NonZero(&Ty::Hex) }
    /// linux/netfilter/nfnetlink.h; what the last member holds depends on the message
    pub NFGENMSG = nfgenmsg { nfgen_family: Ty::Enum(&FAMILY), version: Ty::Enum(&NFNETLINK_VERSION) }
    /// linux/selinux_netlink.h
    pub SELINUX_STATE = selnl_msg_setenforce { val: Ty::Int }
    pub SELINUX_POLICY = selnl_msg_policyload { seqno: Ty::UInt }
}

structs! {
    // linux/cryptouser.h
    pub CRYPTO_ALG = crypto_user_alg {
        cru_name: Ty::CStr, cru_driver_name: Ty::CStr, cru_module_name: Ty::CStr, cru_type: Ty::Hex, cru_mask: Ty::Hex,
        cru_refcnt: Ty::UInt, cru_flags: Ty::Hex
    }
    pub CRYPTO_HASH = crypto_report_hash { r#type: Ty::CStr, blocksize: Ty::UInt, digestsize: Ty::UInt }
    pub CRYPTO_BLKCIPHER = crypto_report_blkcipher {
        r#type: Ty::CStr, geniv: Ty::CStr, blocksize: Ty::UInt, min_keysize: Ty::UInt, max_keysize: Ty::UInt, ivsize: Ty::UInt
    }
    pub CRYPTO_AEAD = crypto_report_aead {
        r#type: Ty::CStr, geniv: Ty::CStr, blocksize: Ty::UInt, maxauthsize: Ty::UInt, ivsize: Ty::UInt
    }
    pub CRYPTO_RNG = crypto_report_rng { r#type: Ty::CStr, seedsize: Ty::UInt }
    pub CRYPTO_CIPHER = crypto_report_cipher {
        r#type: Ty::CStr, blocksize: Ty::UInt, min_keysize: Ty::UInt, max_keysize: Ty::UInt
    }
}

static CRYPTO_ATTRS: Attrs = attrs(
    &CRYPTOCFGA,
    &[
        (c::CRYPTOCFGA_PRIORITY_VAL, U32),
        (c::CRYPTOCFGA_REPORT_LARVAL, Payload::Named("type")),
        (c::CRYPTOCFGA_REPORT_HASH, Payload::Report(&CRYPTO_HASH)),
        (c::CRYPTOCFGA_REPORT_BLKCIPHER, Payload::Report(&CRYPTO_BLKCIPHER)),
        (c::CRYPTOCFGA_REPORT_AEAD, Payload::Report(&CRYPTO_AEAD)),
        (c::CRYPTOCFGA_REPORT_COMPRESS, Payload::Named("type")),
        (c::CRYPTOCFGA_REPORT_RNG, Payload::Report(&CRYPTO_RNG)),
        (c::CRYPTOCFGA_REPORT_CIPHER, Payload::Report(&CRYPTO_CIPHER)),
        (c::CRYPTOCFGA_REPORT_AKCIPHER, Payload::Named("type")),
        (c::CRYPTOCFGA_REPORT_KPP, Payload::Named("type")),
        (c::CRYPTOCFGA_REPORT_ACOMP, Payload::Named("type")),
    ],
);
/// A message about an algorithm of the kernel's crypto API.
pub static CRYPTO: Body = Body { header: &CRYPTO_ALG, attrs: Some(&CRYPTO_ATTRS) };

/// The operations of a family: attributes whose types count them. Each family has its own commands.
macro_rules! operations {
    (of $commands:ident) => {
        operations!(Payload::Is(Ty::Enum(&$commands)))
    };
    ($id:expr) => {{
        static ONE: Attrs = attrs(
            &CTRL_ATTR_OP_KIND,
            &[(c::CTRL_ATTR_OP_ID, $id), (c::CTRL_ATTR_OP_FLAGS, Payload::Is(Ty::Flags(&GENL_FLAGS)))],
        );
        static ALL: Attrs = Attrs { names: None, payloads: &[], default: Payload::Nested(&ONE) };
        Payload::Nested(&ALL)
    }};
}
static OPERATIONS: &[(&str, Payload)] = &[
    ("", operations!(of CTRL_CMD)),
    ("devlink", operations!(of DEVLINK_CMD)),
    ("ethtool", operations!(of ETHTOOL_CMD)),
    ("IOAM6", operations!(of IOAM6_CMD)),
    ("mptcp_pm", operations!(of MPTCP_PM_CMD)),
    ("netdev", operations!(of NETDEV_CMD)),
    ("nl80211", operations!(of NL80211_CMD)),
    ("nlctrl", operations!(of CTRL_CMD)),
    ("SEG6", operations!(of SEG6_CMD)),
    ("TASKSTATS", operations!(of TASKSTATS_CMD)),
    ("tcp_metrics", operations!(of TCP_METRICS_CMD)),
    ("thermal", operations!(of THERMAL_CMD)),
];
static NAMELESS_OPERATIONS: Payload = operations!(U32);

/// How one attribute is checked: its limits, and the policy of what it contains.
static POLICY: Attrs = attrs(
    &NL_POLICY_TYPE_ATTR,
    &[
        (c::NL_POLICY_TYPE_ATTR_TYPE, Payload::Is(Ty::Enum(&NL_ATTR_TYPE))),
        (c::NL_POLICY_TYPE_ATTR_MIN_VALUE_S, Payload::Is(Ty::I64)),
        (c::NL_POLICY_TYPE_ATTR_MAX_VALUE_S, Payload::Is(Ty::I64)),
        (c::NL_POLICY_TYPE_ATTR_MIN_VALUE_U, U64),
        (c::NL_POLICY_TYPE_ATTR_MAX_VALUE_U, U64),
        (c::NL_POLICY_TYPE_ATTR_MIN_LENGTH, U32),
        (c::NL_POLICY_TYPE_ATTR_MAX_LENGTH, U32),
        (c::NL_POLICY_TYPE_ATTR_POLICY_IDX, X32),
        (c::NL_POLICY_TYPE_ATTR_POLICY_MAXTYPE, X32),
        (c::NL_POLICY_TYPE_ATTR_BITFIELD32_MASK, X32),
        (c::NL_POLICY_TYPE_ATTR_MASK, Payload::Is(Ty::As(Width::W8, &Ty::HexLong))),
    ],
);
/// Policies by their numbers, and in each of them attributes by their numbers.
static POLICY_ATTRS: Attrs = Attrs { names: None, payloads: &[], default: Payload::Nested(&POLICY) };
static POLICIES: Attrs = Attrs { names: None, payloads: &[], default: Payload::Nested(&POLICY_ATTRS) };
/// The policies of each command, by its number.
static OP_POLICY: Attrs =
    attrs(&CTRL_ATTR_POLICY_KIND, &[(c::CTRL_ATTR_POLICY_DO, U32), (c::CTRL_ATTR_POLICY_DUMP, U32)]);
static OP_POLICIES: Attrs = Attrs { names: None, payloads: &[], default: Payload::Nested(&OP_POLICY) };

static GROUP_ATTRS: Attrs =
    attrs(&CTRL_ATTR_MCAST_GRP, &[(c::CTRL_ATTR_MCAST_GRP_NAME, Payload::Text), (c::CTRL_ATTR_MCAST_GRP_ID, X32)]);
/// Their types count them.
static GROUPS: Attrs = Attrs { names: None, payloads: &[], default: Payload::Nested(&GROUP_ATTRS) };

static CTRL_ATTRS: Attrs = attrs(
    &CTRL_ATTR,
    &[
        (c::CTRL_ATTR_FAMILY_ID, Payload::Is(Ty::As(Width::W2, &Ty::Hex))),
        (c::CTRL_ATTR_FAMILY_NAME, Payload::Text),
        (c::CTRL_ATTR_VERSION, U32),
        (c::CTRL_ATTR_HDRSIZE, U32),
        (c::CTRL_ATTR_MAXATTR, U32),
        (c::CTRL_ATTR_OPS, Payload::ByKind(c::CTRL_ATTR_FAMILY_NAME, OPERATIONS, &NAMELESS_OPERATIONS)),
        (c::CTRL_ATTR_MCAST_GROUPS, Payload::Nested(&GROUPS)),
        (c::CTRL_ATTR_POLICY, Payload::Nested(&POLICIES)),
        (c::CTRL_ATTR_OP_POLICY, Payload::Nested(&OP_POLICIES)),
        (c::CTRL_ATTR_OP, U32),
    ],
);

static NUMBERED: Attrs = Attrs { names: None, payloads: &[], default: Payload::Bytes };

/// Any family of generic netlink.
pub static GENERIC: Body = Body { header: &GENLMSGHDR, attrs: Some(&NUMBERED) };
/// The family that tells of families.
pub static NLCTRL: Body = Body { header: &CTRLMSGHDR, attrs: Some(&CTRL_ATTRS) };
/// Netfilter's attributes, which have names of their own in each of its parts.
pub static CONTROL: Attrs = Attrs { names: None, payloads: &[], default: Payload::Bytes };

/// The attributes of an extended acknowledgement.
pub static ACK: Attrs = attrs(
    &NLMSGERR_ATTR,
    &[
        (c::NLMSGERR_ATTR_MSG, Payload::Text),
        (c::NLMSGERR_ATTR_OFFS, U32),
        (c::NLMSGERR_ATTR_COOKIE, Payload::List(&Ty::As(Width::W1, &Ty::UInt))),
    ],
);

/// The messages of a netfilter subsystem.
pub fn netfilter_names(subsystem: u64) -> Option<&'static Set> {
    Some(match subsystem {
        c::NFNL_SUBSYS_CTNETLINK => &IPCTNL_CT,
        c::NFNL_SUBSYS_CTNETLINK_EXP => &IPCTNL_EXP,
        c::NFNL_SUBSYS_ULOG => &NFULNL,
        c::NFNL_SUBSYS_QUEUE => &NFQNL,
        c::NFNL_SUBSYS_OSF => &OSF_MSG,
        c::NFNL_SUBSYS_IPSET => &IPSET_CMD,
        c::NFNL_SUBSYS_ACCT => &NFNL_ACCT,
        c::NFNL_SUBSYS_CTNETLINK_TIMEOUT => &IPCTNL_TIMEOUT,
        c::NFNL_SUBSYS_CTHELPER => &NFNL_CTHELPER,
        c::NFNL_SUBSYS_NFTABLES => &NFT_MSG,
        c::NFNL_SUBSYS_NFT_COMPAT => &NFNL_COMPAT,
        _ => return None,
    })
}
