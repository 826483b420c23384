//! Opening an object so that it is relocated quickly.

use crate::btf::Btf;
use crate::ring::Mapping;
use libbpf_rs::skel::SkelBuilder;
use nix::sys::memfd::{MFdFlags, memfd_create};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

/// The kernel types that each object looks into.
pub mod types {
    include!(concat!(env!("OUT_DIR"), "/types.rs"));
}

/// What libbpf reads while the object is loaded: to be kept that long.
pub struct Cut(#[allow(dead_code, reason = "it is closed when dropped")] OwnedFd);

/// Has a builder's object relocated by only those types of the kernel that it needs. Without (`None`), libbpf finds them itself.
pub fn by<'obj>(builder: &mut impl SkelBuilder<'obj>, types: &[&str]) -> Option<Cut> {
    let file = File::open(crate::probe::BTF).ok()?;
    let size = file.metadata().ok()?.len() as usize;
    let cut = match Mapping::private(file.as_fd(), size) {
        Ok(kernel) => Btf::parse(kernel.bytes())?.only(types)?,
        // Before Linux 6.16 it can only be read, which takes another millisecond.
        Err(_) => Btf::parse(&std::fs::read(crate::probe::BTF).ok()?)?.only(types)?,
    };
    let mut file = File::from(memfd_create(c"btf", MFdFlags::MFD_CLOEXEC).ok()?);
    file.write_all(&cut).ok()?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    std::path::Path::new(&path).exists().then_some(())?;
    builder.object_builder_mut().btf_custom_path(path).ok()?;
    Some(Cut(file.into()))
}
