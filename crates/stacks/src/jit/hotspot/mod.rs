//! Methods of Java that HotSpot runs, among the functions of the native stack.
//!
//! HotSpot interprets methods, and compiles those that are called often. Frames of the interpreter have a frame pointer, the method, and the place in its bytecode. Frames of
//! compiled code have a known size, and tables tell which methods stand at an address. HotSpot exports tables for debuggers (`gHotSpotVMStructs`), which tell where all
//! this is.
//!
//! | module | contents |
//! |---|---|
//! | `tables` | reading what HotSpot tells debuggers |
//! | `layout` | where a version keeps the members of its objects |
//! | `code_cache` | the piece of code that an address belongs to |
//! | `compiled` | the methods at an address of compiled code |
//! | `method` | the name, the file and the lines of a method |
//! | `stream` | compressed numbers, and tables of lines |
//!
//! Code may be given up and dropped, and classes unloaded, while Stride looks. So what is read is checked: a class and its constants lead to each other, code has a number, and
//! an address is one to which a call returns. Everything that is read may be anything, and counts are bounded.

mod code_cache;
mod compiled;
#[cfg(test)]
mod hostile_tests;
mod layout;
mod method;
pub mod samples;
mod stream;
mod tables;

use crate::elf::Elf;
use crate::jit::hotspot::code_cache::{Blob, BlobKind, CodeCache, CompiledCode};
use crate::jit::hotspot::compiled::{KnownFrames, MethodAt, methods_at};
use crate::jit::hotspot::layout::{Layout, NoLayout, TYPES};
use crate::jit::hotspot::method::KnownMethods;
use crate::jit::hotspot::tables::{DebuggerTables, TableSymbols};
use crate::jit::runtime::{FoundJit, Jit, JitFile, JitFrame, JitStack, NativeStack};
use crate::script::mixed::ScriptNames;
use crate::script::unknown::unknown;
use crate::unwind::cfi::{Cfa, FrameRule, RegisterPlace, UnwindRule};
use crate::unwind::registers::MOST_SAVED;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use stride_event::{StackFrame, ThreadMemory};

/// True if a file of this name tends to have HotSpot.
pub fn is_usual(name: &[u8]) -> bool {
    name == b"libjvm.so"
}

/// HotSpot in a file of code.
pub fn find(elf: &Elf, _path: &[u8]) -> Option<FoundJit> {
    Some(FoundJit::Known(Rc::new(FileWithHotSpot(TableSymbols::find(elf)?))))
}

struct FileWithHotSpot(TableSymbols);

impl JitFile for FileWithHotSpot {
    fn in_process(&self, bias: u64) -> Box<dyn Jit> {
        Box::new(ProcessHotSpot::new(self.0, bias))
    }
}

pub struct ProcessHotSpot {
    symbols: TableSymbols,
    bias: u64,
    version: Version,
    cache: CodeCache,
    known: KnownFrames,
    methods: KnownMethods,
    /// Something of the stack that is being made is missing.
    lacks: bool,
    /// How the walk goes on behind frames of a size.
    rules: FxHashMap<u32, UnwindRule>,
}

enum Version {
    /// It could not be read so many times: the program has just begun.
    NotRead(u32),
    Known(Rc<Layout>),
    Unsupported(Rc<str>),
}

/// Reading the tables takes time.
const MOST_ATTEMPTS: u32 = 8;

const MOST_RULES: usize = 1 << 12;

const GONE: &str = "[java: a method that is gone]";
const CODE_GONE: &str = "[java: code that is gone]";
const MERGED_GONE: &str = "[java: compiled code whose methods are not known]";
const VIRTUAL: &str = "[java: frames of a virtual thread]";

/// Words of a frame of the interpreter, from its frame pointer: the stack pointer of the caller, the method, and the place in the bytecode.
const CALLER_SP: i64 = -8;
const METHOD: i64 = -24;
const BYTECODE: i64 = -64;

