//! JavaScript functions that V8 runs, as Node has it, among the functions of the native stack.
//!
//! V8 keeps frame pointers in all code that it makes and in its builtins. The frame of a JavaScript function has the function's object in a fixed place
//! below the frame pointer, and behind that its bytecode and the place in it, unless the function is optimised. So the native stack tells where the frames are, and the
//! objects tell which functions they stand for.
//!
//! | module | contents |
//! |---|---|
//! | `version` | where a version keeps the members of its objects: told by the symbols that it exports for debuggers (`v8dbg_…`) |
//! | `heap` | reading objects and strings |
//! | `function` | the name, the file and the bytecode of a function |
//! | `optimized` | the functions that stand at an address of optimised code |
//! | `positions` | tables that map places in code to places in source, and these to lines |
//!
//! Objects may move when V8 collects garbage, and other objects may take their places. So each object is checked: its type, and that the function has the
//! bytecode which the frame runs. Everything that is read may be anything, and counts are bounded.

mod function;
mod heap;
mod optimized;
mod positions;
mod version;

use crate::elf::Elf;
use crate::jit::runtime::{FoundJit, Jit, JitFile, NativeStack};
use crate::jit::v8::function::{JsFunction, KnownFunctions, SHARED};
use crate::jit::v8::heap::{Heap, HeapObject, small_integer};
use crate::jit::v8::optimized::{AtAddress, KnownAddresses, PlaceInCode};
use crate::jit::v8::version::V8;
use crate::script::mixed::{Mixed, ScriptNames, unknown};
use crate::script::walk::word_of;
use std::rc::Rc;
use stride_event::{SourceLine, StackFrame, Symbol, ThreadMemory};

/// All calls of JavaScript functions go through this function.
pub const ENTRY: &str = "Builtins_JSEntry";

/// True if a file of this name tends to have V8: `node`, `nodejs`, `node-22`, `libnode.so.108`.
pub fn is_usual(name: &[u8]) -> bool {
    name.starts_with(b"node") || name.starts_with(b"libnode.so")
}

/// V8 in a file of code.
pub fn find(elf: &Elf, _path: &[u8]) -> Option<FoundJit> {
    Some(match version::find(elf)? {
        Ok(v8) => FoundJit::Known(Rc::new(FileWithV8(Rc::new(v8)))),
        Err(what) => FoundJit::Unsupported(what.into()),
    })
}

struct FileWithV8(Rc<V8>);

impl JitFile for FileWithV8 {
    fn in_process(&self, _bias: u64) -> Box<dyn Jit> {
        Box::new(ProcessV8 { v8: self.0.clone(), known: KnownFunctions::default(), code: KnownAddresses::default() })
    }
}

struct ProcessV8 {
    v8: Rc<V8>,
    known: KnownFunctions,
    code: KnownAddresses,
}

/// What a frame stands for.
enum Meaning {
    /// No function of a script.
    Other,
    /// Innermost first: a function, and behind those that were merged into it.
    Functions(Vec<StackFrame>),
    Gone,
}

const GONE: &str = "[node: a function that is gone]";

/// The slots of a frame, below its frame pointer.
const CONTEXT: u64 = 8;
const FUNCTION: u64 = 16;
const BYTECODE: u64 = 32;
const PLACE: u64 = 40;

impl ProcessV8 {
    fn meaning(&mut self, native: &mut NativeStack<'_>, index: usize, memory: &mut dyn ThreadMemory) -> Meaning {
        let Some(bp) = native.places.get(index).and_then(|place| place.bp) else { return Meaning::Other };
        let mut slot = |distance: u64| {
            let at = bp.wrapping_sub(distance);
            let word = memory.word(at)?;
            native.reads.push((at, word));
            Some(word)
        };
        // In other frames, a small integer tells their kind.
        let Some(_) = slot(CONTEXT).and_then(HeapObject::of) else { return Meaning::Other };
        let Some(function) = slot(FUNCTION).and_then(HeapObject::of) else { return Meaning::Other };
        let bytecode = slot(BYTECODE).and_then(HeapObject::of);
        let place = slot(PLACE).unwrap_or_default();
        let v8 = self.v8.clone();
        let mut heap = Heap { v8: &v8, memory };
        let address = native.addresses.get(index).copied().unwrap_or_default();
        let found = match self.function(&mut heap, function, native.reads) {
            // The closure may be gone, and its bytecode is not: V8 moves new objects all the time, and old ones rarely.
            Found::Gone => bytecode
                .and_then(|bytecode| self.known.of_bytecode(&mut heap, bytecode))
                .map_or(Found::Gone, Found::Function),
            // Another function is where the closure was.
            Found::Function(found)
                if bytecode != Some(found.bytecode) && bytecode.is_some_and(|it| heap.is(it, v8.types.bytecode)) =>
            {
                bytecode
                    .and_then(|bytecode| self.known.of_bytecode(&mut heap, bytecode))
                    .map_or(Found::Gone, Found::Function)
            }
            found => found,
        };
        match found {
            Found::Function(found) => {
                let is_of_file = native.frames.get(index).is_some_and(|frame| frame.module.is_some());
                let bytecode = bytecode.filter(|bytecode| *bytecode == found.bytecode);
                Meaning::Functions(self.functions(
                    &mut heap,
                    &found,
                    bytecode.map(|_| place),
                    is_of_file,
                    address,
                    native.reads,
                ))
            }
            Found::Builtin => Meaning::Other,
            Found::Gone => Meaning::Gone,
        }
    }

