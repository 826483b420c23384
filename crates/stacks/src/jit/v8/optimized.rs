//! Optimised machine code: which functions it has, and where in their source a call is.
//!
//! The frame of such code has the function, but not where it is. The address leads to the code's object, which is in front of its instructions, and
//! the object to the tables that V8 keeps for the case that it gives the code up.

use crate::jit::v8::heap::{Heap, HeapObject, small_integer};
use crate::jit::v8::positions::{SourcePosition, source_position};
use crate::jit::v8::version::CodeStart;
use crate::script::word_size::word_of;
use rustc_hash::{FxHashMap, FxHashSet};

/// A function's place in its source, as code has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceInCode {
    /// The function, if it was merged into another.
    pub shared: Option<HeapObject>,
    /// Counts characters of the script.
    pub position: u32,
}

/// What tells code from other code that was at its address before: its map, and its table of positions. (V8 drops other tables of code that it gives up, while
/// frames of it are still on the stack.)
type CodeWords = [u64; 2];

/// What stands at an address.
pub enum AtAddress {
    /// No code that V8 compiled: a copy of the functions that are part of it.
    NoCode,
    /// The functions, the innermost first. The last one is the function itself.
    Places(Box<[PlaceInCode]>),
    /// Code without a table of positions, or with one that lacks some.
    WithoutTable,
    Unknown,
}

/// Code objects by the addresses of their instructions.
#[derive(Default)]
pub struct KnownAddresses {
    /// By return address.
    places: FxHashMap<u64, Compiled>,
    /// Addresses with no code of V8's compilers.
    without: FxHashSet<u64>,
    /// The map of the objects that have instructions.
    stream_map: Option<u64>,
}

/// The code at an address.
struct Compiled {
    code: HeapObject,
    words: CodeWords,
    places: Box<[PlaceInCode]>,
}

/// When more is known, all goes.
const MOST_PLACES: usize = 1 << 14;
/// Code has no more bytes in front of an address.
const LARGEST_CODE: u64 = 1 << 20;
/// Instructions of code begin at multiples of this.
const ALIGNMENT: u64 = 64;
const PIECE: u64 = 4096;
/// So many words in front of an address are asked for their types.
const MOST_TRIES: u32 = 2048;
/// Functions that are merged into one another, at most.
const DEEPEST: usize = 64;
const LARGEST_TABLE: usize = 4 << 20;

impl KnownAddresses {
    /// What stands at an address. Words that this depends on are added to `reads`.
    pub fn at(&mut self, heap: &mut Heap<'_>, address: u64, reads: &mut Vec<(u64, u64)>) -> AtAddress {
        if self.without.contains(&address) {
            return AtAddress::NoCode;
        }
        if let Some(Compiled { code, words, places }) = self.places.get(&address)
            && code_words(heap, *code) == Some(*words)
        {
            depend_on(heap, *code, words, reads);
            return AtAddress::Places(places.clone());
        }
        let Some(code) = self.code_at(heap, address) else {
            // (If the code is gone, its memory is gone, or has other code.)
            let mut byte = [0];
            if heap.memory.read_now(address, &mut byte) == 0 {
                return AtAddress::Unknown;
            }
            self.without.insert(address);
            return AtAddress::NoCode;
        };
        let is_told = has_table(heap, code) && (!is_of_maglev(heap, code) || tells_call(heap, code, address));
        if !is_told && heap.is(code, heap.v8.types.code) {
            return AtAddress::WithoutTable;
        }
        self.places_of(heap, code, address, reads).map_or(AtAddress::Unknown, AtAddress::Places)
    }

    fn places_of(
        &mut self,
        heap: &mut Heap<'_>,
        code: HeapObject,
        address: u64,
        reads: &mut Vec<(u64, u64)>,
    ) -> Option<Box<[PlaceInCode]>> {
        let words = code_words(heap, code)?;
        let places = places(heap, code, address)?;
        // What was read late may be of other code.
        if heap.memory.begin_check() {
            let is_same = code_words(heap, code) == Some(words);
            heap.memory.end_check();
            is_same.then_some(())?;
        }
        depend_on(heap, code, &words, reads);
        if self.places.len() >= MOST_PLACES {
            self.places.clear();
            self.without.clear();
        }
        self.places.insert(address, Compiled { code, words, places: places.clone() });
        Some(places)
    }

    /// The object of the code at an address. It has a pointer to the instructions, or has them itself; those have a pointer to the object in front of them.
    fn code_at(&mut self, heap: &mut Heap<'_>, address: u64) -> Option<HeapObject> {
        let mut tries = MOST_TRIES;
        let before = heap.v8.instructions;
        let least = address.saturating_sub(LARGEST_CODE);
        let mut end = (address & !(ALIGNMENT - 1)).checked_sub(before)? + ALIGNMENT;
        let mut bytes = [0; PIECE as usize];
        while end > least {
            let start = end.checked_sub(PIECE)?;
            if heap.memory.read_now(start, &mut bytes) < bytes.len() {
                return None;
            }
            for at in (0..PIECE / ALIGNMENT).rev() {
                let map = word_of(&bytes, (at * ALIGNMENT) as u32);
                let is_map = match self.stream_map {
                    Some(known) => known == map,
                    // (Most words of code are no addresses of user space.)
                    None if map & 3 == 1 && map >> 47 == 0 && map > PIECE => {
                        tries = tries.checked_sub(1)?;
                        heap.kind_of_map(HeapObject::of(map)?) == Some(heap.v8.types.stream)
                    }
                    None => false,
                };
                if is_map
                    && let Some(code) =
                        self.code_of_stream(heap, HeapObject::at_address(start + at * ALIGNMENT), address)
                {
                    self.stream_map = Some(map);
                    return Some(code);
                }
            }
            end = start;
        }
        None
    }

