//! Paths: stat, link, rename, permissions, directories.

use super::files::PERM;
use crate::effect::{Data, Effect, Thing, makes, reads};
use crate::sets::paths::*;
use crate::structs::paths::*;
use crate::uapi::consts as c;
use crate::{Arg, Class, Dir, Irregular, Len, Ret, Syscall, Ty, When, Width, arg, syscall};

const FILE_DESC: Class = Class::FILE.or(Class::DESC);
const STAT_PATH: Class = Class::FILE.or(Class::STAT).or(Class::STAT_LIKE);
const LSTAT_PATH: Class = Class::FILE.or(Class::LSTAT).or(Class::STAT_LIKE);
const STATFS_PATH: Class = Class::FILE.or(Class::STATFS).or(Class::STATFS_LIKE);
const STATFS_FD: Class = Class::DESC.or(Class::FSTATFS).or(Class::STATFS_LIKE);

/// mknod(2): only devices have a number.
const DEVICE: When = When::OneOf("mode", c::S_IFMT, &[c::S_IFCHR, c::S_IFBLK]);
/// The 32 bits of a device number that these calls take.
const DEV: Ty = Ty::As(Width::W4, &Ty::Dev);
/// A mode with its type as the kernel takes it, an unsigned short.
const MODE: Ty = Ty::As(Width::W2, &Ty::Mode);

/// The target of a new symbolic link, which is not a path of this call.
const TARGET: Ty = Ty::Custom(Irregular::LinkTarget, &Ty::Path);

const PATHNAME: Arg = arg("pathname", Ty::Path);
const DIRFD: Arg = arg("dirfd", Ty::DirFd);
const OWNER: Arg = arg("owner", Ty::Uid);
const GROUP: Arg = arg("group", Ty::Gid);
const SHORT_OWNER: Arg = arg("owner", Ty::As(Width::W2, &Ty::Uid));
const SHORT_GROUP: Arg = arg("group", Ty::As(Width::W2, &Ty::Gid));
const TIMEVALS: Ty = Ty::Array(Dir::In, &Ty::Custom(Irregular::DatedTime, &Ty::Struct(&TIMEVAL)), Len::Fixed(2));
const TIMESPECS: Ty = Ty::Array(Dir::In, &Ty::Custom(Irregular::FileTime, &Ty::Struct(&TIMESPEC)), Len::Fixed(2));
const TIMESPECS64: Ty = Ty::Array(Dir::In, &Ty::Custom(Irregular::FileTime, &Ty::Struct(&TIMESPEC64)), Len::Fixed(2));
/// Directory entries. C libraries ask for at most 1 MiB at once, and mostly for 32 KiB.
const ENTRIES: Ty = Ty::Buffer(Dir::Out, Len::Ret, crate::plan::MAX_BYTES as u32);

