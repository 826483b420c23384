//! Stacks: the functions through which a program came to make a system call.
//!
//! An engine has the registers and can read the memory of the tracee; it asks an [`Unwind`] for the stack at the moment when both are
//! at hand, and passes the answer on with its event. So no engine knows of ELF files, and nothing behind the engine of registers.

pub mod caller;
pub mod calling;
pub mod mapping;
pub mod per_stack;
pub mod runtime_code;
pub mod script;
mod whole;

use crate::Tid;
use crate::stack::mapping::NotedMapping;
use crate::stack::script::{ScriptLayout, ThreadMemory};
use std::sync::Arc;

/// The kind of code that a thread runs. It follows from the code segment, not from the ABI of a call: 64-bit code may make 32-bit calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CodeKind {
    /// 64-bit code of x86.
    #[default]
    X86_64,
    /// 32-bit code of x86.
    I386,
}

impl CodeKind {
    /// The size of an address in bytes.
    pub fn word(self) -> u8 {
        match self {
            CodeKind::X86_64 => 8,
            CodeKind::I386 => 4,
        }
    }
}

/// The registers of a thread that unwinding starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Regs {
    /// The code that the thread runs.
    pub kind: CodeKind,
    /// The instruction pointer.
    pub ip: u64,
    /// The stack pointer.
    pub sp: u64,
    /// The frame pointer (`rbp`, `ebp`). Code may use it for anything else.
    pub bp: u64,
    /// All general registers in DWARF's order for x86-64 (rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8, ...), also for 32-bit code: a few
    /// functions find their frame by others than the three above. Without them such a stack ends early.
    pub all: Option<[u64; 16]>,
    /// The thread pointer (`pthread_self`), by which run-time systems of languages know the thread. 0 if the engine finds the thread itself.
    pub thread_pointer: u64,
}

/// A file of code that is mapped into a process, or the vDSO.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct CodeFile {
    /// As the process names it. The bytes may be anything.
    pub path: Box<[u8]>,
    /// The linker's build id; empty where there is none.
    pub build_id: Box<[u8]>,
}

/// A function, and how far behind its beginning.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Symbol {
    /// Demangled. The bytes come from a file and may be anything.
    pub name: Box<str>,
    /// Bytes from its beginning.
    pub offset: u64,
}

/// A line of source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SourceLine {
    /// The path of the source file, as the compiler was given it. The bytes may be anything.
    pub file: Box<str>,
    /// The line, counted from 1. 0 if only the file is known.
    pub line: u32,
}

/// A function that the compiler merged into its caller.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InlinedFunction {
    /// Demangled.
    pub name: Box<str>,
    /// The line within it. [`StackFrame::source`] has the line within the function that it was merged into.
    pub source: Option<SourceLine>,
}

/// One call on a stack.
///
/// Its address is the one to look up: that of the instruction behind the system call in the innermost frame, and of the last byte of
/// the call instruction in the others, so that a call at the very end of a function belongs to that function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StackFrame {
    /// None for code that no file holds, such as a JIT compiler's.
    pub module: Option<Arc<CodeFile>>,
    /// The address in its module, as the module's own symbols and `objdump` count; without a module, the address in memory.
    pub offset: u64,
    /// The function. `None` if nothing names it.
    pub symbol: Option<Symbol>,
    /// The line of the address, if it was looked up.
    pub source: Option<SourceLine>,
    /// Innermost first.
    pub inlined: Box<[InlinedFunction]>,
}

impl StackFrame {
    /// True for a function that an interpreter runs, or a frame that stands for such functions. It has no address in memory: `offset` is the place in the
    /// function.
    pub fn is_interpreted(&self) -> bool {
        self.module.is_none() && self.symbol.as_ref().is_some_and(|symbol| symbol.offset == self.offset)
    }

    /// The frame as it is known without debug information. (An interpreter tells the file of a function together with its name.)
    pub fn without_source(&self) -> StackFrame {
        if !self.is_interpreted() {
            return StackFrame { source: None, inlined: Box::default(), ..self.clone() };
        }
        let symbol = self.symbol.clone().map(|symbol| Symbol { offset: 0, ..symbol });
        let source = self.source.clone().map(|source| SourceLine { line: 0, ..source });
        StackFrame { offset: 0, symbol, source, ..self.clone() }
    }

