//! The trait that each language implements.

use crate::script::walk;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{ScriptFrame, ScriptFrames, ScriptLayout, StackFrame, TaskLayout, ThreadMemory};

/// The run-time system of a language, of one version, as a file of code has it.
pub trait Runtime {
    /// Where the frames are in a process that has loaded the file with this bias.
    fn layout(&self, bias: u64) -> ScriptLayout;

    /// The frames of the thread with this thread pointer, which stands still.
    fn frames(&self, layout: &ScriptLayout, thread_pointer: u64, memory: &mut dyn ThreadMemory) -> ScriptFrames {
        walk::frames(layout, thread_pointer, memory)
    }

    /// Gives frames, as they were found in memory, what follows from their neighbours.
    fn complete(&self, _frames: &mut [ScriptFrame]) {}

    /// The number of frames, from the innermost of these on, that one call of the evaluation function runs. 0 if no call of it runs any of them.
    fn run(&self, frames: &[ScriptFrame]) -> usize;

    /// The numbers of frames that each of so many calls of the evaluation function runs, if that many run them.
    fn runs(&self, frames: &[ScriptFrame], _evaluations: usize) -> Vec<usize> {
        split(frames, |frames| self.run(frames))
    }

    /// True if the outermost of all runs may have no call of the evaluation function.
    fn may_lack_evaluation(&self, _run: &[ScriptFrame]) -> bool {
        false
    }

    /// True if this call of the evaluation function goes on with the run of the call before.
    fn goes_on(&self, _native: &[Arc<StackFrame>], _at: usize) -> bool {
        false
    }

    /// True if the frame is part of the run-time system and not of a script.
    fn is_hidden(&self, frame: &ScriptFrame) -> bool;

    /// The function of a frame and its line. `None` if its code is gone, or makes no sense.
    fn name(&self, layout: &ScriptLayout, frame: &ScriptFrame, memory: &mut dyn ThreadMemory) -> Option<StackFrame>;

    /// A text of the language.
    fn text(&self, _object: u64, _memory: &mut dyn ThreadMemory) -> Option<Box<str>> {
        None
    }

    /// True if a file of this name has what the run-time system needs for tasks.
    fn is_of_tasks(&self, _name: &[u8]) -> bool {
        false
    }

    /// Where tasks are, as a section of such a file tells, and if the run-time system is loaded with this bias.
    fn tasks(&self, _section: &dyn Fn(&[u8]) -> Option<Vec<u8>>, _bias: u64) -> Option<TaskLayout> {
        None
    }

    /// True if the language shows no such function, although it has a name.
    fn is_never_shown(&self, _named: &StackFrame) -> bool {
        false
    }

    /// True if the language shows a part of a function that has a frame of its own as that function, which has the next frame: the line is that of the part.
    fn is_part_of_next(&self, _named: &StackFrame) -> bool {
        false
    }

    /// True if code that is compiled while the program runs may stand for the evaluation function. Nothing may tell what called it.
    fn compiles(&self) -> bool {
        false
    }

    /// True if this native function, which no file has, stands for a function of a script, too (`-X perf` of Python).
    fn is_stand_in(&self, name: &str) -> bool;
}

/// The numbers of frames of each run, up to one that has none.
pub fn split(mut frames: &[ScriptFrame], run: impl Fn(&[ScriptFrame]) -> usize) -> Vec<usize> {
    let mut runs = Vec::new();
    while !frames.is_empty() {
        let len = run(frames).min(frames.len());
        if len == 0 {
            break;
        }
        runs.push(len);
        frames = &frames[len..];
    }
    runs
}

/// The language run-time system in a file of code, as far as it was found.
#[derive(Clone)]
pub enum FoundRuntime {
    Known(Rc<dyn Runtime>),
    /// It is of a version or kind that is not known. The text is for people: `Python 3.7`.
    Unsupported(Rc<str>),
}

/// The run-time system in a process.
#[derive(Clone)]
pub struct ProcessRuntime {
    pub runtime: Rc<dyn Runtime>,
    pub layout: ScriptLayout,
    /// The index of the language.
    pub language: usize,
}

impl ProcessRuntime {
    pub fn new(language: usize, runtime: Rc<dyn Runtime>, bias: u64) -> ProcessRuntime {
        ProcessRuntime { layout: runtime.layout(bias), runtime, language }
    }
}
