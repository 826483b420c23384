//! Contexts and names that make no sense: reading them always ends, and nothing is guessed.

use crate::script::hostile_tests::Words;
use crate::script::perl::contexts::{
    EXPRESSION, FIRST, INNERMOST, MAY_BE_FIRST, RUNS_BLOCK, RUNS_EVAL, RUNS_FILE, RUNS_SUB,
};
use crate::script::perl::versions::*;
use crate::script::perl::{InterpreterPointer, Perl, identity, names};
use crate::script::runtime::Runtime;
use stride_event::{ScriptEnd, ScriptFrame, ScriptFrames, ScriptLayout};

const VERSION: PerlVersion =
    PerlVersion { number: [5, 36], size: 3768, statement: 0, contexts: 8, compiled: 16, offsets: &WIDE };

fn perl() -> Perl {
    Perl::new(VERSION, InterpreterPointer::At(0))
}

/// The frames of the thread whose interpreter is at the address at which the pointer to it is.
fn frames(memory: &mut Words) -> ScriptFrames {
    let perl = perl();
    let mut found = perl.frames(&perl.layout(0), THREAD, memory);
    perl.complete(&mut found.frames);
    found
}

const THREAD: u64 = 0x800;
const INTERPRETER: u64 = 0x1000;

/// A stack of contexts at an address, which are at an address.
fn info(at: u64, contexts: u64, before: u64, last: i32, last_sub: i32, kind: i32) -> [(u64, u64); 5] {
    let two = |low: i32, high: i32| u64::from(low as u32) | u64::from(high as u32) << 32;
    [(at + 8, contexts), (at + 16, before), (at + 32, two(last, 100)), (at + 40, two(last_sub, kind)), (at, 0)]
}

/// A context with a number: its kind, statement, next operation, index before, and sub.
fn context(base: u64, index: u64, kind: u8, words: (u64, u64, i32, u64)) -> [(u64, u64); 5] {
    let at = base + index * CONTEXT as u64;
    let (statement, next, before, sub) = words;
    [(at, kind.into()), (at + 16, statement), (at + 48, next), (at + 56, u64::from(before as u32)), (at + 72, sub)]
}

fn walk(parts: &[[(u64, u64); 5]]) -> (Vec<(u64, u64, u64)>, ScriptEnd) {
    let mut memory = Words::new(
        &[&[(THREAD, INTERPRETER), (INTERPRETER, 0x9000), (INTERPRETER + 8, 0x2000)], &parts.concat()[..]].concat(),
    );
    let found = frames(&mut memory);
    assert!(memory.reads < 20_000, "{}", memory.reads);
    (
        found.frames.iter().map(|frame| (frame.code, frame.place, frame.kind & !(INNERMOST | EXPRESSION))).collect(),
        found.end,
    )
}

#[test]
fn subs_of_stacks() {
    // A sub that C code called, from an eval in a block in a sub of a file.
    let parts = [
        info(0x2000, 0x3000, 0x2100, 2, 2, 2),
        context(0x3000, 2, SUB, (0x9010, 0, -1, 0x71)),
        info(0x2100, 0x4000, 0, 5, 3, OF_PROGRAM),
        context(0x4000, 3, EVAL, (0x9020, 1, 1, 0)),
        context(0x4000, 1, EVAL | OF_BLOCK, (0x9030, 1, 0, 0)),
        context(0x4000, 0, SUB | 0x20, (0x9040, 1, -1, 0x72)),
    ];
    let frames = vec![
        (0x71, 0x9000, RUNS_SUB | FIRST),
        (0, 0x9010, RUNS_EVAL),
        (0x72, 0x9020, RUNS_SUB),
        (0, 0x9040, RUNS_FILE | FIRST),
    ];
    assert_eq!(walk(&parts), (frames, ScriptEnd::Reached));
    // Nothing but a file.
    assert_eq!(
        walk(&[info(0x2000, 0, 0, -1, -1, OF_PROGRAM)]),
        (vec![(0, 0x9000, RUNS_FILE | FIRST)], ScriptEnd::Reached)
    );
}

