//! Lists of frames that make no sense: walking them always ends, and nothing is guessed.

use crate::script::identity::identity;
use crate::script::mixed::{Native, ScriptNames, mix_in};
use crate::script::runtime::{ProcessRuntime, Runtime};
use crate::script::walk;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{
    Bottom, CodeFile, ScriptEnd, ScriptFrame, ScriptFrames, ScriptLayout, StackFrame, Symbol, TaskLayout, ThreadMemory,
};

const LAYOUT: ScriptLayout = ScriptLayout {
    interpreters: 0x1000,
    next_interpreter: 0,
    threads: 8,
    next_thread: 0,
    thread_pointer: 8,
    innermost: 16,
    innermost_there: ScriptLayout::NONE,
    caller: 0,
    code: 8,
    place: 16,
    is_place_short: 0,
    kind: 24,
    without_code: 3,
    constant: 0,
    constant_words: 4,
    contents: [8, 16, 24],
    content_data: [48, 48, 32],
    compares_contents: 1,
    ..ScriptLayout::LISTED
};
const ME: u64 = 0x77;

/// Words by their addresses, of 8 bytes or of 4. All other memory is full of one byte up to an address, and missing behind it.
pub struct Words {
    words: HashMap<u64, u64>,
    bytes_of_word: u64,
    others: u8,
    pub end: u64,
    is_still: bool,
    pub reads: usize,
}

impl Words {
    pub fn new(words: &[(u64, u64)]) -> Words {
        let words = words.iter().copied().collect();
        Words { words, bytes_of_word: 8, others: 0, end: 0x100_0000, is_still: false, reads: 0 }
    }

    /// Words of 4 bytes, in memory that stands still and is full of ones.
    pub fn of_four_bytes(words: &[(u64, u32)]) -> Words {
        let words = words.iter().map(|(at, word)| (*at, u64::from(*word))).collect();
        Words { words, bytes_of_word: 4, others: u8::MAX, end: 1 << 32, is_still: true, reads: 0 }
    }
}

impl ThreadMemory for Words {
    fn word(&mut self, _: u64) -> Option<u64> {
        None
    }

    fn read(&mut self, address: u64, to: &mut [u8]) -> usize {
        self.reads += 1;
        for (distance, byte) in to.iter_mut().enumerate() {
            let at = address.wrapping_add(distance as u64);
            if at >= self.end {
                return distance;
            }
            let within = at % self.bytes_of_word;
            *byte = self.words.get(&(at - within)).map_or(self.others, |word| word.to_le_bytes()[within as usize]);
        }
        to.len()
    }

    fn script(&self, _: &ScriptLayout) -> Option<ScriptFrames> {
        None
    }

    fn is_still(&self) -> bool {
        self.is_still
    }
}

/// An interpreter at 0x2000 with a thread at 0x3000 whose innermost frame is at `frame`.
fn with_frames(frame: u64, frames: &[(u64, u64)]) -> Words {
    let head = [(0x1000, 0x2000), (0x2008, 0x3000), (0x3008, ME), (0x3010, frame)];
    Words::new(&[&head, frames].concat())
}

#[test]
fn lists_of_frames_end() {
    let walk = |memory: &mut Words| walk::frames(&LAYOUT, ME, memory);
    let ends = |memory: &mut Words| {
        let found = walk(memory);
        assert!(memory.reads < 20_000, "{}", memory.reads);
        (found.frames.len(), found.end)
    };
    assert_eq!(ends(&mut with_frames(0x4000, &[(0x4000, 0x5000), (0x5000, 0)])), (2, ScriptEnd::Reached));
    assert_eq!(ends(&mut with_frames(0, &[])), (0, ScriptEnd::NoFrames));
    // A frame that calls itself, and one in no memory.
    let most = ScriptLayout::FRAMES;
    assert_eq!(ends(&mut with_frames(0x4000, &[(0x4000, 0x4000)])), (most, ScriptEnd::Limit));
    assert_eq!(ends(&mut with_frames(0x4000, &[(0x4000, u64::MAX - 7)])), (1, ScriptEnd::Unreadable));
    // Code in no memory, or whose names have absurd sizes.
    let frames = walk(&mut with_frames(0x4000, &[(0x4008, u64::MAX)])).frames;
    assert_eq!(frames[0].identity, 0);
    let absurd = [(0x4008, 0x5000), (0x5008, 0x6000), (0x6010, u64::MAX)];
    assert_ne!(walk(&mut with_frames(0x4000, &absurd)).frames[0].identity, 0);
    // Threads and interpreters in circles, without this thread.
    let circles = [(0x1000, 0x2000), (0x2000, 0x2000), (0x2008, 0x3000), (0x3000, 0x3000), (0x3008, ME + 1)];
    assert_eq!(ends(&mut Words::new(&circles)), (0, ScriptEnd::NoFrames));
}

