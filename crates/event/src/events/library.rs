//! Events that are shown among system calls: calls of functions in libraries, probes that programs have in themselves, and operations of
//! io_uring.

use crate::{Descriptor, Ns, Tid};
use std::sync::Arc;
use stride_syscalls::library::WordType;
use stride_syscalls::operation::{self, Operation};
use stride_syscalls::uapi::consts as c;

/// The most words of a call that are read. USDT probes have no more, and few functions do.
pub const LIBRARY_WORDS: usize = 12;
/// The most bytes of a captured text.
pub const LIBRARY_TEXT: usize = 512;

/// A function or probe of a file, or an operation of io_uring.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LibraryFunction {
    /// `libc:malloc`, `libpython3.11:python:function__entry`, `io_uring:read`. No system call has a colon in its name.
    pub name: Box<str>,
    /// At most [`LIBRARY_WORDS`].
    pub params: Box<[Param]>,
    /// `None`: the return is not seen.
    pub result: Option<WordType>,
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Empty if unknown.
    pub name: Box<str>,
    /// Its type, as far as it can be read.
    pub ty: WordType,
    /// Shown only if it is not 0.
    pub optional: bool,
}

impl LibraryFunction {
    /// An operation of io_uring. Of one that has no row, the members are shown that most operations use.
    pub fn of_operation(opcode: u8) -> LibraryFunction {
        match operation::operation(opcode) {
            Some(row) => LibraryFunction::of_row(row),
            None => LibraryFunction {
                name: format!("{}opcode_{opcode}", operation::PREFIX).into(),
                params: Box::new([]),
                result: Some(WordType::Outcome),
            },
        }
    }

    /// The operation of a name that begins with [`operation::PREFIX`].
    pub fn of_operation_named(name: &str) -> Option<LibraryFunction> {
        operation::operation_named(name.strip_prefix(operation::PREFIX)?).map(LibraryFunction::of_row)
    }

    fn of_row(row: &Operation) -> LibraryFunction {
        let param = |arg: &operation::OperationArg| Param { name: arg.name.into(), ty: arg.ty, optional: arg.optional };
        LibraryFunction {
            name: [operation::PREFIX, row.name].concat().into(),
            params: row.args.iter().map(param).collect(),
            result: Some(row.result),
        }
    }
}

/// The part of a call that an event is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LibraryPart {
    /// The function was entered.
    #[default]
    Entered,
    /// It returned.
    Returned,
    /// Entered, and its return is not seen; or a probe, which only has a place.
    Passed,
    /// It will not return: its thread ended or executed another program, or it was left by longjmp(3) or an exception.
    Gone,
}

/// A part of a call of a function. At its end, a call has everything that was known at its beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LibraryCall {
    /// The thread.
    pub tid: Tid,
    /// The function, or the probe.
    pub function: Arc<LibraryFunction>,
    /// The part of the call.
    pub part: LibraryPart,
    /// The number of traced functions that its thread is in, besides this one.
    pub depth: u32,
    /// The monotonic time of the event.
    pub at: Ns,
    /// The time of the entry. 0 if the entry was not seen; then there are no words either.
    pub entered: Ns,
    /// The arguments, one for each parameter that could be read, sign-extended or cut to its size.
    pub words: Vec<u64>,
    /// The result, if the call has returned.
    pub result: u64,
    /// Memory behind arguments and behind the result.
    pub texts: Vec<LibraryText>,
    /// The descriptors of an operation, as the engine saw them.
    pub descriptors: Vec<Descriptor>,
    /// It is an operation of io_uring. It begins when it is submitted, and returns when its completion is posted.
    pub operation: Option<OperationFacts>,
}

/// How an operation of io_uring was submitted and completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationFacts {
    /// It was taken from the queue by the kernel's own thread (`IORING_SETUP_SQPOLL`), and not by io_uring_enter(2).
    pub polled: bool,
    /// The flags of its submission (`IOSQE_...`).
    pub flags: u8,
    /// The number by which the program knows the operation.
    pub user_data: u64,
    /// The flags of its completion (`IORING_CQE_F_...`).
    pub cqe_flags: u32,
}

