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
#[cfg(test)]
mod hostile_tests;
mod optimized;
mod positions;
mod version;

use crate::elf::Elf;
use crate::jit::runtime::{FoundJit, Jit, JitFile, JitFrame, JitStack, NativeStack};
use crate::jit::v8::function::{JsFunction, KnownFunctions, SharedFunction};
use crate::jit::v8::heap::{Heap, HeapObject, small_integer};
use crate::jit::v8::optimized::{AtAddress, KnownAddresses, PlaceInCode};
use crate::jit::v8::version::{IsolatePointer, V8};
use crate::script::mixed::ScriptNames;
use crate::script::unknown::unknown;
use crate::script::word_size::word;
use std::rc::Rc;
use stride_event::{Bottom, ScriptEnd, ScriptFrame, ScriptLayout, SourceLine, StackFrame, Symbol, ThreadMemory};

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

/// A process with a version that is known. Only tests and `fuzz/` use this.
pub fn sample() -> Box<dyn Jit> {
    let v8 = version::of_20().unwrap_or_else(|| unreachable!("it tells all numbers"));
    FileWithV8(Rc::new(v8)).in_process(0)
}

struct FileWithV8(Rc<V8>);

impl JitFile for FileWithV8 {
    fn in_process(&self, bias: u64) -> Box<dyn Jit> {
        Box::new(ProcessV8 {
            v8: self.0.clone(),
            bias,
            known: KnownFunctions::default(),
            code: KnownAddresses::default(),
            code_map: 0,
            interpreter: 0,
            lacks: false,
        })
    }
}

struct ProcessV8 {
    v8: Rc<V8>,
    bias: u64,
    known: KnownFunctions,
    code: KnownAddresses,
    /// The map of objects with bytecode, once one was seen.
    code_map: u64,
    /// Where frames of the interpreter go on, once one was seen.
    interpreter: u64,
    /// Something of the stack that is being made is missing.
    lacks: bool,
}

/// What a frame stands for.
enum Meaning {
    /// No function of a script.
    Other,
    /// Innermost first: those that were merged into a function, and the function.
    Functions(Vec<StackFrame>),
    Gone,
}

const GONE: &str = "[node: a function that is gone]";
const CODE_GONE: &str = "[node: optimised code that is gone]";
const NO_TABLE: &str = "[node: optimised code whose functions are not known]";
const MORE: &str = "[node: more frames]";

/// The slots of a frame, below its frame pointer.
const CONTEXT: u64 = 8;
const FUNCTION: u64 = 16;
const BYTECODE: u64 = 32;
const PLACE: u64 = 40;

/// What a frame has of the function that it runs.
struct FunctionFrame {
    function: HeapObject,
    /// The frame has bytecode, and the object, if that is known.
    has_bytecode: bool,
    bytecode: Option<HeapObject>,
    /// In interpreted code: where the function is.
    place: Option<i32>,
    /// Where the frame goes on.
    address: u64,
    is_of_file: bool,
}

impl FunctionFrame {
    /// The frame that is known by its frame pointer, if it runs a function. The words that tell are added to `reads`.
    fn of(
        native: &NativeStack<'_>,
        index: usize,
        v8: &V8,
        memory: &mut dyn ThreadMemory,
        reads: &mut Vec<(u64, u64)>,
    ) -> Option<FunctionFrame> {
        let (bp, address) = (native.places.get(index)?.bp?, *native.addresses.get(index)?);
        let mut slot = |distance: u64| {
            let at = bp.wrapping_sub(distance);
            let word = memory.word(at)?;
            reads.push((at, word));
            Some(word)
        };
        // In other frames, a small integer tells their kind.
        HeapObject::of(slot(CONTEXT)?)?;
        let function = HeapObject::of(slot(FUNCTION)?)?;
        let (bytecode, place) = (slot(BYTECODE).and_then(HeapObject::of), slot(PLACE).and_then(small_integer));
        let bytecode = bytecode.filter(|&bytecode| Heap { v8, memory }.is(bytecode, v8.types.bytecode));
        Some(FunctionFrame {
            function,
            has_bytecode: bytecode.is_some(),
            bytecode,
            place,
            address,
            is_of_file: (native.is_of_file)(address),
        })
    }

