//! Waiting for descriptors: the arguments are the input, and a note is the output.

use crate::cx::le;
use crate::{Cx, Siblings, Tail, Value, generic};
use bumpalo::collections::Vec;
use stride_event::{Call, Phase};
use stride_syscalls::structs::poll::POLLFD;
use stride_syscalls::{Dir, Irregular, Syscall, Ty, sets::poll::POLL};

/// poll(2)'s `fds` as the program passes them.
pub fn fds<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if addr == 0 || !cx.verbose {
        return Value::Addr(addr);
    }
    let mut items = Vec::new_in(cx.arena);
    for i in 0..cx.arg("nfds") & 0xffff_ffff {
        let Some(fd) = PollFd::read(cx, Phase::Entry, addr, i) else {
            if i == 0 {
                return Value::Addr(addr);
            }
            return Value::Array(items.into_bump_slice(), Tail::Unread(PollFd::at(cx, addr, i)));
        };
        if cx.abbrev && i >= cx.options.text as u64 {
            return Value::Array(items.into_bump_slice(), Tail::More);
        }
        // poll(2) ignores a negative descriptor.
        items.push(if fd.fd < 0 {
            cx.members(&[("fd", generic::fd(cx, fd.fd))])
        } else {
            cx.members(&[("fd", generic::fd(cx, fd.fd)), ("events", Value::Flags { raw: fd.events, set: &POLL })])
        });
    }
    Value::Array(items.into_bump_slice(), Tail::End)
}

/// The note: the descriptors with events, and the time that is left.
pub fn poll_note<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    let ready = cx.ret()?;
    if !cx.verbose {
        return None;
    }
    if ready == 0 {
        return Some(Value::Word("Timeout"));
    }
    let addr = cx.arg("fds");
    let mut items = Vec::new_in(cx.arena);
    let mut tail = Tail::End;
    for i in 0..cx.arg("nfds") & 0xffff_ffff {
        let Some(fd) = PollFd::read(cx, Phase::Exit, addr, i) else { break };
        if fd.revents == 0 {
            continue;
        }
        if cx.abbrev && items.len() >= cx.options.text {
            tail = Tail::More;
            break;
        }
        let revents = Value::Flags { raw: fd.revents, set: &POLL };
        items.push(cx.members(&[("fd", generic::fd(cx, fd.fd)), ("revents", revents)]));
    }
    let ready = Value::Array(items.into_bump_slice(), tail);
    Some(match cx.row.args.iter().any(|a| a.name == "tmo_p").then(|| left(cx, "tmo_p")).flatten() {
        Some(left) => Value::Seq(cx.values(&[ready, left])),
        None => ready,
    })
}

/// The descriptors a call waits for.
pub fn waited(call: &Call, row: &Syscall, raw: u64, which: Irregular, test: &mut dyn FnMut(i32) -> bool) -> bool {
    use stride_event::Memory;
    let count = |name| row.value(name, &call.args, call.abi) as u32;
    if which == Irregular::PollFds {
        let fds = call.blocks.prefix(Phase::Entry, raw, (count("nfds") as usize).saturating_mul(8));
        return fds.chunks_exact(8).any(|fd| test(le(fd, 0, 4) as i32));
    }
    let Ok(nfds) = usize::try_from(count("nfds") as i32) else { return false };
    let Some(set) = set_of(nfds, |size| call.blocks.prefix(Phase::Entry, raw, size)) else { return false };
    (0..nfds.min(8 * set.len())).any(|fd| set[fd / 8] >> (fd % 8) & 1 != 0 && test(fd as i32))
}

struct PollFd {
    fd: i32,
    events: u64,
    revents: u64,
}

impl PollFd {
    fn at(cx: &Cx<'_>, addr: u64, i: u64) -> u64 {
        addr.wrapping_add(i.wrapping_mul(POLLFD.size(cx.abi()) as u64))
    }

    fn read(cx: &Cx<'_>, phase: Phase, addr: u64, i: u64) -> Option<PollFd> {
        let word = cx.uint(phase, Self::at(cx, addr, i), 8)?;
        Some(PollFd { fd: word as u32 as i32, events: word >> 32 & 0xffff, revents: word >> 48 })
    }
}

/// A set of descriptors as the program passes it.
pub fn fd_set<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    // The kernel does not look at a set of no descriptors.
    if addr == 0 || !cx.verbose || cx.arg("nfds") as i32 == 0 {
        return Value::Addr(addr);
    }
    match members(cx, Phase::Entry, addr) {
        Some(fds) => Value::Set(fds),
        None => Value::Addr(addr),
    }
}

fn members<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<&'a [Value<'a>]> {
    let nfds = usize::try_from(cx.arg("nfds") as i32).ok()?;
    let there = set_of(nfds, |size| cx.prefix(phase, addr, size))?;
    let mut fds = Vec::new_in(cx.arena);
    for (at, &byte) in there.iter().enumerate().filter(|(_, b)| **b != 0) {
        for bit in (0..8).filter(|bit| byte >> bit & 1 != 0) {
            let fd = at * 8 + bit;
            if fd < nfds {
                fds.push(generic::fd(cx, fd as i32));
            }
        }
    }
    Some(fds.into_bump_slice())
}

/// The bytes of a set of `nfds` descriptors.
fn set_of<'a>(nfds: usize, read: impl FnOnce(usize) -> &'a [u8]) -> Option<&'a [u8]> {
    // Some programs pass a huge number with a set of the usual size.
    let least = if nfds > 1 << 16 { 1024 / 8 } else { nfds.div_ceil(8) };
    let there = read(nfds.div_ceil(8));
    (there.len() >= least).then_some(there)
}

/// select(2)'s note: the ready descriptors of each set, and the time that is left.
pub fn select_note<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    if cx.ret()? == 0 {
        return Some(Value::Word("Timeout"));
    }
    let mut parts = Vec::with_capacity_in(4, cx.arena);
    for (name, title) in [("readfds", "in"), ("writefds", "out"), ("exceptfds", "except")] {
        let addr = cx.arg(name);
        if addr != 0
            && let Some(fds) = members(cx, Phase::Exit, addr)
            && !fds.is_empty()
        {
            parts.push(Value::Titled(title, cx.keep(Value::Set(fds))));
        }
    }
    parts.extend(left(cx, "timeout"));
    Some(Value::Seq(parts.into_bump_slice()))
}

/// A timeout as the program passes it.
pub fn timeout<'a>(cx: &Cx<'a>, addr: u64, shape: &Ty) -> Value<'a> {
    let Ty::Ptr(_, inner) = *shape else { return Value::Addr(addr) };
    generic::held(cx, &Ty::Ptr(Dir::In, inner), addr, Siblings::Args)
}

/// The time that the kernel left: `left {tv_sec=0, tv_nsec=5}`.
pub fn left<'a>(cx: &Cx<'a>, name: &str) -> Option<Value<'a>> {
    let addr = cx.arg(name);
    let Ty::Custom(_, &Ty::Ptr(_, inner)) = cx.row.args[cx.row.index(name)].ty else { return None };
    if addr == 0 {
        return None;
    }
    let time = generic::inline(cx, inner, Phase::Exit, addr, inner.size(cx.abi()), Siblings::Args)?;
    Some(Value::Titled("left", cx.keep(time)))
}

/// recvmmsg(2)'s note: whether the time ran out, or how much of it is left.
pub fn recvmmsg_note<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    if cx.arg("timeout") == 0 || !cx.verbose {
        return None;
    }
    if cx.ret()? == 0 {
        return Some(Value::Word("Timeout"));
    }
    left(cx, "timeout")
}
