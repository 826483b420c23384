//! The stacks of calls, as interned callstacks.
//!
//! A callstack is a list of frames; a frame has a function, a module and a line. Each of these has a number, which is
//! the same in all packet sequences. A sequence defines a thing where it needs it first, so it only keeps the numbers
//! that it has defined.

use super::text::printable;
use super::{schema, wire};
use crate::brief::frames::{self, Function};
use crate::spelling::legible::cut;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{CodeFile, PerStack, Stack};

/// The frames that are written of one stack, at most: the innermost.
const DEEPEST: usize = 128;
/// The longest name.
const NAME: usize = 200;
/// Frames and texts that are kept. When there are more, all go. Numbers go on.
const MOST: usize = 1 << 16;
/// Frames of callstacks that are kept.
const MOST_KEPT: usize = 1 << 17;

/// A text with its number.
type Numbered = (u64, Rc<str>);

#[derive(Clone)]
pub struct Callstack {
    number: u64,
    /// Outermost first.
    frames: Rc<[CallstackFrame]>,
    /// The function of the program's own that made the call.
    pub caller: Rc<str>,
}

#[derive(Clone)]
struct CallstackFrame {
    number: u64,
    function: Numbered,
    module: Option<CallstackModule>,
    offset: u64,
    source: Option<(Numbered, u32)>,
}

#[derive(Clone)]
struct CallstackModule {
    number: u64,
    path: Numbered,
    build_id: Option<Numbered>,
}

/// All callstacks of a trace.
#[derive(Default)]
pub struct Callstacks {
    cache: PerStack<Option<Callstack>>,
    /// The number of frames in `cache`.
    kept: usize,
    texts: HashMap<(u32, Rc<str>), u64>,
    /// The numbers of modules and frames, by the numbers of their parts.
    parts: HashMap<[u64; 6], u64>,
    last: u64,
}

impl Callstacks {
    pub fn of(&mut self, stack: &Arc<Stack>) -> Callstack {
        if let Some(cached) = self.cache.get(stack, |_| None) {
            return cached.clone();
        }
        if self.texts.len() + self.parts.len() > MOST {
            self.texts.clear();
            self.parts.clear();
            self.kept = MOST_KEPT;
        }
        if self.kept >= MOST_KEPT {
            self.cache.clear();
            self.kept = 0;
        }
        let functions = frames::of_stack(stack).take(DEEPEST + 1);
        let mut frames: Vec<_> = functions.map(|function| self.frame(&function)).collect();
        let is_cut = frames.len() > DEEPEST;
        frames.truncate(DEEPEST);
        let missing = if is_cut { Some(frames::MORE) } else { frames::missing(stack) };
        frames.extend(missing.map(|mark| self.mark(mark)));
        frames.reverse();
        self.kept += frames.len();
        let caller = cut(&printable(&frames::caller(stack)), NAME).into();
        let callstack = Callstack { number: self.next(), frames: frames.into(), caller };
        self.cache.get(stack, |_| None).insert(callstack).clone()
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn frame(&mut self, function: &Function<'_>) -> CallstackFrame {
        let offset = function.offset;
        let name = self.text(schema::interned::FUNCTIONS, &printable(&function.name));
        let module = function.module.map(|module| self.module(module));
        let source = function
            .source
            .map(|source| (self.text(schema::interned::SOURCE_PATHS, &printable(source.file.as_bytes())), source.line));
        let of_source = source.as_ref().map_or((0, 0), |((file, _), line)| (*file, u64::from(*line)));
        let of_module = module.as_ref().map_or(0, |module| module.number);
        let number = self.part([1, name.0, of_module, offset, of_source.0, of_source.1]);
        CallstackFrame { number, function: name, module, offset, source }
    }

    /// A frame that stands for others.
    fn mark(&mut self, mark: &[u8]) -> CallstackFrame {
        let function = self.text(schema::interned::FUNCTIONS, &printable(mark));
        let number = self.part([1, function.0, 0, 0, 0, 0]);
        CallstackFrame { number, function, module: None, offset: 0, source: None }
    }

    fn module(&mut self, module: &CodeFile) -> CallstackModule {
        let path = self.text(schema::interned::MAPPING_PATHS, &printable(&module.path));
        let hex: String = module.build_id.iter().take(64).map(|byte| format!("{byte:02x}")).collect();
        let build_id = (!hex.is_empty()).then(|| self.text(schema::interned::BUILD_IDS, &hex));
        let number = self.part([2, path.0, build_id.as_ref().map_or(0, |id| id.0), 0, 0, 0]);
        CallstackModule { number, path, build_id }
    }

    fn text(&mut self, table: u32, text: &str) -> Numbered {
        let key = (table, Rc::from(cut(text, NAME)));
        let next = self.last + 1;
        let number = *self.texts.entry(key.clone()).or_insert(next);
        self.last = self.last.max(number);
        (number, key.1)
    }

    fn part(&mut self, parts: [u64; 6]) -> u64 {
        let next = self.last + 1;
        let number = *self.parts.entry(parts).or_insert(next);
        self.last = self.last.max(number);
        number
    }
}

/// The callstacks, frames and names that a packet sequence has defined so far. Later packets refer to them by number.
#[derive(Default)]
pub struct DefinedStacks(HashSet<u64>);

impl DefinedStacks {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The number of a callstack. What is not defined yet is defined now.
    pub fn number(&mut self, stack: &Callstack, out: &mut Vec<u8>) -> u64 {
        if self.0.insert(stack.number) {
            stack.frames.iter().for_each(|frame| self.frame(frame, out));
            wire::message(out, schema::interned::CALLSTACKS, |out| {
                wire::uint(out, schema::interned::ID, stack.number);
                stack.frames.iter().for_each(|frame| wire::uint(out, schema::callstack::FRAME, frame.number));
            });
        }
        stack.number
    }

