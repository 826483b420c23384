//! The code that the kernel maps into each process (vDSO). All 64-bit processes have the same, and Stride is one of
//! them. That of a 32-bit process has to be read from the process. The process may have changed its own copy, so a copy
//! counts only for processes that have the same bytes. For a
//! process that is over, the bytes count that all processes so far had, or those that the kernel maps elsewhere.

use crate::elf::ElfData;
use crate::elf::form::ElfForm;
use crate::image::CodeImage;
use crate::image::separate::DebugFiles;
use crate::space::maps;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::rc::Rc;
use std::sync::Arc;
use stride_engine_base::kernel_code::With32BitVdso;
use stride_engine_base::procfs;
use stride_event::{CodeBacking, CodeMapping, Tid};

#[derive(Default)]
pub struct Vdsos {
    own: Option<Rc<CodeImage>>,
    /// The vDSOs of 32-bit processes, with their bytes.
    others: Vec<(Arc<[u8]>, Rc<CodeImage>)>,
    /// Two processes had different ones.
    differ: bool,
    /// The 32-bit one that nobody changed, once it was needed.
    unchanged: Option<Rc<CodeImage>>,
}

const LARGEST: u64 = 1 << 20;
/// Unchanged processes have one of two or three: the kernel chooses one for the kind of process.
const MOST_OTHERS: usize = 8;
/// The end of the memory of 32-bit processes.
const END_OF_32_BITS: u64 = 1 << 32;

impl Vdsos {
    /// The vDSO that a process has mapped here.
    pub fn of(&mut self, process: Tid, mapping: &CodeMapping, debug_files: &Rc<DebugFiles>) -> Rc<CodeImage> {
        if mapping.end <= END_OF_32_BITS {
            match read(process, mapping) {
                Some(bytes) if is_32bit(&bytes) => return self.other(bytes, debug_files),
                Some(_) => {}
                None => return self.usual(debug_files),
            }
        }
        let own = || whole(std::process::id() as Tid).map(|bytes| ElfData::Memory(bytes.into()));
        let new = || Rc::new(CodeImage::new(b"[vdso]", own(), debug_files));
        self.own.get_or_insert_with(new).clone()
    }

    /// The vDSO of a 32-bit process that is over.
    fn usual(&mut self, debug_files: &Rc<DebugFiles>) -> Rc<CodeImage> {
        if let Some((_, image)) = self.others.first().filter(|_| !self.differ) {
            return image.clone();
        }
        let new = || Rc::new(CodeImage::new(b"[vdso]", unchanged().map(ElfData::Memory), debug_files));
        self.unchanged.get_or_insert_with(new).clone()
    }

    fn other(&mut self, bytes: Vec<u8>, debug_files: &Rc<DebugFiles>) -> Rc<CodeImage> {
        if let Some((_, known)) = self.others.iter().find(|(known, _)| **known == bytes[..]) {
            return known.clone();
        }
        self.differ |= !self.others.is_empty();
        let bytes: Arc<[u8]> = bytes.into();
        let image = Rc::new(CodeImage::new(b"[vdso]", Some(ElfData::Memory(bytes.clone())), debug_files));
        if self.others.len() >= MOST_OTHERS {
            self.others.retain(|(_, image)| Rc::strong_count(image) > 1);
        }
        if self.others.len() < MOST_OTHERS {
            self.others.push((bytes, image.clone()));
        }
        image
    }
}

fn is_32bit(bytes: &[u8]) -> bool {
    ElfForm::of(bytes).is_some_and(|form| form.word == 4)
}

/// The vDSO as the kernel maps it into 32-bit processes.
fn unchanged() -> Option<Arc<[u8]>> {
    let maps = std::fs::read("/proc/self/maps").ok()?;
    let process = With32BitVdso::start(&maps::of_kernel(&maps))?;
    whole(process.pid()).filter(|bytes| is_32bit(bytes)).map(Arc::from)
}

/// The vDSO of a process that lives.
fn whole(process: Tid) -> Option<Vec<u8>> {
    let maps = std::fs::read(procfs::path(process, "maps")).ok()?;
    let mapping = maps::parse(&maps).into_iter().find(|mapping| mapping.backing == CodeBacking::Vdso)?;
    read(process, &mapping)
}

/// Reads the vDSO from a process. Its pages are the kernel's, so no process has to provide them first.
fn read(process: Tid, mapping: &CodeMapping) -> Option<Vec<u8>> {
    let size = (mapping.end - mapping.start).min(LARGEST);
    let mut bytes = vec![0; size as usize];
    File::open(procfs::path(process, "mem")).ok()?.read_exact_at(&mut bytes, mapping.start).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel says how its 32-bit vDSO looks before any 32-bit program has run. The process that has it ends.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn without_a_32bit_process() {
        let maps = std::fs::read("/proc/self/maps").unwrap();
        let Some(process) = With32BitVdso::start(&maps::of_kernel(&maps)) else {
            println!("skipped: without_a_32bit_process: this kernel maps no 32-bit vDSO for other programs");
            return;
        };
        let pid = process.pid();
        assert!(whole(pid).is_some_and(|bytes| is_32bit(&bytes)));
        drop(process);
        assert!(std::fs::metadata(procfs::path(pid, "maps")).is_err());
        assert!(unchanged().is_some());
    }

    /// Processes that changed their copies neither use up memory nor change what others see.
    #[test]
    fn changed_copies() {
        let mut vdsos = Vdsos::default();
        let files = Rc::default();
        let first = vdsos.other(vec![1; 100], &files);
        assert!(Rc::ptr_eq(&vdsos.usual(&files), &first));
        for byte in 2..100 {
            let changed = vdsos.other(vec![byte; 100], &files);
            assert!(!Rc::ptr_eq(&changed, &first));
        }
        assert!(Rc::ptr_eq(&vdsos.other(vec![1; 100], &files), &first));
        assert!(vdsos.others.len() <= MOST_OTHERS);
        let usual = vdsos.usual(&files);
        assert!(vdsos.others.iter().all(|(_, image)| !Rc::ptr_eq(&usual, image)));
        assert!(Rc::ptr_eq(&vdsos.usual(&files), &usual));
    }
}
