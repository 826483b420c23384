//! How the code of an address space came to be mapped, as the kernel side has noted it.

use crate::kernel::Kernel;
use crate::stacks::memory;
use crate::wire::{code_backing, code_change, code_file_key, code_mapping, device_numbers, device_of};
use std::cell::Cell;
use stride_event::{CodeBacking, CodeChange, CodeHistory, CodeMapping, FileVersion, NotedMapping, ScriptLayout, Tid};

/// The changes that are looked up at a time.
const MOST_CHANGES: u32 = 256;

const CODE_OF_FILE: u32 = code_backing::CODE_OF_FILE.0;
const CODE_VDSO: u32 = code_backing::CODE_VDSO.0;

/// The changes of an address space, as the kernel side remembers them.
pub struct SpaceHistory<'k> {
    pub kernel: &'k Kernel,
    pub space: u64,
    pub generation: u32,
    /// A thread may wait for the mappings of this generation to be read.
    pub is_awaited: bool,
    /// The mappings had changed by then.
    pub late: Cell<bool>,
}

impl SpaceHistory<'_> {
    fn with_mappings(&self, change: &code_change, generation: u32) -> CodeChange {
        let noted = change.mapping.get(..change.mappings as usize);
        let mappings = noted.and_then(|noted| noted.iter().map(|mapping| self.noted(mapping)).collect());
        CodeChange { generation, start: change.start, end: change.end, mappings }
    }

    fn noted(&self, mapping: &code_mapping) -> Option<NotedMapping> {
        let &code_mapping { start, end, offset, file, size, modified, modified_ns, backing } = mapping;
        let mut version = None;
        let backing = match backing {
            CODE_OF_FILE => {
                let path = self.kernel.code_file(file)?;
                version = Some(FileVersion { size, modified: (modified as i64, modified_ns.into()) });
                CodeBacking::File {
                    offset,
                    device: device_numbers(file.device),
                    inode: file.inode,
                    path: path.text.get(path.from as usize..)?.into(),
                }
            }
            CODE_VDSO => CodeBacking::Vdso,
            _ => CodeBacking::Nothing,
        };
        Some(NotedMapping { mapping: CodeMapping { start, end, backing }, version })
    }
}

impl CodeHistory for SpaceHistory<'_> {
    fn origin(&self) -> Option<(u64, u32)> {
        let change = self.kernel.change(self.space, self.generation)?;
        (change.space == self.space && change.from != 0).then_some((change.from, change.from_generation))
    }

    fn mappings_are_read(&self, generation: u32) {
        if self.is_awaited {
            self.kernel.shared().mappings_read(self.space, generation);
            self.late.set(self.now() != self.generation);
        }
    }

    fn space(&self) -> u64 {
        self.space
    }

    fn generation(&self) -> u32 {
        self.generation
    }

    fn is_of(&self, process: Tid) -> bool {
        self.kernel.has_space(process, self.space)
    }

    fn now(&self) -> u32 {
        self.kernel.shared().generation(self.space)
    }

    fn between(&self, generation: u32, last: u32) -> Option<Vec<CodeChange>> {
        let count = last.wrapping_sub(generation);
        if count > MOST_CHANGES {
            return None;
        }
        let mut changes = Vec::new();
        for generation in (1..=count).map(|n| generation.wrapping_add(n)) {
            let change = self.kernel.change(self.space, generation)?;
            // Other address spaces may count together with this one.
            if change.space == self.space {
                changes.push(self.with_mappings(&change, generation));
            }
        }
        Some(changes)
    }

    /// Goes back to the beginning of the program. On the way, the address space may be a copy of its parent's.
    fn made(&self) -> Option<Vec<CodeChange>> {
        let (mut space, mut generation) = (self.space, self.generation);
        // The generation in which fork(2) made this address space. The parent's changes count as made then.
        let mut copied = None;
        let mut changes = Vec::new();
        for _ in 0..MOST_CHANGES {
            let change = self.kernel.change(space, generation)?;
            if change.space != space {
                generation = generation.wrapping_sub(1);
                continue;
            }
            if change.from != 0 {
                copied.get_or_insert(generation);
                (space, generation) = (change.from, change.from_generation);
                continue;
            }
            let begins = (change.start, change.end) == (0, u64::MAX);
            let change = self.with_mappings(&change, copied.unwrap_or(generation));
            change.mappings.as_ref()?;
            changes.push(change);
            if begins {
                changes.reverse();
                return Some(changes);
            }
            generation = generation.wrapping_sub(1);
        }
        None
    }

    fn script_is_found(&self, layout: &ScriptLayout) {
        self.kernel.tell_script(self.space, memory::wire_layout(layout));
    }

    fn script_is_searched(&self) {
        self.kernel.shared().script_is_searched(self.space, self.generation);
    }

    fn file_is_opened(&self, device: (u32, u32), inode: u64) {
        self.kernel.code_file_is_opened(code_file_key { inode, device: device_of(device), pad: 0 });
    }
}
