//! The code that one process has mapped.

pub mod events;
mod follow;
pub mod maps;
pub mod staleness;
pub mod walked;

use crate::files::mounts::Mounts;
use crate::files::open::read_up_to;
use crate::image::CodeImage;
use crate::image::cache::Images;
use crate::space::follow::{Follow, with_bias};
use crate::space::staleness::{Changes, ReadAt, Since, is_after};
use rustc_hash::FxHashMap;
use std::cell::{Cell, OnceCell};
use std::rc::Rc;
use std::sync::Arc;
use stride_engine_base::procfs;
use stride_event::{Bottom, CodeBacking, CodeChange, CodeHistory, CodeMapping, NotedMapping, Stack, Tid};

/// Where a native stack runs scripts: its innermost evaluation function.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation {
    /// The index of the frame.
    pub frame: usize,
    /// The index of the language.
    pub language: usize,
}

/// A stack that was made earlier, kept for the next time.
#[derive(Clone)]
pub struct CachedStack {
    pub bottom: Bottom,
    pub stack: Arc<Stack>,
    /// Where it runs scripts. Their frames are not part of the stack, because others may run at the same addresses.
    pub evaluation: Option<Evaluation>,
    /// Where it enters a language that is compiled while the program runs: the index of the frame and that of the language.
    pub jit: Option<(usize, usize)>,
}

/// The executable mappings of a process, and the stacks seen there.
#[derive(Default)]
pub struct Space {
    mappings: Vec<CodeMapping>,
    /// For each mapping: its module and load bias.
    modules: Vec<Option<(Rc<CodeImage>, u64)>>,
    /// For each mapping: the stacks for which it counts.
    since: Vec<Since>,
    /// The mappings may have changed anywhere and must be read again.
    pub stale: bool,
    /// Where mappings changed since they were read, if there are so many that reading them takes long. They are read
    /// again when a stack leads there.
    changed: Vec<(u64, u64)>,
    takes_long: bool,
    /// A lookup led to where mappings changed.
    met_change: Cell<bool>,
    /// When the mappings were read, if the process runs on while its stacks are looked at; and up to when `changed` has
    /// the changes.
    read_at: Option<ReadAt>,
    seen_to: u32,
    /// The generation of the stack that is being looked at.
    generation: Option<u32>,
    /// A mapping did not count for that stack.
    refused: Cell<bool>,
    /// Stacks by their addresses, because a program makes the same calls over and over.
    pub stacks: FxHashMap<Box<[u64]>, CachedStack>,
    /// The number of times that the mappings were read because an address was in none of them.
    pub searches: u32,
    /// How often the modules have changed.
    pub changes: u32,
}

const LARGEST_MAPS: u64 = 256 << 20;
/// With more changes than this, the mappings are read at once.
const MOST_CHANGES: usize = 256;
/// Reading mappings takes long if their text has more bytes: some thousand mappings, or half a millisecond.
const LONG_MAPS: usize = 1 << 17;

impl Space {
    /// The space of a process whose mappings have not been read.
    pub fn unread() -> Space {
        Space { stale: true, ..Space::default() }
    }

    /// The space of a child that this process forked.
    pub fn of_child(&self) -> Space {
        Space {
            mappings: self.mappings.clone(),
            modules: self.modules.clone(),
            since: self.since.clone(),
            stale: self.stale,
            changed: self.changed.clone(),
            takes_long: self.takes_long,
            read_at: self.read_at,
            seen_to: self.seen_to,
            ..Space::default()
        }
    }

    /// Begins with another stack of this process.
    pub fn look_at(&mut self, process: Tid, history: Option<&dyn CodeHistory>, images: &mut Images) {
        self.generation = history.map(CodeHistory::generation);
        self.refused.set(false);
        let Some(history) = history else { return };
        let mut follow = Follow::new(process, history, images);
        if self.read_at.is_none_or(|read| read.space != history.space()) {
            self.enter(&mut follow);
        } else if is_after(history.generation(), self.seen_to) {
            match history.between(self.seen_to, history.generation()) {
                Some(list) => list.into_iter().for_each(|change| self.follow(change, &mut follow)),
                None => self.change(0, u64::MAX),
            }
            self.seen_to = history.generation();
        }
    }

