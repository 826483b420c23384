//! Opening objects so that they are relocated fast.

use crate::loading::{kernel_types, tracepoints};
use libbpf_rs::skel::SkelBuilder;
use nix::sys::memfd::{MFdFlags, memfd_create};
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::PathBuf;

/// The names of the kernel types that the objects use.
const NAMES: &[&str] = include!(concat!(env!("OUT_DIR"), "/types.rs"));

/// These kernel types, in a file for libbpf. Finding them takes a millisecond, so it is done once for all objects.
pub struct Types(File);

impl Types {
    /// `None`: libbpf has to find them itself.
    pub fn find() -> Option<Types> {
        let cut = kernel_types::read(|kernel| {
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

/// Makes libbpf relocate a builder's object by these types. libbpf reads the file while it loads the object.
pub fn by<'obj>(types: Option<&Types>, builder: &mut impl SkelBuilder<'obj>) {
    tracepoints::handle_section();
    if let Some(types) = types {
        // (It fails for a path with a NUL.)
        let _ = builder.object_builder_mut().btf_custom_path(types.path());
    }
}
