//! The description of a message: its fixed struct, and its attributes with their contents.

use crate::{Set, Struct, Ty, Width};

/// The body of a message: a fixed struct, then attributes.
#[derive(Debug)]
pub struct Body {
    pub header: &'static Struct,
    pub attrs: Option<&'static Attrs>,
}

/// Names and contents of the attributes of one level.
#[derive(Debug)]
pub struct Attrs {
    /// `None` if the types are only numbers.
    pub names: Option<&'static Set>,
    /// Types that are not here are shown as bytes.
    pub payloads: &'static [(u64, Payload)],
    /// The contents of attributes that are not listed.
    pub default: Payload,
}

#[derive(Clone, Copy, Debug)]
pub enum Payload {
    /// Unknown: shown as bytes.
    Bytes,
    /// A value of fixed size.
    Is(Ty),
    /// A number of any width up to eight bytes.
    Number(Ty),
    /// A time in thousandths of a second, of any width.
    Milliseconds,
    /// A classic BPF program.
    Filter,
    /// Values of fixed size, as many as fit.
    List(&'static Ty),
    /// A struct that grows from kernel to kernel, if at least this size is there: the members that are there.
    Extensible(&'static Struct, u16),
    /// A NUL-terminated string.
    Text,
    /// Nested attributes.
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

pub const U8: Payload = Payload::Is(Ty::As(Width::W1, &Ty::UInt));
pub const U16: Payload = Payload::Is(Ty::As(Width::W2, &Ty::UInt));
pub const U32: Payload = Payload::Is(Ty::UInt);
pub const U64: Payload = Payload::Is(Ty::U64);
pub const S32: Payload = Payload::Is(Ty::Int);
pub const X32: Payload = Payload::Is(Ty::Hex);
pub const IFINDEX: Payload = Payload::Is(IFINDEX_TY);
pub const IFINDEX_TY: Ty = Ty::Custom(crate::Irregular::Ifindex, &Ty::UInt);