/// The block is part of the sub around it. A sub that it calls at its end may have nothing behind it, either.
#[test]
fn the_block_of_a_sort() {
    let parts = [
        info(0x2000, 0x3000, 0x2100, 2, 2, OF_SORT),
        context(0x3000, 2, SUB, (0x9010, 0, -1, 0x71)),
        context(0x3000, 0, PLAIN, (0x9020, 0, 0, 0)),
        info(0x2100, 0x4000, 0, 0, 0, OF_PROGRAM),
        context(0x4000, 0, SUB, (0x9040, 1, -1, 0x72)),
    ];
    let (frames, _) = walk(&parts);
    assert_eq!(frames[0], (0x71, 0x9000, RUNS_SUB | MAY_BE_FIRST));
    assert_eq!(frames[1..3], [(0x72, 0x9010, RUNS_SUB | FIRST), (0x72, 0x9020, RUNS_SUB)]);
    assert!(frames.iter().all(|frame| frame.2 & RUNS_BLOCK != RUNS_BLOCK));
    let perl = perl();
    let frames: Vec<_> =
        frames.iter().map(|&(code, place, kind)| ScriptFrame { code, place, kind, ..ScriptFrame::default() }).collect();
    assert_eq!(perl.runs(&frames, 3), [1, 1, 2]);
    assert_eq!(perl.runs(&frames, 2), [2, 2]);
}

#[test]
fn stacks_of_contexts_end() {
    let end = |parts: &[[(u64, u64); 5]]| walk(parts).1;
    let program = |last, last_sub| info(0x2000, 0x3000, 0, last, last_sub, OF_PROGRAM);
    // A context before itself, one behind, and one of no kind.
    assert_eq!(end(&[program(0, 0), context(0x3000, 0, SUB, (0, 1, 0, 1))]), ScriptEnd::Unreadable);
    assert_eq!(end(&[program(0, 0), context(0x3000, 0, SUB, (0, 1, 7, 1))]), ScriptEnd::Unreadable);
    assert_eq!(end(&[program(0, 0), context(0x3000, 0, SUB, (0, 1, -2, 1))]), ScriptEnd::Unreadable);
    assert_eq!(end(&[program(0, 0), context(0x3000, 0, 5, (0, 1, -1, 1))]), ScriptEnd::Unreadable);
    // Indexes beyond the last, or beyond all; kinds that there are not; arrays in no memory.
    assert_eq!(end(&[program(0, 1)]), ScriptEnd::Unreadable);
    assert_eq!(end(&[program(101, 1)]), ScriptEnd::Unreadable);
    assert_eq!(end(&[info(0x2000, 0x3000, 0, -1, -1, 99)]), ScriptEnd::Unreadable);
    assert_eq!(end(&[info(0x2000, u64::MAX, 0, 3, 3, OF_PROGRAM)]), ScriptEnd::Unreadable);
    // Stacks in a circle, and more subs than are looked at.
    assert_eq!(end(&[info(0x2000, 0, 0x2000, -1, -1, 2)]), ScriptEnd::Limit);
    let circle = [info(0x2000, 0x3000, 0x2000, 0, 0, 2), context(0x3000, 0, SUB, (0, 0, -1, 1))];
    assert_eq!((walk(&circle).0.len(), end(&circle)), (ScriptLayout::FRAMES, ScriptEnd::Limit));
    // No stack at all.
    assert_eq!(frames(&mut Words::new(&[(THREAD, u64::MAX)])).end, ScriptEnd::Unreadable);
    assert_eq!(frames(&mut Words::new(&[])).end, ScriptEnd::NoFrames);
}

#[test]
fn names_of_subs() {
    // A sub, its body, its name; its package with the name of that.
    let sub = [
        (0x5000, 0x5100),
        (0x5008, u64::from(CODE) << 32),
        (0x5120, 0x6000),
        (0x5138, 0x5200),
        (0x5158, u64::from(SUB_IS_NAMED) << 32),
    ];
    let text = |at: u64, text: &[u8; 4]| (at, 2 << 32 | 7, at + 8, u64::from(u32::from_le_bytes(*text)));
    let name = |changes: &[(u64, u64)]| {
        let (a, b, c, d) = text(0x5200, b"f\xe9\0\0");
        let (e, f, g, h) = text(0x6200, b"Ab\0\0");
        let package = [(0x6000, 0x6100), (0x6008, u64::from(HASH | HAS_NAMES) << 32), (0x6120, 0x6200), (0x6138, 0)];
        let words = [&sub[..], &[(a, b), (c, d), (e, f), (g, h)], &package, changes].concat();
        names::name(&WIDE, 0x5000, &mut Words::new(&words))
    };
    assert_eq!(name(&[]).as_deref(), Some("Ab::f\u{e9}"));
    assert_eq!(name(&[(0x5158, u64::from(SUB_IS_NAMED | SUB_IS_LEXICAL) << 32)]).as_deref(), Some("f\u{e9}"));
    assert_eq!(name(&[(0x5208, 0x100_a9c3)]).as_deref(), Some("Ab::\u{e9}"), "UTF-8");
    assert_eq!(name(&[(0x5158, 0), (0x5138, 0)]).as_deref(), Some("(unknown)"));
    assert_eq!(
        name(&[(0x6008, u64::from(HASH) << 32)]).as_deref(),
        Some("__ANON__::f\u{e9}"),
        "a package without names"
    );
    // Another value, a name of an absurd length, and one in no memory.
    assert_eq!(name(&[(0x5008, u64::from(HASH) << 32)]), None);
    assert_eq!(name(&[(0x5200, u64::MAX << 31)]), None);
    assert_eq!(name(&[(0x5138, 0x200_0000)]), None);
    assert_eq!(names::name(&WIDE, 0, &mut Words::new(&[])), None);
}

