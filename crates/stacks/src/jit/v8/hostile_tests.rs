//! Objects that make no sense: reading them always ends, and nothing is guessed.

use crate::jit::runtime::{JitFile, NativeStack};
use crate::jit::test_memory::TestMemory;
use crate::jit::v8::FileWithV8;
use crate::jit::v8::heap::{Heap, HeapObject};
use crate::jit::v8::version::of_20;
use crate::script::mixed::ScriptNames;
use crate::unwind::place::FramePlace;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{Bottom, CodeFile, ScriptEnd, ScriptFrame, ScriptFrames, StackFrame, Symbol};

/// Pointers to everywhere, small integers and rubbish, always the same at an address.
fn rubbish(address: u64) -> Option<u64> {
    let mixed = address.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17).wrapping_mul(0xd134_2543_de82_ef95);
    match mixed >> 61 {
        0..=3 => Some((mixed % (1 << 40)) | 1),
        4 => Some(mixed << 32),
        5 => None,
        // The types of strings and others, where a map has its type.
        6 => Some((mixed % 300) << 32),
        _ => Some(mixed),
    }
}

/// Each object has itself for all members, and for its map.
fn itself(address: u64) -> Option<u64> {
    Some(address & !0xfff | 1)
}

fn frames() -> Vec<Arc<StackFrame>> {
    let frame = |module: Option<&str>, name: &str| {
        let module = module.map(|path| Arc::new(CodeFile { path: path.as_bytes().into(), build_id: [].into() }));
        let symbol = Some(Symbol { name: name.into(), offset: 1 });
        Arc::new(StackFrame { module, offset: 9, symbol, source: None, inlined: Box::default() })
    };
    vec![
        frame(Some("/lib/libc.so.6"), "stat"),
        frame(Some("/usr/bin/node"), "Builtins_InterpreterEntryTrampoline"),
        frame(None, "JS"),
        frame(Some("/usr/bin/node"), "main"),
    ]
}

/// The names of the frames of a stack in this memory.
fn names(memory: &mut TestMemory, script: Option<&ScriptFrames>, bottom: Bottom) -> Vec<String> {
    let mut v8 = FileWithV8(Rc::new(of_20().unwrap())).in_process(0);
    let places = [0, 0x7000, 0x7100, 0x7200].map(|bp| FramePlace { sp: Some(0x6f00), bp: (bp != 0).then_some(bp) });
    let mut reads = Vec::new();
    let frames = frames();
    let mut native = NativeStack {
        addresses: &[0x1000, 0x2000, 0x50_0000, 0x2100],
        places: &places,
        bottom,
        reads: &mut reads,
        script,
        is_of_file: &|address| address < 0x10_0000,
    };
    let mut named = Vec::new();
    // Objects that were read for the first stack are known for the second.
    for _ in 0..2 {
        let mixed = v8.mix(&mut native, memory, &mut ScriptNames::default());
        named = mixed.named(&frames).iter().map(|frame| frame.symbol.as_ref().unwrap().name.to_string()).collect();
    }
    named
}

#[test]
fn objects_of_any_content() {
    for other in [rubbish, itself, |_| Some(u64::MAX), |_| Some(1), |_| None] {
        let mut memory = TestMemory::all(other);
        let named = names(&mut memory, None, Bottom::Unknown);
        assert_eq!((&*named[0], named.len()), ("stat", 4), "{named:?}");
        let known = ["stat", "Builtins_InterpreterEntryTrampoline", "JS", "main", "[node: a function that is gone]"];
        assert!(named.iter().all(|name| known.contains(&&**name)), "{named:?}");
        assert!(memory.bytes < 64 << 20, "{} bytes", memory.bytes);
    }
}

#[test]
fn lists_of_any_content() {
    let frame = |kind: u64| ScriptFrame { code: 0x9001, place: 0x50_0001, identity: 7, kind };
    let kinds = [0, 0x100 << 32 | 60, 0x100 << 32 | 0xffff_fffe, u64::MAX, 0x200 << 32, 1 << 32];
    let list = ScriptFrames { frames: kinds.map(frame).into(), end: ScriptEnd::Limit, several: false };
    for other in [rubbish, itself, |_| None] {
        let mut memory = TestMemory::all(other);
        let named = names(&mut memory, Some(&list), Bottom::Unknown);
        assert_eq!(named.last().map(|name| &**name), Some("[node: more frames]"), "{named:?}");
        assert!(named.len() < 20 && memory.bytes < 64 << 20, "{named:?} {}", memory.bytes);
    }
}

/// Strings that are made of themselves, and such as claim to be long.
#[test]
fn strings_without_end() {
    let v8 = of_20().unwrap();
    for kind in 0..64u64 {
        for len in [1, 1 << 20, u64::from(u32::MAX)] {
            let mut memory = TestMemory::all(itself);
            // A map at 0x5000 with this type, and a string at 0x4000 that has itself for its parts.
            memory.words = [(0x5008, kind << 32), (0x4000, 0x5001), (0x4008, len << 32)].into();
            memory.words.extend([(0x4010, 0x4001), (0x4018, 0x4001)]);
            let string = HeapObject::of(0x4001).unwrap();
            let text = Heap { v8: &v8, memory: &mut memory }.text(string);
            assert!(text.is_none_or(|text| text.len() <= 4 * 1024), "{kind} {len}");
            assert!(memory.bytes < 1 << 20, "{kind} {len}: {}", memory.bytes);
        }
    }
}
