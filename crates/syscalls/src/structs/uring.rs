//! io_uring.

use super::aio::{AIO_TIMESPEC64, IOVEC_ADDRS};
use crate::sets::files::RWF;
use crate::sets::uring::*;
use crate::uapi::consts as c;
use crate::{Dir, Irregular, Len, Ty, When, Width, structs};

const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);

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
}

structs! {
    // The arguments of io_uring_register(2): linux/io_uring.h, linux/io_uring/query.h, linux/io_uring/zcrx.h
    pub URING_FILES_UPDATE = io_uring_files_update {
        offset: Ty::UInt, resv: Ty::NonZero(&Ty::Hex),
        fds: Ty::Custom(Irregular::CountedByArg("nr_args"), &Ty::Table(Dir::In, &FD_OR_SKIP, Len::Fixed(FILES_SHOWN), FILES_SHOWN as u32))
    }
    pub URING_FILES = io_uring_rsrc_register {
        nr: Ty::UInt, flags: Ty::Flags(&URING_RSRC_REGISTER), resv2: Ty::NonZero(&HEX64),
        data: Ty::Array(Dir::In, &Ty::Fd, Len::Of("nr")), tags: Ty::Array(Dir::In, &HEX64, Len::Of("nr"))
    }
    pub URING_BUFFERS = io_uring_rsrc_register {
        nr: Ty::UInt, flags: Ty::Flags(&URING_RSRC_REGISTER), resv2: Ty::NonZero(&HEX64),
        data: Ty::Array(Dir::In, &Ty::Struct(&IOVEC_ADDRS), Len::Of("nr")), tags: Ty::Array(Dir::In, &HEX64, Len::Of("nr"))
    }
    pub URING_UPDATED_FILES = io_uring_rsrc_update2 {
        offset: Ty::UInt, resv: Ty::NonZero(&Ty::Hex), data: Ty::Array(Dir::In, &FD_OR_SKIP, Len::Of("nr")),
        tags: Ty::Array(Dir::In, &HEX64, Len::Of("nr")), nr: Ty::UInt, resv2: Ty::NonZero(&Ty::Hex)
    }
    pub URING_UPDATED_BUFFERS = io_uring_rsrc_update2 {
        offset: Ty::UInt, resv: Ty::NonZero(&Ty::Hex), data: Ty::Array(Dir::In, &Ty::Struct(&IOVEC_ADDRS), Len::Of("nr")),
        tags: Ty::Array(Dir::In, &HEX64, Len::Of("nr")), nr: Ty::UInt, resv2: Ty::NonZero(&Ty::Hex)
    }
    pub URING_PROBE = io_uring_probe {
        last_op: Ty::Enum(&URING_OP), ops_len: Ty::UInt, resv: Ty::NonZero(&Ty::Hex), resv2: Ty::NonZero(&Ty::Items(&Ty::Hex))
    }
    pub URING_PROBE_OP = io_uring_probe_op {
        op: Ty::Enum(&URING_OP), resv: Ty::NonZero(&Ty::Hex), flags: Ty::Flags(&URING_PROBED), resv2: Ty::NonZero(&Ty::Hex)
    }
    pub URING_LIMIT = io_uring_restriction {
        opcode: Ty::Custom(Irregular::UringLimit, &Ty::Enum(&URING_RESTRICTION)),
        register_op: Ty::Enum(&URING_REGISTER) => When::OneOf("opcode", !0, &[c::IORING_RESTRICTION_REGISTER_OP]),
        sqe_op: Ty::Enum(&URING_OP_HEX) => When::OneOf("opcode", !0, &[c::IORING_RESTRICTION_SQE_OP]),
        sqe_flags: Ty::Flags(&IOSQE) => When::OneOf("opcode", !0, &[
            c::IORING_RESTRICTION_SQE_FLAGS_ALLOWED, c::IORING_RESTRICTION_SQE_FLAGS_REQUIRED
        ]),
        resv: Ty::NonZero(&Ty::Hex), resv2: Ty::NonZero(&Ty::Items(&Ty::Hex))
    }
    // The kernel writes the indices that it chose into the first member.
    pub URING_RING_FD = io_uring_rsrc_update {
        offset: Ty::Custom(Irregular::OrMinusOne, &Ty::UInt), resv: Ty::NonZero(&Ty::Hex), data: Ty::Fd
    }
    pub URING_RING_INDEX = io_uring_rsrc_update { offset: Ty::UInt, resv: Ty::NonZero(&Ty::Hex), data: Ty::NonZero(&HEX64) }
    pub URING_BUF_REG = io_uring_buf_reg {
        ring_addr: Ty::Addr, ring_entries: Ty::UInt, bgid: Ty::UInt, flags: Ty::Hex, min_left: Ty::UInt,
        resv: Ty::NonZero(&Ty::Items(&Ty::Hex))
    }
    pub URING_BUF_STATUS = io_uring_buf_status {
        buf_group: Ty::Hex, head: Ty::Hex, resv: Ty::NonZero(&Ty::Items(&Ty::Hex))
    }
    pub URING_TIMEOUT = __kernel_timespec { tv_sec: Ty::I64, tv_nsec: Ty::I64 }
    pub URING_SYNC_CANCEL = io_uring_sync_cancel_reg {
        addr: Ty::Addr, fd: Ty::Fd, flags: Ty::Flags(&URING_CANCEL), timeout: Ty::Struct(&URING_TIMEOUT),
        opcode: Ty::Enum(&URING_OP_HEX), pad: Ty::NonZero(&Ty::Items(&Ty::As(Width::W1, &Ty::Hex))), pad2: Ty::NonZero(&Ty::Items(&HEX64))
    }
    pub URING_INDEX_RANGE = io_uring_file_index_range { off: Ty::UInt, len: Ty::UInt, resv: Ty::NonZero(&HEX64) }
    pub URING_NAPI = io_uring_napi {
        busy_poll_to: Ty::Hex, prefer_busy_poll: Ty::Hex, opcode: Ty::Enum(&URING_NAPI_OP),
        pad: Ty::NonZero(&Ty::Items(&Ty::As(Width::W1, &Ty::Hex))),
        op_param: Ty::Enum(&URING_NAPI_TRACKING) => When::OneOf("opcode", !0, &[0]),
        op_param: Ty::Hex => When::NoneOf("opcode", !0, &[0]),
        resv: Ty::NonZero(&Ty::Hex)
    }
    pub URING_CLOCK = io_uring_clock_register { clockid: Ty::ClockId, __resv: Ty::NonZero(&Ty::Items(&Ty::Hex)) }
    pub URING_CLONE = io_uring_clone_buffers {
        src_fd: Ty::Fd, flags: Ty::Flags(&URING_CLONE_BUFFERS), src_off: Ty::UInt, dst_off: Ty::UInt, nr: Ty::UInt,
        pad: Ty::NonZero(&Ty::Items(&Ty::Hex))
    }
    pub ZCRX_OFFSETS = io_uring_zcrx_offsets {
        head: Ty::UInt, tail: Ty::UInt, rqes: Ty::UInt, __resv2: Ty::NonZero(&Ty::Hex), __resv: Ty::NonZero(&Ty::Items(&HEX64))
    }
    pub ZCRX_IFQ = io_uring_zcrx_ifq_reg {
        if_idx: Ty::UInt, if_rxq: Ty::UInt, rq_entries: Ty::UInt, flags: Ty::Flags(&ZCRX_REG), area_ptr: Ty::Addr,
        region_ptr: Ty::Addr, offsets: Ty::Struct(&ZCRX_OFFSETS), zcrx_id: Ty::UInt, rx_buf_len: Ty::UInt,
        event_desc: Ty::Addr, __resv: Ty::NonZero(&Ty::Items(&HEX64))
    }
    pub ZCRX_FLUSH = zcrx_ctrl_flush_rq { __resv: Ty::NonZero(&Ty::Items(&HEX64)) }
    pub ZCRX_EXPORT = zcrx_ctrl_export { zcrx_fd: Ty::Fd, __resv1: Ty::NonZero(&Ty::Items(&Ty::Hex)) }
    pub ZCRX_ARM = zcrx_ctrl_arm_event { event_type: Ty::Enum(&ZCRX_EVENT), __resv: Ty::NonZero(&Ty::Items(&Ty::Hex)) }
    pub ZCRX_CTRL = zcrx_ctrl {
        zcrx_id: Ty::UInt, op: Ty::Enum(&ZCRX_CTRL_OP), __resv: Ty::NonZero(&Ty::Items(&HEX64)),
        zc_flush: Ty::Struct(&ZCRX_FLUSH) => When::OneOf("op", !0, &[0]),
        zc_export: Ty::Reply(&Ty::Struct(&ZCRX_EXPORT)) => When::OneOf("op", !0, &[1]),
        zc_arm_event: Ty::Struct(&ZCRX_ARM) => When::OneOf("op", !0, &[2])
    }
    pub URING_SQ_ADDR = io_sqring_offsets { user_addr: HEX64 }
    pub URING_CQ_ADDR = io_cqring_offsets { user_addr: HEX64 }
    pub URING_RESIZE = io_uring_params {
        sq_entries: Ty::UInt, cq_entries: Ty::UInt, flags: Ty::Flags(&URING_SETUP),
        sq_off: Ty::NonZero(&Ty::Struct(&URING_SQ_ADDR)), cq_off: Ty::NonZero(&Ty::Struct(&URING_CQ_ADDR)),
        resv: Ty::NonZero(&Ty::Items(&Ty::Hex))
    }
    pub URING_MEM_REGION = io_uring_mem_region_reg {
        region_uptr: Ty::Addr, flags: Ty::Flags(&URING_REGION), __resv: Ty::NonZero(&Ty::Items(&HEX64))
    }
}

