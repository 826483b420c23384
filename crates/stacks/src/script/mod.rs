//! Functions that an interpreter runs, among the functions of the native stack.
//!
//! An interpreter has a native function that runs scripts (its evaluation function), and keeps a list of the scripts' frames for each thread. Where the
//! native stack has the evaluation function, the frames that this call of it runs take its place.
//!
//! A language is a [`Runtime`], in a folder of its own. To add one: tell by which native function it is known, find its version in the file of code
//! ([`LANGUAGES`]), describe where it keeps its frames ([`ScriptLayout`]), and name them. The engines need nothing more: they copy frames by the layout.
//!
//! Everything that is read comes from the program and may be anything. Counts are bounded. If the frames and the native stack do not fit, or
//! the code of a frame is gone, a frame says so ([`unknown`]).

mod python;
pub mod walk;

use crate::elf::Elf;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{Bottom, ScriptEnd, ScriptFrame, ScriptFrames, ScriptLayout, StackFrame, Symbol, ThreadMemory};

/// The run-time system of a language, of one version, as a file of code has it.
pub trait Runtime {
    /// Where the frames are in a process that has loaded the file with this bias.
    fn layout(&self, bias: u64) -> ScriptLayout;

    /// The number of frames, from the innermost of these on, that one call of the evaluation function runs.
    fn run(&self, frames: &[ScriptFrame]) -> usize;

    /// True if the frame is part of the run-time system and not of a script.
    fn is_hidden(&self, frame: &ScriptFrame) -> bool;

    /// The function of a frame and its line. `None` if its code is gone, or makes no sense.
    fn name(&self, layout: &ScriptLayout, frame: &ScriptFrame, memory: &mut dyn ThreadMemory) -> Option<StackFrame>;

    /// True if this native function, which no file has, stands for a function of a script, too (`-X perf` of Python).
    fn is_stand_in(&self, name: &str) -> bool;
}

/// What is known of the run-time system in a file of code.
#[derive(Clone)]
pub enum Found {
    Known(Rc<dyn Runtime>),
    /// It is of a version or kind that is not known. The text is for people: `Python 3.14`.
    Unsupported(Rc<str>),
}

/// How a language is known.
struct Language {
    /// The native function that runs scripts.
    evaluation: &'static str,
    /// True if a file of this name tends to have the run-time system. It may have another name if a program contains it. Then it is found when a stack
    /// has the evaluation function.
    is_usual: fn(name: &[u8]) -> bool,
    /// Finds the version of the run-time system in the file that has it.
    find: fn(&Elf, path: &[u8]) -> Option<Found>,
}

const LANGUAGES: &[Language] =
    &[Language { evaluation: python::EVALUATION, is_usual: python::is_usual, find: python::find }];

/// The language that has this evaluation function.
pub fn language_of(function: &str) -> Option<usize> {
    LANGUAGES.iter().position(|language| is_part_of(function, language.evaluation))
}

/// The language whose run-time system a file of this path tends to have.
pub fn usual_language(path: &[u8]) -> Option<usize> {
    let name = path.rsplit(|&b| b == b'/').next()?;
    LANGUAGES.iter().position(|language| (language.is_usual)(name))
}

