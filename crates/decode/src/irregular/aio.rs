//! io_submit(2) and its kin, ioprio_set(2).

use crate::cx::signed;
use crate::{Cx, Siblings, Tail, Value, generic};
use stride_event::Phase;
use stride_syscalls::sets::aio::IOPRIO_CLASS;
use stride_syscalls::structs::aio::{IOCB, IOVEC_ADDRS};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Dir, Len, Ty};

/// The array of control blocks. The kernel refuses a negative count, too.
pub fn iocbs<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, siblings: Siblings) -> Value<'a> {
    let count = signed(cx.arg("nr"), cx.abi().word());
    if count < 0 { Value::Addr(addr) } else { generic::held(cx, shape, addr, siblings) }
}

/// The members by which io_cancel(2) finds a block.
pub fn cancelled<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    let whole = match generic::follow(cx, addr, Dir::In) {
        Err(value) => return value,
        Ok(phase) => cx.strukt(&IOCB, phase, addr),
    };
    let Some(Value::Struct(members, tail)) = whole else { return Value::Addr(addr) };
    let end = members.iter().position(|m| m.name == "aio_fildes").map_or(members.len(), |i| i + 1);
    Value::Struct(&members[..end], tail)
}

/// The kernel takes no more vectors than this. More are not shown.
const VECTORS_MAX: u64 = 1024;

/// The vectors of a block. Only a write shows their bytes, because a read has not filled its buffers yet.
pub fn vector<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, siblings: Siblings) -> Value<'a> {
    let member = |name| match siblings {
        Siblings::Struct(_, _, phase) => cx.len(Len::Of(name), phase, siblings),
        Siblings::Args => None,
    };
    let count = match member("aio_nbytes") {
        Some(count) if count <= VECTORS_MAX => count,
        // A number that is no count of vectors leaves nothing that is an address.
        Some(count) if i64::try_from(count).is_err() => return Value::Hex(addr),
        _ => return Value::Addr(addr),
    };
    if member("aio_lio_opcode") == Some(c::IOCB_CMD_PREADV) {
        return match generic::follow(cx, addr, Dir::In) {
            Err(value) => value,
            Ok(phase) => generic::elements(cx, phase, addr, &Ty::Struct(&IOVEC_ADDRS), count, false),
        };
    }
    generic::held(cx, shape, addr, siblings)
}

/// The number of vectors. It is left out if the vectors are shown.
pub fn vector_len<'a>(count: u64) -> Value<'a> {
    if count <= VECTORS_MAX { Value::Absent } else { Value::UInt(count) }
}

/// A block's priority.
pub fn iocb_priority<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    priority_as(cx, Value::Int(signed(raw, 2)), raw & 0xffff)
}

/// `IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4)`.
pub fn priority<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    priority_as(cx, Value::Int(i64::from(raw as i32)), raw & 0xffff_ffff)
}

fn priority_as<'a>(cx: &Cx<'a>, number: Value<'a>, raw: u64) -> Value<'a> {
    const CLASS_SHIFT: u32 = 13;
    let class = Value::Enum { raw: raw >> CLASS_SHIFT, set: &IOPRIO_CLASS };
    cx.macro_call(number, "IOPRIO_PRIO_VALUE", &[class, Value::UInt(raw & ((1 << CLASS_SHIFT) - 1))])
}

/// The priority that ioprio_get(2) returned, by name.
pub fn priority_note<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    Some(priority(cx, cx.ret()? as u64))
}

/// A number behind a pointer that the kernel may change: `[32]`, `[4096 => 32]`.
pub fn change<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, siblings: Siblings) -> Value<'a> {
    let &Ty::Array(dir, inner, _) = shape else { return Value::Addr(addr) };
    let size = inner.size(cx.abi());
    let read = |phase| generic::inline(cx, inner, phase, addr, size, siblings);
    let (Some(before), true) = (read(Phase::Entry), addr != 0 && cx.verbose) else { return Value::Addr(addr) };
    let changed = cx.uint(Phase::Entry, addr, size) != cx.uint(Phase::Exit, addr, size);
    let value = match read(Phase::Exit) {
        Some(after) if changed && cx.filled(dir) => Value::Change(cx.keep(before), cx.keep(after)),
        _ => before,
    };
    Value::Array(cx.values(&[value]), Tail::End)
}
