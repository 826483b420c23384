//! Resource limits and usage.

use crate::sets::limits::*;
use crate::structs::limits::*;
use crate::{Class, Dir, Effect, PidKind, Ret, Syscall, Ty, arg, syscall};

macro_rules! rlimit {
    ($name:literal, $dir:ident) => {
        syscall($name, Class::NONE, Ret::Int, &[
            arg("resource", Ty::Enum(&RESOURCE)),
            arg("rlim", Ty::Ptr(Dir::$dir, &Ty::Struct(&RLIMIT_PAIR))),
        ])
    };
}

pub static ROWS: &[Syscall] = &[
    rlimit!("getrlimit", Out).does(&[Effect::AsksOfItself]),
    rlimit!("setrlimit", In),
    syscall("prlimit64", Class::NONE, Ret::Int, &[
        arg("pid", Ty::Pid(PidKind::Tgid)),
        arg("resource", Ty::Enum(&RESOURCE)),
        arg("new_limit", Ty::Ptr(Dir::In, &Ty::Struct(&RLIMIT64_PAIR))),
        arg("old_limit", Ty::Ptr(Dir::Out, &Ty::Struct(&RLIMIT64_PAIR))),
    ]).in_kernel(&[("new_limit", "new_rlim"), ("old_limit", "old_rlim")]).does(&[Effect::AsksOfItself]),
    syscall("getrusage", Class::NONE, Ret::Int, &[
        arg("who", Ty::Enum(&USAGE_WHO)),
        arg("usage", Ty::Ptr(Dir::Out, &Ty::Struct(&RUSAGE))),
    ]).in_kernel(&[("usage", "ru")]).does(&[Effect::Private]),
];

pub static I386: &[(&str, Syscall)] = &[
    ("ugetrlimit", rlimit!("ugetrlimit", Out).does(&[Effect::AsksOfItself])),
];
