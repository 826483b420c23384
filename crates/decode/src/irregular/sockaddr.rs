//! Socket addresses.

mod amateur;
mod rare;

use crate::cx::le;
use crate::irregular::inet;
use crate::{Cx, Member, Siblings, Tail, Text, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::sets::socket as sets;
use stride_syscalls::{Dir, Len, Set, uapi::consts as c};

/// `sizeof(struct sockaddr_storage)`, the longest address.
const STORAGE: u64 = 128;

/// A `struct sockaddr` behind a pointer.
pub fn decode<'a>(cx: &Cx<'a>, addr: u64, dir: Dir, len: Len, siblings: Siblings) -> Value<'a> {
    match generic::follow(cx, addr, dir) {
        Err(value) => value,
        Ok(phase) => match cx.len(len, phase, siblings) {
            Some(n) => at(cx, phase, addr, n),
            None => Value::Addr(addr),
        },
    }
}

/// The address of `len` bytes at `addr`. The kernel refuses a negative length.
pub fn at<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, len: u64) -> Value<'a> {
    if len > i32::MAX as u64 {
        return Value::Addr(addr);
    }
    match cx.read(phase, addr, len.min(STORAGE) as usize) {
        Some(bytes) if bytes.len() >= 2 => value(cx, bytes),
        _ => Value::Addr(addr),
    }
}

/// Collects the members of an address.
struct Address<'a, 'c> {
    cx: &'c Cx<'a>,
    bytes: &'a [u8],
    members: Vec<'a, Member<'a>>,
    tail: Tail,
}

/// An address of at least two bytes, which hold the family.
pub fn value<'a>(cx: &Cx<'a>, bytes: &'a [u8]) -> Value<'a> {
    let family = le(bytes, 0, 2);
    let mut a = Address { cx, bytes, members: Vec::with_capacity_in(8, cx.arena), tail: Tail::End };
    a.add("sa_family", Value::Enum { raw: family, set: &sets::FAMILY });
    if bytes.len() > 2 && !a.family(family) {
        a.text("sa_data", &bytes[2..], TextKind::Bytes);
    }
    Value::Struct(a.members.into_bump_slice(), a.tail)
}

