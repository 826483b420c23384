//! The stacks of all processes.

use crate::image::cache::Images;
use crate::image::perf_map::PerfMap;
use crate::image::separate::Fetch;
use crate::jit::languages as jit_languages;
use crate::jit::runtime::{JitStack, NativeStack};
use crate::kept::KeptStacks;
use crate::process::ProcessCode;
use crate::script::languages::language_of;
use crate::script::mixed::{Native, ScriptNames, mix_in};
use crate::space::events::mapping_calls;
use crate::space::walked::SpaceCode;
use crate::space::{CachedStack, Evaluation, Space};
use crate::unwind::walk::Walk;
use gimli::UnwindContext;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{
    Bottom, CallSet, CodeHistory, CodeKind, Regs, ScriptLayout, Stack, StackFrame, ThreadMemory, Tid, Unwind, Unwound,
};

/// Which parts of stacks are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackDetail {
    /// The most frames of one stack.
    pub frames: usize,
    /// True if files, lines and inlined functions are wanted, too.
    pub source: bool,
}

/// Unwinds the stacks of processes and names their frames.
pub struct Stacks {
    wanted: StackDetail,
    /// The calls that change what is mapped.
    pub(crate) mapping: CallSet,
    spaces: FxHashMap<Tid, ProcessCode>,
    /// The process of each traced thread.
    pub(crate) threads: FxHashMap<Tid, Tid>,
    images: Images,
    kept: KeptStacks,
    scripts: ScriptNames,
    /// Run-time systems of languages whose frames cannot be found.
    unsupported: BTreeSet<Rc<str>>,
    walk: Walk,
    context: UnwindContext<usize>,
    /// The number of stacks made since the memory in use was last checked.
    made: u32,
}

/// A native stack whose addresses are known.
enum Walked {
    /// One that had its names before.
    Known(CachedStack),
    New(Bottom),
}

impl Walked {
    fn bottom(&self) -> Bottom {
        match self {
            Walked::Known(known) => known.bottom,
            Walked::New(bottom) => *bottom,
        }
    }
}

struct Made {
    stack: Arc<Stack>,
    script: Option<ScriptLayout>,
    lacks_script: bool,
}

/// The most frames of one stack.
const MOST_FRAMES: usize = 1 << 16;
const MOST_PROCESSES: usize = 1 << 14;
/// The number of times that the mappings are read because a stack led out of them although no call changed them.
const MOST_SEARCHES: u32 = 64;

impl Stacks {
    pub fn new(wanted: StackDetail) -> Stacks {
        Stacks {
            wanted: StackDetail { frames: wanted.frames.clamp(1, MOST_FRAMES), ..wanted },
            mapping: mapping_calls(),
            spaces: FxHashMap::default(),
            threads: FxHashMap::default(),
            images: Images::default(),
            kept: KeptStacks::default(),
            scripts: ScriptNames::default(),
            unsupported: BTreeSet::new(),
            walk: Walk::default(),
            context: UnwindContext::new(),
            made: 0,
        }
    }

    /// Where debug information is to come from that is not on this machine.
    pub fn fetch_debug_files_with(&mut self, fetch: Box<Fetch>) {
        self.images.debug_files.fetch_with(fetch);
    }

    /// A process runs another program now.
    pub fn executed(&mut self, process: Tid) {
        self.spaces.remove(&process);
    }

    /// A process started.
    pub fn forked(&mut self, process: Tid, parent: Tid) {
        if process != parent {
            // The child may end before its mappings are read, so it begins with those of its parent.
            let space = self.spaces.get(&parent).map_or_else(Space::unread, |parent| parent.space.of_child());
            self.spaces.insert(process, ProcessCode { parent: Some(parent), space, ..ProcessCode::default() });
        }
    }

    pub fn ended(&mut self, process: Tid) {
        self.spaces.remove(&process);
    }

    /// A frame with its line and the functions that were merged into it, if its module's debug information is at hand.
    pub fn with_source(&self, frame: &Arc<StackFrame>) -> Arc<StackFrame> {
        let has_lines = frame.source.is_some() || !frame.inlined.is_empty();
        let module = frame.module.as_ref().filter(|_| !has_lines);
        let image = module.and_then(|module| self.images.named_by(module));
        image.map_or_else(|| frame.clone(), |image| image.with_source(frame))
    }

