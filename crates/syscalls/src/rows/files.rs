//! Open files: open, read, write, seek, transfer, synchronize.

use crate::effect::{Data, Effect, Thing, copies, duplicates, makes, reads, writes};
use crate::sets::files::*;
use crate::sets::paths::AT_FLAGS;
use crate::structs::files::*;
use crate::structs::paths::*;
use crate::uapi::consts as c;
use crate::{Arg, Class, Dir, Irregular, Len, PidKind, Ret, Syscall, Ty, When, Width, arg, syscall};

const FILE_DESC: Class = Class::FILE.or(Class::DESC);
const FSTAT: Class = Class::DESC.or(Class::FSTAT).or(Class::STAT_LIKE);

/// open(2): `mode` is read only when a file may be created.
const CREATES: When = When::AnySet("flags", &[c::O_CREAT, __O_TMPFILE]);
/// O_TMPFILE without its O_DIRECTORY: asm-generic/fcntl.h
const __O_TMPFILE: u64 = 0o20000000;

/// Permission bits as the kernel takes them, an unsigned short.
pub(super) const PERM: Ty = Ty::As(Width::W2, &Ty::Perm);
/// Bytes read from an open file, or to be written to it.
const OUT: Ty = Ty::Bytes(Dir::Out, Len::Ret);
const IN: Ty = Ty::Bytes(Dir::In, Len::Of("count"));
/// A file offset before the call and after it.
const OFFSET_CHANGE: Ty = Ty::Custom(Irregular::OffsetChange, &Ty::Array(Dir::InOut, &Ty::I64, Len::Fixed(1)));
const LONG_OFFSET_CHANGE: Ty = Ty::Custom(Irregular::OffsetChange, &Ty::Array(Dir::InOut, &Ty::Long, Len::Fixed(1)));
const OFFSET: Ty = Ty::Array(Dir::InLost, &Ty::I64, Len::Fixed(1));
/// Descriptors that the call made.
const PAIR: Ty = Ty::Array(Dir::Out, &Ty::Fd, Len::Fixed(2));

const FD: Arg = arg("fd", Ty::Fd);
const IOVCNT: Arg = arg("iovcnt", Ty::ULong);

