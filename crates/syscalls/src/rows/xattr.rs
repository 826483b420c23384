//! Extended attributes: xattr(7).

use crate::effect::Effect;
use crate::sets::xattr::*;
use crate::structs::xattr::*;
use crate::uapi::consts as c;
use crate::{Arg, Class, Dir, Irregular, Len, Ret, Syscall, Ty, arg, syscall};

const FILE_DESC: Class = Class::FILE.or(Class::DESC);
const ARGS_MIN: usize = c::XATTR_ARGS_SIZE_VER0 as usize;

const FD: Arg = arg("fd", Ty::Fd);
const DIRFD: Arg = arg("dirfd", Ty::DirFd);
const PATHNAME: Arg = arg("pathname", Ty::Path);
const AT: Arg = arg("flags", Ty::Flags(&XATTR_AT_FLAGS));
const NAME: Arg = arg("name", Ty::Str);
const SIZE: Arg = arg("size", Ty::ULong);
const FLAGS: Arg = arg("flags", Ty::Flags(&XATTR_FLAGS));
const SET: Arg = arg("value", Ty::Custom(Irregular::XattrValue, &Ty::Bytes(Dir::In, Len::Of("size"))));
const GET: Arg = arg("value", Ty::Custom(Irregular::XattrValue, &Ty::Bytes(Dir::Out, Len::Ret)));
const LIST: Arg = arg("list", Ty::Custom(Irregular::XattrList, &Ty::Bytes(Dir::Out, Len::Ret)));

pub static ROWS: &[Syscall] = &[
    syscall("setxattr", Class::FILE, Ret::Int, &[PATHNAME, NAME, SET, SIZE, FLAGS]).does(&[Effect::SetsAttributes]).may_need(&[c::CAP_SYS_ADMIN, c::CAP_SETFCAP, c::CAP_MAC_ADMIN]),
    syscall("lsetxattr", Class::FILE, Ret::Int, &[PATHNAME, NAME, SET, SIZE, FLAGS]).does(&[Effect::SetsAttributes]).may_need(&[c::CAP_SYS_ADMIN, c::CAP_SETFCAP, c::CAP_MAC_ADMIN]),
    syscall("fsetxattr", Class::DESC, Ret::Int, &[FD, NAME, SET, SIZE, FLAGS]).does(&[Effect::SetsAttributes]).may_need(&[c::CAP_SYS_ADMIN, c::CAP_SETFCAP, c::CAP_MAC_ADMIN]),
    syscall("getxattr", Class::FILE, Ret::Size, &[PATHNAME, NAME, GET, SIZE]),
    syscall("lgetxattr", Class::FILE, Ret::Size, &[PATHNAME, NAME, GET, SIZE]),
    syscall("fgetxattr", Class::DESC, Ret::Size, &[FD, NAME, GET, SIZE]),
    syscall("listxattr", Class::FILE, Ret::Size, &[PATHNAME, LIST, SIZE]),
    syscall("llistxattr", Class::FILE, Ret::Size, &[PATHNAME, LIST, SIZE]),
    syscall("flistxattr", Class::DESC, Ret::Size, &[FD, LIST, SIZE]),
    syscall("removexattr", Class::FILE, Ret::Int, &[PATHNAME, NAME]).does(&[Effect::SetsAttributes]).may_need(&[c::CAP_SYS_ADMIN, c::CAP_SETFCAP, c::CAP_MAC_ADMIN]),
    syscall("lremovexattr", Class::FILE, Ret::Int, &[PATHNAME, NAME]).does(&[Effect::SetsAttributes]).may_need(&[c::CAP_SYS_ADMIN, c::CAP_SETFCAP, c::CAP_MAC_ADMIN]),
    syscall("fremovexattr", Class::DESC, Ret::Int, &[FD, NAME]).does(&[Effect::SetsAttributes]).may_need(&[c::CAP_SYS_ADMIN, c::CAP_SETFCAP, c::CAP_MAC_ADMIN]),
    syscall("setxattrat", FILE_DESC, Ret::Int, &[
        DIRFD,
        PATHNAME,
        AT,
        NAME,
        arg("args", Ty::Extensible(Dir::In, &SETXATTR_ARGS, Len::Of("size"), ARGS_MIN)),
        SIZE,
    ]).in_kernel(&[("dirfd", "dfd"), ("flags", "at_flags"), ("args", "uargs"), ("size", "usize")]).does(&[Effect::SetsAttributes]).may_need(&[c::CAP_SYS_ADMIN, c::CAP_SETFCAP, c::CAP_MAC_ADMIN]),
    syscall("getxattrat", FILE_DESC, Ret::Size, &[
        DIRFD,
        PATHNAME,
        AT,
        NAME,
        arg("args", Ty::Extensible(Dir::In, &GETXATTR_ARGS, Len::Of("size"), ARGS_MIN)),
        SIZE,
    ]).in_kernel(&[("dirfd", "dfd"), ("flags", "at_flags"), ("args", "uargs"), ("size", "usize")]),
    syscall("listxattrat", FILE_DESC, Ret::Size, &[DIRFD, PATHNAME, AT, LIST, SIZE]).in_kernel(&[("dirfd", "dfd"), ("flags", "at_flags")]),
    syscall("removexattrat", FILE_DESC, Ret::Int, &[DIRFD, PATHNAME, AT, NAME]).in_kernel(&[("dirfd", "dfd"), ("flags", "at_flags")]).does(&[Effect::SetsAttributes]).may_need(&[c::CAP_SYS_ADMIN, c::CAP_SETFCAP, c::CAP_MAC_ADMIN]),
];

pub static I386: &[(&str, Syscall)] = &[];
