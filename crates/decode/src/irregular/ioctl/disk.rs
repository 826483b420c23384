//! Commands for disks: linux/hdreg.h.

use crate::{Cx, Member, Tail, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::Dir;
use stride_syscalls::ioctl::{DRIVE_COMMAND, DRIVE_STATUS};

/// A sector, in which the disk's data come.
const SECTOR: u64 = 512;
/// The registers of a command, before the data.
const REGISTERS: u64 = 4;

/// HDIO_DRIVE_CMD: the command, and the registers and the data after it.
pub fn command<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let Some(before) = cx.strukt(&DRIVE_COMMAND, Phase::Entry, addr) else { return Value::Addr(addr) };
    if cx.failed() {
        return before;
    }
    let Some(Value::Struct(registers, _)) = cx.strukt(&DRIVE_STATUS, Phase::Exit, addr) else {
        return Value::Change(cx.keep(before), cx.keep(Value::Addr(addr)));
    };
    let mut all = Vec::with_capacity_in(registers.len() + 1, cx.arena);
    all.extend_from_slice(registers);
    let sectors = cx.uint(Phase::Entry, addr.wrapping_add(REGISTERS - 1), 1).unwrap_or(0);
    if sectors > 0 {
        let data = addr.wrapping_add(REGISTERS);
        let value = generic::bytes(cx, Phase::Exit, data, sectors * SECTOR, TextKind::HexBytes);
        all.push(Member { name: "buf", value });
    }
    Value::Change(cx.keep(before), cx.keep(Value::Struct(all.into_bump_slice(), Tail::End)))
}
