//! Programs whose words have 4 bytes. The bytes behind a word are no part of it: all memory that no test sets is full of ones.

use crate::script::hostile_tests::Words;
use crate::script::identity::identity;
use crate::script::perl::narrow_sample;
use crate::script::php;
use crate::script::python::narrow_sample_of_3_11;
use crate::script::ruby;
use crate::script::walk;
use stride_event::{ScriptEnd, ScriptFrame, ScriptLayout, TaskLayout};

const LAYOUT: ScriptLayout = ScriptLayout {
    narrow: 1,
    interpreters: 0x1000,
    next_interpreter: 0,
    threads: 4,
    next_thread: 0,
    thread_pointer: 4,
    innermost: 8,
    caller: 0,
    code: 4,
    place: 8,
    kind: 12,
    without_code: 3,
    constant: 0,
    constant_words: 2,
    contents: [4, 8, 12],
    content_data: [16, 16, 16],
    content_size: 8,
    compares_contents: 1,
    ..ScriptLayout::LISTED
};
/// (So far up that it would be negative as a number with a sign.)
const ME: u32 = 0xf7f0_0740;

/// An interpreter with a thread whose innermost frame is at `frame`.
fn with_frames(frame: u32, words: &[(u64, u32)]) -> Words {
    let head = [(0x1000, 0x2000), (0x2000, 0), (0x2004, 0x3000), (0x3000, 0), (0x3004, ME), (0x3008, frame)];
    Words::of_four_bytes(&[&head, words].concat())
}

/// A frame: its caller, its code, its place and its kind.
fn frame(at: u64, [caller, code, place, kind]: [u32; 4]) -> [(u64, u32); 4] {
    [(at, caller), (at + 4, code), (at + 8, place), (at + 12, kind)]
}

/// A function whose file, name and lines are these objects.
fn function(at: u64, contents: [u32; 3]) -> [(u64, u32); 4] {
    [(at, 7), (at + 4, contents[0]), (at + 8, contents[1]), (at + 12, contents[2])]
}

/// An object with a size, a number that stands for its data, a word that changes, and data.
fn object(at: u64, len: u32, data: [u8; 4]) -> [(u64, u32); 4] {
    [(at + 8, len), (at + 12, 0x1234_5678), (at + 16, u32::from_le_bytes(data)), (at + 20, 1)]
}

#[test]
fn lists_of_frames() {
    let words = [frame(0xff80_4000, [0x5000, 0x8003, 0xfff0_0010, 0]), frame(0x5000, [0, 0x8000, 11, 0x7_0001])];
    let mut memory = with_frames(0xff80_4000, &words.concat());
    let found = walk::frames(&LAYOUT, ME.into(), &mut memory);
    assert_eq!(found.end, ScriptEnd::Reached);
    let frames: Vec<_> = found.frames.iter().map(|frame| (frame.code, frame.place, frame.kind)).collect();
    assert_eq!(frames, [(0x8000, 0xfff0_0010, 0), (0x8000, 11, 1)]);
    assert!(!found.several);
    // No thread has a thread pointer with other upper bits.
    let other = walk::frames(&LAYOUT, 1 << 32 | u64::from(ME), &mut with_frames(0xff80_4000, &words.concat()));
    assert_eq!((other.frames.len(), other.end), (0, ScriptEnd::NoFrames));
    // Code lies at multiples of 4.
    let found = walk::frames(&LAYOUT, ME.into(), &mut with_frames(0x5000, &frame(0x5000, [0, 0x8007, 0, 0])));
    assert_eq!(found.frames[0].code, 0x8004);
}

