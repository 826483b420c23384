//! The code that one process has mapped.

use crate::cfi::UnwindRule;
use crate::image::CodeImage;
use crate::images::Images;
use crate::maps::{self, Backing, CodeMapping};
use crate::mounts::Mounts;
use crate::perf_map::PerfMap;
use crate::walk::Code;
use gimli::UnwindContext;
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::Read;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{Bottom, Stack, Tid};

/// A stack that was made earlier, kept for the next time.
pub struct KnownStack {
    pub bottom: Bottom,
    pub stack: Arc<Stack>,
}

/// The executable mappings of a process, and the stacks seen there.
#[derive(Default)]
pub struct Space {
    mappings: Vec<CodeMapping>,
    /// For each mapping: its module and load bias.
    modules: Vec<Option<(Rc<CodeImage>, u64)>>,
    /// The mappings may have changed and must be read again.
    pub stale: bool,
    /// Stacks by their addresses, because a program makes the same calls over and over.
    pub stacks: FxHashMap<Box<[u64]>, KnownStack>,
    /// The number of times that the mappings were read because an address was in none of them.
    pub searches: u32,
}

const LARGEST_MAPS: u64 = 256 << 20;
const LARGEST_MOUNTINFO: u64 = 16 << 20;

impl Space {
    /// The space of a process whose mappings have not been read.
    pub fn unread() -> Space {
        Space { stale: true, ..Space::default() }
    }

    /// The space of a child that this process forked.
    pub fn of_child(&self) -> Space {
        let (mappings, modules) = (self.mappings.clone(), self.modules.clone());
        Space { mappings, modules, stale: self.stale, ..Space::default() }
    }

    /// Reads the mappings. Returns true if they changed.
    pub fn refresh(&mut self, process: Tid, images: &mut Images) -> bool {
        let read = |name: &str, most| read_up_to(&format!("/proc/{process}/{name}"), most);
        let Some(text) = read("maps", LARGEST_MAPS) else {
            // The process is gone. The last known mappings stay in use.
            self.stale = false;
            return false;
        };
        self.replace(maps::parse(&text), |mapping, mounts: &mut Option<Mounts>| {
            let mounts =
                mounts.get_or_insert_with(|| Mounts::parse(&read("mountinfo", LARGEST_MOUNTINFO).unwrap_or_default()));
            images.of(process, mapping, mounts)
        })
    }

    fn replace(
        &mut self,
        mappings: Vec<CodeMapping>,
        mut find: impl FnMut(&CodeMapping, &mut Option<Mounts>) -> Option<Rc<CodeImage>>,
    ) -> bool {
        self.stale = false;
        if mappings == self.mappings {
            return false;
        }
        let mut mounts = None;
        let mut modules = Vec::with_capacity(mappings.len());
        for mapping in &mappings {
            let known = self.mappings.binary_search_by_key(&mapping.start, |m| m.start).ok();
            let kept = known.filter(|&i| self.mappings[i] == *mapping).map(|i| self.modules[i].take());
            modules.push(kept.unwrap_or_else(|| {
                let image = find(mapping, &mut mounts)?;
                let offset = match mapping.backing {
                    Backing::File { offset, .. } => offset,
                    Backing::Vdso | Backing::Nothing => 0,
                };
                let bias = image.bias(mapping.start, offset);
                Some((image, bias))
            }));
        }
        self.mappings = mappings;
        self.modules = modules;
        self.stacks.clear();
        true
    }

    /// Whether executable memory lies in this range.
    pub fn has_code(&self, start: u64, len: u64) -> bool {
        let end = start.saturating_add(len);
        let first = self.mappings.partition_point(|m| m.end <= start);
        self.mappings.get(first).is_some_and(|m| m.start < end)
    }

    fn mapping(&self, address: u64) -> Option<usize> {
        let i = self.mappings.partition_point(|m| m.end <= address);
        self.mappings.get(i).filter(|m| m.start <= address).map(|_| i)
    }

    /// The module at an address, and the address within the module.
    pub fn module(&self, address: u64) -> Option<(&Rc<CodeImage>, u64)> {
        let (image, bias) = self.modules[self.mapping(address)?].as_ref()?;
        Some((image, address.wrapping_sub(*bias)))
    }
}

/// A space as the walk sees it.
pub struct SpaceCode<'a> {
    pub space: &'a Space,
    pub perf_map: &'a PerfMap,
    pub context: &'a mut UnwindContext<usize>,
}

impl Code for SpaceCode<'_> {
    fn rule(&mut self, address: u64) -> UnwindRule {
        match self.space.module(address) {
            Some((image, address)) => image.rule(address, self.context),
            None => UnwindRule::Unknown,
        }
    }

    fn is_executable(&self, address: u64) -> bool {
        self.space.mapping(address).is_some()
    }

    fn is_behind_call(&self, address: u64) -> bool {
        self.space.module(address).is_some_and(|(image, address)| image.is_behind_call(address))
    }

    fn returns_from_signal(&mut self, address: u64) -> bool {
        self.space.module(address).is_some_and(|(image, address)| image.returns_from_signal(address))
    }

    fn is_trampoline(&self, address: u64) -> bool {
        self.perf_map.is_trampoline(address)
    }
}

/// Reads a file of /proc, whose size is not known beforehand.
fn read_up_to(path: &str, most: u64) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(1 << 14);
    File::open(path).ok()?.take(most).read_to_end(&mut text).ok()?;
    (!text.is_empty()).then_some(text)
}
