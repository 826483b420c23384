//! Times of files, shown with dates: stat(2), statx(2), utimensat(2) and their relatives.

use crate::cx::signed;
use crate::{Cx, Value, generic};
use stride_event::Phase;
use stride_syscalls::{Ty, uapi::consts as c};

/// Seconds of this width.
pub fn seconds<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, size: usize) -> Option<Value<'a>> {
    let sec = signed(cx.uint(phase, addr, size)?, size);
    Some(cx.dated(Value::Int(sec), sec, 0, 9))
}

/// Seconds. The next member has the same width and holds the nanoseconds.
pub fn seconds_nsec<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, size: usize) -> Option<Value<'a>> {
    let sec = signed(cx.uint(phase, addr, size)?, size);
    let nsec = cx.uint(phase, addr.wrapping_add(size as u64), size)?;
    Some(cx.dated(Value::Int(sec), sec, nsec, 9))
}

/// A struct's seconds and fraction, and the number of digits of its unit.
fn parts(cx: &Cx<'_>, shape: &Ty, phase: Phase, addr: u64) -> Option<(i64, u64, u8)> {
    let Ty::Struct(s) = *shape else { return None };
    let number = |name| cx.number(s, name, phase, addr);
    let seconds = s.field("tv_sec").or_else(|| s.field("sec"))?;
    let sec = signed(number(seconds.name)?, seconds.place(cx.abi()).size.into());
    let (part, digits) = match number("tv_nsec").or_else(|| number("nsec")) {
        Some(nsec) => (nsec, 9),
        None => (number("tv_usec")?, 6),
    };
    Some((sec, part, digits))
}

/// A timeval or timespec.
pub fn time<'a>(cx: &Cx<'a>, shape: &Ty, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let Ty::Struct(s) = *shape else { return None };
    let (sec, part, digits) = parts(cx, shape, phase, addr)?;
    Some(cx.dated(generic::strukt(cx, s, phase, addr)?, sec, part, digits))
}

/// A time of a PTP clock. Its date is left out if only numbers are wanted.
pub fn clock_time<'a>(cx: &Cx<'a>, shape: &Ty, phase: Phase, addr: u64) -> Option<Value<'a>> {
    Some(match time(cx, shape, phase, addr)? {
        Value::Comment(time, date) => Value::Remarked(time, date),
        value => value,
    })
}

/// Like [`time`], with the two special values of the nanoseconds.
pub fn file_time<'a>(cx: &Cx<'a>, shape: &Ty, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let (_, nsec, _) = parts(cx, shape, phase, addr)?;
    let name = match nsec {
        c::UTIME_NOW => "UTIME_NOW",
        c::UTIME_OMIT => "UTIME_OMIT",
        _ => return time(cx, shape, phase, addr),
    };
    let whole = time(cx, shape, phase, addr)?;
    Some(Value::Known(cx.keep(whole), cx.keep(Value::Word(name))))
}
