//! Since when mappings are known to be in place.
//!
//! The mappings of a process that runs on are read later than its stack was copied. A mapping that may be newer than a
//! stack must not name its frames: the stack's own code may have been there before. The engine tells which addresses
//! were mapped when ([`CodeHistory`]), and here follows since when each mapping that was read counts.

use stride_event::{CodeBacking, CodeChange, CodeHistory, CodeMapping};

/// The first generation of stacks for which a mapping counts. `None`: it counts for all.
pub type Since = Option<u32>;

/// True if one generation is later than another.
pub fn is_after(generation: u32, other: u32) -> bool {
    generation.wrapping_sub(other) as i32 > 0
}

/// An address space and the generation at which its mappings began to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadAt {
    pub space: u64,
    pub generation: u32,
}

impl ReadAt {
    pub fn now(history: &dyn CodeHistory) -> ReadAt {
        ReadAt { space: history.space(), generation: history.now() }
    }
}

/// The changes of mapped code up to the moment when the mappings had been read.
pub struct Changes {
    now: u32,
    /// There was an earlier reading of the same address space.
    again: bool,
    /// The changes since then, or without an earlier reading since the stack. `None`: they are forgotten.
    list: Option<Vec<CodeChange>>,
}

impl Changes {
    /// Must be called after the mappings were read, so that no change is missed.
    pub fn of(history: &dyn CodeHistory, before: Option<ReadAt>) -> Changes {
        let before = before.filter(|before| before.space == history.space());
        let (from, now) = (before.map_or(history.generation(), |before| before.generation), history.now());
        Changes { now, again: before.is_some(), list: history.between(from, now) }
    }

    /// Since when a mapping counts that was read just now. `previous` are the mappings of the earlier reading.
    pub fn since(&self, mapping: &CodeMapping, previous: &[(CodeMapping, Since)]) -> Since {
        let earlier = || {
            let first = previous.partition_point(|(m, _)| m.end <= mapping.start);
            let overlapping = previous[first..].iter().take_while(|(m, _)| m.start < mapping.end);
            overlapping.filter(|(m, _)| continues(m, mapping)).map(|&(_, since)| since).next()
        };
        match &self.list {
            Some(list) => match latest(list, mapping) {
                Some(generation) => Some(generation),
                None if !self.again => None,
                // A call that has not returned may have mapped it. Then it counts when the call has returned.
                None => earlier().unwrap_or(Some(self.now.wrapping_add(1))),
            },
            None if self.again => earlier().unwrap_or(Some(self.now)),
            None => Some(self.now),
        }
    }

    /// True if other code may have taken the place of this mapping.
    pub fn replaces(&self, mapping: &CodeMapping) -> bool {
        self.list.as_ref().is_none_or(|list| latest(list, mapping).is_some())
    }
}

/// The latest change that overlaps with a mapping.
fn latest(list: &[CodeChange], mapping: &CodeMapping) -> Option<u32> {
    let overlapping = list.iter().rev().find(|change| change.start < mapping.end && mapping.start < change.end);
    overlapping.map(|change| change.generation)
}

/// True if two overlapping mappings have the same bytes where they overlap: one of them was cut, or grew.
fn continues(previous: &CodeMapping, mapping: &CodeMapping) -> bool {
    match (&previous.backing, &mapping.backing) {
        (
            CodeBacking::File { offset: a, device, inode, path },
            CodeBacking::File { offset: b, device: other_device, inode: other_inode, path: other_path },
        ) => {
            let same_place = previous.start.wrapping_sub(*a) == mapping.start.wrapping_sub(*b);
            same_place && (device, inode, path) == (other_device, other_inode, other_path)
        }
        (previous, mapping) => previous == mapping,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An engine that knows these changes; none are known from before the first.
    struct Told {
        generation: u32,
        changes: Vec<CodeChange>,
        now: u32,
    }

    impl CodeHistory for Told {
        fn space(&self) -> u64 {
            1
        }

        fn is_of(&self, _: stride_event::Tid) -> bool {
            true
        }

        fn generation(&self) -> u32 {
            self.generation
        }

        fn now(&self) -> u32 {
            self.now
        }

        fn between(&self, generation: u32, _: u32) -> Option<Vec<CodeChange>> {
            let in_history =
                self.changes.first().is_none_or(|first| !is_after(first.generation, generation.wrapping_add(1)));
            let later = self.changes.iter().filter(|change| is_after(change.generation, generation)).cloned();
            in_history.then(|| later.collect())
        }
    }

    fn file(start: u64, end: u64, inode: u64) -> CodeMapping {
        let backing = CodeBacking::File { offset: start & 0xfff, device: (1, 1), inode, path: b"/x".as_slice().into() };
        CodeMapping { start, end, backing }
    }

    fn change(generation: u32, start: u64, end: u64) -> CodeChange {
        CodeChange { generation, start, end, mappings: None }
    }

    const BEFORE: Option<ReadAt> = Some(ReadAt { space: 1, generation: 5 });

    #[test]
    fn the_first_reading_counts_except_for_what_came_later() {
        let history = Told { generation: 5, changes: vec![change(6, 0x3000, 0x4000)], now: 6 };
        let changes = Changes::of(&history, None);
        assert_eq!(changes.since(&file(0x1000, 0x2000, 1), &[]), None);
        assert_eq!(changes.since(&file(0x3000, 0x4000, 2), &[]), Some(6));
    }

    #[test]
    fn a_later_reading_counts_where_a_change_was_told() {
        let history = Told { generation: 6, changes: vec![change(6, 0x3000, 0x4000)], now: 6 };
        let changes = Changes::of(&history, BEFORE);
        let previous = [(file(0x1000, 0x2000, 1), None)];
        assert_eq!(changes.since(&file(0x1000, 0x2000, 1), &previous), None);
        assert_eq!(changes.since(&file(0x3000, 0x4000, 2), &previous), Some(6));
        // The call that mapped it has not returned.
        assert_eq!(changes.since(&file(0x1000, 0x2000, 9), &previous), Some(7));
        assert_eq!(changes.since(&file(0x8000, 0x9000, 9), &previous), Some(7));
        // A part of it was unmapped.
        assert_eq!(changes.since(&file(0x1000, 0x1800, 1), &previous), None);
    }

    #[test]
    fn forgotten_changes_count_as_new() {
        let history = Told { generation: 700, changes: vec![change(900, 0, 1)], now: 900 };
        let changes = Changes::of(&history, BEFORE);
        assert_eq!(changes.since(&file(0x1000, 0x2000, 1), &[(file(0x1000, 0x2000, 1), Some(3))]), Some(3));
        assert_eq!(changes.since(&file(0x1000, 0x2000, 2), &[(file(0x1000, 0x2000, 1), Some(3))]), Some(900));
        assert_eq!(Changes::of(&history, None).since(&file(0x1000, 0x2000, 1), &[]), Some(900));
    }

    #[test]
    fn generations_begin_again() {
        assert!(is_after(1, u32::MAX) && !is_after(u32::MAX, 1) && !is_after(4, 4));
    }
}
