//! The native stack with the frames of scripts among its own.

use crate::script::languages::{is_evaluation, name_of_language};
use crate::script::runtime::ProcessRuntime;
use crate::script::unknown::unknown;
use crate::script::waiting::split;
use crate::script::waiting_names::named_tasks;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use stride_event::{Bottom, ScriptEnd, ScriptFrame, ScriptFrames, ScriptLayout, SourceLine, StackFrame, ThreadMemory};

/// The frames of scripts, each once: equal frames of several processes are one.
#[derive(Default)]
pub struct ScriptNames {
    frames: FxHashSet<Arc<StackFrame>>,
}

/// The number of frames that are kept. When it is reached, all are dropped.
const MOST_FRAMES: usize = 1 << 16;

impl ScriptNames {
    /// A frame, shared with all that are equal.
    pub fn one(&mut self, frame: StackFrame) -> Arc<StackFrame> {
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

/// The native stack.
pub struct Native<'a> {
    pub frames: &'a [Arc<StackFrame>],
    /// For each frame: true if its code was compiled while the program ran, and stands for the evaluation function. None, if no code does.
    pub compiled: &'a [bool],
    pub bottom: Bottom,
}

/// Puts the frames of scripts in the places of the evaluation function.
pub fn mix_in(
    process: &ProcessRuntime,
    native: &Native<'_>,
    script: Option<&ScriptFrames>,
    memory: &mut dyn ThreadMemory,
    names: &mut ScriptNames,
) -> Mixed {
    let ProcessRuntime { runtime, layout, language } = process;
    let &Native { frames: native, compiled, bottom } = native;
    let evaluates = |(index, frame): (usize, &Arc<StackFrame>)| {
        compiled.get(index) == Some(&true)
            || name_of(frame).is_some_and(|name| is_evaluation(name, *language)) && !runtime.goes_on(native, index)
    };
    let told = |text: &str, names: &mut ScriptNames| {
        let at = native.iter().enumerate().position(evaluates).unwrap_or(native.len());
        let mut frames = native.to_vec();
        frames.insert(at, names.one(unknown(text)));
        Mixed { frames, lacks: true }
    };
    let text = |what: &str| format!("[{}: {what}]", name_of_language(*language));
    let Some(script) = script else { return told(&text("frames that were not read"), names) };
    if script.end == ScriptEnd::Unreadable {
        return told(&text("frames that could not be read"), names);
    }
    let is_optional = |run: Option<&&[ScriptFrame]>| run.is_some_and(|run| runtime.may_lack_evaluation(run));
    let evaluations = native.iter().enumerate().filter(|&frame| evaluates(frame)).count();
    let (mut rest, waiting) = split(layout, &script.frames);
    let runs = runtime.runs(rest, evaluations).into_iter().map_while(|len| rest.split_off(..len));
    let runs: Vec<_> = runs.collect();
    let fits = match (script.end, bottom) {
        (ScriptEnd::Limit, _) => true,
        (_, Bottom::Reached) => runs.len() == evaluations || runs.len() == evaluations + 1 && is_optional(runs.last()),
        // (With several interpreters, the list may be that of another one.)
        (_, Bottom::Limit | Bottom::Unknown) => runs.len() >= evaluations && !script.several,
    };
    if !fits {
        return told(&text("frames that do not fit the stack"), names);
    }
    let mut mixed = Mixed { frames: Vec::with_capacity(native.len() + script.frames.len()), lacks: false };
    // The line of a part of the next function.
    let mut line_of_part: Option<SourceLine> = None;
    let mut name = |run: &[ScriptFrame], mixed: &mut Mixed| {
        for frame in run.iter().filter(|frame| !runtime.is_hidden(frame)) {
            let mut named = runtime.name(layout, frame, memory);
            if let Some(part) = named.as_mut().filter(|named| runtime.is_part_of_next(named)) {
                line_of_part = line_of_part.take().or_else(|| part.source.take());
                continue;
            }
            if let (Some(line), Some(named)) = (line_of_part.take(), &mut named) {
                named.source = Some(line);
            }
            if named.as_ref().is_some_and(|named| runtime.is_never_shown(named)) {
                continue;
            }
            mixed.lacks |= named.is_none();
            let named = named.unwrap_or_else(|| unknown(&text("a function whose code is gone")));
            mixed.frames.push(names.one(named));
            if frame.kind & ScriptLayout::WAITING_MASK == ScriptLayout::OUTERMOST_OF_TASK && !waiting.is_empty() {
                let (tasks, lacks) = named_tasks(process, waiting, memory);
                mixed.lacks |= lacks;
                mixed.frames.extend(tasks.into_iter().map(|frame| names.one(frame)));
            }
        }
    };
    let mut runs = runs.into_iter();
    let mut is_cut = false;
    let last = native.iter().enumerate().rposition(evaluates);
    for (index, frame) in native.iter().enumerate() {
        if !evaluates((index, frame)) {
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
            mixed.frames.push(Arc::new(unknown(&text("more frames"))));
        }
        // The frames that remain have no call of the evaluation function of their own.
        if last == Some(index) && bottom == Bottom::Reached && script.end == ScriptEnd::Reached {
            runs.by_ref().for_each(|run| name(run, &mut mixed));
        }
    }
    // The native stack is not known to its end, and the frames of scripts are.
    if bottom == Bottom::Unknown {
        runs.for_each(|run| name(run, &mut mixed));
        if script.end == ScriptEnd::Limit && !is_cut {
            mixed.lacks = true;
            mixed.frames.push(names.one(unknown(&text("more frames"))));
        }
    }
    mixed
}

fn name_of(frame: &StackFrame) -> Option<&str> {
    frame.symbol.as_ref().map(|symbol| &*symbol.name)
}