/// As many files of a list are read at most, if its length does not stand beside it.
const FILES_SHOWN: usize = 1024;
const FD_OR_SKIP: Ty = Ty::Custom(Irregular::UringFdOrSkip, &Ty::Fd);

const OP: &str = "opcode";
const SENDS_OR_RECEIVES: &[u64] = &[
    c::IORING_OP_SEND,
    c::IORING_OP_SENDMSG,
    c::IORING_OP_SEND_ZC,
    c::IORING_OP_SENDMSG_ZC,
    c::IORING_OP_RECV,
    c::IORING_OP_RECVMSG,
    c::IORING_OP_RECV_ZC,
];
const ACCEPTS: &[u64] = &[c::IORING_OP_ACCEPT];
const NOPS: &[u64] = &[c::IORING_OP_NOP, c::IORING_OP_NOP128];
/// Operations that may have attributes. (The zero-copy sends have an option's address at their place.)
const TRANSFERS: &[u64] = &[
    c::IORING_OP_READV,
    c::IORING_OP_WRITEV,
    c::IORING_OP_READ_FIXED,
    c::IORING_OP_WRITE_FIXED,
    c::IORING_OP_READ,
    c::IORING_OP_WRITE,
    c::IORING_OP_READ_MULTISHOT,
    c::IORING_OP_READV_FIXED,
    c::IORING_OP_WRITEV_FIXED,
    c::IORING_OP_SEND,
    c::IORING_OP_SENDMSG,
    c::IORING_OP_RECV,
    c::IORING_OP_RECVMSG,
    c::IORING_OP_RECV_ZC,
];
const ATTRIBUTES: &str = "attr_type_mask";
const HAS_ATTRIBUTES: When = When::AllOf(&[When::OneOf(OP, !0, TRANSFERS), When::NoneOf(ATTRIBUTES, !0, &[0])]);

