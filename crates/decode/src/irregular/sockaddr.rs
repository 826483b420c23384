//! Socket addresses.

use crate::{Cx, Scope, Value};
use stride_syscalls::{Dir, Len};

pub fn decode<'a>(_cx: &Cx<'a>, addr: u64, _dir: Dir, _len: Len, _scope: Scope) -> Value<'a> {
    Value::Addr(addr)
}
