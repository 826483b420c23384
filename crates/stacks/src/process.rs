//! The code that one process has mapped, and the language run-time system in that code.

use crate::image::CodeImage;
use crate::image::perf_map::PerfMap;
use crate::jit::languages as jit_languages;
use crate::jit::runtime::{FoundJit, JitInProcess};
use crate::script::languages::usual_language;
use crate::script::runtime::{FoundRuntime, ProcessRuntime, Runtime};
use crate::space::Space;
use std::collections::BTreeSet;
use std::rc::Rc;
use stride_event::{CodeHistory, Tid};

#[derive(Default)]
pub struct ProcessCode {
    pub space: Space,
    pub perf_map: PerfMap,
    pub runtime: RuntimeInProcess,
    pub jit: JitInProcess,
    /// The parent, as long as the process may share its memory (vfork).
    pub parent: Option<Tid>,
}

/// The run-time system of a process.
#[derive(Default)]
pub struct RuntimeInProcess {
    /// The load bias of the file whose evaluation function was met last.
    bias: Option<u64>,
    pub found: Option<ProcessRuntime>,
    /// [`Space::changes`] when the modules were searched.
    searched: Option<u32>,
}

impl ProcessCode {
    /// A process whose mappings have not been read.
    pub fn unread() -> ProcessCode {
        ProcessCode { space: Space::unread(), ..ProcessCode::default() }
    }

    /// Looks for run-time systems in the modules that tend to have one, if the modules have changed: the engine needs to know it before scripts make calls.
    pub fn search_runtime(&mut self, process: Tid, history: Option<&dyn CodeHistory>) {
        if self.runtime.searched.replace(self.space.changes) != Some(self.space.changes) {
            if !self.perf_map.is_expected() && self.space.has_nameless_code() {
                self.perf_map.expect(process);
            }
            self.runtime.bias = None;
            let found = self.space.modules().find_map(|(image, bias)| {
                let language = usual_language(&image.module.path)?;
                match image.runtime(language)? {
                    FoundRuntime::Known(known) => Some((language, known, *bias)),
                    FoundRuntime::Unsupported(_) => None,
                }
            });
            self.runtime.found = found.map(|(language, known, bias)| self.runtime_of(language, known, bias));
            self.search_jit();
            let jit = || self.jit.found.as_ref()?.borrow_mut().layout(None);
            let layout = self.runtime.found.as_ref().map(|found| found.layout).or_else(jit);
            if let Some((history, layout)) = history.zip(layout) {
                history.script_is_found(&layout);
            }
        }
        history.into_iter().for_each(|history| history.script_is_searched());
    }

    /// The run-time system with its tasks, if a file of code tells where they are.
    fn runtime_of(&self, language: usize, known: Rc<dyn Runtime>, bias: u64) -> ProcessRuntime {
        let mut found = ProcessRuntime::new(language, known, bias);
        let tasks = self.space.modules().find_map(|(image, _)| {
            let name = image.module.path.rsplit(|&b| b == b'/').next()?;
            let section = |name: &[u8]| image.section(name);
            found.runtime.is_of_tasks(name).then(|| found.runtime.tasks(&section, bias)).flatten()
        });
        if let Some(tasks) = tasks {
            found.layout.tasks = tasks;
        }
        found
    }

    fn search_jit(&mut self) {
        let found = self.space.modules().find_map(|(image, bias)| {
            let language = jit_languages::usual_language(&image.module.path)?;
            Some((image.jit(language)?, *bias))
        });
        if let Some((found @ FoundJit::Known(_), bias)) = found {
            self.jit.enter(Some(found), bias);
        }
    }

    /// Notes the run-time system of a language that is compiled while the program runs, if none was found by its name: a stack that enters such a language
    /// tells its module. If the version is not supported, it is added to the list.
    pub fn enter_jit(
        &mut self,
        entered: Option<(usize, usize)>,
        addresses: &[u64],
        unsupported: &mut BTreeSet<Rc<str>>,
    ) {
        if self.jit.found.is_none()
            && let Some((frame, language)) = entered
            && let Some(&address) = addresses.get(frame)
            && let Some((image, offset)) = self.space.module(address)
        {
            let found = image.jit(language);
            unsupported.extend(self.jit.enter(found, address.wrapping_sub(offset)));
        }
    }

    /// Notes the run-time system of the module that has the evaluation function of a stack. Returns its version if that is not supported.
    pub fn enter_runtime(&mut self, language: usize, image: &CodeImage, bias: u64) -> Option<Rc<str>> {
        if self.runtime.bias.replace(bias) == Some(bias) {
            return None;
        }
        let (found, unsupported) = match image.runtime(language) {
            Some(FoundRuntime::Known(known)) => (Some(self.runtime_of(language, known, bias)), None),
            Some(FoundRuntime::Unsupported(what)) => (None, Some(what)),
            None => (None, None),
        };
        self.runtime.found = found;
        unsupported
    }
}
