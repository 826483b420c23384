//! Perl, built with threads (`MULTIPLICITY`).
//!
//! The contexts of subs and evals are in arrays ([`contexts`]). One call of the evaluation function runs subs up to the one that has nothing behind it. So the engines cannot walk
//! the frames by a layout; they are read here, from threads that stand still.

mod contexts;
mod names;
#[cfg(test)]
mod tests;
mod versions;

use crate::elf::Elf;
use crate::script::objects::objects;
use crate::script::perl::contexts::{FIRST, MAY_BE_FIRST, RUNS, RUNS_EVAL, RUNS_FILE, RUNS_SUB};
use crate::script::perl::versions::PerlVersion;
use crate::script::runtime::{FoundRuntime, Runtime, split};
use crate::script::walk::word;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{ScriptEnd, ScriptFrame, ScriptFrames, ScriptLayout, StackFrame, Symbol, ThreadMemory};

/// The function that runs Perl code.
pub const EVALUATION: &str = "Perl_runops_standard";

/// (No engine needs to know it before scripts make calls.)
pub fn is_usual(_: &[u8]) -> bool {
    false
}

struct Perl {
    version: PerlVersion,
    interpreter: InterpreterPointer,
}

/// Where a thread has the pointer to its interpreter.
#[derive(Clone, Copy)]
enum InterpreterPointer {
    /// At this distance from the thread pointer.
    At(u64),
    /// Among its values of keys (`pthread_getspecific`). This is the address of the key in the file.
    ByKey(u64),
}

/// The version of Perl that a file of code has.
pub fn find(elf: &Elf, _: &[u8]) -> Option<FoundRuntime> {
    let names: [&[u8]; 5] = [b"PL_revision", b"PL_version", b"PL_interp_size", b"PL_current_context", b"PL_thr_key"];
    let [revision, number, size, current, key] = objects(elf, names);
    let byte = |at: Option<u64>| elf.loaded(at?, 1)?.first().copied();
    let number = [byte(revision)?, byte(number)?];
    let size = size.and_then(|at| elf.loaded(at, 2)).and_then(|bytes| Some(u16::from_le_bytes(bytes.try_into().ok()?)));
    let in_thread = current.zip(elf.thread_memory).filter(|_| elf.is_program);
    let in_thread = in_thread.map(|(at, size)| InterpreterPointer::At(at.wrapping_sub(size)));
    let interpreter = in_thread.or(key.map(InterpreterPointer::ByKey));
    let version = size.and_then(|size| versions::of_number(number, size)).filter(|_| elf.form.word == 8);
    Some(match version.zip(interpreter) {
        Some((version, interpreter)) => FoundRuntime::Known(Rc::new(Perl { version, interpreter })),
        None => {
            let kind = if key.is_none() { " (without threads)" } else { "" };
            FoundRuntime::Unsupported(format!("Perl {}.{}{kind}", number[0], number[1]).into())
        }
    })
}

impl Perl {
    /// The interpreter of a thread. 0 if it has none.
    fn interpreter(&self, bias: u64, thread_pointer: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
        /// In glibc's description of a thread: the values of the first keys, each behind a number.
        const VALUES: u64 = 0x310;
        const KEYS: u64 = 32;
        match self.interpreter {
            InterpreterPointer::At(distance) => word(thread_pointer.wrapping_add(distance), memory),
            InterpreterPointer::ByKey(key) => {
                let key = word(key.wrapping_add(bias), memory)? & u64::from(u32::MAX);
                if key >= KEYS {
                    return None;
                }
                word(thread_pointer.wrapping_add(VALUES + 16 * key + 8), memory)
            }
        }
    }
}

/// The number of frames up to one that is of one of these kinds.
fn run_to(frames: &[ScriptFrame], kinds: u64) -> usize {
    frames.iter().position(|frame| frame.kind & kinds != 0).map_or(frames.len(), |last| last + 1)
}

impl Runtime for Perl {
    /// (The engines need none. The bias is in the place of an address.)
    fn layout(&self, bias: u64) -> ScriptLayout {
        ScriptLayout { interpreters: bias, ..ScriptLayout::LISTED }
    }

    fn is_walked_by_engines(&self) -> bool {
        false
    }

    fn frames(&self, layout: &ScriptLayout, thread_pointer: u64, memory: &mut dyn ThreadMemory) -> ScriptFrames {
        let none = |end| ScriptFrames { end, ..ScriptFrames::default() };
        match self.interpreter(layout.interpreters, thread_pointer, memory) {
            None => none(ScriptEnd::Unreadable),
            Some(0) => none(ScriptEnd::NoFrames),
            Some(interpreter) => contexts::frames(&self.version, interpreter, memory),
        }
    }

    fn run(&self, frames: &[ScriptFrame]) -> usize {
        run_to(frames, FIRST | MAY_BE_FIRST)
    }

    fn runs(&self, frames: &[ScriptFrame], evaluations: usize) -> Vec<usize> {
        let runs = split(frames, |frames| self.run(frames));
        if runs.len() == evaluations { runs } else { split(frames, |frames| run_to(frames, FIRST)) }
    }

    /// Perl runs a sub for a file that it compiles (`BEGIN`), and for a program that is over (`END`), and in a thread that it has made. The file has a frame then.
    fn may_lack_evaluation(&self, run: &[ScriptFrame]) -> bool {
        matches!(run, [frame] if frame.kind & RUNS == RUNS_FILE)
    }

    /// A function that catches exceptions for an eval calls the evaluation function, which goes on with the subs of the call before.
    fn goes_on(&self, native: &[Arc<StackFrame>], at: usize) -> bool {
        const CATCHES: &str = "docatch";
        const EVALS: [&str; 4] = ["Perl_pp_entertry", "Perl_pp_entertrycatch", "Perl_pp_entereval", "Perl_pp_require"];
        let name = |by: usize| Some(native.get(at + by)?.symbol.as_ref().map(|symbol| &*symbol.name));
        let is_of_perl = || native.get(at + 1).map(|frame| &frame.module) == native.get(at).map(|frame| &frame.module);
        // (Stripped files lack the name of that function. The one that calls it may have given its place to it.)
        let catches = match name(1) {
            Some(Some(name)) => name.contains(CATCHES) || EVALS.contains(&name),
            Some(None) => is_of_perl(),
            None => false,
        };
        catches && name(2).flatten().is_some_and(|name| name == EVALUATION || EVALS.contains(&name))
    }

    fn is_hidden(&self, _: &ScriptFrame) -> bool {
        false
    }

    fn name(&self, _: &ScriptLayout, frame: &ScriptFrame, memory: &mut dyn ThreadMemory) -> Option<StackFrame> {
        let name = match frame.kind & RUNS {
            RUNS_SUB => names::name(frame.code, memory)?,
            RUNS_EVAL => "(eval)".into(),
            _ => "(main)".into(),
        };
        let source = names::source(frame.place, memory)?;
        Some(StackFrame {
            module: None,
            offset: 0,
            symbol: Some(Symbol { name, offset: 0 }),
            source: Some(source),
            inlined: Box::default(),
        })
    }

    fn is_stand_in(&self, _: &str) -> bool {
        false
    }
}
