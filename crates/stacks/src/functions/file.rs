//! A file of code that may be traced, and what was found in it.

use super::{machine, table};
use crate::elf::{Elf, ElfData};
use crate::image::separate::DebugFiles;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use stride_event::ProbedFile;

/// The most functions or probes that one pattern may choose. Setting and removing so many takes seconds.
pub const MOST_FUNCTIONS: usize = 10_000;
/// The probes that a pattern has chosen in a file.
#[derive(Debug)]
pub struct ProbesFound {
    pub file: ProbedFile,
    /// Sentences about what is not traced, and why.
    pub remarks: Vec<String>,
}

/// A file that may be traced.
pub struct CodeFileToProbe {
    pub(super) path: PathBuf,
    pub(super) elf: Elf,
    debug: DebugFiles,
}

impl CodeFileToProbe {
    /// Opens a file of code. The error says what it is instead.
    pub fn open(path: &Path) -> Result<CodeFileToProbe, String> {
        let debug = DebugFiles::default();
        let cannot = |why: &str| format!("'{}' {why}", path.display());
        let opened = debug.pool.open(path.to_owned()).ok_or_else(|| cannot("cannot be read, or is no regular file"))?;
        let elf = Elf::parse(ElfData::File(opened)).filter(|elf| elf.form.word == 8);
        let elf = elf.ok_or_else(|| cannot("is no 64-bit ELF file"))?;
        if elf.machine() != machine::ELF_MACHINE {
            return Err(cannot("holds no code for this machine"));
        }
        Ok(CodeFileToProbe { path: path.to_owned(), elf, debug })
    }

    /// Its debug information, if that is in a file of its own.
    pub(super) fn separate(&self) -> Option<Elf> {
        self.debug.find(&self.elf, self.path.as_os_str().as_bytes())
    }
}

/// The names of the libraries that a file needs.
pub fn needed_libraries(file: &CodeFileToProbe) -> Vec<String> {
    table::needed(&file.elf)
}