#[test]
fn lists_of_frames_end() {
    let ends = |memory: &mut Words| {
        let found = walk::frames(&LAYOUT, ME.into(), memory);
        assert!(memory.reads < 20_000, "{}", memory.reads);
        (found.frames.len(), found.end)
    };
    assert_eq!(ends(&mut with_frames(0, &[])), (0, ScriptEnd::NoFrames));
    // A frame that calls itself; one whose end is above all memory; and one that has the last bytes of it.
    let most = ScriptLayout::FRAMES;
    assert_eq!(ends(&mut with_frames(0x4000, &frame(0x4000, [0x4000, 0, 0, 0]))), (most, ScriptEnd::Limit));
    let above = |caller| frame(0x4000, [caller, 0, 0, 0]);
    assert_eq!(ends(&mut with_frames(0x4000, &above(u32::MAX - 3))), (1, ScriptEnd::Unreadable));
    assert_eq!(ends(&mut with_frames(0x4000, &above(u32::MAX))), (1, ScriptEnd::Unreadable));
    let len = (ScriptLayout::FRAME / 2) as u32;
    let last = [above(len.wrapping_neg()), frame((1 << 32) - u64::from(len), [0, 0, 0, 0])].concat();
    assert_eq!(ends(&mut with_frames(0x4000, &last)), (2, ScriptEnd::Reached));
    // The last word of memory is a whole one.
    let mut memory = Words::of_four_bytes(&[(0x1000, 0x2000), (0x2000, 0), (0x2004, 0x2ffc), (0x2ffc, 0)]);
    let layout = ScriptLayout { thread_pointer: ScriptLayout::NONE, innermost: 0, interpreters: 0x2ffc, ..LAYOUT };
    memory.end = 0x3000;
    assert_eq!(walk::frames(&layout, 0, &mut memory).end, ScriptEnd::NoFrames);
    // Threads and interpreters in circles, without this thread.
    let circles = [(0x1000, 0x2000), (0x2000, 0x2000), (0x2004, 0x3000), (0x3000, 0x3000), (0x3004, ME + 1)];
    assert_eq!(ends(&mut Words::of_four_bytes(&circles)), (0, ScriptEnd::NoFrames));
    // Code above all memory has no number.
    let found = walk::frames(&LAYOUT, ME.into(), &mut with_frames(0x4000, &frame(0x4000, [0, u32::MAX - 3, 0, 0])));
    assert_eq!((found.frames[0].code, found.frames[0].identity), (u64::from(u32::MAX - 3), 0));
}

/// The number of code depends on all that tells it from other code, and on nothing behind that.
#[test]
fn what_tells_code_from_other_code() {
    let words = [
        function(0x8000, [0x9000, 0x9100, 0x9200]),
        object(0x9000, 3, *b"a.py"),
        object(0x9100, 4, *b"main"),
        object(0x9200, 4, [1; 4]),
    ];
    let number = |changes: &[(u64, u32)]| {
        identity(&LAYOUT, 0x8000, &mut Words::of_four_bytes(&[&words.concat(), changes].concat())).unwrap()
    };
    let before = number(&[]);
    for same in [(0x8010, 1), (0x9010, u32::from_le_bytes(*b"a.px")), (0x9014, 2), (0x9000, 5), (0x9114, 3)] {
        assert_eq!(number(&[same]), before, "{same:x?}");
    }
    for other in [(0x8000, 8), (0x9008, 2), (0x900c, 1), (0x9110, 2), (0x9208, 3), (0x8008, 0x9000)] {
        assert_ne!(number(&[other]), before, "{other:x?}");
    }
    // Objects that are said to be large, and one above all memory.
    assert!(
        identity(&LAYOUT, 0x8000, &mut Words::of_four_bytes(&[&words.concat()[..], &[(0x9008, u32::MAX)]].concat()))
            .is_some()
    );
    let above = [&words.concat()[..], &[(0x8004, u32::MAX - 3)]].concat();
    assert_eq!(identity(&LAYOUT, 0x8000, &mut Words::of_four_bytes(&above)), None);
}

/// A task waits for the one that the thread runs, by way of a set, and its coroutine awaits another.
#[test]
fn tasks_that_wait() {
    const TASKS: TaskLayout = TaskLayout {
        running: 12,
        task_bytes: 32,
        awaited_by: 4,
        by_several: 8,
        is_task: 9,
        name: 12,
        coroutine: 16,
        coroutine_bytes: 64,
        kind: 4,
        state: 8,
        runs: 0,
        awaited: 4,
        frame: 32,
        values: 20,
        used: 4,
        mask: 8,
        table: 12,
        ascii: 20,
        text: 0x900,
    };
    let layout = ScriptLayout { tasks: TASKS, without_code: ScriptLayout::NONE, ..LAYOUT };
    let coroutine = |at: u64, state: u32, place: u32, values: u32| {
        [
            (at + 4, 0x800),
            (at + 8, state),
            (at + 32, 0),
            (at + 36, 0x7001),
            (at + 40, place),
            (at + 44, 0),
            (at + 52, values),
        ]
    };
    let words = [
        &[(0x300c, 0x5000), (0x5004, 0xe000), (0x5008, 1), (0x500c, 0), (0x5010, 0x6000)][..],
        &coroutine(0x6000, 0, 1, 0),
        // A set of one, behind the place of another.
        &[(0xe004, 1), (0xe008, 7), (0xe00c, 0xf000), (0xf000, 0x900), (0xf004, u32::MAX)],
        &[(0xf008, 0), (0xf00c, 0), (0xf010, 0xa100), (0xf014, 5)],
        &[(0xa104, 0), (0xa108, 0x100), (0xa10c, 0), (0xa110, 0xa000)],
        &coroutine(0xa000, 0xff, 2, 0xa800),
        &[(0xa7fc, 0xd003)],
        &coroutine(0xd000, 0xfe, 3, 0),
        &frame(0x6020, [0, 0x7000, 1, 0]),
    ];
    let mut memory = with_frames(0x6020, &words.concat());
    let found = walk::frames(&layout, ME.into(), &mut memory);
    let frames: Vec<_> = found.frames.iter().map(|frame| (frame.kind >> 16, frame.place)).collect();
    assert_eq!(frames, [(1, 1), (2, 0), (3, 2), (3, 3)]);
    assert_eq!(found.frames[3].code, 0x7000);
}