/// The compiler puts parts of a function elsewhere: `name.cold`, `name.part.0`.
fn is_part_of(function: &str, name: &str) -> bool {
    function.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Finds the run-time system of a language in a file of code.
pub fn find(language: usize, elf: &Elf, path: &[u8]) -> Option<Found> {
    LANGUAGES.get(language).and_then(|language| (language.find)(elf, path))
}

/// The run-time system in a process.
#[derive(Clone)]
pub struct ProcessRuntime {
    pub runtime: Rc<dyn Runtime>,
    pub layout: ScriptLayout,
    /// The index of the language.
    language: usize,
}

impl ProcessRuntime {
    pub fn new(language: usize, runtime: Rc<dyn Runtime>, bias: u64) -> ProcessRuntime {
        ProcessRuntime { layout: runtime.layout(bias), runtime, language }
    }
}

/// The frames of scripts, each once: equal frames of several processes are one.
#[derive(Default)]
pub struct ScriptNames {
    frames: FxHashSet<Arc<StackFrame>>,
}

/// The number of frames that are kept. When it is reached, all are dropped.
const MOST_FRAMES: usize = 1 << 16;

impl ScriptNames {
    fn one(&mut self, frame: StackFrame) -> Arc<StackFrame> {
        if let Some(known) = self.frames.get(&frame) {
            return known.clone();
        }
        if self.frames.len() >= MOST_FRAMES {
            self.frames.clear();
        }
        let frame = Arc::new(frame);
        self.frames.insert(frame.clone());
        frame
    }
}

/// A native stack with the frames of scripts among its own.
pub struct Mixed {
    pub frames: Vec<Arc<StackFrame>>,
    /// Some frames of scripts are missing, or not known.
    pub lacks: bool,
}

/// Puts the frames of scripts in the places of the evaluation function.
pub fn mix_in(
    process: &ProcessRuntime,
    native: &[Arc<StackFrame>],
    bottom: Bottom,
    script: Option<&ScriptFrames>,
    memory: &mut dyn ThreadMemory,
    names: &mut ScriptNames,
) -> Mixed {
    let ProcessRuntime { runtime, layout, language } = process;
    let evaluates =
        |frame: &StackFrame| name_of(frame).is_some_and(|name| is_part_of(name, LANGUAGES[*language].evaluation));
    let told = |text: &str, names: &mut ScriptNames| {
        let at = native.iter().position(|frame| evaluates(frame)).unwrap_or_default();
        let mut frames = native.to_vec();
        frames.insert(at, names.one(unknown(text)));
        Mixed { frames, lacks: true }
    };
    let Some(script) = script else { return told("[python: frames that were not read]", names) };
    if script.end == ScriptEnd::Unreadable {
        return told("[python: frames that could not be read]", names);
    }
    let mut runs = Vec::new();
    let mut rest = &script.frames[..];
    while !rest.is_empty() {
        let (run, further) = rest.split_at(runtime.run(rest).clamp(1, rest.len()));
        runs.push(run);
        rest = further;
    }
    let evaluations = native.iter().filter(|frame| evaluates(frame)).count();
    let fits = match (script.end, bottom) {
        (ScriptEnd::Limit, _) => true,
        (_, Bottom::Reached) => runs.len() == evaluations,
        (_, Bottom::Limit | Bottom::Unknown) => runs.len() >= evaluations,
    };
    if !fits {
        return told("[python: frames that do not fit the stack]", names);
    }
    let mut mixed = Mixed { frames: Vec::with_capacity(native.len() + script.frames.len()), lacks: false };
    let mut name = |run: &[ScriptFrame], mixed: &mut Mixed| {
        for frame in run.iter().filter(|frame| !runtime.is_hidden(frame)) {
            let named = runtime.name(layout, frame, memory);
            mixed.lacks |= named.is_none();
            let named = named.unwrap_or_else(|| unknown("[python: a function whose code is gone]"));
            mixed.frames.push(names.one(named));
        }
    };
    let mut runs = runs.into_iter();
    let mut is_cut = false;
    for frame in native {
        if !evaluates(frame) {
            let is_stand_in = frame.module.is_none() && name_of(frame).is_some_and(|name| runtime.is_stand_in(name));
            if !is_stand_in || is_cut {
                mixed.frames.push(frame.clone());
            }
            continue;
        }
        match runs.next() {
            Some(run) => name(run, &mut mixed),
            None => mixed.frames.push(frame.clone()),
        }
        if runs.len() == 0 && script.end == ScriptEnd::Limit && !is_cut {
            is_cut = true;
            mixed.lacks = true;
            mixed.frames.push(Arc::new(unknown("[python: more frames]")));
        }
    }
    // The native stack is not known to its end, and the frames of scripts are.
    if bottom == Bottom::Unknown {
        runs.for_each(|run| name(run, &mut mixed));
    }
    mixed
}

fn name_of(frame: &StackFrame) -> Option<&str> {
    frame.symbol.as_ref().map(|symbol| &*symbol.name)
}

/// A frame that says what is missing.
fn unknown(text: &str) -> StackFrame {
    let symbol = Some(Symbol { name: text.into(), offset: 0 });
    StackFrame { module: None, offset: 0, symbol, source: None, inlined: Box::default() }
}
