//! Follows the mappings that were noted when they were made. Nothing is read from `/proc`, so the process may be over.

use crate::files::mounts::Mounts;
use crate::image::CodeImage;
use crate::image::cache::Images;
use std::cell::OnceCell;
use std::rc::Rc;
use stride_event::{CodeBacking, CodeHistory, CodeMapping, NotedMapping, Tid};

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

    pub fn module(&mut self, noted: &NotedMapping) -> Option<(Rc<CodeImage>, u64)> {
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

/// A module with its load bias in a mapping.
pub fn with_bias(image: Rc<CodeImage>, mapping: &CodeMapping) -> (Rc<CodeImage>, u64) {
    let offset = match mapping.backing {
        CodeBacking::File { offset, .. } => offset,
        CodeBacking::Vdso | CodeBacking::Nothing => 0,
    };
    let bias = image.bias(mapping.start, offset);
    (image, bias)
}
