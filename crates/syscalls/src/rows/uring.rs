//! io_uring.

use crate::effect::{Effect, For, Thing, makes};
use crate::sets::uring::*;
use crate::structs::aio::IOVEC_ADDRS;
use crate::structs::uring::*;
use crate::uapi::consts as c;
use crate::{Case, Class, Dir, Irregular, SelectKey, Len, Ret, Select, Syscall, Ty, Unit, arg, syscall};

const EXT_ARG_REG: u64 = URING_ENTER.value("IORING_ENTER_EXT_ARG_REG");
/// The opcode without the bit that says what kind of descriptor comes with it.
const OPCODE: u64 = 0xffff_ffff & !c::IORING_REGISTER_USE_REGISTERED_RING;

/// Operations whose constants are newer than the headers that the others come from.
const fn newer(name: &str) -> u64 {
    URING_REGISTER.value(name)
}

const COUNT: Len = Len::Of("nr_args");
const FDS: Ty = Ty::Array(Dir::In, &Ty::Fd, COUNT);
/// A pointer that the kernel follows only if the number of elements is one.
macro_rules! one {
    ($ty:expr) => { Ty::Custom(Irregular::WithArg("nr_args", 1, 1), &$ty) };
}
macro_rules! one_in {
    ($s:expr) => { one!(Ty::Ptr(Dir::In, &Ty::Struct(&$s))) };
}
/// A pointer that the kernel follows only if no number is given. (The number one is let pass, because its meaning is
/// clear.)
macro_rules! none_or_one {
    ($s:expr) => { Ty::Custom(Irregular::WithArg("nr_args", 0, 1), &Ty::Ptr(Dir::In, &Ty::Struct(&$s))) };
}

/// The argument of io_uring_register(2), by its operation.
static REGISTERED: &[Case] = &[
    Case(c::IORING_REGISTER_BUFFERS, Ty::Array(Dir::In, &Ty::Struct(&IOVEC_ADDRS), COUNT)),
    Case(c::IORING_REGISTER_FILES, FDS),
    Case(c::IORING_REGISTER_EVENTFD, FDS),
    Case(c::IORING_REGISTER_EVENTFD_ASYNC, FDS),
    Case(c::IORING_REGISTER_FILES_UPDATE, Ty::Ptr(Dir::In, &Ty::Struct(&URING_FILES_UPDATE))),
    Case(c::IORING_REGISTER_PROBE, Ty::Custom(Irregular::UringProbe, &Ty::Table(
        Dir::InOut, &Ty::Blob(8), Len::Units { of: "nr_args", less: -2, unit: Unit::One }, 2 + 256))),
    Case(c::IORING_REGISTER_RESTRICTIONS, Ty::Array(Dir::In, &Ty::Struct(&URING_LIMIT), COUNT)),
    Case(c::IORING_REGISTER_FILES2, Ty::Extensible(Dir::In, &URING_FILES, COUNT, 32)),
    Case(c::IORING_REGISTER_BUFFERS2, Ty::Extensible(Dir::In, &URING_BUFFERS, COUNT, 32)),
    Case(c::IORING_REGISTER_FILES_UPDATE2, Ty::Extensible(Dir::In, &URING_UPDATED_FILES, COUNT, 32)),
    Case(c::IORING_REGISTER_BUFFERS_UPDATE, Ty::Extensible(Dir::In, &URING_UPDATED_BUFFERS, COUNT, 32)),
    Case(c::IORING_REGISTER_IOWQ_AFF, Ty::Custom(Irregular::CpuSet, &Ty::Buffer(Dir::In, COUNT, 4096))),
    Case(c::IORING_REGISTER_IOWQ_MAX_WORKERS, Ty::Custom(Irregular::UringWorkers, &Ty::Array(Dir::InOut, &Ty::UInt, COUNT))),
    Case(c::IORING_REGISTER_RING_FDS, Ty::Array(Dir::InLost, &Ty::Struct(&URING_RING_FD), COUNT)),
    Case(c::IORING_UNREGISTER_RING_FDS, Ty::Array(Dir::In, &Ty::Struct(&URING_RING_INDEX), COUNT)),
    Case(c::IORING_REGISTER_PBUF_RING, one_in!(URING_BUF_REG)),
    Case(c::IORING_UNREGISTER_PBUF_RING, one_in!(URING_BUF_REG)),
    Case(c::IORING_REGISTER_SYNC_CANCEL, one_in!(URING_SYNC_CANCEL)),
    Case(c::IORING_REGISTER_FILE_ALLOC_RANGE, none_or_one!(URING_INDEX_RANGE)),
    Case(c::IORING_REGISTER_PBUF_STATUS, one!(Ty::Ptr(Dir::Out, &Ty::Struct(&URING_BUF_STATUS)))),
    Case(c::IORING_REGISTER_NAPI, one!(Ty::Turn(&URING_NAPI, &URING_NAPI))),
    Case(c::IORING_UNREGISTER_NAPI, one!(Ty::Ptr(Dir::Out, &Ty::Struct(&URING_NAPI)))),
    Case(c::IORING_REGISTER_CLOCK, none_or_one!(URING_CLOCK)),
    Case(c::IORING_REGISTER_CLONE_BUFFERS, one_in!(URING_CLONE)),
    // The second element is the rest of an entry of twice the size.
    Case(newer("IORING_REGISTER_SEND_MSG_RING"), Ty::Custom(Irregular::UringEntry, &Ty::Table(Dir::In, &Ty::Struct(&URING_SQE), Len::Fixed(2), 2))),
    Case(newer("IORING_REGISTER_ZCRX_IFQ"), one!(Ty::Ptr(Dir::InLost, &Ty::Struct(&ZCRX_IFQ)))),
    Case(newer("IORING_REGISTER_RESIZE_RINGS"), one!(Ty::Ptr(Dir::InLost, &Ty::Struct(&URING_RESIZE)))),
    Case(newer("IORING_REGISTER_MEM_REGION"), one_in!(URING_MEM_REGION)),
    Case(newer("IORING_REGISTER_QUERY"), Ty::Custom(Irregular::UringQuery, &Ty::Ptr(Dir::InOut, &Ty::Struct(&URING_QUERY)))),
    Case(newer("IORING_REGISTER_ZCRX_CTRL"), one!(Ty::Exchange(&ZCRX_CTRL))),
];

