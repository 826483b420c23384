//! Socket options.

use crate::sets::sockopt::*;
use crate::structs::sockopt::*;
use crate::uapi::consts as c;
use crate::{Case, Class, Dir, Effect, Irregular, SelectKey, Len, Ret, Select, Syscall, Ty, arg, syscall};

const DESC: Class = Class::DESC.or(Class::NETWORK);

/// Option values beyond this are shown in part.
const VALUE: u32 = 4096;

/// The options of a level, as getsockopt(2) knows them.
static GET: Select = Select {
    on: SelectKey::of("level"),
    cases: &[
        Case(c::SOL_IP, Ty::Enum(&IP_OPT_GET)),
        Case(c::SOL_SOCKET, Ty::Enum(&SOCKET_OPT_GET)),
        Case(c::SOL_TCP, Ty::Enum(&TCP_OPT)),
        Case(c::SOL_UDP, Ty::Enum(&UDP_OPT)),
        Case(c::SOL_IPV6, Ty::Enum(&IPV6_OPT_GET)),
        Case(c::SOL_CAN_RAW, Ty::Enum(&CAN_RAW_OPT)),
        Case(c::SOL_SCTP, Ty::Enum(&SCTP_OPT)),
        Case(c::SOL_RAW, Ty::Enum(&RAW_OPT)),
        Case(c::SOL_IPX, Ty::Enum(&IPX_OPT)),
        Case(c::SOL_AX25, Ty::Enum(&AX25_OPT)),
        Case(c::SOL_PACKET, Ty::Enum(&PACKET_OPT)),
        Case(c::SOL_IRDA, Ty::Enum(&IRDA_OPT)),
        Case(c::SOL_LLC, Ty::Enum(&LLC_OPT)),
        Case(c::SOL_DCCP, Ty::Enum(&DCCP_OPT)),
        Case(c::SOL_NETLINK, Ty::Enum(&NETLINK_OPT)),
        Case(c::SOL_TIPC, Ty::Enum(&TIPC_OPT)),
        Case(c::SOL_RXRPC, Ty::Enum(&RXRPC_OPT)),
        Case(c::SOL_PPPOL2TP, Ty::Enum(&PPPOL2TP_OPT)),
        Case(c::SOL_BLUETOOTH, Ty::Enum(&BLUETOOTH_OPT)),
        Case(c::SOL_PNPIPE, Ty::Enum(&PNPIPE_OPT)),
        Case(c::SOL_RDS, Ty::Enum(&RDS_OPT)),
        Case(c::SOL_IUCV, Ty::Enum(&IUCV_OPT)),
        Case(c::SOL_CAIF, Ty::Enum(&CAIF_OPT)),
        Case(c::SOL_ALG, Ty::Enum(&ALG_OPT)),
        Case(c::SOL_NFC, Ty::Enum(&NFC_OPT)),
        Case(c::SOL_KCM, Ty::Enum(&KCM_OPT)),
        Case(c::SOL_TLS, Ty::Enum(&TLS_OPT)),
        Case(c::SOL_XDP, Ty::Enum(&XDP_OPT)),
        Case(c::AF_VSOCK, Ty::Enum(&VSOCK_OPT)),
    ],
    default: Ty::UInt,
};

