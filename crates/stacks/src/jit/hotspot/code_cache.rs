//! The memory in which HotSpot has its code: which piece of code an address belongs to.

use crate::jit::hotspot::layout::{BlobLayout, CacheLayout, CodeEntry, CodePlace, Layout};
use crate::jit::hotspot::tables::{half, text, word};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::time::{Duration, Instant};
use stride_event::ThreadMemory;

/// A piece of code (`CodeBlob`).
#[derive(Debug, PartialEq, Eq)]
pub struct Blob {
    pub address: u64,
    pub name: Box<str>,
    pub code: Range<u64>,
    /// The number of bytes of a frame, with the return address. 0: it has none of its own.
    pub frame_size: u32,
    pub kind: BlobKind,
}

#[derive(Debug, PartialEq, Eq)]
pub enum BlobKind {
    Interpreter,
    Compiled(CompiledCode),
    /// Routines that HotSpot has made for itself, with a frame pointer if they have no frame size.
    Routines,
    /// The routines behind the frames of a virtual thread that are on the stack. Its other frames are in the heap.
    Continuations,
    /// Code that only jumps elsewhere, or whose frames Stride does not know.
    Other,
}

/// A method that was compiled, or the code that calls a native method.
#[derive(Debug, PartialEq, Eq)]
pub struct CompiledCode {
    pub method: u64,
    /// The word that tells it from other code at its address, and where it is.
    pub identity: (u64, u64),
    pub is_native: bool,
    /// The address where the method begins.
    pub entry: u64,
    /// Where frames return to once HotSpot has given the code up. In the frame, at a distance from the stack pointer, is where they had returned to.
    pub given_up: [u64; 2],
    pub original: u32,
}

/// The pieces of code that are known, and the memory that they lie in.
#[derive(Default)]
pub struct CodeCache {
    heaps: Vec<Heap>,
    /// By the first address of their code.
    blobs: BTreeMap<u64, Rc<Blob>>,
    /// By address: when its code was last seen to be there.
    checked: FxHashMap<u64, Instant>,
}

/// Memory with code.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Heap {
    addresses: Range<u64>,
    /// The map of its segments.
    map: u64,
    log2_segment: u32,
}

/// Code that was there so short a time ago is still there. (HotSpot drops code when no thread has a frame of it any more, which it finds out when all threads stand still.)
const RECENT: Duration = Duration::from_millis(5);
const MOST_HEAPS: u32 = 16;
const MOST_BLOBS: usize = 1 << 15;
const MOST_ADDRESSES: usize = 1 << 16;
/// The map leads from a segment to the first one of its block, in steps.
const MOST_STEPS: u32 = 1 << 12;
const FREE: u8 = 0xff;
const LARGEST_BLOB: u32 = 1 << 28;
/// Frames are no larger than stacks.
const LARGEST_FRAME: u32 = 1 << 24;

impl CodeCache {
    /// True if an address lies in the memory for code.
    pub fn has(&mut self, layout: &Layout, address: u64, memory: &mut dyn ThreadMemory) -> bool {
        self.heap(&layout.cache, address, memory).is_some()
    }

    /// The code at an address.
    pub fn find(&mut self, layout: &Layout, address: u64, memory: &mut dyn ThreadMemory) -> Option<Rc<Blob>> {
        let known = self.blobs.range(..=address).next_back().map(|(_, blob)| blob.clone());
        let known = known.filter(|blob| blob.code.contains(&address));
        if let Some(blob) = &known
            && (!blob.may_go() || self.checked.get(&address).is_some_and(|checked| checked.elapsed() < RECENT))
        {
            return known;
        }
        // (A block that is dropped may keep its contents while another one has part of its memory, so its contents alone tell nothing.)
        let heap = self.heap(&layout.cache, address, memory)?;
        let block = heap.block(&layout.cache, address, memory)?;
        let same = known.filter(|blob| blob.address == block && blob.is_there(memory));
        let blob = match same {
            Some(blob) => blob,
            None => Rc::new(Blob::read(layout, block, memory)?),
        };
        blob.code.contains(&address).then_some(())?;
        if self.blobs.len() >= MOST_BLOBS || self.checked.len() >= MOST_ADDRESSES {
            self.blobs.clear();
            self.checked.clear();
        }
        self.checked.insert(address, Instant::now());
        forget_at(&blob.code, &mut self.blobs);
        self.blobs.insert(blob.code.start, blob.clone());
        Some(blob)
    }

    fn heap(&mut self, layout: &CacheLayout, address: u64, memory: &mut dyn ThreadMemory) -> Option<Heap> {
        let find = |heaps: &[Heap]| heaps.iter().find(|heap| heap.addresses.contains(&address)).cloned();
        if let Some(heap) = find(&self.heaps) {
            return Some(heap);
        }
        self.heaps = heaps(layout, memory).unwrap_or_default();
        find(&self.heaps)
    }
}

/// Drops the code at these addresses, because other code has replaced it.
fn forget_at(addresses: &Range<u64>, blobs: &mut BTreeMap<u64, Rc<Blob>>) {
    let before = blobs.range(..addresses.end).rev();
    let replaced: Vec<u64> =
        before.take_while(|(_, blob)| blob.code.end > addresses.start).map(|(&start, _)| start).collect();
    for start in replaced {
        blobs.remove(&start);
    }
}

