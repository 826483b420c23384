//! How operations are described.

use crate::library::WordType;
use crate::{Effect, PathArg};
use stride_uapi::structs_x86_64::io_uring_sqe;

/// The most arguments that an operation has.
const MOST_ARGUMENTS: usize = 8;
/// The most arguments of an operation that point to text.
pub const MOST_TEXTS: usize = 2;

/// An operation of io_uring.
#[derive(Debug)]
pub struct Operation {
    /// The number of the operation: `IORING_OP_READ` and its like.
    pub opcode: u8,
    /// Without the prefix, as in `IORING_OP_READ`.
    pub name: &'static str,
    /// The arguments.
    pub args: &'static [OperationArg],
    /// The type of the result that the completion has.
    pub result: WordType,
    /// The effects of the operation. A rule for system calls does not see operations, whatever their effects are.
    pub effects: &'static [Effect],
}

/// An argument: a member of the submission queue's entry.
#[derive(Debug)]
pub struct OperationArg {
    /// The name that is shown.
    pub name: &'static str,
    /// The type.
    pub ty: WordType,
    /// The offset of the member in `struct io_uring_sqe`, in bytes.
    pub at: u8,
    /// The size of the member in bytes.
    pub bytes: u8,
    /// Shown only if it is not 0, because hardly any program uses it.
    pub optional: bool,
    /// Its text is a path.
    pub is_path: bool,
}

impl Operation {
    /// An operation without effects, whose result is a number.
    pub const fn new(opcode: u64, name: &'static str, args: &'static [OperationArg]) -> Operation {
        assert!(opcode < 256 && args.len() <= MOST_ARGUMENTS);
        let mut texts = 0;
        let mut i = 0;
        while i < args.len() {
            if let WordType::Text | WordType::Buffer(_) = args[i].ty {
                texts += 1;
            }
            i += 1;
        }
        assert!(texts <= MOST_TEXTS);
        Operation { opcode: opcode as u8, name, args, result: WordType::Outcome, effects: &[] }
    }

    /// Its result is a descriptor.
    pub const fn makes_descriptor(mut self) -> Operation {
        self.result = WordType::FdOutcome;
        self
    }

    /// Adds effects.
    pub const fn does(mut self, effects: &'static [Effect]) -> Operation {
        self.effects = effects;
        self
    }

    /// The paths of the operation, in the order of its arguments. The rule is that of system calls.
    pub fn paths(&self) -> impl Iterator<Item = PathArg> {
        let paths = self.args.iter().enumerate().filter(|(_, arg)| arg.is_path);
        paths.map(|(position, _)| PathArg::usual(position, |before| self.args[before].ty == WordType::DirFd))
    }

    /// True if the result of the operation is a number of bytes that it moved.
    pub fn moves_bytes(&self) -> bool {
        self.effects.iter().any(|effect| matches!(effect, Effect::Moves(_)))
    }
}

impl OperationArg {
    /// The argument in an entry of the queue.
    pub fn of(&self, sqe: &[u8; 64]) -> u64 {
        let mut bytes = [0; 8];
        let (from, n) = (usize::from(self.at), usize::from(self.bytes));
        bytes[..n].copy_from_slice(&sqe[from..from + n]);
        let word = u64::from_le_bytes(bytes);
        let unused = 64 - 8 * u32::from(self.bytes);
        if self.ty.width().1 { ((word << unused) as i64 >> unused) as u64 } else { word }
    }
}

/// An argument that is this member of `struct io_uring_sqe`.
pub const fn arg(name: &'static str, ty: WordType, member: &'static str) -> OperationArg {
    let field = io_uring_sqe.at(member);
    assert!(field.size <= 8 && field.offset + field.size <= 64);
    OperationArg { name, ty, at: field.offset as u8, bytes: field.size as u8, optional: false, is_path: false }
}

/// The same for one that is shown only if it is not 0.
pub const fn opt(name: &'static str, ty: WordType, member: &'static str) -> OperationArg {
    OperationArg { optional: true, ..arg(name, ty, member) }
}

/// The same for a path.
pub const fn path(name: &'static str, member: &'static str) -> OperationArg {
    OperationArg { is_path: true, ..arg(name, WordType::Text, member) }
}
