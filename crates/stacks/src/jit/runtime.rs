//! The traits that each language implements.

use crate::script::mixed::ScriptNames;
use crate::unwind::cfi::UnwindRule;
use crate::unwind::place::FramePlace;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{Bottom, ScriptFrames, ScriptLayout, StackFrame, ThreadMemory};

/// A run-time system in a process.
pub trait Jit {
    /// How the walk goes on behind code that no file has. `Unknown`: the frame pointer leads on.
    fn rule(&mut self, _address: u64, _memory: &mut dyn ThreadMemory) -> UnwindRule {
        UnwindRule::Unknown
    }

    /// Where the frames of this language are, if the engine is to look for them itself and to copy what tells their functions.
    fn layout(&mut self, _memory: Option<&mut dyn ThreadMemory>) -> Option<ScriptLayout> {
        None
    }

    /// The version, if nothing is known of it. A file may not tell it before the process runs. The text is for people: `Java 8`.
    fn unsupported(&self) -> Option<Rc<str>> {
        None
    }

    /// Puts the functions of the language in the places of the frames that stand for them. What these depend on is added to `native.reads`.
    fn mix(&mut self, native: &mut NativeStack<'_>, memory: &mut dyn ThreadMemory, names: &mut ScriptNames)
    -> JitStack;
}

/// A stack with the functions of a language among the native ones.
#[derive(Default)]
pub struct JitStack {
    pub frames: Vec<JitFrame>,
    /// Some functions of the language are missing, or not known.
    pub lacks: bool,
}

pub enum JitFrame {
    /// The native frame with this index.
    Native(usize),
    Function(Arc<StackFrame>),
}

impl JitStack {
    /// The frames, where the native ones have names.
    pub fn named(self, native: &[Arc<StackFrame>]) -> Vec<Arc<StackFrame>> {
        let named = |frame| match frame {
            JitFrame::Native(index) => native.get(index).cloned(),
            JitFrame::Function(frame) => Some(frame),
        };
        self.frames.into_iter().filter_map(named).collect()
    }
}

/// A native stack, whose frames have no names yet: names of a large program take so long for the first time that what is read of the process would be gone.
pub struct NativeStack<'a> {
    /// For each frame: its address in memory.
    pub addresses: &'a [u64],
    /// For each frame: where it is.
    pub places: &'a [FramePlace],
    pub bottom: Bottom,
    /// The words of memory, with their addresses, that the frames depend on.
    pub reads: &'a mut Vec<(u64, u64)>,
    /// The frames that the engine has found by the layout. The stack depends on them, too.
    pub script: Option<&'a ScriptFrames>,
    /// True for addresses of code that a file has.
    pub is_of_file: &'a dyn Fn(u64) -> bool,
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
