//! All modules that processes have mapped. Each is held once, however many processes map it.

use crate::elf::ElfData;
use crate::files::mounts::Mounts;
use crate::files::open::{Identity, open_regular};
use crate::image::CodeImage;
use crate::image::separate::DebugFiles;
use crate::image::vdso::Vdsos;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use stride_engine_base::procfs;
use stride_event::{CodeBacking, CodeFile, CodeMapping, FileVersion, Tid};

#[derive(Default)]
pub struct Images {
    files: FxHashMap<(Identity, Box<[u8]>), Rc<CodeImage>>,
    /// Files that could not be opened. They are known by name alone.
    named: FxHashMap<Box<[u8]>, Rc<CodeImage>>,
    vdsos: Vdsos,
    pub debug_files: Rc<DebugFiles>,
}

/// Beyond this count, modules that no process maps any longer are forgotten.
const MOST_IMAGES: usize = 512;
/// Beyond this size, the tables of all modules are dropped. They are loaded again when they are needed.
const MOST_BYTES: usize = 128 << 20;
/// Beyond this count, everything that is known of addresses is dropped, and found again.
const MOST_KEPT: usize = 1 << 18;

impl Images {
    /// The module of a mapping whose file was opened before in this version. No file is looked at.
    pub fn opened(&self, mapping: &CodeMapping, version: FileVersion) -> Option<Rc<CodeImage>> {
        let CodeBacking::File { device, inode, path, .. } = &mapping.backing else { return None };
        self.files.get(&(Identity::new(*device, *inode, version), path.clone())).cloned()
    }

    /// The module of a process's mapping, or `None` for anonymous memory.
    pub fn of(&mut self, process: Tid, mapping: &CodeMapping, mounts: &OnceCell<Mounts>) -> Option<Rc<CodeImage>> {
        match &mapping.backing {
            CodeBacking::Nothing => None,
            CodeBacking::Vdso => Some(self.vdsos.of(process, mapping, &self.debug_files)),
            CodeBacking::File { device, path, .. } => {
                let mounts = mounts.get_or_init(|| Mounts::of(process));
                let opened = (!mounts.is_served(*device)).then(|| open(process, mapping, mounts)).flatten();
                let image = |data| Rc::new(CodeImage::new(path, data, &self.debug_files));
                Some(match opened {
                    Some((file, identity)) => {
                        let (again, device) = (path.clone(), *device);
                        let reopen =
                            move || named(process, &again, &Mounts::of(process)).or_else(|| named_here(&again, device));
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
/// by its name as the process sees it, or, after the process has ended, by its name here.
fn open(process: Tid, mapping: &CodeMapping, mounts: &Mounts) -> Option<(File, Identity)> {
    let CodeBacking::File { device, inode, path, .. } = &mapping.backing else { return None };
    let mapped = procfs::path(process, &format!("map_files/{:x}-{:x}", mapping.start, mapping.end));
    let file = open_regular(Path::new(&mapped))
        .or_else(|| named(process, path, mounts))
        .or_else(|| named_here(path, *device))?;
    // Another file may have taken the name in the meantime.
    let identity = Identity::of(&file).filter(|identity| identity.inode == *inode)?;
    Some((file, identity))
}

/// The file of this name as Stride itself sees it, if it is on the same device. (The inode is compared by the caller.)
fn named_here(path: &[u8], device: (u32, u32)) -> Option<File> {
    let path = Path::new(OsStr::from_bytes(path));
    if Mounts::of(std::process::id() as Tid).leads_through_served(path) {
        return None;
    }
    let file = open_regular(path)?;
    let found = file.metadata().ok()?.dev();
    ((libc::major(found), libc::minor(found)) == device).then_some(file)
}

fn named(process: Tid, path: &[u8], mounts: &Mounts) -> Option<File> {
    let path = Path::new(OsStr::from_bytes(path));
    if mounts.leads_through_served(path) {
        return None;
    }
    open_regular(&Path::new(&procfs::path(process, "root")).join(path.strip_prefix("/").ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::maps;
    use stride_test_support::Scratch;

    /// The first mapping of a file that this process has, and a process id that no process has any longer.
    fn mapping_of_an_ended_process() -> (CodeMapping, Tid) {
        let text = std::fs::read("/proc/self/maps").unwrap();
        let of_file = |mapping: &CodeMapping| matches!(mapping.backing, CodeBacking::File { .. });
        let mapping = maps::parse(&text).into_iter().find(of_file).expect("the test itself is mapped");
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        (mapping, child.id() as Tid)
    }

    #[test]
    fn files_of_an_ended_process_are_opened_by_their_names_here() {
        let (mapping, ended) = mapping_of_an_ended_process();
        assert!(open(ended, &mapping, &Mounts::of(ended)).is_some());
    }

    /// Each version of a file has an image of its own, and all processes that map one version share one.
    #[test]
    fn a_file_that_is_written_anew() {
        let scratch = Scratch::new("image-versions");
        let name = scratch.path("lib.so");
        let mut images = Images::default();
        let own = std::process::id() as Tid;
        let mounts = OnceCell::new();
        let mapping = |offset| {
            let file = std::fs::metadata(&name).unwrap();
            let device = (libc::major(file.dev()), libc::minor(file.dev()));
            let path = name.as_os_str().as_bytes().into();
            CodeMapping {
                start: 0x1000,
                end: 0x2000,
                backing: CodeBacking::File { offset, device, inode: file.ino(), path },
            }
        };
        std::fs::write(&name, "one").unwrap();
        let old = mapping(0);
        let one = images.of(own, &old, &mounts).unwrap();
        let again = images.of(std::os::unix::process::parent_id() as Tid, &mapping(0x1000), &mounts).unwrap();
        assert!(Rc::ptr_eq(&one, &again));
        // The same inode with other bytes.
        std::fs::write(&name, "another").unwrap();
        let another = images.of(own, &mapping(0), &mounts).unwrap();
        assert!(!Rc::ptr_eq(&one, &another));
        // Another inode of the same name.
        std::fs::write(scratch.path("new"), "another").unwrap();
        std::fs::rename(scratch.path("new"), &name).unwrap();
        let third = images.of(own, &mapping(0), &mounts).unwrap();
        assert!(!Rc::ptr_eq(&another, &third));
        // The old file is gone: its bytes are known no more, and those of the new one do not stand for them.
        let gone = images.of(own, &old, &mounts).unwrap();
        assert!([&one, &another, &third].iter().all(|image| !Rc::ptr_eq(image, &gone)));
    }

    #[test]
    fn another_file_of_the_same_name_is_not_taken() {
        let (mapping, ended) = mapping_of_an_ended_process();
        let change = |change: fn(&mut (u32, u32), &mut u64)| {
            let mut other = mapping.clone();
            let CodeBacking::File { device, inode, .. } = &mut other.backing else { unreachable!() };
            change(device, inode);
            open(ended, &other, &Mounts::of(ended)).is_none()
        };
        assert!(change(|_, inode| *inode += 1));
        assert!(change(|device, _| device.1 += 1));
    }
}
