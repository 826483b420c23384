//! Opening objects so that they are relocated fast.

use crate::btf::Btf;
use crate::ring::Mapping;
use crate::tracepoints;
use libbpf_rs::skel::SkelBuilder;
use nix::sys::memfd::{MFdFlags, memfd_create};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd};
use std::path::PathBuf;

/// The names of the kernel types that the objects use.
const NAMES: &[&str] = include!(concat!(env!("OUT_DIR"), "/types.rs"));

/// These kernel types, in a file for libbpf. Finding them takes a millisecond, so it is done once for all objects.
pub struct Types(File);

impl Types {
    /// `None`: libbpf has to find them itself.
    pub fn find() -> Option<Types> {
        let cut = kernel_types(|kernel| {
            tracepoints::note(kernel);
            kernel.only(NAMES)
        })?;
        let mut types = Types(File::from(memfd_create(c"btf", MFdFlags::MFD_CLOEXEC).ok()?));
        types.0.write_all(&cut).ok()?;
        types.path().exists().then_some(types)
    }

    fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.0.as_raw_fd()).into()
    }
}

/// Reads something from the types of the whole kernel.
pub fn kernel_types<T>(read: impl FnOnce(&Btf<'_>) -> Option<T>) -> Option<T> {
    let file = File::open(crate::probe::BTF).ok()?;
    let size = file.metadata().ok()?.len() as usize;
    match Mapping::private(file.as_fd(), size) {
        Ok(kernel) => read(&Btf::parse(kernel.bytes())?),
        // Before Linux 6.16 the file cannot be mapped, only read, which takes another millisecond.
        Err(_) => read(&Btf::parse(&std::fs::read(crate::probe::BTF).ok()?)?),
    }
}

/// Makes libbpf relocate a builder's object by these types. libbpf reads the file while it loads the object.
pub fn by<'obj>(types: Option<&Types>, builder: &mut impl SkelBuilder<'obj>) {
    tracepoints::handle_section();
    if let Some(types) = types {
        // (It fails for a path with a NUL.)
        let _ = builder.object_builder_mut().btf_custom_path(types.path());
    }
}
