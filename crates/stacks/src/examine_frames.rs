//! Asks memory everything that the readers of frames of languages ask. Only tests and `fuzz/` use this.

use crate::jit::hotspot::samples;
use crate::jit::runtime::{Jit, NativeStack};
use crate::jit::v8;
use crate::script::languages::{evaluations, language_of};
use crate::script::mixed::{Native, ScriptNames, mix_in};
use crate::script::runtime::{ProcessRuntime, Runtime};
use crate::script::{perl, php, python, ruby};
use crate::unwind::place::FramePlace;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{
    Bottom, CodeFile, ScriptEnd, ScriptFrame, ScriptFrames, ScriptLayout, StackFrame, Symbol, ThreadMemory,
};

/// Memory in which the same bytes are everywhere, up to the end of user space. So most words lead somewhere.
struct Everywhere<'a> {
    bytes: &'a [u8],
    /// So many bytes can still be read, and then nothing: one try is to take a short time.
    left: usize,
    is_still: bool,
}

impl Everywhere<'_> {
    fn of(bytes: &[u8], is_still: bool) -> Everywhere<'_> {
        const MOST: usize = 1 << 20;
        Everywhere { bytes, left: MOST, is_still }
    }
}

impl ThreadMemory for Everywhere<'_> {
    fn word(&mut self, address: u64) -> Option<u64> {
        let mut word = [0; 8];
        (self.read(address, &mut word) == word.len()).then_some(u64::from_le_bytes(word))
    }

    fn read(&mut self, address: u64, to: &mut [u8]) -> usize {
        const END: u64 = 1 << 47;
        if self.bytes.is_empty() || address >= END || to.len() > self.left {
            return 0;
        }
        self.left -= to.len();
        let mut from = (address % self.bytes.len() as u64) as usize;
        let mut done = 0;
        while done < to.len() {
            let part = &self.bytes[from..];
            let len = part.len().min(to.len() - done);
            to[done..done + len].copy_from_slice(&part[..len]);
            done += len;
            from = 0;
        }
        done
    }

    /// Part of what is read late was copied.
    fn read_of_call(&mut self, address: u64, to: &mut [u8]) -> usize {
        let len = to.len() / 2;
        self.read(address, &mut to[..len])
    }

    fn script(&self, _: &ScriptLayout) -> Option<ScriptFrames> {
        None
    }

    fn is_still(&self) -> bool {
        self.is_still
    }

    /// Each reading is checked, as if it had come late.
    fn begin_check(&mut self) -> bool {
        !self.is_still
    }
}

/// The number of functions of all languages that have names in memory with these bytes.
pub fn examine_frames(bytes: &[u8]) -> usize {
    let mut names = 0;
    for is_still in [true, false] {
        let all = python::samples().into_iter().chain(php::samples()).chain(perl::samples()).chain(ruby::samples());
        names += all.map(|runtime| named(&runtime, &mut Everywhere::of(bytes, is_still))).sum::<usize>();
        for layout in [samples::of_11(), samples::of_17(), samples::of_25()] {
            names += compiled(&mut samples::process(layout), &mut Everywhere::of(bytes, is_still));
        }
        names += compiled(&mut *v8::sample(), &mut Everywhere::of(bytes, is_still));
    }
    names
}

/// The names of frames of a language that is interpreted. The thread stands still, or its frames were found elsewhere.
fn named(runtime: &Rc<dyn Runtime>, memory: &mut Everywhere<'_>) -> usize {
    let layout = runtime.layout(0);
    let mut found = if memory.is_still { runtime.frames(&layout, 0x1000, memory) } else { listed(memory) };
    assert!(found.frames.len() <= ScriptLayout::FRAMES);
    runtime.complete(&mut found.frames);
    for evaluations in [1, 2, found.frames.len()] {
        assert!(runtime.runs(&found.frames, evaluations).iter().sum::<usize>() <= found.frames.len());
    }
    let mut names = 0;
    for evaluation in evaluations() {
        let Some(language) = language_of(evaluation) else { continue };
        let process = ProcessRuntime::new(language, runtime.clone(), 0);
        let native = native(&[Some("stat"), Some(evaluation), Some("sort"), Some(evaluation), None, Some("main")]);
        let compiled = [false, false, false, false, true, false];
        for bottom in [Bottom::Reached, Bottom::Unknown] {
            let native = Native { frames: &native, compiled: if runtime.compiles() { &compiled } else { &[] }, bottom };
            let mixed = mix_in(&process, &native, Some(&found), memory, &mut ScriptNames::default());
            names += with_names(&mixed.frames);
        }
    }
    names
}

