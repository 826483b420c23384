//! Netlink messages in the buffers of send(2) and recv(2).

mod attr;
mod body;
mod diag;
mod family;
mod uevent;
pub mod value;

use super::inet;
use crate::cx::le;
use crate::{Cx, Tail, Text, TextKind, Value};
use bumpalo::collections::Vec;
use stride_event::{FileKind, Phase};
use stride_syscalls::{Set, netlink as nl, plan, sets::socket as names, uapi::consts as c};

const HEADER: usize = 16;

/// A stretch of captured memory.
#[derive(Clone, Copy)]
struct Span<'a, 'c> {
    cx: &'c Cx<'a>,
    phase: Phase,
    addr: u64,
    len: usize,
}

impl<'a> Span<'a, '_> {
    fn read(&self, at: usize, len: usize) -> Option<&'a [u8]> {
        self.cx.read(self.phase, self.addr.wrapping_add(at as u64), len)
    }

    fn uint(&self, at: usize, width: usize) -> Option<u64> {
        self.read(at, width).map(|b| le(b, 0, width))
    }

    /// The rest of the span from `at` on.
    fn from(&self, at: usize) -> Self {
        let at = at.min(self.len);
        Span { addr: self.addr.wrapping_add(at as u64), len: self.len - at, ..*self }
    }

    fn first(&self, len: usize) -> Self {
        Span { len: self.len.min(len), ..*self }
    }

    /// Bytes without a known meaning.
    fn hex(&self) -> Value<'a> {
        let shown = self.len.min(self.cx.options.text);
        match self.read(0, shown) {
            Some(bytes) => Value::Text(Text { bytes, cut: shown < self.len, kind: TextKind::HexBytes }),
            None => Value::Addr(self.addr),
        }
    }

    /// An address of a family, such as AF_INET.
    fn address(&self, family: u64) -> Value<'a> {
        let size = match family {
            c::AF_INET => 4,
            c::AF_INET6 => 16,
            _ => return self.hex(),
        };
        if self.len < size {
            return self.hex();
        }
        self.read(0, size).and_then(inet::ip).unwrap_or(Value::Addr(self.addr))
    }

    /// Bytes that are mostly text.
    fn plain(&self) -> Value<'a> {
        let shown = self.len.min(self.cx.options.text);
        match self.read(0, shown) {
            Some(bytes) => Value::Text(Text { bytes, cut: shown < self.len, kind: TextKind::Bytes }),
            None => Value::Addr(self.addr),
        }
    }

    /// A NUL-terminated string.
    fn text(&self) -> Value<'a> {
        let Some(last) = self.len.checked_sub(1) else { return self.hex() };
        let shown = last.min(self.cx.options.text);
        match (self.read(0, shown), self.uint(last, 1)) {
            // The final NUL shows that the string is complete. Other NULs belong to the string.
            (Some(bytes), Some(0)) => Value::Text(Text { bytes, cut: shown < last, kind: TextKind::Bytes }),
            (Some(_), Some(_)) => {
                let shown = self.len.min(self.cx.options.text);
                let bytes = self.read(0, shown).unwrap_or(&[]);
                Value::Text(Text { bytes, cut: true, kind: TextKind::Bytes })
            }
            _ => Value::Addr(self.addr),
        }
    }

    fn unread(&self, at: usize) -> Tail {
        Tail::Unread(self.addr.wrapping_add(at as u64))
    }
}

/// The messages in a buffer of `len` bytes that went through socket `fd`. `None` if there are none.
pub fn buffer<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, len: u64, fd: i32) -> Option<Value<'a>> {
    let span = Span { cx, phase, addr, len: usize::try_from(len).ok()? };
    let first = span.uint(0, 4)?;
    // The lookup of a descriptor costs more than a look at the bytes.
    if len < HEADER as u64 || !plan::is_message(first as u32) {
        return None;
    }
    let protocol = match cx.call.file_kind {
        Some(FileKind::Netlink(protocol)) => protocol,
        Some(_) => return None,
        None => cx.resolver.netlink_protocol(cx.call.tid, fd)?,
    };
    match u64::from(protocol) {
        c::NETLINK_KOBJECT_UEVENT => uevent::show(&span),
        protocol => Some(messages(&span, protocol)),
    }
}

