//! Resource limits. Some are shown in units of 1024, and infinity by name.

use crate::{Cx, Value};
use stride_syscalls::Ty;

pub fn decode<'a>(cx: &Cx<'a>, shape: &Ty, raw: u64) -> Value<'a> {
    let number = cx.keep(Value::UInt(raw));
    let meaning = match (shape.size(cx.abi()), raw) {
        (4, 0xffff_ffff) => Value::Ascii("RLIM_INFINITY"),
        (8, u64::MAX) => Value::Ascii("RLIM64_INFINITY"),
        (_, n) if n > 1024 && n % 1024 == 0 => Value::Glue(cx.values(&[Value::UInt(n / 1024), Value::Ascii("*1024")])),
        _ => return Value::UInt(raw),
    };
    Value::Known(number, cx.keep(meaning))
}
