//! Values of socket options.

use crate::cx::le;
use crate::irregular::inet;
use crate::{Cx, Member, Prefix, Tail, Text, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::structs::sockopt as structs;
use stride_syscalls::{Len, Set, Struct, sets::socket as names, sets::sockopt as sets, uapi::consts as c};

/// The shape of an option's value. A returned value may be shorter.
#[derive(Clone, Copy)]
enum Shape {
    /// An `int` if there are four bytes, or else a string.
    Plain,
    /// An `int`, with any length.
    Int,
    /// An `int` if there is room for one, or else bytes.
    IntOrBytes,
    /// `SO_ERROR`.
    Errno,
    /// A descriptor.
    Fd,
    /// As many `int`s as fit.
    Ints,
    /// An `int` with names.
    Enum(&'static Set),
    /// An `int` whose number is shown in decimal beside its name.
    Numbered(&'static Set),
    /// An enumeration that takes exactly four bytes.
    ExactEnum(&'static Set),
    Struct(&'static Struct),
    /// A struct that is shown only whole.
    WholeStruct(&'static Struct),
    /// A struct that takes exactly its own size.
    ExactStruct(&'static Struct),
    IcmpFilter,
    PortRange,
    PacketMreq,
    TcpAoKey,
    /// A filter program.
    Filter,
}

fn set_shape(level: u64, name: u64) -> Shape {
    match (level, name) {
        (c::SOL_IP, c::IP_ADD_MEMBERSHIP | c::IP_DROP_MEMBERSHIP) => Shape::Struct(&structs::IP_MREQ),
        (c::SOL_IP | c::SOL_IPV6, c::MCAST_JOIN_GROUP | c::MCAST_LEAVE_GROUP) => Shape::Struct(&structs::GROUP_REQ),
        (c::SOL_IP, c::IP_LOCAL_PORT_RANGE) => Shape::PortRange,
        (
            c::SOL_IPV6,
            c::IPV6_ADD_MEMBERSHIP | c::IPV6_DROP_MEMBERSHIP | c::IPV6_JOIN_ANYCAST | c::IPV6_LEAVE_ANYCAST,
        ) => Shape::Struct(&structs::IPV6_MREQ),
        (c::SOL_SOCKET, c::SO_LINGER) => Shape::Struct(&structs::LINGER),
        (c::SOL_SOCKET, c::SO_TXREHASH) => Shape::Numbered(&sets::TXREHASH),
        (c::SOL_SOCKET, name) if socket_int(name) => Shape::Int,
        (c::SOL_TCP, c::TCP_AO_ADD_KEY) => Shape::TcpAoKey,
        (c::SOL_RAW, c::ICMP_FILTER) => Shape::IcmpFilter,
        (c::SOL_PACKET, c::PACKET_ADD_MEMBERSHIP | c::PACKET_DROP_MEMBERSHIP) => Shape::PacketMreq,
        (c::SOL_PACKET, c::PACKET_RX_RING | c::PACKET_TX_RING) => Shape::ExactStruct(&structs::TPACKET_REQ),
        (c::SOL_NETLINK, _) if sets::NETLINK_OPT.name_of(name).is_some() => Shape::Int,
        (c::SOL_TIPC, c::TIPC_IMPORTANCE) => Shape::Enum(&sets::TIPC_IMPORTANCE),
        (c::SOL_TIPC, c::TIPC_GROUP_JOIN) => Shape::Struct(&structs::TIPC_GROUP_REQ),
        (c::SOL_TIPC, name) if tipc_int(name) => Shape::Int,
        _ => Shape::Plain,
    }
}

fn get_shape(level: u64, name: u64) -> Shape {
    match (level, name) {
        (c::SOL_IP, c::IP_LOCAL_PORT_RANGE) => Shape::PortRange,
        (c::SOL_IP, c::IP_PROTOCOL) => Shape::ExactEnum(&names::IPPROTO),
        (c::SOL_SOCKET, c::SO_ERROR) => Shape::Errno,
        (c::SOL_SOCKET, c::SO_LINGER) => Shape::Struct(&structs::LINGER),
        (c::SOL_SOCKET, c::SO_PEERCRED) => Shape::Struct(&structs::UCRED),
        (c::SOL_SOCKET, c::SO_PEERPIDFD) => Shape::Fd,
        (c::SOL_SOCKET, c::SO_GET_FILTER) => Shape::Filter,
        (c::SOL_SOCKET, c::SO_TXREHASH) => Shape::Numbered(&sets::TXREHASH),
        (c::SOL_SOCKET, name) if socket_int(name) => Shape::IntOrBytes,
        (c::SOL_RAW, c::ICMP_FILTER) => Shape::IcmpFilter,
        (c::SOL_PACKET, c::PACKET_STATISTICS) => Shape::Struct(&structs::TPACKET_STATS),
        (c::SOL_NETLINK, c::NETLINK_LIST_MEMBERSHIPS) => Shape::Ints,
        (c::SOL_NETLINK, _) if sets::NETLINK_OPT.name_of(name).is_some() => Shape::Int,
        (c::SOL_TIPC, c::TIPC_IMPORTANCE) => Shape::Enum(&sets::TIPC_IMPORTANCE),
        (c::SOL_TIPC, c::TIPC_GROUP_JOIN) => Shape::WholeStruct(&structs::TIPC_GROUP_REQ),
        (c::SOL_TIPC, name) if tipc_int(name) => Shape::Int,
        _ => Shape::Plain,
    }
}

/// Socket-level options that hold only an `int`.
fn socket_int(name: u64) -> bool {
    matches!(
        name,
        c::SO_DEBUG
            | c::SO_REUSEADDR
            | c::SO_DONTROUTE
            | c::SO_BROADCAST
            | c::SO_SNDBUF
            | c::SO_RCVBUF
            | c::SO_KEEPALIVE
            | c::SO_OOBINLINE
            | c::SO_NO_CHECK
            | c::SO_PRIORITY
            | c::SO_BSDCOMPAT
            | c::SO_REUSEPORT
            | c::SO_PASSCRED
            | c::SO_RCVLOWAT
            | c::SO_SNDLOWAT
            | c::SO_DETACH_FILTER
            | c::SO_TIMESTAMP_OLD
            | c::SO_ACCEPTCONN
            | c::SO_SNDBUFFORCE
            | c::SO_RCVBUFFORCE
            | c::SO_PASSSEC
            | c::SO_TIMESTAMPNS_OLD
            | c::SO_MARK
            | c::SO_TIMESTAMPING_OLD
            | c::SO_RXQ_OVFL
            | c::SO_WIFI_STATUS
            | c::SO_PEEK_OFF
            | c::SO_NOFCS
            | c::SO_LOCK_FILTER
            | c::SO_SELECT_ERR_QUEUE
            | c::SO_BUSY_POLL
            | c::SO_INCOMING_CPU
            | c::SO_CNX_ADVICE
            | c::SO_INCOMING_NAPI_ID
            | c::SO_ZEROCOPY
            | c::SO_TIMESTAMP_NEW
            | c::SO_TIMESTAMPNS_NEW
            | c::SO_TIMESTAMPING_NEW
            | c::SO_DETACH_REUSEPORT_BPF
            | c::SO_PREFER_BUSY_POLL
            | c::SO_BUSY_POLL_BUDGET
            | c::SO_RESERVE_MEM
            | c::SO_RCVMARK
            | c::SO_PASSPIDFD
            | c::SO_RCVPRIORITY
            | c::SO_PASSRIGHTS
            | c::SO_INQ
    )
}

fn tipc_int(name: u64) -> bool {
    matches!(
        name,
        c::TIPC_SRC_DROPPABLE
            | c::TIPC_DEST_DROPPABLE
            | c::TIPC_CONN_TIMEOUT
            | c::TIPC_NODE_RECVQ_DEPTH
            | c::TIPC_SOCK_RECVQ_DEPTH
            | c::TIPC_MCAST_BROADCAST
            | c::TIPC_MCAST_REPLICAST
            | c::TIPC_SOCK_RECVQ_USED
            | c::TIPC_NODELAY
            | c::TIPC_GROUP_LEAVE
    )
}

/// setsockopt(2)'s `optval`.
pub fn set<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    let len = cx.arg("optlen") as i32;
    let (level, name) = (cx.arg("level") & 0xffff_ffff, cx.arg("optname") & 0xffff_ffff);
    let (Ok(len), true) = (u64::try_from(len), addr != 0 && cx.verbose) else { return Value::Addr(addr) };
    Optval { cx, phase: Phase::Entry, addr, len, came: false }.show(set_shape(level, name)).unwrap_or(Value::Addr(addr))
}

/// getsockopt(2)'s `optval`.
pub fn get<'a>(cx: &Cx<'a>, addr: u64, len: Len) -> Value<'a> {
    let (level, name) = (cx.arg("level") & 0xffff_ffff, cx.arg("optname") & 0xffff_ffff);
    if addr == 0 || !cx.verbose || cx.failed() {
        return Value::Addr(addr);
    }
    let shape = get_shape(level, name);
    let len = match shape {
        // The length counts instructions.
        Shape::Filter => cx.len(len, Phase::Exit, crate::Siblings::Args).map(|n| n.saturating_mul(8)),
        _ => cx.len(len, Phase::Exit, crate::Siblings::Args),
    };
    let Some(len) = len.filter(|&n| n > 0 && (n as i32) > 0) else { return Value::Addr(addr) };
    Optval { cx, phase: Phase::Exit, addr, len, came: true }.show(shape).unwrap_or(Value::Addr(addr))
}

struct Optval<'a, 'c> {
    cx: &'c Cx<'a>,
    phase: Phase,
    addr: u64,
    len: u64,
    /// True if the value came from the kernel.
    came: bool,
}

impl<'a> Optval<'a, '_> {
    fn show(&self, shape: Shape) -> Option<Value<'a>> {
        let cx = self.cx;
        match shape {
            Shape::Plain if self.len == 4 => self.one(self.int()?),
            Shape::Plain => Some(generic::bytes(cx, self.phase, self.addr, self.len, TextKind::Bytes)),
            // The kernel reads an int and checks the length itself.
            Shape::Int if self.came || self.len >= 4 || cx.arg("level") as u32 as u64 == c::SOL_TIPC => {
                self.one(self.int()?)
            }
            Shape::Int => None,
            Shape::IntOrBytes if self.len >= 4 => self.one(self.int()?),
            Shape::Errno if self.len >= 4 => self.one(Value::Errno(self.u32()? as i32)),
            Shape::Fd if self.len >= 4 => self.one(generic::fd(cx, self.u32()? as i32)),
            Shape::Numbered(set) if self.len >= 4 => {
                let number = cx.keep(self.int()?);
                self.one(match set.name_of(self.u32()?.into()) {
                    Some(name) => Value::Known(number, cx.keep(Value::Word(name))),
                    None => Value::Numbered(cx.keep(Value::Known(number, cx.keep(Value::Unnamed(set))))),
                })
            }
            Shape::IntOrBytes | Shape::Errno | Shape::Fd => self.octets(),
            Shape::Numbered(_) if self.came => self.octets(),
            Shape::Enum(set) if self.len >= 4 => self.one(Value::Enum { raw: self.u32()?.into(), set }),
            Shape::Numbered(_) | Shape::Enum(_) => None,
            Shape::ExactEnum(set) if self.len == 4 => self.one(Value::Enum { raw: self.u32()?.into(), set }),
            Shape::ExactEnum(_) => self.octets(),
            Shape::Ints => {
                let n = self.len / 4;
                Some(generic::elements(cx, self.phase, self.addr, &stride_syscalls::Ty::UInt, n, false))
            }
            Shape::Struct(s) if self.came => self.partial(s),
            Shape::Struct(s) | Shape::WholeStruct(s) => {
                if self.len >= s.size(cx.abi()) as u64 {
                    cx.strukt(s, self.phase, self.addr)
                } else {
                    None
                }
            }
            Shape::ExactStruct(s) => {
                if self.len == s.size(cx.abi()) as u64 {
                    cx.strukt(s, self.phase, self.addr)
                } else {
                    None
                }
            }
            Shape::PortRange if self.len == 4 => {
                let range = self.u32()?;
                let port = |n: u32| (n != 0).then_some(n);
                let ports = Value::Range(port(range & 0xffff), port(range >> 16));
                let number = Value::Hex(range.into());
                // A zero stands for the system's limit. Two zeros mean that there is no range.
                let (low, high) = (range & 0xffff, range >> 16);
                self.one(if range == 0 || (high != 0 && low > high) {
                    number
                } else {
                    Value::Numbered(cx.keep(cx.known(number, ports)))
                })
            }
            Shape::PortRange => self.octets(),
            Shape::IcmpFilter => self.icmp_filter(),
            Shape::PacketMreq => self.packet_mreq(),
            Shape::TcpAoKey => self.tcp_ao_key(),
            Shape::Filter => {
                super::filter::instructions(cx, self.phase, self.addr, self.len / 8, super::filter::Runs::OnPackets)
            }
        }
    }

    fn one(&self, value: Value<'a>) -> Option<Value<'a>> {
        Some(Value::Array(self.cx.values(&[value]), Tail::End))
    }

    fn u32(&self) -> Option<u32> {
        Some(self.cx.uint(self.phase, self.addr, 4)? as u32)
    }

    fn int(&self) -> Option<Value<'a>> {
        Some(Value::Int(i64::from(self.u32()? as i32)))
    }

    /// Bytes that are too short for the option's type.
    fn octets(&self) -> Option<Value<'a>> {
        let shown = (self.len as usize).min(self.cx.options.text);
        let bytes = self.cx.read(self.phase, self.addr, shown)?;
        Some(Value::Text(Text { bytes, cut: (shown as u64) < self.len, kind: TextKind::HexBytes }))
    }

    /// The members of a struct that were written. A member that was written in part is shown as bytes.
    fn partial(&self, s: &'static Struct) -> Option<Value<'a>> {
        let cx = self.cx;
        let mut members = Vec::with_capacity_in(s.fields.len(), cx.arena);
        for field in s.fields {
            let place = field.place(cx.abi());
            let (from, size) = (u64::from(place.offset), u64::from(place.size));
            if from >= self.len {
                break;
            }
            let at = self.addr.wrapping_add(from);
            let value = if from + size <= self.len {
                generic::inline(
                    cx,
                    &field.ty,
                    self.phase,
                    at,
                    size as usize,
                    crate::Siblings::Struct(s, self.addr, self.phase),
                )?
            } else {
                let bytes = cx.read(self.phase, at, (self.len - from) as usize)?;
                Value::Text(Text { bytes, cut: false, kind: TextKind::HexBytes })
            };
            members.push(Member { name: field.name, value });
        }
        Some(Value::Struct(members.into_bump_slice(), Tail::End))
    }

    /// A mask of the ICMP types that are dropped.
    fn icmp_filter(&self) -> Option<Value<'a>> {
        let len = self.len.min(4) as usize;
        if len == 0 {
            return None;
        }
        let mask = le(self.cx.read(self.phase, self.addr, len)?, 0, len);
        let all = if mask == 0xffff_ffff { mask } else { mask & 0xffff_ffff };
        // The types that pass, or those that do not: the shorter list is shown.
        let inverted = all.count_ones() > 16;
        let shown = if inverted { !all & 0xffff_ffff } else { all };
        let types = (0..32).filter(|i| shown >> i & 1 != 0).map(|raw| Value::Enum { raw, set: &sets::ICMP_TYPE });
        let types = Vec::from_iter_in(types, self.cx.arena).into_bump_slice();
        let set = Value::Set(types);
        Some(if inverted { self.cx.unary(Prefix::Complement, set) } else { set })
    }

    fn packet_mreq(&self) -> Option<Value<'a>> {
        let s = &structs::PACKET_MREQ;
        let cx = self.cx;
        if self.len != s.size(cx.abi()) as u64 {
            return None;
        }
        let Value::Struct(members, tail) = cx.strukt(s, self.phase, self.addr)? else { return None };
        let members = cx.arena.alloc_slice_copy(members);
        let bytes = cx.read(self.phase, self.addr, 16)?;
        let len = usize::from(bytes[6]) | usize::from(bytes[7]) << 8;
        members[3].value = inet::mac(cx, &bytes[8..8 + len.min(8)]);
        Some(Value::Struct(members, tail))
    }

    fn tcp_ao_key(&self) -> Option<Value<'a>> {
        let s = &structs::TCP_AO_ADD;
        let cx = self.cx;
        if self.len < s.size(cx.abi()) as u64 {
            return None;
        }
        let Value::Struct(members, tail) = cx.strukt(s, self.phase, self.addr)? else { return None };
        let reserved = |m: &Member<'_>| m.name.starts_with("reserved") && matches!(m.value, Value::Hex(0));
        let mut kept = Vec::from_iter_in(members.iter().copied().filter(|m| !reserved(m)), cx.arena);
        let length = kept
            .iter()
            .find(|m| m.name == "keylen")
            .map_or(0, |m| if let Value::UInt(n) = m.value { n as usize } else { 0 });
        let key = cx.read(self.phase, self.addr.wrapping_add(208), length.min(80))?;
        for member in &mut kept {
            if member.name == "key" {
                member.value = inet::octets(cx, key);
            }
        }
        Some(Value::Struct(kept.into_bump_slice(), tail))
    }
}

/// `SO_ATTACH_FILTER`'s value: the length of a program, and a pointer to it.
pub fn filter<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    let s = &structs::SOCK_FPROG;
    if cx.arg("optlen") as u32 as usize != s.size(cx.abi()) {
        return Value::Addr(addr);
    }
    super::filter::program(cx, addr, super::filter::Runs::OnPackets)
}
