//! Calls within a batch, written as the difference from the same thread's last call of the same number.

use crate::descriptors;
use crate::ids::{abi, tid};
use crate::stream::{BatchSource, Malformed, Streams};
use crate::waits;
use std::collections::HashMap;
use std::sync::Arc;
use stride_event::{BlockRef, Blocks, Call, FileKind, Outcome, Phase, Stack, Tampering, Tid};
use stride_syscalls::Abi;

/// The stage of a call that is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Enter = 0,
    Exit = 1,
    /// Left in flight.
    Left = 2,
}

/// Slots in a batch: threads times numbers.
pub const MAX_SLOTS: usize = 4096;
/// Blocks of a call. Real calls have far fewer.
const MAX_BLOCKS: usize = 1 << 16;
/// Memory of a call. Only transfers that are dumped whole can have more. Their end is left out.
const MAX_MEMORY: usize = 8 << 20;

/// A layout with more empty blocks than this is written again instead of referred to: each block takes time to read,
/// and a reference to it would cost the file nothing.
const MAX_EMPTY: usize = 1 << 8;

/// Bits of a call's first number say what else is written. The lowest six are for the arguments.
mod has {
    pub const RETURN: u64 = 1 << 6;
    pub const OUTCOME: u64 = 1 << 7;
    pub const LAYOUT: u64 = 1 << 8;
    pub const LENGTHS: u64 = 1 << 9;
    /// The call is the one whose entry was written: its time and memory are known.
    pub const CONTINUES: u64 = 1 << 10;
    pub const IP: u64 = 1 << 11;
    pub const SP: u64 = 1 << 12;
    pub const RESUMES: u64 = 1 << 13;
    pub const SYSTEM_TIME: u64 = 1 << 14;
    /// The files and sockets of the call's descriptors, unless they are the same as last time.
    pub const DESCRIPTORS: u64 = 1 << 15;
    pub const NETLINK: u64 = 1 << 16;
    pub const FILE_KIND: u64 = 1 << 17;
    pub const TAMPERING: u64 = 1 << 18;
    /// The waits of the thread.
    pub const WAITS: u64 = 1 << 19;
    /// The time for which Stride held the thread before the entry.
    pub const HELD: u64 = 1 << 20;
}

/// The place at which a block is expected: an argument, or the place of the last block.
#[derive(Clone, Copy)]
struct Expected {
    op: u8,
    phase: Phase,
    faulted: bool,
    /// The argument that points to it, or [`NOWHERE`].
    anchor: u8,
    addr: u64,
    len: u64,
}

const NOWHERE: u8 = 7;

impl Expected {
    fn addr(&self, args: &[u64; 6]) -> u64 {
        args.get(self.anchor as usize).copied().unwrap_or(self.addr)
    }

    fn fits(&self, block: &BlockRef<'_>, args: &[u64; 6]) -> bool {
        (self.op, self.phase, self.faulted) == (block.op, block.phase, block.faulted) && self.addr(args) == block.addr
    }

    fn of(block: &BlockRef<'_>, args: &[u64; 6]) -> Expected {
        let anchor = args.iter().position(|arg| *arg == block.addr).map_or(NOWHERE, |i| i as u8);
        let &BlockRef { op, phase, addr, faulted, bytes } = block;
        Expected { op, phase, faulted, anchor, addr, len: bytes.len() as u64 }
    }
}

/// The state for a thread's calls of one number.
#[derive(Default)]
struct Slot {
    /// The latest call of the slot: whole in the reader, without memory in the writer.
    call: Call,
    outcomes: [(u8, i64); 3],
    counts: [usize; 3],
    expected: Vec<Expected>,
    in_flight: bool,
    /// In the writer: the memory written at entry.
    entered: Blocks,
}

fn outcome_parts(outcome: Outcome) -> (u8, i64) {
    match outcome {
        Outcome::Pending => (0, 0),
        Outcome::Value(v) => (1, v),
        Outcome::Error(e) => (2, i64::from(e)),
        Outcome::Gone => (3, 0),
    }
}

fn outcome_of(kind: u8, value: i64) -> Result<Outcome, Malformed> {
    Ok(match kind {
        0 => Outcome::Pending,
        1 => Outcome::Value(value),
        2 => Outcome::Error(u32::try_from(value).map_err(|_| Malformed("an error number is negative"))?),
        3 => Outcome::Gone,
        _ => return Err(Malformed("a call ends in an unknown way")),
    })
}

