//! Locks: futex(2) and rseq(2).

use crate::sets::futex::*;
use crate::structs::futex::*;
use crate::structs::time::{TIMESPEC, TIMESPEC64};
use crate::uapi::consts as c;
use crate::{Arg, Class, Dir, Effect, For, Form, Irregular, SelectKey, Len, PidKind, Ret, Syscall, Ty, Width, arg, form, syscall};

const NONE: Class = Class::NONE;
/// The operation without its flags; what else may be set makes another operation.
const OP: SelectKey = SelectKey::masked("futex_op", 0xffff_f87f);

const UADDR: Arg = arg("uaddr", Ty::Addr);
const FUTEX_OP_ARG: Arg = arg("futex_op", Ty::Enum(&FUTEX_OP));
const VAL: Arg = arg("val", Ty::UInt);
const VAL2: Arg = arg("val2", Ty::UInt);
const UADDR2: Arg = arg("uaddr2", Ty::Addr);
const VAL3: Arg = arg("val3", Ty::UInt);
const VAL3_HEX: Arg = arg("val3", Ty::Hex);
const VAL3_BITS: Arg = arg("val3", Ty::Enum(&BITSET));
const VAL3_OP: Arg = arg("val3", Ty::Custom(Irregular::FutexWakeOp, &Ty::Hex));
const TIME32: Ty = Ty::Struct(&TIMESPEC);
const TIME64: Ty = Ty::Struct(&TIMESPEC64);
const TIMEOUT32: Arg = arg("timeout", Ty::Ptr(Dir::In, &TIME32));
const TIMEOUT64: Arg = arg("timeout", Ty::Ptr(Dir::In, &TIME64));
/// The operations that wait.
const WAITS: &[Effect] = &[Effect::Waits(For::Lock)];
/// Registers that this operation does not use.
const fn unused(name: &'static str) -> Arg {
    arg(name, Ty::HexLong).when(crate::When::Never)
}

/// futex(2) in one of its two sizes of time. What the arguments are depends on the operation.
macro_rules! futex {
    ($name:literal, $timeout:ident) => {{
        const UNKNOWN: Syscall = syscall($name, NONE, Ret::Int, &[UADDR, FUTEX_OP_ARG, VAL, arg("timeout", Ty::Addr), UADDR2, VAL3_HEX])
            .in_kernel(&[("futex_op", "op"), ("timeout", "utime")]);
        const FORMS: &[Form] = &[
            form(&[c::FUTEX_WAIT], syscall($name, NONE, Ret::Int, &[UADDR, FUTEX_OP_ARG, VAL, $timeout]).does(WAITS)),
            form(&[c::FUTEX_WAKE, c::FUTEX_FD], syscall($name, NONE, Ret::Int, &[UADDR, FUTEX_OP_ARG, VAL])),
            form(&[c::FUTEX_REQUEUE], syscall($name, NONE, Ret::Int, &[UADDR, FUTEX_OP_ARG, VAL, VAL2, UADDR2])),
            form(
                &[c::FUTEX_CMP_REQUEUE, c::FUTEX_CMP_REQUEUE_PI],
                syscall($name, NONE, Ret::Int, &[UADDR, FUTEX_OP_ARG, VAL, VAL2, UADDR2, VAL3]),
            ),
            form(&[c::FUTEX_WAKE_OP], syscall($name, NONE, Ret::Int, &[UADDR, FUTEX_OP_ARG, VAL, VAL2, UADDR2, VAL3_OP])),
            form(
                &[c::FUTEX_LOCK_PI, c::FUTEX_LOCK_PI2],
                syscall($name, NONE, Ret::Int, &[UADDR, FUTEX_OP_ARG, unused("val"), $timeout]).does(WAITS),
            ),
            form(&[c::FUTEX_UNLOCK_PI, c::FUTEX_TRYLOCK_PI], syscall($name, NONE, Ret::Int, &[UADDR, FUTEX_OP_ARG])),
            form(
                &[c::FUTEX_WAIT_BITSET],
                syscall($name, NONE, Ret::Int, &[UADDR, FUTEX_OP_ARG, VAL, $timeout, unused("uaddr2"), VAL3_BITS]).does(WAITS),
            ),
            form(
                &[c::FUTEX_WAKE_BITSET],
                syscall($name, NONE, Ret::Int, &[UADDR, FUTEX_OP_ARG, VAL, unused("val2"), unused("uaddr2"), VAL3_BITS]),
            ),
            form(
                &[c::FUTEX_WAIT_REQUEUE_PI],
                syscall($name, NONE, Ret::Int, &[UADDR, FUTEX_OP_ARG, VAL, $timeout, UADDR2]).does(WAITS),
            ),
        ];
        UNKNOWN.by(OP, FORMS).does(&[Effect::Waits(For::Lock), Effect::Wakes])
    }};
}

pub static ROWS: &[Syscall] = &[
    futex!("futex", TIMEOUT32),
    futex!("futex_time64", TIMEOUT64),
    syscall("futex_waitv", NONE, Ret::Int, &[
        arg("waiters", Ty::Custom(Irregular::FutexWaiters, &Ty::Array(Dir::In, &Ty::Struct(&WAITER), Len::Of("nr_futexes")))),
        arg("nr_futexes", Ty::UInt),
        arg("flags", Ty::Hex),
        TIMEOUT64,
        arg("clockid", Ty::ClockId),
    ]).does(&[Effect::Waits(For::Lock)]),
    syscall("futex_wake", NONE, Ret::Int, &[
        UADDR,
        arg("mask", Ty::As(Width::Word, &Ty::Enum(&BITSET))),
        arg("nr", Ty::Int),
        arg("flags", Ty::Flags(&FUTEX2)),
    ]).does(&[Effect::Wakes]),
    syscall("futex_wait", NONE, Ret::Int, &[
        UADDR,
        arg("val", Ty::ULong),
        arg("mask", Ty::As(Width::Word, &Ty::Enum(&BITSET))),
        arg("flags", Ty::Flags(&FUTEX2)),
        TIMEOUT64,
        arg("clockid", Ty::ClockId),
    ]).does(&[Effect::Waits(For::Lock)]),
    syscall("futex_requeue", NONE, Ret::Int, &[
        arg("waiters", Ty::Array(Dir::In, &Ty::Struct(&WAITER), Len::Fixed(2))),
        arg("flags", Ty::Hex),
        arg("nr_wake", Ty::Int),
        arg("nr_requeue", Ty::Int),
    ]),
    syscall("set_robust_list", NONE, Ret::Int, &[arg("addr", Ty::Addr), arg("length", Ty::ULong)]).in_kernel(&[("addr", "head"), ("length", "len")]),
    syscall("get_robust_list", NONE, Ret::Int, &[
        arg("pid", Ty::Pid(PidKind::Tgid)),
        arg("head_ptr", Ty::Array(Dir::Out, &Ty::Addr, Len::Fixed(1))),
        arg("len_ptr", Ty::Array(Dir::Out, &Ty::ULong, Len::Fixed(1))),
    ]).may_need(&[c::CAP_SYS_PTRACE]),
    syscall("rseq", NONE, Ret::Int, &[
        arg("rseq", Ty::Custom(Irregular::Rseq, &Ty::Extensible(Dir::In, &RSEQ, Len::Of("rseq_len"), 32))),
        arg("rseq_len", Ty::UInt),
        arg("flags", Ty::Flags(&RSEQ_FLAGS)),
        arg("sig", Ty::Hex),
    ]),
    syscall("rseq_slice_yield", NONE, Ret::Int, &[]).does(&[Effect::Yields]),
];

pub static I386: &[(&str, Syscall)] = &[];
