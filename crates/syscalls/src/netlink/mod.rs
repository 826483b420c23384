//! Netlink messages (netlink(7)): what is in them, by protocol and message type.
//!
//! They travel in the buffers of send(2) and recv(2): no row captures them member by member, so their structs hold no
//! pointers.

mod diag;
mod names_core;
mod names_diag;
mod names_link;
mod names_other;
mod names_route;
mod other;
mod route;

use crate::{Set, Struct, Ty, Width};

pub use diag::{INET_MESSAGE, INET_REQUEST, sock_diag};
pub use names_core::{NLA_F, NLM_F, NLM_F_ACKED, NLM_F_DELETE, NLM_F_GET, NLM_F_NEW, NLMSG};
pub use names_diag::SOCK_DIAG;
pub use names_other::{AUDIT, CRYPTO_MSG, NFNL_MSG_BATCH, NFNL_SUBSYS, SELNL, XFRM_MSG};
pub use names_route::RTM;
pub use other::{ACK, CONTROL, GENERIC, NFGENMSG, NLCTRL, SELINUX_POLICY, SELINUX_STATE, netfilter_names};
pub use route::route;

/// One way of a multipath route.
pub static NEXT_HOP: &Struct = &route::RTNEXTHOP;
/// The indices of a socket's memory counters.
pub static SK_MEMORY: &Set = &names_diag::SK_MEMINFO;

/// The body of a message: a fixed struct, and attributes behind it.
#[derive(Debug)]
pub struct Body {
    pub header: &'static Struct,
    pub attrs: Option<&'static Attrs>,
}

/// What attributes of one level are called and hold.
#[derive(Debug)]
pub struct Attrs {
    /// `None` where the types are only numbers.
    pub names: Option<&'static Set>,
    /// Types that are not here are shown as bytes.
    pub payloads: &'static [(u64, Payload)],
    /// What those hold that are not listed.
    pub default: Payload,
}

#[derive(Clone, Copy, Debug)]
pub enum Payload {
    /// Nothing known.
    Bytes,
    /// A value of fixed size.
    Is(Ty),
    /// A number of any width up to eight bytes.
    Number(Ty),
    /// A time in thousandths of a second, of any width.
    Milliseconds,
    /// A filter program of the old kind.
    Filter,
    /// Values of fixed size, as many as fit.
    List(&'static Ty),
    /// A struct that grows from kernel to kernel: the members that are there, from this size on.
    Grown(&'static Struct, u16),
    /// A NUL-terminated string.
    Text,
    /// Attributes within.
    Nested(&'static Attrs),
    /// An address of the message's family.
    Address,
    /// A hardware address.
    Mac,
    /// `struct rtvia`: a family and an address of it.
    Via,
    /// `struct rtnexthop`s with attributes of their own.
    NextHops(&'static Attrs),
    /// A socket's memory counters.
    SockMemory,
}

pub const fn attrs(names: &'static Set, payloads: &'static [(u64, Payload)]) -> Attrs {
    Attrs { names: Some(names), payloads, default: Payload::Bytes }
}

const U8: Payload = Payload::Is(Ty::As(Width::W1, &Ty::UInt));
const U16: Payload = Payload::Is(Ty::As(Width::W2, &Ty::UInt));
const U32: Payload = Payload::Is(Ty::UInt);
const U64: Payload = Payload::Is(Ty::U64);
const S32: Payload = Payload::Is(Ty::Int);
const X32: Payload = Payload::Is(Ty::Hex);
const IFINDEX: Payload = Payload::Is(IFINDEX_TY);
const IFINDEX_TY: Ty = Ty::Custom(crate::Irregular::Ifindex, &Ty::UInt);