impl ProcessHotSpot {
    fn new(symbols: TableSymbols, bias: u64) -> ProcessHotSpot {
        ProcessHotSpot {
            symbols,
            bias,
            version: Version::NotRead(0),
            cache: CodeCache::default(),
            known: KnownFrames::default(),
            methods: KnownMethods::default(),
            lacks: false,
            rules: FxHashMap::default(),
        }
    }

    fn layout(&mut self, memory: &mut dyn ThreadMemory) -> Option<Rc<Layout>> {
        if let Version::NotRead(attempts) = self.version
            && attempts < MOST_ATTEMPTS
        {
            let tables = DebuggerTables::read(&self.symbols, self.bias, TYPES, memory);
            let layout = tables.map_or(Err(NoLayout::Incomplete), |tables| Layout::of(&tables, memory));
            self.version = match layout {
                Ok(layout) => Version::Known(Rc::new(layout)),
                Err(NoLayout::Unsupported(version)) => Version::Unsupported(format!("Java {version}").into()),
                Err(NoLayout::Incomplete) => Version::NotRead(attempts + 1),
            };
        }
        match &self.version {
            Version::Known(layout) => Some(layout.clone()),
            Version::NotRead(_) | Version::Unsupported(_) => None,
        }
    }

    /// The rule for frames of a size. The caller's frame pointer is saved below the return address.
    fn sized(&mut self, size: u32) -> UnwindRule {
        const FRAME_POINTER: usize = 1;
        let made = || {
            let mut saved = [const { RegisterPlace::Lost }; MOST_SAVED];
            saved[FRAME_POINTER] = if size == 8 { RegisterPlace::Same } else { RegisterPlace::Memory(-16) };
            let cfa = Cfa::Offset { register: 7, offset: size.into() };
            UnwindRule::Frame(Rc::new(FrameRule { cfa, return_address: RegisterPlace::Memory(-8), saved }))
        };
        if self.rules.len() >= MOST_RULES {
            self.rules.clear();
        }
        self.rules.entry(size).or_insert_with(made).clone()
    }

    /// The frames that stand for a frame of compiled code, the innermost first.
    fn compiled(
        &mut self,
        layout: &Layout,
        blob: &Blob,
        compiled: &CompiledCode,
        found: &FrameInCode,
        memory: &mut dyn ThreadMemory,
        reads: &mut Vec<(u64, u64)>,
    ) -> Option<Vec<StackFrame>> {
        reads.push(compiled.identity);
        let mut address = found.address.wrapping_add(1);
        if compiled.given_up.contains(&address) {
            let at = found.sp?.wrapping_add(compiled.original.into());
            address = memory.word(at)?;
            reads.push((at, address));
        }
        if compiled.is_native {
            address = 0;
        }
        if let Some(known) = self.known.get(compiled.identity, address) {
            return Some(known.to_vec());
        }
        if compiled.is_native {
            let method = self.methods.get(&layout.method, layout.excess, compiled.method, memory)?;
            let frames = vec![method.frame(layout.excess, None)];
            self.known.add(compiled.identity, address, &frames);
            return Some(frames);
        }
        let mut at = |address| methods_at(layout, blob, compiled, address, memory);
        // (A signal has interrupted the code at an instruction that may fail.)
        let Some(places) = at(address).or_else(|| at(address.wrapping_sub(1))) else {
            let method = self.methods.get(&layout.method, layout.excess, compiled.method, memory)?;
            // (The tables may be readable the next time.)
            self.lacks = true;
            return Some(vec![unknown(MERGED_GONE), method.frame(layout.excess, None)]);
        };
        let mut frame = |place: &MethodAt| {
            let method = self.methods.get(&layout.method, layout.excess, place.method, memory)?;
            method.has_index(place.index).then(|| method.frame(layout.excess, Some(place.index)))
        };
        let frames: Vec<StackFrame> = places.iter().map(&mut frame).collect::<Option<_>>()?;
        self.known.add(compiled.identity, address, &frames);
        Some(frames)
    }

