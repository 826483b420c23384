//! The rows, by opcode: io_uring_enter(2), linux/io_uring.h.

use super::row::{Operation, OperationArg, arg, opt, path};
use crate::effect::{copies, makes, reads, writes};
use crate::library::WordType;
use crate::library::proto::{INT, POINTER, SIZE, TEXT, UINT};
use crate::sets::files::{FADVISE, FALLOCATE, OPEN, OPEN_FLAGS, RWF, SYNC_FILE_RANGE};
use crate::sets::futex::FUTEX2;
use crate::sets::memory::ADVICE;
use crate::sets::paths::{AT_FLAGS, AT_STATX, RENAME, STATX_MASK};
use crate::sets::poll::{EPOLL_CTL, POLL};
use crate::sets::process::{WAIT, WAIT_ID};
use crate::sets::socket::{FAMILY, MSG, SHUT, SOCK_FLAGS};
use crate::sets::uring::{
    URING_ACCEPT, URING_CANCEL, URING_COMMAND, URING_FSYNC, URING_INSTALL, URING_MESSAGE_KIND, URING_MSG_RING,
    URING_POLL, URING_SPLICE, URING_TIMEOUT, URING_TRANSFER,
};
use crate::sets::xattr::XATTR_FLAGS;
use crate::{Data, Effect, For, Thing};
use stride_uapi::consts as c;

const FD: WordType = WordType::Fd;
const DIRFD: WordType = WordType::DirFd;
/// An offset: -1 stands for the file position.
const SIGNED: WordType = WordType::Int { bytes: 8, signed: true };

const fn row(opcode: u64, name: &'static str, args: &'static [OperationArg]) -> Operation {
    Operation::new(opcode, name, args)
}

