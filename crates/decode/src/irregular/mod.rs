//! Decoders that need code. One file per topic; the shape in the row declares what they may read.

use crate::{Cx, Scope, Value, generic};
use stride_event::Phase;
use stride_syscalls::{Irregular, Ty};

mod caps;
pub mod clockid;
pub mod dev;
mod dirents;
mod environ;
pub mod inet;
pub mod iovec;
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
        // mount, xattr, notify, aio, keys
        Irregular::XattrValue => xattr::value(cx, shape, raw, scope),
        Irregular::XattrList => xattr::list(cx, raw),

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
pub fn inline<'a>(cx: &Cx<'a>, which: Irregular, phase: Phase, addr: u64, size: usize, _scope: Scope) -> Option<Value<'a>> {
    let _ = (cx, phase, addr, size);
    #[allow(clippy::match_single_binding)]
    match which {
        // files, paths, fcntl

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

        // mount, xattr, notify, aio, keys

        // process, prctl, creds, limits, bpf, system

        // memory, sched, signal, time, futex

        // socket, sockopt, poll, ipc

        // ioctl

        _ => None,
    }
}
