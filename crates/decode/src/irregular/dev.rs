//! Device numbers, in the kernel's 64-bit encoding (new_encode_dev, linux/kdev_t.h).

use crate::{Cx, Value};

/// A device number: its major and minor part.
pub fn decode<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let major = ((raw >> 8) & 0xfff) | ((raw >> 32) & !0xfff);
    let minor = (raw & 0xff) | ((raw >> 12) & 0xffff_ff00);
    cx.macro_call(Value::Hex(raw), "makedev", &[Value::Hex(major), Value::Hex(minor)])
}
