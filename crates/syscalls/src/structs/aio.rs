//! Asynchronous I/O: aio, io_uring, I/O priorities.

use crate::sets::aio::*;
use crate::uapi::consts as c;
use crate::{Dir, Irregular, Len, Ty, When, Width, structs};

const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);
const OPCODE: &str = "aio_lio_opcode";
const POSITIONED: &[u64] = &[c::IOCB_CMD_PREAD, c::IOCB_CMD_PWRITE];
const VECTORED: &[u64] = &[c::IOCB_CMD_PREADV, c::IOCB_CMD_PWRITEV];

structs! {
    /// The control block of io_submit(2): linux/aio_abi.h
    pub IOCB = iocb {
        aio_data: HEX64, aio_key: Ty::NonZero(&Ty::UInt),
        aio_rw_flags: Ty::NonZero(&Ty::Flags(&RWF_FLAGS)),
        aio_lio_opcode: Ty::Enum(&IOCB_CMDS),
        aio_reqprio: Ty::NonZero(&Ty::Custom(Irregular::IocbPriority, &Ty::Int)),
        aio_fildes: Ty::Fd,
        aio_buf: Ty::Addr => When::OneOf(OPCODE, !0, &[c::IOCB_CMD_PREAD]),
        aio_buf: Ty::Bytes(Dir::In, Len::Of("aio_nbytes")) => When::OneOf(OPCODE, !0, &[c::IOCB_CMD_PWRITE]),
        aio_buf: Ty::Custom(Irregular::IocbVector, &Ty::Iovec(Dir::In, Len::Of("aio_nbytes"))) => When::OneOf(OPCODE, !0, VECTORED),
        aio_nbytes: Ty::U64 => When::OneOf(OPCODE, !0, POSITIONED),
        aio_nbytes: Ty::Custom(Irregular::IocbVectorLen, &Ty::U64) => When::OneOf(OPCODE, !0, VECTORED),
        aio_offset: Ty::I64 => When::OneOf(OPCODE, !0, POSITIONED),
        aio_offset: Ty::I64 => When::OneOf(OPCODE, !0, VECTORED),
        aio_flags: Ty::NonZero(&Ty::Flags(&IOCB_FLAGS)),
        aio_resfd: Ty::Fd => When::AnySet("aio_flags", &[c::IOCB_FLAG_RESFD])
    }
    /// A vector of which only the address matters: linux/uio.h
    pub IOVEC_ADDRS = iovec { iov_base: Ty::Addr, iov_len: Ty::ULong }
    /// io_getevents(2): linux/aio_abi.h
    pub IO_EVENT = io_event { data: HEX64, obj: Ty::Addr, res: Ty::I64, res2: Ty::I64 }
    /// The timeout of io_getevents(2).
    pub AIO_TIMESPEC = __kernel_old_timespec { tv_sec: Ty::Long, tv_nsec: Ty::ULong }
    /// The same where the timeout has 64 bits on every ABI.
    pub AIO_TIMESPEC64 = __kernel_timespec { tv_sec: Ty::I64, tv_nsec: Ty::U64 }
    /// io_pgetevents(2): linux/aio_abi.h
    pub AIO_SIGSET = __aio_sigset { sigmask: Ty::SigSet(Dir::In, Len::Of("sigsetsize")), sigsetsize: Ty::ULong }
}

structs! {
    /// io_uring_setup(2): linux/io_uring.h
    pub SQRING_OFFSETS = io_sqring_offsets {
        head: Ty::UInt, tail: Ty::UInt, ring_mask: Ty::UInt, ring_entries: Ty::UInt, flags: Ty::UInt, dropped: Ty::UInt,
        array: Ty::UInt, resv1: Ty::NonZero(&Ty::Hex), user_addr: HEX64
    }
    /// io_uring_setup(2): linux/io_uring.h
    pub CQRING_OFFSETS = io_cqring_offsets {
        head: Ty::UInt, tail: Ty::UInt, ring_mask: Ty::UInt, ring_entries: Ty::UInt, overflow: Ty::UInt, cqes: Ty::UInt,
        flags: Ty::UInt, resv1: Ty::NonZero(&Ty::Hex), user_addr: HEX64
    }
    /// io_uring_setup(2): linux/io_uring.h
    pub URING_PARAMS = io_uring_params {
        flags: Ty::Flags(&URING_SETUP), sq_thread_cpu: Ty::Hex, sq_thread_idle: Ty::UInt,
        wq_fd: Ty::Fd => When::AnySet("flags", &[c::IORING_SETUP_ATTACH_WQ]),
        resv: Ty::NonZero(&Ty::Items(&Ty::Hex)),
        sq_entries: Ty::Reply(&Ty::UInt), cq_entries: Ty::Reply(&Ty::UInt), features: Ty::Reply(&Ty::Flags(&URING_FEATURES)),
        sq_off: Ty::Reply(&Ty::Struct(&SQRING_OFFSETS)), cq_off: Ty::Reply(&Ty::Struct(&CQRING_OFFSETS))
    }
    /// io_uring_enter(2): linux/io_uring.h
    pub URING_GETEVENTS_ARG = io_uring_getevents_arg {
        sigmask: Ty::SigSet(Dir::In, Len::Of("sigmask_sz")), sigmask_sz: Ty::UInt, min_wait_usec: Ty::UInt,
        ts: Ty::Ptr(Dir::In, &Ty::Struct(&AIO_TIMESPEC64))
    }
    /// A ring of provided buffers, for io_uring_register(2): linux/io_uring.h
    pub URING_BUF_REG = io_uring_buf_reg {
        ring_addr: Ty::Addr, ring_entries: Ty::UInt, bgid: Ty::UInt, flags: Ty::Flags(&URING_BUF_RING),
        min_left: Ty::NonZero(&Ty::UInt), resv: Ty::NonZero(&Ty::Items(&Ty::Hex))
    }
    /// How far the kernel has read in such a ring: linux/io_uring.h
    pub URING_BUF_STATUS = io_uring_buf_status {
        buf_group: Ty::UInt, head: Ty::Reply(&Ty::UInt), resv: Ty::NonZero(&Ty::Items(&Ty::Hex))
    }
}
