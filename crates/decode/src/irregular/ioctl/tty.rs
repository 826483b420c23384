//! Terminals.

use crate::{Cx, Tail, Value};
use bumpalo::collections::Vec;
use stride_event::Phase;

/// `[[VINTR]=0x3, [VQUIT]=0x1c, …]`: asm-generic/termbits.h.
pub fn control_chars<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, size: usize) -> Option<Value<'a>> {
    const NAMES: [&str; 17] = [
        "VINTR", "VQUIT", "VERASE", "VKILL", "VEOF", "VTIME", "VMIN", "VSWTC", "VSTART", "VSTOP", "VSUSP", "VEOL",
        "VREPRINT", "VDISCARD", "VWERASE", "VLNEXT", "VEOL2",
    ];
    let bytes = cx.read(phase, addr, size)?;
    let mut items = Vec::with_capacity_in(size, cx.arena);
    for (i, &byte) in bytes.iter().enumerate() {
        let index = match NAMES.get(i) {
            Some(name) => Value::Word(name),
            None => Value::UInt(i as u64),
        };
        items.push(cx.indexed(index, Value::Hex(u64::from(byte))));
    }
    Some(Value::Array(items.into_bump_slice(), Tail::End))
}
