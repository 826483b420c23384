//! Compiled code: which methods stand at an address of it, with those that were merged into others.
//!
//! A table has the addresses to which calls return, in ascending order. Each leads to a list of a method, its instruction of bytecode, and where the same is said of
//! the method into which it was merged.

use crate::jit::hotspot::code_cache::{Blob, CompiledCode};
use crate::jit::hotspot::layout::{Layout, TablesPlace};
use crate::jit::hotspot::stream::Stream;
use crate::jit::hotspot::tables::{half, word};
use rustc_hash::FxHashMap;
use std::ops::Range;
use stride_event::{StackFrame, ThreadMemory};

/// A method at an address, and its instruction of bytecode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodAt {
    pub method: u64,
    pub index: u32,
}

/// The word that tells a piece of code from others, with its place, and an address in that code.
type CodeAddress = ((u64, u64), u64);

/// The frames that stand for addresses of code. HotSpot keeps the methods of code as long as the code.
#[derive(Default)]
pub struct KnownFrames {
    frames: FxHashMap<CodeAddress, Box<[StackFrame]>>,
}

const MOST_PLACES: usize = 1 << 14;
/// Methods that are merged into one another, at most.
const DEEPEST: usize = 256;
const LARGEST_TABLE: u64 = 16 << 20;
/// An entry of the table of addresses, and where it has the address and what leads to the methods.
const ENTRY: u64 = 16;
const ENTRY_METHODS: u64 = 4;
/// The first bytes of a list that matter: three numbers.
const NUMBERS: usize = 15;

impl KnownFrames {
    pub fn get(&self, code: (u64, u64), address: u64) -> Option<&[StackFrame]> {
        self.frames.get(&(code, address)).map(|frames| &**frames)
    }

    pub fn add(&mut self, code: (u64, u64), address: u64, frames: &[StackFrame]) {
        if self.frames.len() >= MOST_PLACES {
            self.frames.clear();
        }
        self.frames.insert((code, address), frames.into());
    }
}

/// The methods at a return address, the innermost first. `None`: the tables do not have the address, or are gone.
pub fn methods_at(
    layout: &Layout,
    blob: &Blob,
    compiled: &CompiledCode,
    address: u64,
    memory: &mut dyn ThreadMemory,
) -> Option<Box<[MethodAt]>> {
    let offset = address.checked_sub(blob.code.start)?;
    let found = CodeTables::of(layout, blob, memory)?.methods(layout, offset, memory)?;
    // Tables that were read late may be those of other code.
    if memory.begin_check() {
        let is_same = word(compiled.identity.0, memory) == Some(compiled.identity.1);
        memory.end_check();
        is_same.then_some(())?;
    }
    Some(found)
}

/// Where code has its tables.
struct CodeTables {
    metadata: Range<u64>,
    scopes: Range<u64>,
    places: Range<u64>,
}

impl CodeTables {
    fn of(layout: &Layout, blob: &Blob, memory: &mut dyn ThreadMemory) -> Option<CodeTables> {
        let address = blob.address;
        let found = match layout.nmethod.tables {
            TablesPlace::Inside { metadata, scopes, places, places_end } => {
                let mut at =
                    |offset: u64| Some(address.wrapping_add(half(address.wrapping_add(offset), memory)?.into()));
                let (metadata, places, places_end) = (at(metadata)?, at(places)?, at(places_end)?);
                let scopes = word(address.wrapping_add(scopes), memory)?;
                CodeTables { metadata: metadata..scopes, scopes: scopes..places, places: places..places_end }
            }
            TablesPlace::Apart { mutable, mutable_size, relocations, constant, constant_size, places, scopes } => {
                let mut number = |offset: u64| Some(u64::from(half(address.wrapping_add(offset), memory)?));
                let (mutable_size, relocations) = (number(mutable_size)?, number(relocations)?);
                let (constant_size, places, scopes) = (number(constant_size)?, number(places)?, number(scopes)?);
                let mutable = word(address.wrapping_add(mutable), memory)?;
                let constant = word(address.wrapping_add(constant), memory)?;
                CodeTables {
                    metadata: mutable.wrapping_add(relocations)..mutable.wrapping_add(mutable_size),
                    scopes: constant.wrapping_add(scopes)..constant.wrapping_add(constant_size),
                    places: constant.wrapping_add(places)..constant.wrapping_add(scopes),
                }
            }
        };
        let is_sane = |range: &Range<u64>| range.end.checked_sub(range.start).is_some_and(|len| len <= LARGEST_TABLE);
        (is_sane(&found.metadata) && is_sane(&found.scopes) && is_sane(&found.places)).then_some(found)
    }

    fn methods(&self, layout: &Layout, offset: u64, memory: &mut dyn ThreadMemory) -> Option<Box<[MethodAt]>> {
        let mut next = self.list(u32::try_from(offset).ok()?, memory)?;
        let mut methods = Vec::new();
        while next != 0 {
            let at = self.scopes.start.checked_add(next.into()).filter(|at| self.scopes.contains(at))?;
            let mut bytes = [0; NUMBERS];
            let n = memory.read_now(at, &mut bytes).min(NUMBERS);
            let mut stream = Stream::new(&bytes[..n], layout.excess);
            let (outer, method, index) = (stream.number()?, stream.number()?, stream.number()?);
            let entry = self.metadata.start.checked_add(8 * u64::from(method.checked_sub(1)?))?;
            self.metadata.contains(&entry).then_some(())?;
            // (The entry of a method has the index -1, and -1 is added to all numbers.)
            methods.push(MethodAt { method: word(entry, memory)?, index: index.saturating_sub(1) });
            // A method was described before those that are merged into it.
            (methods.len() < DEEPEST && outer < next).then_some(())?;
            next = outer;
        }
        (!methods.is_empty()).then(|| methods.into())
    }

    /// Where the list of the methods at an address begins.
    fn list(&self, offset: u32, memory: &mut dyn ThreadMemory) -> Option<u32> {
        let (mut low, mut high) = (0, (self.places.end - self.places.start) / ENTRY);
        while low < high {
            let middle = low + (high - low) / 2;
            let entry = self.places.start.wrapping_add(ENTRY * middle);
            // (The first entry has the offset -1, and the last one a very large one.)
            let at = half(entry, memory)? as i32;
            match i64::from(at).cmp(&i64::from(offset)) {
                std::cmp::Ordering::Equal => return half(entry.wrapping_add(ENTRY_METHODS), memory),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}
