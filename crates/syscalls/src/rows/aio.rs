//! Asynchronous I/O: aio, io_uring, I/O priorities.

use crate::effect::{Effect, For, Thing, makes};
use crate::sets::aio::*;
use crate::structs::aio::*;
use crate::uapi::consts as c;
use crate::{Arg, Case, Class, Dir, Irregular, SelectKey, Len, Note, PidKind, Ret, Select, Syscall, Ty, arg, syscall};

const CTX: Arg = arg("ctx_id", Ty::HexLong);
const TIMEOUT: Arg = arg("timeout", Ty::Ptr(Dir::In, TIMESPEC));
const TIMESPEC: &Ty = &Ty::Struct(&AIO_TIMESPEC);
const EVENTS: Arg = arg("events", Ty::Array(Dir::Out, EVENT, Len::Ret));
const EVENT: &Ty = &Ty::Struct(&IO_EVENT);
const EXT_ARG_REG: u64 = URING_ENTER.value("IORING_ENTER_EXT_ARG_REG");
/// The opcode without the bit that says what kind of descriptor comes with it.
const URING_OPCODE: u64 = 0xffff_ffff & !c::IORING_REGISTER_USE_REGISTERED_RING;
const IOPRIO: Arg = arg("ioprio", Ty::Custom(Irregular::IoPriority, &Ty::Int));

/// Whom an I/O priority is for.
const WHO: Arg = arg("who", Ty::Select(&Select {
    on: SelectKey::of("which"),
    cases: &[
        Case(c::IOPRIO_WHO_PROCESS, Ty::Pid(PidKind::Tgid)),
        Case(c::IOPRIO_WHO_PGRP, Ty::Pid(PidKind::Pgid)),
    ],
    default: Ty::Int,
}));

pub static ROWS: &[Syscall] = &[
    syscall("io_setup", Class::MEMORY, Ret::Int, &[
        arg("nr_events", Ty::UInt),
        arg("ctx_idp", Ty::Array(Dir::Out, &Ty::HexLong, Len::Fixed(1))),
    ]),
    syscall("io_destroy", Class::MEMORY, Ret::Int, &[CTX]),
    syscall("io_submit", Class::NONE, Ret::Int, &[
        CTX,
        arg("nr", Ty::Long),
        arg("iocbpp", Ty::Custom(Irregular::Iocbs, &Ty::Array(Dir::In, &Ty::Ptr(Dir::In, &Ty::Struct(&IOCB)), Len::Of("nr")))),
    ]),
    syscall("io_cancel", Class::NONE, Ret::Int, &[
        CTX,
        arg("iocb", Ty::Custom(Irregular::IocbCancel, &Ty::Ptr(Dir::In, &Ty::Struct(&IOCB)))),
        arg("result", Ty::Ptr(Dir::Out, &Ty::Struct(&IO_EVENT))),
    ]),
    syscall("io_getevents", Class::NONE, Ret::Int, &[CTX, arg("min_nr", Ty::Long), arg("nr", Ty::Long), EVENTS, TIMEOUT])
        .does(&[Effect::Waits(For::Completion)]),
    syscall("io_pgetevents", Class::NONE, Ret::Int, &[
        CTX,
        arg("min_nr", Ty::Long),
        arg("nr", Ty::Long),
        EVENTS,
        TIMEOUT,
        arg("sig", Ty::Ptr(Dir::In, &Ty::Struct(&AIO_SIGSET))),
    ]).does(&[Effect::Waits(For::Completion)]),
    syscall("io_pgetevents_time64", Class::NONE, Ret::Int, &[
        CTX,
        arg("min_nr", Ty::Long),
        arg("nr", Ty::Long),
        EVENTS,
        arg("timeout", Ty::Ptr(Dir::In, &Ty::Struct(&AIO_TIMESPEC64))),
        arg("sig", Ty::Ptr(Dir::In, &Ty::Struct(&AIO_SIGSET))),
    ]).does(&[Effect::Waits(For::Completion)]),
    syscall("io_uring_setup", Class::DESC, Ret::Fd, &[arg("entries", Ty::UInt), arg("params", Ty::Exchange(&URING_PARAMS))])
        .does(&[makes(Thing::Anonymous("io_uring")).cloexec()]),
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
    ]).does(&[Effect::Waits(For::Completion)]),
    syscall("io_uring_register", Class::DESC.or(Class::MEMORY), Ret::Int, &[
        arg("fd", Ty::Custom(Irregular::UringFd, &Ty::Fd)),
        arg("opcode", Ty::Custom(Irregular::UringOpcode, &Ty::UInt)),
        arg("arg", Ty::Select(&Select {
            on: SelectKey::masked("opcode", URING_OPCODE),
            cases: &[
                Case(c::IORING_REGISTER_PBUF_RING, Ty::Ptr(Dir::In, &Ty::Struct(&URING_BUF_REG))),
                Case(c::IORING_UNREGISTER_PBUF_RING, Ty::Ptr(Dir::In, &Ty::Struct(&URING_BUF_REG))),
                Case(c::IORING_REGISTER_PBUF_STATUS, Ty::Exchange(&URING_BUF_STATUS)),
            ],
            default: Ty::Addr,
        })),
        arg("nr_args", Ty::UInt),
    ]),
    syscall("ioprio_get", Class::NONE, Ret::Int, &[arg("which", Ty::Enum(&IOPRIO_WHO)), WHO]).noted(Note::IoPriority),
    syscall("ioprio_set", Class::NONE, Ret::Int, &[arg("which", Ty::Enum(&IOPRIO_WHO)), WHO, IOPRIO]),
];

pub static I386: &[(&str, Syscall)] = &[];
