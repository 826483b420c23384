//! The code that one process has mapped, and the language run-time system in that code.

use crate::image::CodeImage;
use crate::image::perf_map::PerfMap;
use crate::script::languages::usual_language;
use crate::script::runtime::{FoundRuntime, ProcessRuntime};
use crate::space::Space;
use std::rc::Rc;
use stride_event::{CodeHistory, Tid};

#[derive(Default)]
pub struct ProcessCode {
    pub space: Space,
    pub perf_map: PerfMap,
    pub runtime: RuntimeInProcess,
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
    /// Looks for a run-time system in the modules that tend to have one, if the modules have changed: the engine needs to know it before scripts make calls.
    pub fn search_runtime(&mut self, history: Option<&dyn CodeHistory>) {
        if self.runtime.searched.replace(self.space.changes) != Some(self.space.changes) {
            self.runtime.bias = None;
            self.runtime.found = self.space.modules().find_map(|(image, bias)| {
                let language = usual_language(&image.module.path)?;
                match image.runtime(language)? {
                    FoundRuntime::Known(known) => Some(ProcessRuntime::new(language, known, *bias)),
                    FoundRuntime::Unsupported(_) => None,
                }
            });
            if let Some((history, found)) = history.zip(self.runtime.found.as_ref()) {
                history.script_is_found(&found.layout);
            }
        }
        history.into_iter().for_each(|history| history.script_is_searched());
    }

    /// Notes the run-time system of the module that has the evaluation function of a stack. Returns its version if that is not supported.
    pub fn enter_runtime(&mut self, language: usize, image: &CodeImage, bias: u64) -> Option<Rc<str>> {
        if self.runtime.bias.replace(bias) == Some(bias) {
            return None;
        }
        let (found, unsupported) = match image.runtime(language) {
            Some(FoundRuntime::Known(known)) => (Some(ProcessRuntime::new(language, known, bias)), None),
            Some(FoundRuntime::Unsupported(what)) => (None, Some(what)),
            None => (None, None),
        };
        self.runtime.found = found;
        unsupported
    }
}