#[rustfmt::skip]
pub static OPERATIONS: &[Operation] = &[
    row(c::IORING_OP_NOP, "nop", &[]),
    row(c::IORING_OP_READV, "readv", &[
        arg("fd", FD, "fd"), arg("iov", POINTER, "addr"), arg("iovcnt", UINT, "len"), arg("offset", SIGNED, "off"),
        opt("flags", WordType::Flags(&RWF), "rw_flags"),
    ]).does(&[reads(Data::Vector).at_offset()]),
    row(c::IORING_OP_WRITEV, "writev", &[
        arg("fd", FD, "fd"), arg("iov", POINTER, "addr"), arg("iovcnt", UINT, "len"), arg("offset", SIGNED, "off"),
        opt("flags", WordType::Flags(&RWF), "rw_flags"),
    ]).does(&[writes(Data::Vector).at_offset()]),
    row(c::IORING_OP_FSYNC, "fsync", &[
        arg("fd", FD, "fd"), arg("flags", WordType::Flags(&URING_FSYNC), "fsync_flags"), arg("offset", SIGNED, "off"),
        arg("len", UINT, "len"),
    ]).does(&[Effect::Syncs]),
    row(c::IORING_OP_READ_FIXED, "read_fixed", &[
        arg("fd", FD, "fd"), arg("buf", POINTER, "addr"), arg("len", UINT, "len"), arg("offset", SIGNED, "off"),
        opt("flags", WordType::Flags(&RWF), "rw_flags"), opt("buf_index", UINT, "buf_index"),
    ]).does(&[reads(Data::Bytes).asked("len").at_offset()]),
    row(c::IORING_OP_WRITE_FIXED, "write_fixed", &[
        arg("fd", FD, "fd"), arg("buf", WordType::Buffer(2), "addr"), arg("len", UINT, "len"), arg("offset", SIGNED, "off"),
        opt("flags", WordType::Flags(&RWF), "rw_flags"), opt("buf_index", UINT, "buf_index"),
    ]).does(&[writes(Data::Bytes).asked("len").at_offset()]),
    row(c::IORING_OP_POLL_ADD, "poll_add", &[
        arg("fd", FD, "fd"), arg("events", WordType::Flags(&POLL), "poll32_events"), arg("flags", WordType::Flags(&URING_POLL), "len"),
    ]).does(&[Effect::Waits(For::Readiness)]),
    row(c::IORING_OP_POLL_REMOVE, "poll_remove", &[
        arg("user_data", WordType::Raw, "addr"), arg("new_user_data", WordType::Raw, "off"),
        arg("events", WordType::Flags(&POLL), "poll32_events"), arg("flags", WordType::Flags(&URING_POLL), "len"),
    ]),
    row(c::IORING_OP_SYNC_FILE_RANGE, "sync_file_range", &[
        arg("fd", FD, "fd"), arg("offset", SIGNED, "off"), arg("len", UINT, "len"),
        arg("flags", WordType::Flags(&SYNC_FILE_RANGE), "sync_range_flags"),
    ]).does(&[Effect::Syncs]),
    row(c::IORING_OP_SENDMSG, "sendmsg", &[
        arg("fd", FD, "fd"), arg("msg", POINTER, "addr"), arg("flags", WordType::Flags(&MSG), "msg_flags"),
        opt("ioprio", WordType::Flags(&URING_TRANSFER), "ioprio"),
    ]).does(&[writes(Data::Message)]),
    row(c::IORING_OP_RECVMSG, "recvmsg", &[
        arg("fd", FD, "fd"), arg("msg", POINTER, "addr"), arg("flags", WordType::Flags(&MSG), "msg_flags"),
        opt("ioprio", WordType::Flags(&URING_TRANSFER), "ioprio"),
    ]).does(&[Effect::MayWait(For::Peer), reads(Data::Message)]),
    row(c::IORING_OP_TIMEOUT, "timeout", &[
        arg("ts", POINTER, "addr"), arg("count", SIZE, "off"), arg("flags", WordType::Flags(&URING_TIMEOUT), "timeout_flags"),
    ]).does(&[Effect::Waits(For::Time)]),
    row(c::IORING_OP_TIMEOUT_REMOVE, "timeout_remove", &[
        arg("user_data", WordType::Raw, "addr"), arg("ts", POINTER, "addr2"),
        arg("flags", WordType::Flags(&URING_TIMEOUT), "timeout_flags"),
    ]),
    row(c::IORING_OP_ACCEPT, "accept", &[
        arg("fd", FD, "fd"), arg("addr", POINTER, "addr"), arg("addrlen", POINTER, "addr2"),
        arg("flags", WordType::Flags(&SOCK_FLAGS), "accept_flags"), opt("ioprio", WordType::Flags(&URING_ACCEPT), "ioprio"),
        opt("file_index", UINT, "file_index"),
    ]).makes_descriptor().does(&[Effect::MayWait(For::Peer), makes(Thing::Connection).cloexec_if("flags", c::SOCK_CLOEXEC)]),
    row(c::IORING_OP_ASYNC_CANCEL, "async_cancel", &[
        arg("fd", FD, "fd"), arg("user_data", WordType::Raw, "addr"), arg("flags", WordType::Flags(&URING_CANCEL), "cancel_flags"),
    ]),
    row(c::IORING_OP_LINK_TIMEOUT, "link_timeout", &[
        arg("ts", POINTER, "addr"), arg("flags", WordType::Flags(&URING_TIMEOUT), "timeout_flags"),
    ]).does(&[Effect::Waits(For::Time)]),
    row(c::IORING_OP_CONNECT, "connect", &[arg("fd", FD, "fd"), arg("addr", POINTER, "addr"), arg("addrlen", SIZE, "addr2")]).does(&[Effect::Connects]),
    row(c::IORING_OP_FALLOCATE, "fallocate", &[
        arg("fd", FD, "fd"), arg("mode", WordType::Flags(&FALLOCATE), "len"), arg("offset", SIGNED, "off"), arg("len", SIGNED, "addr"),
    ]),
    row(c::IORING_OP_OPENAT, "openat", &[
        arg("dirfd", DIRFD, "fd"), path("path", "addr"), arg("flags", WordType::Flags(&OPEN), "open_flags"),
        arg("mode", WordType::Octal, "len"), opt("file_index", UINT, "file_index"),
    ]).makes_descriptor().does(&[makes(Thing::File).cloexec_if("flags", c::O_CLOEXEC)]),
    row(c::IORING_OP_CLOSE, "close", &[arg("fd", FD, "fd"), opt("file_index", UINT, "file_index")]).does(&[Effect::Closes]),
    row(c::IORING_OP_FILES_UPDATE, "files_update", &[arg("fds", POINTER, "addr"), arg("nr", UINT, "len"), arg("offset", SIZE, "off")]),
    row(c::IORING_OP_STATX, "statx", &[
        arg("dirfd", DIRFD, "fd"), path("path", "addr"), arg("flags", WordType::Flags(&AT_STATX), "statx_flags"),
        arg("mask", WordType::Flags(&STATX_MASK), "len"), arg("statxbuf", POINTER, "off"),
    ]).does(&[Effect::Asks]),
    row(c::IORING_OP_READ, "read", &[
        arg("fd", FD, "fd"), arg("buf", POINTER, "addr"), arg("len", UINT, "len"), arg("offset", SIGNED, "off"),
        opt("flags", WordType::Flags(&RWF), "rw_flags"),
    ]).does(&[reads(Data::Bytes).asked("len").at_offset()]),
    row(c::IORING_OP_WRITE, "write", &[
        arg("fd", FD, "fd"), arg("buf", WordType::Buffer(2), "addr"), arg("len", UINT, "len"), arg("offset", SIGNED, "off"),
        opt("flags", WordType::Flags(&RWF), "rw_flags"),
    ]).does(&[writes(Data::Bytes).asked("len").at_offset()]),
    row(c::IORING_OP_FADVISE, "fadvise", &[
        arg("fd", FD, "fd"), arg("offset", SIGNED, "off"), arg("len", UINT, "len"),
        arg("advice", WordType::Enum(&FADVISE), "fadvise_advice"),
    ]),
    row(c::IORING_OP_MADVISE, "madvise", &[
        arg("addr", POINTER, "addr"), arg("len", UINT, "len"), arg("advice", WordType::Enum(&ADVICE), "fadvise_advice"),
    ]).does(&[Effect::Advises]),
    row(c::IORING_OP_SEND, "send", &[
        arg("fd", FD, "fd"), arg("buf", WordType::Buffer(2), "addr"), arg("len", UINT, "len"),
        arg("flags", WordType::Flags(&MSG), "msg_flags"), opt("ioprio", WordType::Flags(&URING_TRANSFER), "ioprio"),
    ]).does(&[writes(Data::Bytes).asked("len")]),
    row(c::IORING_OP_RECV, "recv", &[
        arg("fd", FD, "fd"), arg("buf", POINTER, "addr"), arg("len", UINT, "len"), arg("flags", WordType::Flags(&MSG), "msg_flags"),
        opt("ioprio", WordType::Flags(&URING_TRANSFER), "ioprio"),
    ]).does(&[Effect::MayWait(For::Peer), reads(Data::Bytes).asked("len")]),
    row(c::IORING_OP_OPENAT2, "openat2", &[
        arg("dirfd", DIRFD, "fd"), path("path", "addr"), arg("how", POINTER, "off"), arg("size", UINT, "len"),
        opt("file_index", UINT, "file_index"),
    ]).makes_descriptor().does(&[makes(Thing::File)]),
    row(c::IORING_OP_EPOLL_CTL, "epoll_ctl", &[
        arg("epfd", FD, "fd"), arg("op", WordType::Enum(&EPOLL_CTL), "len"), arg("fd", FD, "cmd_op"), arg("event", POINTER, "addr"),
    ]).does(&[Effect::Watches]),
    row(c::IORING_OP_SPLICE, "splice", &[
        arg("fd_in", FD, "splice_fd_in"), arg("off_in", SIGNED, "splice_off_in"), arg("fd_out", FD, "fd"), arg("off_out", SIGNED, "off"),
        arg("len", UINT, "len"), arg("flags", WordType::Flags(&URING_SPLICE), "splice_flags"),
    ]).does(&[copies()]),
    row(c::IORING_OP_PROVIDE_BUFFERS, "provide_buffers", &[
        arg("addr", POINTER, "addr"), arg("len", UINT, "len"), arg("nbufs", INT, "fd"), opt("buf_group", UINT, "buf_group"),
        arg("bid", SIZE, "off"),
    ]),
    row(c::IORING_OP_REMOVE_BUFFERS, "remove_buffers", &[arg("nbufs", INT, "fd"), opt("buf_group", UINT, "buf_group")]),
    row(c::IORING_OP_TEE, "tee", &[
        arg("fd_in", FD, "splice_fd_in"), arg("fd_out", FD, "fd"), arg("len", UINT, "len"),
        arg("flags", WordType::Flags(&URING_SPLICE), "splice_flags"),
    ]).does(&[copies()]),
    row(c::IORING_OP_SHUTDOWN, "shutdown", &[arg("fd", FD, "fd"), arg("how", WordType::Enum(&SHUT), "len")]),
    row(c::IORING_OP_RENAMEAT, "renameat", &[
        arg("olddirfd", DIRFD, "fd"), path("oldpath", "addr"), arg("newdirfd", DIRFD, "len"), path("newpath", "addr2"),
        arg("flags", WordType::Flags(&RENAME), "rename_flags"),
    ]).does(&[Effect::Renames]),
    row(c::IORING_OP_UNLINKAT, "unlinkat", &[
        arg("dirfd", DIRFD, "fd"), path("path", "addr"), arg("flags", WordType::Flags(&AT_FLAGS), "unlink_flags"),
    ]).does(&[Effect::Unlinks]),
    row(c::IORING_OP_MKDIRAT, "mkdirat", &[arg("dirfd", DIRFD, "fd"), path("path", "addr"), arg("mode", WordType::Octal, "len")]).does(&[Effect::MakesDirectory]),
    row(c::IORING_OP_SYMLINKAT, "symlinkat", &[arg("target", TEXT, "addr"), arg("newdirfd", DIRFD, "fd"), path("linkpath", "addr2")]).does(&[Effect::Links]),
    row(c::IORING_OP_LINKAT, "linkat", &[
        arg("olddirfd", DIRFD, "fd"), path("oldpath", "addr"), arg("newdirfd", DIRFD, "len"), path("newpath", "addr2"),
        arg("flags", WordType::Flags(&AT_FLAGS), "hardlink_flags"),
    ]).does(&[Effect::Links]),
    row(c::IORING_OP_MSG_RING, "msg_ring", &[
        arg("fd", FD, "fd"), arg("cmd", WordType::Enum(&URING_MESSAGE_KIND), "addr"), arg("res", INT, "len"),
        arg("data", WordType::Raw, "off"), arg("flags", WordType::Flags(&URING_MSG_RING), "msg_ring_flags"),
    ]),
    row(c::IORING_OP_FSETXATTR, "fsetxattr", &[
        arg("fd", FD, "fd"), arg("name", TEXT, "addr"), arg("value", POINTER, "addr2"), arg("size", UINT, "len"),
        arg("flags", WordType::Flags(&XATTR_FLAGS), "xattr_flags"),
    ]),
    row(c::IORING_OP_SETXATTR, "setxattr", &[
        path("path", "addr3"), arg("name", TEXT, "addr"), arg("value", POINTER, "addr2"), arg("size", UINT, "len"),
        arg("flags", WordType::Flags(&XATTR_FLAGS), "xattr_flags"),
    ]),
    row(c::IORING_OP_FGETXATTR, "fgetxattr", &[
        arg("fd", FD, "fd"), arg("name", TEXT, "addr"), arg("value", POINTER, "addr2"), arg("size", UINT, "len"),
    ]),
    row(c::IORING_OP_GETXATTR, "getxattr", &[
        path("path", "addr3"), arg("name", TEXT, "addr"), arg("value", POINTER, "addr2"), arg("size", UINT, "len"),
    ]),
    row(c::IORING_OP_SOCKET, "socket", &[
        arg("domain", WordType::Enum(&FAMILY), "fd"), arg("type", WordType::Raw, "off"), arg("protocol", UINT, "len"),
        arg("flags", WordType::Raw, "rw_flags"), opt("file_index", UINT, "file_index"),
    ]).makes_descriptor().does(&[makes(Thing::Socket)]),
    row(c::IORING_OP_URING_CMD, "uring_cmd", &[
        arg("fd", FD, "fd"), arg("cmd_op", WordType::Raw, "cmd_op"), arg("flags", WordType::Flags(&URING_COMMAND), "uring_cmd_flags"),
    ]),
    row(c::IORING_OP_SEND_ZC, "send_zc", &[
        arg("fd", FD, "fd"), arg("buf", WordType::Buffer(2), "addr"), arg("len", UINT, "len"),
        arg("flags", WordType::Flags(&MSG), "msg_flags"), opt("ioprio", WordType::Flags(&URING_TRANSFER), "ioprio"),
        opt("buf_index", UINT, "buf_index"),
    ]).does(&[writes(Data::Bytes).asked("len")]),
    row(c::IORING_OP_SENDMSG_ZC, "sendmsg_zc", &[
        arg("fd", FD, "fd"), arg("msg", POINTER, "addr"), arg("flags", WordType::Flags(&MSG), "msg_flags"),
        opt("ioprio", WordType::Flags(&URING_TRANSFER), "ioprio"),
    ]).does(&[writes(Data::Message)]),
    row(c::IORING_OP_READ_MULTISHOT, "read_multishot", &[
        arg("fd", FD, "fd"), arg("len", UINT, "len"), arg("offset", SIGNED, "off"), opt("buf_group", UINT, "buf_group"),
    ]).does(&[reads(Data::Bytes).asked("len")]),
    row(c::IORING_OP_WAITID, "waitid", &[
        arg("which", WordType::Enum(&WAIT_ID), "len"), arg("upid", INT, "fd"), arg("infop", POINTER, "addr2"),
        arg("options", WordType::Flags(&WAIT), "file_index"),
    ]).does(&[Effect::Waits(For::Child)]),
    row(c::IORING_OP_FUTEX_WAIT, "futex_wait", &[
        arg("uaddr", POINTER, "addr"), arg("val", SIZE, "addr2"), arg("mask", WordType::Raw, "addr3"),
        arg("flags", WordType::Flags(&FUTEX2), "fd"),
    ]).does(&[Effect::Waits(For::Lock)]),
    row(c::IORING_OP_FUTEX_WAKE, "futex_wake", &[
        arg("uaddr", POINTER, "addr"), arg("nr", SIZE, "addr2"), arg("mask", WordType::Raw, "addr3"),
        arg("flags", WordType::Flags(&FUTEX2), "fd"),
    ]).does(&[Effect::Wakes]),
    row(c::IORING_OP_FUTEX_WAITV, "futex_waitv", &[arg("waiters", POINTER, "addr"), arg("nr_futexes", UINT, "len")]).does(&[Effect::Waits(For::Lock)]),
    row(c::IORING_OP_FIXED_FD_INSTALL, "fixed_fd_install", &[
        arg("fd", FD, "fd"), arg("flags", WordType::Flags(&URING_INSTALL), "install_fd_flags"),
    ]).makes_descriptor(),
    row(c::IORING_OP_FTRUNCATE, "ftruncate", &[arg("fd", FD, "fd"), arg("length", SIGNED, "off")]),
    row(c::IORING_OP_BIND, "bind", &[arg("fd", FD, "fd"), arg("addr", POINTER, "addr"), arg("addrlen", SIZE, "addr2")]).does(&[Effect::Binds]),
    row(c::IORING_OP_LISTEN, "listen", &[arg("fd", FD, "fd"), arg("backlog", INT, "len")]),
    row(c::IORING_OP_RECV_ZC, "recv_zc", &[
        arg("fd", FD, "fd"), arg("len", UINT, "len"), opt("ioprio", WordType::Flags(&URING_TRANSFER), "ioprio"),
    ]).does(&[Effect::MayWait(For::Peer), reads(Data::Bytes).asked("len")]),
    row(c::IORING_OP_EPOLL_WAIT, "epoll_wait", &[arg("fd", FD, "fd"), arg("events", POINTER, "addr"), arg("maxevents", INT, "len")]).does(&[Effect::Waits(For::Readiness)]),
    row(c::IORING_OP_READV_FIXED, "readv_fixed", &[
        arg("fd", FD, "fd"), arg("iov", POINTER, "addr"), arg("iovcnt", UINT, "len"), arg("offset", SIGNED, "off"),
        opt("flags", WordType::Flags(&RWF), "rw_flags"), opt("buf_index", UINT, "buf_index"),
    ]).does(&[reads(Data::Vector).at_offset()]),
    row(c::IORING_OP_WRITEV_FIXED, "writev_fixed", &[
        arg("fd", FD, "fd"), arg("iov", POINTER, "addr"), arg("iovcnt", UINT, "len"), arg("offset", SIGNED, "off"),
        opt("flags", WordType::Flags(&RWF), "rw_flags"), opt("buf_index", UINT, "buf_index"),
    ]).does(&[writes(Data::Vector).at_offset()]),
    row(c::IORING_OP_PIPE, "pipe", &[
        arg("pipefd", POINTER, "addr"), arg("flags", WordType::Flags(&OPEN_FLAGS), "rw_flags"), opt("file_index", UINT, "file_index"),
    ]).does(&[makes(Thing::Pipe)]),
    row(63, "nop128", &[]),
    row(64, "uring_cmd128", &[
        arg("fd", FD, "fd"), arg("cmd_op", WordType::Raw, "cmd_op"), arg("flags", WordType::Flags(&URING_COMMAND), "uring_cmd_flags"),
    ]),
];
