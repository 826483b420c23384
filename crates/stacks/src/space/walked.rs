//! A space as the walk of a stack sees it.

use crate::image::Preceding;
use crate::image::perf_map::PerfMap;
use crate::jit::runtime::Jit;
use crate::space::Space;
use crate::unwind::cfi::UnwindRule;
use crate::unwind::registers::SignalFrame;
use crate::unwind::walk::Code;
use gimli::UnwindContext;
use std::cell::RefCell;
use stride_event::{CodeKind, ThreadMemory};

/// The code that the walk asks for rules.
pub struct SpaceCode<'a, 'm> {
    pub space: &'a Space,
    pub perf_map: &'a PerfMap,
    pub context: &'a mut UnwindContext<usize>,
    /// The kind of code that the thread runs.
    pub kind: CodeKind,
    pub jit: Option<&'a RefCell<Box<dyn Jit>>>,
    pub memory: &'a RefCell<&'m mut dyn ThreadMemory>,
}

impl Code for SpaceCode<'_, '_> {
    fn rule(&mut self, address: u64) -> UnwindRule {
        match self.space.module(address) {
            // A thread may go over to code of another kind (Wine). Rules of that code say nothing about this kind of
            // registers.
            Some((image, address)) if image.code() == Some(self.kind) => image.rule(address, self.context),
            Some(_) => UnwindRule::Unknown,
            None => {
                self.jit.map_or(UnwindRule::Unknown, |jit| jit.borrow_mut().rule(address, *self.memory.borrow_mut()))
            }
        }
    }

    fn is_executable(&self, address: u64) -> bool {
        self.space.mapping(address).is_some()
    }

    fn preceding(&self, address: u64) -> Preceding {
        self.space.module(address).map_or(Preceding::Other, |(image, address)| image.preceding(address))
    }

    fn returns_from_signal(&mut self, address: u64) -> Option<SignalFrame> {
        let (image, address) = self.space.module(address)?;
        image.returns_from_signal(address).filter(|_| image.code() == Some(self.kind))
    }

    fn is_trampoline(&self, address: u64) -> bool {
        self.kind == CodeKind::X86_64 && self.perf_map.is_trampoline(address)
    }
}
