//! The stacks of all processes.

use crate::images::Images;
use crate::perf_map::PerfMap;
use crate::space::{KnownStack, Space, SpaceCode};
use crate::walk::Walk;
use gimli::UnwindContext;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use stride_event::{Bottom, ReadWord, Regs, Stack, StackFrame, Tid, Unwind, Unwound};

/// What is wanted of stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackDetail {
    /// Frames of each stack.
    pub frames: usize,
    /// Files, lines and inlined functions as well.
    pub source: bool,
}

/// Unwinds the stacks of processes and names their frames.
pub struct Stacks {
    wanted: StackDetail,
    spaces: FxHashMap<Tid, Process>,
    /// The process of each thread that is traced.
    pub(crate) threads: FxHashMap<Tid, Tid>,
    images: Images,
    walk: Walk,
    context: UnwindContext<usize>,
    /// Stacks made since memory was last looked after.
    made: u32,
}

#[derive(Default)]
struct Process {
    space: Space,
    perf_map: PerfMap,
    /// The process it was forked from, as long as it may share memory with it (vfork).
    parent: Option<Tid>,
}

/// Stacks that are kept for a process; the next one starts anew.
const MOST_STACKS: usize = 1 << 14;
/// Frames of one stack.
const MOST_FRAMES: usize = 1 << 16;
const MOST_PROCESSES: usize = 1 << 14;
/// Times that the mappings are read because a stack led out of them, and no call told of a change.
const MOST_SEARCHES: u32 = 64;

impl Stacks {
    pub fn new(wanted: StackDetail) -> Stacks {
        Stacks {
            wanted: StackDetail { frames: wanted.frames.clamp(1, MOST_FRAMES), ..wanted },
            spaces: FxHashMap::default(),
            threads: FxHashMap::default(),
            images: Images::default(),
            walk: Walk::default(),
            context: UnwindContext::new(),
            made: 0,
        }
    }

    /// A process runs another program now.
    pub fn executed(&mut self, process: Tid) {
        self.spaces.remove(&process);
    }

    /// A process came into being.
    pub fn forked(&mut self, process: Tid, parent: Tid) {
        if process != parent {
            // It may be over before its mappings are read; they are those of its parent.
            let space = self.spaces.get(&parent).map_or_else(Space::unread, |parent| parent.space.of_child());
            self.spaces.insert(process, Process { parent: Some(parent), space, ..Process::default() });
        }
    }

    pub fn ended(&mut self, process: Tid) {
        self.spaces.remove(&process);
    }

    /// A process mapped code somewhere.
    pub fn mapped(&mut self, process: Tid) {
        self.changed(process, None);
    }

    /// The memory in a range is not what it was: it was unmapped, moved, mapped over, or given other rights.
    pub fn unmapped(&mut self, process: Tid, start: u64, len: u64) {
        self.changed(process, Some((start, len)));
    }

    fn changed(&mut self, process: Tid, range: Option<(u64, u64)>) {
        let mut next = Some(process);
        // A child of vfork(2) changes the memory of its parent.
        for _ in 0..16 {
            let Some(known) = next.and_then(|process| self.spaces.get_mut(&process)) else { return };
            if range.is_none_or(|(start, len)| known.space.has_code(start, len)) {
                known.space.stale = true;
                known.space.searches = 0;
            }
            next = known.parent;
        }
    }

    fn make(&mut self, process: Tid, regs: &Regs, read: &mut ReadWord<'_>) -> Arc<Stack> {
        if self.spaces.len() >= MOST_PROCESSES && !self.spaces.contains_key(&process) {
            self.spaces.clear();
        }
        let known =
            self.spaces.entry(process).or_insert_with(|| Process { space: Space::unread(), ..Process::default() });
        let space = &mut known.space;
        if space.stale && space.refresh(process, &mut self.images) {
            self.images.tidy();
        }
        let run = |walk: &mut Walk, context: &mut _, space: &Space, read: &mut ReadWord<'_>| {
            walk.run(regs, self.wanted.frames, &mut SpaceCode { space, context }, read)
        };
        let mut bottom = run(&mut self.walk, &mut self.context, space, read);
        if bottom == Bottom::Unknown && self.walk.missing.is_some() && space.searches < MOST_SEARCHES {
            space.searches += 1;
            if space.refresh(process, &mut self.images) {
                self.images.tidy();
                bottom = run(&mut self.walk, &mut self.context, space, read);
            }
        }
        if let Some(known) = space.stacks.get(&self.walk.frames[..]).filter(|known| known.bottom == bottom) {
            return known.stack.clone();
        }
        let mut frames = Vec::with_capacity(self.walk.frames.len());
        for &address in &self.walk.frames {
            frames.push(match space.module(address) {
                Some((image, offset)) => image.frame(offset, self.wanted.source),
                None => {
                    let symbol = known.perf_map.find(process, address);
                    Arc::new(StackFrame {
                        module: None,
                        offset: address,
                        symbol,
                        source: None,
                        inlined: Box::default(),
                    })
                }
            });
        }
        let stack = Arc::new(Stack { frames: frames.into(), bottom });
        if space.stacks.len() >= MOST_STACKS {
            space.stacks.clear();
        }
        space.stacks.insert(self.walk.frames[..].into(), KnownStack { bottom, stack: stack.clone() });
        self.made = self.made.wrapping_add(1);
        if self.made.is_multiple_of(1024) {
            self.images.tidy();
        }
        stack
    }
}

impl Unwind for Stacks {
    fn remapped(&mut self, process: Tid) {
        self.mapped(process);
    }

    fn unwind(&mut self, process: Tid, regs: &Regs, read: &mut ReadWord<'_>) -> Unwound<'_> {
        let stack = self.make(process, regs, read);
        Unwound { stack, reads: &self.walk.reads, used_bp: self.walk.used_bp, used_all: self.walk.used_all }
    }
}