structs! {
    /// Integrity data of a read or write: linux/io_uring.h
    pub URING_ATTR_PI = io_uring_attr_pi {
        flags: Ty::Hex, app_tag: Ty::Hex, len: Ty::UInt, addr: HEX64, seed: HEX64, rsvd: HEX64
    }
    /// A submitted entry: linux/io_uring.h
    pub URING_SQE = io_uring_sqe {
        opcode: Ty::Enum(&URING_OP), flags: Ty::Flags(&IOSQE),
        ioprio: Ty::Flags(&URING_ACCEPT) => When::OneOf(OP, !0, ACCEPTS),
        ioprio: Ty::Flags(&URING_TRANSFER) => When::OneOf(OP, !0, SENDS_OR_RECEIVES),
        ioprio: Ty::UInt => When::AllOf(&[When::NoneOf(OP, !0, ACCEPTS), When::NoneOf(OP, !0, SENDS_OR_RECEIVES)]),
        fd: Ty::Fd, off: Ty::Custom(Irregular::UringOffset, &HEX64), addr: HEX64, len: Ty::UInt,
        msg_ring_flags: Ty::Flags(&URING_MSG_RING) => When::OneOf(OP, !0, &[c::IORING_OP_MSG_RING]),
        nop_flags: Ty::Flags(&URING_NOP) => When::OneOf(OP, !0, NOPS),
        install_fd_flags: Ty::Flags(&URING_INSTALL) => When::OneOf(OP, !0, &[c::IORING_OP_FIXED_FD_INSTALL]),
        rw_flags: Ty::Flags(&RWF) => When::AllOf(&[
            When::NoneOf(OP, !0, &[c::IORING_OP_MSG_RING, c::IORING_OP_FIXED_FD_INSTALL]), When::NoneOf(OP, !0, NOPS),
            When::NoneOf(OP, !0, SENDS_OR_RECEIVES)
        ]),
        rw_flags: Ty::Hex => When::OneOf(OP, !0, SENDS_OR_RECEIVES),
        user_data: HEX64, buf_index: Ty::Hex, personality: Ty::UInt, file_index: Ty::Hex,
        attr_type_mask = "__pad2": Ty::Flags(&URING_RW_ATTR) => HAS_ATTRIBUTES,
        attr_ptr = "addr3": Ty::Ptr(Dir::In, &Ty::Struct(&URING_ATTR_PI)) => When::AllOf(&[HAS_ATTRIBUTES, When::AnySet(ATTRIBUTES, &[1])]),
        attr_ptr = "addr3": Ty::Addr => When::AllOf(&[HAS_ATTRIBUTES, When::OneOf(ATTRIBUTES, 1, &[0])]),
        optval: HEX64 => When::AnyOf(&[When::NoneOf(OP, !0, TRANSFERS), When::OneOf(ATTRIBUTES, !0, &[0])])
    }
}

