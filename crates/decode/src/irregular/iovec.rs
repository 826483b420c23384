//! Vectors of buffers: readv(2), writev(2), process_vm_readv(2), sendmsg(2).

use crate::{Cx, Siblings, Tail, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::{Dir, Len};

/// A vector of buffers behind a pointer.
pub fn decode<'a>(cx: &Cx<'a>, addr: u64, dir: Dir, len: Len, siblings: Siblings) -> Value<'a> {
    let Some(n) = cx.len(len, Phase::Entry, siblings) else { return Value::Addr(addr) };
    // Received bytes fill the buffers one after another.
    let left = if dir == Dir::In { u64::MAX } else { cx.ret().unwrap_or(0).max(0) as u64 };
    list(cx, addr, n, dir, left, &|base, len| generic::bytes(cx, Phase::of(dir), base, len, TextKind::Bytes))
}

/// `n` buffers that hold `left` bytes together. `show` decodes the content of each.
pub fn list<'a>(
    cx: &Cx<'a>,
    addr: u64,
    n: u64,
    dir: Dir,
    mut left: u64,
    show: &dyn Fn(u64, u64) -> Value<'a>,
) -> Value<'a> {
    let word = cx.abi().word() as u64;
    if addr == 0 || !cx.verbose || generic::is_endless(n, 2 * word) {
        return Value::Addr(addr);
    }
    let mut items = Vec::new_in(cx.arena);
    for i in 0..n {
        let at = addr.wrapping_add(i.wrapping_mul(2 * word));
        // The kernel takes no more than UIO_MAXIOV buffers.
        if i == 1024 || cx.abbrev && i >= cx.options.text as u64 || !cx.has_room() {
            let there = cx.read(Phase::Entry, at, 2 * word as usize).is_some();
            return Value::Array(items.into_bump_slice(), if there { Tail::More } else { Tail::Unread(at) });
        }
        let (Some(base), Some(len)) = (cx.word(Phase::Entry, at), cx.word(Phase::Entry, at.wrapping_add(word))) else {
            if i == 0 {
                return Value::Addr(addr);
            }
            return Value::Array(items.into_bump_slice(), Tail::Unread(at));
        };
        let filled = len.min(left);
        // The program's own buffers may have lengths of any sum; only received bytes are limited.
        if dir != Dir::In {
            left -= filled;
        }
        let shown = if base == 0 || (dir != Dir::In && cx.failed()) { Value::Addr(base) } else { show(base, filled) };
        items.push(cx.members(&[("iov_base", shown), ("iov_len", Value::UInt(len))]));
    }
    Value::Array(items.into_bump_slice(), Tail::End)
}