#[test]
fn places_of_statements() {
    let statement = [(0x5020, 12 << 32), (0x5030, 0x6000), (0x6000, u64::from_le_bytes(*b"a.pl\0abc"))];
    let source = names::source(&WIDE, 0x5000, &mut Words::new(&statement)).unwrap();
    assert_eq!((&*source.file, source.line), ("a.pl", 12));
    let none = [(0x5020, u64::from(u32::MAX) << 32), (0x5030, 0x6000)];
    assert_eq!(names::source(&WIDE, 0x5000, &mut Words::new(&none)).map(|source| source.line), Some(0));
    // A file in no memory.
    assert_eq!(names::source(&WIDE, 0x5000, &mut Words::new(&[(0x5030, u64::MAX)])), None);
}

/// What a name is made of counts, and nothing else does.
#[test]
fn what_tells_subs_and_statements_from_others() {
    // A sub with a glob that was made equal to another one, the package of that, and their names.
    let sub = [
        (0x5000, 0x5100),
        (0x5138, 0x5200),
        (0x5200, 0x5300),
        (0x5210, 0x5400),
        (0x5438, 0x5500),
        (0x5500, 0x5600),
        (0x5620, 0x5700),
        (0x5628, 0x5800),
        (0x5700, 0x77),
        (0x5800, 0x5900),
        (0x5808, u64::from(HAS_NAMES) << 32),
        (0x5920, 0x5a00),
        (0x5a00, 0x88),
    ];
    let number = |changes: &[(u64, u64)]| {
        identity::of_sub(&WIDE, 0x5000, &mut Words::new(&[&sub[..], changes].concat())).unwrap()
    };
    let before = number(&[]);
    assert!(before != 0 && before <= u32::MAX.into());
    for same in [(0x5110, 1), (0x5300, 1), (0x5708, 1), (0x5a08, 1)] {
        assert_eq!(number(&[same]), before, "{same:x?}");
    }
    let others = [
        (0x5158, u64::from(SUB_IS_NAMED) << 32),
        (0x5700, 0x78),
        (0x5a00, 0x89),
        (0x5808, 0),
        (0x5628, 0),
        (0x5438, 0x5b00),
    ];
    for other in others {
        assert_ne!(number(&[other]), before, "{other:x?}");
    }
    assert_eq!(identity::of_sub(&WIDE, u64::MAX, &mut Words::new(&[])), None);
    let statement = [(0x5020, 12 << 32), (0x5030, 0x6000), (0x6000, u64::from_le_bytes(*b"a.pl\0abc"))];
    let number = |changes: &[(u64, u64)]| {
        identity::of_statement(&WIDE, 0x5000, &mut Words::new(&[&statement[..], changes].concat())).unwrap()
    };
    let before = number(&[]);
    for same in [(0x5038, 1), (0x6000, u64::from_le_bytes(*b"a.pl\0xyz")), (0x6008, 1)] {
        assert_eq!(number(&[same]), before, "{same:x?}");
    }
    for other in [(0x5020, 13 << 32), (0x6000, u64::from_le_bytes(*b"a.pm\0abc"))] {
        assert_ne!(number(&[other]), before, "{other:x?}");
    }
    assert_eq!(identity::of_statement(&WIDE, 0x5000, &mut Words::new(&[(0x5030, u64::MAX)])), None);
}
