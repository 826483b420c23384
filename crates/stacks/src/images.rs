//! All modules that processes have mapped. Each is held once, however many processes map it.

use crate::elf::ElfData;
use crate::file::{Identity, open_regular};
use crate::image::CodeImage;
use crate::maps::{Backing, CodeMapping};
use crate::mounts::Mounts;
use rustc_hash::FxHashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{CodeFile, Tid};

#[derive(Default)]
pub struct Images {
    files: FxHashMap<(Identity, Box<[u8]>), Rc<CodeImage>>,
    /// Files that could not be opened. They are known by name alone.
    named: FxHashMap<Box<[u8]>, Rc<CodeImage>>,
    vdso: Option<Rc<CodeImage>>,
}

/// Beyond this count, modules that no process maps any longer are forgotten.
const MOST_IMAGES: usize = 512;
/// Beyond this size, names and lines are dropped. They are loaded again when they are needed.
const MOST_BYTES: usize = 192 << 20;
const LARGEST_VDSO: u64 = 1 << 20;

impl Images {
    /// The module of a process's mapping, or `None` for anonymous memory.
    pub fn of(&mut self, process: Tid, mapping: &CodeMapping, mounts: &Mounts) -> Option<Rc<CodeImage>> {
        match &mapping.backing {
            Backing::Nothing => None,
            Backing::Vdso => Some(self.vdso.get_or_insert_with(|| Rc::new(CodeImage::new(b"[vdso]", vdso()))).clone()),
            Backing::File { device, inode, path, .. } => {
                let opened =
                    (!mounts.is_served(*device)).then(|| open(process, mapping, path, *inode, mounts)).flatten();
                Some(match opened {
                    Some((file, identity)) => {
                        let image = || Rc::new(CodeImage::new(path, Some(ElfData::File(file))));
                        self.files.entry((identity, path.clone())).or_insert_with(image).clone()
                    }
                    None => {
                        self.named.entry(path.clone()).or_insert_with(|| Rc::new(CodeImage::new(path, None))).clone()
                    }
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
        if self.files.values().map(|image| image.size()).sum::<usize>() > MOST_BYTES {
            self.files.values().for_each(|image| image.shrink());
        }
    }
}

/// Opens the mapped file, if that is possible: through the mapping itself, which also works for deleted files, or else
/// by its name as the process sees it.
fn open(process: Tid, mapping: &CodeMapping, path: &[u8], inode: u64, mounts: &Mounts) -> Option<(File, Identity)> {
    let mapped = format!("/proc/{process}/map_files/{:x}-{:x}", mapping.start, mapping.end);
    let named = || {
        let path = Path::new(OsStr::from_bytes(path));
        if mounts.leads_through_served(path) {
            return None;
        }
        let mut full = PathBuf::from(format!("/proc/{process}/root"));
        full.push(path.strip_prefix("/").ok()?);
        open_regular(&full)
    };
    let file = open_regular(Path::new(&mapped)).or_else(named)?;
    // Another file may have taken the name in the meantime.
    let identity = Identity::of(&file).filter(|identity| identity.inode == inode)?;
    Some((file, identity))
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
