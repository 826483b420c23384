//! Tables, code and descriptions that make no sense: reading them always ends, and nothing is guessed.

use crate::jit::hotspot::code_cache::CodeCache;
use crate::jit::hotspot::compiled::methods_at;
use crate::jit::hotspot::layout::{Layout, NoLayout, TYPES};
use crate::jit::hotspot::method::KnownMethods;
use crate::jit::hotspot::samples::{self, of_11, of_17, of_25, symbols};
use crate::jit::hotspot::tables::DebuggerTables;
use crate::jit::hotspot::{BlobKind, ProcessHotSpot};
use crate::jit::runtime::{Jit, NativeStack};
use crate::jit::test_memory::TestMemory;
use crate::script::mixed::ScriptNames;
use crate::unwind::place::FramePlace;
use std::sync::Arc;
use stride_event::{Bottom, CodeFile, StackFrame, Symbol};

/// Pointers to everywhere, small numbers and rubbish, always the same at an address.
fn rubbish(address: u64) -> Option<u64> {
    let mixed = address.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17).wrapping_mul(0xd134_2543_de82_ef95);
    match mixed >> 61 {
        0..=3 => Some((mixed % (1 << 40)) & !7),
        4 => Some(mixed % 200),
        5 => None,
        // Names of code.
        6 => Some(u64::from_le_bytes(*b"nmethod\0")),
        _ => Some(mixed),
    }
}

/// Each object has itself for all members.
fn itself(address: u64) -> Option<u64> {
    Some(address & !0xfff)
}

const MEMORIES: [fn(u64) -> Option<u64>; 7] =
    [rubbish, itself, |_| Some(u64::MAX), |_| Some(0), |_| Some(8), |_| Some(0x0101_0101_0101_0101), |_| None];

/// A heap of code at 0x10_0000, of 256 segments with 128 bytes, whose map is at 0x4000.
fn heap(memory: &mut TestMemory) {
    memory.words.extend([(0x2000, 0x2100), (0x2100, 1), (0x2108, 0x2200), (0x2200, 0x3000)]);
    memory.words.extend([(0x3008, 0x10_0000), (0x3010, 0x10_8000), (0x3078, 0x4000), (0x3100, 7)]);
}

fn process(layout: Option<Layout>) -> ProcessHotSpot {
    match layout {
        Some(layout) => samples::process(layout),
        None => ProcessHotSpot::new(symbols(), 0),
    }
}

#[test]
fn tables_of_any_content() {
    for other in MEMORIES {
        let mut memory = TestMemory::all(other);
        assert!(DebuggerTables::read(&symbols(), 0, TYPES, &mut memory).is_none_or(|tables| tables.is_empty()));
        assert!(memory.bytes < 4 << 20, "{} bytes", memory.bytes);
        // Entries that make sense, and tables without end.
        memory.words.extend([(0x1008, 56), (0x1048, 56), (0x1010, 0), (0x1018, 8), (0x1020, 16), (0x1028, 24)]);
        memory.words.extend([(0x1030, 32), (0x1038, 40), (0x1050, 0), (0x1058, 8)]);
        let tables = DebuggerTables::read(&symbols(), 0, TYPES, &mut memory);
        assert!(memory.bytes < 16 << 20, "{} bytes", memory.bytes);
        let layout = tables.map(|tables| Layout::of(&tables, &mut memory));
        assert!(layout.is_none_or(|layout| layout.err() == Some(NoLayout::Incomplete)));
    }
}

fn frames() -> Vec<Arc<StackFrame>> {
    let frame = |module: Option<&str>, name: &str| {
        let module = module.map(|path| Arc::new(CodeFile { path: path.as_bytes().into(), build_id: [].into() }));
        let symbol = Some(Symbol { name: name.into(), offset: 1 });
        Arc::new(StackFrame { module, offset: 9, symbol, source: None, inlined: Box::default() })
    };
    vec![frame(Some("/lib/libc.so.6"), "stat"), frame(None, "made"), frame(None, "elsewhere")]
}

/// The names of the frames of a stack in this memory, whose second frame is in the heap of code.
fn names(process: &mut ProcessHotSpot, memory: &mut TestMemory) -> Vec<String> {
    let places = [0, 0x7000, 0x7100].map(|bp| FramePlace { sp: Some(0x6f00), bp: (bp != 0).then_some(bp) });
    let mut reads = Vec::new();
    let frames = frames();
    let mut native = NativeStack {
        addresses: &[0x1000, 0x10_0123, 0x50_0000],
        places: &places,
        bottom: Bottom::Unknown,
        reads: &mut reads,
        script: None,
        is_of_file: &|address| address < 0x8000,
    };
    let mut named = Vec::new();
    // Objects that were read for the first stack are known for the second.
    for _ in 0..2 {
        process.rule(0x10_0123, memory);
        let mixed = process.mix(&mut native, memory, &mut ScriptNames::default());
        named = mixed.named(&frames).iter().map(|frame| frame.symbol.as_ref().unwrap().name.to_string()).collect();
    }
    named
}

