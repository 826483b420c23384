//! Clock ids: `CLOCK_REALTIME`, and the dynamic ones made from a pid or a descriptor (linux/time.h).

use crate::{Cx, Value};

pub fn decode<'a>(_cx: &Cx<'a>, raw: u64) -> Value<'a> {
    Value::Int(raw as i32 as i64)
}
