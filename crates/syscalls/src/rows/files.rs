//! Files: open, read, write, seek and the stat family.

use crate::sets::files::*;
use crate::structs::files::*;
use crate::uapi::consts as c;
use crate::{Class, Dir, Irregular, Len, Ret, Syscall, Ty, When, arg, syscall};

const FILE_DESC: Class = Class::FILE.or(Class::DESC);
/// open(2): `mode` is read only when a file may be created.
const CREATES: When = When::AnySet("flags", &[c::O_CREAT, c::O_TMPFILE]);

pub static ROWS: &[Syscall] = &[
    syscall("read", Class::DESC, Ret::Size, &[
        arg("fd", Ty::Fd),
        arg("buf", Ty::Bytes(Dir::Out, Len::Ret)),
        arg("count", Ty::ULong),
    ]),
    syscall("write", Class::DESC, Ret::Size, &[
        arg("fd", Ty::Fd),
        arg("buf", Ty::Bytes(Dir::In, Len::Of("count"))),
        arg("count", Ty::ULong),
    ]),
    syscall("close", Class::DESC, Ret::Int, &[arg("fd", Ty::Fd)]),
    syscall("openat", FILE_DESC, Ret::Fd, &[
        arg("dirfd", Ty::DirFd),
        arg("pathname", Ty::Path),
        arg("flags", Ty::Flags(&OPEN)),
        arg("mode", Ty::Perm).when(CREATES),
    ]),
    syscall("fstat", Class::DESC.or(Class::FSTAT).or(Class::STAT_LIKE), Ret::Int, &[
        arg("fd", Ty::Fd),
        arg("statbuf", Ty::Ptr(Dir::Out, &Ty::Struct(&STAT))),
    ]),
    syscall("newfstatat", FILE_DESC.or(Class::FSTAT).or(Class::STAT_LIKE), Ret::Int, &[
        arg("dirfd", Ty::DirFd),
        arg("pathname", Ty::Path),
        arg("statbuf", Ty::Ptr(Dir::Out, &Ty::Struct(&STAT))),
        arg("flag", Ty::Flags(&AT_FLAGS)),
    ]),
    syscall("getdents64", Class::DESC, Ret::Size, &[
        arg("fd", Ty::Fd),
        arg("dirp", Ty::Custom(Irregular::Dirents64, &Ty::Array(Dir::Out, &Ty::Blob(1), Len::Ret))),
        arg("count", Ty::ULong),
    ]),
    syscall("writev", Class::DESC, Ret::Size, &[
        arg("fd", Ty::Fd),
        arg("iov", Ty::Iovec(Dir::In, Len::Of("iovcnt"))),
        arg("iovcnt", Ty::Int),
    ]),
];

pub static I386: &[(&str, Syscall)] = &[];