#[test]
fn code_of_any_content() {
    for layout in [of_11, of_17, of_25] {
        for other in MEMORIES {
            let mut memory = TestMemory::all(other);
            heap(&mut memory);
            let named = names(&mut process(Some(layout())), &mut memory);
            assert_eq!((&*named[0], &*named[1]), ("stat", "[java: code that is gone]"), "{named:?}");
            assert!(memory.bytes < 1 << 20, "{} bytes", memory.bytes);
        }
    }
}

/// A process whose tables cannot be read has its native frames.
#[test]
fn without_tables() {
    for other in MEMORIES {
        let mut memory = TestMemory::all(other);
        let named = names(&mut process(None), &mut memory);
        assert_eq!(named, ["stat", "made", "elsewhere"]);
        assert!(memory.bytes < 64 << 20, "{} bytes", memory.bytes);
    }
}

/// Code of 17 in the segment of 0x10_0100: one block that begins with the heap.
fn nmethod(memory: &mut TestMemory) {
    heap(memory);
    // The map: two segments belong to the block of the first one.
    memory.words.extend([(0x4000, 0x0101_0101_0102_0100), (0x10_0008, 1)]);
    let blob = 0x10_0010;
    memory.words.extend([(0x5000, u64::from_le_bytes(*b"nmethod\0")), (blob + 96, 0x5000), (blob + 8, 0x4000 << 32)]);
    memory.words.extend([(blob + 24, 4 << 32), (blob + 32, 0x10_0100), (blob + 40, 0x10_0200)]);
}

/// Methods that are merged into one another, without end.
#[test]
fn methods_without_end() {
    for scope in [0x00ff_ffff, 0x0101_0101_0101_0101, 0x0001_0140, u64::MAX, 0] {
        let mut memory = TestMemory::all(|_| Some(0));
        nmethod(&mut memory);
        let blob = 0x10_0010;
        // Metadata, lists and addresses, each of 256 bytes.
        memory.words.extend([(blob + 120, 0x10_0400), (blob + 256, 0x300 << 32), (blob + 264, 0x500 << 32)]);
        memory.words.extend([(blob + 272, 0x600)]);
        memory.words.extend((0..16).map(|entry| (0x10_0510 + 16 * entry, 1 << 32 | 0x24)));
        memory.words.extend((0..32).map(|word| (0x10_0400 + 8 * word, scope)));
        let layout = of_17();
        let found = CodeCache::default().find(&layout, 0x10_0123, &mut memory).unwrap();
        let BlobKind::Compiled(compiled) = &found.kind else { panic!("{found:?}") };
        let methods = methods_at(&layout, &found, compiled, 0x10_0124, &mut memory);
        assert!(methods.is_none_or(|methods| methods.len() <= 256), "{scope:x}");
        assert!(memory.bytes < 1 << 16, "{} bytes", memory.bytes);
    }
}

/// Descriptions whose members lead to each other, and whose texts and tables of lines do not end.
#[test]
fn methods_of_any_content() {
    for other in MEMORIES {
        let mut memory = TestMemory::all(other);
        let mut known = KnownMethods::default();
        for method in [0, 7, 8, 0x1_0000, 1 << 46, u64::MAX] {
            let found = known.get(&of_17().method, 0, method, &mut memory);
            assert!(found.is_none_or(|found| found.name.len() < 8192), "{method:x}");
        }
        // A class and its constants that belong together.
        memory.words.extend([(0x9_0008, 0x9_1000), (0x9_1008, 0x9_2000), (0x9_2018, 0x9_3000), (0x9_30e8, 0x9_2000)]);
        memory.words.extend([(0x9_1018, 1 << 32), (0x9_1020, 0x1_0010), (0x9_2038, 100 << 32), (0x9_2050, 0x9_4000)]);
        memory.words.extend([(0x9_3018, 0x9_4000), (0x9_4000, u64::from_le_bytes([0, 0, 0, 0, 255, 255, b'a', b'b']))]);
        memory.bytes = 0;
        if let Some(found) = known.get(&of_17().method, 0, 0x9_0000, &mut memory) {
            assert!(found.name.len() < 8192 && found.name.contains('.'));
            found.frame(0, Some(3));
        }
        assert!(memory.bytes < 1 << 20, "{} bytes", memory.bytes);
    }
}
