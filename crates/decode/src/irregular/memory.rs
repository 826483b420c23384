//! NUMA node masks, the status of pages, and offsets in pages.

use crate::cx::signed;
use crate::{Cx, Siblings, Tail, Value, generic};
use stride_event::Phase;
use stride_syscalls::Ty;

/// A mask of nodes, word by word.
pub fn nodes<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, siblings: Siblings) -> Value<'a> {
    let Ty::Array(dir, _, len) = *shape else { return Value::Addr(addr) };
    if addr == 0 || !cx.filled(dir) {
        return Value::Addr(addr);
    }
    let phase = Phase::of(dir);
    match cx.len(len, phase, siblings) {
        // With `maxnode` 1 no node is left, but the kernel counts that as a mask to read. So only 0 is an empty mask.
        Some(0) if cx.arg("maxnode") == 0 => Value::Array(&[], Tail::End),
        _ if !cx.verbose => Value::Addr(addr),
        Some(n @ 1..) => generic::elements(cx, phase, addr, &WORD, n, false),
        _ => Value::Addr(addr),
    }
}

const WORD: Ty = Ty::Custom(stride_syscalls::Irregular::MaskWord, &Ty::HexLong);

/// A word of a bit mask, at least as wide as strace has it: with its `0x`, a character for each half of a byte.
pub fn mask_word<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    Value::PadHex { raw, width: 2 * cx.abi().word() as u8 }
}

/// A byte of mincore(2)'s result. Only one of its bits is defined.
pub fn residency<'a>(raw: u64) -> Value<'a> {
    Value::UInt(raw & 1)
}

/// move_pages(2)'s status: a node, or a negated errno.
pub fn node_or_error<'a>(raw: u64) -> Value<'a> {
    let status = signed(raw, 4);
    if status < 0 { Value::Errno(status as i32) } else { Value::Int(status) }
}

/// An offset in pages of 4096 bytes.
pub fn page_offset<'a>(raw: u64) -> Value<'a> {
    Value::Hex(raw << 12)
}