    /// A frame that the engine has found.
    fn listed(
        frame: &ScriptFrame,
        bp: u64,
        is_of_file: &dyn Fn(u64) -> bool,
        memory: &mut dyn ThreadMemory,
    ) -> Option<FunctionFrame> {
        let place = frame.kind as u32;
        let address = frame.place.wrapping_sub(1);
        let has_bytecode = place != ScriptLayout::NONE;
        Some(FunctionFrame {
            function: HeapObject::of(frame.code)?,
            has_bytecode,
            // (Frames far up the stack were not copied.)
            bytecode: memory.word(bp.wrapping_sub(BYTECODE)).and_then(HeapObject::of).filter(|_| has_bytecode),
            place: (place < ScriptLayout::COMPILED).then_some(place as i32),
            address,
            is_of_file: is_of_file(address),
        })
    }
}

impl ProcessV8 {
    fn meaning(
        &mut self,
        found: &FunctionFrame,
        memory: &mut dyn ThreadMemory,
        reads: &mut Vec<(u64, u64)>,
    ) -> Meaning {
        let v8 = self.v8.clone();
        let mut heap = Heap { v8: &v8, memory };
        if self.code_map == 0
            && let Some(map) = found.bytecode.and_then(|bytecode| heap.word(bytecode, 0))
        {
            self.code_map = map;
        }
        if found.is_of_file && found.has_bytecode && found.place.is_some() && self.interpreter == 0 {
            self.interpreter = found.address.wrapping_add(1);
        }
        let function = match self.function(&mut heap, found.function, found.bytecode, reads) {
            Found::Builtin if !found.has_bytecode => return Meaning::Other,
            Found::Function(function) => function,
            _ => return Meaning::Gone,
        };
        Meaning::Functions(self.functions(&mut heap, &function, found, reads))
    }

    /// The functions that a frame stands for, the innermost first.
    ///
    /// The interpreter is part of the file, or has a copy elsewhere. Where optimised code takes the place of the interpreter while the function runs, the
    /// frame still has the bytecode and an old place.
    fn functions(
        &mut self,
        heap: &mut Heap<'_>,
        function: &JsFunction,
        found: &FunctionFrame,
        reads: &mut Vec<(u64, u64)>,
    ) -> Vec<StackFrame> {
        let place = found.place.filter(|_| found.has_bytecode);
        if !found.is_of_file {
            if found.has_bytecode
                && let Some(at) = function.place_of_baseline(heap, found.address)
            {
                return vec![self.at(heap, function, at)];
            }
            match self.code.at(heap, found.address, reads) {
                AtAddress::Places(places) => return self.optimized(heap, function, &places),
                AtAddress::WithoutTable => return vec![unknown(NO_TABLE), frame(function, 0, None)],
                // Other functions may be merged into it.
                AtAddress::Unknown => {
                    self.lacks = true;
                    return vec![unknown(CODE_GONE), frame(function, 0, None)];
                }
                AtAddress::NoCode => {}
            }
        }
        let offset = heap.v8.bytecode.data as i32 - 1;
        let at = place.and_then(|place| u32::try_from(place.checked_sub(offset)?).ok());
        vec![match at {
            Some(at) => self.at(heap, function, at),
            None => frame(function, 0, None),
        }]
    }

    /// The frame of a function that is at a place of its bytecode.
    fn at(&mut self, heap: &mut Heap<'_>, function: &JsFunction, at: u32) -> StackFrame {
        let line = function.line(heap, at);
        let line = line.unwrap_or_default();
        // (V8 may make the table later.)
        self.lacks |= line.is_none();
        frame(function, at.into(), line)
    }