    /// The process has another address space than that whose mappings are known. If it is a copy of that (fork), its
    /// mappings are the same. Otherwise they are those that were noted since its program began.
    fn enter(&mut self, follow: &mut Follow<'_>) {
        let history = follow.history();
        let known_to = self.seen_to;
        let is_current = !self.stale && self.changed.is_empty();
        let counts = |since: &Since| since.is_none_or(|since| !is_after(since, known_to));
        let of_copied = self.read_at.map(|read| (read.space, known_to));
        let is_copy =
            of_copied.is_some() && is_current && self.since.iter().all(counts) && history.origin() == of_copied;
        // The generations of this address space are others.
        self.since.fill(None);
        if is_copy {
            self.read_at = Some(ReadAt { space: history.space(), generation: history.generation() });
            self.seen_to = history.generation();
        } else if let Some(made) = history.made() {
            *self = Space {
                read_at: Some(ReadAt { space: history.space(), generation: history.generation() }),
                seen_to: history.generation(),
                generation: self.generation,
                ..Space::default()
            };
            made.into_iter().for_each(|change| self.follow(change, follow));
        } else {
            self.stale = true;
        }
    }

    /// Follows a change: the mappings that were noted take the place of those that were there.
    pub fn follow(&mut self, change: CodeChange, follow: &mut Follow<'_>) {
        match change.mappings.filter(|_| !self.stale) {
            Some(noted) => noted.into_iter().for_each(|noted| self.map(noted, change.generation, follow)),
            None => self.change(change.start, change.end),
        }
    }

    fn map(&mut self, noted: NotedMapping, generation: u32, follow: &mut Follow<'_>) {
        let (start, end) = (noted.mapping.start, noted.mapping.end);
        let first = self.mappings.partition_point(|m| m.end <= start);
        let last = self.mappings.partition_point(|m| m.start < end);
        let replaced = first..last.max(first);
        // A replaced mapping may be longer than the new one. Its parts on both sides stay, with their module's load bias.
        let cut = |m: &CodeMapping, start: u64, end: u64| {
            let mut part = CodeMapping { start, end, ..m.clone() };
            if let CodeBacking::File { offset, .. } = &mut part.backing {
                *offset = offset.wrapping_add(start - m.start);
            }
            (start < end).then_some(part)
        };
        let before = self.mappings[replaced.clone()].first().and_then(|m| cut(m, m.start, start));
        let behind = self.mappings[replaced.clone()].last().and_then(|m| cut(m, end, m.end));
        let part = |part: Option<CodeMapping>, i: usize| Some((part?, self.modules[i].clone(), self.since[i]));
        let (before, behind) = (part(before, replaced.start), part(behind, replaced.end.wrapping_sub(1)));
        let module = follow.module(&noted);
        let parts: Vec<_> =
            before.into_iter().chain([(noted.mapping, module, Some(generation))]).chain(behind).collect();
        self.modules.splice(replaced.clone(), parts.iter().map(|(_, module, _)| module.clone()));
        self.since.splice(replaced.clone(), parts.iter().map(|&(_, _, since)| since));
        self.mappings.splice(replaced, parts.into_iter().map(|(mapping, ..)| mapping));
        self.forget_stacks();
    }

    fn forget_stacks(&mut self) {
        self.stacks.clear();
        self.changes = self.changes.wrapping_add(1);
    }

    /// The files of code, each with its load bias.
    pub fn modules(&self) -> impl Iterator<Item = &(Rc<CodeImage>, u64)> {
        self.modules.iter().flatten()
    }

    /// The generation up to which the mappings of the stack's address space are known.
    pub fn known_to(&self, history: &dyn CodeHistory) -> u32 {
        let read = self.read_at.filter(|read| read.space == history.space()).map(|read| read.generation);
        read.filter(|&read| is_after(read, history.generation())).unwrap_or(history.generation())
    }

    /// True if the engine tells with each stack when code was mapped.
    pub fn has_history(&self) -> bool {
        self.read_at.is_some()
    }

    /// The memory between two addresses changed.
    pub fn change(&mut self, start: u64, end: u64) {
        let everything = self.changed.len() >= MOST_CHANGES;
        if everything {
            self.changed.clear();
        }
        self.changed.push(if everything { (0, u64::MAX) } else { (start, end) });
        self.stale |= everything || !self.takes_long;
    }