    /// The functions that a frame stands for, the innermost first.
    ///
    /// The interpreter is part of the file, or has a copy elsewhere. Where optimised code takes the place of the interpreter while the function runs, the
    /// frame still has the bytecode and an old place.
    fn functions(
        &mut self,
        heap: &mut Heap<'_>,
        function: &JsFunction,
        place: Option<u64>,
        is_of_file: bool,
        address: u64,
        reads: &mut Vec<(u64, u64)>,
    ) -> Vec<StackFrame> {
        let mut place = place.and_then(small_integer);
        if !is_of_file {
            if let Some(at) = function.place_of_baseline(heap, address) {
                return vec![frame(function, at.into(), function.line(heap, at))];
            }
            match self.code.at(heap, address, reads) {
                AtAddress::Places(places) => return self.optimized(heap, function, &places),
                AtAddress::Unknown => place = None,
                AtAddress::NoCode => {}
            }
        }
        let offset = heap.v8.bytecode.data as i32 - 1;
        let at = place.and_then(|place| u32::try_from(place.checked_sub(offset)?).ok());
        let line = at.and_then(|at| function.line(heap, at));
        vec![frame(function, at.unwrap_or_default().into(), line)]
    }

    /// A function and those that were merged into it.
    fn optimized(&mut self, heap: &mut Heap<'_>, function: &JsFunction, places: &[PlaceInCode]) -> Vec<StackFrame> {
        let mut named = |place: &PlaceInCode| {
            let Some(shared) = place.shared else {
                return frame(function, 0, function.line_of_position(place.position));
            };
            match heap.head(shared).and_then(|content| self.known.get(heap, shared, &content)) {
                Some(merged) => frame(&merged, 0, merged.line_of_position(place.position)),
                None => unknown(GONE),
            }
        };
        places.iter().map(&mut named).collect()
    }

    /// The function of a closure.
    fn function(&mut self, heap: &mut Heap<'_>, closure: HeapObject, reads: &mut Vec<(u64, u64)>) -> Found {
        let mut find = || {
            let shared = heap.word(closure, heap.v8.shared)?;
            reads.push((closure.at(heap.v8.shared), shared));
            let shared = HeapObject::of(shared)?;
            let content: [u8; SHARED] = heap.head(shared)?;
            let data = word_of(&content, heap.v8.shared_info.data);
            if small_integer(data).is_some() && heap.is(shared, heap.v8.types.shared_info) {
                return Some(Found::Builtin);
            }
            Some(Found::Function(self.known.get(heap, shared, &content)?))
        };
        find().unwrap_or(Found::Gone)
    }
}

enum Found {
    Function(Rc<JsFunction>),
    /// It has no bytecode.
    Builtin,
    Gone,
}

fn frame(function: &JsFunction, place: u64, line: Option<u32>) -> StackFrame {
    StackFrame {
        module: None,
        offset: place,
        symbol: Some(Symbol { name: function.name.clone(), offset: place }),
        source: Some(SourceLine { file: function.file.clone(), line: line.unwrap_or_default() }),
        inlined: Box::default(),
    }
}

impl Jit for ProcessV8 {
    fn mix(&mut self, native: &mut NativeStack<'_>, memory: &mut dyn ThreadMemory, names: &mut ScriptNames) -> Mixed {
        let mut mixed = Mixed { frames: Vec::with_capacity(native.frames.len()), lacks: false };
        for (index, frame) in native.frames.iter().enumerate() {
            match self.meaning(native, index, memory) {
                Meaning::Other => mixed.frames.push(frame.clone()),
                Meaning::Functions(functions) => {
                    mixed.frames.extend(functions.into_iter().map(|function| names.one(function)));
                }
                Meaning::Gone => {
                    mixed.lacks = true;
                    mixed.frames.push(names.one(unknown(GONE)));
                }
            }
        }
        mixed
    }
}