/// Frames that lie behind one another, in the only thread of a list that ends where it began.
#[test]
fn frames_behind_one_another_end() {
    const BEHIND: ScriptLayout = ScriptLayout {
        next_interpreter: ScriptLayout::NONE,
        next_thread: 0,
        frame_size: 64,
        kind: 32,
        kind_there: 8,
        outermost: 0x7999,
        without_code: 0x80,
        without_mask: 0x80,
        ..LAYOUT
    };
    let walk = |frames: &[(u64, u64)]| {
        let mut memory = with_frames(0x4000, &[&[(0x3000, 0x3000)], frames].concat());
        let found = walk::frames(&BEHIND, ME, &mut memory);
        assert!(memory.reads < 20_000, "{}", memory.reads);
        assert!(!found.several);
        let kinds: Vec<_> = found.frames.iter().map(|frame| frame.kind).collect();
        (kinds, found.end)
    };
    // Where each of three frames has its kind.
    let places = [(0x4020, 0x6000), (0x4060, 0x6010), (0x40a0, 0x6020)];
    let kinds = [(0x6008, 0x1111_00a3), (0x6018, 0xffff_ffff_2222_0001), (0x6028, 0x7999_00a3)];
    assert_eq!(walk(&[places, kinds].concat()), (vec![0x1111_00a3, 0x2222_0001], ScriptEnd::Reached));
    // No frame is the outermost one; the kind of one is in no memory; and there are none at all.
    assert_eq!(walk(&[&places[..], &kinds[..2]].concat()).1, ScriptEnd::Limit);
    assert_eq!(walk(&[&places[..2], &kinds, &[(0x40a0, 0x200_0000)]].concat()).1, ScriptEnd::Unreadable);
    assert_eq!(walk(&[(0x4020, 0x6020), kinds[2]]), (vec![], ScriptEnd::NoFrames));
    // Another thread than those of the list.
    let circle = [(0x3000, 0x3100), (0x3100, 0x3000), (0x3008, ME + 1), (0x3108, ME + 2)];
    assert_eq!(walk(&circle), (vec![], ScriptEnd::NoFrames));
}

/// The contents of an object count up to its size, and what is behind it does not.
#[test]
fn what_tells_code_from_other_code() {
    let identity = |words: &[(u64, u64)]| identity(&LAYOUT, 0x5000, &mut Words::new(words)).unwrap();
    let code = [(0x5008, 0x6000), (0x6010, 11), (0x6030, 0x1111), (0x6038, 0x22_3344)];
    let with = |address, value| {
        let mut words = code.to_vec();
        words.push((address, value));
        identity(&words)
    };
    let before = identity(&code);
    assert_eq!(before, with(0x6040, 0x99));
    assert_eq!(before, with(0x6038, 0x9999_9999_9922_3344));
    for (address, value) in [(0x5000, 1), (0x6018, 5), (0x6010, 10), (0x6030, 0x1112), (0x6038, 0x23_3344)] {
        assert_ne!(before, with(address, value), "{address:#x}");
    }
}

/// A language each of whose frames has an evaluation of its own, up to frames of kind 1.
struct Plain;

impl Runtime for Plain {
    fn layout(&self, _: u64) -> ScriptLayout {
        LAYOUT
    }

    fn run(&self, frames: &[ScriptFrame]) -> usize {
        frames.iter().position(|frame| frame.kind == 1).map_or(frames.len(), |last| last + 1)
    }

    fn is_hidden(&self, frame: &ScriptFrame) -> bool {
        frame.kind == 1
    }

    fn name(&self, _: &ScriptLayout, frame: &ScriptFrame, _: &mut dyn ThreadMemory) -> Option<StackFrame> {
        let symbol = Some(Symbol { name: format!("f{}", frame.code).into(), offset: 0 });
        (frame.code != 0).then_some(StackFrame { module: None, offset: 0, symbol, source: None, inlined: [].into() })
    }

    fn is_stand_in(&self, name: &str) -> bool {
        name == "stand-in"
    }
}