/// The kinds of files that have a number in recordings, which is their position. (Earlier versions wrote only the first two.)
const KINDS: [FileKind; 6] = [
    FileKind::Other,
    FileKind::Terminal,
    FileKind::BpfMap,
    FileKind::BpfProgram,
    FileKind::BpfTypes,
    FileKind::BpfLink,
];

/// `None` for a netlink socket, which is written with its protocol.
fn kind_number(kind: FileKind) -> Option<u8> {
    KINDS.iter().position(|known| *known == kind).map(|at| at as u8)
}

fn kind_of(number: u8) -> Result<FileKind, Malformed> {
    KINDS.get(usize::from(number)).copied().ok_or(Malformed("a call has a file of an unknown kind"))
}

#[derive(Default)]
pub struct CallWriter {
    ids: HashMap<(Tid, Abi, u64), usize>,
    slots: Vec<Slot>,
    /// The thread of the newest slot.
    tid: Tid,
}

impl CallWriter {
    pub fn clear(&mut self) {
        self.ids.clear();
        self.slots.clear();
        self.tid = 0;
    }

    pub fn is_full(&self) -> bool {
        self.slots.len() >= MAX_SLOTS
    }

    fn slot(&mut self, to: &mut Streams, call: &Call) -> usize {
        let next = self.slots.len();
        let id = *self.ids.entry((call.tid, call.abi, call.nr)).or_insert(next);
        to.uint(id as u64);
        if id == next {
            to.int(i64::from(call.tid) - i64::from(self.tid));
            to.byte(call.abi as u8);
            to.uint(call.nr);
            self.tid = call.tid;
            self.slots.push(Slot::default());
        }
        id
    }