    /// The memory in a range changed: something was mapped there, unmapped, moved, or given other rights.
    pub fn changed(&mut self, process: Tid, start: u64, len: u64, is_code: bool) {
        let mut next = Some(process);
        // A child of vfork(2) changes the memory of its parent.
        for _ in 0..16 {
            let Some(entry) = next.and_then(|process| self.spaces.get_mut(&process)) else { return };
            // (Otherwise the engine tells with the next stack which code was mapped until then.)
            if !entry.space.has_history() && (is_code || entry.space.has_code(start, len)) {
                entry.space.change(start, start.saturating_add(len));
                entry.space.searches = 0;
            }
            next = entry.parent;
        }
    }

    fn make(
        &mut self,
        process: Tid,
        regs: &Regs,
        history: Option<&dyn CodeHistory>,
        memory: &mut dyn ThreadMemory,
    ) -> Made {
        let walked = self.walk_native(process, regs, history, memory);
        let mut functions = self.find_jit(process, regs, walked.bottom(), memory);
        let CachedStack { stack: native, evaluation, jit, bottom } = self.name_native(process, walked);
        if let Some(entry) = self.spaces.get_mut(&process)
            && entry.jit.found.is_none()
        {
            entry.enter_jit(jit, &self.walk.frames, &mut self.unsupported);
            functions = self.find_jit(process, regs, bottom, memory);
        }
        let Some(entry) = self.spaces.get_mut(&process) else {
            return Made { stack: native, script: None, lacks_script: false };
        };
        let (mut lacks_script, mut jit_layout) = (false, None);
        let native = match functions {
            Some((functions, layout)) => {
                (lacks_script, jit_layout) = (functions.lacks, layout);
                self.kept.one(cut(functions.named(&native.frames), native.bottom, self.wanted.frames))
            }
            None => native,
        };
        if let Some(Evaluation { frame, language }) = evaluation
            && let Some(&address) = self.walk.frames.get(frame)
            && let Some((image, offset)) = entry.space.module(address)
        {
            let image = image.clone();
            if let Some(what) = entry.enter_runtime(language, &image, address.wrapping_sub(offset)) {
                self.unsupported.insert(what);
            }
        }
        let Some(runtime) = &entry.runtime.found else {
            return Made { stack: native, script: jit_layout, lacks_script };
        };
        let layout = runtime.layout;
        let is_of_file = |address| entry.space.module(address).is_some_and(|(image, _)| image.code().is_some());
        let compiled: Vec<bool> = if runtime.runtime.compiles() {
            self.walk.frames.iter().map(|&address| !is_of_file(address)).collect()
        } else {
            Vec::new()
        };
        // (The walk may take anything behind such code for the end. The code may have been made just now.)
        // (Other threads than those that run scripts have no function of the interpreter.)
        let is_interpreted =
            || native.frames.iter().filter_map(|frame| frame.module.as_ref()).any(|m| m.is_interpreter());
        let ends_there =
            compiled.last() == Some(&true) || !compiled.is_empty() && self.walk.missing.is_some() && is_interpreted();
        let bottom = if ends_there { Bottom::Unknown } else { native.bottom };
        if evaluation.is_none() && !ends_there && !compiled.contains(&true) {
            return Made { stack: native, script: Some(layout), lacks_script };
        }
        let mut script = if memory.is_still() {
            Some(runtime.runtime.frames(&layout, regs.thread_pointer, memory))
        } else {
            memory.script(&layout)
        };
        if let Some(script) = &mut script {
            runtime.runtime.complete(&mut script.frames);
        }
        let native = Native { frames: &native.frames, compiled: &compiled, bottom };
        let mixed = mix_in(runtime, &native, script.as_ref(), memory, &mut self.scripts);
        let stack = self.kept.one(cut(mixed.frames, bottom, self.wanted.frames));
        Made { stack, script: Some(layout), lacks_script: lacks_script || mixed.lacks }
    }

    /// Versions of languages of which a stack had functions that were not found.
    pub fn unsupported(&self) -> impl Iterator<Item = &str> {
        self.unsupported.iter().map(|what| &**what)
    }

