//! The capture plan: the memory to copy for a call. It is made from the call's row.
//!
//! A plan is a list of [`Op`]s. Each copies the memory behind pointers in the elements of its *parent*. The parent of
//! the outermost ops is the call's own six argument words ([`ROOT`]). The parent of an iovec's buffer is the op that
//! copied the iovec array. Parents come before children. So one pass over the list, which looks only at what earlier
//! ops copied, captures any nesting. An interpreter needs to know no more than that, in user space (`stride-event`)
//! or in the kernel.

use crate::ioctl::told::{Pointee, Pointing, pointing};
use crate::ioctl::twins;
use crate::{Abi, Dir, Irregular, Len, Select, SelectKey, Struct, Syscall, Ty};
use std::collections::{BTreeMap, BTreeSet};

/// The parent of ops whose pointer is an argument.
pub const ROOT: u8 = 0xff;

/// The op of a block that no plan asks for: the struct of a virtual CPU (`struct kvm_run`), which the engine finds.
pub const VCPU: u8 = 0xfe;

/// Likewise, an empty block whose address is the CPU's id.
pub const VCPU_ID: u8 = 0xfd;

/// The position of the stack pointer, behind the six argument words of [`ROOT`].
pub const STACK: u16 = 8 * 6;

/// One copy of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// The op in whose copy the pointer lies, or [`ROOT`] for the registers.
    pub parent: u8,
    /// The place of the pointer: the byte offset within the parent's element; for [`ROOT`], 8 × the argument's position.
    pub at: u16,
    /// The kind of the elements that are copied.
    pub kind: OpKind,
    /// Bytes of one element.
    pub elem: u16,
    /// The number of elements, or where it stands.
    pub count: Count,
    /// The limit of what is copied.
    pub cap: Cap,
    /// The phases in which the memory is valid.
    pub dir: Dir,
}

/// The kinds of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// `elem` × `count` bytes.
    Bytes,
    /// Bytes up to and with the first NUL.
    Str,
    /// Pointer-sized words up to and with the first zero.
    Words,
    /// No memory: the kind of the file that a descriptor refers to, which lies at `at`.
    FileKind,
}

/// The number of elements that an op copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// This many.
    Fixed(u32),
    /// An unsigned value of `width` bytes at this offset of the parent's element (for [`ROOT`]: 8 × position).
    /// Of an argument only the low `width` bytes count.
    At {
        /// The offset of the number in the parent, in bytes.
        at: u16,
        /// The size of the number in bytes.
        width: u8,
    },
    /// As `At`, minus `less`, in units of `1 << shift`, rounded up.
    Units {
        /// The offset of the number in the parent, in bytes.
        at: u16,
        /// The size of the number in bytes.
        width: u8,
        /// The bytes by which the copy is shorter.
        less: i8,
        /// The number is divided by this power of two, and rounded up.
        shift: u8,
    },
    /// The 4-byte number behind the pointer at this offset of [`ROOT`].
    Deref {
        /// The offset of the pointer to the number, in bytes.
        at: u16,
    },
    /// The call's return value.
    Ret,
    /// Until the terminator.
    Open,
}

/// The most elements that are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cap {
    /// `-s`, and one more to see whether something was cut.
    Text,
    /// As `Text`, but netlink messages whole: if the first word could be the length of one ([`is_message`]).
    Message,
    /// `PATH_MAX`.
    Path,
    /// Array elements, as many as are shown.
    Elements,
    /// This many bytes.
    Max(u32),
}

/// True if the first word of a buffer could be the length of a netlink message: at least the header's size, and no
/// more than any program sends. Text protocols do not begin with such bytes, except libudev's messages.
pub const fn is_message(first: u32) -> bool {
    first >= 16 && first <= 1 << 20 || first == u32::from_le_bytes(*b"libu")
}

/// Bytes of a buffer that are always read, to find out whether it holds messages. libudev's header is the longest.
pub const MESSAGE_HEADER: u32 = 48;

/// The most buffers that one transfer may have: linux/uio.h, UIO_MAXIOV.
pub const IOV_MAX: usize = 1024;

/// The most bytes of netlink messages.
pub const MAX_MESSAGE: usize = 64 << 10;

/// The most bytes that one op copies. It bounds structs of absurd lengths.
pub const MAX_BYTES: usize = 256 << 10;

/// The most that is copied of a struct that grows.
pub const MAX_GROWN: u32 = 4096;

/// A call's plan. If an argument's type depends on another argument, the ops of the chosen case follow the call's
/// own.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The ops that are run for every call of the row.
    pub ops: Vec<Op>,
    /// Ops that depend on an argument.
    pub choices: Vec<Choice>,
}