    /// The line at the frame's address, which may be in a function that was merged into this one.
    pub fn innermost_source(&self) -> Option<&SourceLine> {
        self.inlined.first().map_or(self.source.as_ref(), |inlined| inlined.source.as_ref())
    }
}

/// How the list of frames ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bottom {
    /// The frame in which the thread began.
    Reached,
    /// There are more frames than were asked for.
    Limit,
    /// The caller of the last frame could not be found.
    Unknown,
}

/// The frames of a thread, innermost first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stack {
    /// Innermost first.
    pub frames: Box<[Arc<StackFrame>]>,
    /// Why there are no more.
    pub bottom: Bottom,
}

/// The result of unwinding.
#[derive(Debug)]
pub struct Unwound<'a> {
    /// The stack.
    pub stack: Arc<Stack>,
    /// The words of memory that the frames depend on besides `ip` and `sp`, in the order of reading: as long as all of them hold
    /// these values, and the process maps the same code, the stack is this one.
    pub reads: &'a [(u64, u64)],
    /// The frames depend on [`Regs::bp`], too.
    pub used_bp: bool,
    /// The frames depend on [`Regs::all`], too.
    pub used_all: bool,
    /// Code that may be newer than the stack was left out.
    pub cut: bool,
    /// Where the frames of scripts are that belong to this stack. The stack depends on them, too.
    pub script: Option<ScriptLayout>,
    /// The frames of scripts are missing from the stack, or are not known for sure.
    pub lacks_script: bool,
}

/// Code was mapped between two addresses, or may have been.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeChange {
    /// The generation that began with the change.
    pub generation: u32,
    /// The address of its first byte.
    pub start: u64,
    /// The address behind its last byte.
    pub end: u64,
    /// The code that is mapped there since, if that was noted. Otherwise `/proc/PID/maps` tells.
    pub mappings: Option<Vec<NotedMapping>>,
}

/// The mappings of code into an address space, in the order of their generations. A thread that is not stopped may have mapped other code since its stack was copied.
pub trait CodeHistory {
    /// The address space.
    fn space(&self) -> u64;

    /// True if the process still has this address space. execve(2) replaces the address space of a process.
    fn is_of(&self, process: Tid) -> bool;

    /// The number of changes when the stack was copied. It counts up, and starts again at 0 behind the last number.
    fn generation(&self) -> u32;

    /// The number of changes by now.
    fn now(&self) -> u32;

    /// The address space that fork(2) copied to make this one, and its generation then, if no code was mapped since until the stack.
    fn origin(&self) -> Option<(u64, u32)> {
        None
    }

    /// The changes that have made the address space's code what it was at the stack, the first one first. `None` if one of them is forgotten, or
    /// its mappings were not noted.
    fn made(&self) -> Option<Vec<CodeChange>> {
        None
    }

    /// Called when a file of a noted mapping was opened: other processes need not wait for that.
    fn file_is_opened(&self, _device: (u32, u32), _inode: u64) {}

    /// Called when the mappings up to a generation are known, among them those that the stack needs. The thread may wait for that, because
    /// the mappings go when the program ends.
    fn mappings_are_read(&self, _generation: u32) {}

    /// Called when it is known where the frames of scripts are in this address space.
    fn script_is_found(&self, _layout: &ScriptLayout) {}

    /// Called when the code of the stack's generation was searched for what runs scripts. The thread may wait for that.
    fn script_is_searched(&self) {}

    /// The changes after one generation, up to another, unless they are forgotten.
    fn between(&self, generation: u32, last: u32) -> Option<Vec<CodeChange>>;
}

/// Makes stacks of registers and memory.
pub trait Unwind {
    /// The stack of a thread of `process` that stands at `regs`. The thread is stopped if there is no `history`.
    fn unwind(
        &mut self,
        process: Tid,
        regs: &Regs,
        history: Option<&dyn CodeHistory>,
        memory: &mut dyn ThreadMemory,
    ) -> Unwound<'_>;
}
