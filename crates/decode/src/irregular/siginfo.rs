//! `siginfo_t` (sigaction(2), asm-generic/siginfo.h).

use crate::cx::le;
use crate::{Member, Tail, Value};
use bumpalo::Bump;

/// From the bytes of a whole `siginfo_t` of the native ABI.
pub fn decode<'a>(arena: &'a Bump, info: &[u8]) -> Value<'a> {
    let int = |at| le(info, at, 4) as u32 as i32;
    let members = arena.alloc_slice_copy(&[
        Member { name: "si_signo", value: Value::Signal(int(0)) },
        Member { name: "si_code", value: Value::Int(i64::from(int(8))) },
    ]);
    Value::Struct(members, Tail::End)
}
