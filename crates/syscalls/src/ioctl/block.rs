//! Requests of block devices: linux/fs.h, linux/blkpg.h, linux/blktrace_api.h.

use crate::uapi::consts as c;
use crate::{Case, Dir, Len, PidKind, Ty, sets, structs};

sets! {
    /// linux/blkpg.h
    pub PARTITION_OPS "BLKPG_???" { BLKPG_ADD_PARTITION, BLKPG_DEL_PARTITION, BLKPG_RESIZE_PARTITION }
}

structs! {
    /// linux/blkpg.h
    pub PARTITION = blkpg_partition { start: Ty::I64, length: Ty::I64, pno: Ty::Int, devname: Ty::CStr, volname: Ty::CStr }
    /// linux/blkpg.h
    pub PARTITION_EDIT = blkpg_ioctl_arg {
        op: Ty::Enum(&PARTITION_OPS), flags: Ty::Int, datalen: Ty::Int,
        data: Ty::Ptr(Dir::In, &Ty::Struct(&PARTITION))
    }
    /// linux/blktrace_api.h
    pub TRACE_SETUP = blk_user_trace_setup {
        act_mask: Ty::UInt, buf_size: Ty::UInt, buf_nr: Ty::UInt, start_lba: Ty::U64, end_lba: Ty::U64,
        pid: Ty::Pid(PidKind::Tgid), name: Ty::Reply(&Ty::CStr)
    }
}

const GET_INT: Ty = Ty::Array(Dir::Out, &Ty::Int, Len::Fixed(1));
const GET_UINT: Ty = Ty::Array(Dir::Out, &Ty::UInt, Len::Fixed(1));
const GET_SHORT: Ty = Ty::Array(Dir::Out, &Ty::As(crate::Width::W2, &Ty::UInt), Len::Fixed(1));
const GET_LONG: Ty = Ty::Array(Dir::Out, &Ty::Long, Len::Fixed(1));
const GET_ULONG: Ty = Ty::Array(Dir::Out, &Ty::ULong, Len::Fixed(1));
const GET_64: Ty = Ty::Array(Dir::Out, &Ty::U64, Len::Fixed(1));
const SET_INT: Ty = Ty::Array(Dir::In, &Ty::Int, Len::Fixed(1));
const RANGE: Ty = Ty::Array(Dir::In, &Ty::U64, Len::Fixed(2));

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::BLKGETSIZE64, GET_64),
    Case(c::BLKSSZGET, GET_INT),
    Case(c::BLKGETSIZE, GET_ULONG),
    Case(c::BLKROGET, GET_INT),
    Case(c::BLKROSET, SET_INT),
    Case(c::BLKPBSZGET, GET_UINT),
    Case(c::BLKIOMIN, GET_UINT),
    Case(c::BLKIOOPT, GET_UINT),
    Case(c::BLKALIGNOFF, GET_INT),
    Case(c::BLKSECTGET, GET_SHORT),
    Case(c::BLKROTATIONAL, GET_SHORT),
    Case(c::BLKDISCARDZEROES, GET_UINT),
    Case(c::BLKBSZGET, GET_INT),
    Case(c::BLKBSZSET, SET_INT),
    Case(c::BLKRAGET, GET_LONG),
    Case(c::BLKFRAGET, GET_LONG),
    Case(c::BLKRASET, Ty::ULong),
    Case(c::BLKFRASET, Ty::ULong),
    Case(c::BLKDISCARD, RANGE),
    Case(c::BLKSECDISCARD, RANGE),
    Case(c::BLKZEROOUT, RANGE),
    Case(c::BLKGETDISKSEQ, GET_64),
    Case(c::BLKPG, Ty::Ptr(Dir::In, &Ty::Struct(&PARTITION_EDIT))),
    Case(c::BLKTRACESETUP, Ty::Exchange(&TRACE_SETUP)),
];

/// The requests whose argument has no meaning.
pub const BARE: &[u64] = &[c::BLKRRPART, c::BLKFLSBUF, c::BLKTRACESTART, c::BLKTRACESTOP, c::BLKTRACETEARDOWN];