/// The layout of Python 3.11: a function of a file, and the line that a frame has reached.
#[test]
fn names_of_python() {
    let python = narrow_sample_of_3_11();
    let layout = python.layout(0);
    assert_eq!((layout.narrow, layout.constant + 8 * layout.constant_words), (1, 96));
    let text = |at: u64, text: &[u8; 4]| {
        [(at + 8, 4), (at + 12, 9), (at + 16, 0b110_0100), (at + 20, 0), (at + 24, u32::from_le_bytes(*text))]
    };
    let code = [(0x8030, 40), (0x8050, 0x9000), (0x8058, 0x9100), (0x805c, 0x9200)];
    // (Two entries of one unit each: one line on, and two.)
    let lines = [(0x9208, 4), (0x920c, 9), (0x9210, u32::from_le_bytes([0x80 | 11 << 3, 0, 0x80 | 12 << 3, 0]))];
    let words = [&code[..], &text(0x9000, b"a.py"), &text(0x9100, b"main"), &lines].concat();
    let mut memory = Words::of_four_bytes(&words);
    let identity = identity(&layout, 0x8000, &mut memory).unwrap();
    let frame = |place| ScriptFrame { code: 0x8000, place, identity, kind: 0 };
    let named = python.name(&layout, &frame(0x8000 + 116 + 2), &mut memory).unwrap();
    let source = named.source.unwrap();
    assert_eq!((&*named.symbol.unwrap().name, &*source.file, source.line), ("main", "a.py", 43));
    // A text that is not of ASCII characters lies behind more words.
    let wide = [(0x9108, 1), (0x9110, 0b010_1000), (0x9124, 0x51fd)];
    let words: Vec<_> = words.iter().filter(|word| !(0x9108..0x9128).contains(&word.0)).chain(&wide).copied().collect();
    let mut memory = Words::of_four_bytes(&words);
    let python = narrow_sample_of_3_11();
    let identity = crate::script::identity::identity(&layout, 0x8000, &mut memory).unwrap();
    let frame = ScriptFrame { code: 0x8000, place: 0x8000 + 116, identity, kind: 0 };
    assert_eq!(&*python.name(&layout, &frame, &mut memory).unwrap().symbol.unwrap().name, "\u{51fd}");
}

/// A sub of a package that C code called, and the program, in the layouts of Perl 5.36 and 5.40: a context has its statement in another place.
#[test]
fn subs_of_perl() {
    subs_of_perl_of([5, 36], 2320, 0x1000 + 1412, 16);
    subs_of_perl_of([5, 40], 2332, 0x1000 + 1176, 12);
}

