//! Requests of the device mapper: linux/dm-ioctl.h. A head with sizes and offsets is followed by data, whose form the
//! request says.

use crate::{Cx, Member, Tail, Text, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::ioctl::mapper::{HEAD, MESSAGE, TARGET, TARGET_STATUS};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Dir, Struct};

/// The members of the head before its last one, which is the beginning of the data.
const LEAST: u64 = 305;

/// The head of a request in one phase.
struct Head<'c, 'a> {
    cx: &'c Cx<'a>,
    op: u64,
    phase: Phase,
    addr: u64,
}

pub fn request<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let head = |phase| Head { cx, op: cx.arg("op") & 0xffff_ffff, phase, addr };
    let Some(before) = head(Phase::Entry).show() else { return Value::Addr(addr) };
    match (cx.failed(), head(Phase::Exit).show()) {
        (false, Some(after)) => Value::Change(cx.keep(before), cx.keep(after)),
        _ => before,
    }
}

impl<'a> Head<'_, 'a> {
    fn number(&self, name: &str) -> Option<u64> {
        self.cx.number(&HEAD, name, self.phase, self.addr)
    }

    fn member(&self, name: &str) -> Option<Member<'a>> {
        let field = HEAD.field(name)?;
        let value = generic::member(self.cx, &HEAD, field, self.phase, self.addr)?;
        Some(Member { name: field.name, value })
    }

    /// The head and its data, if the head could be read.
    fn show(&self) -> Option<Value<'a>> {
        let cx = self.cx;
        cx.read(self.phase, self.addr, LEAST as usize)?;
        let size = self.number("data_size").filter(|&size| size != 0)?;
        let mut members = Vec::new_in(cx.arena);
        let remark = |member: Member<'a>, text| Member { value: cx.comment(member.value, Value::Word(text)), ..member };
        let version = self.member("version")?;
        if self.number("version") != Some(c::DM_VERSION_MAJOR) {
            members.push(remark(version, "unsupported device mapper ABI version"));
            return Some(self.whole(members, None));
        }
        members.push(version);
        if size < LEAST {
            members.push(remark(self.member("data_size")?, "data_size too small"));
            return Some(self.whole(members, None));
        }
        members.push(self.member("data_size")?);
        for name in ["data_start", "dev", "name", "uuid", "target_count", "open_count", "event_nr", "flags"] {
            let member = self.member(name)?;
            let empty = matches!(member.value, Value::Absent | Value::Text(Text { bytes: [], cut: false, .. }));
            if self.has(name)? && !empty {
                members.push(member);
            }
        }
        Some(self.whole(members, self.data(size)?))
    }

    /// `[{head}, data]`, or `[{head}, ...]` without `-v`.
    fn whole(&self, head: Vec<'a, Member<'a>>, data: Option<Vec<'a, Value<'a>>>) -> Value<'a> {
        let mut items = Vec::new_in(self.cx.arena);
        items.push(Value::Struct(head.into_bump_slice(), Tail::End));
        let tail = match data {
            Some(_) if self.cx.abbrev => Tail::More,
            Some(data) => {
                items.extend(data);
                Tail::End
            }
            None => Tail::End,
        };
        Value::Array(items.into_bump_slice(), tail)
    }

    fn is(&self, requests: &[u64]) -> bool {
        requests.contains(&self.op)
    }

    /// True if a member of the head has a meaning for this request.
    fn has(&self, member: &str) -> Option<bool> {
        let answered = self.phase == Phase::Exit;
        let device = !self.is(&[c::DM_REMOVE_ALL, c::DM_LIST_DEVICES, c::DM_LIST_VERSIONS]);
        Some(match member {
            "data_start" => {
                self.is(&[
                    c::DM_LIST_DEVICES,
                    c::DM_LIST_VERSIONS,
                    c::DM_DEV_WAIT,
                    c::DM_TABLE_DEPS,
                    c::DM_TABLE_STATUS,
                ]) || self.is(&[c::DM_TABLE_LOAD, c::DM_TARGET_MSG, c::DM_DEV_SET_GEOMETRY, c::DM_DEV_RENAME])
            }
            "dev" | "name" | "uuid" => device,
            "target_count" => {
                self.is(&[c::DM_TABLE_LOAD]) || answered && self.is(&[c::DM_TABLE_STATUS, c::DM_DEV_WAIT])
            }
            "open_count" => answered && device && self.op != c::DM_VERSION,
            // For a suspension there is nothing to wait for.
            "event_nr" if self.is(&[c::DM_DEV_SUSPEND]) => answered || self.number("flags")? & c::DM_SUSPEND_FLAG == 0,
            "event_nr" => {
                self.is(&[c::DM_DEV_REMOVE, c::DM_DEV_WAIT, c::DM_DEV_RENAME])
                    || answered && device && self.op != c::DM_VERSION
            }
            _ => true,
        })
    }

    /// The data of the request: nothing, if it has none.
    fn data(&self, size: u64) -> Option<Option<Vec<'a, Value<'a>>>> {
        let mut items = Vec::new_in(self.cx.arena);
        let start = self.number("data_start")?;
        let answered = self.phase == Phase::Exit;
        match self.op {
            c::DM_TABLE_LOAD if !answered => match self.number("target_count")? {
                0 => return Some(None),
                n => self.targets(&mut items, &TARGET, size, start, n),
            },
            c::DM_TABLE_STATUS | c::DM_DEV_WAIT if answered => match self.number("target_count")? {
                0 => return Some(None),
                n => self.targets(&mut items, &TARGET_STATUS, size, start, n),
            },
            c::DM_TARGET_MSG if !answered => items.push(self.message(size, start)),
            c::DM_DEV_SET_GEOMETRY | c::DM_DEV_RENAME if !answered => items.push(match size.checked_sub(start) {
                Some(room) => self.cx.members(&[("string", self.string(start, room))]),
                None => self.misplaced("misplaced string"),
            }),
            _ => return Some(None),
        }
        Some(Some(items))
    }

    fn misplaced(&self, what: &'static str) -> Value<'a> {
        self.cx.comment(Value::Unknown, Value::Word(what))
    }

    fn at(&self, offset: u64) -> u64 {
        self.addr.wrapping_add(offset)
    }

    /// A string of at most `room` bytes at this offset.
    fn string(&self, offset: u64, room: u64) -> Value<'a> {
        let cx = self.cx;
        if room == 0 {
            return Value::Text(Text { bytes: &[], cut: false, kind: TextKind::Str });
        }
        let want = usize::try_from(room).unwrap_or(usize::MAX).min(cx.options.text.saturating_add(1));
        let bytes = cx.prefix(self.phase, self.at(offset), want);
        let end = bytes.iter().position(|&b| b == 0);
        match end {
            None if bytes.len() < want => Value::Addr(self.at(offset)),
            _ => {
                let len = end.unwrap_or(bytes.len());
                let shown = len.min(cx.options.text);
                Value::Text(Text { bytes: &bytes[..shown], cut: shown < len || end.is_none(), kind: TextKind::Str })
            }
        }
    }

    fn message(&self, size: u64, start: u64) -> Value<'a> {
        let text = start + MESSAGE.size(self.cx.abi()) as u64;
        let Some(room) = size.checked_sub(text) else { return self.misplaced("misplaced struct dm_target_msg") };
        let at = self.at(start);
        let Some(sector) = self.cx.uint(self.phase, at, 8) else { return Value::Addr(at) };
        self.cx.members(&[("sector", Value::UInt(sector)), ("message", self.string(text, room))])
    }

    /// Targets, each of which says where the next one is. In a table that is loaded, this counts from the target
    /// itself, in the answer from the beginning of the data.
    fn targets(&self, items: &mut Vec<'a, Value<'a>>, s: &'static Struct, size: u64, start: u64, n: u64) {
        let cx = self.cx;
        let each = s.size(cx.abi()) as u64;
        let mut offset = start;
        for _ in 0..n {
            let Some(room) = size.checked_sub(offset + each).filter(|_| offset >= start) else {
                items.push(self.misplaced("misplaced struct dm_target_spec"));
                return;
            };
            let at = self.at(offset);
            let next = s.field("length").and_then(|_| cx.uint(self.phase, at.wrapping_add(NEXT), 4));
            let (Some(Value::Struct(members, tail)), Some(next)) = (cx.strukt(s, self.phase, at), next) else {
                items.push(Value::Addr(at));
                return;
            };
            let mut all = Vec::with_capacity_in(members.len() + 1, cx.arena);
            all.extend_from_slice(members);
            all.push(Member { name: "string", value: self.string(offset + each, room) });
            items.push(Value::Struct(all.into_bump_slice(), tail));
            let following = if self.phase == Phase::Exit { start + next } else { offset + next };
            // A target within the one before would be no target. The list would not end.
            offset = if following < offset + each { u64::MAX - each } else { following };
        }
    }
}

/// `next` in `struct dm_target_spec`.
const NEXT: u64 = 20;