impl OperationFacts {
    /// Further completions of the same operation follow.
    pub fn has_more(self) -> bool {
        u64::from(self.cqe_flags) & c::IORING_CQE_F_MORE != 0
    }

    /// If it succeeds, no completion is posted.
    pub fn is_silent(self) -> bool {
        u64::from(self.flags) & c::IOSQE_CQE_SKIP_SUCCESS != 0
    }

    /// Its descriptors are places in the ring's table of files.
    pub fn has_fixed_file(self) -> bool {
        u64::from(self.flags) & c::IOSQE_FIXED_FILE != 0
    }
}

/// Captured memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryText {
    /// The argument that points to it. `None`: the result.
    pub word: Option<u8>,
    /// Its bytes, up to a limit.
    pub bytes: Box<[u8]>,
    /// There is more.
    pub cut: bool,
}

impl LibraryCall {
    /// The memory behind an argument, or behind the result.
    pub fn text(&self, word: Option<usize>) -> Option<&LibraryText> {
        self.texts.iter().find(|text| text.word.map(usize::from) == word)
    }

    /// True for the part at which the call is counted: its return, or its entry if the return is not watched. An operation is counted once,
    /// also if it has several completions or none.
    pub fn is_counted_here(&self) -> bool {
        match self.operation {
            None => matches!(self.part, LibraryPart::Returned | LibraryPart::Passed),
            Some(facts) => self.part == LibraryPart::Gone || !facts.has_more(),
        }
    }

    /// A descriptor as the engine saw it: one that was made, or one that was given.
    pub fn descriptor(&self, fd: i32, made: bool) -> Option<&Descriptor> {
        self.descriptors.iter().find(|known| known.fd == fd && known.made == made)
    }

    /// The row of an operation.
    pub fn row(&self) -> Option<&'static Operation> {
        self.operation?;
        operation::operation_named(self.function.name.strip_prefix(operation::PREFIX)?)
    }

    /// The error with which an operation was completed.
    pub fn error(&self) -> Option<u32> {
        let result = self.result as u32 as i32;
        (self.operation.is_some() && self.part == LibraryPart::Returned && result < 0).then_some(result.unsigned_abs())
    }

    /// The word for how an operation ended. A silent one has no completion if it succeeds.
    pub fn outcome(&self) -> &'static str {
        match (self.part, self.error()) {
            (LibraryPart::Returned, Some(_)) => "error",
            (LibraryPart::Returned, None) => "ok",
            _ if self.operation.is_some_and(OperationFacts::is_silent) => "silent",
            _ => "unfinished",
        }
    }

    /// Bytes that an operation moved. `None` if it failed, or never moves any.
    pub fn moved(&self) -> Option<u64> {
        let succeeded = self.part == LibraryPart::Returned && self.error().is_none();
        self.row().filter(|row| succeeded && row.moves_bytes()).map(|_| self.result)
    }

    /// The time that it took. `None` if it has not returned, or if its beginning was not seen.
    pub fn duration(&self) -> Option<Ns> {
        (self.part == LibraryPart::Returned && self.entered != 0).then(|| self.at.saturating_sub(self.entered))
    }
}

/// The place of a word when a probe is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordPlace {
    /// It is this number.
    Constant(i64),
    /// The offset of the register in the kernel's `struct pt_regs`.
    Register(u16),
    /// In memory, so many bytes behind the address in a register.
    Memory(u16, i64),
}

/// A word that the engine reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbedWord {
    /// Its place.
    pub place: WordPlace,
    /// 1, 2, 4 or 8.
    pub bytes: u8,
    /// It is a signed number.
    pub signed: bool,
}

/// A place in a file at which threads are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryProbe {
    /// The function, or the probe.
    pub function: Arc<LibraryFunction>,
    /// The offset of the instruction in the file.
    pub offset: u64,
    /// The offset of a counter in the file's data that the program checks before it comes to the probe. 0: there is none.
    pub semaphore: u64,
    /// One for each parameter.
    pub words: Box<[ProbedWord]>,
}

/// The probes in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbedFile {
    /// The file.
    pub path: std::path::PathBuf,
    /// The address at which threads are looked at in it.
    pub probes: Vec<LibraryProbe>,
}
