//! Reading the types of the whole kernel. That takes a millisecond.

use crate::loading::btf::Btf;
use crate::loading::probe;
use crate::ring::Mapping;
use std::fs::File;
use std::os::fd::AsFd;

/// Reads something from the kernel's types. `None`: the kernel does not tell them.
pub fn read<T>(from: impl FnOnce(&Btf<'_>) -> Option<T>) -> Option<T> {
    let file = File::open(probe::BTF).ok()?;
    let size = file.metadata().ok()?.len() as usize;
    match Mapping::private(file.as_fd(), size) {
        Ok(kernel) => from(&Btf::parse(kernel.bytes())?),
        // Before Linux 6.16 the file cannot be mapped, only read, which takes another millisecond.
        Err(_) => from(&Btf::parse(&std::fs::read(probe::BTF).ok()?)?),
    }
}
