//! Structs around open files.

use crate::sets::files::*;
use crate::{Irregular, Ty, structs};

structs! {
    /// process_vm_readv(2): the other process's memory is not followed. linux/uio.h
    pub REMOTE_IOVEC = iovec { iov_base: Ty::Addr, iov_len: Ty::ULong }
    /// cachestat(2): linux/mman.h
    pub CACHESTAT_RANGE = cachestat_range { off: Ty::Hex, len: Ty::U64 }
    pub CACHESTAT = cachestat {
        nr_cache: Ty::U64, nr_dirty: Ty::U64, nr_writeback: Ty::U64, nr_evicted: Ty::U64, nr_recently_evicted: Ty::U64
    }
    /// openat2(2): linux/openat2.h
    pub OPEN_HOW_STRUCT = open_how {
        flags: Ty::Flags(&OPEN_HOW), mode: Ty::Custom(Irregular::OpenHowMode, &Ty::Blob(8)), resolve: Ty::Flags(&RESOLVE)
    }
}