    /// The frame of the method that a frame of the interpreter runs.
    fn interpreted(
        &mut self,
        layout: &Layout,
        bp: u64,
        memory: &mut dyn ThreadMemory,
        reads: &mut Vec<(u64, u64)>,
    ) -> Option<StackFrame> {
        let mut slot = |distance: i64| {
            let at = bp.wrapping_add_signed(distance);
            let word = memory.word(at)?;
            reads.push((at, word));
            Some(word)
        };
        let (method, bytecode) = (slot(METHOD)?, slot(BYTECODE)?);
        if let Some((known, index)) = self.methods.running(method, bytecode) {
            return Some(known.frame(layout.excess, Some(index)));
        }
        let method = self.methods.get(&layout.method, layout.excess, method, memory)?;
        // (Native methods have no bytecode.)
        Some(method.frame(layout.excess, method.index(bytecode)))
    }
}

/// A frame in code that no file has.
struct FrameInCode {
    address: u64,
    sp: Option<u64>,
    bp: Option<u64>,
}

impl Jit for ProcessHotSpot {
    fn rule(&mut self, address: u64, memory: &mut dyn ThreadMemory) -> UnwindRule {
        let Some(layout) = self.layout(memory) else { return UnwindRule::Unknown };
        let Some(blob) = self.cache.find(&layout, address, memory) else {
            // (Other libraries may make code, too.)
            let is_gone = self.cache.has(&layout, address, memory);
            return if is_gone { UnwindRule::Lost } else { UnwindRule::Unknown };
        };
        match &blob.kind {
            BlobKind::Interpreter => UnwindRule::FramePointer { caller_sp: CALLER_SP },
            // A stack that is full is noticed at the first instruction, in front of the frame. No call returns there.
            BlobKind::Compiled(compiled) if address == compiled.entry => self.sized(8),
            BlobKind::Compiled(_) => self.sized(blob.frame_size),
            BlobKind::Routines if blob.frame_size >= 16 => self.sized(blob.frame_size),
            BlobKind::Routines => UnwindRule::Unknown,
            BlobKind::Continuations | BlobKind::Other => UnwindRule::Lost,
        }
    }

    fn unsupported(&self) -> Option<Rc<str>> {
        match &self.version {
            Version::Unsupported(what) => Some(what.clone()),
            Version::NotRead(_) | Version::Known(_) => None,
        }
    }

    fn mix(
        &mut self,
        native: &mut NativeStack<'_>,
        memory: &mut dyn ThreadMemory,
        names: &mut ScriptNames,
    ) -> JitStack {
        let mut mixed = JitStack::default();
        self.lacks = false;
        for (index, &address) in native.addresses.iter().enumerate() {
            let address = Some(address).filter(|&address| !(native.is_of_file)(address));
            let layout = address.and_then(|_| self.layout(memory));
            let (Some(address), Some(layout)) = (address, layout) else {
                mixed.frames.push(JitFrame::Native(index));
                continue;
            };
            let place = native.places.get(index).copied().unwrap_or_default();
            let found = FrameInCode { address, sp: place.sp, bp: place.bp };
            let Some(blob) = self.cache.find(&layout, address, memory) else {
                let is_gone = self.cache.has(&layout, address, memory);
                mixed.lacks |= is_gone;
                mixed.frames.push(match is_gone {
                    true => JitFrame::Function(names.one(unknown(CODE_GONE))),
                    false => JitFrame::Native(index),
                });
                continue;
            };
            let frames = match &blob.kind {
                BlobKind::Interpreter => {
                    found.bp.and_then(|bp| self.interpreted(&layout, bp, memory, native.reads)).map(|frame| vec![frame])
                }
                BlobKind::Compiled(compiled) => self.compiled(&layout, &blob, compiled, &found, memory, native.reads),
                BlobKind::Continuations => Some(vec![unknown(VIRTUAL)]),
                BlobKind::Routines | BlobKind::Other => Some(vec![unknown(&format!("[HotSpot: {}]", blob.name))]),
            };
            mixed.lacks |= frames.is_none();
            let frames = frames.unwrap_or_else(|| vec![unknown(GONE)]);
            mixed.frames.extend(frames.into_iter().map(|frame| JitFrame::Function(names.one(frame))));
        }
        mixed.lacks |= self.lacks;
        mixed
    }
}