pub static ROWS: &[Syscall] = &[
    syscall("stat", STAT_PATH, Ret::Int, &[PATHNAME, arg("statbuf", Ty::Ptr(Dir::Out, &Ty::Struct(&STAT)))]).in_kernel(&[("pathname", "filename")])
        .does(&[Effect::Asks]),
    syscall("lstat", LSTAT_PATH, Ret::Int, &[PATHNAME, arg("statbuf", Ty::Ptr(Dir::Out, &Ty::Struct(&STAT)))]).in_kernel(&[("pathname", "filename")])
        .does(&[Effect::Asks]),
    syscall("stat64", STAT_PATH, Ret::Int, &[PATHNAME, arg("statbuf", Ty::Ptr(Dir::Out, &Ty::Struct(&STAT64)))])
        .does(&[Effect::Asks]),
    syscall("lstat64", LSTAT_PATH, Ret::Int, &[PATHNAME, arg("statbuf", Ty::Ptr(Dir::Out, &Ty::Struct(&STAT64)))])
        .does(&[Effect::Asks]),
    syscall("oldstat", STAT_PATH, Ret::Int, &[PATHNAME, arg("statbuf", Ty::Ptr(Dir::Out, &Ty::Struct(&OLD_STAT)))])
        .does(&[Effect::Asks]),
    syscall("oldlstat", LSTAT_PATH, Ret::Int, &[PATHNAME, arg("statbuf", Ty::Ptr(Dir::Out, &Ty::Struct(&OLD_STAT)))])
        .does(&[Effect::Asks]),
    syscall("statx", FILE_DESC.or(Class::FSTAT).or(Class::STAT_LIKE), Ret::Int, &[
        DIRFD,
        PATHNAME,
        arg("flags", Ty::Flags(&AT_STATX)),
        arg("mask", Ty::Flags(&STATX_MASK)),
        arg("statxbuf", Ty::Ptr(Dir::Out, &Ty::Struct(&STATX))),
    ]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename"), ("statxbuf", "buffer")]).does(&[Effect::Asks]),
    syscall("access", Class::FILE, Ret::Int, &[PATHNAME, arg("mode", Ty::Flags(&ACCESS))]).in_kernel(&[("pathname", "filename")]).does(&[Effect::Asks]),
    syscall("faccessat", FILE_DESC, Ret::Int, &[DIRFD, PATHNAME, arg("mode", Ty::Flags(&ACCESS))]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename")])
        .does(&[Effect::Asks]),
    syscall("faccessat2", FILE_DESC, Ret::Int, &[
        DIRFD,
        PATHNAME,
        arg("mode", Ty::Flags(&ACCESS)),
        arg("flags", Ty::Flags(&AT_ACCESS)),
    ]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename")]).does(&[Effect::Asks]),
    syscall("chmod", Class::FILE, Ret::Int, &[PATHNAME, arg("mode", PERM)]).in_kernel(&[("pathname", "filename")]).does(&[Effect::SetsAttributes]),
    syscall("fchmodat", FILE_DESC, Ret::Int, &[DIRFD, PATHNAME, arg("mode", PERM)]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename")]).does(&[Effect::SetsAttributes]),
    syscall("fchmodat2", FILE_DESC, Ret::Int, &[DIRFD, PATHNAME, arg("mode", PERM), arg("flags", Ty::Flags(&AT_PLAIN))]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename")]).does(&[Effect::SetsAttributes]),
    syscall("chown", Class::FILE, Ret::Int, &[PATHNAME, OWNER, GROUP]).does(&[Effect::SetsAttributes]),
    syscall("lchown", Class::FILE, Ret::Int, &[PATHNAME, OWNER, GROUP]).does(&[Effect::SetsAttributes]),
    syscall("chown32", Class::FILE, Ret::Int, &[PATHNAME, OWNER, GROUP]).does(&[Effect::SetsAttributes]),
    syscall("lchown32", Class::FILE, Ret::Int, &[PATHNAME, OWNER, GROUP]).does(&[Effect::SetsAttributes]),
    syscall("fchownat", FILE_DESC, Ret::Int, &[DIRFD, PATHNAME, OWNER, GROUP, arg("flags", Ty::Flags(&AT_FLAGS))]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename"), ("owner", "user"), ("flags", "flag")]).does(&[Effect::SetsAttributes]),
    syscall("file_getattr", FILE_DESC, Ret::Int, &[
        DIRFD,
        PATHNAME,
        arg("attr", Ty::Custom(Irregular::UpToPage, &Ty::Extensible(Dir::Out, &FILE_ATTR, Len::Of("size"), 24))),
        arg("size", Ty::ULong),
        arg("flags", Ty::Flags(&AT_PLAIN)),
    ]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename"), ("attr", "ufattr"), ("size", "usize"), ("flags", "at_flags")]),
    syscall("file_setattr", FILE_DESC, Ret::Int, &[
        DIRFD,
        PATHNAME,
        arg("attr", Ty::Custom(Irregular::UpToPage, &Ty::Extensible(Dir::In, &FILE_ATTR_SET, Len::Of("size"), 24))),
        arg("size", Ty::ULong),
        arg("flags", Ty::Flags(&AT_PLAIN)),
    ]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename"), ("attr", "ufattr"), ("size", "usize"), ("flags", "at_flags")]).does(&[Effect::SetsAttributes]).may_need(&[c::CAP_LINUX_IMMUTABLE]),
    syscall("link", Class::FILE, Ret::Int, &[arg("oldpath", Ty::Path), arg("newpath", Ty::Path)]).in_kernel(&[("oldpath", "oldname"), ("newpath", "newname")]).does(&[Effect::Links]),
    syscall("linkat", FILE_DESC, Ret::Int, &[
        arg("olddirfd", Ty::DirFd),
        arg("oldpath", Ty::Path),
        arg("newdirfd", Ty::DirFd),
        arg("newpath", Ty::Path),
        arg("flags", Ty::Flags(&AT_FLAGS)),
    ]).in_kernel(&[("olddirfd", "olddfd"), ("oldpath", "oldname"), ("newdirfd", "newdfd"), ("newpath", "newname")]).does(&[Effect::Links]),
    syscall("unlink", Class::FILE, Ret::Int, &[arg("path", Ty::Path)]).in_kernel(&[("path", "pathname")]).does(&[Effect::Unlinks]),
    syscall("unlinkat", FILE_DESC, Ret::Int, &[DIRFD, PATHNAME, arg("flags", Ty::Flags(&AT_FLAGS))]).in_kernel(&[("dirfd", "dfd"), ("flags", "flag")]).does(&[Effect::Unlinks]),
    syscall("rename", Class::FILE, Ret::Int, &[arg("oldpath", Ty::Path), arg("newpath", Ty::Path)]).in_kernel(&[("oldpath", "oldname"), ("newpath", "newname")]).does(&[Effect::Renames]),
    syscall("renameat", FILE_DESC, Ret::Int, &[
        arg("olddirfd", Ty::DirFd),
        arg("oldpath", Ty::Path),
        arg("newdirfd", Ty::DirFd),
        arg("newpath", Ty::Path),
    ]).in_kernel(&[("olddirfd", "olddfd"), ("oldpath", "oldname"), ("newdirfd", "newdfd"), ("newpath", "newname")]).does(&[Effect::Renames]),
    syscall("renameat2", FILE_DESC, Ret::Int, &[
        arg("olddirfd", Ty::DirFd),
        arg("oldpath", Ty::Path),
        arg("newdirfd", Ty::DirFd),
        arg("newpath", Ty::Path),
        arg("flags", Ty::Flags(&RENAME)),
    ]).in_kernel(&[("olddirfd", "olddfd"), ("oldpath", "oldname"), ("newdirfd", "newdfd"), ("newpath", "newname")]).does(&[Effect::Renames]),
    syscall("symlink", Class::FILE, Ret::Int, &[arg("oldpath", TARGET), arg("newpath", Ty::Path)]).in_kernel(&[("oldpath", "oldname"), ("newpath", "newname")]).does(&[Effect::Links]),
    syscall("symlinkat", FILE_DESC, Ret::Int, &[
        arg("target", TARGET),
        arg("newdirfd", Ty::DirFd),
        arg("linkpath", Ty::Path),
    ]).in_kernel(&[("target", "oldname"), ("newdirfd", "newdfd"), ("linkpath", "newname")]).does(&[Effect::Links]),
    syscall("readlink", Class::FILE, Ret::Size, &[
        PATHNAME,
        arg("buf", Ty::Bytes(Dir::Out, Len::Ret)),
        arg("bufsiz", Ty::ULong),
    ]).in_kernel(&[("pathname", "path")]).does(&[Effect::Asks]),
    syscall("readlinkat", FILE_DESC, Ret::Size, &[
        DIRFD,
        PATHNAME,
        arg("buf", Ty::Bytes(Dir::Out, Len::Ret)),
        arg("bufsiz", Ty::ULong),
    ]).in_kernel(&[("dirfd", "dfd")]).does(&[Effect::Asks]),
    syscall("mkdir", Class::FILE, Ret::Int, &[PATHNAME, arg("mode", PERM)]).does(&[Effect::MakesDirectory]),
    syscall("mkdirat", FILE_DESC, Ret::Int, &[DIRFD, PATHNAME, arg("mode", PERM)]).in_kernel(&[("dirfd", "dfd")]).does(&[Effect::MakesDirectory]),
    syscall("rmdir", Class::FILE, Ret::Int, &[arg("path", Ty::Path)]).in_kernel(&[("path", "pathname")]).does(&[Effect::Unlinks, Effect::RemovesDirectory]),
    syscall("mknod", Class::FILE, Ret::Int, &[PATHNAME, arg("mode", MODE), arg("dev", DEV).when(DEVICE)]).in_kernel(&[("pathname", "filename")]).does(&[Effect::MakesNode]),
    syscall("mknodat", FILE_DESC, Ret::Int, &[DIRFD, PATHNAME, arg("mode", MODE), arg("dev", DEV).when(DEVICE)]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename")]).does(&[Effect::MakesNode]),
    syscall("chdir", Class::FILE, Ret::Int, &[arg("path", Ty::Path)]).in_kernel(&[("path", "filename")]).does(&[Effect::ChangesDirectory]),
    syscall("chroot", Class::FILE, Ret::Int, &[arg("path", Ty::Path)]).in_kernel(&[("path", "filename")]).does(&[Effect::ChangesPaths, Effect::NeedsCapability(c::CAP_SYS_CHROOT)]),
    syscall("getcwd", Class::FILE, Ret::Size, &[
        arg("buf", Ty::Custom(Irregular::PathOut, &Ty::Buffer(Dir::Out, Len::Ret, 4096))),
        arg("size", Ty::ULong),
    ]).does(&[Effect::AsksOfItself]),
    syscall("truncate", Class::FILE, Ret::Int, &[arg("path", Ty::Path), arg("length", Ty::ULong)]).does(&[Effect::Truncates]),
    syscall("truncate64", Class::FILE, Ret::Int, &[arg("path", Ty::Path), arg("length", Ty::U64)]).does(&[Effect::Truncates]),
    syscall("getdents", Class::DESC, Ret::Size, &[
        arg("fd", Ty::Fd),
        arg("dirp", Ty::Custom(Irregular::Dirents, &ENTRIES)),
        arg("count", Ty::UInt),
    ]).in_kernel(&[("dirp", "dirent")]).does(&[reads(Data::Records).asked("count")]),
    syscall("getdents64", Class::DESC, Ret::Size, &[
        arg("fd", Ty::Fd),
        arg("dirp", Ty::Custom(Irregular::Dirents64, &ENTRIES)),
        arg("count", Ty::UInt),
    ]).in_kernel(&[("dirp", "dirent")]).does(&[reads(Data::Records).asked("count")]),
    syscall("readdir", Class::DESC, Ret::Int, &[
        arg("fd", Ty::Fd),
        // One entry: inode, offset, length of the name, the name. The return value is no length.
        arg("dirp", Ty::Custom(Irregular::OldDirent, &Ty::Buffer(Dir::Out, Len::Fixed(266), 266))),
        arg("count", Ty::UInt),
    ]),
    syscall("utime", Class::FILE, Ret::Int, &[
        arg("filename", Ty::Path),
        arg("times", Ty::Ptr(Dir::In, &Ty::Struct(&UTIMBUF))),
    ]).does(&[Effect::SetsAttributes]),
    syscall("utimes", Class::FILE, Ret::Int, &[PATHNAME, arg("times", TIMEVALS)]).in_kernel(&[("pathname", "filename"), ("times", "utimes")]).does(&[Effect::SetsAttributes]),
    syscall("futimesat", FILE_DESC, Ret::Int, &[DIRFD, PATHNAME, arg("times", TIMEVALS)]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename"), ("times", "utimes")]).does(&[Effect::SetsAttributes]),
    syscall("utimensat", FILE_DESC, Ret::Int, &[
        DIRFD,
        PATHNAME,
        arg("times", TIMESPECS),
        arg("flags", Ty::Flags(&AT_FLAGS)),
    ]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename"), ("times", "utimes")]).does(&[Effect::SetsAttributes]),
    syscall("utimensat_time64", FILE_DESC, Ret::Int, &[
        DIRFD,
        PATHNAME,
        arg("times", TIMESPECS64),
        arg("flags", Ty::Flags(&AT_FLAGS)),
    ]).does(&[Effect::SetsAttributes]),
    syscall("umask", Class::NONE, Ret::Octal, &[arg("mask", PERM)]),
    syscall("statfs", STATFS_PATH, Ret::Int, &[PATHNAME, arg("buf", Ty::Ptr(Dir::Out, &Ty::Struct(&STATFS)))]),
    syscall("fstatfs", STATFS_FD, Ret::Int, &[arg("fd", Ty::Fd), arg("buf", Ty::Ptr(Dir::Out, &Ty::Struct(&STATFS)))]),
    syscall("statfs64", STATFS_PATH, Ret::Int, &[
        PATHNAME,
        arg("size", Ty::ULong),
        arg("buf", Ty::Ptr(Dir::Out, &Ty::Struct(&STATFS64))),
    ]),
    syscall("fstatfs64", STATFS_FD, Ret::Int, &[
        arg("fd", Ty::Fd),
        arg("size", Ty::ULong),
        arg("buf", Ty::Ptr(Dir::Out, &Ty::Struct(&STATFS64))),
    ]),
    syscall("ustat", Class::STATFS_LIKE, Ret::Int, &[
        arg("dev", DEV),
        arg("ubuf", Ty::Ptr(Dir::Out, &Ty::Struct(&USTAT))),
    ]),
    syscall("name_to_handle_at", FILE_DESC, Ret::Int, &[
        DIRFD,
        PATHNAME,
        arg("handle", Ty::Custom(Irregular::FileHandle, &Ty::Buffer(Dir::InOutAlways, Len::Fixed(HANDLE), HANDLE as u32))),
        arg("mount_id", Ty::Array(Dir::Out, &Ty::Int, Len::Fixed(1))),
        arg("flags", Ty::Flags(&AT_HANDLE)),
    ]).in_kernel(&[("dirfd", "dfd"), ("pathname", "name"), ("mount_id", "mnt_id"), ("flags", "flag")]),
    syscall("open_by_handle_at", Class::DESC, Ret::Fd, &[
        arg("mount_fd", Ty::Fd),
        arg("handle", Ty::Custom(Irregular::FileHandle, &Ty::Buffer(Dir::In, Len::Fixed(HANDLE), HANDLE as u32))),
        arg("flags", Ty::Flags(&crate::sets::files::OPEN)),
    ]).in_kernel(&[("mount_fd", "mountdirfd")]).does(&[makes(Thing::File).cloexec_if("flags", c::O_CLOEXEC), Effect::NeedsCapability(c::CAP_DAC_READ_SEARCH)]),
    syscall("lookup_dcookie", Class::NONE, Ret::Size, &[
        arg("cookie", Ty::U64),
        arg("buffer", Ty::Custom(Irregular::PathOut, &Ty::Buffer(Dir::Out, Len::Ret, 4096))),
        arg("len", Ty::ULong),
    ]).may_need(&[c::CAP_SYS_ADMIN]),
];

/// `struct file_handle` with the most bytes that a handle may have, MAX_HANDLE_SZ: linux/exportfs.h of the kernel.
const HANDLE: usize = 8 + 128;

pub static I386: &[(&str, Syscall)] = &[
    ("chown", syscall("chown", Class::FILE, Ret::Int, &[PATHNAME, SHORT_OWNER, SHORT_GROUP]).does(&[Effect::SetsAttributes])),
    ("lchown", syscall("lchown", Class::FILE, Ret::Int, &[PATHNAME, SHORT_OWNER, SHORT_GROUP]).does(&[Effect::SetsAttributes])),
];