    fn frame(&mut self, frame: &CallstackFrame, out: &mut Vec<u8>) {
        if !self.0.insert(frame.number) {
            return;
        }
        self.text(schema::interned::FUNCTIONS, &frame.function, out);
        if let Some(module) = &frame.module {
            self.module(module, out);
        }
        if let Some((file, _)) = &frame.source {
            self.text(schema::interned::SOURCE_PATHS, file, out);
        }
        wire::message(out, schema::interned::FRAMES, |out| {
            wire::uint(out, schema::interned::ID, frame.number);
            wire::uint(out, schema::frame::FUNCTION, frame.function.0);
            if let Some(module) = &frame.module {
                wire::uint(out, schema::frame::MAPPING, module.number);
                wire::uint(out, schema::frame::OFFSET, frame.offset);
            }
            if let Some((file, line)) = &frame.source {
                wire::uint(out, schema::frame::SOURCE_PATH, file.0);
                wire::uint(out, schema::frame::LINE, u64::from(*line));
            }
        });
    }

    fn module(&mut self, module: &CallstackModule, out: &mut Vec<u8>) {
        if !self.0.insert(module.number) {
            return;
        }
        self.text(schema::interned::MAPPING_PATHS, &module.path, out);
        if let Some(build_id) = &module.build_id {
            self.text(schema::interned::BUILD_IDS, build_id, out);
        }
        wire::message(out, schema::interned::MAPPINGS, |out| {
            wire::uint(out, schema::interned::ID, module.number);
            if let Some((build_id, _)) = &module.build_id {
                wire::uint(out, schema::mapping::BUILD_ID, *build_id);
            }
            wire::uint(out, schema::mapping::PATH, module.path.0);
        });
    }

    fn text(&mut self, table: u32, (number, text): &Numbered, out: &mut Vec<u8>) {
        if self.0.insert(*number) {
            wire::message(out, table, |out| {
                wire::uint(out, schema::interned::ID, *number);
                wire::string(out, schema::interned::TEXT, text);
            });
        }
    }
}
