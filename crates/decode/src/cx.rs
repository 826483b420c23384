//! The context of a decoder.

use crate::{Labelled, Member, Operator, Options, PidNote, Prefix, Resolver, Tail, Value};
use bumpalo::Bump;
use stride_event::{Call, Memory, Outcome, Phase};
use stride_syscalls::{Abi, Dir, Len, PidKind, Struct, Syscall, units};

/// The call that is being decoded.
#[derive(Clone, Copy)]
pub struct Cx<'a> {
    /// The call with its captured memory.
    pub call: &'a Call,
    /// The row that describes the arguments.
    pub row: &'static Syscall,
    /// How deeply the call is decoded.
    pub options: &'a Options,
    /// The source of facts from outside the call.
    pub resolver: &'a dyn Resolver,
    /// The home of the values.
    pub arena: &'a Bump,
    /// True if structs are abbreviated.
    pub abbrev: bool,
    /// True if structs are followed.
    pub verbose: bool,
}

/// The memory that the values of one call may take. Calls of programs that mean no harm take a few thousandth of that.
const MOST_MEMORY: usize = 16 << 20;

/// The place of the siblings of a value.
#[derive(Clone, Copy)]
pub enum Siblings {
    /// The arguments of the call.
    Args,
    /// The members of a struct at this address.
    Struct(&'static Struct, u64, Phase),
}

impl<'a> Cx<'a> {
    /// The ABI of the call.
    pub fn abi(&self) -> Abi {
        self.call.abi
    }

    /// An argument's whole register, by name.
    pub fn arg(&self, name: &str) -> u64 {
        self.row.value(name, &self.call.args, self.abi())
    }

    /// The argument, cut to the width of its type.
    fn arg_cut(&self, name: &str) -> u64 {
        let i = self.row.index(name);
        let width = self.row.args[i].ty.size(self.abi()).clamp(1, 8);
        cut(self.row.held(i, &self.call.args, self.abi()), width)
    }

    /// False if the call has so many values that lists are not continued. Vectors may overlap, so what was captured
    /// says little about how many there are.
    pub fn has_room(&self) -> bool {
        self.arena.allocated_bytes() < MOST_MEMORY
    }

    /// True if the call failed, or has not returned.
    pub fn failed(&self) -> bool {
        !matches!(self.call.outcome, Outcome::Value(_))
    }

    /// True if memory of this direction holds data that may be shown.
    pub fn filled(&self, dir: Dir) -> bool {
        dir.is_in() || dir.at_exit(!self.failed())
    }

    /// The result of a call that succeeded.
    pub fn ret(&self) -> Option<i64> {
        match self.call.outcome {
            Outcome::Value(v) => Some(v),
            _ => None,
        }
    }

    /// Exactly `len` captured bytes.
    pub fn read(&self, phase: Phase, addr: u64, len: usize) -> Option<&'a [u8]> {
        self.call.blocks.read(phase, addr, len)
    }

