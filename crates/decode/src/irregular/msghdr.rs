//! `struct msghdr`, and the vectors of it in sendmmsg(2) and recvmmsg(2).

use crate::irregular::{cmsg, iovec, netlink, sockaddr};
use crate::{Cx, Member, Siblings, Tail, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::structs::socket::{MMSGHDR, MSGHDR};
use stride_syscalls::{Dir, Len, sets::socket::MSG};

/// The header of sendmsg(2) or recvmsg(2), behind a pointer.
pub fn one<'a>(cx: &Cx<'a>, addr: u64, dir: Dir) -> Value<'a> {
    if addr == 0 || !cx.verbose {
        return Value::Addr(addr);
    }
    if dir != Dir::In && cx.failed() {
        // Only the room for the sender's address is known.
        return match cx.number(&MSGHDR, "msg_namelen", Phase::Entry, addr) {
            Some(n) => cx.members(&[("msg_namelen", Value::Int(i64::from(n as i32)))]),
            None => Value::Addr(addr),
        };
    }
    let received = if dir == Dir::In { u64::MAX } else { cx.ret().unwrap_or(0).max(0) as u64 };
    header(cx, addr, dir, received).unwrap_or(Value::Addr(addr))
}

/// The bytes of send(2) and recv(2). With `MSG_TRUNC` the returned length may be larger than the buffer.
pub fn payload<'a>(cx: &Cx<'a>, addr: u64, dir: Dir) -> Value<'a> {
    if addr == 0 || (dir != Dir::In && cx.failed()) {
        return Value::Addr(addr);
    }
    let room = cx.arg("len");
    let len = if dir == Dir::In { room } else { room.min(cx.ret().unwrap_or(0).max(0) as u64) };
    buffer(cx, Phase::of(dir), addr, len)
}

/// The bytes that go through the call's socket, or the netlink messages in them.
fn buffer<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, len: u64) -> Value<'a> {
    match netlink::buffer(cx, phase, addr, len, cx.arg("sockfd") as i32) {
        Some(messages) => messages,
        None => generic::bytes(cx, phase, addr, len, TextKind::Bytes),
    }
}

/// The headers of sendmmsg(2) and recvmmsg(2). The call's result is the number of those it handled.
pub fn many<'a>(cx: &Cx<'a>, addr: u64, dir: Dir, len: Len) -> Value<'a> {
    if addr == 0 || !cx.verbose || (dir != Dir::In && cx.failed()) {
        return Value::Addr(addr);
    }
    let handled = cx.ret().unwrap_or(0).max(0) as u64;
    let room = cx.len(len, Phase::Entry, Siblings::Args).unwrap_or(0);
    let n = if dir == Dir::In { room } else { handled };
    let size = MMSGHDR.size(cx.abi()) as u64;
    let mut items = Vec::new_in(cx.arena);
    for i in 0..n {
        let at = addr.wrapping_add(i * size);
        // The kernel takes no more than UIO_MAXIOV headers.
        if i == 1024 || cx.abbrev && i >= cx.options.text as u64 || !cx.has_room() {
            return Value::Array(items.into_bump_slice(), Tail::More);
        }
        let msg_len = if i < handled { cx.number(&MMSGHDR, "msg_len", Phase::Exit, at) } else { None };
        let received = if dir == Dir::In { u64::MAX } else { msg_len.unwrap_or(0) };
        let Some(header) = header(cx, at, dir, received) else {
            if i == 0 {
                return Value::Addr(addr);
            }
            return Value::Array(items.into_bump_slice(), Tail::Unread(at));
        };
        items.push(match msg_len {
            Some(n) => cx.members(&[("msg_hdr", header), ("msg_len", Value::UInt(n))]),
            None => cx.members(&[("msg_hdr", header)]),
        });
    }
    Value::Array(items.into_bump_slice(), Tail::End)
}

/// The header at `addr`, whose buffers hold `filled` bytes.
fn header<'a>(cx: &Cx<'a>, addr: u64, dir: Dir, filled: u64) -> Option<Value<'a>> {
    let phase = Phase::of(dir);
    let get = |name| cx.number(&MSGHDR, name, phase, addr);
    cx.read(phase, addr, MSGHDR.size(cx.abi()))?;
    let mut members = Vec::with_capacity_in(7, cx.arena);
    let mut add = |name, value| members.push(Member { name, value });

    let (name, len) = (get("msg_name")?, get("msg_namelen")?);
    let room = cx.number(&MSGHDR, "msg_namelen", Phase::Entry, addr).unwrap_or(len);
    let signed = |n: u64| Value::Int(i64::from(n as i32));
    add(
        "msg_name",
        match name {
            0 => Value::Addr(0),
            name if dir == Dir::In => sockaddr::at(cx, phase, name, len),
            // The kernel returns the whole length, but writes no more than fits.
            name => sockaddr::at(cx, phase, name, len.min(room)),
        },
    );
    add(
        "msg_namelen",
        if room == len { signed(len) } else { Value::Change(cx.keep(signed(room)), cx.keep(signed(len))) },
    );

    let (iov, iovlen) = (get("msg_iov")?, get("msg_iovlen")?);
    let buffer = |base, len| buffer(cx, phase, base, len);
    add(
        "msg_iov",
        if iovlen == 0 && iov != 0 {
            Value::Array(&[], Tail::End)
        } else {
            iovec::list(cx, iov, iovlen, dir, filled, &buffer)
        },
    );
    add("msg_iovlen", Value::UInt(iovlen));

    let (control, len) = (get("msg_control")?, get("msg_controllen")?);
    if len != 0 {
        add("msg_control", cmsg::list(cx, phase, control, len));
    }
    add("msg_controllen", Value::UInt(len));
    add("msg_flags", Value::Flags { raw: get("msg_flags")?, set: &MSG });
    Some(Value::Struct(members.into_bump_slice(), Tail::End))
}
