//! A whole call: its arguments and its return value.

use crate::{Cx, Dump, Labelled, Options, PidInfo, PidNote, Resolver, Text, Value, dump, generic, irregular};
use bumpalo::Bump;
use bumpalo::collections::Vec;
use stride_event::{Call, Outcome, Tid};
use stride_syscalls::{Abi, PathStart, Ret, Syscall, Ty, table, uapi::consts as c};

/// The part of a call to decode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The arguments that can be shown before it returns.
    Entry,
    /// The arguments that [`Part::Entry`] left, and the return value.
    Rest,
    /// All arguments, and the return value.
    Whole,
}

/// A decoded call.
#[derive(Debug)]
pub struct Decoded<'a> {
    /// The call.
    pub call: &'a Call,
    /// The row that describes the call. `None`: its number is in no table.
    pub row: Option<&'static Syscall>,
    /// The arguments of this part.
    pub args: &'a [NamedArg<'a>],
    /// The number of the call's arguments that come before these.
    pub skipped: usize,
    /// The thread is gone before the arguments that are known at return could be shown.
    pub unfinished: bool,
    /// `None` for [`Part::Entry`].
    pub ret: Option<Return<'a>>,
    /// The data that the call moved, if that was asked for.
    pub dump: &'a [Dump<'a>],
}

/// An argument with its value.
#[derive(Clone, Copy, Debug)]
pub struct NamedArg<'a> {
    /// The name that the man page has.
    pub name: &'static str,
    /// The value.
    pub value: Value<'a>,
    /// The argument's name is shown with any options.
    pub named: bool,
}

/// The return value.
#[derive(Clone, Copy, Debug)]
pub struct Return<'a> {
    /// The outcome of the call.
    pub outcome: Outcome,
    /// A successful value, decoded.
    pub value: Value<'a>,
    /// The note in parentheses behind the value: `(in [3])`, `(Timeout)`, `(flags FD_CLOEXEC)`.
    pub note: Option<Value<'a>>,
}

/// Decodes calls one at a time. Its memory is reused.
#[derive(Default)]
pub struct Decoder {
    arena: Bump,
}

impl Decoder {
    /// Decodes a part of a call. The values live until the next call is decoded. Memory that was not captured is shown
    /// as its address.
    pub fn decode<'a>(
        &'a mut self,
        call: &'a Call,
        part: Part,
        options: &'a Options,
        resolver: &'a dyn Resolver,
    ) -> Decoded<'a> {
        self.forget();
        let arena = &self.arena;
        let Some(row) = table(call.abi).shown(call.nr) else {
            return unknown(call, part, arena);
        };
        if options.raw.contains(call.abi, call.nr) {
            return raw(call, row, part, arena);
        }
        let row = row.form(&call.args, call.abi);
        let cx = Cx {
            call,
            row,
            options,
            resolver,
            arena,
            abbrev: options.abbrev.contains(call.abi, call.nr),
            verbose: options.verbose.contains(call.abi, call.nr),
        };
        let split = || row.shown_at_entry(&call.args, call.abi);
        let end = if matches!(call.outcome, Outcome::Gone | Outcome::Pending) { split() } else { row.args.len() };
        let range = match part {
            Part::Entry => 0..split(),
            Part::Rest => split()..end,
            Part::Whole => 0..end,
        };
        let mut args = Vec::with_capacity_in(range.len(), arena);
        for i in range.clone() {
            let arg = &row.args[i];
            if row.has(arg, &call.args, call.abi) {
                let value = generic::arg(&cx, &arg.ty, row.held(i, &call.args, call.abi));
                let value = if options.contexts { with_context(&cx, i, value) } else { value };
                match value {
                    // Arguments that lie in memory are shown as if they came in registers.
                    Value::Struct(members, _) if matches!(arg.ty, Ty::Spread(_)) => {
                        args.extend(members.iter().map(|m| NamedArg {
                            name: m.name,
                            value: m.value,
                            named: arg.named,
                        }));
                    }
                    Value::Absent => {}
                    value => args.push(NamedArg { name: arg.name, value, named: arg.named }),
                }
            }
        }
        Decoded {
            call,
            row: Some(row),
            args: args.into_bump_slice(),
            skipped: range.start,
            unfinished: part != Part::Entry && end < row.args.len(),
            ret: (part != Part::Entry).then(|| ret(&cx)),
            dump: if part == Part::Entry { &[] } else { dump::of(&cx) },
        }
    }
}

/// The path of an existing file with its context.
fn with_context<'a>(cx: &Cx<'a>, i: usize, value: Value<'a>) -> Value<'a> {
    let (Ty::Path, Value::Text(Text { bytes, cut: false, .. })) = (&cx.row.args[i].ty, value) else { return value };
    let Some(at) = cx.row.paths().find(|path| path.position == i) else { return value };
    let dir = match at.start {
        PathStart::WorkingDirectory => c::AT_FDCWD as i32,
        PathStart::Directory(dir) => cx.row.held(dir, &cx.call.args, cx.abi()) as i32,
        PathStart::Queues => return value,
    };
    cx.labelled(value, Labelled::Path { dir, path: bytes })
}

/// The memory that is kept for the next call.
const KEPT: usize = 1 << 20;

