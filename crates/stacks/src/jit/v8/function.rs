//! What functions are called, and where their bytecode belongs in their source.

use crate::jit::v8::heap::{Heap, HeapObject, small_integer};
use crate::jit::v8::positions::{LineEnds, bytecode_of_baseline, source_position};
use crate::jit::v8::version::{CodeStart, SharedInfo, V8};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// A `SharedFunctionInfo`, and the numbers that tell it from others that were at its address before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SharedFunction {
    pub object: HeapObject,
    id: u64,
}

impl SharedFunction {
    /// What is there now.
    pub fn now(heap: &mut Heap<'_>, object: HeapObject) -> Option<SharedFunction> {
        let (members, script_id) = (heap.v8.shared_info, heap.v8.script.id);
        SharedFunction::read(object, &members, script_id, &mut |object, offset| heap.word(object, offset))
    }

    /// What was there at the moment of the call.
    pub fn of_call(heap: &mut Heap<'_>, object: HeapObject) -> Option<SharedFunction> {
        let (members, script_id) = (heap.v8.shared_info, heap.v8.script.id);
        SharedFunction::read(object, &members, script_id, &mut |object, offset| heap.word_of_call(object, offset))
    }

    fn read(
        object: HeapObject,
        members: &SharedInfo,
        script_id: u32,
        word: &mut dyn FnMut(HeapObject, u32) -> Option<u64>,
    ) -> Option<SharedFunction> {
        let id = match members.id {
            Some(id) => word(object, id)? & u64::from(u32::MAX),
            None => {
                let script = HeapObject::of(word(object, members.script)?)?;
                word(script, script_id)? | word(object, members.number)? & u64::from(u32::MAX)
            }
        };
        Some(SharedFunction { object, id })
    }

    /// True if it is still there.
    fn is_there(self, heap: &mut Heap<'_>) -> bool {
        heap.is(self.object, heap.v8.types.shared_info) && SharedFunction::now(heap, self.object) == Some(self)
    }
}

/// Larger tables and bytecode are not believed.
const LARGEST_TABLE: usize = 4 << 20;
/// When more is known, all goes.
const MOST_FUNCTIONS: usize = 1 << 15;
const MOST_SCRIPTS: usize = 1 << 12;
const MOST_BYTES: usize = 16 << 20;
const MOST_PLACES: usize = 1 << 12;

/// Memory could not be read, or changed meanwhile.
pub struct Unreadable;

/// A function of a script.
pub struct JsFunction {
    shared: SharedFunction,
    pub name: Box<str>,
    pub file: Box<str>,
    /// Its bytecode. The table of positions may be missing: V8 makes it when it needs it.
    pub bytecode: HeapObject,
    /// Where lines end in its script, and how many lines are in front of that.
    lines: Option<(Rc<LineEnds>, i32)>,
    /// LineEnds of places in the bytecode that were looked up.
    known: RefCell<FxHashMap<u32, u32>>,
    /// Places in the bytecode of addresses in the machine code that V8 made of it.
    baseline: RefCell<FxHashMap<u64, u32>>,
}

/// Functions by their `SharedFunctionInfo`, and scripts.
#[derive(Default)]
pub struct KnownFunctions {
    functions: FxHashMap<SharedFunction, Rc<JsFunction>>,
    /// By the script's object, the object of its source, and its number.
    scripts: FxHashMap<(HeapObject, u64, u64), Rc<LineEnds>>,
    bytes: usize,
}