impl<'a> Address<'a, '_> {
    /// Adds the members of a known family. Returns `false` if the address is too short for it.
    fn family(&mut self, family: u64) -> bool {
        let least = match family {
            c::AF_UNIX => 3,
            c::AF_INET | c::AF_PACKET | c::AF_INET6 | c::AF_NETLINK => 0,
            _ => return self.rare(family),
        };
        if self.bytes.len() < least {
            return false;
        }
        match family {
            c::AF_UNIX => self.unix(),
            c::AF_INET if self.bytes.len() >= 16 => self.inet(),
            c::AF_INET6 if self.bytes.len() >= 24 => self.inet6(),
            c::AF_NETLINK if self.bytes.len() >= 12 => self.netlink(),
            c::AF_PACKET if self.bytes.len() >= 20 => self.packet(),
            _ => return false,
        }
        true
    }

    fn unix(&mut self) {
        const PATH: usize = 108;
        let path = &self.bytes[2..self.bytes.len().min(2 + PATH)];
        if path[0] == 0 {
            self.text("sun_path", path, TextKind::Abstract);
        } else {
            let end = path.iter().position(|&b| b == 0).unwrap_or(path.len());
            self.text("sun_path", &path[..end], TextKind::Path);
        }
    }

    fn inet(&mut self) {
        self.port("sin_port", 2);
        self.ip("sin_addr", 4, 4);
    }

    fn inet6(&mut self) {
        self.port("sin6_port", 2);
        self.add("sin6_flowinfo", inet::htonl(self.cx, self.array(4), Value::UInt));
        self.ip("sin6_addr", 8, 16);
        if self.bytes.len() > 24 {
            let scope = self.u(24, 4);
            // The scope names an interface only for link-local addresses.
            let link = match self.bytes[8..10] {
                [0xfe, b] => b & 0xc0 == 0x80,
                [0xff, b] => b & 0xf == 2,
                _ => false,
            };
            self.add("sin6_scope_id", if link { inet::ifindex(self.cx, scope as u32) } else { Value::UInt(scope) });
        }
    }

    fn netlink(&mut self) {
        self.hex_unless_zero("nl_pad", 2, 2);
        let pid = generic::held(
            self.cx,
            &stride_syscalls::Ty::Pid(stride_syscalls::PidKind::Tgid),
            self.u(4, 4),
            Siblings::Args,
        );
        self.add("nl_pid", pid);
        self.add("nl_groups", Value::PadHex { raw: self.u(8, 4), width: 8 });
    }

    fn packet(&mut self) {
        let protocol = inet::htons(self.cx, self.array(2), |raw| Value::Enum { raw, set: &sets::ETH_P });
        self.add("sll_protocol", protocol);
        self.add("sll_ifindex", inet::ifindex(self.cx, self.u(4, 4) as u32));
        self.enumeration("sll_hatype", 8, 2, &sets::ARPHRD);
        self.enumeration("sll_pkttype", 10, 1, &sets::PACKET_TYPE);
        let len = usize::from(self.bytes[11]);
        self.uint("sll_halen", 11, 1);
        if len > 0 {
            // Addresses of some links are longer than the member (InfiniBand has 20 bytes).
            let shown = len.min(self.bytes.len() - 12);
            let tail = if len > shown { Tail::More } else { Tail::End };
            self.add("sll_addr", self.octets(12, shown, tail));
        }
    }

    // --- members by offset and size ---

    fn add(&mut self, name: &'static str, value: Value<'a>) {
        self.members.push(Member { name, value });
    }

    fn u(&self, at: usize, width: usize) -> u64 {
        le(self.bytes, at, width)
    }

    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        std::array::from_fn(|i| self.bytes.get(at + i).copied().unwrap_or(0))
    }

    fn uint(&mut self, name: &'static str, at: usize, width: usize) {
        self.add(name, Value::UInt(self.u(at, width)));
    }

    fn hex(&mut self, name: &'static str, at: usize, width: usize) {
        self.add(name, Value::Hex(self.u(at, width)));
    }

    /// A member that is shown only if it is not zero.
    fn hex_unless_zero(&mut self, name: &'static str, at: usize, width: usize) {
        if self.u(at, width) != 0 {
            self.hex(name, at, width);
        }
    }

    fn enumeration(&mut self, name: &'static str, at: usize, width: usize, set: &'static Set) {
        self.add(name, Value::Enum { raw: self.u(at, width), set });
    }

    /// A number that has names for special values only.
    fn special(&mut self, name: &'static str, at: usize, width: usize, set: &'static Set) {
        let raw = self.u(at, width);
        self.add(name, if set.name_of(raw).is_some() { Value::Enum { raw, set } } else { Value::Hex(raw) });
    }

    fn flags(&mut self, name: &'static str, at: usize, width: usize, set: &'static Set) {
        self.add(name, Value::Flags { raw: self.u(at, width), set });
    }

    fn text(&mut self, name: &'static str, bytes: &'a [u8], kind: TextKind) {
        self.add(name, Value::Text(Text { bytes, cut: false, kind }));
    }

    fn port(&mut self, name: &'static str, at: usize) {
        self.add(name, inet::port(self.cx, self.array(at)));
    }

    fn ip(&mut self, name: &'static str, at: usize, len: usize) {
        if let Some(value) = inet::ip(&self.bytes[at..at + len]) {
            self.add(name, value);
        }
    }

    /// Bytes one by one.
    fn octets(&self, at: usize, len: usize, tail: Tail) -> Value<'a> {
        let bytes = self.bytes[at..at + len].iter().map(|&b| Value::PadHex { raw: b.into(), width: 2 });
        Value::Array(Vec::from_iter_in(bytes, self.cx.arena).into_bump_slice(), tail)
    }
}
