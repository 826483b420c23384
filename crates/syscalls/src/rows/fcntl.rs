//! fcntl(2), flock(2) and leases.

use crate::sets::fcntl::*;
use crate::sets::files::OPEN;
use crate::structs::fcntl::*;
use crate::uapi::consts as c;
use crate::{Case, Class, Dir, Effect, For, SelectKey, Len, Note, PidKind, Ret, RetSelect, Select, Syscall, Ty, When, Width, arg, syscall};

/// The 64-bit locks of 32-bit ABIs: asm-generic/fcntl.h
const F_GETLK64: u64 = 12;
const F_SETLK64: u64 = 13;
const F_SETLKW64: u64 = 14;
/// linux/fcntl.h, 6.19
const F_GETDELEG: u64 = 0x40f;
const F_SETDELEG: u64 = 0x410;

/// The operations that take no argument.
const HAS_ARG: When = When::NoneOf("op", 0xffff_ffff, &[
    c::F_GETFD,
    c::F_GETFL,
    c::F_GETOWN,
    c::F_GETSIG,
    c::F_GETLEASE,
    c::F_GETPIPE_SZ,
    c::F_GET_SEALS,
]);

const SET_LOCK: Ty = Ty::Ptr(Dir::In, &Ty::Struct(&FLOCK_SET));
const GET_LOCK: Ty = Ty::Ptr(Dir::Out, &Ty::Struct(&FLOCK_GOT));
const SET_LOCK64: Ty = Ty::Ptr(Dir::In, &Ty::Struct(&FLOCK64_SET));
const GET_LOCK64: Ty = Ty::Ptr(Dir::Out, &Ty::Struct(&FLOCK64_GOT));
const HINT: Ty = Ty::As(Width::W8, &Ty::Enum(&WRITE_LIFE));

/// The operations of fcntl(2) and fcntl64(2), and those that only one of them decodes.
macro_rules! operations {
    ($($more:expr),*) => {
        Select {
            on: SelectKey::of("op"),
            cases: &[
                Case(c::F_DUPFD, Ty::Int),
                Case(c::F_DUPFD_CLOEXEC, Ty::Int),
                Case(c::F_DUPFD_QUERY, Ty::Fd),
                Case(c::F_SETFD, Ty::Flags(&FD_FLAGS)),
                Case(c::F_SETFL, Ty::Flags(&OPEN)),
                Case(c::F_SETLK, SET_LOCK),
                Case(c::F_SETLKW, SET_LOCK),
                Case(c::F_GETLK, GET_LOCK),
                Case(c::F_OFD_SETLK, SET_LOCK64),
                Case(c::F_OFD_SETLKW, SET_LOCK64),
                Case(c::F_OFD_GETLK, GET_LOCK64),
                Case(c::F_SETOWN, Ty::Pid(PidKind::Tgid)),
                Case(c::F_SETOWN_EX, Ty::Ptr(Dir::In, &Ty::Struct(&OWNER))),
                Case(c::F_GETOWN_EX, Ty::Ptr(Dir::Out, &Ty::Struct(&OWNER))),
                Case(c::F_SETSIG, Ty::Signal),
                Case(c::F_SETLEASE, Ty::Enum(&LOCK_TYPE)),
                Case(c::F_NOTIFY, Ty::Flags(&NOTIFY)),
                Case(c::F_SETPIPE_SZ, Ty::Int),
                Case(c::F_ADD_SEALS, Ty::Flags(&SEALS)),
                Case(c::F_SET_RW_HINT, Ty::Array(Dir::In, &HINT, Len::Fixed(1))),
                Case(c::F_SET_FILE_RW_HINT, Ty::Array(Dir::In, &HINT, Len::Fixed(1))),
                Case(c::F_GET_RW_HINT, Ty::Array(Dir::Out, &HINT, Len::Fixed(1))),
                Case(c::F_GET_FILE_RW_HINT, Ty::Array(Dir::Out, &HINT, Len::Fixed(1))),
                Case(F_SETDELEG, Ty::Ptr(Dir::In, &Ty::Struct(&DELEGATION))),
                Case(F_GETDELEG, Ty::Ptr(Dir::Out, &Ty::Struct(&DELEGATION))),
                $($more),*
            ],
            default: Ty::HexLong,
        }
    };
}

static ARG: Select = operations!(Case(F_SETLK64, Ty::Addr), Case(F_SETLKW64, Ty::Addr), Case(F_GETLK64, Ty::Addr));
static ARG64: Select = operations!(Case(F_SETLK64, SET_LOCK64), Case(F_SETLKW64, SET_LOCK64), Case(F_GETLK64, GET_LOCK64));

/// The return types of the operations; where flags come back, a note names them.
static RETURNS: RetSelect = RetSelect {
    on: SelectKey::of("op"),
    cases: &[
        (c::F_DUPFD, Ret::Fd),
        (c::F_DUPFD_CLOEXEC, Ret::Fd),
        (c::F_GETFD, Ret::Hex),
        (c::F_GETFL, Ret::Hex),
        (c::F_GETLEASE, Ret::Hex),
        (c::F_GET_SEALS, Ret::Hex),
        (c::F_GETOWN, Ret::Pid(PidKind::Tgid)),
    ],
    default: Ret::Int,
};

pub static ROWS: &[Syscall] = &[
    syscall("fcntl", Class::DESC, Ret::Select(&RETURNS), &[
        arg("fd", Ty::Fd),
        arg("op", Ty::Enum(&FCNTL)),
        arg("arg", Ty::Select(&ARG)).when(HAS_ARG),
    ]).in_kernel(&[("op", "cmd")]).noted(Note::Fcntl).does(&[Effect::ControlsDescriptor]),
    syscall("fcntl64", Class::DESC, Ret::Select(&RETURNS), &[
        arg("fd", Ty::Fd),
        arg("op", Ty::Enum(&FCNTL)),
        arg("arg", Ty::Select(&ARG64)).when(HAS_ARG),
    ]).noted(Note::Fcntl).does(&[Effect::ControlsDescriptor]),
    syscall("flock", Class::DESC, Ret::Int, &[arg("fd", Ty::Fd), arg("op", Ty::Flags(&FLOCK))]).in_kernel(&[("op", "cmd")])
        .does(&[Effect::MayWait(For::Turn), Effect::LocksFile]),
];

pub static I386: &[(&str, Syscall)] = &[];