fn messages<'a>(span: &Span<'a, '_>, protocol: u64) -> Value<'a> {
    let cx = span.cx;
    let mut items = Vec::new_in(cx.arena);
    let mut at = 0;
    let mut tail = Tail::End;
    loop {
        let rest = span.from(at);
        let Some(header) = Header::read(&rest) else {
            if rest.len >= HEADER {
                tail = span.unread(at);
            } else {
                items.push(rest.hex());
            }
            break;
        };
        if cx.abbrev && items.len() >= cx.options.text || !cx.has_room() {
            tail = Tail::More;
            break;
        }
        let own = rest.first(header.len as usize);
        items.push(message(&own, &header, protocol));
        let step = (header.len as usize).next_multiple_of(4);
        at += step;
        if step < HEADER || at >= span.len || header.kind == c::NLMSG_DONE {
            break;
        }
    }
    match *items {
        [] => Value::Addr(span.addr),
        [one] if tail == Tail::End => one,
        _ => Value::Array(items.into_bump_slice(), tail),
    }
}

/// `struct nlmsghdr`.
struct Header {
    len: u64,
    kind: u64,
    flags: u64,
    seq: u64,
    pid: u64,
}

impl Header {
    fn read(span: &Span<'_, '_>) -> Option<Header> {
        if span.len < HEADER {
            return None;
        }
        let b = span.read(0, HEADER)?;
        Some(Header { len: le(b, 0, 4), kind: le(b, 4, 2), flags: le(b, 6, 2), seq: le(b, 8, 4), pid: le(b, 12, 4) })
    }

    fn show<'a>(&self, cx: &Cx<'a>, protocol: u64) -> Value<'a> {
        let pid = crate::generic::held(
            cx,
            &stride_syscalls::Ty::Pid(stride_syscalls::PidKind::Tgid),
            self.pid,
            crate::Siblings::Args,
        );
        cx.members(&[
            ("nlmsg_len", Value::UInt(self.len)),
            ("nlmsg_type", self.kind(cx, protocol)),
            ("nlmsg_flags", Value::Flags { raw: self.flags, set: self.flag_names(protocol) }),
            ("nlmsg_seq", Value::UInt(self.seq)),
            ("nlmsg_pid", pid),
        ])
    }

    fn kind<'a>(&self, cx: &Cx<'a>, protocol: u64) -> Value<'a> {
        let raw = self.kind;
        if nl::NLMSG.name_of(raw).is_some() {
            return Value::Enum { raw, set: &nl::NLMSG };
        }
        let set = match protocol {
            c::NETLINK_ROUTE => &nl::RTM,
            c::NETLINK_SOCK_DIAG => &nl::SOCK_DIAG,
            c::NETLINK_AUDIT => &nl::AUDIT,
            c::NETLINK_SELINUX => &nl::SELNL,
            c::NETLINK_XFRM => &nl::XFRM_MSG,
            c::NETLINK_CRYPTO => &nl::CRYPTO_MSG,
            c::NETLINK_NETFILTER => return netfilter_kind(cx, raw),
            c::NETLINK_GENERIC if raw == c::GENL_ID_CTRL => {
                return Value::Known(cx.keep(Value::Hex(raw)), &Value::Word("nlctrl"));
            }
            c::NETLINK_GENERIC => return family::kind(cx, raw),
            _ => &nl::NLMSG,
        };
        // The low numbers belong to the kernel in every family.
        Value::Enum { raw, set: if raw < c::NLMSG_MIN_TYPE { &nl::NLMSG } else { set } }
    }

    /// The upper flags depend on the kind of the request.
    fn flag_names(&self, protocol: u64) -> &'static Set {
        match self.kind {
            c::NLMSG_ERROR => return &nl::NLM_F_ACKED,
            c::NLMSG_NOOP | c::NLMSG_DONE | c::NLMSG_OVERRUN => return &nl::NLM_F,
            _ => {}
        }
        match protocol {
            c::NETLINK_ROUTE => match self.kind {
                c::RTM_DELACTION => &nl::NLM_F_GET,
                kind => match kind & 3 {
                    0 => &nl::NLM_F_NEW,
                    1 => &nl::NLM_F_DELETE,
                    2 => &nl::NLM_F_GET,
                    _ => &nl::NLM_F,
                },
            },
            c::NETLINK_SOCK_DIAG => &nl::NLM_F_GET,
            c::NETLINK_GENERIC if self.kind >= 16 => &nl::NLM_F_GET,
            c::NETLINK_NETFILTER => netfilter_flags(self.kind),
            c::NETLINK_XFRM => match self.kind {
                c::XFRM_MSG_NEWSA
                | c::XFRM_MSG_NEWPOLICY
                | c::XFRM_MSG_NEWAE
                | c::XFRM_MSG_NEWSADINFO
                | c::XFRM_MSG_NEWSPDINFO => &nl::NLM_F_NEW,
                c::XFRM_MSG_DELSA | c::XFRM_MSG_DELPOLICY => &nl::NLM_F_DELETE,
                c::XFRM_MSG_GETSA
                | c::XFRM_MSG_GETPOLICY
                | c::XFRM_MSG_GETAE
                | c::XFRM_MSG_GETSADINFO
                | c::XFRM_MSG_GETSPDINFO => &nl::NLM_F_GET,
                _ => &nl::NLM_F,
            },
            _ => &nl::NLM_F,
        }
    }
}

