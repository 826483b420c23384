//! Sockets: making, naming and connecting them, and transferring data.

use crate::effect::{Data, Effect, For, Thing, makes, reads, writes};
use crate::sets::socket::*;
use crate::structs::time::{TIMESPEC, TIMESPEC64};
use crate::structs::socket::*;
use crate::uapi::consts as c;
use crate::{Case, Class, Dir, Irregular, SelectKey, Len, Note, Ret, Select, Syscall, Ty, arg, syscall};

const NET: Class = Class::NETWORK;
/// Most take the socket's descriptor.
const DESC: Class = Class::DESC.or(Class::NETWORK);

/// The protocols of each family.
static PROTOCOL: Select = Select {
    on: SelectKey::of("domain"),
    cases: &[
        Case(c::AF_INET, Ty::Enum(&IPPROTO)),
        Case(c::AF_INET6, Ty::Enum(&IPPROTO)),
        Case(c::AF_AX25, Ty::Custom(Irregular::Numbered, &Ty::Enum(&AX25_PROTOCOL))),
        Case(c::AF_NETLINK, Ty::Enum(&NETLINK_FAMILY)),
        Case(c::AF_PACKET, Ty::Custom(Irregular::PacketProtocol, &Ty::UInt)),
        Case(c::AF_IRDA, Ty::Enum(&IRDA_PROTOCOL)),
        Case(c::AF_CAN, Ty::Enum(&CAN_PROTOCOL)),
        Case(c::AF_BLUETOOTH, Ty::Enum(&BTPROTO)),
        Case(c::AF_RXRPC, Ty::Enum(&FAMILY)),
        Case(c::AF_ISDN, Ty::Enum(&ISDN_PROTOCOL)),
        Case(c::AF_PHONET, Ty::Enum(&PHONET_PROTOCOL)),
        Case(c::AF_CAIF, Ty::Enum(&CAIF_PROTOCOL)),
        Case(c::AF_NFC, Ty::Enum(&NFC_PROTOCOL)),
        Case(c::AF_KCM, Ty::Enum(&KCM_PROTOCOL)),
        Case(c::AF_SMC, Ty::Enum(&SMC_PROTOCOL)),
    ],
    default: Ty::UInt,
};

/// The room for an address, and how long the address is: `[128 => 16]`.
const ADDRLEN: Ty = Ty::Custom(Irregular::LenChange, &Ty::Ptr(Dir::InOut, &Ty::Int));
/// An address that the program gives.
const ADDR: Ty = Ty::Sockaddr(Dir::In, Len::Of("addrlen"));
/// An address that the kernel fills in.
const ADDR_OUT: Ty = Ty::Sockaddr(Dir::Out, Len::Deref("addrlen"));
const PAYLOAD: Ty = Ty::Custom(Irregular::Payload, &Ty::Bytes(Dir::In, Len::Of("len")));
const PAYLOAD_OUT: Ty = Ty::Custom(Irregular::Payload, &Ty::Bytes(Dir::Out, Len::Ret));
const SOCK_TYPE_TY: Ty = Ty::Custom(Irregular::SockType, &Ty::UInt);