/// The names of a native stack of these functions with frames of these codes; 0 stands for the end of a run, and 9 for code that is gone.
fn mixed(native: &str, codes: &[u64], end: ScriptEnd, bottom: Bottom) -> (String, bool) {
    let file = Arc::new(CodeFile { path: b"/usr/lib/libpython3.so".as_slice().into(), build_id: [].into() });
    let frame = |name: &str| {
        let full = if name == "E" { "_PyEval_EvalFrameDefault" } else { name };
        let symbol = Some(Symbol { name: full.into(), offset: 1 });
        let module = (name != "stand-in").then(|| file.clone());
        Arc::new(StackFrame { module, offset: 2, symbol, source: None, inlined: [].into() })
    };
    let compiled: Vec<_> = native.split(' ').map(|name| name == "compiled").collect();
    let native: Vec<_> = native.split(' ').map(frame).collect();
    let script = |&code: &u64| ScriptFrame { code: code % 9, kind: u64::from(code == 0), ..ScriptFrame::default() };
    let script = ScriptFrames { frames: codes.iter().map(script).collect(), end, several: false };
    let process = ProcessRuntime::new(0, Rc::new(Plain), 0);
    let mut memory = with_frames(0, &[]);
    let native = Native { frames: &native, compiled: &compiled, bottom };
    let mixed = mix_in(&process, &native, Some(&script), &mut memory, &mut ScriptNames::default());
    let name = |frame: &Arc<StackFrame>| frame.symbol.as_ref().unwrap().name.replace("_PyEval_EvalFrameDefault", "E");
    (mixed.frames.iter().map(name).collect::<Vec<_>>().join(" "), mixed.lacks)
}

#[test]
fn frames_take_the_places_of_evaluations() {
    use Bottom::{Limit, Reached, Unknown};
    let known = |text: &str| (text.to_owned(), false);
    let lacks = |text: &str| (text.to_owned(), true);
    let stack = "stat E sort E main";
    assert_eq!(mixed(stack, &[1, 2, 0, 3, 0], ScriptEnd::Reached, Reached), known("stat f1 f2 sort f3 main"));
    // A run whose last function has returned, and functions of a JIT compiler that stand for the same ones.
    assert_eq!(mixed(stack, &[0, 3, 0], ScriptEnd::Reached, Reached), known("stat sort f3 main"));
    assert_eq!(mixed("E stand-in main", &[1, 0], ScriptEnd::Reached, Reached), known("f1 main"));
    // Compiled code stands for an evaluation.
    assert_eq!(
        mixed("stat compiled sort E main", &[1, 0, 2, 0], ScriptEnd::Reached, Reached),
        known("stat f1 sort f2 main")
    );
    assert_eq!(mixed("stat compiled", &[1, 0, 2, 0], ScriptEnd::Reached, Unknown), known("stat f1 f2"));
    // Part of the native stack is not known.
    assert_eq!(mixed("stat E", &[1, 0, 2, 0], ScriptEnd::Reached, Unknown), known("stat f1 f2"));
    assert_eq!(mixed("stat E", &[1, 0, 2, 0], ScriptEnd::Reached, Limit), known("stat f1"));
    // Code that is gone; more frames than are looked at.
    let gone = "stat [python: a function whose code is gone] sort f3 main";
    assert_eq!(mixed(stack, &[9, 0, 3, 0], ScriptEnd::Reached, Reached), lacks(gone));
    assert_eq!(mixed(stack, &[1, 2], ScriptEnd::Limit, Reached), lacks("stat f1 f2 [python: more frames] sort E main"));
    let more = "stat f1 f2 [python: more frames]";
    assert_eq!(mixed("stat E", &[1, 0, 2], ScriptEnd::Limit, Unknown), lacks(more));
    // Too few, too many, none.
    let unfit = "stat [python: frames that do not fit the stack] E sort E main";
    for codes in [&[1, 0][..], &[1, 0, 2, 0, 3, 0]] {
        assert_eq!(mixed(stack, codes, ScriptEnd::Reached, Reached), lacks(unfit));
    }
    assert_eq!(mixed(stack, &[], ScriptEnd::NoFrames, Reached), lacks(unfit));
    let unreadable = "stat [python: frames that could not be read] E sort E main";
    assert_eq!(mixed(stack, &[1, 0, 3, 0], ScriptEnd::Unreadable, Reached), lacks(unreadable));
}

/// A thread at 0x3000 runs a task at 0x5000, whose coroutine at 0x6000 has the only frame, at 0x6040. Behind it, these words.
fn waiting(words: &[(u64, u64)]) -> (Vec<(u64, u64)>, usize) {
    const TASKS: TaskLayout = TaskLayout {
        running: 24,
        task_bytes: 64,
        awaited_by: 8,
        by_several: 16,
        is_task: 17,
        name: 24,
        coroutine: 32,
        coroutine_bytes: 128,
        kind: 8,
        state: 16,
        runs: 0,
        awaited: 8,
        frame: 64,
        values: 40,
        used: 8,
        mask: 16,
        table: 24,
        ascii: 40,
        text: 0x900,
    };
    const LAYOUT_WITH_TASKS: ScriptLayout = ScriptLayout { tasks: TASKS, without_code: ScriptLayout::NONE, ..LAYOUT };
    let thread = [(0x3018, 0x5000), (0x5020, 0x6000), (0x6008, 0x800), (0x6048, 0x7000)];
    let mut memory = with_frames(0x6040, &[&thread, words].concat());
    let found = walk::frames(&LAYOUT_WITH_TASKS, ME, &mut memory);
    assert_eq!(found.end, ScriptEnd::Reached);
    assert_eq!(found.frames[0].kind, ScriptLayout::OUTERMOST_OF_TASK);
    (found.frames[1..].iter().map(|frame| (frame.kind >> 16, frame.place)).collect(), memory.reads)
}