    /// A function and those that were merged into it.
    fn optimized(&mut self, heap: &mut Heap<'_>, function: &JsFunction, places: &[PlaceInCode]) -> Vec<StackFrame> {
        let mut named = |place: &PlaceInCode| {
            let Some(shared) = place.shared else {
                return frame(function, 0, function.line_of_position(place.position));
            };
            match SharedFunction::now(heap, shared).and_then(|shared| self.known.get(heap, shared, None)) {
                Some(merged) => frame(&merged, 0, merged.line_of_position(place.position)),
                None => {
                    self.lacks = true;
                    unknown(GONE)
                }
            }
        };
        places.iter().map(&mut named).collect()
    }

    /// The function of a closure, which has this bytecode. (If it has other bytecode, another closure is where it was.)
    fn function(
        &mut self,
        heap: &mut Heap<'_>,
        closure: HeapObject,
        bytecode: Option<HeapObject>,
        reads: &mut Vec<(u64, u64)>,
    ) -> Found {
        let mut find = || {
            let shared = heap.word_of_call(closure, heap.v8.shared)?;
            reads.push((closure.at(heap.v8.shared), shared));
            let shared = HeapObject::of(shared)?;
            let data = heap.word_of_call(shared, heap.v8.shared_info.data)?;
            let has_no_bytecode = small_integer(data).is_some() || is_of_wasm(heap, data);
            if has_no_bytecode && heap.is(shared, heap.v8.types.shared_info) {
                return Some(Found::Builtin);
            }
            let shared = SharedFunction::of_call(heap, shared)?;
            Some(Found::Function(self.known.get(heap, shared, bytecode)?))
        };
        find().unwrap_or(Found::Gone)
    }
}

/// True if the thread stands still, and a function's data are those of WebAssembly, and not bytecode or what leads there.
fn is_of_wasm(heap: &mut Heap<'_>, data: u64) -> bool {
    let types = heap.v8.types;
    let kind = HeapObject::of(data).filter(|_| heap.memory.is_still()).and_then(|data| heap.kind(data));
    kind.is_some_and(|kind| ![types.bytecode, types.code, types.interpreter_data].contains(&kind))
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

/// Adds what a frame stands for.
fn add(meaning: Meaning, native: Option<usize>, mixed: &mut JitStack, names: &mut ScriptNames) {
    match meaning {
        Meaning::Other => mixed.frames.extend(native.map(JitFrame::Native)),
        Meaning::Functions(functions) => {
            mixed.frames.extend(functions.into_iter().map(|function| JitFrame::Function(names.one(function))));
        }
        Meaning::Gone => {
            mixed.lacks = true;
            mixed.frames.push(JitFrame::Function(names.one(unknown(GONE))));
        }
    }
}

/// The frames that the engine has found, by their frame pointers.
struct Listed<'a> {
    frames: &'a [ScriptFrame],
    /// The stack pointer.
    sp: u64,
}

impl Listed<'_> {
    fn bp(&self, frame: &ScriptFrame) -> u64 {
        self.sp.wrapping_add(frame.kind >> 32)
    }

    fn find(&self, bp: Option<u64>) -> Option<&ScriptFrame> {
        let at = self.frames.binary_search_by_key(&bp?, |frame| self.bp(frame)).ok()?;
        self.frames.get(at)
    }
}