impl KnownFunctions {
    /// The function of a `SharedFunctionInfo`. If a frame runs this bytecode, it is the function's. `None` if that is not so, or no longer.
    pub fn get(
        &mut self,
        heap: &mut Heap<'_>,
        shared: SharedFunction,
        bytecode: Option<HeapObject>,
    ) -> Option<Rc<JsFunction>> {
        let runs = |function: &JsFunction| bytecode.is_none_or(|bytecode| bytecode == function.bytecode);
        if let Some(known) = self.functions.get(&shared).filter(|known| runs(known)) {
            return Some(known.clone());
        }
        if !shared.is_there(heap) {
            return None;
        }
        let function = self.read(heap, shared).or_else(|| self.read_anew(heap, shared))?;
        let function = Rc::new(function);
        // What was read late may be of other functions, if the objects were moved meanwhile.
        if !is_unchanged(heap, |heap| shared.is_there(heap)) || !runs(&function) {
            return None;
        }
        self.bytes += function.name.len() + function.file.len();
        if self.functions.len() >= MOST_FUNCTIONS || self.bytes > MOST_BYTES {
            self.functions.clear();
            self.scripts.clear();
            self.bytes = 0;
        }
        self.functions.insert(shared, function.clone());
        Some(function)
    }

    /// Reads again, and nothing of what is kept of memory: V8 may have moved objects between two readings.
    fn read_anew(&mut self, heap: &mut Heap<'_>, shared: SharedFunction) -> Option<JsFunction> {
        heap.memory.begin_check().then_some(())?;
        let function = self.read(heap, shared);
        heap.memory.end_check();
        function
    }

    fn read(&mut self, heap: &mut Heap<'_>, shared: SharedFunction) -> Option<JsFunction> {
        let v8 = heap.v8;
        let members = v8.shared_info;
        let (bytecode, _) = code(heap, shared.object)?;
        let name_or_scope = heap.word(shared.object, members.name)?;
        let script = heap.pointer(shared.object, members.script)?;
        let (file, lines) = if heap.is(script, v8.types.script) {
            let name = heap.pointer(script, v8.script.name)?;
            let is_string = heap.kind(name)? < v8.types.first_non_string;
            let file = if is_string { path_of(&heap.text(name)?) } else { "<eval>".into() };
            (file, Some((self.lines(heap, script)?, heap.integer(script, v8.script.line_offset)?)))
        } else {
            ("<unknown>".into(), None)
        };
        let names = names(heap, name_or_scope)?;
        let name = names.name.filter(|name| !name.is_empty()).unwrap_or_else(|| {
            let line = lines.as_ref().zip(names.start).and_then(|((lines, offset), start)| line(lines, *offset, start));
            line.map_or_else(|| "<anonymous>".into(), |line| format!("<anonymous:{line}>").into())
        });
        Some(JsFunction {
            shared,
            name,
            file,
            bytecode,
            lines,
            known: RefCell::default(),
            baseline: RefCell::default(),
        })
    }

    /// The lines of a script.
    fn lines(&mut self, heap: &mut Heap<'_>, script: HeapObject) -> Option<Rc<LineEnds>> {
        let source = heap.word(script, heap.v8.script.source)?;
        let key = (script, source, heap.word(script, heap.v8.script.id)?);
        if let Some(known) = self.scripts.get(&key) {
            return Some(known.clone());
        }
        let lines = Rc::new(LineEnds::of(&heap.source(HeapObject::of(source)?)?));
        self.bytes += lines.size();
        if self.scripts.len() >= MOST_SCRIPTS {
            self.scripts.clear();
        }
        self.scripts.insert(key, lines.clone());
        Some(lines)
    }
}

/// True if something holds now, after memory was read. (A thread that stands still changes nothing.)
pub fn is_unchanged(heap: &mut Heap<'_>, holds: impl FnOnce(&mut Heap<'_>) -> bool) -> bool {
    if !heap.memory.begin_check() {
        return true;
    }
    let is_unchanged = holds(heap);
    heap.memory.end_check();
    is_unchanged
}

