//! Decoders that need code. One file per topic; the shape in the row declares what they may read.

use crate::{Cx, Scope, Value, generic};
use stride_event::Phase;
use stride_syscalls::{Irregular, Ty};

mod caps;
pub mod clockid;
pub mod dev;
mod dated;
mod dirents;
mod environ;
mod fcntl;
mod file_handle;
pub mod inet;
pub mod iovec;
mod aio;
mod keys;
mod mount;
mod notify;
mod offset;
mod open_how;
mod path_out;
pub mod siginfo;
pub mod sigset;
pub mod sockaddr;
mod xattr;
mod socket;

/// A value held in a register or a scalar member: usually a pointer whose target the shape captured.
pub fn held<'a>(cx: &Cx<'a>, which: Irregular, shape: &Ty, raw: u64, scope: Scope) -> Value<'a> {
    match which {
        // files, paths, fcntl
        Irregular::Dirents64 => dirents::decode64(cx, raw),
        Irregular::Dirents => dirents::decode_long(cx, raw),
        Irregular::OldDirent => dirents::decode_old(cx, raw),
        Irregular::PathOut => path_out::decode(cx, raw),
        Irregular::OffsetChange => offset::change(cx, shape, raw),
        Irregular::SplitOffset => offset::split(cx, raw),
        Irregular::FileHandle => file_handle::decode(cx, shape, raw),
        // mount, xattr, notify, aio, keys
        Irregular::XattrValue => xattr::value(cx, shape, raw, scope),
        Irregular::XattrList => xattr::list(cx, raw),
        Irregular::KeySerial => keys::serial(cx, raw),
        Irregular::KeyDefault => keys::default(cx, raw),
        Irregular::KeyError => keys::error(raw),
        Irregular::KeyText => keys::text(cx, raw),
        Irregular::KeyData => keys::data(cx, raw),
        Irregular::KeyCaps => keys::capabilities(cx, raw),
        Irregular::KeyOtherInfo => keys::other_info(cx, shape, raw, scope),
        Irregular::PkeyData(length) => keys::pkey(cx, shape, length, raw),
        Irregular::LandlockRuleset => keys::landlock_ruleset(cx, shape, raw, scope),
        Irregular::LsmContexts => keys::lsm_contexts(cx, raw),
        Irregular::LsmContext => keys::lsm_context(cx, raw),
        Irregular::FanotifyInit => notify::init(cx, raw),
        Irregular::FanotifyDir => notify::dir(cx, raw, scope),
        Irregular::Iocbs => aio::iocbs(cx, shape, raw, scope),
        Irregular::IocbCancel => aio::cancelled(cx, raw),
        Irregular::IocbPriority => aio::iocb_priority(cx, raw, scope),
        Irregular::IocbVector => aio::vector(cx, shape, raw, scope),
        Irregular::IocbVectorLen => aio::vector_len(raw),
        Irregular::IoPriority => aio::priority(cx, raw),
        Irregular::UringFd => aio::uring_fd(cx, raw),
        Irregular::UringOpcode => aio::uring_opcode(cx, raw),
        Irregular::Change => aio::change(cx, shape, raw, scope),
        Irregular::MountFlags => mount::flags(cx, raw),
        Irregular::MountType => mount::fstype(cx, raw),
        Irregular::MountData => mount::data(cx, raw),
        Irregular::FsString => mount::fs_string(cx, raw),
        Irregular::FsBlob => mount::fs_blob(cx, raw),
        Irregular::SwapFlags => mount::swap_flags(cx, raw),
        Irregular::QuotaOp => mount::quota_op(cx, raw),
        Irregular::StatmountReq => mount::statmount_req(cx, raw),
        Irregular::ListmountReq => mount::listmount_req(cx, raw),
        Irregular::MountIds => mount::ids(cx, shape, raw, scope),
        Irregular::Statmount => mount::statmount(cx, raw),
        Irregular::StatmountStr => mount::statmount_str(cx, raw, scope),
        Irregular::StatmountStrs(count) => mount::statmount_strs(cx, raw, count, scope),

        // process, prctl, creds, limits, bpf, system
        Irregular::Environ => environ::decode(cx, raw),
        Irregular::CapData => caps::decode(cx, raw, if shape.needs_exit() { Phase::Exit } else { Phase::Entry }),
        // memory, sched, signal, time, futex

        // socket, sockopt, poll, ipc
        Irregular::SockType => socket::kind(cx, raw),
        Irregular::Numbered => Value::Numbered(cx.keep(generic::held(cx, shape, raw, scope))),
        Irregular::PacketProtocol => socket::packet_protocol(cx, raw),
        Irregular::LenChange => socket::len_change(cx, raw),

        // ioctl

        _ => generic::held(cx, shape, raw, scope),
    }
}

/// A value that lies in captured memory.
pub fn inline<'a>(cx: &Cx<'a>, which: Irregular, shape: &Ty, phase: Phase, addr: u64, size: usize, scope: Scope) -> Option<Value<'a>> {
    match which {
        // files, paths, fcntl
        Irregular::DatedNsec => dated::seconds_nsec(cx, phase, addr, size),
        Irregular::Dated => dated::seconds(cx, phase, addr, size),
        Irregular::DatedTime => dated::time(cx, shape, phase, addr),
        Irregular::FileTime => dated::file_time(cx, shape, phase, addr),
        Irregular::OpenHowMode => open_how::mode(cx, phase, addr, scope),

        // mount, xattr, notify, aio, keys

        // process, prctl, creds, limits, bpf, system

        // memory, sched, signal, time, futex

        // socket, sockopt, poll, ipc

        // ioctl

        _ => None,
    }
}

/// What is added in parentheses behind a return value.
pub fn note<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    match cx.row.name {
        // files, paths, fcntl
        "fcntl" | "fcntl64" => fcntl::note(cx),

        // mount, xattr, notify, aio, keys
        "ioprio_get" => aio::priority_note(cx),

        // process, prctl, creds, limits, bpf, system

        // memory, sched, signal, time, futex

        // socket, sockopt, poll, ipc

        // ioctl

        _ => None,
    }
}
