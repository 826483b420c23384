//! Requests of smaller families.

use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Len, Ty, Width, sets, structs};

sets! {
    /// linux/udmabuf.h
    pub UDMABUF_FLAGS "UDMABUF_FLAGS_???" { UDMABUF_FLAGS_CLOEXEC }
    /// linux/nbd.h
    pub NBD_FLAGS "NBD_FLAG_???" {
        NBD_FLAG_HAS_FLAGS, NBD_FLAG_READ_ONLY, NBD_FLAG_SEND_FLUSH, NBD_FLAG_SEND_FUA, NBD_FLAG_ROTATIONAL,
        NBD_FLAG_SEND_TRIM, NBD_FLAG_SEND_WRITE_ZEROES, NBD_FLAG_SEND_DF = 0x80, NBD_FLAG_CAN_MULTI_CONN,
        NBD_FLAG_SEND_RESIZE = 0x200, NBD_FLAG_SEND_CACHE = 0x400
    }
}

structs! {
    /// linux/udmabuf.h
    pub UDMABUF = udmabuf_create { memfd: Ty::Fd, flags: Ty::Flags(&UDMABUF_FLAGS), offset: Ty::U64, size: Ty::U64 }
    /// linux/udmabuf.h
    pub UDMABUF_LIST = udmabuf_create_list { flags: Ty::Flags(&UDMABUF_FLAGS), count: Ty::UInt }
    pub UDMABUF_ITEM = udmabuf_create_item { memfd: Ty::Fd, offset: Ty::U64, size: Ty::U64 }
    /// linux/eventpoll.h
    pub EPOLL_PARAMS = epoll_params {
        busy_poll_usecs: Ty::Custom(Irregular::Microseconds, &Ty::UInt), busy_poll_budget: Ty::UInt,
        prefer_busy_poll: Ty::Hex, __pad: Ty::NonZero(&Ty::Hex)
    }
}

const GET_INT: Ty = Ty::Array(Dir::Out, &Ty::Int, Len::Fixed(1));
const SET_INT: Ty = Ty::Array(Dir::In, &Ty::Int, Len::Fixed(1));
/// A struct with what is behind it.
const TAILED: &Ty = &Ty::Buffer(Dir::In, Len::Fixed(4096), 4096);

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::INOTIFY_IOC_SETNEXTWD, Ty::Int),
    Case(c::RNDGETENTCNT, GET_INT),
    Case(c::RNDADDTOENTCNT, SET_INT),
    Case(c::RNDADDENTROPY, Ty::Custom(Irregular::Entropy, TAILED)),
    Case(c::UDMABUF_CREATE, Ty::Ptr(Dir::In, &Ty::Struct(&UDMABUF))),
    Case(c::UDMABUF_CREATE_LIST, Ty::Custom(Irregular::UdmabufList, TAILED)),
    Case(c::NBD_SET_SOCK, Ty::Fd),
    Case(c::NBD_SET_BLKSIZE, Ty::ULong),
    Case(c::NBD_SET_SIZE, Ty::ULong),
    Case(c::NBD_SET_SIZE_BLOCKS, Ty::ULong),
    Case(c::NBD_SET_TIMEOUT, Ty::ULong),
    Case(c::NBD_SET_FLAGS, Ty::As(Width::W4, &Ty::Flags(&NBD_FLAGS))),
    Case(c::EPIOCSPARAMS, Ty::Ptr(Dir::In, &Ty::Struct(&EPOLL_PARAMS))),
    Case(c::EPIOCGPARAMS, Ty::Ptr(Dir::Out, &Ty::Struct(&EPOLL_PARAMS))),
];

/// The requests whose argument has no meaning.
pub const BARE: &[u64] = &[
    c::NBD_DISCONNECT,
    c::NBD_CLEAR_SOCK,
    c::NBD_DO_IT,
    c::NBD_CLEAR_QUE,
    c::NBD_PRINT_DEBUG,
    c::RNDZAPENTCNT,
    c::RNDCLEARPOOL,
    c::RNDRESEEDCRNG,
];