/// The flags of netfilter. Its subsystems have their own numbers for messages, but similar names.
fn netfilter_flags(kind: u64) -> &'static Set {
    let name = nl::netfilter_names(kind >> 8).and_then(|set| set.name_of(kind & 0xff)).unwrap_or("");
    let verb = |verb: &str| name.rsplit('_').any(|word| word.starts_with(verb));
    if verb("NEW") {
        &nl::NLM_F_NEW
    } else if verb("GET") {
        &nl::NLM_F_GET
    } else if verb("DEL") {
        &nl::NLM_F_DELETE
    } else {
        &nl::NLM_F
    }
}

fn netfilter_kind<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    if nl::NFNL_MSG_BATCH.name_of(raw).is_some() {
        return Value::Enum { raw, set: &nl::NFNL_MSG_BATCH };
    }
    let (subsystem, kind) = (raw >> 8, raw & 0xff);
    let kind = match nl::netfilter_names(subsystem) {
        Some(set) => Value::Enum { raw: kind, set },
        None => Value::Hex(kind),
    };
    let subsystem = Value::Enum { raw: subsystem, set: &nl::NFNL_SUBSYS };
    Value::Or(cx.values(&[cx.shifted(subsystem, 8), kind]))
}

/// One message: its header and its content.
fn message<'a>(span: &Span<'a, '_>, header: &Header, protocol: u64) -> Value<'a> {
    let shown = header.show(span.cx, protocol);
    let rest = span.from(HEADER);
    if rest.len == 0 {
        return shown;
    }
    let mut parts = Vec::with_capacity_in(3, span.cx.arena);
    parts.push(shown);
    body::parts(&rest, header.kind, header.flags, protocol, &mut parts);
    Value::Array(parts.into_bump_slice(), Tail::End)
}

/// The protocol of the netlink sockets that a request asks about.
pub fn protocol<'a>(raw: u64) -> Value<'a> {
    if raw == c::NDIAG_PROTO_ALL {
        return Value::Name { raw, name: "NDIAG_PROTO_ALL" };
    }
    Value::Enum { raw, set: &names::NETLINK_FAMILY }
}
