//! Commands for SCSI devices: scsi/sg.h, linux/bsg.h.

use super::{count, int};
use crate::{Cx, Member, Siblings, Tail, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::ioctl::scsi::{COMMAND, COMMAND_V4, RESULT, RESULT_V4};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Dir, Struct};

/// The struct of a command, by its first number.
pub fn command<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let Some(form) = cx.uint(Phase::Entry, addr, 4) else { return Value::Addr(addr) };
    let (name, of, asked) = match form as u32 {
        OLD => ("interface_id", b'S', old as Show<'a>),
        NEW => ("guard", b'Q', new as Show<'a>),
        _ => return Value::Array(cx.values(&[Value::UInt(form)]), Tail::End),
    };
    let mut members = Vec::new_in(cx.arena);
    members.push(Member { name, value: Value::Char(of) });
    if asked(cx, addr, &mut members).is_none() {
        members.truncate(1);
        members.push(Member { name: "", value: Value::Addr(addr.wrapping_add(4)) });
    }
    Value::Struct(members.into_bump_slice(), Tail::End)
}

const OLD: u32 = b'S' as u32;
const NEW: u32 = b'Q' as u32;

/// Adds the members. `None` if the struct could not be read.
type Show<'a> = fn(&Cx<'a>, u64, &mut Vec<'a, Member<'a>>) -> Option<()>;

/// Adds the members of a struct.
fn add<'a>(cx: &Cx<'a>, s: &'static Struct, phase: Phase, addr: u64, to: &mut Vec<'a, Member<'a>>) -> Option<()> {
    let Value::Struct(members, _) = cx.strukt(s, phase, addr)? else { return None };
    to.extend_from_slice(members);
    Some(())
}

/// Data that is transferred.
struct Data {
    at: u64,
    len: u64,
    /// The number of vectors, if the data is in several buffers.
    vectors: u64,
    phase: Phase,
}

impl Data {
    fn show<'a>(&self, cx: &Cx<'a>) -> Value<'a> {
        match (self.at, self.vectors) {
            (0, _) => Value::Addr(0),
            (at, 0) => generic::bytes(cx, self.phase, at, self.len, TextKind::HexBytes),
            _ => self.buffers(cx),
        }
    }

    /// The buffers, of which the last may be filled in part.
    fn buffers<'a>(&self, cx: &Cx<'a>) -> Value<'a> {
        let word = cx.abi().word() as u64;
        let mut left = self.len;
        let mut items = Vec::new_in(cx.arena);
        for i in 0..self.vectors {
            let at = self.at.wrapping_add(i.wrapping_mul(2 * word));
            let (Some(base), Some(len)) = (cx.word(Phase::Entry, at), cx.word(Phase::Entry, at.wrapping_add(word)))
            else {
                return if i == 0 {
                    Value::Addr(self.at)
                } else {
                    Value::Array(items.into_bump_slice(), Tail::Unread(at))
                };
            };
            if cx.abbrev && i >= cx.options.text as u64 {
                return Value::Array(items.into_bump_slice(), Tail::More);
            }
            let filled = len.min(left);
            left -= filled;
            let shown = match base {
                0 => Value::Addr(0),
                base => generic::bytes(cx, self.phase, base, filled, TextKind::Bytes),
            };
            items.push(cx.members(&[("iov_base", shown), ("iov_len", Value::UInt(len))]));
        }
        Value::Array(items.into_bump_slice(), Tail::End)
    }
}

/// The bytes that a device returned: all but the residue.
fn received(len: u64, residue: i64) -> u64 {
    match u64::try_from(residue) {
        Ok(residue) if residue <= len => len - residue,
        _ => len,
    }
}

fn old<'a>(cx: &Cx<'a>, addr: u64, to: &mut Vec<'a, Member<'a>>) -> Option<()> {
    add(cx, &COMMAND, Phase::Entry, addr, to)?;
    let given = |name| cx.number(&COMMAND, name, Phase::Entry, addr);
    let (at, len, vectors) = (given("dxferp")?, given("dxfer_len")?, given("iovec_count")?);
    let sent = Data { at, len, vectors, phase: Phase::Entry };
    let residue = cx.number(&RESULT, "resid", Phase::Exit, addr).map_or(0, int);
    let returned = Data { len: received(len, residue), phase: Phase::Exit, ..sent };
    // Only the low 32 bits of these names are numbers of the struct.
    let value = match given("dxfer_direction")? | !0xffff_ffff {
        c::SG_DXFER_TO_DEV => sent.show(cx),
        c::SG_DXFER_FROM_DEV => returned.show(cx),
        c::SG_DXFER_TO_FROM_DEV if returned.len == 0 => sent.show(cx),
        c::SG_DXFER_TO_FROM_DEV => match returned.show(cx) {
            Value::Addr(_) => sent.show(cx),
            back => Value::Change(cx.keep(sent.show(cx)), cx.keep(back)),
        },
        _ => Value::Addr(at),
    };
    to.push(Member { name: "dxferp", value });
    add(cx, &RESULT, Phase::Exit, addr, to).unwrap_or_default();
    Some(())
}

fn new<'a>(cx: &Cx<'a>, addr: u64, to: &mut Vec<'a, Member<'a>>) -> Option<()> {
    add(cx, &COMMAND_V4, Phase::Entry, addr, to)?;
    let (asked, answered) =
        (Siblings::Struct(&COMMAND_V4, addr, Phase::Entry), Siblings::Struct(&RESULT_V4, addr, Phase::Exit));
    let given = |name| count(cx, name, Phase::Entry, asked);
    let data = |at, len, vectors, phase| Data { at: given(at), len, vectors: given(vectors), phase }.show(cx);
    let replace = |to: &mut Vec<'a, Member<'a>>, name, value| {
        if let Some(member) = to.iter_mut().find(|member| member.name == name) {
            member.value = value;
        }
    };
    let sent = data("dout_xferp", given("dout_xfer_len"), "dout_iovec_count", Phase::Entry);
    replace(to, "dout_xferp", sent);
    if add(cx, &RESULT_V4, Phase::Exit, addr, to).is_none() {
        return Some(());
    }
    let residue = int(count(cx, "din_resid", Phase::Exit, answered));
    let at = count(cx, "din_xferp", Phase::Exit, answered);
    let len = received(given("din_xfer_len"), residue);
    let back = Data { at, len, vectors: given("din_iovec_count"), phase: Phase::Exit }.show(cx);
    replace(to, "din_xferp", back);
    // The length stands before the response and, in the order of the struct, behind the duration.
    if let Some(behind) = to.iter().position(|member| member.name == "din_resid") {
        let length = Value::UInt(count(cx, "response_len", Phase::Exit, answered));
        to.insert(behind, Member { name: "", value: Value::Named("response_len", cx.keep(length)) });
    }
    Some(())
}
