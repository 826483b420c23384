//! Address families that few programs use.

use super::{Address, value};
use crate::irregular::inet;
use crate::{Operator, Prefix, Tail, Text, TextKind, Value};
use stride_syscalls::{Set, sets::socket as sets, uapi::consts as c};

impl<'a> Address<'a, '_> {
    pub(super) fn rare(&mut self, family: u64) -> bool {
        let n = self.bytes.len();
        match family {
            c::AF_IPX if n >= 16 => self.ipx(),
            c::AF_AX25 if n >= 16 => self.ax25(),
            c::AF_X25 if n >= 18 => self.x25(),
            c::AF_TIPC if n >= 16 => self.tipc(),
            c::AF_BLUETOOTH if n >= 4 => self.bluetooth(),
            c::AF_RXRPC if n >= 36 => self.rxrpc(),
            c::AF_IEEE802154 if n >= 20 => self.ieee802154(),
            c::AF_ALG if n >= 25 => self.alg(),
            c::AF_NFC if n >= 16 => self.nfc(),
            c::AF_VSOCK if n >= 16 => self.vsock(),
            c::AF_QIPCRTR if n >= 12 => self.qipcrtr(),
            c::AF_XDP if n >= 16 => self.xdp(),
            c::AF_MCTP if n >= 12 => self.mctp(),
            _ => return false,
        }
        true
    }

    fn ipx(&mut self) {
        self.port("sipx_port", 2);
        self.add("sipx_network", inet::htonl(self.cx, self.array(4), Value::Hex));
        self.add("sipx_node", self.octets(8, 6, Tail::End));
        self.add("sipx_type", Value::PadHex { raw: self.u(14, 1), width: 2 });
        if self.u(15, 1) != 0 {
            self.add("sipx_zero", Value::PadHex { raw: self.u(15, 1), width: 2 });
        }
    }

    fn x25(&mut self) {
        let address = &self.bytes[2..18];
        let end = address.iter().position(|&b| b == 0);
        let text = Text { bytes: &address[..end.unwrap_or(15)], cut: end.is_none(), kind: TextKind::Str };
        self.add("sx25_addr", self.cx.members(&[("x25_addr", Value::Text(text))]));
    }

    fn tipc(&mut self) {
        let kind = self.u(2, 1);
        self.enumeration("addrtype", 2, 1, &sets::TIPC_ADDR_TYPE);
        // A negative scope stands for all addresses outside that scope.
        let scope = self.bytes[3] as i8;
        let outside = scope < 0;
        let scope = Value::Enum { raw: scope.unsigned_abs().into(), set: &sets::TIPC_SCOPE };
        self.add("scope", if outside { self.cx.unary(Prefix::Minus, scope) } else { scope });
        let n = |i: usize| Value::UInt(self.u(4 + 4 * i, 4));
        let hex = |i: usize| Value::Hex(self.u(4 + 4 * i, 4));
        let cx = self.cx;
        let address = match kind {
            c::TIPC_SERVICE_RANGE => {
                cx.members(&[("nameseq", cx.members(&[("type", n(0)), ("lower", n(1)), ("upper", n(2))]))])
            }
            c::TIPC_SERVICE_ADDR => {
                let name = cx.members(&[("type", n(0)), ("instance", n(1))]);
                cx.members(&[("name", cx.members(&[("name", name), ("domain", hex(2))]))])
            }
            c::TIPC_SOCKET_ADDR => cx.members(&[("id", cx.members(&[("ref", n(0)), ("node", hex(1))]))]),
            _ => Value::Text(Text { bytes: &self.bytes[4..16], cut: false, kind: TextKind::Bytes }),
        };
        self.add("addr", address);
    }

    /// Each protocol of Bluetooth has its own address. The length tells which one it is.
    fn bluetooth(&mut self) {
        let device = |a: &mut Self| {
            let number = Value::UInt(a.u(2, 2));
            a.add("hci_dev", a.htobs(number));
        };
        match self.bytes.len() {
            4 => device(self),
            6 => {
                device(self);
                self.enumeration("hci_channel", 4, 2, &sets::HCI_CHANNEL);
            }
            8 => self.add("sco_bdaddr", self.bdaddr(2)),
            10 => {
                self.add("rc_bdaddr", self.bdaddr(2));
                self.uint("rc_channel", 8, 1);
            }
            n @ (12 | 14) => {
                let psm = self.from("L2CAP_PSM_DYN_START", 0x1001, self.u(2, 2), &sets::L2CAP_PSM);
                self.add("l2_psm", self.htobs(psm));
                self.add("l2_bdaddr", self.bdaddr(4));
                let cid = self.from("L2CAP_CID_DYN_START", 0x40, self.u(10, 2), &sets::L2CAP_CID);
                self.add("l2_cid", self.htobs(cid));
                if n == 14 {
                    self.enumeration("l2_bdaddr_type", 12, 1, &sets::BDADDR);
                }
            }
            _ => self.text("sa_data", &self.bytes[2..], TextKind::Bytes),
        }
    }

    fn bdaddr(&self, at: usize) -> Value<'a> {
        inet::mac(self.cx, &self.bytes[at..at + 6])
    }

    /// A number in Bluetooth's byte order, which is the host's.
    fn htobs(&self, value: Value<'a>) -> Value<'a> {
        self.cx.call("htobs", &[value])
    }

    /// A number in a range that begins at `start`, unless the number has a name.
    fn from(&self, name: &'static str, start: u64, raw: u64, set: &'static Set) -> Value<'a> {
        if raw < start || set.name_of(raw).is_some() {
            return Value::Enum { raw, set };
        }
        let named = self.cx.binary(Value::Word(name), Operator::Plus, Value::UInt(raw - start));
        inet::either(self.cx, Value::Hex(raw), named)
    }

    fn rxrpc(&mut self) {
        const TRANSPORT: usize = 28;
        let service = Value::Enum { raw: self.u(2, 2), set: &sets::RXRPC_SERVICE };
        self.add("srx_service", Value::Numbered(self.cx.keep(service)));
        self.enumeration("transport_type", 4, 2, &sets::SOCK_TYPE);
        let len = self.u(6, 2) as usize;
        self.uint("transport_len", 6, 2);
        let transport = &self.bytes[8..8 + len.clamp(2, self.bytes.len() - 8)];
        let (wrap, family) = match self.u(8, 2) {
            c::AF_INET => ("sin", "sin_family"),
            c::AF_INET6 => ("sin6", "sin6_family"),
            raw => {
                let family = ("family", Value::Enum { raw, set: &sets::FAMILY });
                let rest = Value::Text(Text { bytes: &transport[2..], cut: false, kind: TextKind::Bytes });
                let members: &[_] = if transport.len() > 2 { &[family, ("", rest)] } else { &[family] };
                self.add("transport", self.cx.members(members));
                return;
            }
        };
        let mut inner = value(self.cx, &transport[..transport.len().min(TRANSPORT)]);
        if let Value::Struct(members, tail) = inner {
            let members = self.cx.arena.alloc_slice_copy(members);
            members[0].name = family;
            if let [_, rest] = members
                && rest.name == "sa_data"
            {
                rest.name = "";
            }
            inner = Value::Struct(members, tail);
        }
        self.add("transport", self.cx.members(&[(wrap, inner)]));
    }

    fn ieee802154(&mut self) {
        const SHORT: u64 = 2;
        let cx = self.cx;
        let kind = self.u(4, 4);
        let number = |raw, special: &[(u64, &'static str)]| match special.iter().find(|s| s.0 == raw) {
            Some(&(_, name)) => Value::Numbered(cx.keep(Value::Name { raw, name })),
            None => Value::Hex(raw),
        };
        let addr_type = Value::Numbered(cx.keep(Value::Enum { raw: kind, set: &sets::IEEE802154_ADDR }));
        let pan_id = number(self.u(8, 2), &[(0xffff, "IEEE802154_PANID_BROADCAST")]);
        let address = match kind {
            0 => cx.members(&[("addr_type", addr_type), ("pan_id", pan_id)]),
            SHORT => {
                let names = [(0xffff, "IEEE802154_ADDR_BROADCAST"), (0xfffe, "IEEE802154_ADDR_UNDEF")];
                cx.members(&[
                    ("addr_type", addr_type),
                    ("pan_id", pan_id),
                    ("short_addr", number(self.u(10, 2), &names)),
                ])
            }
            _ => cx.members(&[
                ("addr_type", addr_type),
                ("pan_id", pan_id),
                ("hwaddr", inet::mac(cx, &self.bytes[10..18])),
            ]),
        };
        self.add("addr", address);
    }

    fn alg(&mut self) {
        let cx = self.cx;
        let cstr = |bytes: &'a [u8]| {
            let end = bytes.iter().position(|&b| b == 0);
            // If there is no NUL, the last byte is not shown.
            let shown = &bytes[..end.unwrap_or(bytes.len() - 1)];
            Value::Text(Text { bytes: shown, cut: end.is_none(), kind: TextKind::Str })
        };
        self.add("salg_type", cstr(&self.bytes[2..16]));
        for (name, at) in [("salg_feat", 16), ("salg_mask", 20)] {
            let flags = Value::Flags { raw: self.u(at, 4), set: &sets::ALG_FEATURES };
            self.add(name, Value::Numbered(cx.keep(flags)));
        }
        // A name may be longer than the struct's member.
        self.add("salg_name", cstr(&self.bytes[24..]));
    }

    fn nfc(&mut self) {
        const LLCP: usize = 96;
        self.add("dev_idx", inet::ifindex(self.cx, self.u(4, 4) as u32));
        self.hex("target_idx", 8, 4);
        self.enumeration("nfc_protocol", 12, 4, &sets::NFC_TARGET);
        if self.bytes.len() >= LLCP {
            self.sap("dsap", 16);
            self.sap("ssap", 17);
            let len = self.u(88, 8);
            let name = &self.bytes[18..81];
            self.text(
                "service_name",
                &name[..name.len().min(usize::try_from(len).unwrap_or(usize::MAX))],
                TextKind::Bytes,
            );
            self.uint("service_name_len", 88, 8);
        } else if self.bytes.len() > 16 {
            self.tail = Tail::More;
        }
    }

    /// A service access point. Some have names.
    fn sap(&mut self, name: &'static str, at: usize) {
        let raw = self.u(at, 1);
        let enumeration = Value::Enum { raw, set: &sets::LLCP_SAP };
        let known = sets::LLCP_SAP.name_of(raw).is_some();
        self.add(name, if known { Value::Numbered(self.cx.keep(enumeration)) } else { Value::Hex(raw) });
    }

    fn vsock(&mut self) {
        self.hex_unless_zero("svm_reserved1", 2, 2);
        self.special("svm_cid", 8, 4, &sets::VMADDR_CID);
        self.special("svm_port", 4, 4, &sets::VMADDR_PORT);
        self.flags("svm_flags", 12, 1, &sets::VMADDR_FLAGS);
        if self.u(13, 3) != 0 {
            self.add("svm_zero", inet::octets(self.cx, &self.bytes[13..16]));
        }
    }

    fn qipcrtr(&mut self) {
        self.special("sq_node", 4, 4, &sets::QRTR_NODE);
        self.special("sq_port", 8, 4, &sets::QRTR_PORT);
    }

    fn xdp(&mut self) {
        self.flags("sxdp_flags", 2, 2, &sets::XDP_FLAGS);
        self.add("sxdp_ifindex", inet::ifindex(self.cx, self.u(4, 4) as u32));
        self.uint("sxdp_queue_id", 8, 4);
        if self.u(2, 2) & c::XDP_SHARED_UMEM != 0 {
            self.add("sxdp_shared_umem_fd", crate::generic::fd(self.cx, self.u(12, 4) as i32));
        } else {
            // Without the flag, the kernel does not look at this member.
            self.hex_unless_zero("sxdp_shared_umem_fd", 12, 4);
        }
    }

    fn mctp(&mut self) {
        self.hex_unless_zero("__smctp_pad0", 2, 2);
        self.special("smctp_network", 4, 4, &sets::MCTP_NET);
        let raw = self.u(8, 1);
        let known = sets::MCTP_ADDR.name_of(raw).is_some();
        let address = if known { Value::Enum { raw, set: &sets::MCTP_ADDR } } else { Value::Hex(raw) };
        self.add("smctp_addr", self.cx.members(&[("s_addr", address)]));
        self.hex("smctp_type", 9, 1);
        self.hex("smctp_tag", 10, 1);
        self.hex_unless_zero("__smctp_pad1", 11, 1);
    }
}