/// A task that waits: the words of the task, of its coroutine, and of what awaits the task.
fn task(at: u64, coroutine: u64, awaited_by: u64) -> Vec<(u64, u64)> {
    let state = 0xff;
    vec![
        (at + 8, awaited_by),
        (at + 16, 1 << 8),
        (at + 32, coroutine),
        (coroutine + 8, 0x800),
        (coroutine + 16, state),
        (coroutine + 0x48, 0x7000),
        (coroutine + 0x50, at),
    ]
}

#[test]
fn tasks_that_wait() {
    let run = |words: &[Vec<(u64, u64)>]| waiting(&words.concat()).0;
    let by = |awaiter: u64| vec![(0x5008, awaiter)];
    assert_eq!(run(&[]), vec![]);
    // A task, what stands between, and another task; and a coroutine that awaits another one.
    let between = vec![(0xb008, 0xc000)];
    let inner = vec![(0xa068, 0xa800), (0xa7f8, 0xd001), (0xd008, 0x800), (0xd010, 0xfe), (0xd050, 7)];
    let tasks = [by(0xa100), task(0xa100, 0xa000, 0xb000), between, task(0xc000, 0xc100, 0), inner];
    assert_eq!(run(&tasks), vec![(2, 0), (3, 0xa100), (3, 7), (2, 0), (3, 0xc000)]);
    // A coroutine of another type, and one that runs.
    let other = |at, value| [by(0xa100), task(0xa100, 0xa000, 0), vec![(at, value)]].to_vec();
    assert_eq!(run(&other(0xa008, 0x801)), vec![(2, 0)]);
    assert_eq!(run(&other(0xa010, 0)), vec![(2, 0)]);
    // A task that is not there.
    assert_eq!(run(&[by(0x200_0000)]), vec![(4, 0)]);
}

#[test]
fn sets_of_tasks_that_wait() {
    let run = |words: &[(u64, u64)]| {
        let set = [(0x5008, 0xe000), (0x5010, 1), (0xe018, 0xf000)];
        waiting(&[&set, words, &task(0xa100, 0xa000, 0)].concat()).0
    };
    let used = |used, mask| [(0xe008, used), (0xe010, mask)];
    assert_eq!(run(&used(3, 7)), vec![(4, 3)]);
    // One, behind a place where another one was.
    let places = [(0xf000, 0x900), (0xf008, u64::MAX), (0xf020, 0xa100)];
    assert_eq!(run(&[used(1, 7), [places[0], places[1]], [places[2], (0, 0)]].concat()), vec![(2, 0), (3, 0xa100)]);
    // None where there should be one, a large table, a table that is not there, and numbers that make no sense.
    assert_eq!(run(&used(1, 7)), vec![(4, 0)]);
    assert_eq!(run(&used(1, 8)), vec![(4, 0)]);
    assert_eq!(run(&[&used(1, 7)[..], &[(0xe018, 0x200_0000)]].concat()), vec![(4, 0)]);
    assert_eq!(run(&used(u64::MAX, u64::MAX)), vec![(4, 0)]);
    // All are gone.
    assert_eq!(run(&used(0, 7)), vec![]);
}

/// Tasks that wait for each other, coroutines that await each other, and sets of sets.
#[test]
fn tasks_that_wait_in_circles_end() {
    let by = [(0x5008, 0xa100)];
    let tasks = [task(0xa100, 0xa000, 0xc000), task(0xc000, 0xc100, 0xa100)].concat();
    let coroutines = [&task(0xa100, 0xa000, 0)[..], &[(0xa068, 0xa800), (0xa7f8, 0xa000)]].concat();
    let between = [(0xa108, 0xa100)].to_vec();
    let sets = [(0x5008, 0xe000), (0x5010, 1), (0xe008, 1), (0xe010, 0), (0xe018, 0xf000), (0xf000, 0xa100)];
    let of_set = [(0xa108, 0xe000), (0xa110, 1)].to_vec();
    for words in [&tasks, &coroutines, &between] {
        let (frames, reads) = waiting(&[&by, &words[..]].concat());
        assert_eq!(frames.last(), Some(&(4, 0)), "{frames:?}");
        assert!(frames.len() <= TaskLayout::STEPS && reads < 1000, "{} {reads}", frames.len());
    }
    assert_eq!(waiting(&[&sets, &of_set[..]].concat()).0, vec![(4, 0)]);
}