/// A list of frames of any content, as the kernel side may hand it over.
fn listed(memory: &mut Everywhere<'_>) -> ScriptFrames {
    let mut numbers = (0..).map(|place: u64| memory.word(8 * place).unwrap_or_default());
    let mut number = || numbers.next().unwrap_or_default();
    let ends = [ScriptEnd::Reached, ScriptEnd::Limit, ScriptEnd::NoFrames, ScriptEnd::Unreadable];
    let (end, len) = (ends[number() as usize % ends.len()], number() as usize % 12);
    let mut frame = || ScriptFrame { code: number(), place: number(), identity: number(), kind: number() };
    ScriptFrames { frames: (0..len).map(|_| frame()).collect(), end, several: false }
}

/// The names of frames of a language that is compiled while the program runs.
fn compiled(jit: &mut dyn Jit, memory: &mut Everywhere<'_>) -> usize {
    let frames = native(&[Some("stat"), None, Some("entry"), None]);
    let mut numbers = (0..).map(|place: u64| memory.word(8 * place).unwrap_or_default());
    // The addresses and places are part of the memory, too.
    let addresses: Vec<_> = numbers.by_ref().take(frames.len()).collect();
    let bps: Vec<_> = numbers.by_ref().take(frames.len()).collect();
    drop(numbers);
    let place = |&bp: &u64| FramePlace { sp: Some(bp.wrapping_sub(64)), bp: Some(bp) };
    let places: Vec<_> = bps.iter().map(place).collect();
    for &address in &addresses {
        jit.rule(address, memory);
    }
    jit.layout(Some(memory));
    let listed = (!memory.is_still).then(|| listed(memory));
    let mut names = 0;
    for bottom in [Bottom::Unknown, Bottom::Reached] {
        let mut reads = Vec::new();
        let mut native = NativeStack {
            addresses: &addresses,
            places: &places,
            bottom,
            reads: &mut reads,
            script: listed.as_ref(),
            is_of_file: &|address| address % 3 == 0,
        };
        names += with_names(&jit.mix(&mut native, memory, &mut ScriptNames::default()).named(&frames));
    }
    names
}

/// Frames of the native stack; those without a name are in no file.
fn native(names: &[Option<&str>]) -> Vec<Arc<StackFrame>> {
    let file = Arc::new(CodeFile { path: b"/usr/bin/program".as_slice().into(), build_id: [].into() });
    let frame = |name: &Option<&str>| {
        let symbol = name.map(|name| Symbol { name: name.into(), offset: 1 });
        let module = name.map(|_| file.clone());
        Arc::new(StackFrame { module, offset: 1, symbol, source: None, inlined: Box::default() })
    };
    names.iter().map(frame).collect()
}

/// The number of frames that are functions of the language.
fn with_names(frames: &[Arc<StackFrame>]) -> usize {
    let is_named = |frame: &&Arc<StackFrame>| {
        frame.module.is_none() && frame.symbol.as_ref().is_some_and(|symbol| !symbol.name.starts_with('['))
    };
    frames.iter().filter(is_named).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_are_examined() {
        let mut state = 7u64;
        for len in (0..4096).step_by(96) {
            let mut bytes = vec![0; len];
            for byte in &mut bytes {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // (Many zeros, as pointers have.)
                *byte = if state >> 62 == 0 { (state >> 33) as u8 } else { 0 };
            }
            examine_frames(&bytes);
        }
    }
}
