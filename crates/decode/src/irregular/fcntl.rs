//! Notes on the return values of fcntl(2).

use crate::{Cx, Value};
use stride_syscalls::sets::fcntl::{FD_FLAGS, LOCK_TYPE, SEALS};
use stride_syscalls::sets::files::OPEN;
use stride_syscalls::uapi::consts as c;

/// The names of a returned flag word, lease or signal.
pub fn note<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    let raw = u64::try_from(cx.ret()?).ok()?;
    let flags = |title, set| Some(Value::Titled(title, cx.keep(Value::Flags { raw, set })));
    match cx.arg("op") & 0xffff_ffff {
        c::F_GETFD if raw != 0 => flags("flags", &FD_FLAGS),
        c::F_GETFL => flags("flags", OPEN.of(cx.abi())),
        c::F_GET_SEALS if raw != 0 => flags("seals", &SEALS),
        c::F_GETLEASE => Some(Value::Enum { raw, set: &LOCK_TYPE }),
        c::F_GETSIG if (1..=64).contains(&raw) => Some(Value::Signal(raw as i32)),
        _ => None,
    }
}