fn subs_of_perl_of(number: [u8; 2], size: u16, compiled: u64, statement_at: u64) {
    const THREAD: u64 = 0xf7c0_0000;
    const SUB_IS_IN_A_GLOB: u32 = 0;
    let perl = narrow_sample(number, size);
    let layout = perl.layout(0);
    let info = |at: u64, contexts, before, last, kind| {
        [(at + 4, contexts), (at + 8, before), (at + 16, last), (at + 20, 100), (at + 24, last), (at + 28, kind)]
    };
    let statement = |at: u64, line| [(at + 20, line), (at + 28, 0x7000)];
    let name = |at: u64, text: &[u8; 4]| [(at, 77), (at + 4, 1), (at + 8, u32::from_le_bytes(*text))];
    let words = [
        &[(THREAD, 0x1000), (0x107c, 0x9000), (0x1084, 0x2000), (compiled, 5)][..],
        &info(0x2000, 0xff00_0000, 0x2100, 0, 2),
        &info(0x2100, 0, 0, u32::MAX, 1),
        // A context of a sub: the statement that led to it, no operation behind it, and none before.
        &[
            (0xff00_0000, 9),
            (0xff00_0000 + statement_at, 0x9100),
            (0xff00_0020, 0),
            (0xff00_0024, u32::MAX),
            (0xff00_002c, 0x5000),
        ],
        &statement(0x9000, 12),
        &statement(0x9100, 3),
        &[(0x7000, u32::from_le_bytes(*b"a.pl")), (0x7004, 0)],
        &[(0x5000, 0x5100), (0x5008, 13), (0x5110, 0), (0x5120, 0x5200), (0x5134, SUB_IS_IN_A_GLOB)],
        &[(0x5200, 0x5300), (0x5208, 9), (0x520c, 0x5400), (0x5420, 0x5500), (0x5500, 0x5600), (0x5508, 9)],
        &[(0x5610, 0x6000), (0x5618, 0x6100), (0x6100, 0x6200), (0x6108, 0x200_000c), (0x6210, 0x6300), (0x6220, 0)],
        &name(0x6000, b"f\0\0\0"),
        &name(0x6300, b"A\0\0\0"),
    ];
    let mut memory = Words::of_four_bytes(&words.concat());
    let mut found = perl.frames(&layout, THREAD, &mut memory);
    perl.complete(&mut found.frames);
    assert_eq!(found.end, ScriptEnd::Reached);
    let mut named = |frame: &ScriptFrame| {
        let named = perl.name(&layout, frame, &mut memory).unwrap();
        (named.symbol.unwrap().name.into_string(), named.source.unwrap().line)
    };
    let frames: Vec<_> = found.frames.iter().map(&mut named).collect();
    assert_eq!(frames, [("A::f".to_owned(), 12), ("(main)".to_owned(), 3)]);
    // Contexts above all memory, and stacks of contexts in a circle.
    let end = |changes: &[(u64, u32)]| {
        let mut memory = Words::of_four_bytes(&[&words.concat(), changes].concat());
        let end = perl.frames(&layout, THREAD, &mut memory).end;
        assert!(memory.reads < 20_000, "{}", memory.reads);
        end
    };
    assert_eq!(end(&[(0x2004, u32::MAX - 7)]), ScriptEnd::Unreadable);
    assert_eq!(end(&[(0x2008, 0x2000)]), ScriptEnd::Limit);
    assert_eq!(end(&[(0x2008, u32::MAX - 3)]), ScriptEnd::Unreadable);
    assert_eq!(end(&[(0x2018, 1)]), ScriptEnd::Unreadable);
}

/// A method of a class, and the line of its frame, in the layout of PHP 8.2.
#[test]
fn methods_of_php() {
    let php = php::samples().nth(1).unwrap();
    let layout = php.layout(0);
    assert_eq!((layout.narrow, layout.interpreters, layout.constant_words), (1, 0x1000 + 296, 12));
    let text = |at: u64, text: &[u8; 4]| {
        [(at + 4, 0x46), (at + 8, 9), (at + 12, 4), (at + 16, u32::from_le_bytes(*text)), (at + 20, 0)]
    };
    let words = [
        // The innermost frame: its instruction, its function, the mark of a call's last frame, and no caller.
        &[(layout.interpreters, 0x4000), (0x4000, 0xf700_0000), (0x400c, 0x8000), (0x4018, 2 << 16 | 9), (0x4020, 0)][..],
        &[(0xf700_0014, 33)],
        &[(0x8000, 2), (0x8008, 0x9000), (0x800c, 0x8800), (0x805c, 0x9200), (0x8804, 0x9100)],
        &text(0x9000, b"area"),
        &text(0x9100, b"Shop"),
        &text(0x9200, b"a.ph"),
    ];
    let mut memory = Words::of_four_bytes(&words.concat());
    let found = php.frames(&layout, 0, &mut memory);
    assert_eq!((found.frames.len(), found.end), (1, ScriptEnd::Reached));
    assert_eq!(php.run(&found.frames), 1);
    let named = php.name(&layout, &found.frames[0], &mut memory).unwrap();
    let source = named.source.unwrap();
    assert_eq!((&*named.symbol.unwrap().name, &*source.file, source.line), ("Shop::area", "a.ph", 33));
}