    fn code_of_stream(&self, heap: &mut Heap<'_>, stream: HeapObject, address: u64) -> Option<HeapObject> {
        let v8 = heap.v8;
        let start = stream.at(0) + v8.instructions;
        let code = match v8.code_start {
            CodeStart::Inside(_) => stream,
            CodeStart::At(offset) => {
                let code = heap.pointer(stream, 8)?;
                (heap.word(code, offset)? == start).then_some(code)?
            }
        };
        let mut size = [0; 4];
        let is_code = heap.is(code, v8.types.code) && heap.memory.read_now(code.at(v8.code_size), &mut size) == 4;
        let size = u64::from(u32::from_le_bytes(size));
        (is_code && (start..start.saturating_add(size)).contains(&address)).then_some(code)
    }
}

fn code_words(heap: &mut Heap<'_>, code: HeapObject) -> Option<CodeWords> {
    Some([heap.word(code, 0)?, heap.word(code, heap.v8.code_positions)?])
}

fn depend_on(heap: &Heap<'_>, code: HeapObject, words: &CodeWords, reads: &mut Vec<(u64, u64)>) {
    reads.push((code.at(0), words[0]));
    reads.push((code.at(heap.v8.code_positions), words[1]));
}

/// True if code has a table of positions that is not empty.
fn has_table(heap: &mut Heap<'_>, code: HeapObject) -> bool {
    let table = heap.pointer(code, heap.v8.code_positions);
    table.is_some_and(|table| heap.is(table, heap.v8.types.bytes) && heap.integer(table, 8).is_some_and(|len| len > 0))
}

/// True for code that Maglev has made. Its table lacks the positions of some calls.
fn is_of_maglev(heap: &mut Heap<'_>, code: HeapObject) -> bool {
    /// The kind of code is in the lowest bits of its flags.
    const KIND: u32 = 15;
    let Some((offset, kind)) = heap.v8.code_of_maglev else { return false };
    let mut flags = [0; 4];
    heap.memory.read_now(code.at(offset), &mut flags) == flags.len() && u32::from_le_bytes(flags) & KIND == kind
}

/// True if the table has a position for the call in front of this address, and not only one for what is in front of the call: then another entry begins behind the call.
fn tells_call(heap: &mut Heap<'_>, code: HeapObject, address: u64) -> bool {
    let mut read = || {
        let place = place(heap, code, address)?;
        let table = heap.pointer(code, heap.v8.code_positions)?;
        let table = heap.bytes(table, LARGEST_TABLE)?;
        Some(source_position(&table, place) != source_position(&table, place.checked_add(1)?))
    };
    read().unwrap_or(false)
}

/// The distance of an address from the first instruction of its code.
fn place(heap: &mut Heap<'_>, code: HeapObject, address: u64) -> Option<u32> {
    let start = match heap.v8.code_start {
        CodeStart::Inside(offset) => code.at(offset),
        CodeStart::At(offset) => heap.word(code, offset)?,
    };
    u32::try_from(address.checked_sub(start)?).ok()
}

fn places(heap: &mut Heap<'_>, code: HeapObject, address: u64) -> Option<Box<[PlaceInCode]>> {
    let v8 = heap.v8;
    let place = place(heap, code, address)?;
    let data = heap.pointer(code, v8.code_bytecode)?;
    let mut member = |index: u32| heap.word(data, 16 + 8 * index);
    let exits = small_integer(member(v8.deoptimization.exits)?)?;
    let positions = HeapObject::of(member(v8.deoptimization.inlining)?)?;
    let literals = HeapObject::of(member(v8.deoptimization.literals)?)?;
    // Where V8 has given up the code, the function returns to an exit behind the code, and not to the call.
    if i64::from(place) >= i64::from(exits) {
        return None;
    }
    let table = heap.pointer(code, v8.code_positions)?;
    let mut at = source_position(&heap.bytes(table, LARGEST_TABLE)?, place)?;
    let merged = heap.bytes(positions, LARGEST_TABLE)?;
    let mut places = Vec::new();
    while let Some(index) = at.merged {
        // The place of the call, and the index of the function.
        let entry = merged.get(16 * index as usize..)?.get(..16)?;
        let function = word_of(entry, 8) as u32;
        let weak = heap.word(literals, 16 + 8 * function)?;
        places.push(PlaceInCode { shared: Some(HeapObject::of(weak & !2)?), position: at.at });
        at = SourcePosition::of(word_of(entry, 0))?;
        if places.len() >= DEEPEST {
            return None;
        }
    }
    places.push(PlaceInCode { shared: None, position: at.at });
    Some(places.into())
}
