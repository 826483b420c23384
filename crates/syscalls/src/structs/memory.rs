//! Structs around memory.

use crate::sets::memory::{MAP, PROT};
use crate::{Ty, Width, structs};

structs! {
    /// linux/syscalls.h: the one argument of i386's first mmap points here
    pub MMAP_ARGS = mmap_arg_struct {
        addr: Ty::Addr, length = "len": Ty::ULong, prot: Ty::As(Width::Word, &Ty::Flags(&PROT)), flags: Ty::Flags(&MAP), fd: Ty::Fd,
        offset: Ty::HexLong
    }
    /// Buffers that are not followed: linux/uio.h
    pub BUFFERS = iovec { iov_base: Ty::Addr, iov_len: Ty::ULong }
}
