//! Asks a file of code, or memory, everything that can be asked. Only tests and `fuzz/` use this.

use crate::elf::ElfData;
use crate::image::CodeImage;
use crate::jit::hotspot::samples;
use crate::jit::runtime::{Jit, NativeStack};
use crate::script::mixed::ScriptNames;
use crate::script::perl;
use crate::script::runtime::Runtime;
use crate::unwind::cfi::UnwindRule;
use crate::unwind::place::FramePlace;
use gimli::UnwindContext;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{Bottom, ScriptFrames, ScriptLayout, StackFrame, ThreadMemory};

/// The numbers of addresses in `text` that have a rule for unwinding, a name and a line.
pub fn examine(bytes: &[u8], text: &Range<u64>) -> (usize, usize, usize) {
    let image = CodeImage::new(b"/program", Some(ElfData::Memory(Arc::from(bytes))), &Rc::default());
    let mut context = UnwindContext::new();
    let (mut rules, mut names, mut lines) = (0, 0, 0);
    image.bias(0x7f00_0000, 0x1000);
    for address in text.clone().step_by(23).chain([0, u64::MAX, u64::MAX - 1]) {
        rules += usize::from(!matches!(image.rule(address, &mut context), UnwindRule::Unknown));
        let frame = image.frame(address, true);
        names += usize::from(frame.symbol.is_some());
        lines += usize::from(frame.source.is_some());
        image.returns_from_signal(address);
        image.preceding(address);
    }
    (rules, names, lines)
}

/// Memory in which the same bytes are everywhere, up to the end of user space. So most words lead somewhere.
struct Everywhere<'a>(&'a [u8]);

impl ThreadMemory for Everywhere<'_> {
    fn word(&mut self, address: u64) -> Option<u64> {
        let mut word = [0; 8];
        (self.read(address, &mut word) == word.len()).then_some(u64::from_le_bytes(word))
    }

    fn read(&mut self, address: u64, to: &mut [u8]) -> usize {
        const END: u64 = 1 << 47;
        if self.0.is_empty() || address >= END {
            return 0;
        }
        let from = address as usize % self.0.len();
        for (byte, to) in self.0.iter().cycle().skip(from).zip(to.iter_mut()) {
            *to = *byte;
        }
        to.len()
    }

    fn script(&self, _: &ScriptLayout) -> Option<ScriptFrames> {
        None
    }

    /// What is read is checked, as if it had been read late.
    fn begin_check(&mut self) -> bool {
        true
    }
}

/// The number of functions of Perl and Java that have names in memory with these bytes.
pub fn examine_frames(bytes: &[u8]) -> usize {
    let mut memory = Everywhere(bytes);
    let perl = perl::sample();
    named_by(&*perl, &mut memory)
        + [samples::of_17(), samples::of_25()]
            .map(|layout| named(samples::process(layout), bytes))
            .iter()
            .sum::<usize>()
}

fn named_by(runtime: &dyn Runtime, memory: &mut Everywhere<'_>) -> usize {
    let layout = runtime.layout(0);
    let mut found = runtime.frames(&layout, 0x1000, memory);
    assert!(found.frames.len() <= ScriptLayout::FRAMES);
    runtime.complete(&mut found.frames);
    for evaluations in [1, 2, found.frames.len()] {
        assert!(runtime.runs(&found.frames, evaluations).iter().sum::<usize>() <= found.frames.len());
    }
    let mut names = found.frames.iter().map(|frame| runtime.name(&layout, frame, memory));
    names.by_ref().filter(Option::is_some).count()
}

fn named(mut jit: impl Jit, bytes: &[u8]) -> usize {
    let mut memory = Everywhere(bytes);
    let unnamed = StackFrame { module: None, offset: 0, symbol: None, source: None, inlined: Box::default() };
    let frames = [(); 4].map(|()| Arc::new(unnamed.clone()));
    // The addresses and places are part of the memory, too.
    let mut numbers = (0..).map(|place: u64| memory.word(8 * place).unwrap_or_default());
    let addresses: Vec<_> = numbers.by_ref().take(frames.len()).collect();
    let places: Vec<_> = numbers
        .by_ref()
        .take(frames.len())
        .map(|bp| FramePlace { sp: Some(bp.wrapping_sub(64)), bp: Some(bp) })
        .collect();
    drop(numbers);
    let mut reads = Vec::new();
    let mut native = NativeStack {
        frames: &frames,
        addresses: &addresses,
        places: &places,
        bottom: Bottom::Unknown,
        reads: &mut reads,
        script: None,
        is_of_file: &|_| false,
    };
    for &address in &addresses {
        jit.rule(address, &mut memory);
    }
    let mixed = jit.mix(&mut native, &mut memory, &mut ScriptNames::default());
    let is_named = |frame: &&Arc<StackFrame>| frame.symbol.as_ref().is_some_and(|symbol| !symbol.name.starts_with('['));
    mixed.frames.iter().filter(is_named).count()
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
