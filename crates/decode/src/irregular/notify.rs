//! fanotify(7).

use crate::{Cx, Siblings, Value, generic};
use stride_syscalls::Ty;
use stride_syscalls::sets::notify::{FAN_NOFD, FANOTIFY_CLASS, FANOTIFY_INIT};

/// The flags of a group. Its class is an enumeration among them, and the class zero has a name.
pub fn init<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    const CLASS: u64 = 0xc;
    let class = Value::Enum { raw: raw & CLASS, set: &FANOTIFY_CLASS };
    match raw & !CLASS {
        0 => class,
        flags => Value::Or(cx.values(&[class, Value::Flags { raw: flags, set: &FANOTIFY_INIT }])),
    }
}

/// A directory descriptor, or none.
pub fn dir<'a>(cx: &Cx<'a>, raw: u64, siblings: Siblings) -> Value<'a> {
    if raw as i32 == FAN_NOFD {
        return cx.known(Value::Int(i64::from(FAN_NOFD)), Value::Word("FAN_NOFD"));
    }
    generic::held(cx, &Ty::DirFd, raw, siblings)
}
