//! Messages and their parts.

use crate::sets::socket::MSG;
use crate::{Dir, Len, Ty, structs};

/// Control messages beyond this, the default of net.core.optmem_max, are not shown.
const CONTROL: u32 = 128 << 10;

structs! {
    /// The message that sendmsg(2) takes: linux/socket.h of the kernel
    pub MSGHDR = user_msghdr {
        msg_name: Ty::Sockaddr(Dir::In, Len::Of("msg_namelen")),
        msg_namelen: Ty::Int,
        msg_iov: Ty::Iovec(Dir::In, Len::Of("msg_iovlen")),
        msg_iovlen: Ty::ULong,
        msg_control: Ty::Buffer(Dir::In, Len::Of("msg_controllen"), CONTROL),
        msg_controllen: Ty::ULong,
        msg_flags: Ty::Flags(&MSG),
    }
    /// The message that recvmsg(2) fills in
    pub MSGHDR_OUT = user_msghdr {
        msg_name: Ty::Sockaddr(Dir::Out, Len::Of("msg_namelen")),
        msg_namelen: Ty::Int,
        msg_iov: Ty::Iovec(Dir::Out, Len::Of("msg_iovlen")),
        msg_iovlen: Ty::ULong,
        msg_control: Ty::Buffer(Dir::Out, Len::Of("msg_controllen"), CONTROL),
        msg_controllen: Ty::ULong,
        msg_flags: Ty::Flags(&MSG),
    }
    /// sendmmsg(2)
    pub MMSGHDR = mmsghdr { msg_hdr: Ty::Struct(&MSGHDR), msg_len: Ty::UInt }
    /// recvmmsg(2)
    pub MMSGHDR_OUT = mmsghdr { msg_hdr: Ty::Struct(&MSGHDR_OUT), msg_len: Ty::UInt }
}