structs! {
    // The answers to queries: linux/io_uring/query.h, linux/io_uring/zcrx.h
    pub URING_QUERY_OPCODES = io_uring_query_opcode {
        nr_request_opcodes: Ty::UInt, nr_register_opcodes: Ty::UInt, feature_flags: Ty::Flags(&URING_FEATURES),
        ring_setup_flags: Ty::Flags(&URING_SETUP), enter_flags: Ty::Flags(&URING_ENTER), sqe_flags: Ty::Flags(&IOSQE),
        nr_query_opcodes: Ty::UInt, __pad: Ty::NonZero(&Ty::Hex)
    }
    pub URING_QUERY_ZCRX = io_uring_query_zcrx {
        register_flags: Ty::Flags(&ZCRX_REG), area_flags: Ty::Flags(&ZCRX_AREA), nr_ctrl_opcodes: Ty::UInt,
        features: Ty::Hex, rq_hdr_size: Ty::UInt, rq_hdr_alignment: Ty::UInt, __resv2: Ty::NonZero(&HEX64)
    }
    pub URING_QUERY_ZCRX_EVENT = io_uring_query_zcrx_event {
        event_flags: Ty::Hex, stats_size: Ty::UInt, stats_off_alignment: Ty::UInt, __resv1: Ty::NonZero(&Ty::Hex),
        __resv2: Ty::NonZero(&Ty::Items(&HEX64))
    }
    pub URING_QUERY_SCQ = io_uring_query_scq { hdr_size: Ty::U64, hdr_alignment: Ty::U64 }
    // The parts of a query that are not followed.
    pub URING_QUERY_HEAD = io_uring_query_hdr {
        query_data: Ty::Addr, query_op: Ty::Enum(&URING_QUERIES), size: Ty::UInt, result: Ty::Int,
        __resv: Ty::NonZero(&Ty::Items(&Ty::Hex))
    }
}

/// The size of the largest answer.
const ANSWER: u32 = 64;

/// Queries, each with a pointer to the next one. The kernel follows more of them than are read.
macro_rules! queries {
    ($this:ident $next:ident $($rest:ident)*) => {
        structs! {
            pub $this = io_uring_query_hdr {
                query_data: Ty::Buffer(Dir::InOut, Len::Of("size"), ANSWER), size: Ty::UInt,
                next_entry: Ty::Ptr(Dir::InOut, &Ty::Struct(&$next))
            }
        }
        queries! { $next $($rest)* }
    };
    ($this:ident) => {
        structs! {
            pub $this = io_uring_query_hdr { query_data: Ty::Buffer(Dir::InOut, Len::Of("size"), ANSWER), size: Ty::UInt }
        }
    };
}

queries! {
    URING_QUERY QUERY_2 QUERY_3 QUERY_4 QUERY_5 QUERY_6 QUERY_7 QUERY_8 QUERY_9 QUERY_10 QUERY_11 QUERY_12 QUERY_13 QUERY_14
    QUERY_15 QUERY_16 QUERY_17 QUERY_18 QUERY_19 QUERY_20 QUERY_21 QUERY_22 QUERY_23 QUERY_24 QUERY_25 QUERY_26 QUERY_27
    QUERY_28 QUERY_29 QUERY_30 QUERY_31 QUERY_32
}
