//! Credentials: user and group ids, capabilities.

use crate::structs::creds::*;
use crate::uapi::consts as c;
use crate::{Class, Dir, Effect, Irregular, Len, Ret, Syscall, Ty, Width, arg, syscall};

/// Cannot fail and takes no arguments.
const PURE: Class = Class::CREDS.or(Class::PURE);

/// The 16-bit ids of i386's first calls.
const UID16: Ty = Ty::As(Width::W2, &Ty::Uid);
const GID16: Ty = Ty::As(Width::W2, &Ty::Gid);

const fn get(name: &'static str) -> Syscall {
    syscall(name, PURE, Ret::Uid, &[]).does(&[Effect::AsksOfItself])
}

macro_rules! set {
    ($call:literal, $($arg:literal),+; $ty:expr) => {
        syscall($call, Class::CREDS, Ret::Int, &[$(arg($arg, $ty)),+])
    };
}

/// getresuid(2), getresgid(2).
macro_rules! get_three {
    ($call:literal; $ty:expr) => {
        syscall($call, Class::CREDS, Ret::Int, &[
            arg("ruid", Ty::Array(Dir::Out, &$ty, Len::Fixed(1))),
            arg("euid", Ty::Array(Dir::Out, &$ty, Len::Fixed(1))),
            arg("suid", Ty::Array(Dir::Out, &$ty, Len::Fixed(1))),
        ])
    };
}

macro_rules! getgroups {
    ($call:literal; $ty:expr) => {
        syscall($call, Class::CREDS, Ret::Int, &[
            arg("size", Ty::Int),
            arg("list", Ty::Array(Dir::Out, &$ty, Len::Ret)),
        ])
    };
}

macro_rules! setgroups {
    ($call:literal; $ty:expr) => {
        syscall($call, Class::CREDS, Ret::Int, &[
            arg("size", Ty::Int),
            arg("list", Ty::Custom(Irregular::Between(0, c::NGROUPS_MAX as u32), &Ty::Array(Dir::In, &$ty, Len::Of("size")))),
        ])
    };
}

/// setfsuid(2), setfsgid(2): they always return the old id.
macro_rules! set_fs {
    ($call:literal; $ty:expr) => {
        syscall($call, Class::CREDS, Ret::Uid, &[arg("fsuid", $ty)])
    };
}

macro_rules! capabilities {
    ($call:literal, $dir:expr) => {
        syscall($call, Class::CREDS, Ret::Int, &[
            // The kernel replaces an unknown version by its own.
            arg("hdrp", Ty::Ptr(Dir::InLost, &Ty::Struct(&CAP_HEADER))),
            arg("datap", Ty::Custom(Irregular::CapData, &Ty::Array($dir, &Ty::Struct(&CAP_DATA), Len::Fixed(2)))),
        ])
    };
}

pub static ROWS: &[Syscall] = &[
    get("getuid"),
    get("getgid"),
    get("geteuid"),
    get("getegid"),
    set!("setuid", "uid"; Ty::Uid).does(&[Effect::SetsUser]),
    set!("setgid", "uid"; Ty::Gid).does(&[Effect::SetsGroups]),
    set!("setreuid", "ruid", "euid"; Ty::Uid).does(&[Effect::SetsUser]),
    set!("setregid", "ruid", "euid"; Ty::Gid).does(&[Effect::SetsGroups]),
    set!("setresuid", "ruid", "euid", "suid"; Ty::Uid).does(&[Effect::SetsUser]),
    set!("setresgid", "ruid", "euid", "suid"; Ty::Gid).does(&[Effect::SetsGroups]),
    get_three!("getresuid"; Ty::Uid).does(&[Effect::AsksOfItself]),
    get_three!("getresgid"; Ty::Gid).does(&[Effect::AsksOfItself]),
    set_fs!("setfsuid"; Ty::Uid).may_need(&[c::CAP_SETUID]),
    set_fs!("setfsgid"; Ty::Gid).may_need(&[c::CAP_SETGID]),
    getgroups!("getgroups"; Ty::Gid).does(&[Effect::AsksOfItself]),
    setgroups!("setgroups"; Ty::Gid).does(&[Effect::SetsGroups]),
    capabilities!("capget", Dir::Out).in_kernel(&[("hdrp", "header"), ("datap", "dataptr")]),
    capabilities!("capset", Dir::In).in_kernel(&[("hdrp", "header"), ("datap", "data")]).may_need(&[c::CAP_SETPCAP]),
];

pub static I386: &[(&str, Syscall)] = &[
    ("setuid", set!("setuid", "uid"; UID16).does(&[Effect::SetsUser])),
    ("setgid", set!("setgid", "uid"; GID16).does(&[Effect::SetsGroups])),
    ("setreuid", set!("setreuid", "ruid", "euid"; UID16).does(&[Effect::SetsUser])),
    ("setregid", set!("setregid", "ruid", "euid"; GID16).does(&[Effect::SetsGroups])),
    ("setresuid", set!("setresuid", "ruid", "euid", "suid"; UID16).does(&[Effect::SetsUser])),
    ("setresgid", set!("setresgid", "ruid", "euid", "suid"; GID16).does(&[Effect::SetsGroups])),
    ("getresuid", get_three!("getresuid"; UID16).does(&[Effect::AsksOfItself])),
    ("getresgid", get_three!("getresgid"; GID16).does(&[Effect::AsksOfItself])),
    ("setfsuid", set_fs!("setfsuid"; UID16).may_need(&[c::CAP_SETUID])),
    ("setfsgid", set_fs!("setfsgid"; GID16).may_need(&[c::CAP_SETGID])),
    ("getgroups", getgroups!("getgroups"; GID16).does(&[Effect::AsksOfItself])),
    ("setgroups", setgroups!("setgroups"; GID16).does(&[Effect::SetsGroups])),
    ("getuid32", get("getuid32")),
    ("getgid32", get("getgid32")),
    ("geteuid32", get("geteuid32")),
    ("getegid32", get("getegid32")),
    ("setuid32", set!("setuid32", "uid"; Ty::Uid).does(&[Effect::SetsUser])),
    ("setgid32", set!("setgid32", "uid"; Ty::Gid).does(&[Effect::SetsGroups])),
    ("setreuid32", set!("setreuid32", "ruid", "euid"; Ty::Uid).does(&[Effect::SetsUser])),
    ("setregid32", set!("setregid32", "ruid", "euid"; Ty::Gid).does(&[Effect::SetsGroups])),
    ("setresuid32", set!("setresuid32", "ruid", "euid", "suid"; Ty::Uid).does(&[Effect::SetsUser])),
    ("setresgid32", set!("setresgid32", "ruid", "euid", "suid"; Ty::Gid).does(&[Effect::SetsGroups])),
    ("getresuid32", get_three!("getresuid32"; Ty::Uid).does(&[Effect::AsksOfItself])),
    ("getresgid32", get_three!("getresgid32"; Ty::Gid).does(&[Effect::AsksOfItself])),
    ("setfsuid32", set_fs!("setfsuid32"; Ty::Uid).may_need(&[c::CAP_SETUID])),
    ("setfsgid32", set_fs!("setfsgid32"; Ty::Gid).may_need(&[c::CAP_SETGID])),
    ("getgroups32", getgroups!("getgroups32"; Ty::Gid).does(&[Effect::AsksOfItself])),
    ("setgroups32", setgroups!("setgroups32"; Ty::Gid).does(&[Effect::SetsGroups])),
];