impl Decoder {
    /// Drops the values of the call before.
    fn forget(&mut self) {
        if self.arena.allocated_bytes() > KEPT {
            self.arena = Bump::new();
        } else {
            self.arena.reset();
        }
    }
}

/// `-e raw`: the bare registers.
fn raw<'a>(call: &'a Call, row: &'static Syscall, part: Part, arena: &'a Bump) -> Decoded<'a> {
    let mut args = Vec::with_capacity_in(6, arena);
    for register in 0..row.registers(call.abi) {
        let holder = (0..row.args.len()).rev().find(|&i| row.register(i, call.abi) <= register);
        let name = holder.map_or("", |i| row.args[i].name);
        args.push(NamedArg { name, value: Value::Hex(call.args[register]), named: false });
    }
    let value = match call.outcome {
        Outcome::Value(v) => Value::Hex(v as u64),
        _ => Value::Int(-1),
    };
    let args = args.into_bump_slice();
    Decoded {
        call,
        row: Some(row),
        args: if part == Part::Rest { &[] } else { args },
        skipped: if part == Part::Rest { args.len() } else { 0 },
        unfinished: false,
        ret: (part != Part::Entry).then_some(Return { outcome: call.outcome, value, note: None }),
        dump: &[],
    }
}

fn ret<'a>(cx: &Cx<'a>) -> Return<'a> {
    let outcome = cx.call.outcome;
    let Outcome::Value(v) = outcome else {
        return Return { outcome, value: Value::Int(-1), note: irregular::note(cx) };
    };
    let value = match cx.row.returns(&cx.call.args, cx.abi()) {
        Ret::Int | Ret::Never => Value::Int(v),
        Ret::NarrowInt => match errno(v) {
            None => Value::Int(v),
            Some((_, text)) => {
                return Return { outcome, value: Value::NarrowError(v), note: Some(Value::Word(text)) };
            }
        },
        Ret::Size => Value::UInt(cx.abi().cut(v as u64)),
        Ret::Hex => Value::Hex(v as u64),
        Ret::Addr => Value::Hex(v as u64),
        Ret::Octal => Value::Octal(v as u64),
        // Only `--inject` makes up a descriptor that is none.
        Ret::Fd => i32::try_from(v).map_or(Value::Int(v), |fd| generic::new_fd(cx, fd)),
        Ret::Pid(kind) => generic::held(cx, &stride_syscalls::Ty::Pid(kind), v as u32 as u64, crate::Siblings::Args),
        Ret::Uid => Value::UInt(cx.abi().cut(v as u64)),
        Ret::Flags(set) => {
            let (raw, set) = (cx.abi().cut(v as u64), set.of(cx.abi()));
            let note = set.describes(raw).then(|| Value::Gloss(cx.keep(Value::Flags { raw, set })));
            return Return { outcome, value: Value::Hex(raw), note };
        }
        Ret::Enum(set) => {
            let (raw, set) = (cx.abi().cut(v as u64), set.of(cx.abi()));
            let note = set.name_of(raw).map(|_| Value::Enum { raw, set });
            return Return { outcome, value: Value::UInt(raw), note };
        }
        // A choice was resolved above, and a choice cannot contain another.
        Ret::Select(_) => Value::Int(v),
    };
    Return { outcome, value, note: irregular::note(cx) }
}

/// The name and text of the error in a negative `int` that was not sign-extended to 64 bits.
fn errno(v: i64) -> Option<(&'static str, &'static str)> {
    let error = (v as u32 as i32).wrapping_neg();
    if v <= i64::from(i32::MAX) || !(1..4096).contains(&error) {
        return None;
    }
    stride_event::errno(error as u32)
}

/// A call that is in no table: six registers.
fn unknown<'a>(call: &'a Call, part: Part, arena: &'a Bump) -> Decoded<'a> {
    const NAMES: [&str; 6] = ["arg1", "arg2", "arg3", "arg4", "arg5", "arg6"];
    let all: &[NamedArg] = arena.alloc_slice_fill_iter(NAMES.iter().zip(call.args).map(|(&name, v)| NamedArg {
        name,
        value: Value::Hex(v),
        named: false,
    }));
    let value = match call.outcome {
        Outcome::Value(v) => Value::Hex(v as u64),
        _ => Value::Int(-1),
    };
    Decoded {
        call,
        row: None,
        args: if part == Part::Rest { &[] } else { all },
        skipped: if part == Part::Rest { all.len() } else { 0 },
        unfinished: false,
        ret: (part != Part::Entry).then_some(Return { outcome: call.outcome, value, note: None }),
        dump: &[],
    }
}

impl Decoder {
    /// A signal's `siginfo_t` in the kernel's layout.
    pub fn siginfo<'a>(
        &'a mut self,
        tid: Tid,
        info: &'a [u8],
        options: &'a Options,
        resolver: &'a dyn Resolver,
    ) -> Value<'a> {
        self.forget();
        let arena = &self.arena;
        let pid_note = |id, kind| {
            let info = if options.pids { resolver.pid(tid, id, kind) } else { PidInfo::default() };
            PidNote { comm: info.comm.map(|comm| &*arena.alloc_slice_copy(&comm)), outer: info.outer }
        };
        let fd = |fd| generic::fd_seen_from(arena, options, resolver, tid, fd);
        irregular::siginfo::decode(arena, info, Abi::NATIVE, &pid_note, &fd)
    }
}