    /// True if a lookup led to an address whose mapping changed since the mappings were read.
    pub fn meets_change(&self) -> bool {
        self.met_change.take()
    }

    /// True if the code at one of the stack's addresses may be newer than the stack.
    pub fn has_refused(&self) -> bool {
        self.refused.get()
    }

    /// Reads the mappings. Returns true if they changed.
    pub fn refresh(&mut self, process: Tid, history: Option<&dyn CodeHistory>, images: &mut Images) -> bool {
        self.stale = false;
        let started = history.map(ReadAt::now);
        let text = read_up_to(&procfs::path(process, "maps"), LARGEST_MAPS);
        // The process may run another program by now. (One that has ended, but is still there, has an empty list.)
        let text = text.filter(|text| !text.is_empty() && history.is_none_or(|history| history.is_of(process)));
        let changes = history.map(|history| Changes::of(history, self.read_at));
        self.read_at = started;
        self.seen_to = started.map_or(0, |started| started.generation);
        let changed = std::mem::take(&mut self.changed);
        self.takes_long = text.as_ref().is_some_and(|text| text.len() > LONG_MAPS);
        match text {
            Some(text) => self
                .replace(maps::parse(&text), changes.as_ref(), |mapping, mounts| images.of(process, mapping, mounts)),
            // The process is gone, or hides. Those of its last known mappings stay in use that were not replaced.
            None => self.keep(|mapping| {
                let is_changed = changed.iter().any(|&(start, end)| start < mapping.end && mapping.start < end);
                !is_changed && changes.as_ref().is_none_or(|changes| !changes.replaces(mapping))
            }),
        }
    }

    fn replace(
        &mut self,
        mappings: Vec<CodeMapping>,
        changes: Option<&Changes>,
        mut find: impl FnMut(&CodeMapping, &OnceCell<Mounts>) -> Option<Rc<CodeImage>>,
    ) -> bool {
        let previous: Vec<_> =
            std::mem::take(&mut self.mappings).into_iter().zip(std::mem::take(&mut self.since)).collect();
        self.since = mappings.iter().map(|m| changes.and_then(|changes| changes.since(m, &previous))).collect();
        let same = previous.len() == mappings.len() && previous.iter().zip(&mappings).all(|((old, _), new)| old == new);
        if same {
            self.mappings = mappings;
            return false;
        }
        let mounts = OnceCell::new();
        let mut modules = Vec::with_capacity(mappings.len());
        for mapping in &mappings {
            let place = previous.binary_search_by_key(&mapping.start, |(m, _)| m.start).ok();
            let kept = place.filter(|&i| previous[i].0 == *mapping).map(|i| self.modules[i].take());
            modules.push(kept.unwrap_or_else(|| Some(with_bias(find(mapping, &mounts)?, mapping))));
        }
        self.mappings = mappings;
        self.modules = modules;
        self.forget_stacks();
        true
    }

    /// Forgets the other mappings. Returns true if there are some.
    fn keep(&mut self, keep: impl Fn(&CodeMapping) -> bool) -> bool {
        let kept: Vec<bool> = self.mappings.iter().map(keep).collect();
        let mut each = kept.iter();
        self.mappings.retain(|_| each.next() == Some(&true));
        each = kept.iter();
        self.modules.retain(|_| each.next() == Some(&true));
        each = kept.iter();
        self.since.retain(|_| each.next() == Some(&true));
        let changed = kept.contains(&false);
        if changed {
            self.forget_stacks();
        }
        changed
    }

    /// True if the process has code that is in no file, such as a compiler makes while the program runs.
    pub fn has_nameless_code(&self) -> bool {
        self.mappings.iter().any(|mapping| matches!(mapping.backing, CodeBacking::Nothing))
    }

    /// True if executable memory lies in this range.
    pub fn has_code(&self, start: u64, len: u64) -> bool {
        let end = start.saturating_add(len);
        let first = self.mappings.partition_point(|m| m.end <= start);
        self.mappings.get(first).is_some_and(|m| m.start < end)
    }

    fn mapping(&self, address: u64) -> Option<usize> {
        if self.changed.iter().any(|&(start, end)| (start..end).contains(&address)) {
            self.met_change.set(true);
            return None;
        }
        let i = self.mappings.partition_point(|m| m.end <= address);
        self.mappings.get(i).filter(|m| m.start <= address)?;
        let is_newer = self.generation.zip(self.since[i]).is_some_and(|(stack, since)| is_after(since, stack));
        if is_newer {
            self.refused.set(true);
        }
        (!is_newer).then_some(i)
    }

