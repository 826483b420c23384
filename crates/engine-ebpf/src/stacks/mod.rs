//! Stacks of calls: unwinding remembered.
//!
//! The kernel side copies a stack that it does not know, with the registers (`bpf/stack.h`). Here the copy is unwound, once, and the words
//! that the frames depend on become a [`stack_memo`] in a map, by the place where the thread stood. As long as these words are the same, the
//! kernel side sends the memo's id, and no memory. So each call has its stack, exactly as if it had been unwound each time.
//!
//! A stack that cannot be remembered (part of it was not copied, other registers matter, too many words) is copied and unwound each time.
//! Memory is bounded: the kernel side holds so many memos, and the one that was used least lately makes room. An id is never given twice.

pub mod by_id;
pub mod copy;
pub mod history;
pub mod latest;
pub mod memo;
pub mod memory;

use crate::kernel::Kernel;
use crate::reading::records::StackSource;
use crate::stacks::by_id::StacksById;
use crate::stacks::copy::StackCopy;
use crate::stacks::history::SpaceHistory;
use crate::stacks::latest::LatestStacks;
use crate::stacks::memo::{Proof, StackPlace};
use crate::stacks::memory::{CopiedMemory, PageReader};
use crate::wire::{bound, bytes_of, read, stack_key, stack_memo};
use libbpf_rs::{MapCore, MapFlags};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{Bottom, Regs, Stack, Tid, Unwind};

const MEMOS: usize = bound::STACK_MEMOS.0 as usize;
const VARIANTS: usize = bound::STACK_VARIANTS.0 as usize;
/// Places that may be spared in turn before one has to go.
const SPARED: usize = 8;

#[derive(Default)]
pub struct StackMemory {
    unwinder: Option<Rc<RefCell<dyn Unwind>>>,
    stacks: StacksById,
    /// Places of which one stack was copied.
    once: FxHashSet<StackPlace>,
    places: FxHashMap<StackPlace, Vec<Variant>>,
    /// The places, the one to be forgotten next first.
    order: VecDeque<StackPlace>,
    memos: usize,
    latest: LatestStacks,
    /// Each process's address space and generation when one of its stacks was last unwound.
    generations: FxHashMap<Tid, (u64, u32)>,
    /// Reads the code of scripts.
    pages: RefCell<PageReader>,
    costs: Costs,
}

/// A memo that the kernel side has of a place.
struct Variant {
    /// Stands for its proof. If two proofs had the same number, the second stack would be copied and unwound each time.
    proof: u64,
    next: u8,
}

#[derive(Default)]
struct Costs {
    known: u64,
    unwound: u64,
    bytes: u64,
    forgotten: u64,
    unfit: u64,
    /// How often a process's mappings were read after they had changed again.
    late: u64,
    /// Stacks that were cut for that.
    cut: u64,
    /// Memos that were made, and all of their words.
    made: u64,
    words: u64,
    /// Records with the id of a stack that was given up.
    given_up: u64,
}

impl StackMemory {
    pub fn unwind_with(&mut self, unwinder: Rc<RefCell<dyn Unwind>>) {
        self.unwinder = Some(unwinder);
    }

    /// The stack that a record tells of.
    pub fn of(&mut self, source: StackSource<'_>, kernel: &mut Kernel) -> Option<Arc<Stack>> {
        match source {
            StackSource::Missing => None,
            StackSource::Known(id) => {
                self.costs.known += 1;
                let found = self.stacks.get(id);
                self.costs.given_up += u64::from(found.is_none());
                Some(found.unwrap_or_else(|| Arc::new(Stack { frames: Box::default(), bottom: Bottom::Unknown })))
            }
            StackSource::Copied(copy) => {
                self.costs.unwound += 1;
                self.costs.bytes += copy.memory.len() as u64;
                self.unwind(&copy, kernel)
            }
        }
    }

    fn unwind(&mut self, copy: &StackCopy, kernel: &mut Kernel) -> Option<Arc<Stack>> {
        let at = &copy.place;
        let sp = copy.sp();
        let process = at.process as Tid;
        let unwinder = self.unwinder.clone()?;
        let mut unwinder = unwinder.borrow_mut();
        if self.generations.len() >= MEMOS {
            self.generations.clear();
        }
        let generation = (at.space, at.generation);
        let remapped = self.generations.insert(process, generation) != Some(generation);
        let regs = Regs { kind: copy.kind(), ip: at.ip, sp, bp: at.bp, all: Some(at.all), thread_pointer: 0 };
        let place = (at.space, at.generation, at.ip, sp, at.script);
        // (If code was mapped, a thread may wait for its mappings to be read.)
        if !remapped && let Some(stack) = self.latest.find(place, copy) {
            return Some(stack.clone());
        }
        let mut memory = CopiedMemory::new(copy, &self.pages);
        let history = SpaceHistory {
            kernel,
            space: at.space,
            generation: at.generation,
            is_awaited: remapped,
            late: Cell::new(false),
        };
        let unwound = unwinder.unwind(process, &regs, Some(&history), &mut memory);
        let whole = memory.whole;
        self.costs.late += u64::from(history.late.get());
        let stack = unwound.stack;
        self.costs.cut += u64::from(unwound.cut);
        let mut is_walked = true;
        if let Some(layout) = &unwound.script {
            let layout = memory::wire_layout(layout);
            is_walked = layout.id == at.script_layout;
            if !is_walked {
                kernel.tell_script(at.space, layout);
            }
        }
        if whole && is_walked && !unwound.lacks_script && !unwound.used_all && !unwound.cut {
            if !is_met_again(&mut self.once, place) {
                return Some(stack);
            }
            // The kernel side compares the words with memory as it is.
            let now = |&(address, word): &(u64, u64)| (address, copy.word_now(address).unwrap_or(word));
            let words = memo::words(unwound.reads.iter().map(now));
            let bp = unwound.used_bp.then_some(at.bp);
            let proof = Proof { words, word: regs.kind.word(), bp, returns: at.returns };
            self.remember(place, &proof, &stack, kernel);
            self.latest.add(place, proof, &stack);
        } else {
            self.costs.unfit += 1;
        }
        Some(stack)
    }