    /// All members, except whether the engine counted the call, which later readers do not need.
    pub fn put(&mut self, to: &mut Streams, call: &Call, moment: Stage) {
        let id = self.slot(to, call);
        let slot = &mut self.slots[id];
        let last = &mut slot.call;
        let role = moment as usize;
        let entered = slot.entered.len();
        let continues = slot.in_flight
            && moment != Stage::Enter
            && call.entered == last.entered
            && (0..entered).all(|i| slot.entered.block(i) == call.blocks.block(i));
        let known = if continues { entered } else { 0 };
        let blocks = call.blocks.len().min(MAX_BLOCKS);
        let fresh = || (known..blocks).filter_map(|i| call.blocks.block(i));

        let (kind, value) = outcome_parts(call.outcome);
        let same_layout = slot.counts[role] == blocks
            && slot.expected.len() >= blocks
            && fresh().filter(|b| b.bytes.is_empty()).nth(MAX_EMPTY).is_none()
            && fresh().zip(slot.expected.iter().skip(known)).all(|(b, e)| e.fits(&b, &call.args));
        let same_lengths = same_layout
            && call.blocks.size() <= MAX_MEMORY
            && fresh().zip(slot.expected.iter().skip(known)).all(|(b, e)| e.len == b.bytes.len() as u64);
        let mut flags = 0;
        for (i, (arg, before)) in call.args.iter().zip(&last.args).enumerate() {
            flags |= u64::from(arg != before) << i;
        }
        for (present, bit) in [
            (slot.outcomes[role].1 != value, has::RETURN),
            (slot.outcomes[role].0 != kind, has::OUTCOME),
            (!same_layout, has::LAYOUT),
            (!same_lengths, has::LENGTHS),
            (continues, has::CONTINUES),
            (call.ip != last.ip, has::IP),
            (call.sp != last.sp, has::SP),
            (call.resumes.is_some(), has::RESUMES),
            (call.system_time != 0, has::SYSTEM_TIME),
            (call.descriptors != last.descriptors, has::DESCRIPTORS),
            (matches!(call.file_kind, Some(FileKind::Netlink(_))), has::NETLINK),
            (call.file_kind.is_some_and(|kind| kind_number(kind).is_some()), has::FILE_KIND),
            (!call.tampering.is_none(), has::TAMPERING),
            (call.waits.is_some(), has::WAITS),
            (call.held != 0 && !continues, has::HELD),
        ] {
            flags |= if present { bit } else { 0 };
        }
        to.uint(flags);
        for (arg, before) in call.args.iter().zip(&last.args).filter(|(arg, before)| arg != before) {
            to.near(*arg, *before);
        }
        if flags & has::OUTCOME != 0 {
            to.byte(kind);
        }
        if flags & has::RETURN != 0 {
            to.near(value as u64, slot.outcomes[role].1 as u64);
        }
        if flags & has::IP != 0 {
            to.near(call.ip, last.ip);
        }
        if flags & has::SP != 0 {
            to.near(call.sp, last.sp);
        }
        if let Some(nr) = call.resumes {
            to.uint(nr);
        }
        if flags & has::SYSTEM_TIME != 0 {
            to.uint(call.system_time);
        }
        if flags & has::DESCRIPTORS != 0 {
            descriptors::put(to, &call.descriptors);
            last.descriptors.clone_from(&call.descriptors);
        }
        match call.file_kind {
            Some(FileKind::Netlink(protocol)) => to.uint(protocol.into()),
            kind => kind.and_then(kind_number).into_iter().for_each(|number| to.byte(number)),
        }
        if flags & has::TAMPERING != 0 {
            to.byte(call.tampering.bits());
        }
        if let Some(found) = &call.waits {
            waits::put(to, found);
        }
        if flags & has::HELD != 0 {
            to.uint(call.held);
        }
        if !continues {
            to.time(call.entered.unwrap_or(0));
        }
        to.time(call.returned);

        if !same_layout {
            to.uint((blocks - known) as u64);
        }
        slot.expected.truncate(if same_layout { usize::MAX } else { known });
        let mut memory = if continues { slot.entered.size() } else { 0 };
        let mut before = call.args[0];
        for (i, block) in fresh().enumerate() {
            let bytes = &block.bytes[..block.bytes.len().min(MAX_MEMORY - memory)];
            memory += bytes.len();
            if !same_layout {
                let new = Expected::of(&block, &call.args);
                to.byte(new.anchor << 2 | u8::from(block.faulted) << 1 | (block.phase == Phase::Exit) as u8);
                to.byte(block.op);
                if new.anchor == NOWHERE {
                    to.near(block.addr, before);
                }
                slot.expected.push(new);
            }
            before = block.addr;
            let expected = &mut slot.expected[known + i];
            expected.addr = block.addr;
            if !same_lengths {
                to.uint(bytes.len() as u64);
                expected.len = bytes.len() as u64;
            }
            to.memory.extend_from_slice(bytes);
        }

        slot.outcomes[role] = (kind, value);
        slot.counts[role] = blocks;
        last.args = call.args;
        (last.ip, last.sp, last.entered) = (call.ip, call.sp, call.entered);
        slot.in_flight = moment == Stage::Enter && blocks == call.blocks.len() && call.blocks.size() < MAX_MEMORY;
        slot.entered.clear();
        if slot.in_flight {
            (0..blocks).filter_map(|i| call.blocks.block(i)).for_each(|b| slot.entered.push_block(b));
        }
    }
}

#[derive(Default)]
pub struct CallReader {
    slots: Vec<Slot>,
    tid: Tid,
}

impl CallReader {
    pub fn clear(&mut self) {
        self.slots.clear();
        self.tid = 0;
    }

    /// Says in which container the call of [`CallReader::get`] was made.
    pub fn set_container(&mut self, id: usize, container: Option<Arc<str>>) {
        self.slots[id].call.container = container;
    }

    /// Says by which stack the call of [`CallReader::get`] was made.
    pub fn set_stack(&mut self, id: usize, stack: Option<Arc<Stack>>) {
        self.slots[id].call.stack = stack;
    }

    /// The call of [`CallReader::get`].
    pub fn call(&self, id: usize) -> &Call {
        &self.slots[id].call
    }

    fn slot(&mut self, from: &mut BatchSource) -> Result<usize, Malformed> {
        let id = usize::try_from(from.uint()?).unwrap_or(usize::MAX);
        if id == self.slots.len() && id < MAX_SLOTS {
            let mut slot = Slot::default();
            self.tid = tid(i64::from(self.tid).wrapping_add(from.int()?))?;
            slot.call.tid = self.tid;
            slot.call.abi = abi(from.byte()?)?;
            slot.call.nr = from.uint()?;
            self.slots.push(slot);
        }
        if id < self.slots.len() { Ok(id) } else { Err(Malformed("a call follows one that is not there")) }
    }