    /// The module at an address, and the address within the module.
    pub fn module(&self, address: u64) -> Option<(&Rc<CodeImage>, u64)> {
        let (image, bias) = self.modules[self.mapping(address)?].as_ref()?;
        Some((image, address.wrapping_sub(*bias)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::CodeChange;

    /// A process whose code at all addresses changed in this generation.
    struct Changed {
        stack: u32,
        change: u32,
        executed: bool,
    }

    impl CodeHistory for Changed {
        fn space(&self) -> u64 {
            1
        }

        fn is_of(&self, process: Tid) -> bool {
            process == std::process::id() as Tid && !self.executed
        }

        fn generation(&self) -> u32 {
            self.stack
        }

        fn now(&self) -> u32 {
            self.change
        }

        fn between(&self, generation: u32, last: u32) -> Option<Vec<CodeChange>> {
            let change = CodeChange { generation: last, start: 0, end: u64::MAX, mappings: None };
            Some(if last > generation { vec![change] } else { Vec::new() })
        }
    }

    /// Code that was mapped after a stack was copied does not name the stack's frames.
    #[test]
    fn code_that_is_newer_than_a_stack() {
        let process = std::process::id() as Tid;
        let mut images = Images::default();
        let mut space = Space::unread();
        let here = code_that_is_newer_than_a_stack as fn() as usize as u64;
        let mut knows = |stack, change| {
            let history = Changed { stack, change, executed: false };
            space.look_at(process, Some(&history), &mut images);
            if space.stale || space.module(here).is_none() {
                space.refresh(process, Some(&history), &mut images);
            }
            (space.module(here).is_some(), space.has_refused())
        };
        assert_eq!(knows(5, 5), (true, false));
        assert_eq!(knows(6, 7), (false, true));
        // Stacks may come out of order.
        assert_eq!(knows(7, 7), (true, false));
        assert_eq!(knows(6, 7), (false, true));
    }

    /// A child whose parent's mappings were read at this generation; `copied` is what the child has.
    struct Child {
        copied: Option<(u64, u32)>,
    }

    impl CodeHistory for Child {
        fn space(&self) -> u64 {
            2
        }

        /// The child is gone.
        fn is_of(&self, _: Tid) -> bool {
            false
        }

        fn generation(&self) -> u32 {
            100
        }

        fn now(&self) -> u32 {
            // (And another address space is where it had been.)
            101
        }

        fn origin(&self) -> Option<(u64, u32)> {
            self.copied
        }

        fn between(&self, _: u32, last: u32) -> Option<Vec<CodeChange>> {
            Some(vec![CodeChange { generation: last, start: 0, end: u64::MAX, mappings: None }])
        }
    }

    /// A child of fork(2) has the code of its parent, as that was then, and needs not be there any longer.
    #[test]
    fn a_forked_child() {
        let process = std::process::id() as Tid;
        let here = a_forked_child as fn() as usize as u64;
        let mut parent = Space::unread();
        let history = Changed { stack: 5, change: 5, executed: false };
        parent.look_at(process, Some(&history), &mut Images::default());
        parent.refresh(process, Some(&history), &mut Images::default());
        let knows = |parent: &Space, copied: Option<(u64, u32)>| {
            let mut child = parent.of_child();
            let history = Child { copied };
            child.look_at(process + 1, Some(&history), &mut Images::default());
            if child.stale {
                child.refresh(process + 1, Some(&history), &mut Images::default());
            }
            child.module(here).is_some()
        };
        assert!(knows(&parent, Some((1, 5))));
        for other in [None, Some((1, 4)), Some((1, 6)), Some((3, 5))] {
            assert!(!knows(&parent, other), "{other:?}");
        }
        // Code that was mapped in the parent after its mappings were read.
        parent.change(here, here + 1);
        assert!(!knows(&parent, Some((1, 5))));
    }

    /// The mappings of the next program say nothing about the stacks of the one before.
    #[test]
    fn another_program() {
        let process = std::process::id() as Tid;
        let here = another_program as fn() as usize as u64;
        for (executed, found) in [(false, true), (true, false)] {
            let mut space = Space::unread();
            let history = Changed { stack: 5, change: 5, executed };
            space.look_at(process, Some(&history), &mut Images::default());
            space.refresh(process, Some(&history), &mut Images::default());
            assert_eq!(space.module(here).is_some(), found);
        }
    }
}

#[cfg(test)]
mod follow_tests {
    use super::*;
    use crate::space::staleness::is_after;

    /// A process that is over, and whose mappings were noted.
    struct Noted {
        generation: u32,
        changes: Vec<CodeChange>,
    }

    impl CodeHistory for Noted {
        fn space(&self) -> u64 {
            1
        }

        fn is_of(&self, _: Tid) -> bool {
            false
        }

        fn generation(&self) -> u32 {
            self.generation
        }

        fn now(&self) -> u32 {
            self.changes.len() as u32
        }

        fn between(&self, generation: u32, last: u32) -> Option<Vec<CodeChange>> {
            let later = self.changes.iter().filter(|change| is_after(change.generation, generation));
            Some(later.filter(|change| !is_after(change.generation, last)).cloned().collect())
        }

        fn made(&self) -> Option<Vec<CodeChange>> {
            let changes = self.between(0, self.generation)?;
            changes.iter().all(|change| change.mappings.is_some()).then_some(changes)
        }
    }

    fn file(start: u64, end: u64, offset: u64, name: &str) -> CodeMapping {
        let backing = CodeBacking::File { offset, device: (0, 1), inode: 7, path: name.as_bytes().into() };
        CodeMapping { start, end, backing }
    }

    fn change(generation: u32, mapping: Option<CodeMapping>) -> CodeChange {
        let (start, end) = mapping.as_ref().map_or((0, u64::MAX), |m| (m.start, m.end));
        let mappings = mapping.map(|mapping| vec![NotedMapping { mapping, version: None }]);
        CodeChange { generation, start, end, mappings }
    }

    /// A mapping takes the place of what was there. A stack of before does not get its names from it.
    #[test]
    fn a_mapping_over_another() {
        let changes = vec![
            change(1, Some(file(0x10_0000, 0x20_0000, 0x1000, "/old"))),
            change(2, Some(file(0x14_0000, 0x18_0000, 0, "/new"))),
        ];
        let mut history = Noted { generation: 1, changes };
        let (mut space, mut images) = (Space::unread(), Images::default());
        space.look_at(Tid::MAX, Some(&history), &mut images);
        assert!(!space.stale);
        assert_eq!(space.mappings, [file(0x10_0000, 0x20_0000, 0x1000, "/old")]);
        history.generation = 2;
        space.look_at(Tid::MAX, Some(&history), &mut images);
        assert_eq!(
            space.mappings,
            [
                file(0x10_0000, 0x14_0000, 0x1000, "/old"),
                file(0x14_0000, 0x18_0000, 0, "/new"),
                file(0x18_0000, 0x20_0000, 0x8_1000, "/old"),
            ]
        );
        let name = |space: &Space, at| space.module(at).map(|(image, _)| image.module.path.to_vec());
        assert_eq!(name(&space, 0x15_0000).as_deref(), Some(b"/new".as_slice()));
        assert_eq!(name(&space, 0x19_0000).as_deref(), Some(b"/old".as_slice()));
        // Stacks may come out of order.
        history.generation = 1;
        space.look_at(Tid::MAX, Some(&history), &mut images);
        assert_eq!(name(&space, 0x15_0000), None);
        assert!(space.has_refused());
    }

    /// A change of which nothing was noted has the mappings read from `/proc`.
    #[test]
    fn a_change_that_was_not_noted() {
        let known = change(1, Some(file(0x10_0000, 0x20_0000, 0, "/known")));
        for (generation, stale) in [(1, false), (2, true)] {
            let history = Noted { generation, changes: vec![known.clone(), change(2, None)] };
            let mut space = Space::unread();
            space.look_at(Tid::MAX, Some(&history), &mut Images::default());
            assert_eq!(space.stale, stale);
        }
        // It may come later, too.
        let mut history = Noted { generation: 1, changes: vec![known, change(2, None)] };
        let mut space = Space::unread();
        space.look_at(Tid::MAX, Some(&history), &mut Images::default());
        history.generation = 2;
        space.look_at(Tid::MAX, Some(&history), &mut Images::default());
        assert!(space.stale);
    }
}
