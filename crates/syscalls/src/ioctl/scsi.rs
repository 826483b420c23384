//! Requests of SCSI generic devices: scsi/sg.h, linux/bsg.h.

use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Len, Ty, When, Width, sets, structs};

sets! {
    pub RESETS "SG_SCSI_RESET_???" {
        SG_SCSI_RESET_NO_ESCALATE in 0x100, SG_SCSI_RESET_NOTHING in 0xff, SG_SCSI_RESET_DEVICE in 0xff,
        SG_SCSI_RESET_BUS in 0xff, SG_SCSI_RESET_HOST in 0xff, SG_SCSI_RESET_TARGET in 0xff
    }
    /// Negative numbers of 32 bits
    pub DIRECTIONS "SG_DXFER_???" {
        SG_DXFER_NONE = 0xffff_ffff, SG_DXFER_TO_DEV = 0xffff_fffe, SG_DXFER_FROM_DEV = 0xffff_fffd,
        SG_DXFER_TO_FROM_DEV = 0xffff_fffc, SG_DXFER_UNKNOWN = 0xffff_fffb
    }
    pub FLAGS "SG_FLAG_???" {
        SG_FLAG_DIRECT_IO, SG_FLAG_UNUSED_LUN_INHIBIT, SG_FLAG_MMAP_IO, SG_FLAG_NO_DXFER, SG_FLAG_Q_AT_TAIL, SG_FLAG_Q_AT_HEAD
    }
    pub INFO "SG_INFO_???" { SG_INFO_CHECK, SG_INFO_DIRECT_IO, SG_INFO_MIXED_IO }
    pub PROTOCOLS "BSG_PROTOCOL_???" { BSG_PROTOCOL_SCSI }
    pub SUBPROTOCOLS "BSG_SUB_PROTOCOL_???" {
        BSG_SUB_PROTOCOL_SCSI_CMD, BSG_SUB_PROTOCOL_SCSI_TMF, BSG_SUB_PROTOCOL_SCSI_TRANSPORT
    }
    pub BSG_FLAGS "BSG_FLAG_???" { BSG_FLAG_Q_AT_TAIL, BSG_FLAG_Q_AT_HEAD }
}

const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);

/// Bytes that are shown as hexadecimal escapes, as many as this member says.
macro_rules! octets {
    ($dir:ident, $len:literal) => {
        Ty::Custom(Irregular::HexBytes, &Ty::Bytes(Dir::$dir, Len::Of($len)))
    };
}

structs! {
    /// A command as the program gives it. The data are bytes, or buffers if there is a number of vectors.
    pub COMMAND = sg_io_hdr {
        interface_id: Ty::Int => When::Never, dxfer_direction: Ty::Enum(&DIRECTIONS), cmd_len: Ty::UInt,
        cmdp: octets!(In, "cmd_len"), mx_sb_len: Ty::UInt, iovec_count: Ty::UInt, dxfer_len: Ty::UInt, timeout: Ty::UInt,
        flags: Ty::Flags(&FLAGS), dxferp: Ty::Bytes(Dir::InOutAlways, Len::Of("dxfer_len")) => When::Never,
        dxferp: Ty::Iovec(Dir::InOutAlways, Len::Of("iovec_count")) => When::Never
    }
    /// The outcome of the command.
    pub RESULT = sg_io_hdr {
        status: Ty::Hex, masked_status: Ty::Hex, msg_status: Ty::Hex, sb_len_wr: Ty::UInt, sbp: octets!(OutAlways, "sb_len_wr"),
        host_status: Ty::Hex, driver_status: Ty::Hex, resid: Ty::Int, duration: Ty::UInt, info: Ty::Flags(&INFO)
    }
    /// The newer form of the same.
    pub COMMAND_V4 = sg_io_v4 {
        protocol: Ty::Enum(&PROTOCOLS), subprotocol: Ty::Enum(&SUBPROTOCOLS), request_len: Ty::UInt,
        request: octets!(In, "request_len"), request_tag: HEX64, request_attr: Ty::UInt, request_priority: Ty::UInt,
        request_extra: Ty::UInt, max_response_len: Ty::UInt, dout_iovec_count: Ty::UInt, dout_xfer_len: Ty::UInt,
        din_iovec_count: Ty::UInt, din_xfer_len: Ty::UInt, dout_xferp: Ty::Bytes(Dir::In, Len::Of("dout_xfer_len")),
        dout_xferp: Ty::Iovec(Dir::In, Len::Of("dout_iovec_count")) => When::Never, timeout: Ty::UInt,
        flags: Ty::Flags(&BSG_FLAGS), usr_ptr: HEX64
    }
    pub RESULT_V4 = sg_io_v4 {
        response_len: Ty::UInt, response: octets!(OutAlways, "response_len"),
        din_xferp: Ty::Bytes(Dir::OutAlways, Len::Of("din_xfer_len")), din_iovec_count: Ty::UInt => When::Never,
        din_xferp: Ty::Iovec(Dir::OutAlways, Len::Of("din_iovec_count")) => When::Never, din_xfer_len: Ty::UInt => When::Never,
        driver_status: Ty::Hex, transport_status: Ty::Hex, device_status: Ty::Hex, retry_delay: Ty::UInt, info: Ty::Flags(&INFO),
        duration: Ty::UInt, din_resid: Ty::Int, dout_resid: Ty::Int, generated_tag: HEX64
    }
}

/// The first number of the struct says which form the command has. The kernel may fill in results even if the call
/// fails.
const IO: Ty = Ty::Custom(
    Irregular::ScsiCommand,
    &Ty::Shapes(&[
        Ty::Ptr(Dir::InOutAlways, &Ty::Struct(&COMMAND)),
        Ty::Ptr(Dir::InOutAlways, &Ty::Struct(&RESULT)),
        Ty::Ptr(Dir::InOutAlways, &Ty::Struct(&COMMAND_V4)),
        Ty::Ptr(Dir::InOutAlways, &Ty::Struct(&RESULT_V4)),
    ]),
);

const GET: Ty = Ty::Array(Dir::Out, &Ty::Int, Len::Fixed(1));
const SET: Ty = Ty::Array(Dir::In, &Ty::Int, Len::Fixed(1));

/// The requests whose argument is described, each with the type of the argument.
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
    Case(c::SG_IO, IO),
];

/// The requests whose argument has no meaning.
pub const BARE: &[u64] = &[c::SG_GET_TIMEOUT];
