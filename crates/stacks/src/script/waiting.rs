//! The tasks that wait for the task that a thread runs. The eBPF engine finds them in the kernel in the same way
//! (`bpf/script_waiting.h`).
//!
//! A task that waits has a coroutine with a frame of its own, and the task that it waits for tells which one that is. Such frames are no frames of the thread. They are
//! where a call would have come from if the coroutines had called each other, so they stand behind the outermost frame of the running task's coroutine.

use crate::script::identity::{identity, mix_content};
use crate::script::word_size::{WordSize, word_of};
use stride_event::{MIX, ScriptFrame, ScriptLayout, TaskLayout, ThreadMemory};

/// The task that a thread runs.
pub struct RunningTask {
    /// The frame of its coroutine.
    pub frame: u64,
    awaited_by: Awaiter,
}

/// The object that awaits a task.
#[derive(Clone, Copy)]
enum Awaiter {
    None,
    One(u64),
    /// A set.
    Several(u64),
}

/// The first bytes of an object.
struct Object {
    bytes: [u8; TaskLayout::BYTES],
    words: WordSize,
}

impl Object {
    fn read(words: WordSize, address: u64, len: u32, memory: &mut dyn ThreadMemory) -> Option<Object> {
        let mut object = Object { bytes: [0; TaskLayout::BYTES], words };
        let bytes = object.bytes.get_mut(..len as usize)?;
        (memory.read(address, bytes) == len as usize).then_some(object)
    }

    fn word(&self, at: u32) -> u64 {
        self.words.word_of(&self.bytes, at)
    }

    fn byte(&self, at: u32) -> u8 {
        self.word(at) as u8
    }

    fn awaited_by(&self, layout: &TaskLayout) -> Awaiter {
        match (self.word(layout.awaited_by), self.byte(layout.by_several)) {
            (0, _) => Awaiter::None,
            (one, 0) => Awaiter::One(one),
            (set, _) => Awaiter::Several(set),
        }
    }
}

/// The task that a thread of the run-time system runs.
pub fn running_task(layout: &ScriptLayout, thread: u64, memory: &mut dyn ThreadMemory) -> Option<RunningTask> {
    let tasks = &layout.tasks;
    if tasks.running == ScriptLayout::NONE {
        return None;
    }
    let words = WordSize::of(layout);
    let task = words.word(thread.wrapping_add(tasks.running.into()), memory).filter(|&task| task != 0)?;
    let task = Object::read(words, task, tasks.task_bytes, memory)?;
    let frame = task.word(tasks.coroutine).wrapping_add(tasks.frame.into());
    Some(RunningTask { frame, awaited_by: task.awaited_by(tasks) })
}

/// Notes the tasks that wait for the running one, as long as one waits for another. If several wait for the same, their number is noted; 0 stands for tasks that were
/// not read.
pub fn walk(
    layout: &ScriptLayout,
    running: &RunningTask,
    memory: &mut dyn ThreadMemory,
    frames: &mut Vec<ScriptFrame>,
) {
    let tasks = &layout.tasks;
    // The running task has a coroutine of the run-time system, because one of the thread's frames is that of the coroutine. Others have the same type.
    let coroutine = running.frame.wrapping_sub(tasks.frame.into());
    let words = WordSize::of(layout);
    let Some(kind) = words.word(coroutine.wrapping_add(tasks.kind.into()), memory) else { return };
    let (mut awaiter, mut coroutine) = (running.awaited_by, 0);
    let tasks_that_wait =
        |number| ScriptFrame { place: number, kind: ScriptLayout::WAITING_TASKS, ..Default::default() };
    for step in 1..=TaskLayout::STEPS {
        if frames.len() >= ScriptLayout::FRAMES {
            return;
        }
        let frame = if step == TaskLayout::STEPS || frames.len() == ScriptLayout::FRAMES - 1 {
            if coroutine == 0 && matches!(awaiter, Awaiter::None) {
                return;
            }
            (awaiter, coroutine) = (Awaiter::None, 0);
            Some(tasks_that_wait(0))
        } else if coroutine != 0 {
            let (frame, awaited) = waiting(layout, coroutine, kind, memory);
            coroutine = awaited;
            frame
        } else {
            match awaiter {
                Awaiter::None => return,
                Awaiter::One(object) => match Object::read(words, object, tasks.task_bytes, memory) {
                    Some(object) => {
                        awaiter = object.awaited_by(tasks);
                        let is_task = object.byte(tasks.is_task) != 0;
                        coroutine = if is_task { object.word(tasks.coroutine) } else { 0 };
                        is_task.then(|| waiting_task(layout, object.word(tasks.name), memory))
                    }
                    None => {
                        awaiter = Awaiter::None;
                        Some(tasks_that_wait(0))
                    }
                },
                Awaiter::Several(set) => match the_only_one(layout, set, memory) {
                    Ok(one) => {
                        awaiter = one.map_or(Awaiter::None, Awaiter::One);
                        None
                    }
                    Err(number) => {
                        awaiter = Awaiter::None;
                        Some(tasks_that_wait(number))
                    }
                },
            }
        };
        frames.extend(frame);
    }
}