pub static ROWS: &[Syscall] = &[
    syscall("open", FILE_DESC, Ret::Fd, &[
        arg("pathname", Ty::Path),
        arg("flags", Ty::Flags(&OPEN)),
        arg("mode", PERM).when(CREATES),
    ]).in_kernel(&[("pathname", "filename")]).does(&[makes(Thing::File).cloexec_if("flags", c::O_CLOEXEC)]),
    syscall("creat", FILE_DESC, Ret::Fd, &[arg("pathname", Ty::Path), arg("mode", PERM)]).does(&[makes(Thing::File), Effect::Truncates]),
    syscall("openat", FILE_DESC, Ret::Fd, &[
        arg("dirfd", Ty::DirFd),
        arg("pathname", Ty::Path),
        arg("flags", Ty::Flags(&OPEN)),
        arg("mode", PERM).when(CREATES),
    ]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename")]).does(&[makes(Thing::File).cloexec_if("flags", c::O_CLOEXEC)]),
    syscall("openat2", FILE_DESC, Ret::Fd, &[
        arg("dirfd", Ty::DirFd),
        arg("pathname", Ty::Path),
        arg("how", Ty::Extensible(Dir::In, &OPEN_HOW_STRUCT, Len::Of("size"), 24)),
        arg("size", Ty::ULong),
    ]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename"), ("size", "usize")]).does(&[makes(Thing::File).cloexec_if_member("how", "flags", c::O_CLOEXEC)]),
    syscall("close", Class::DESC, Ret::Int, &[FD]).does(&[Effect::Closes]),
    syscall("close_range", Class::NONE, Ret::Int, &[
        arg("first", Ty::UInt),
        arg("last", Ty::UInt),
        arg("flags", Ty::Flags(&CLOSE_RANGE)),
    ]).in_kernel(&[("first", "fd"), ("last", "max_fd")]).does(&[Effect::ClosesRange]),
    syscall("read", Class::DESC, Ret::Size, &[FD, arg("buf", OUT), arg("count", Ty::ULong)])
        .does(&[reads(Data::Bytes).asked("count")]),
    syscall("write", Class::DESC, Ret::Size, &[FD, arg("buf", IN), arg("count", Ty::ULong)])
        .does(&[writes(Data::Bytes).asked("count")]),
    syscall("pread64", Class::DESC, Ret::Size, &[FD, arg("buf", OUT), arg("count", Ty::ULong), arg("offset", Ty::I64)]).in_kernel(&[("offset", "pos")])
        .does(&[reads(Data::Bytes).asked("count").at_offset()]),
    syscall("pwrite64", Class::DESC, Ret::Size, &[FD, arg("buf", IN), arg("count", Ty::ULong), arg("offset", Ty::I64)]).in_kernel(&[("offset", "pos")])
        .does(&[writes(Data::Bytes).asked("count").at_offset()]),
    syscall("readv", Class::DESC, Ret::Size, &[FD, arg("iov", Ty::Iovec(Dir::Out, Len::Of("iovcnt"))), IOVCNT]).in_kernel(&[("iov", "vec"), ("iovcnt", "vlen")])
        .does(&[reads(Data::Vector)]),
    syscall("writev", Class::DESC, Ret::Size, &[FD, arg("iov", Ty::Iovec(Dir::In, Len::Of("iovcnt"))), IOVCNT]).in_kernel(&[("iov", "vec"), ("iovcnt", "vlen")])
        .does(&[writes(Data::Vector)]),
    syscall("preadv", Class::DESC, Ret::Size, &[
        FD,
        arg("iov", Ty::Iovec(Dir::Out, Len::Of("iovcnt"))),
        IOVCNT,
        arg("offset", Ty::I64),
    ]).in_kernel(&[("iov", "vec"), ("iovcnt", "vlen"), ("offset", "pos_l")]).does(&[reads(Data::Vector).at_offset()]),
    syscall("pwritev", Class::DESC, Ret::Size, &[
        FD,
        arg("iov", Ty::Iovec(Dir::In, Len::Of("iovcnt"))),
        IOVCNT,
        arg("offset", Ty::I64),
    ]).in_kernel(&[("iov", "vec"), ("iovcnt", "vlen"), ("offset", "pos_l")]).does(&[writes(Data::Vector).at_offset()]),
    syscall("preadv2", Class::DESC, Ret::Size, &[
        FD,
        arg("iov", Ty::Iovec(Dir::Out, Len::Of("iovcnt"))),
        IOVCNT,
        arg("offset", Ty::I64),
        // The offset's upper half, which only 32-bit ABIs use.
        arg("offset_high", Ty::Long).when(When::Never),
        arg("flags", Ty::Flags(&RWF)),
    ]).does(&[reads(Data::Vector).at_offset()]),
    syscall("pwritev2", Class::DESC, Ret::Size, &[
        FD,
        arg("iov", Ty::Iovec(Dir::In, Len::Of("iovcnt"))),
        IOVCNT,
        arg("offset", Ty::I64),
        arg("offset_high", Ty::Long).when(When::Never),
        arg("flags", Ty::Flags(&RWF)),
    ]).does(&[writes(Data::Vector).at_offset()]),
    syscall("lseek", Class::DESC, Ret::Int, &[FD, arg("offset", Ty::Long), arg("whence", Ty::Enum(&WHENCE))])
        .does(&[Effect::Seeks]),
    syscall("_llseek", Class::DESC, Ret::Int, &[
        FD,
        arg("offset_high", Ty::UInt).when(When::Never),
        arg("offset", Ty::Custom(Irregular::SplitOffset, &Ty::UInt)),
        arg("result", Ty::Array(Dir::Out, &Ty::I64, Len::Fixed(1))),
        arg("whence", Ty::Enum(&WHENCE)),
    ]).does(&[Effect::Seeks]),
    syscall("dup", Class::DESC, Ret::Fd, &[arg("oldfd", Ty::Fd)]).in_kernel(&[("oldfd", "fildes")]).does(&[duplicates()]),
    syscall("dup2", Class::DESC, Ret::Fd, &[arg("oldfd", Ty::Fd), arg("newfd", Ty::Fd)]).does(&[duplicates()]),
    syscall("dup3", Class::DESC, Ret::Fd, &[
        arg("oldfd", Ty::Fd),
        arg("newfd", Ty::Fd),
        arg("flags", Ty::Flags(&OPEN_FLAGS)),
    ]).does(&[duplicates().cloexec_if("flags", c::O_CLOEXEC)]),
    syscall("pipe", Class::DESC, Ret::Int, &[arg("pipefd", PAIR)]).in_kernel(&[("pipefd", "fildes")]).does(&[makes(Thing::Pipe)]),
    syscall("pipe2", Class::DESC, Ret::Int, &[arg("pipefd", PAIR), arg("flags", Ty::Flags(&OPEN_FLAGS))]).in_kernel(&[("pipefd", "fildes")])
        .does(&[makes(Thing::Pipe).cloexec_if("flags", c::O_CLOEXEC)]),
    syscall("fstat", FSTAT, Ret::Int, &[FD, arg("statbuf", Ty::Ptr(Dir::Out, &Ty::Struct(&STAT)))])
        .does(&[Effect::AsksOfFile]),
    syscall("newfstatat", FSTAT.or(Class::FILE), Ret::Int, &[
        arg("dirfd", Ty::DirFd),
        arg("pathname", Ty::Path),
        arg("statbuf", Ty::Ptr(Dir::Out, &Ty::Struct(&STAT))),
        arg("flags", Ty::Flags(&AT_FLAGS)),
    ]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename"), ("flags", "flag")]).does(&[Effect::Asks]),
    syscall("oldfstat", FSTAT, Ret::Int, &[FD, arg("statbuf", Ty::Ptr(Dir::Out, &Ty::Struct(&OLD_STAT)))]),
    syscall("fstat64", FSTAT, Ret::Int, &[FD, arg("statbuf", Ty::Ptr(Dir::Out, &Ty::Struct(&STAT64)))])
        .does(&[Effect::AsksOfFile]),
    syscall("fstatat64", FSTAT.or(Class::FILE), Ret::Int, &[
        arg("dirfd", Ty::DirFd),
        arg("pathname", Ty::Path),
        arg("statbuf", Ty::Ptr(Dir::Out, &Ty::Struct(&STAT64))),
        arg("flags", Ty::Flags(&AT_FLAGS)),
    ]).does(&[Effect::Asks]),
    syscall("fchdir", Class::DESC, Ret::Int, &[FD]).does(&[Effect::ChangesDirectory]),
    syscall("fchmod", Class::DESC, Ret::Int, &[FD, arg("mode", PERM)]).does(&[Effect::SetsAttributes]),
    syscall("fchown", Class::DESC, Ret::Int, &[FD, arg("owner", Ty::Uid), arg("group", Ty::Gid)]).does(&[Effect::SetsAttributes]),
    syscall("fchown32", Class::DESC, Ret::Int, &[FD, arg("owner", Ty::Uid), arg("group", Ty::Gid)]).does(&[Effect::SetsAttributes]),
    syscall("ftruncate", Class::DESC, Ret::Int, &[FD, arg("length", Ty::ULong)]).does(&[Effect::SetsSize]),
    syscall("ftruncate64", Class::DESC, Ret::Int, &[FD, arg("length", Ty::U64)]).does(&[Effect::SetsSize]),
    syscall("fallocate", Class::DESC, Ret::Int, &[
        FD,
        arg("mode", Ty::Flags(&FALLOCATE)),
        arg("offset", Ty::I64),
        arg("len", Ty::I64),
    ]).does(&[Effect::SetsSize]),
    syscall("fadvise64", Class::DESC, Ret::Int, &[
        FD,
        arg("offset", Ty::I64),
        arg("len", Ty::ULong),
        arg("advice", Ty::Enum(&FADVISE)),
    ]),
    syscall("fadvise64_64", Class::DESC, Ret::Int, &[
        FD,
        arg("offset", Ty::I64),
        arg("len", Ty::I64),
        arg("advice", Ty::Enum(&FADVISE)),
    ]),
    syscall("readahead", Class::DESC, Ret::Int, &[FD, arg("offset", Ty::I64), arg("count", Ty::ULong)]),
    syscall("sync", Class::NONE, Ret::Int, &[]).does(&[Effect::Syncs, Effect::SyncsAll]),
    syscall("fsync", Class::DESC, Ret::Int, &[FD]).does(&[Effect::Syncs]),
    syscall("fdatasync", Class::DESC, Ret::Int, &[FD]).does(&[Effect::Syncs]),
    syscall("syncfs", Class::DESC, Ret::Int, &[FD]).does(&[Effect::Syncs, Effect::SyncsAll]),
    syscall("sync_file_range", Class::DESC, Ret::Int, &[
        FD,
        arg("offset", Ty::I64),
        arg("nbytes", Ty::I64),
        arg("flags", Ty::Flags(&SYNC_FILE_RANGE)),
    ]),
    syscall("cachestat", Class::DESC, Ret::Int, &[
        FD,
        arg("cstat_range", Ty::Ptr(Dir::In, &Ty::Struct(&CACHESTAT_RANGE))),
        arg("cstat", Ty::Ptr(Dir::Out, &Ty::Struct(&CACHESTAT))),
        arg("flags", Ty::Hex),
    ]),
    syscall("sendfile", Class::DESC.or(Class::NETWORK), Ret::Size, &[
        arg("out_fd", Ty::Fd),
        arg("in_fd", Ty::Fd),
        arg("offset", LONG_OFFSET_CHANGE),
        arg("count", Ty::ULong),
    ]).does(&[copies().asked("count")]),
    syscall("sendfile64", Class::DESC.or(Class::NETWORK), Ret::Size, &[
        arg("out_fd", Ty::Fd),
        arg("in_fd", Ty::Fd),
        arg("offset", OFFSET_CHANGE),
        arg("count", Ty::ULong),
    ]).does(&[copies().asked("count")]),
    syscall("splice", Class::DESC, Ret::Size, &[
        arg("fd_in", Ty::Fd),
        arg("off_in", OFFSET),
        arg("fd_out", Ty::Fd),
        arg("off_out", OFFSET),
        arg("len", Ty::ULong),
        arg("flags", Ty::Flags(&SPLICE)),
    ]).does(&[copies().asked("len")]),
    syscall("tee", Class::DESC, Ret::Size, &[
        arg("fd_in", Ty::Fd),
        arg("fd_out", Ty::Fd),
        arg("len", Ty::ULong),
        arg("flags", Ty::Flags(&SPLICE)),
    ]).in_kernel(&[("fd_in", "fdin"), ("fd_out", "fdout")]).does(&[copies().asked("len")]),
    syscall("vmsplice", Class::DESC, Ret::Size, &[
        FD,
        arg("iov", Ty::Iovec(Dir::In, Len::Of("nr_segs"))),
        arg("nr_segs", Ty::ULong),
        arg("flags", Ty::Flags(&SPLICE)),
    ]).in_kernel(&[("iov", "uiov")]).does(&[writes(Data::Vector)]),
    syscall("copy_file_range", Class::DESC, Ret::Size, &[
        arg("fd_in", Ty::Fd),
        arg("off_in", OFFSET),
        arg("fd_out", Ty::Fd),
        arg("off_out", OFFSET),
        arg("len", Ty::ULong),
        arg("flags", Ty::UInt),
    ]).does(&[copies().asked("len")]),
    syscall("memfd_create", Class::DESC, Ret::Fd, &[arg("name", Ty::Custom(Irregular::MemfdName, &Ty::Str)), arg("flags", Ty::Flags(&MEMFD))]).in_kernel(&[("name", "uname")])
        .does(&[makes(Thing::Anonymous("memfd")).cloexec_if("flags", c::MFD_CLOEXEC)]),
    syscall("memfd_secret", Class::DESC, Ret::Fd, &[arg("flags", Ty::Flags(&MEMFD_SECRET))])
        .does(&[makes(Thing::Anonymous("memfd")).cloexec_if("flags", c::O_CLOEXEC)]).may_need(&[c::CAP_IPC_LOCK]),
    syscall("process_vm_readv", Class::NONE, Ret::Size, &[
        arg("pid", Ty::Pid(PidKind::Tgid)),
        arg("local_iov", Ty::Iovec(Dir::Out, Len::Of("liovcnt"))),
        arg("liovcnt", Ty::ULong),
        arg("remote_iov", Ty::Array(Dir::In, &Ty::Struct(&REMOTE_IOVEC), Len::Of("riovcnt"))),
        arg("riovcnt", Ty::ULong),
        arg("flags", Ty::ULong),
    ]).in_kernel(&[("local_iov", "lvec"), ("remote_iov", "rvec")]).may_need(&[c::CAP_SYS_PTRACE]),
    syscall("process_vm_writev", Class::NONE, Ret::Size, &[
        arg("pid", Ty::Pid(PidKind::Tgid)),
        arg("local_iov", Ty::Iovec(Dir::In, Len::Of("liovcnt"))),
        arg("liovcnt", Ty::ULong),
        arg("remote_iov", Ty::Array(Dir::In, &Ty::Struct(&REMOTE_IOVEC), Len::Of("riovcnt"))),
        arg("riovcnt", Ty::ULong),
        arg("flags", Ty::ULong),
    ]).in_kernel(&[("local_iov", "lvec"), ("remote_iov", "rvec")]).may_need(&[c::CAP_SYS_PTRACE]),
];

pub static I386: &[(&str, Syscall)] = &[
    ("preadv2", syscall("preadv2", Class::DESC, Ret::Size, &[
        FD,
        arg("iov", Ty::Iovec(Dir::Out, Len::Of("iovcnt"))),
        IOVCNT,
        arg("offset", Ty::I64),
        arg("flags", Ty::Flags(&RWF)),
    ]).does(&[reads(Data::Vector).at_offset()])),
    ("pwritev2", syscall("pwritev2", Class::DESC, Ret::Size, &[
        FD,
        arg("iov", Ty::Iovec(Dir::In, Len::Of("iovcnt"))),
        IOVCNT,
        arg("offset", Ty::I64),
        arg("flags", Ty::Flags(&RWF)),
    ]).does(&[writes(Data::Vector).at_offset()])),
    ("fchown", syscall("fchown", Class::DESC, Ret::Int, &[
        FD,
        arg("owner", Ty::As(Width::W2, &Ty::Uid)),
        arg("group", Ty::As(Width::W2, &Ty::Gid)),
    ]).does(&[Effect::SetsAttributes])),
];
