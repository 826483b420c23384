//! Asynchronous I/O: aio, I/O priorities.

use crate::sets::aio::*;
use crate::sets::files::RWF;
use crate::sets::poll::POLL;
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
        aio_rw_flags: Ty::NonZero(&Ty::Flags(&RWF)),
        aio_lio_opcode: Ty::Enum(&IOCB_CMDS),
        aio_reqprio: Ty::Custom(Irregular::IocbPriority, &Ty::Int) => When::AnySet("aio_flags", &[c::IOCB_FLAG_IOPRIO]),
        aio_reqprio: Ty::NonZero(&Ty::Int) => When::NoneOf("aio_flags", c::IOCB_FLAG_IOPRIO, &[c::IOCB_FLAG_IOPRIO]),
        aio_fildes: Ty::Fd,
        aio_buf: HEX64 => When::OneOf(OPCODE, !0, &[c::IOCB_CMD_PREAD]),
        aio_buf: Ty::Flags(&POLL) => When::OneOf(OPCODE, !0, &[c::IOCB_CMD_POLL]),
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
    pub IO_EVENT = io_event { data: HEX64, obj: HEX64, res: Ty::I64, res2: Ty::I64 }
    /// The timeout of io_getevents(2).
    pub AIO_TIMESPEC = __kernel_old_timespec { tv_sec: Ty::Long, tv_nsec: Ty::ULong }
    /// The same where the timeout has 64 bits on every ABI.
    pub AIO_TIMESPEC64 = __kernel_timespec { tv_sec: Ty::I64, tv_nsec: Ty::U64 }
    /// io_pgetevents(2): linux/aio_abi.h
    pub AIO_SIGSET = __aio_sigset { sigmask: Ty::SigSet(Dir::In, Len::Of("sigsetsize")), sigsetsize: Ty::ULong }
}