/// The frame of a coroutine that waits, and what that awaits.
fn waiting(
    layout: &ScriptLayout,
    coroutine: u64,
    kind: u64,
    memory: &mut dyn ThreadMemory,
) -> (Option<ScriptFrame>, u64) {
    let tasks = &layout.tasks;
    let words = WordSize::of(layout);
    let Some(object) = Object::read(words, coroutine, tasks.coroutine_bytes, memory) else { return (None, 0) };
    let state = object.byte(tasks.state).wrapping_sub(tasks.runs as u8) as i8;
    if object.word(tasks.kind) != kind || state >= 0 {
        return (None, 0);
    }
    let code = words.code(object.word(tasks.frame + layout.code));
    let place = object.word(tasks.frame + layout.place);
    let identity = identity(layout, code, memory).unwrap_or_default();
    let values = object.word(tasks.frame + tasks.values);
    let at = values.wrapping_sub(tasks.awaited);
    let awaited = (state == -1).then(|| words.word(at, memory)).flatten().unwrap_or_default();
    (Some(ScriptFrame { code, place, identity, kind: ScriptLayout::WAITING }), words.code(awaited))
}

/// A task that waits, with its name if the program has given it one.
fn waiting_task(layout: &ScriptLayout, name: u64, memory: &mut dyn ThreadMemory) -> ScriptFrame {
    /// The bytes of a name that are looked at.
    const NAME: u32 = 64;
    let tasks = &layout.tasks;
    let mut given = || {
        let object = Object::read(WordSize::of(layout), name, NAME, memory)?;
        let is_text = tasks.text != 0 && object.word(tasks.kind) == tasks.text;
        if !is_text || is_default(&word_of(&object.bytes, tasks.ascii).to_le_bytes()) {
            return None;
        }
        mix_content(layout, MIX, name, tasks.ascii, memory).map(|number| number.max(1))
    };
    let identity = given().unwrap_or_default();
    ScriptFrame { code: name, place: 0, identity, kind: ScriptLayout::WAITING_TASK }
}

/// True for the beginning of a name such as `Task-12`, which each task has that the program gives no name. It would make each task's stacks others.
fn is_default(name: &[u8; 8]) -> bool {
    name.starts_with(b"Task-") && name[5].is_ascii_digit()
}

/// The only object of a small set, if there is one, or the number of objects; 0 if they could not be read.
fn the_only_one(layout: &ScriptLayout, set: u64, memory: &mut dyn ThreadMemory) -> Result<Option<u64>, u64> {
    let (words, tasks) = (WordSize::of(layout), &layout.tasks);
    let at =
        |offset: u32, memory: &mut dyn ThreadMemory| words.word(set.wrapping_add(offset.into()), memory).ok_or(0u64);
    let (used, mask, table) = (at(tasks.used, memory)?, at(tasks.mask, memory)?, at(tasks.table, memory)?);
    if used == 0 {
        return Ok(None);
    }
    if used != 1 {
        return Err(if used <= i32::MAX as u64 { used } else { 0 });
    }
    let place = 2 * words.bytes();
    let len = if mask < TaskLayout::PLACES { (mask as u32 + 1) * place as u32 } else { u32::MAX };
    let places = Object::read(words, table, len, memory).ok_or(0u64)?;
    // (Where an object was, the number is -1.)
    let object = |place: &[u8]| words.word_of(place, 0);
    let number = |place: &[u8]| words.word_of(place, words.bytes() as u32);
    let taken = places.bytes.chunks_exact(place).find(|place| object(place) != 0 && number(place) != words.largest());
    taken.map(|place| Some(object(place))).ok_or(0)
}

/// The frames of the thread, and those of the tasks that wait.
pub fn split<'f>(layout: &ScriptLayout, frames: &'f [ScriptFrame]) -> (&'f [ScriptFrame], &'f [ScriptFrame]) {
    let has_tasks = layout.tasks.running != ScriptLayout::NONE;
    let is_waiting = |frame: &ScriptFrame| frame.kind & ScriptLayout::WAITING_MASK > ScriptLayout::OUTERMOST_OF_TASK;
    let is_waiting = |frame: &ScriptFrame| has_tasks && is_waiting(frame);
    frames.split_at(frames.iter().position(is_waiting).unwrap_or(frames.len()))
}