/// The bytecode of a function, and its machine code, if V8 has compiled it without optimising it.
fn code(heap: &mut Heap<'_>, shared: HeapObject) -> Option<(HeapObject, Option<HeapObject>)> {
    let types = heap.v8.types;
    let mut baseline = None;
    let mut data = heap.pointer(shared, heap.v8.shared_info.data)?;
    // Machine code, the interpreter's data, the bytecode.
    for _ in 0..3 {
        let kind = heap.kind(data)?;
        if kind == types.bytecode {
            return Some((data, baseline));
        }
        data = if kind == types.code {
            baseline = Some(data);
            heap.pointer(data, heap.v8.code_bytecode)?
        } else if kind == types.interpreter_data {
            heap.pointer(data, 8)?
        } else {
            return None;
        };
    }
    None
}

#[derive(Default)]
struct Names {
    name: Option<Box<str>>,
    /// Where the function begins in the source.
    start: Option<u32>,
}

/// The name of a function that has it itself, or in its scope.
fn names(heap: &mut Heap<'_>, name_or_scope: u64) -> Option<Names> {
    let Some(object) = HeapObject::of(name_or_scope) else { return Some(Names::default()) };
    if heap.is(object, heap.v8.types.scope) {
        return names_of_scope(heap, object);
    }
    Some(Names { name: Some(heap.text(object)?), start: None })
}

/// The members of a scope that come one after the other; which of them there are is told by flags.
fn names_of_scope(heap: &mut Heap<'_>, scope: HeapObject) -> Option<Names> {
    /// More names than this are in a table of their own.
    const MOST_INLINE: i32 = 74;
    let v8 = heap.v8;
    let word = heap.word(scope, 8)?;
    let flags = if v8.is_scope_flag_small { small_integer(word)? as u32 } else { word as u32 };
    let at = |index: u32| 8 + 8 * index;
    let is_module = flags & 15 == v8.module_scope;
    let has_class_variable = flags >> 10 & 1;
    let has_name = flags >> 12 & 3 != 0;
    let has_inferred_name = flags >> 14 & 1 != 0;
    let locals = heap.integer(scope, at(2)).filter(|locals| (0..1 << 20).contains(locals))?;
    let names = if locals > MOST_INLINE { 1 } else { locals as u32 };
    let mut next = v8.scope_names + u32::from(is_module) + names + locals as u32 + has_class_variable;
    let mut found = Names::default();
    if has_name {
        found.name = own_name(heap, scope, at(next))?;
        next += 2;
    }
    if has_inferred_name {
        if found.name.as_deref().is_none_or(str::is_empty) {
            found.name = own_name(heap, scope, at(next))?;
        }
        next += 1;
    }
    // (Where the positions come first, they are in front of the names.)
    let start = if v8.scope_names > 3 { 3 } else { next };
    found.start = heap.integer(scope, at(start)).and_then(|start| u32::try_from(start).ok());
    Some(found)
}

/// A name in a scope. There may be a number or another object in its place.
fn own_name(heap: &mut Heap<'_>, scope: HeapObject, offset: u32) -> Option<Option<Box<str>>> {
    let Some(name) = HeapObject::of(heap.word(scope, offset)?) else { return Some(None) };
    let is_string = heap.kind(name)? < heap.v8.types.first_non_string;
    Some(if is_string { Some(heap.text(name)?) } else { None })
}