pub static ROWS: &[Syscall] = &[
    syscall("io_uring_setup", Class::DESC, Ret::Fd, &[arg("entries", Ty::UInt), arg("params", Ty::Exchange(&URING_PARAMS))])
        .does(&[makes(Thing::Anonymous("io_uring")).cloexec(), Effect::DrivesRing]),
    syscall("io_uring_enter", Class::DESC.or(Class::SIGNAL), Ret::Int, &[
        arg("fd", Ty::Fd),
        arg("to_submit", Ty::UInt),
        arg("min_complete", Ty::UInt),
        arg("flags", Ty::Flags(&URING_ENTER)),
        arg("sigset", Ty::Select(&Select {
            on: SelectKey::masked("flags", c::IORING_ENTER_EXT_ARG | EXT_ARG_REG),
            cases: &[
                Case(c::IORING_ENTER_EXT_ARG, Ty::Ptr(Dir::In, &Ty::Struct(&URING_GETEVENTS_ARG))),
                Case(EXT_ARG_REG, Ty::ULong),
            ],
            default: Ty::SigSet(Dir::In, Len::Of("sigsetsize")),
        })),
        arg("sigsetsize", Ty::ULong),
    ]).in_kernel(&[("sigset", "argp"), ("sigsetsize", "argsz")]).does(&[Effect::DrivesRing, Effect::Waits(For::Completion)]),
    syscall("io_uring_register", Class::DESC.or(Class::MEMORY), Ret::Int, &[
        arg("fd", Ty::Custom(Irregular::UringFd, &Ty::Fd)),
        arg("opcode", Ty::Custom(Irregular::UringOpcode, &Ty::UInt)),
        arg("arg", Ty::Select(&Select {
            on: SelectKey::masked("opcode", OPCODE),
            cases: REGISTERED,
            default: Ty::Addr,
        })),
        arg("nr_args", Ty::UInt),
    ]),
];

pub static I386: &[(&str, Syscall)] = &[];
