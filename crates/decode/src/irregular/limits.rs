//! Resource limits. Some are shown in units of 1024, and infinity by name.

use crate::{Cx, Operator, Value};
use stride_syscalls::Ty;

pub fn decode<'a>(cx: &Cx<'a>, shape: &Ty, raw: u64) -> Value<'a> {
    let number = cx.keep(Value::UInt(raw));
    let meaning = match (shape.size(cx.abi()), raw) {
        (4, 0xffff_ffff) => Value::Word("RLIM_INFINITY"),
        (8, u64::MAX) => Value::Word("RLIM64_INFINITY"),
        (_, n) if n > 1024 && n % 1024 == 0 => cx.binary(Value::UInt(n / 1024), Operator::Times, Value::UInt(1024)),
        _ => return Value::UInt(raw),
    };
    Value::Known(number, cx.keep(meaning))
}