/// The options of a level, as setsockopt(2) knows them.
static SET: Select = Select {
    on: SelectKey::of("level"),
    cases: &[
        Case(c::SOL_IP, Ty::Enum(&IP_OPT_SET)),
        Case(c::SOL_SOCKET, Ty::Enum(&SOCKET_OPT)),
        Case(c::SOL_TCP, Ty::Enum(&TCP_OPT)),
        Case(c::SOL_UDP, Ty::Enum(&UDP_OPT)),
        Case(c::SOL_IPV6, Ty::Enum(&IPV6_OPT_SET)),
        Case(c::SOL_CAN_RAW, Ty::Enum(&CAN_RAW_OPT)),
        Case(c::SOL_SCTP, Ty::Enum(&SCTP_OPT)),
        Case(c::SOL_RAW, Ty::Enum(&RAW_OPT)),
        Case(c::SOL_IPX, Ty::Enum(&IPX_OPT)),
        Case(c::SOL_AX25, Ty::Enum(&AX25_OPT)),
        Case(c::SOL_PACKET, Ty::Enum(&PACKET_OPT)),
        Case(c::SOL_IRDA, Ty::Enum(&IRDA_OPT)),
        Case(c::SOL_LLC, Ty::Enum(&LLC_OPT)),
        Case(c::SOL_DCCP, Ty::Enum(&DCCP_OPT)),
        Case(c::SOL_NETLINK, Ty::Enum(&NETLINK_OPT)),
        Case(c::SOL_TIPC, Ty::Enum(&TIPC_OPT)),
        Case(c::SOL_RXRPC, Ty::Enum(&RXRPC_OPT)),
        Case(c::SOL_PPPOL2TP, Ty::Enum(&PPPOL2TP_OPT)),
        Case(c::SOL_BLUETOOTH, Ty::Enum(&BLUETOOTH_OPT)),
        Case(c::SOL_PNPIPE, Ty::Enum(&PNPIPE_OPT)),
        Case(c::SOL_RDS, Ty::Enum(&RDS_OPT)),
        Case(c::SOL_IUCV, Ty::Enum(&IUCV_OPT)),
        Case(c::SOL_CAIF, Ty::Enum(&CAIF_OPT)),
        Case(c::SOL_ALG, Ty::Enum(&ALG_OPT)),
        Case(c::SOL_NFC, Ty::Enum(&NFC_OPT)),
        Case(c::SOL_KCM, Ty::Enum(&KCM_OPT)),
        Case(c::SOL_TLS, Ty::Enum(&TLS_OPT)),
        Case(c::SOL_XDP, Ty::Enum(&XDP_OPT)),
        Case(c::AF_VSOCK, Ty::Enum(&VSOCK_OPT)),
    ],
    default: Ty::UInt,
};

/// A filter is a program that the value points at.
const FILTER: Ty = Ty::Custom(Irregular::SockFilter, &Ty::Ptr(Dir::In, &Ty::Struct(&SOCK_FPROG)));

/// Of a filter the length counts instructions.
static VALUE_GET: Select = Select {
    on: SelectKey::pair("level", "optname"),
    cases: &[
        Case(
            SelectKey::both(c::SOL_SOCKET, c::SO_GET_FILTER),
            Ty::Custom(Irregular::SockoptGet, &Ty::Table(Dir::Out, &Ty::Struct(&SOCK_FILTER), Len::Deref("optlen"), VALUE)),
        ),
        Case(
            SelectKey::both(c::SOL_SOCKET, c::SO_PEERPIDFD),
            Ty::Custom(Irregular::SockoptGet, &Ty::Table(Dir::Out, &Ty::Fd, Len::Deref("optlen"), 1)),
        ),
    ],
    default: Ty::Custom(Irregular::SockoptGet, &Ty::Buffer(Dir::Out, Len::Deref("optlen"), VALUE)),
};

static VALUE_SET: Select = Select {
    on: SelectKey::pair("level", "optname"),
    cases: &[
        Case(SelectKey::both(c::SOL_SOCKET, c::SO_ATTACH_FILTER), FILTER),
        Case(SelectKey::both(c::SOL_SOCKET, c::SO_ATTACH_REUSEPORT_CBPF), FILTER),
    ],
    default: Ty::Custom(Irregular::SockoptSet, &Ty::Buffer(Dir::In, Len::Of("optlen"), VALUE)),
};

pub static ROWS: &[Syscall] = &[
    syscall("getsockopt", DESC, Ret::Int, &[
        arg("sockfd", Ty::Fd),
        arg("level", Ty::Enum(&SOL)),
        arg("optname", Ty::Select(&GET)),
        arg("optval", Ty::Select(&VALUE_GET)),
        arg("optlen", Ty::Custom(Irregular::LenChange, &Ty::Ptr(Dir::InOutAlways, &Ty::Int))),
    ]).in_kernel(&[("sockfd", "fd")])
    .does(&[Effect::AsksOfSocket]),
    syscall("setsockopt", DESC, Ret::Int, &[
        arg("sockfd", Ty::Fd),
        arg("level", Ty::Enum(&SOL)),
        arg("optname", Ty::Select(&SET)),
        arg("optval", Ty::Select(&VALUE_SET)),
        arg("optlen", Ty::Int),
    ]).in_kernel(&[("sockfd", "fd")])
    .does(&[Effect::SetsOfSocket]),
];

pub static I386: &[(&str, Syscall)] = &[];
