//! Netlink messages (netlink(7)): what is in them, by protocol and message type.
//!
//! Messages are in the buffers of send(2) and recv(2). No row captures them member by member, so their structs have
//! no pointers.

mod diag;
mod link;
mod names_bridge;
mod names_core;
mod names_diag;
mod names_generic;
mod names_link;
mod names_other;
mod names_route;
mod other;
mod payload;
mod route;

use crate::Struct;

pub use diag::{COMPAT_REQUEST, FILTER_HOST, FILTER_MARK, FILTER_OP, INET_MESSAGE, INET_REQUEST, sock_diag};
pub use names_bridge::{MCAST_DIRECTIONS, ROUTE_FAMILY};
pub use names_core::{GENERIC_FAMILY, NLA_F, NLM_F, NLM_F_ACKED, NLM_F_DELETE, NLM_F_GET, NLM_F_NEW, NLMSG};
pub use names_diag::SOCK_DIAG;
pub use names_other::{AUDIT, CRYPTO_MSG, NFNL_MSG_BATCH, NFNL_SUBSYS, SELNL, XFRM_MSG};
pub use names_route::RTM;
pub use other::{ACK, CONTROL, CRYPTO, GENERIC, NFGENMSG, NLCTRL, SELINUX_POLICY, SELINUX_STATE, netfilter_names};
pub use payload::{Attrs, Body, Payload, attrs};
pub use route::route;

/// One way of a multipath route.
pub static NEXT_HOP: &Struct = &route::RTNEXTHOP;