    /// Finds the functions of a language that is compiled while the program runs, if the process has one.
    fn find_jit(
        &mut self,
        process: Tid,
        regs: &Regs,
        bottom: Bottom,
        memory: &mut dyn ThreadMemory,
    ) -> Option<(JitStack, Option<ScriptLayout>)> {
        let entry = self.spaces.get(&process)?;
        let mut jit = entry.jit.found.as_ref().filter(|_| regs.kind == CodeKind::X86_64)?.borrow_mut();
        let script = jit.layout(Some(memory)).and_then(|layout| memory.script(&layout));
        let Walk { frames: addresses, places, reads, .. } = &mut self.walk;
        let is_of_file = |address| entry.space.module(address).is_some();
        let mut stack =
            NativeStack { addresses, places, bottom, reads, script: script.as_ref(), is_of_file: &is_of_file };
        let mixed = jit.mix(&mut stack, memory, &mut self.scripts);
        self.unsupported.extend(jit.unsupported());
        // (It may know more now.)
        Some((mixed, jit.layout(Some(memory))))
    }

    /// Walks the native stack.
    fn walk_native(
        &mut self,
        process: Tid,
        regs: &Regs,
        history: Option<&dyn CodeHistory>,
        memory: &mut dyn ThreadMemory,
    ) -> Walked {
        if self.spaces.len() >= MOST_PROCESSES && !self.spaces.contains_key(&process) {
            self.spaces.clear();
        }
        let entry = self.spaces.entry(process).or_insert_with(ProcessCode::unread);
        let space = &mut entry.space;
        space.look_at(process, history, &mut self.images);
        entry.perf_map.begin();
        // The thread may wait for this, and walking takes longer. Where some mappings are not read again unless the
        // stack leads there, they are known to be read only after the walk.
        let mut awaited = history;
        if space.stale {
            if space.refresh(process, history, &mut self.images) {
                self.images.tidy();
            }
            entry.search_runtime(process, history);
            let space = &entry.space;
            awaited.take().into_iter().for_each(|history| history.mappings_are_read(space.known_to(history)));
        }
        entry.search_runtime(process, history);
        let ProcessCode { space, perf_map, jit, .. } = entry;
        let memory = RefCell::new(memory);
        let run = |walk: &mut Walk, context: &mut _, space: &Space, perf_map: &PerfMap| {
            let jit = jit.found.as_ref();
            let mut code = SpaceCode { space, perf_map, context, kind: regs.kind, jit, memory: &memory };
            walk.run(regs, self.wanted.frames, &mut code, &mut |address| memory.borrow_mut().word(address))
        };
        let mut bottom = run(&mut self.walk, &mut self.context, space, perf_map);
        if space.meets_change() {
            space.refresh(process, history, &mut self.images);
            self.images.tidy();
            bottom = run(&mut self.walk, &mut self.context, space, perf_map);
        } else if bottom == Bottom::Unknown
            && self.walk.missing.is_some()
            && !space.has_refused()
            && space.searches < MOST_SEARCHES
        {
            space.searches += 1;
            if space.refresh(process, history, &mut self.images) {
                self.images.tidy();
                bottom = run(&mut self.walk, &mut self.context, space, perf_map);
            }
        }
        awaited.into_iter().for_each(|history| history.mappings_are_read(space.known_to(history)));
        // The thread stood where no code is known to be. It may be gone, or may have been replaced.
        if self.walk.missing.is_some() && self.walk.frames.last().copied() == self.walk.missing {
            self.walk.frames.pop();
        }
        if let Some(cached) = space.stacks.get(&self.walk.frames[..]).filter(|cached| cached.bottom == bottom) {
            return Walked::Known(cached.clone());
        }
        // The map may name a trampoline by now.
        if bottom == Bottom::Unknown
            && let Some(&last) = self.walk.frames.last()
            && space.module(last).is_none()
            && perf_map.find(process, last).is_some()
            && perf_map.is_trampoline(last)
        {
            bottom = run(&mut self.walk, &mut self.context, space, perf_map);
        }
        Walked::New(bottom)
    }