/// A block of a method that C code called, and the program, in the layout of Ruby 3.1.
#[test]
fn methods_of_ruby() {
    let ruby = ruby::samples().nth(2).unwrap();
    let layout = ruby.layout(0);
    assert_eq!((layout.narrow, layout.interpreters, layout.constant_words), (1, 0x1000, 13));
    const FRAMES: u64 = 0xff00_0000;
    // A frame: where it goes on, its code, and where its flags are.
    let frame = |n: u64, place, code, flags| {
        let (at, there) = (FRAMES + 32 * n, 0xfe00_0000 + 16 * n);
        [(at, place), (at + 8, code), (at + 16, there as u32), (there, flags)]
    };
    let code = |at: u64, body: u64, path, name| {
        [
            (at + 8, body as u32),
            (body + 4, 80),
            (body + 8, 0x8000),
            (body + 52, path),
            (body + 60, name),
            (body + 88, 0x9000),
            (body + 96, 3),
            (body + 100, 0x9100),
        ]
    };
    // Lines that begin with the first, the fourth and the 61st word of the instructions.
    let lines = [(0x9000, 5), (0x900c, 6), (0x9018, 9)];
    let counts = |count: fn(u64) -> u64| (0..9).fold(0, |counts, i| counts | count(i) << (i * 7));
    let first = counts(|i| if i < 3 { 1 } else { 2 });
    let further = counts(|_| 2);
    let halves = |at: u64, word: u64| [(at, word as u32), (at + 4, (word >> 32) as u32)];
    let index: Vec<_> = (0..6).flat_map(|i| halves(0x9100 + 8 * i, if i == 0 { first } else { further })).collect();
    let block = [&[(0x9130, 2)][..], &halves(0x9134, 1 | 1 << 9), &halves(0x913c, 1 << 6)].concat();
    let words = [
        &[
            (0x1000, 0x2000),
            (0x2018, 0x3000),
            (0x3000, 0x3000),
            (0x3028, ME),
            (0x3014, 0x4000),
            (0x4008, FRAMES as u32),
        ][..],
        &frame(0, 0x8000 + 4 * 4, 0x5000, 0x2222_0001),
        &frame(1, 0, 0, 0x5555_0081),
        &frame(2, 0x8000 + 4 * 61, 0x5100, 0x7777_0021),
        &frame(3, 0, 0, 0x7999_0081),
        &code(0x5000, 0x6000, 0x7000, 0x7100),
        &code(0x5100, 0x6100, 0x7000, 0x7200),
        &lines,
        &index,
        &block,
        // The path is the first in an array. One name is in its value, and the other elsewhere.
        &[(0x7000, 7 | 1 << 13), (0x7008, 0x7080), (0x7080, 5 | 4 << 14), (0x7088, u32::from_le_bytes(*b"a.rb"))],
        &[(0x7100, 5 | 1 << 13), (0x7108, 4), (0x710c, 0xfd00_0000), (0xfd00_0000, u32::from_le_bytes(*b"area"))],
        &[(0x7200, 5 | 4 << 14), (0x7208, u32::from_le_bytes(*b"main"))],
    ]
    .concat();
    let mut memory = Words::of_four_bytes(&words);
    let found = ruby.frames(&layout, ME.into(), &mut memory);
    assert_eq!((found.frames.len(), found.end), (3, ScriptEnd::Reached));
    assert_eq!((ruby.run(&found.frames), ruby.is_hidden(&found.frames[1])), (3, true));
    let mut named = |frame: &ScriptFrame| {
        let named = ruby.name(&layout, frame, &mut memory).unwrap();
        let source = named.source.unwrap();
        (named.symbol.unwrap().name.into_string(), source.file.into_string(), source.line)
    };
    assert_eq!(named(&found.frames[0]), ("area".into(), "a.rb".into(), 6));
    assert_eq!(named(&found.frames[2]), ("main".into(), "a.rb".into(), 9));
    // Code, texts and tables above all memory, and numbers that are too large.
    for change in [
        (0x5008, u32::MAX - 3),
        (0x7008, u32::MAX - 3),
        (0x710c, u32::MAX - 2),
        (0x7108, u32::MAX),
        (0x6060, u32::MAX),
        (0x6004, u32::MAX),
        (0x6058, u32::MAX - 3),
        (0x6064, u32::MAX - 3),
    ] {
        let changed: Vec<_> = words.iter().map(|&word| if word.0 == change.0 { change } else { word }).collect();
        assert_ne!(changed, words, "{change:x?}");
        let mut memory = Words::of_four_bytes(&changed);
        let ruby = ruby::samples().nth(2).unwrap();
        let frame = ruby.frames(&layout, ME.into(), &mut memory).frames[0];
        assert!(ruby.name(&layout, &frame, &mut memory).is_none(), "{change:x?}");
    }
}
