//! The rows, by family. Adding a syscall means adding its row here and its test in `tests/syscalls/`.

use crate::Syscall;

mod files;
pub mod i386;
mod process;

/// Every row that is the same on all ABIs.
pub fn all() -> impl Iterator<Item = &'static Syscall> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

static FAMILIES: &[&[Syscall]] = &[files::ROWS, process::ROWS];