pub static ROWS: &[Syscall] = &[
    syscall("socket", NET, Ret::Fd, &[
        arg("domain", Ty::Enum(&FAMILY)),
        arg("type", SOCK_TYPE_TY),
        arg("protocol", Ty::Select(&PROTOCOL)),
    ]).in_kernel(&[("domain", "family")]).does(&[makes(Thing::Socket).cloexec_if("type", c::SOCK_CLOEXEC)]),
    syscall("socketpair", NET, Ret::Int, &[
        arg("domain", Ty::Enum(&FAMILY)),
        arg("type", SOCK_TYPE_TY),
        arg("protocol", Ty::Select(&PROTOCOL)),
        arg("sv", Ty::Array(Dir::Out, &Ty::Fd, Len::Fixed(2))),
    ]).in_kernel(&[("domain", "family"), ("sv", "usockvec")]).does(&[makes(Thing::SocketPair).cloexec_if("type", c::SOCK_CLOEXEC)]),
    syscall("bind", DESC, Ret::Int, &[arg("sockfd", Ty::Fd), arg("addr", ADDR), arg("addrlen", Ty::Int)]).in_kernel(&[("sockfd", "fd"), ("addr", "umyaddr")])
        .does(&[Effect::Binds]),
    syscall("connect", DESC, Ret::Int, &[arg("sockfd", Ty::Fd), arg("addr", ADDR), arg("addrlen", Ty::Int)]).in_kernel(&[("sockfd", "fd"), ("addr", "uservaddr")])
        .does(&[Effect::Connects]),
    syscall("listen", DESC, Ret::Int, &[arg("sockfd", Ty::Fd), arg("backlog", Ty::Int)]).in_kernel(&[("sockfd", "fd")]),
    syscall("accept", DESC, Ret::Fd, &[arg("sockfd", Ty::Fd), arg("addr", ADDR_OUT), arg("addrlen", ADDRLEN)]).in_kernel(&[("sockfd", "fd"), ("addr", "upeer_sockaddr"), ("addrlen", "upeer_addrlen")])
        .does(&[Effect::MayWait(For::Peer), makes(Thing::Connection)]),
    syscall("accept4", DESC, Ret::Fd, &[
        arg("sockfd", Ty::Fd),
        arg("addr", ADDR_OUT),
        arg("addrlen", ADDRLEN),
        arg("flags", Ty::Flags(&SOCK_FLAGS)),
    ]).in_kernel(&[("sockfd", "fd"), ("addr", "upeer_sockaddr"), ("addrlen", "upeer_addrlen")]).does(&[Effect::MayWait(For::Peer), makes(Thing::Connection).cloexec_if("flags", c::SOCK_CLOEXEC)]),
    syscall("getsockname", DESC, Ret::Int, &[arg("sockfd", Ty::Fd), arg("addr", ADDR_OUT), arg("addrlen", ADDRLEN)]).in_kernel(&[("sockfd", "fd"), ("addr", "usockaddr"), ("addrlen", "usockaddr_len")]),
    syscall("getpeername", DESC, Ret::Int, &[arg("sockfd", Ty::Fd), arg("addr", ADDR_OUT), arg("addrlen", ADDRLEN)]).in_kernel(&[("sockfd", "fd"), ("addr", "usockaddr"), ("addrlen", "usockaddr_len")]),
    syscall("send", DESC, Ret::Size, &[
        arg("sockfd", Ty::Fd),
        arg("buf", PAYLOAD),
        arg("len", Ty::ULong),
        arg("flags", Ty::Flags(&MSG)),
    ]).does(&[writes(Data::Bytes).asked("len")]),
    syscall("sendto", DESC, Ret::Size, &[
        arg("sockfd", Ty::Fd),
        arg("buf", PAYLOAD),
        arg("len", Ty::ULong),
        arg("flags", Ty::Flags(&MSG)),
        arg("dest_addr", ADDR),
        arg("addrlen", Ty::Int),
    ]).in_kernel(&[("sockfd", "fd"), ("buf", "buff"), ("dest_addr", "addr"), ("addrlen", "addr_len")]).does(&[writes(Data::Bytes).asked("len")]),
    syscall("recv", DESC, Ret::Size, &[
        arg("sockfd", Ty::Fd),
        arg("buf", PAYLOAD_OUT),
        arg("len", Ty::ULong),
        arg("flags", Ty::Flags(&MSG)),
    ]).does(&[Effect::MayWait(For::Peer), reads(Data::Bytes).asked("len")]),
    syscall("recvfrom", DESC, Ret::Size, &[
        arg("sockfd", Ty::Fd),
        arg("buf", PAYLOAD_OUT),
        arg("len", Ty::ULong),
        arg("flags", Ty::Flags(&MSG)),
        arg("src_addr", ADDR_OUT),
        arg("addrlen", ADDRLEN),
    ]).in_kernel(&[("sockfd", "fd"), ("buf", "ubuf"), ("len", "size"), ("src_addr", "addr"), ("addrlen", "addr_len")]).does(&[Effect::MayWait(For::Peer), reads(Data::Bytes).asked("len")]),
    syscall("sendmsg", DESC, Ret::Size, &[
        arg("sockfd", Ty::Fd),
        arg("msg", Ty::Custom(Irregular::Msghdr, &Ty::Ptr(Dir::In, &Ty::Struct(&MSGHDR)))),
        arg("flags", Ty::Flags(&MSG)),
    ]).in_kernel(&[("sockfd", "fd")]).does(&[writes(Data::Message), Effect::PassesDescriptors]),
    syscall("recvmsg", DESC, Ret::Size, &[
        arg("sockfd", Ty::Fd),
        arg("msg", Ty::Custom(Irregular::Msghdr, &Ty::Ptr(Dir::InOut, &Ty::Struct(&MSGHDR_OUT)))),
        arg("flags", Ty::Flags(&MSG)),
    ]).in_kernel(&[("sockfd", "fd")]).does(&[Effect::MayWait(For::Peer), reads(Data::Message), Effect::PassesDescriptors]),
    syscall("sendmmsg", DESC, Ret::Int, &[
        arg("sockfd", Ty::Fd),
        arg("msgvec", Ty::Custom(Irregular::Mmsghdr, &Ty::Array(Dir::InOut, &Ty::Struct(&MMSGHDR), Len::Of("vlen")))),
        arg("vlen", Ty::UInt),
        arg("flags", Ty::Flags(&MSG)),
    ]).in_kernel(&[("sockfd", "fd"), ("msgvec", "mmsg")]).does(&[writes(Data::Messages), Effect::PassesDescriptors]),
    syscall("recvmmsg", DESC, Ret::Int, &[
        arg("sockfd", Ty::Fd),
        arg("msgvec", Ty::Custom(Irregular::MmsghdrOut, &Ty::Array(Dir::InOut, &Ty::Struct(&MMSGHDR_OUT), Len::Of("vlen")))),
        arg("vlen", Ty::UInt),
        arg("flags", Ty::Flags(&MSG)),
        arg("timeout", Ty::Custom(Irregular::Timeout, &Ty::Ptr(Dir::InOut, &Ty::Struct(&TIMESPEC)))),
    ]).in_kernel(&[("sockfd", "fd"), ("msgvec", "mmsg")]).noted(Note::TimeLeft).does(&[Effect::MayWait(For::Peer), reads(Data::Messages), Effect::PassesDescriptors]),
    syscall("recvmmsg_time64", DESC, Ret::Int, &[
        arg("sockfd", Ty::Fd),
        arg("msgvec", Ty::Custom(Irregular::MmsghdrOut, &Ty::Array(Dir::InOut, &Ty::Struct(&MMSGHDR_OUT), Len::Of("vlen")))),
        arg("vlen", Ty::UInt),
        arg("flags", Ty::Flags(&MSG)),
        arg("timeout", Ty::Custom(Irregular::Timeout, &Ty::Ptr(Dir::InOut, &Ty::Struct(&TIMESPEC64)))),
    ]).noted(Note::TimeLeft).does(&[Effect::MayWait(For::Peer), reads(Data::Messages), Effect::PassesDescriptors]),
    syscall("shutdown", DESC, Ret::Int, &[arg("sockfd", Ty::Fd), arg("how", Ty::Enum(&SHUT))]).in_kernel(&[("sockfd", "fd")]),
];

pub static I386: &[(&str, Syscall)] = &[];
