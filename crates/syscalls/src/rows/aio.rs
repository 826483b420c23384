//! Asynchronous I/O: aio, I/O priorities.

use crate::effect::{Effect, For};
use crate::sets::aio::*;
use crate::structs::aio::*;
use crate::uapi::consts as c;
use crate::{Arg, Case, Class, Dir, Irregular, SelectKey, Len, Note, PidKind, Ret, Select, Syscall, Ty, arg, syscall};

const CTX: Arg = arg("ctx_id", Ty::Addr);
const TIMEOUT: Arg = arg("timeout", Ty::Ptr(Dir::In, TIMESPEC));
const TIMESPEC: &Ty = &Ty::Struct(&AIO_TIMESPEC);
const EVENTS: Arg = arg("events", Ty::Array(Dir::Out, EVENT, Len::Ret));
const EVENT: &Ty = &Ty::Struct(&IO_EVENT);
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
        arg("ctx_idp", Ty::Array(Dir::Out, &Ty::Addr, Len::Fixed(1))),
    ]).in_kernel(&[("ctx_idp", "ctxp")]),
    syscall("io_destroy", Class::MEMORY, Ret::Int, &[CTX]).in_kernel(&[("ctx_id", "ctx")]),
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
    ]).in_kernel(&[("sig", "usig")]).does(&[Effect::Waits(For::Completion)]),
    syscall("io_pgetevents_time64", Class::NONE, Ret::Int, &[
        CTX,
        arg("min_nr", Ty::Long),
        arg("nr", Ty::Long),
        EVENTS,
        arg("timeout", Ty::Ptr(Dir::In, &Ty::Struct(&AIO_TIMESPEC64))),
        arg("sig", Ty::Ptr(Dir::In, &Ty::Struct(&AIO_SIGSET))),
    ]).does(&[Effect::Waits(For::Completion)]),
    syscall("ioprio_get", Class::NONE, Ret::Int, &[arg("which", Ty::Enum(&IOPRIO_WHO)), WHO]).noted(Note::IoPriority),
    syscall("ioprio_set", Class::NONE, Ret::Int, &[arg("which", Ty::Enum(&IOPRIO_WHO)), WHO, IOPRIO]).may_need(&[c::CAP_SYS_NICE, c::CAP_SYS_ADMIN]),
];

pub static I386: &[(&str, Syscall)] = &[];