    /// The native stack that was walked with its names, and where it runs functions of languages, if it does.
    fn name_native(&mut self, process: Tid, walked: Walked) -> CachedStack {
        let bottom = match walked {
            Walked::Known(known) => return known,
            Walked::New(bottom) => bottom,
        };
        let ProcessCode { space, perf_map, .. } = self.spaces.entry(process).or_insert_with(ProcessCode::unread);
        let mut frames = Vec::with_capacity(self.walk.frames.len());
        for &address in &self.walk.frames {
            frames.push(match space.module(address) {
                Some((image, offset)) => image.frame(offset, self.wanted.source),
                None => perf_map.frame(process, address),
            });
        }
        let evaluates = |frame: &Arc<StackFrame>| language_of(&frame.symbol.as_ref()?.name);
        let evaluation = frames
            .iter()
            .enumerate()
            .find_map(|(frame, it)| evaluates(it).map(|language| Evaluation { frame, language }));
        let enters = |frame: &Arc<StackFrame>| jit_languages::language_of(&frame.symbol.as_ref()?.name);
        let jit = frames.iter().enumerate().find_map(|(frame, it)| Some((frame, enters(it)?)));
        let stack = self.kept.one(Stack { frames: frames.into(), bottom });
        let made = CachedStack { bottom, stack, evaluation, jit };
        if !space.has_refused() && !self.kept.keep(space, &self.walk.frames, made.clone()) {
            self.spaces.values_mut().for_each(|process| process.space.stacks = FxHashMap::default());
        }
        self.made = self.made.wrapping_add(1);
        if self.made.is_multiple_of(1024) {
            self.images.tidy();
        }
        made
    }
}

/// A stack of so many frames at most.
fn cut(mut frames: Vec<Arc<StackFrame>>, bottom: Bottom, most: usize) -> Stack {
    let is_longer = frames.len() > most;
    frames.truncate(most);
    Stack { frames: frames.into(), bottom: if is_longer { Bottom::Limit } else { bottom } }
}

impl Unwind for Stacks {
    fn unwind(
        &mut self,
        process: Tid,
        regs: &Regs,
        history: Option<&dyn CodeHistory>,
        memory: &mut dyn ThreadMemory,
    ) -> Unwound<'_> {
        let Made { stack, script, lacks_script } = self.make(process, regs, history, memory);
        let cut = self.spaces.get(&process).is_some_and(|entry| entry.space.has_refused());
        let Walk { reads, used_bp, used_all, .. } = &self.walk;
        Unwound { stack, reads, used_bp: *used_bp, used_all: *used_all, cut, script, lacks_script }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use stride_event::CodeChange;

    /// The code of this process, which never changes. A thread waits until its mappings are read.
    #[derive(Default)]
    struct Awaited(Cell<u32>);

    impl CodeHistory for Awaited {
        fn space(&self) -> u64 {
            1
        }

        fn is_of(&self, _: Tid) -> bool {
            true
        }

        fn generation(&self) -> u32 {
            0
        }

        fn now(&self) -> u32 {
            0
        }

        fn between(&self, _: u32, _: u32) -> Option<Vec<CodeChange>> {
            Some(Vec::new())
        }

        fn mappings_are_read(&self, _: u32) {
            self.0.set(self.0.get() + 1);
        }
    }

    /// A stack of which nothing is known. Each word that is asked for is counted.
    struct Nothing<'a> {
        history: &'a Awaited,
        words: u32,
    }

    impl ThreadMemory for Nothing<'_> {
        fn word(&mut self, _: u64) -> Option<u64> {
            assert!(self.history.0.get() > 0, "the walk has begun");
            self.words += 1;
            None
        }

        fn read(&mut self, _: u64, _: &mut [u8]) -> usize {
            0
        }

        fn script(&self, _: &ScriptLayout) -> Option<stride_event::ScriptFrames> {
            None
        }
    }

    /// The thread that waits may go on before its stack is walked and named, which takes longer than to read its
    /// mappings.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn a_thread_waits_until_its_mappings_are_read() {
        let here = a_thread_waits_until_its_mappings_are_read as fn() as usize as u64;
        let regs = Regs { kind: CodeKind::X86_64, ip: here, sp: 0x7000_0000, bp: 0, all: None, thread_pointer: 0 };
        let mut stacks = Stacks::new(StackDetail { frames: 8, source: false });
        let history = Awaited::default();
        let mut memory = Nothing { history: &history, words: 0 };
        stacks.unwind(std::process::id() as Tid, &regs, Some(&history), &mut memory);
        assert!(memory.words > 0);
        assert_eq!(history.0.get(), 1, "once");
        stacks.unwind(std::process::id() as Tid, &regs, Some(&history), &mut memory);
        assert_eq!(history.0.get(), 2, "they were read before");
    }
}