impl Jit for ProcessV8 {
    fn layout(&mut self, memory: Option<&mut dyn ThreadMemory>) -> Option<ScriptLayout> {
        let isolate = self.v8.isolate?;
        let pointer = match isolate.pointer {
            IsolatePointer::At(distance) => distance,
            IsolatePointer::Key(address) => {
                // (In glibc, behind the first members of its thread.)
                const FIRST: u64 = 0x310;
                let key = word(address.wrapping_add(self.bias), memory?)? & u64::from(u32::MAX);
                (key < 32).then_some(FIRST + 16 * key + 8)?
            }
        };
        Some(ScriptLayout {
            interpreters: pointer,
            innermost: isolate.left,
            innermost_there: isolate.left_quickly,
            // The kind, the context, five registers, and then this.
            caller: -64i32 as u32,
            code: self.v8.shared,
            contents: match self.v8.shared_info.id {
                Some(id) => [id, ScriptLayout::NONE, ScriptLayout::NONE],
                None => [self.v8.shared_info.script, self.v8.script.id, ScriptLayout::NONE],
            },
            form: ScriptLayout::ON_NATIVE_STACK,
            code_map: self.code_map,
            interpreter: self.interpreter,
            ..ScriptLayout::default()
        })
    }

    fn mix(
        &mut self,
        native: &mut NativeStack<'_>,
        memory: &mut dyn ThreadMemory,
        names: &mut ScriptNames,
    ) -> JitStack {
        let mut mixed = JitStack::default();
        let sp = native.places.first().and_then(|place| place.sp).unwrap_or_default();
        let listed = Listed { frames: native.script.map_or(&[], |script| &script.frames), sp };
        // Until the engine knows the map of bytecode, it cannot tell bytecode from other words.
        let tells_bytecode = self.code_map != 0;
        let v8 = self.v8.clone();
        let mut last = sp;
        self.lacks = false;
        for index in 0..native.addresses.len() {
            let mut reads = Vec::new();
            let in_list = listed.find(native.places.get(index).and_then(|place| place.bp));
            let is_listed = in_list.is_some();
            let found = match in_list.filter(|_| tells_bytecode) {
                Some(frame) => FunctionFrame::listed(frame, listed.bp(frame), native.is_of_file, memory),
                None => FunctionFrame::of(native, index, &v8, memory, &mut reads),
            };
            if is_listed {
                // What stands for all frames that the engine has found tells the same.
                reads.clear();
            }
            last = native.places.get(index).and_then(|place| place.bp.or(place.sp)).unwrap_or(last).max(last);
            let meaning = found.map_or(Meaning::Other, |found| {
                let mut of_function = Vec::new();
                let meaning = self.meaning(&found, memory, &mut of_function);
                // (What code stands at an address counts in any case. The first word is that of the closure.)
                reads.extend(of_function.into_iter().skip(usize::from(is_listed)));
                meaning
            });
            native.reads.append(&mut reads);
            add(meaning, Some(index), &mut mixed, names);
        }
        self.drop_reads(native, &listed);
        // The native stack is not known to its end, and these frames are.
        if native.bottom == Bottom::Unknown {
            for frame in listed.frames.iter().filter(|frame| listed.bp(frame) > last) {
                let found = FunctionFrame::listed(frame, listed.bp(frame), native.is_of_file, memory);
                let meaning = found.map_or(Meaning::Gone, |found| self.meaning(&found, memory, native.reads));
                add(meaning, None, &mut mixed, names);
            }
        }
        if native.script.is_some_and(|script| script.end == ScriptEnd::Limit) {
            mixed.lacks = true;
            mixed.frames.push(JitFrame::Function(names.one(unknown(MORE))));
        }
        mixed.lacks |= self.lacks;
        mixed.lacks |= native.script.is_some() && !tells_bytecode;
        mixed
    }
}

impl ProcessV8 {
    /// Between two frames that the engine has found, the words that lead from one to the other count in what stands for all frames.
    fn drop_reads(&self, native: &mut NativeStack<'_>, listed: &Listed<'_>) {
        let pointers: Vec<Option<u64>> = native.places.iter().map(|place| place.bp).collect();
        let mut dropped: Vec<u64> = Vec::new();
        for pair in pointers.windows(2) {
            if listed.find(pair[0]).is_some() && listed.find(pair[1]).is_some() {
                dropped.extend(pair[0].into_iter().flat_map(|bp| [bp, bp.wrapping_add(8)]));
            }
        }
        native.reads.retain(|(at, _)| dropped.binary_search(at).is_err());
    }
}
