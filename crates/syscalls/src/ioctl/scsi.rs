//! Requests of SCSI generic devices: scsi/sg.h.

use crate::uapi::consts as c;
use crate::{Case, Dir, Len, Ty, sets};

sets! {
    pub RESETS "SG_SCSI_RESET_???" {
        SG_SCSI_RESET_NO_ESCALATE in 0x100, SG_SCSI_RESET_NOTHING in 0xff, SG_SCSI_RESET_DEVICE in 0xff,
        SG_SCSI_RESET_BUS in 0xff, SG_SCSI_RESET_HOST in 0xff, SG_SCSI_RESET_TARGET in 0xff
    }
}

const GET: Ty = Ty::Array(Dir::Out, &Ty::Int, Len::Fixed(1));
const SET: Ty = Ty::Array(Dir::In, &Ty::Int, Len::Fixed(1));

pub const CASES: &[Case] = &[
    Case(c::SG_EMULATED_HOST, GET),
    Case(c::SG_GET_COMMAND_Q, GET),
    Case(c::SG_GET_RESERVED_SIZE, GET),
    Case(c::SG_GET_LOW_DMA, GET),
    Case(c::SG_GET_PACK_ID, GET),
    Case(c::SG_GET_NUM_WAITING, GET),
    Case(c::SG_GET_SG_TABLESIZE, GET),
    Case(c::SG_GET_VERSION_NUM, GET),
    Case(c::SG_GET_KEEP_ORPHAN, GET),
    Case(c::SG_GET_ACCESS_COUNT, GET),
    Case(c::SG_GET_TRANSFORM, GET),
    Case(c::SG_SET_TIMEOUT, SET),
    Case(c::SG_SET_COMMAND_Q, SET),
    Case(c::SG_SET_RESERVED_SIZE, SET),
    Case(c::SG_SET_FORCE_LOW_DMA, SET),
    Case(c::SG_SET_FORCE_PACK_ID, SET),
    Case(c::SG_SET_DEBUG, SET),
    Case(c::SG_NEXT_CMD_LEN, SET),
    Case(c::SG_SET_KEEP_ORPHAN, SET),
    Case(c::SG_SCSI_RESET, Ty::Array(Dir::In, &Ty::Flags(&RESETS), Len::Fixed(1))),
    Case(c::SG_GET_SCSI_ID, Ty::Addr),
    Case(c::SG_GET_REQUEST_TABLE, Ty::Addr),
    Case(c::SG_IO, Ty::Addr),
];

pub const BARE: &[u64] = &[c::SG_GET_TIMEOUT];