/// Ops that depend on an argument.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The argument that decides.
    pub key: SelectKey,
    /// The number of a case's first op. Numbers run through the call's own list and then through its choices, so that
    /// a number means one op whatever was chosen.
    pub base: u8,
    /// The ops to run after the call's own ones for this key.
    pub cases: Vec<(u64, Vec<Op>)>,
    /// The ops to run for any other value.
    pub default: Vec<Op>,
}

impl Choice {
    /// Adds the numbers of requests that differ on i386, for an engine that looks at the argument as it is.
    fn know_requests_of(&mut self, abi: Abi) {
        if abi != Abi::I386 || !self.key.request {
            return;
        }
        let mut all: BTreeMap<u64, Vec<Op>> = std::mem::take(&mut self.cases).into_iter().collect();
        let own: Vec<_> = twins::of_i386().filter_map(|(own, usual)| Some((own, all.get(&usual)?.clone()))).collect();
        all.extend(own);
        self.cases = all.into_iter().collect();
    }

    /// Adds requests of ioctl(2) that have no row, but pointers that the kernel's headers tell.
    fn tell_pointers(&mut self, at: u16, abi: Abi) {
        let known: BTreeSet<u64> = self.cases.iter().map(|case| case.0).collect();
        let told = pointing(abi).into_iter().filter(|(number, _)| !known.contains(number));
        let base = self.base;
        self.cases.extend(told.map(|(number, request)| (number, followed(&request, at, base, abi))));
    }

    /// The ops that these arguments choose.
    pub fn chosen(&self, row: &Syscall, args: &[u64; 6], abi: Abi) -> &[Op] {
        let key = row.key(&self.key, args, abi);
        self.cases.iter().find(|(value, _)| *value == key).map_or(&self.default, |(_, ops)| ops)
    }

    /// One more than the number of the longest case's last op.
    fn end(&self) -> usize {
        self.base as usize + self.cases.iter().map(|c| c.1.len()).chain([self.default.len()]).max().unwrap_or(0)
    }
}

impl Op {
    /// Copies nothing.
    const NONE: Op = Op {
        parent: ROOT,
        at: 0,
        kind: OpKind::Bytes,
        elem: 0,
        count: Count::Fixed(0),
        cap: Cap::Max(0),
        dir: Dir::In,
    };
}

impl Plan {
    /// The plan of a row for an ABI.
    pub fn of(row: &Syscall, abi: Abi) -> Plan {
        let Some(forms) = &row.forms else { return Plan::of_form(row, abi) };
        // All forms have no op in common, so each has a plan of its own.
        let whole = |row: &Syscall| {
            debug_assert!(row.args.iter().all(|a| !matches!(a.ty, Ty::Select(_))));
            Plan::of_form(row, abi).ops
        };
        let cases = forms.cases.iter().flat_map(|f| f.values.iter().map(|&v| (v, whole(&f.row)))).collect();
        Plan { ops: Vec::new(), choices: vec![Choice { key: forms.on, base: 0, cases, default: whole(row) }] }
    }

    fn of_form(row: &Syscall, abi: Abi) -> Plan {
        let mut plan = Plan::default();
        // A length in memory must be copied before the memory that it measures.
        let (later, first): (Vec<_>, Vec<_>) =
            row.args.iter().enumerate().partition(|(_, arg)| measured_in_memory(&arg.ty));
        for (i, arg) in first.into_iter().chain(later) {
            if let Ty::Select(_) = arg.ty {
                continue;
            }
            let place = Place { row, abi, parent: ROOT, at: 8 * row.register(i, abi) as u16, within: None };
            lower(&mut plan.ops, &arg.ty, place);
        }
        for (i, arg) in row.args.iter().enumerate() {
            let Ty::Select(select) = arg.ty else { continue };
            let place = Place { row, abi, parent: ROOT, at: 8 * row.register(i, abi) as u16, within: None };
            plan.choose(select, place);
        }
        plan.choices.iter_mut().for_each(|choice| choice.know_requests_of(abi));
        for (i, arg) in row.args.iter().enumerate() {
            let Ty::Select(Select { on, default: Ty::Custom(Irregular::IoctlUnknown, _), .. }) = arg.ty else {
                continue;
            };
            let at = 8 * row.register(i, abi) as u16;
            plan.choices.iter_mut().filter(|choice| choice.key == *on).for_each(|choice| choice.tell_pointers(at, abi));
        }
        plan
    }

