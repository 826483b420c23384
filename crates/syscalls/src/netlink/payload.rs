//! The description of a message: its fixed struct, and its attributes with their contents.

use crate::{Set, Struct, Ty, Width};

/// The body of a message: a fixed struct, then attributes.
#[derive(Debug)]
pub struct Body {
    /// The fixed struct.
    pub header: &'static Struct,
    /// The attributes behind it, if they are described.
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

/// The content of an attribute.
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
    /// Values with their indices, which have names: `[[SK_MEMINFO_RMEM_ALLOC]=0, …]`.
    Indexed(&'static Set, &'static Ty),
    /// A word of one, two, four or eight bytes, in hexadecimal.
    Word,
    /// A value of fixed size, and then attributes.
    Headed(&'static Ty, &'static Attrs),
    /// A value of fixed size, and bytes behind it.
    Trailed(&'static Ty),
    /// A struct, and what is behind it unless that is zero.
    Open(&'static Struct),
    /// A struct of texts and numbers. What is shorter is text.
    Report(&'static Struct),
    /// A NUL-terminated string in a struct, as far as the attribute goes. The name is its member's.
    Named(&'static str),
    /// The program of INET_DIAG_REQ_BYTECODE.
    DiagFilter,
    /// The content depends on the text of an earlier attribute, which has this type. (Empty if there is none.) The last
    /// payload is that of all other texts.
    ByKind(u64, &'static [(&'static str, Payload)], &'static Payload),
    /// The content depends on the message's address family. The last payload is that of all other families.
    ByFamily(&'static [(u64, Payload)], &'static Payload),
}

/// Attributes with these names and contents. All others are shown as bytes.
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
pub const X16: Payload = Payload::Is(Ty::As(Width::W2, &Ty::Hex));
pub const X8: Payload = Payload::Is(Ty::As(Width::W1, &Ty::Hex));
pub const TICKS: Payload = Payload::Number(Ty::Ticks);
pub const IPV4: Payload = Payload::Is(Ty::Custom(crate::Irregular::Ip, &Ty::Blob(4)));
pub const IPV6: Payload = Payload::Is(Ty::Custom(crate::Irregular::Ip, &Ty::Blob(16)));
pub const ETHERTYPE_TY: Ty = Ty::Custom(crate::Irregular::NetEtherType, &Ty::Blob(2));
