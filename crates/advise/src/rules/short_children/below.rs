//! The children of one process that has not ended yet.

use super::super::common::{Claims, Covered, count_stack};
use std::sync::Arc;
use stride_event::{Ns, Stack, Tid};
use stride_track::ObjectId;

/// The number of groups of one process that are told apart, and of kinds of calls of one group.
const MAX_GROUPS: usize = 32;
const MAX_KINDS: usize = 1 << 13;

/// A process that lives, and its short descendants.
#[derive(Default)]
pub struct Below {
    pub groups: Vec<ProgramGroup>,
    /// The time in which any child lived.
    pub lived: Covered,
    /// The same from the fork of each to the moment when the parent knows its end.
    pub covered: Covered,
    pub pids: Vec<Tid>,
    /// The calls of the process from the fork of a child until it knows of the child's end, and how many such children
    /// there are now.
    pub making: Claims,
    pub alive: u64,
    /// The stacks with which it made children, each with the number of calls for which it stands.
    pub makers: Vec<(Arc<Stack>, u64)>,
    /// Its own calls, as long as it may be a short child, and the time that it slept.
    pub own: Claims,
    pub slept: Ns,
    /// The time that it spent closing what is not open, and when its latest call returned, if it was such a one.
    pub vain: Ns,
    pub vain_until: Option<Ns>,
}

/// So many different stacks of one process are kept.
const MAX_STACKS: usize = 64;

impl Below {
    /// The process made a child with this stack, which stands for so many calls.
    pub fn makes(&mut self, stack: &Arc<Stack>, calls: u64) {
        count_stack(&mut self.makers, MAX_STACKS, stack, calls);
    }
}

#[derive(Default)]
pub struct ProgramGroup {
    /// `None` in `command`: these executed nothing, and so run their parent's program.
    pub program: Option<ObjectId>,
    pub command: Option<Vec<u8>>,
    pub short: u64,
    pub long: u64,
    pub lived: Ns,
    pub slept: Ns,
    pub vain: Ns,
    pub claims: Claims,
}

impl ProgramGroup {
    pub fn claim(&mut self, calls: Claims) {
        if self.claims.kinds() < MAX_KINDS {
            self.claims.add_all(calls.iter());
        }
    }

    /// The time that these children spent on their work.
    pub fn busy(&self) -> Ns {
        self.lived.saturating_sub(self.slept + self.vain)
    }

    /// These children sleep for most of their lives.
    pub fn sleeps(&self) -> bool {
        self.slept * 2 > self.lived
    }
}

impl Below {
    /// The group of the same program, which may be new.
    pub fn group(&mut self, new: ProgramGroup) -> Option<&mut ProgramGroup> {
        let same =
            |group: &ProgramGroup| group.program == new.program && group.command.is_some() == new.command.is_some();
        let at = match self.groups.iter().position(same) {
            Some(at) => at,
            None if self.groups.len() < MAX_GROUPS => {
                self.groups.push(new);
                self.groups.len() - 1
            }
            None => return None,
        };
        self.groups.get_mut(at)
    }
}
