//! All modules that processes have mapped. Each is held once, however many processes map it.

use crate::elf::ElfData;
use crate::file::{Identity, open_regular};
use crate::image::CodeImage;
use crate::maps::{Backing, CodeMapping};
use crate::mounts::Mounts;
use crate::separate::DebugFiles;
use rustc_hash::FxHashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use stride_engine_base::procfs;
use stride_event::{CodeFile, Tid};

#[derive(Default)]
pub struct Images {
    files: FxHashMap<(Identity, Box<[u8]>), Rc<CodeImage>>,
    /// Files that could not be opened. They are known by name alone.
    named: FxHashMap<Box<[u8]>, Rc<CodeImage>>,
    vdso: Option<Rc<CodeImage>>,
    pub debug_files: Rc<DebugFiles>,
}

/// Beyond this count, modules that no process maps any longer are forgotten.
const MOST_IMAGES: usize = 512;
/// Beyond this size, the tables of all modules are dropped. They are loaded again when they are needed.
const MOST_BYTES: usize = 128 << 20;
/// Beyond this count, everything that is known of addresses is dropped, and found again.
const MOST_KEPT: usize = 1 << 18;
const LARGEST_VDSO: u64 = 1 << 20;

impl Images {
    /// The module of a process's mapping, or `None` for anonymous memory.
    pub fn of(&mut self, process: Tid, mapping: &CodeMapping, mounts: &Mounts) -> Option<Rc<CodeImage>> {
        match &mapping.backing {
            Backing::Nothing => None,
            Backing::Vdso => {
                let new = || Rc::new(CodeImage::new(b"[vdso]", vdso(), &self.debug_files));
                Some(self.vdso.get_or_insert_with(new).clone())
            }
            Backing::File { device, inode, path, .. } => {
                let opened =
                    (!mounts.is_served(*device)).then(|| open(process, mapping, path, *inode, mounts)).flatten();
                let image = |data| Rc::new(CodeImage::new(path, data, &self.debug_files));
                Some(match opened {
                    Some((file, identity)) => {
                        let again = path.clone();
                        let reopen = move || named(process, &again, &Mounts::of(process));
                        let new = || image(self.debug_files.pool.add(file, Box::new(reopen)).map(ElfData::File));
                        self.files.entry((identity, path.clone())).or_insert_with(new).clone()
                    }
                    None => self.named.entry(path.clone()).or_insert_with(|| image(None)).clone(),
                })
            }
        }
    }

    /// The image that gave a frame its module.
    pub fn named_by(&self, module: &Arc<CodeFile>) -> Option<&CodeImage> {
        self.files.values().map(|image| &**image).find(|image| Arc::ptr_eq(&image.module, module))
    }

    /// Forgets what is not needed once the limits are passed.
    pub fn tidy(&mut self) {
        if self.files.len() > MOST_IMAGES {
            self.files.retain(|_, image| Rc::strong_count(image) > 1);
        }
        if self.named.len() > MOST_IMAGES {
            self.named.retain(|_, image| Rc::strong_count(image) > 1);
        }
        if self.files.values().map(|image| image.table_bytes()).sum::<usize>() > MOST_BYTES {
            self.files.values().for_each(|image| image.drop_tables());
        }
        if self.files.values().map(|image| image.kept()).sum::<usize>() > MOST_KEPT {
            self.files.values().for_each(|image| image.drop_kept());
        }
    }
}

/// Opens the mapped file, if that is possible: through the mapping itself, which also works for deleted files, or else
/// by its name as the process sees it.
fn open(process: Tid, mapping: &CodeMapping, path: &[u8], inode: u64, mounts: &Mounts) -> Option<(File, Identity)> {
    let mapped = procfs::path(process, &format!("map_files/{:x}-{:x}", mapping.start, mapping.end));
    let file = open_regular(Path::new(&mapped)).or_else(|| named(process, path, mounts))?;
    // Another file may have taken the name in the meantime.
    let identity = Identity::of(&file).filter(|identity| identity.inode == inode)?;
    Some((file, identity))
}

fn named(process: Tid, path: &[u8], mounts: &Mounts) -> Option<File> {
    let path = Path::new(OsStr::from_bytes(path));
    if mounts.leads_through_served(path) {
        return None;
    }
    open_regular(&Path::new(&procfs::path(process, "root")).join(path.strip_prefix("/").ok()?))
}

/// The vDSO. All processes have the same one, Stride included.
fn vdso() -> Option<ElfData> {
    let maps = std::fs::read("/proc/self/maps").ok()?;
    let own = crate::maps::parse(&maps).into_iter().find(|mapping| mapping.backing == Backing::Vdso)?;
    let size = (own.end - own.start).min(LARGEST_VDSO);
    let mut bytes = vec![0; size as usize];
    File::open("/proc/self/mem").ok()?.read_exact_at(&mut bytes, own.start).ok()?;
    Some(ElfData::Memory(Arc::from(bytes)))
}