/// `file:///srv/a%20b.mjs` is the file `/srv/a b.mjs`.
fn path_of(name: &str) -> Box<str> {
    let Some(path) = name.strip_prefix("file://") else { return name.into() };
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let digits = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| byte == b'%') {
            Some(encoded) => {
                bytes.push(encoded);
                rest = &behind[2..];
            }
            None => {
                bytes.push(byte);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into()
}

fn line(lines: &LineEnds, offset: i32, position: u32) -> Option<u32> {
    u32::try_from(i64::from(lines.line(position)?) + i64::from(offset) + 1).ok()
}

impl JsFunction {
    /// The line of a place in the bytecode. The table of lines may be missing; `Err` if it could not be read.
    pub fn line(&self, heap: &mut Heap<'_>, place: u32) -> Result<Option<u32>, Unreadable> {
        if let Some(&line) = self.known.borrow().get(&place) {
            return Ok(Some(line));
        }
        let table = self.table(heap).ok_or(Unreadable)?;
        let position = table.and_then(|table| source_position(&table, place)).filter(|it| it.merged.is_none());
        let Some(line) = position.and_then(|position| self.line_of_position(position.at)) else { return Ok(None) };
        let mut known = self.known.borrow_mut();
        if known.len() >= MOST_PLACES {
            known.clear();
        }
        known.insert(place, line);
        Ok(Some(line))
    }

    /// The table of positions, if the bytecode has one.
    fn table(&self, heap: &mut Heap<'_>) -> Option<Option<Vec<u8>>> {
        let table = heap.pointer(self.bytecode, heap.v8.bytecode.positions)?;
        let table = if heap.is(table, heap.v8.types.bytes) { Some(heap.bytes(table, LARGEST_TABLE)?) } else { None };
        is_unchanged(heap, |heap| self.is_current(heap)).then_some(table)
    }

    /// True if the function still has its bytecode, at the same address.
    fn is_current(&self, heap: &mut Heap<'_>) -> bool {
        self.shared.is_there(heap)
            && code(heap, self.shared.object).is_some_and(|(bytecode, _)| bytecode == self.bytecode)
    }

    /// The line of a place in the script.
    pub fn line_of_position(&self, position: u32) -> Option<u32> {
        let (lines, offset) = self.lines.as_ref()?;
        line(lines, *offset, position)
    }

    /// The place in the bytecode of an address in the baseline code.
    pub fn place_of_baseline(&self, heap: &mut Heap<'_>, address: u64) -> Option<u32> {
        if let Some(&place) = self.baseline.borrow().get(&address) {
            return Some(place);
        }
        let place = self.read_place_of_baseline(heap, address)?;
        let mut baseline = self.baseline.borrow_mut();
        if baseline.len() >= MOST_PLACES {
            baseline.clear();
        }
        baseline.insert(address, place);
        Some(place)
    }

    fn read_place_of_baseline(&self, heap: &mut Heap<'_>, address: u64) -> Option<u32> {
        let code = code(heap, self.shared.object)?.1?;
        let start = match heap.v8.code_start {
            CodeStart::Inside(offset) => code.at(offset),
            CodeStart::At(offset) => heap.word(code, offset)?,
        };
        let place = u32::try_from(address.checked_sub(start)?).ok()?;
        let table = heap.pointer(code, heap.v8.code_positions)?;
        let index = bytecode_of_baseline(&heap.bytes(table, LARGEST_TABLE)?, place)?;
        let len = usize::try_from(heap.integer(self.bytecode, 8)?).ok().filter(|&len| len <= LARGEST_TABLE)?;
        let mut bytecode = vec![0; len];
        let data = self.bytecode.at(heap.v8.bytecode.data);
        (heap.memory.read_now(data, &mut bytecode) == len).then_some(())?;
        let place = place_of_index(heap.v8, &bytecode, index);
        is_unchanged(heap, |heap| self.is_current(heap)).then_some(place).flatten()
    }
}

/// Where the bytecode with this index begins.
fn place_of_index(v8: &V8, bytecode: &[u8], index: usize) -> Option<u32> {
    let lengths = v8.lengths.as_ref()?;
    let mut at = 0usize;
    for _ in 0..index {
        let code = *bytecode.get(at)?;
        // The first four say that the next one has wide operands.
        let (prefix, scale) = match code {
            0 | 2 => (1, 1),
            1 | 3 => (1, 2),
            _ => (0, 0),
        };
        let code = *bytecode.get(at + prefix)?;
        at += prefix + usize::from(*lengths[scale].get(usize::from(code))?).max(1);
    }
    (at < bytecode.len()).then_some(at as u32)
}