fn heaps(layout: &CacheLayout, memory: &mut dyn ThreadMemory) -> Option<Vec<Heap>> {
    let array = word(layout.heaps, memory)?;
    let len = half(array.wrapping_add(layout.len), memory)?.min(MOST_HEAPS);
    let data = word(array.wrapping_add(layout.data), memory)?;
    let mut found = Vec::new();
    for index in 0..u64::from(len) {
        let heap = word(data.wrapping_add(8 * index), memory)?;
        let mut member = |place: u64, within: u64| word(heap.wrapping_add(place + within), memory);
        let low = member(layout.memory, layout.low)?;
        let end = member(layout.memory, layout.reserved)?;
        let map = member(layout.map, layout.low)?;
        let log2_segment = half(heap.wrapping_add(layout.log2_segment), memory)?;
        if low < end && (4..24).contains(&log2_segment) {
            found.push(Heap { addresses: low..end, map, log2_segment });
        }
    }
    Some(found)
}

impl Heap {
    /// The piece of code in the block that has an address.
    fn block(&self, layout: &CacheLayout, address: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
        let mut segment = (address - self.addresses.start) >> self.log2_segment;
        for _ in 0..MOST_STEPS {
            let mut distance = [0];
            (memory.read_now(self.map.wrapping_add(segment), &mut distance) == 1).then_some(())?;
            match distance[0] {
                0 => {
                    let block = self.addresses.start + (segment << self.log2_segment);
                    let mut used = [0];
                    let n = memory.read_now(block.wrapping_add(layout.used), &mut used);
                    return (n == 1 && used[0] != 0).then_some(block + layout.block);
                }
                FREE => return None,
                distance => segment = segment.checked_sub(distance.into())?,
            }
        }
        None
    }
}

impl Blob {
    /// True if HotSpot may drop it: that is what it has compiled.
    fn may_go(&self) -> bool {
        matches!(self.kind, BlobKind::Compiled(_))
    }

    /// True if the code is still the same.
    fn is_there(&self, memory: &mut dyn ThreadMemory) -> bool {
        let BlobKind::Compiled(CompiledCode { identity: (at, identity), .. }) = self.kind else { return true };
        word(at, memory) == Some(identity)
    }

    fn read(layout: &Layout, address: u64, memory: &mut dyn ThreadMemory) -> Option<Blob> {
        let BlobLayout { name, size, frame_size, code } = &layout.blob;
        let name = text(word(address.wrapping_add(*name), memory)?, memory)?;
        let size = half(address.wrapping_add(*size), memory)?;
        let frame_size = half(address.wrapping_add(*frame_size), memory)?;
        let code = match *code {
            CodePlace::Addresses { begin, end } => {
                word(address.wrapping_add(begin), memory)?..word(address.wrapping_add(end), memory)?
            }
            CodePlace::Offsets { begin, end } => {
                let mut at =
                    |offset: u64| Some(address.wrapping_add(half(address.wrapping_add(offset), memory)?.into()));
                at(begin)?..at(end)?
            }
        };
        let is_inside = address <= code.start && code.start < code.end;
        (is_inside && size < LARGEST_BLOB && code.end <= address.checked_add(size.into())?).then_some(())?;
        // (-1 stands for code that has no frame.)
        let frame_size = frame_size.checked_mul(8).filter(|&size| size < LARGEST_FRAME).unwrap_or_default();
        let kind = match &*name {
            "Interpreter" => BlobKind::Interpreter,
            "nmethod" | "native nmethod" if frame_size >= 16 => {
                let is_native = &*name == "native nmethod";
                BlobKind::Compiled(CompiledCode::read(layout, address, &code, is_native, memory)?)
            }
            name if name.starts_with("StubRoutines (continuation") => BlobKind::Continuations,
            name if name.starts_with("StubRoutines") || frame_size >= 16 => BlobKind::Routines,
            _ => BlobKind::Other,
        };
        Some(Blob { address, name: name.into(), code, frame_size, kind })
    }
}

impl CompiledCode {
    fn read(
        layout: &Layout,
        address: u64,
        code: &Range<u64>,
        is_native: bool,
        memory: &mut dyn ThreadMemory,
    ) -> Option<CompiledCode> {
        let layout = &layout.nmethod;
        let identity = address.wrapping_add(layout.id) & !7;
        let entry = match layout.entry {
            CodeEntry::Address(at) => word(address.wrapping_add(at), memory)?,
            CodeEntry::Offset(at) => {
                let mut offset = [0; 2];
                (memory.read_now(address.wrapping_add(at), &mut offset) == 2).then_some(())?;
                code.start.wrapping_add(u16::from_le_bytes(offset).into())
            }
        };
        let mut given_up = [0; 2];
        for (at, member) in given_up.iter_mut().zip(layout.given_up) {
            let member = address.wrapping_add(member);
            *at = match layout.entry {
                CodeEntry::Address(_) => word(member, memory)?,
                CodeEntry::Offset(_) => address.wrapping_add(half(member, memory)?.into()),
            };
        }
        Some(CompiledCode {
            given_up,
            original: half(address.wrapping_add(layout.original), memory)?,
            method: word(address.wrapping_add(layout.method), memory)?,
            identity: (identity, word(identity, memory)?),
            is_native,
            entry,
        })
    }
}