    pub fn get(&mut self, from: &mut BatchSource, moment: Stage) -> Result<usize, Malformed> {
        let id = self.slot(from)?;
        let slot = &mut self.slots[id];
        let call = &mut slot.call;
        let role = moment as usize;
        let flags = from.uint()?;
        let has = |bit: u64| flags & bit != 0;
        let continues = has(has::CONTINUES);
        if continues && !slot.in_flight {
            return Err(Malformed("a call continues that was not begun"));
        }
        if continues && moment == Stage::Enter && call.blocks.len() > MAX_EMPTY {
            return Err(Malformed("a call begins again and again"));
        }
        if !continues {
            call.blocks.clear();
        }
        let mut changed = flags & (has::RETURN - 1);
        while changed != 0 {
            let arg = &mut call.args[changed.trailing_zeros() as usize];
            *arg = from.near(*arg)?;
            changed &= changed - 1;
        }
        let (mut kind, mut value) = slot.outcomes[role];
        if has(has::OUTCOME) {
            kind = from.byte()?;
        }
        if has(has::RETURN) {
            value = from.near(value as u64)? as i64;
        }
        call.outcome = outcome_of(kind, value)?;
        if has(has::IP) {
            call.ip = from.near(call.ip)?;
        }
        if has(has::SP) {
            call.sp = from.near(call.sp)?;
        }
        call.resumes = if has(has::RESUMES) { Some(from.uint()?) } else { None };
        call.system_time = if has(has::SYSTEM_TIME) { from.uint()? } else { 0 };
        if has(has::DESCRIPTORS) {
            descriptors::get(from, &mut call.descriptors)?;
        }
        let protocol = if has(has::NETLINK) { Some(FileKind::Netlink(from.small()?)) } else { None };
        call.file_kind = if has(has::FILE_KIND) { Some(kind_of(from.byte()?)?) } else { protocol };
        call.tampering = if has(has::TAMPERING) {
            Tampering::from_bits(from.byte()?).ok_or(Malformed("a call was changed in an unknown way"))?
        } else {
            Tampering::default()
        };
        call.waits = if has(has::WAITS) { Some(Box::new(waits::get(from)?)) } else { None };
        if !continues {
            call.held = if has(has::HELD) { from.uint()? } else { 0 };
            // (0 also in recordings of versions that took 0 for a time.)
            call.entered = Some(from.time()?).filter(|&at| at != 0);
        }
        call.returned = from.time()?;

        let known = call.blocks.len();
        let fresh = if has(has::LAYOUT) {
            from.uint()?
        } else {
            slot.counts[role].checked_sub(known).ok_or(Malformed("memory is gone that was there"))? as u64
        };
        let fresh = usize::try_from(fresh).unwrap_or(usize::MAX);
        if fresh > MAX_BLOCKS {
            return Err(Malformed("a call has too much memory"));
        }
        if has(has::LAYOUT) {
            slot.expected.truncate(known);
        }
        let mut before = call.args[0];
        let mut empty = 0;
        for i in known..known + fresh {
            if has(has::LAYOUT) {
                let head = from.byte()?;
                let op = from.byte()?;
                let anchor = head >> 2;
                let addr = match call.args.get(anchor as usize) {
                    Some(arg) => *arg,
                    None => from.near(before)?,
                };
                let phase = if head & 1 == 0 { Phase::Entry } else { Phase::Exit };
                slot.expected.push(Expected { op, phase, faulted: head & 2 != 0, anchor, addr, len: 0 });
            }
            let expected = slot.expected.get_mut(i).ok_or(Malformed("memory is unknown"))?;
            if has(has::LENGTHS) {
                expected.len = from.uint()?;
            }
            expected.addr = expected.addr(&call.args);
            before = expected.addr;
            let &mut Expected { op, phase, faulted, addr, len, .. } = expected;
            let bytes = from.memory(len)?;
            empty += usize::from(bytes.is_empty() && !has(has::LAYOUT));
            if empty > MAX_EMPTY {
                return Err(Malformed("a call has too much memory that is not there"));
            }
            if call.blocks.size() + bytes.len() > MAX_MEMORY {
                return Err(Malformed("a call has too much memory"));
            }
            call.blocks.push_block(BlockRef { op, phase, addr, faulted, bytes });
        }
        slot.outcomes[role] = (kind, value);
        slot.counts[role] = known + fresh;
        slot.in_flight = moment == Stage::Enter;
        Ok(id)
    }
}