    /// The captured bytes, at most `len`.
    pub fn prefix(&self, phase: Phase, addr: u64, len: usize) -> &'a [u8] {
        self.call.blocks.prefix(phase, addr, len)
    }

    /// A little-endian number of at most 8 bytes.
    pub fn uint(&self, phase: Phase, addr: u64, width: usize) -> Option<u64> {
        self.read(phase, addr, width).map(|b| le(b, 0, width))
    }

    /// A pointer or `long` of the call's ABI.
    pub fn word(&self, phase: Phase, addr: u64) -> Option<u64> {
        self.uint(phase, addr, self.abi().word())
    }

    /// The number that a member of the struct at `base` holds, zero-extended. `None` if the struct has no such member,
    /// or its memory was not captured.
    pub fn number(&self, s: &Struct, name: &str, phase: Phase, base: u64) -> Option<u64> {
        crate::generic::scalar(self, s.field(name)?, phase, base)
    }

    /// A length, or `None` if it is unknown.
    pub fn len(&self, len: Len, phase: Phase, siblings: Siblings) -> Option<u64> {
        match len {
            Len::Fixed(n) => Some(n as u64),
            Len::UntilZero => Some(u64::MAX),
            Len::Ret => self.ret().map(|v| v.max(0) as u64),
            Len::Of(name) => match siblings {
                Siblings::Args => Some(self.arg_cut(name)),
                Siblings::Struct(s, base, phase) => self.number(s, name, phase, base),
            },
            Len::Units { of, less, unit } => {
                self.len(Len::Of(of), phase, siblings).map(|n| units(n, less, unit.shift(self.abi())))
            }
            Len::Deref(name) => {
                let ptr = self.arg(name);
                let at = |phase| self.uint(phase, ptr, 4);
                match (phase, at(Phase::Entry), at(Phase::Exit)) {
                    (Phase::Exit, Some(room), Some(len)) => Some(room.min(len)),
                    (_, Some(n), _) | (_, None, Some(n)) => Some(n),
                    (_, None, None) => None,
                }
            }
        }
    }

    /// The note of `--decode-pids` for a process or thread id.
    pub fn pid_note(&self, id: i32, kind: PidKind) -> PidNote<'a> {
        if !self.options.pids {
            return PidNote::default();
        }
        let info = self.resolver.pid(self.call.tid, id, kind);
        PidNote { comm: info.comm.map(|comm| self.bytes(&comm)), outer: info.outer }
    }

    /// A file's value, with its SELinux context under `--secontext`.
    pub fn labelled(&self, value: Value<'a>, of: Labelled<'_>) -> Value<'a> {
        let context = if self.options.contexts { self.resolver.context(self.call.tid, of) } else { None };
        match context {
            Some(context) => Value::Labelled(self.keep(value), self.bytes(&context)),
            None => value,
        }
    }

    /// Puts a value into the arena.
    pub fn keep(&self, value: Value<'a>) -> &'a Value<'a> {
        self.arena.alloc(value)
    }

    /// Puts bytes into the arena.
    pub fn bytes(&self, bytes: &[u8]) -> &'a [u8] {
        self.arena.alloc_slice_copy(bytes)
    }

    /// Puts values into the arena.
    pub fn values(&self, values: &[Value<'a>]) -> &'a [Value<'a>] {
        self.arena.alloc_slice_copy(values)
    }

    /// A struct of these members.
    pub fn members(&self, members: &[(&'static str, Value<'a>)]) -> Value<'a> {
        let members = self.arena.alloc_slice_fill_iter(members.iter().map(|&(name, value)| Member { name, value }));
        Value::Struct(members, Tail::End)
    }

    /// A value followed by a comment.
    pub fn comment(&self, value: Value<'a>, comment: Value<'a>) -> Value<'a> {
        Value::Comment(self.keep(value), self.keep(comment))
    }

    /// A time followed by its date, if it has one: seconds, and a fraction with this many digits.
    pub fn dated(&self, value: Value<'a>, sec: i64, part: u64, digits: u8) -> Value<'a> {
        // The C library's limits, which are years of 31 bits.
        const CALENDAR: std::ops::RangeInclusive<i64> = -67_768_040_609_740_800..=67_768_036_191_676_799;
        if sec == 0 && part == 0 || part >= 10u64.pow(u32::from(digits)) || !CALENDAR.contains(&sec) {
            return value;
        }
        self.comment(value, Value::Time { sec, part: part as u32, digits })
    }

    /// A number with its meaning.
    pub fn known(&self, number: Value<'a>, meaning: Value<'a>) -> Value<'a> {
        Value::Known(self.keep(number), self.keep(meaning))
    }

    /// A number with the C macro call that makes it.
    pub fn macro_call(&self, number: Value<'a>, name: &'static str, args: &[Value<'a>]) -> Value<'a> {
        Value::Macro { number: self.keep(number), name, args: self.values(args) }
    }

    /// A number with a remark, which is left out if only numbers are wanted.
    pub fn remarked(&self, number: Value<'a>, remark: Value<'a>) -> Value<'a> {
        Value::Remarked(self.keep(number), self.keep(remark))
    }

    /// The call of a C macro.
    pub fn call(&self, name: &'static str, args: &[Value<'a>]) -> Value<'a> {
        Value::Call { name, args: self.values(args) }
    }

    /// Two values and what connects them.
    pub fn binary(&self, left: Value<'a>, operator: Operator, right: Value<'a>) -> Value<'a> {
        Value::Binary(self.keep(left), operator, self.keep(right))
    }

    /// A value with something before it.
    pub fn unary(&self, prefix: Prefix, value: Value<'a>) -> Value<'a> {
        Value::Unary(prefix, self.keep(value))
    }

    /// A value shifted to its place in a word.
    pub fn shifted(&self, value: Value<'a>, by: u64) -> Value<'a> {
        self.binary(value, Operator::ShiftLeft, Value::UInt(by))
    }

    /// An element of an array, with its index.
    pub fn indexed(&self, index: Value<'a>, value: Value<'a>) -> Value<'a> {
        Value::Indexed(self.keep(index), self.keep(value))
    }

    /// An amount and its unit.
    pub fn quantity(&self, amount: Value<'a>, unit: &'static str) -> Value<'a> {
        Value::Quantity(self.keep(amount), unit)
    }

    /// A number of seconds, given in units of a power of ten.
    pub fn seconds(&self, raw: impl Into<i128>, digits: u8) -> Value<'a> {
        self.quantity(Value::Decimal { raw: raw.into(), digits }, "s")
    }

    /// The constant that stands for the call of this name.
    pub fn call_name(&self, name: &str) -> Value<'a> {
        Value::Word(self.arena.alloc_str(&["__NR_", name].concat()))
    }

    /// The bytes of a struct behind its known members.
    pub fn extra(&self, from: u64, to: u64, bytes: Value<'a>) -> Member<'a> {
        Member { name: "", value: Value::Extra { from, to, bytes: self.keep(bytes) } }
    }

    /// A struct in captured memory, decoded by its description.
    pub fn strukt(&self, s: &'static Struct, phase: Phase, addr: u64) -> Option<Value<'a>> {
        crate::generic::strukt(self, s, phase, addr)
    }
}

/// The low `width` bytes.
pub fn cut(raw: u64, width: usize) -> u64 {
    if width >= 8 { raw } else { raw & ((1 << (8 * width)) - 1) }
}

/// A little-endian unsigned value. Missing bytes are zeros.
#[inline]
pub fn le(bytes: &[u8], at: usize, width: usize) -> u64 {
    // Most values have the size of a register or half of it, and are copied at once.
    let rest = bytes.get(at..).unwrap_or_default();
    match (width, rest.first_chunk(), rest.first_chunk()) {
        (4, Some(&four), _) => u32::from_le_bytes(four).into(),
        (8.., _, Some(&eight)) => u64::from_le_bytes(eight),
        _ => rest.iter().take(width.min(8)).rev().fold(0, |v, &byte| v << 8 | u64::from(byte)),
    }
}

/// Sign-extends a value of `width` bytes.
pub fn signed(raw: u64, width: usize) -> i64 {
    let shift = 64 - 8 * width.clamp(1, 8) as u32;
    ((raw << shift) as i64) >> shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_each_width() {
        let bytes = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99];
        let whole = 0x8877_6655_4433_2211;
        for width in 0..=8 {
            assert_eq!(le(&bytes, 0, width), cut(whole, width), "{width}");
            assert_eq!(le(&bytes[..width], 0, width), cut(whole, width), "{width}");
        }
        // Missing bytes are zeros.
        assert_eq!((le(&bytes, 7, 4), le(&bytes, 7, 8), le(&bytes, 20, 4)), (0x9988, 0x9988, 0));
        assert_eq!(le(&bytes, 0, 9), whole);
    }
}