    /// Adds the ops of an argument whose type depends on another. Arguments that depend on the same key share a choice.
    fn choose(&mut self, select: &Select, place: Place) {
        let at = self.choices.iter().position(|c| c.key == select.on).unwrap_or_else(|| {
            let base = self.choices.iter().map(Choice::end).max().unwrap_or(self.ops.len());
            self.choices.push(Choice { key: select.on, base: base as u8, cases: Vec::new(), default: Vec::new() });
            self.choices.len() - 1
        });
        let choice = &mut self.choices[at];
        let base = choice.base as usize;
        let extend = |ops: &[Op], ty: &Ty| {
            let mut all = vec![Op::NONE; base];
            all.extend_from_slice(ops);
            lower(&mut all, ty, place);
            all.split_off(base)
        };
        for &crate::Case(value, _) in select.cases {
            if !choice.cases.iter().any(|(v, _)| *v == value) {
                choice.cases.push((value, choice.default.clone()));
            }
        }
        for (value, ops) in &mut choice.cases {
            let ty = select.cases.iter().find(|c| c.0 == *value).map_or(&select.default, |c| &c.1);
            *ops = extend(ops, ty);
        }
        choice.default = extend(&choice.default, &select.default);
    }

    /// The op with a number, for a call with these arguments of the row's ABI.
    pub fn op<'p>(&'p self, number: u8, row: &Syscall, args: &[u64; 6], abi: Abi) -> Option<&'p Op> {
        let number = usize::from(number);
        // (The numbers of choices run on behind each other, and those of all forms begin at 0.)
        let chosen = |choice: &'p Choice| choice.chosen(row, args, abi).get(number.checked_sub(choice.base.into())?);
        self.ops.get(number).or_else(|| self.choices.iter().rev().find_map(chosen))
    }

    /// All ops, whatever the arguments choose.
    pub fn all(&self) -> impl Iterator<Item = &Op> {
        self.ops.iter().chain(self.choices.iter().flat_map(|c| c.cases.iter().flat_map(|c| &c.1).chain(&c.default)))
    }

    /// True if the call takes data from its descriptor, and true if it gives data to it (`-e read=`, `-e write=`).
    pub fn transfers(&self, row: &Syscall) -> (bool, bool) {
        let fd = row.args.first().is_some_and(|a| matches!(a.ty, Ty::Fd));
        let moves = |dir| fd && self.all().any(|op| matches!(op.cap, Cap::Text | Cap::Message) && op.dir == dir);
        (moves(Dir::Out), moves(Dir::In))
    }

    /// True if the plan reads no memory.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
            && self.choices.iter().all(|c| c.default.is_empty() && c.cases.iter().all(|c| c.1.is_empty()))
    }
}

/// The ops for a struct and what its pointers lead to. Requests that say that the kernel reads the struct may have it write behind pointers.
fn followed(request: &Pointing, at: u16, base: u8, abi: Abi) -> Vec<Op> {
    let dir = if request.dir == 1 { Dir::InLost } else { Dir::InOut };
    let head =
        Op { parent: ROOT, at, kind: OpKind::Bytes, elem: request.size, count: Count::Fixed(1), cap: Cap::Max(1), dir };
    let behind = request.pointers.iter().map(|(pointer, to, count)| Op {
        parent: base,
        at: pointer.offset,
        kind: OpKind::Bytes,
        elem: to.size(abi) as u16,
        count: Count::At { at: count.offset, width: count.size as u8 },
        cap: if matches!(to, Pointee::Bytes) { Cap::Text } else { Cap::Elements },
        dir: Dir::InOut,
    });
    std::iter::once(head).chain(behind).collect()
}

/// True if the length of an argument's memory stands behind another argument.
fn measured_in_memory(ty: &Ty) -> bool {
    match ty {
        Ty::Bytes(_, len)
        | Ty::Buffer(_, len, _)
        | Ty::Array(_, _, len)
        | Ty::Extensible(_, _, len, _)
        | Ty::Iovec(_, len)
        | Ty::Sockaddr(_, len)
        | Ty::SigSet(_, len) => matches!(len, Len::Deref(_)),
        Ty::Custom(_, shape) => measured_in_memory(shape),
        _ => false,
    }
}

#[derive(Clone, Copy)]
struct Place<'a> {
    row: &'a Syscall,
    abi: Abi,
    parent: u8,
    at: u16,
    /// The struct whose member this is, and where it starts within the parent's element.
    within: Option<(&'static Struct, u16)>,
}