    fn remember(&mut self, place: StackPlace, proof: &Proof, stack: &Arc<Stack>, kernel: &Kernel) {
        let known = self.places.get(&place);
        let mut variant = Variant { proof: FxBuildHasher.hash_one(proof), next: 0 };
        // Others of its kind were on their way when the first one was remembered.
        if known.is_some_and(|known| known.iter().any(|it| it.proof == variant.proof)) {
            return;
        }
        let id = self.stacks.id(stack).unwrap_or_else(|| {
            while !self.order.is_empty() {
                self.forget_first(kernel);
            }
            self.stacks.give_up_older();
            self.stacks.add(stack)
        });
        let Some(mut memo) = memo::lay_out(&proof.words, proof.word) else {
            self.costs.unfit += 1;
            return;
        };
        memo.id = id;
        memo.bp = proof.bp.unwrap_or_default();
        memo.uses_bp = u32::from(proof.bp.is_some());
        memo.returns = proof.returns;
        while self.memos >= MEMOS {
            self.make_room(kernel);
        }
        self.costs.made += 1;
        self.costs.words += proof.words.len() as u64;
        let known = self.places.entry(place).or_insert_with(|| {
            self.order.push_back(place);
            Vec::new()
        });
        let slot = if known.len() < VARIANTS {
            known.push(variant);
            self.memos += 1;
            known.len() - 1
        } else {
            // In turn: which of them is of use is not known.
            let slot = usize::from(known[0].next) % VARIANTS;
            variant.next = known[0].next;
            known[slot] = variant;
            known[0].next = known[0].next.wrapping_add(1);
            slot
        };
        if let Some(memos) = kernel.stacks() {
            let _ = memos.update(bytes_of(&[key(place, slot)]), bytes_of(&[memo]), MapFlags::ANY);
        }
    }

    /// Forgets a place that was not used lately.
    fn make_room(&mut self, kernel: &Kernel) {
        for _ in 0..SPARED {
            let Some(&place) = self.order.front() else { return };
            if !self.was_used(place, kernel) {
                break;
            }
            self.order.rotate_left(1);
        }
        self.forget_first(kernel);
        self.costs.forgotten += 1;
    }

    fn forget_first(&mut self, kernel: &Kernel) {
        let Some(place) = self.order.pop_front() else { return };
        let variants = self.places.remove(&place).map_or(0, |known| known.len());
        self.memos -= variants;
        // The kernel side looks at them in order, up to the first that is not there.
        for slot in 0..variants {
            if let Some(memos) = kernel.stacks() {
                let _ = memos.delete(bytes_of(&[key(place, slot)]));
            }
        }
    }

    /// True if the kernel side has found a memo of this place since the last time that this was asked.
    fn was_used(&self, place: StackPlace, kernel: &Kernel) -> bool {
        let mut used = false;
        for slot in 0..self.places.get(&place).map_or(0, Vec::len) {
            let key = key(place, slot);
            let Some(memos) = kernel.stacks() else { return false };
            let found = memos.lookup(bytes_of(&[key]), MapFlags::ANY);
            if let Ok(Some(found)) = found
                && let Some(memo) = read::<stack_memo>(&found).filter(|memo| memo.used != 0)
            {
                used = true;
                let memo = stack_memo { used: 0, ..memo };
                let _ = memos.update(bytes_of(&[key]), bytes_of(&[memo]), MapFlags::ANY);
            }
        }
        used
    }

    /// For people who debug Stride.
    pub fn costs(&self) -> Vec<String> {
        let Costs { known, unwound, bytes, forgotten, unfit, late, cut, made, words, given_up } = self.costs;
        if known + unwound == 0 {
            return Vec::new();
        }
        let mean = |sum: u64, n: u64| sum as f64 / n.max(1) as f64;
        vec![
            format!(
                "stacks: {known} remembered, {unwound} copied ({:.2}%, {:.0} bytes each)",
                unwound as f64 * 100.0 / (known + unwound) as f64,
                mean(bytes, unwound),
            ),
            format!(
                "stacks: {made} memos of {:.1} words, {} different, {forgotten} places forgotten, {given_up} stacks given up, {unfit} unfit, {late} mappings read late, {cut} stacks cut for that",
                mean(words, made),
                self.stacks.given(),
            ),
        ]
    }
}

/// True if a stack of this place was copied before. A short process stands in most places once, and no memo is of use to it: making one
/// takes as long as unwinding.
fn is_met_again(once: &mut FxHashSet<StackPlace>, place: StackPlace) -> bool {
    if once.len() >= MEMOS && !once.contains(&place) {
        once.clear();
    }
    !once.insert(place)
}

fn key((space, generation, ip, sp, script): StackPlace, slot: usize) -> stack_key {
    stack_key { space, ip, sp, script, generation, variant: slot as u32 }
}
