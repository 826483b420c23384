//! Perl, built with threads (`MULTIPLICITY`).
//!
//! The contexts of subs and evals are in arrays ([`contexts`]). One call of the evaluation function runs subs up to the one that has nothing behind it.

mod contexts;
mod identity;
mod names;
#[cfg(test)]
mod tests;
mod versions;

use crate::elf::Elf;
use crate::script::known::KnownCode;
use crate::script::objects::objects;
use crate::script::perl::contexts::{FIRST, MAY_BE_FIRST, RUNS, RUNS_EVAL, RUNS_FILE, RUNS_SUB};
use crate::script::perl::versions::PerlVersion;
use crate::script::runtime::{FoundRuntime, Runtime, split};
use crate::script::word_size::WordSize;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{ScriptFrame, ScriptFrames, ScriptLayout, SourceLine, StackFrame, Symbol, ThreadMemory};

/// The function that runs Perl code.
pub const EVALUATION: &str = "Perl_runops_standard";

/// `perl`, `perl5.36.0`, `libperl.so.5.36`
pub fn is_usual(name: &[u8]) -> bool {
    name.starts_with(b"perl") || name.starts_with(b"libperl")
}

struct Perl {
    version: PerlVersion,
    interpreter: InterpreterPointer,
    subs: RefCell<KnownCode<Box<str>>>,
    statements: RefCell<KnownCode<SourceLine>>,
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
    let version = size.and_then(|size| versions::of_number(number, size, elf.form.word.into()));
    Some(match version.zip(interpreter) {
        Some((version, interpreter)) => FoundRuntime::Known(Rc::new(Perl::new(version, interpreter))),
        None => {
            let kind = if key.is_none() { " (without threads)" } else { "" };
            FoundRuntime::Unsupported(format!("Perl {}.{}{kind}", number[0], number[1]).into())
        }
    })
}

impl Perl {
    fn new(version: PerlVersion, interpreter: InterpreterPointer) -> Perl {
        Perl { version, interpreter, subs: RefCell::default(), statements: RefCell::default() }
    }
}

/// A version, as most distributions build it, for words of each size. Only tests and `fuzz/` use this.
pub fn samples() -> impl Iterator<Item = Rc<dyn Runtime>> {
    let versions = [(36, 3768, 8), (36, 2320, 4), (40, 2332, 4)];
    let versions = versions.into_iter().filter_map(|(number, size, word)| versions::of_number([5, number], size, word));
    versions.map(|version| Rc::new(Perl::new(version, InterpreterPointer::At(0))) as Rc<dyn Runtime>)
}

/// A version of 32 bits, whose interpreter is where the thread pointer leads.
#[cfg(test)]
pub fn narrow_sample(number: [u8; 2], size: u16) -> Rc<dyn Runtime> {
    let version = versions::of_number(number, size, 4).unwrap_or_else(|| unreachable!("it is in the table"));
    Rc::new(Perl::new(version, InterpreterPointer::At(0)))
}

/// The number of frames up to one that is of one of these kinds.
fn run_to(frames: &[ScriptFrame], kinds: u64) -> usize {
    frames.iter().position(|frame| frame.kind & kinds != 0).map_or(frames.len(), |last| last + 1)
}

impl Runtime for Perl {
    fn layout(&self, bias: u64) -> ScriptLayout {
        let offsets = self.version.offsets;
        let (interpreters, threads) = match self.interpreter {
            InterpreterPointer::At(distance) => (distance, ScriptLayout::NONE),
            InterpreterPointer::ByKey(key) => (key.wrapping_add(bias), offsets.thread_values),
        };
        ScriptLayout {
            interpreters,
            threads,
            next_thread: offsets.next_value,
            innermost: self.version.statement,
            innermost_there: self.version.contexts,
            constant: self.version.compiled,
            place: offsets.context_statement,
            form: ScriptLayout::IN_CONTEXTS,
            narrow: u32::from(offsets.words == WordSize::FOUR),
            ..ScriptLayout::LISTED
        }
    }

    fn frames(&self, layout: &ScriptLayout, thread_pointer: u64, memory: &mut dyn ThreadMemory) -> ScriptFrames {
        contexts::frames(self.version.offsets, layout, thread_pointer, memory)
    }

    fn complete(&self, frames: &mut [ScriptFrame]) {
        contexts::join_blocks(frames);
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
        let is_of_perl =
            |by: usize| native.get(at + by).map(|frame| &frame.module) == native.get(at).map(|frame| &frame.module);
        let evals = |name: &str| name == EVALUATION || EVALS.contains(&name);
        // (Stripped files lack the name of that function. The one that calls it may have given its place to it. Since 5.38 both lack their names.)
        match (name(1), name(2)) {
            (Some(Some(one)), Some(Some(two))) => (one.contains(CATCHES) || EVALS.contains(&one)) && evals(two),
            (Some(None), Some(Some(two))) => is_of_perl(1) && evals(two),
            (Some(None), Some(None)) => is_of_perl(1) && is_of_perl(2) && name(3).flatten() == Some(EVALUATION),
            _ => false,
        }
    }

    fn is_hidden(&self, _: &ScriptFrame) -> bool {
        false
    }

    fn name(&self, _: &ScriptLayout, frame: &ScriptFrame, memory: &mut dyn ThreadMemory) -> Option<StackFrame> {
        let offsets = self.version.offsets;
        let &ScriptFrame { code, place, identity, kind } = frame;
        let name = match kind & RUNS {
            RUNS_SUB => {
                let identify = |memory: &mut dyn ThreadMemory| identity::of_sub(offsets, code, memory);
                let read = |memory: &mut dyn ThreadMemory| names::name(offsets, code, memory);
                let name = self.subs.borrow_mut().get_by((code, identity >> 32), memory, identify, read)?;
                Box::clone(&name)
            }
            RUNS_EVAL => "(eval)".into(),
            _ => "(main)".into(),
        };
        let number = identity & u64::from(u32::MAX);
        let identify = |memory: &mut dyn ThreadMemory| identity::of_statement(offsets, place, memory);
        let read = |memory: &mut dyn ThreadMemory| names::source(offsets, place, memory);
        let source = self.statements.borrow_mut().get_by((place, number), memory, identify, read)?;
        Some(StackFrame {
            module: None,
            offset: 0,
            symbol: Some(Symbol { name, offset: 0 }),
            source: Some(SourceLine::clone(&source)),
            inlined: Box::default(),
        })
    }

    fn is_stand_in(&self, _: &str) -> bool {
        false
    }
}
