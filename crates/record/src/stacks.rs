//! Stacks in a batch. Each module, frame and stack is written where it is needed first, and named by its number from then on.

use crate::stream::{BatchSource, Malformed, Streams};
use std::collections::HashMap;
use std::sync::Arc;
use stride_event::{Bottom, CodeFile, InlinedFunction, SourceLine, Stack, StackFrame, Symbol};

/// Frames and places in stacks that a batch may have. A stack of Stride's has at most 65,536.
const MAX_FRAMES: usize = 1 << 17;
const MAX_PLACES: usize = 1 << 20;
const MAX_INLINED: usize = 1 << 18;
/// The writer begins another batch well before.
const MANY_FRAMES: usize = MAX_FRAMES / 4;
const MANY_PLACES: usize = MAX_PLACES / 2;

const SYMBOL: u8 = 1;
const SOURCE: u8 = 2;

/// Values by their address in memory. Equal frames of stacks are one value, so the address suffices.
struct Numbered<T> {
    numbers: HashMap<*const T, usize>,
    /// So that their places are not taken by others meanwhile.
    kept: Vec<Arc<T>>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered { numbers: HashMap::new(), kept: Vec::new() }
    }
}

impl<T> Numbered<T> {
    fn clear(&mut self) {
        self.numbers.clear();
        self.kept.clear();
    }

    /// Its number, and whether it is new.
    fn number(&mut self, it: &Arc<T>) -> (usize, bool) {
        let next = self.kept.len();
        let number = *self.numbers.entry(Arc::as_ptr(it)).or_insert(next);
        if number == next {
            self.kept.push(it.clone());
        }
        (number, number == next)
    }
}

#[derive(Default)]
pub struct StackWriter {
    modules: Numbered<CodeFile>,
    frames: Numbered<StackFrame>,
    stacks: Numbered<Stack>,
    places: usize,
}

impl StackWriter {
    pub fn clear(&mut self) {
        self.modules.clear();
        self.frames.clear();
        self.stacks.clear();
        self.places = 0;
    }

    pub fn is_full(&self) -> bool {
        self.frames.kept.len() >= MANY_FRAMES || self.places >= MANY_PLACES
    }

    pub fn put(&mut self, to: &mut Streams, stack: &Arc<Stack>) {
        let (number, new) = self.stacks.number(stack);
        to.uint(number as u64);
        if !new {
            return;
        }
        to.byte(match stack.bottom {
            Bottom::Reached => 0,
            Bottom::Limit => 1,
            Bottom::Unknown => 2,
        });
        to.uint(stack.frames.len() as u64);
        self.places += stack.frames.len() + 1;
        for frame in &stack.frames {
            let (number, new) = self.frames.number(frame);
            to.uint(number as u64);
            if new {
                self.frame(to, frame);
            }
        }
    }

    fn frame(&mut self, to: &mut Streams, frame: &StackFrame) {
        match &frame.module {
            None => to.uint(0),
            Some(module) => {
                let (number, new) = self.modules.number(module);
                to.uint(number as u64 + 1);
                if new {
                    to.bytes(&module.path);
                    to.bytes(&module.build_id);
                }
            }
        }
        to.uint(frame.offset);
        to.byte(if frame.symbol.is_some() { SYMBOL } else { 0 } | if frame.source.is_some() { SOURCE } else { 0 });
        if let Some(symbol) = &frame.symbol {
            to.bytes(symbol.name.as_bytes());
            to.uint(symbol.offset);
        }
        line(to, frame.source.as_ref());
        to.uint(frame.inlined.len() as u64);
        for inlined in &frame.inlined {
            to.bytes(inlined.name.as_bytes());
            to.byte(if inlined.source.is_some() { SOURCE } else { 0 });
            line(to, inlined.source.as_ref());
        }
    }
}

fn line(to: &mut Streams, source: Option<&SourceLine>) {
    if let Some(source) = source {
        to.bytes(source.file.as_bytes());
        to.uint(source.line.into());
    }
}

#[derive(Default)]
pub struct StackReader {
    modules: Vec<Arc<CodeFile>>,
    frames: Vec<Arc<StackFrame>>,
    stacks: Vec<Arc<Stack>>,
    places: usize,
    inlined: usize,
}

impl StackReader {
    pub fn clear(&mut self) {
        *self = StackReader::default();
    }

    pub fn get(&mut self, from: &mut BatchSource) -> Result<Arc<Stack>, Malformed> {
        let number = from.uint()? as usize;
        if number == self.stacks.len() {
            let stack = self.stack(from)?;
            self.stacks.push(Arc::new(stack));
        }
        self.stacks.get(number).cloned().ok_or(Malformed("a stack is not there"))
    }

    fn stack(&mut self, from: &mut BatchSource) -> Result<Stack, Malformed> {
        let bottom = match from.byte()? {
            0 => Bottom::Reached,
            1 => Bottom::Limit,
            2 => Bottom::Unknown,
            _ => return Err(Malformed("a stack ends in an unknown way")),
        };
        let places = usize::try_from(from.uint()?).unwrap_or(usize::MAX).saturating_add(1);
        self.places = self.places.saturating_add(places);
        if self.places > MAX_PLACES {
            return Err(Malformed("stacks are too large"));
        }
        let mut frames = Vec::new();
        for _ in 1..places {
            let number = from.uint()? as usize;
            if number == self.frames.len() && number < MAX_FRAMES {
                let frame = self.frame(from)?;
                self.frames.push(Arc::new(frame));
            }
            frames.push(self.frames.get(number).cloned().ok_or(Malformed("a frame is not there"))?);
        }
        Ok(Stack { frames: frames.into(), bottom })
    }

    fn frame(&mut self, from: &mut BatchSource) -> Result<StackFrame, Malformed> {
        let module = match from.uint()?.checked_sub(1).map(|number| number as usize) {
            None => None,
            Some(number) => {
                if number == self.modules.len() {
                    let path = from.bytes()?.into();
                    self.modules.push(Arc::new(CodeFile { path, build_id: from.bytes()?.into() }));
                }
                Some(self.modules.get(number).cloned().ok_or(Malformed("a module is not there"))?)
            }
        };
        let offset = from.uint()?;
        let flags = from.byte()?;
        let symbol = if flags & SYMBOL != 0 { Some(Symbol { name: name(from)?, offset: from.uint()? }) } else { None };
        let source = line_of(from, flags)?;
        let count = usize::try_from(from.uint()?).unwrap_or(usize::MAX);
        self.inlined = self.inlined.saturating_add(count);
        if self.inlined > MAX_INLINED {
            return Err(Malformed("too many functions are inlined"));
        }
        let mut inlined = Vec::new();
        for _ in 0..count {
            let name = name(from)?;
            let flags = from.byte()?;
            inlined.push(InlinedFunction { name, source: line_of(from, flags)? });
        }
        Ok(StackFrame { module, offset, symbol, source, inlined: inlined.into() })
    }
}

fn name(from: &mut BatchSource) -> Result<Box<str>, Malformed> {
    Ok(String::from_utf8_lossy(from.bytes()?).into())
}

fn line_of(from: &mut BatchSource, flags: u8) -> Result<Option<SourceLine>, Malformed> {
    Ok(if flags & SOURCE != 0 { Some(SourceLine { file: name(from)?, line: from.small()? }) } else { None })
}
