//! Follows the mappings that were noted when they were made. Nothing is read from `/proc`, so the process may be over.

use crate::files::mounts::Mounts;
use crate::image::CodeImage;
use crate::image::cache::Images;
use crate::space::{Space, with_bias};
use std::cell::OnceCell;
use std::rc::Rc;
use stride_event::{CodeBacking, CodeChange, CodeHistory, CodeMapping, NotedMapping, Tid};

/// The process whose changes are followed, and where its modules come from.
pub struct Follow<'a> {
    process: Tid,
    history: &'a dyn CodeHistory,
    images: &'a mut Images,
    mounts: OnceCell<Mounts>,
}

impl<'a> Follow<'a> {
    pub fn new(process: Tid, history: &'a dyn CodeHistory, images: &'a mut Images) -> Follow<'a> {
        Follow { process, history, images, mounts: OnceCell::new() }
    }

    pub fn history(&self) -> &'a dyn CodeHistory {
        self.history
    }

    fn module(&mut self, noted: &NotedMapping) -> Option<(Rc<CodeImage>, u64)> {
        let mapping = &noted.mapping;
        if let Some(image) = noted.version.and_then(|version| self.images.opened(mapping, version)) {
            return Some(with_bias(image, mapping));
        }
        let image = self.images.of(self.process, mapping, &self.mounts)?;
        if let CodeBacking::File { device, inode, .. } = mapping.backing
            && image.is_opened()
        {
            self.history.file_is_opened(device, inode);
        }
        Some(with_bias(image, mapping))
    }
}

impl Space {
    /// Follows a change: what was noted takes the place of what was there.
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
        // What is left of a mapping on both sides. (A module's bias does not change.)
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
        self.stacks.clear();
    }
}

#[cfg(test)]
mod tests {
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
