//! Opening objects so that they are relocated fast.

use crate::loading::{kernel_types, probe, tracepoints};
use libbpf_rs::skel::SkelBuilder;
use nix::sys::memfd::{MFdFlags, memfd_create};
use std::fs::File;
use std::io::{self, Write};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// The names of the kernel types that the objects use.
const NAMES: &[&str] = include!(concat!(env!("OUT_DIR"), "/types.rs"));

/// These kernel types, in a file for libbpf. Finding them takes two milliseconds, so it is done once for all objects, while the first is opened.
pub struct Types {
    file: File,
    missing: AtomicBool,
}

impl Types {
    /// An empty file. `None`: there is none to be had, and libbpf has to find the types itself.
    pub fn prepare() -> Option<Types> {
        let file = File::from(memfd_create(c"btf", MFdFlags::MFD_CLOEXEC).ok()?);
        let types = Types { file, missing: AtomicBool::new(false) };
        types.path().exists().then_some(types)
    }

    /// Finds them. To be called before the first object is loaded.
    pub fn find(&self) -> io::Result<()> {
        let cut = kernel_types::read(|kernel| {
            tracepoints::note(kernel);
            kernel.only(NAMES)
        });
        // (If this kernel's types are not understood, libbpf gets all of them.)
        let found = cut.map_or_else(|| std::fs::read(probe::BTF), Ok);
        // (A limit on the size of files holds for this one, too.)
        let written = found.and_then(|found| (&self.file).write_all(&found));
        self.missing.store(written.is_err(), Ordering::Relaxed);
        written
    }

    /// The same file, for another thread.
    pub fn share(&self) -> io::Result<Types> {
        Ok(Types { file: self.file.try_clone()?, missing: AtomicBool::new(self.are_missing()) })
    }

    /// True if they were not found. Then libbpf has to find them itself, for objects that are opened without them.
    pub fn are_missing(&self) -> bool {
        self.missing.load(Ordering::Relaxed)
    }

    fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.file.as_raw_fd()).into()
    }
}

/// Opens an object, which libbpf relocates by these types. libbpf reads their file while it loads the object.
pub fn open<B: SkelBuilder<'static>>(types: Option<&Types>, mut builder: B) -> libbpf_rs::Result<B::Output> {
    by(types, &mut builder);
    // The skeleton borrows its object. There is one of a few words per process and kind, which is never freed.
    builder.open(Box::leak(Box::new(MaybeUninit::uninit())))
}

/// Makes libbpf relocate a builder's object by these types.
fn by(types: Option<&Types>, builder: &mut impl SkelBuilder<'static>) {
    tracepoints::handle_sections();
    if let Some(types) = types {
        // (It fails for a path with a NUL.)
        let _ = builder.object_builder_mut().btf_custom_path(types.path());
    }
}