impl Place<'_> {
    fn count(&self, len: Len) -> Count {
        match len {
            Len::Fixed(n) => Count::Fixed(n as u32),
            Len::Ret => Count::Ret,
            Len::UntilZero => Count::Open,
            Len::Units { of, less, unit } => match self.count(Len::Of(of)) {
                Count::At { at, width } => Count::Units { at, width, less, shift: unit.shift(self.abi) },
                other => other,
            },
            Len::Deref(name) => Count::Deref { at: 8 * self.row.register(self.row.index(name), self.abi) as u16 },
            Len::Of(name) => match self.within {
                None => {
                    let i = self.row.index(name);
                    Count::At {
                        at: 8 * self.row.register(i, self.abi) as u16,
                        width: self.row.args[i].ty.size(self.abi).clamp(1, 8) as u8,
                    }
                }
                Some((s, start)) => {
                    let f = s.field(name).expect("checked when the row was built").place(self.abi);
                    Count::At { at: start + f.offset, width: f.size as u8 }
                }
            },
        }
    }
}

fn lower(ops: &mut Vec<Op>, ty: &Ty, p: Place) {
    let word = p.abi.word() as u16;
    let mut push = |kind, elem, count, cap, dir| {
        ops.push(Op { parent: p.parent, at: p.at, kind, elem, count, cap, dir });
        (ops.len() - 1) as u8
    };
    match *ty {
        Ty::Path => {
            push(OpKind::Str, 1, Count::Open, Cap::Path, Dir::In);
        }
        Ty::Str => {
            push(OpKind::Str, 1, Count::Open, Cap::Text, Dir::In);
        }
        Ty::Bytes(dir, len) => {
            push(OpKind::Bytes, 1, p.count(len), Cap::Text, dir);
        }
        Ty::Buffer(dir, len, max) => {
            push(OpKind::Bytes, 1, p.count(len), Cap::Max(max), dir);
        }
        Ty::Sockaddr(dir, len) => {
            push(OpKind::Bytes, 1, p.count(len), Cap::Max(128), dir);
        }
        Ty::SigSet(dir, len) => {
            push(OpKind::Bytes, 1, p.count(len), Cap::Max(128), dir);
        }
        Ty::Ptr(dir, inner) => {
            let me = push(OpKind::Bytes, inner.size(p.abi) as u16, Count::Fixed(1), Cap::Max(1), dir);
            lower(ops, inner, Place { parent: me, at: 0, within: None, ..p });
        }
        Ty::Stack(inner) => {
            ops.push(Op {
                parent: ROOT,
                at: STACK,
                kind: OpKind::Bytes,
                elem: inner.size(p.abi) as u16,
                count: Count::Fixed(1),
                cap: Cap::Max(1),
                dir: Dir::In,
            });
        }
        Ty::Spread(s) => {
            let me = push(OpKind::Bytes, s.size(p.abi) as u16, Count::Fixed(1), Cap::Max(1), Dir::In);
            lower(ops, &Ty::Struct(s), Place { parent: me, at: 0, within: None, ..p });
        }
        Ty::Table(dir, inner, len, max) => {
            let me = push(OpKind::Bytes, inner.size(p.abi) as u16, p.count(len), Cap::Max(max), dir);
            lower(ops, inner, Place { parent: me, at: 0, within: None, ..p });
        }
        Ty::Array(dir, inner, Len::UntilZero) => {
            // Captured whole, so that what is left out can be counted.
            let me = push(OpKind::Words, word, Count::Open, Cap::Max(MAX_BYTES as u32 / 8), dir);
            lower(ops, inner, Place { parent: me, at: 0, within: None, ..p });
        }
        Ty::Array(dir, inner, len) => {
            let me = push(OpKind::Bytes, inner.size(p.abi) as u16, p.count(len), Cap::Elements, dir);
            lower(ops, inner, Place { parent: me, at: 0, within: None, ..p });
        }
        Ty::Extensible(dir, s, len, _) => {
            // As bytes: the program says how many there are, and a struct of an older kernel is shorter. Pointers are
            // followed in the known part, which is a block of its own.
            push(OpKind::Bytes, 1, p.count(len), Cap::Max(MAX_GROWN), dir);
            if s.fields.iter().any(|f| f.ty.is_pointer()) {
                let me = push(OpKind::Bytes, s.size(p.abi) as u16, Count::Fixed(1), Cap::Max(1), dir);
                lower(ops, &Ty::Struct(s), Place { parent: me, at: 0, within: None, ..p });
            }
        }
        Ty::Iovec(dir, len) => {
            // The vector itself is always input. Only the buffers follow the direction.
            let me = push(OpKind::Bytes, 2 * word, p.count(len), Cap::Elements, Dir::In);
            let buffer = Count::At { at: word, width: word as u8 };
            ops.push(Op { parent: me, at: 0, kind: OpKind::Bytes, elem: 1, count: buffer, cap: Cap::Text, dir });
        }
        Ty::Struct(s) => {
            for field in s.fields {
                let at = p.at + field.place(p.abi).offset;
                lower(ops, &field.ty, Place { at, within: Some((s, p.at)), ..p });
            }
        }
        Ty::Exchange(s) => {
            let me = push(OpKind::Bytes, s.size(p.abi) as u16, Count::Fixed(1), Cap::Max(1), Dir::InOut);
            lower(ops, &Ty::Struct(s), Place { parent: me, at: 0, within: None, ..p });
        }
        Ty::Custom(which, inner) => {
            if let Some(fd) = which.depends_on_file() {
                let at = match p.within {
                    None => 8 * p.row.register(p.row.index(fd), p.abi) as u16,
                    Some((s, start)) => start + s.field(fd).expect("a member of the same struct").place(p.abi).offset,
                };
                ops.push(Op { parent: p.parent, at, kind: OpKind::FileKind, ..Op::NONE });
            }
            let from = ops.len();
            lower(ops, inner, p);
            if which.holds_messages() {
                for op in ops[from..].iter_mut().filter(|op| op.cap == Cap::Text) {
                    op.cap = Cap::Message;
                }
            }
        }
        Ty::Shapes(shapes) => shapes.iter().for_each(|shape| lower(ops, shape, p)),
        Ty::As(_, inner) | Ty::Reply(inner) | Ty::NonZero(inner) => lower(ops, inner, p),
        Ty::Turn(before, after) => {
            let me = push(OpKind::Bytes, before.size(p.abi) as u16, Count::Fixed(1), Cap::Max(1), Dir::InOut);
            let place = Place { parent: me, at: 0, within: None, ..p };
            lower(ops, &Ty::Struct(before), place);
            lower(ops, &Ty::Struct(after), place);
        }
        // Only arguments make choices. Scalars and inline bytes are part of the value that contains them.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Case, Class, Ret, arg, syscall};

    static WORD: Ty = Ty::ULong;
    static BY_CMD: Select = Select {
        on: SelectKey::of("cmd"),
        cases: &[Case(1, Ty::Ptr(Dir::In, &WORD)), Case(2, Ty::Path)],
        default: Ty::Addr,
    };
    static ALSO_BY_CMD: Select = Select {
        on: SelectKey::of("cmd"),
        cases: &[Case(1, Ty::Iovec(Dir::In, Len::Of("n"))), Case(3, Ty::Str)],
        default: Ty::Path,
    };
    static BY_N: Select =
        Select { on: SelectKey::of("n"), cases: &[Case(7, Ty::Iovec(Dir::Out, Len::Of("cmd")))], default: Ty::Addr };

    static ROW: Syscall = syscall(
        "made_up",
        Class::NONE,
        Ret::Int,
        &[
            arg("cmd", Ty::Int),
            arg("path", Ty::Path),
            arg("a", Ty::Select(&BY_CMD)),
            arg("b", Ty::Select(&ALSO_BY_CMD)),
            arg("n", Ty::Int),
            arg("c", Ty::Select(&BY_N)),
        ],
    );

    #[test]
    fn choices_of_one_call_share_keys_and_never_numbers() {
        let plan = Plan::of(&ROW, Abi::X86_64);
        assert_eq!(plan.ops.len(), 1);
        let [cmd, n] = &plan.choices[..] else { panic!("two keys: {plan:?}") };
        let case = |choice: &Choice, value| choice.cases.iter().find(|c| c.0 == value).map(|c| c.1.clone()).unwrap();
        // The word, then the vector and its buffers, whose parent is the vector: the third op of the call.
        let one = case(cmd, 1);
        assert_eq!(one.iter().map(|op| (op.at, op.parent)).collect::<Vec<_>>(), [(16, ROOT), (24, ROOT), (0, 2)]);
        assert_eq!(case(cmd, 2).iter().map(|op| op.at).collect::<Vec<_>>(), [16, 24]);
        assert_eq!(case(cmd, 3).iter().map(|op| op.at).collect::<Vec<_>>(), [24]);
        assert_eq!(cmd.default.iter().map(|op| op.at).collect::<Vec<_>>(), [24]);
        assert_eq!((cmd.base, n.base), (1, 4));
        assert_eq!(case(n, 7)[1].parent, 4);
        assert!(n.default.is_empty());
    }
}
