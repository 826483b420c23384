//! Functions that a language's run-time system compiles to machine code while the program runs (JIT), or runs in code of its own.
//!
//! Such functions have frames on the native stack, but no file has their code. A language tells two things about these frames: how the walk goes on behind
//! one, unless the frame pointer leads on; and for which functions each stands.
//!
//! A language is a [`Jit`] in a folder of its own. To add one: tell in which files it is ([`LANGUAGES`]), find its version there, and name its frames. What is read of
//! the process may be anything, and without ptrace the thread runs on: what was not copied with the stack may have changed since.

#![allow(dead_code, reason = "the first language uses it")]

use crate::elf::Elf;
use crate::script::mixed::{Mixed, ScriptNames};
use crate::unwind::cfi::UnwindRule;
use crate::unwind::walk::FramePlace;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{Bottom, StackFrame, ThreadMemory};

/// A run-time system in a process.
pub trait Jit {
    /// How the walk goes on behind code that no file has. `Unknown`: the frame pointer leads on.
    fn rule(&mut self, _address: u64, _memory: &mut dyn ThreadMemory) -> UnwindRule {
        UnwindRule::Unknown
    }

    /// Puts the functions of the language in the places of the frames that stand for them. What these depend on is added to `native.reads`.
    fn mix(&mut self, native: &mut NativeStack<'_>, memory: &mut dyn ThreadMemory, names: &mut ScriptNames) -> Mixed;
}

/// A native stack, whose frames of such code have no names yet.
pub struct NativeStack<'a> {
    pub frames: &'a [Arc<StackFrame>],
    /// For each frame: its address in memory.
    pub addresses: &'a [u64],
    /// For each frame: where it is.
    pub places: &'a [FramePlace],
    pub bottom: Bottom,
    /// The words of memory, with their addresses, that the frames depend on.
    pub reads: &'a mut Vec<(u64, u64)>,
}

/// A run-time system in a file of code.
pub trait JitFile {
    /// The run-time system of a process that has loaded the file with this bias.
    fn in_process(&self, bias: u64) -> Box<dyn Jit>;
}

/// The run-time system in a file of code, as far as it was found.
#[derive(Clone)]
pub enum FoundJit {
    Known(Rc<dyn JitFile>),
    /// It is of a version or kind that is not known. The text is for people: `Node with V8 9.4`.
    Unsupported(Rc<str>),
}

/// How a language is known.
struct Language {
    /// A native function through which all calls of the language's functions go.
    entry: &'static str,
    /// True if a file of this name tends to have the run-time system.
    is_usual: fn(name: &[u8]) -> bool,
    /// Finds the version of the run-time system in the file that has it.
    find: fn(&Elf, path: &[u8]) -> Option<FoundJit>,
}

const LANGUAGES: &[Language] = &[];

/// The language that has this native function.
pub fn language_of(function: &str) -> Option<usize> {
    LANGUAGES.iter().position(|language| language.entry == function)
}

/// The language whose run-time system a file of this path tends to have.
pub fn usual_language(path: &[u8]) -> Option<usize> {
    let name = path.rsplit(|&b| b == b'/').next()?;
    LANGUAGES.iter().position(|language| (language.is_usual)(name))
}

/// Finds the run-time system of a language in a file of code.
pub fn find(language: usize, elf: &Elf, path: &[u8]) -> Option<FoundJit> {
    LANGUAGES.get(language).and_then(|language| (language.find)(elf, path))
}

/// The run-time system of a process, if it has one.
#[derive(Default)]
pub struct JitInProcess {
    /// The load bias of the file that has it.
    pub bias: Option<u64>,
    pub found: Option<RefCell<Box<dyn Jit>>>,
}

impl JitInProcess {
    /// Notes the run-time system of a file that the process has loaded with this bias. Returns its version if that is not supported. A process that has
    /// loaded the same as before keeps what it knows.
    pub fn enter(&mut self, found: Option<FoundJit>, bias: u64) -> Option<Rc<str>> {
        if self.bias.replace(bias) == Some(bias) {
            return None;
        }
        self.found = None;
        match found? {
            FoundJit::Known(file) => self.found = Some(RefCell::new(file.in_process(bias))),
            FoundJit::Unsupported(what) => return Some(what),
        }
        None
    }
}
