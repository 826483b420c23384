//! Finds debug information in a separate file, as distributions ship it: by the build id, or by the name in
//! `.gnu_debuglink`.
//!
//! Only files in this machine's own debug directory are opened. A file counts only if it is of the same build.

use crate::elf::{Elf, ElfData, string_at};
use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const DEBUG: &str = "/usr/lib/debug";
const LONGEST_LINK: usize = 4096;

pub fn find(elf: &Elf, path: &[u8]) -> Option<Elf> {
    let (first, rest) = elf.build_id.split_first()?;
    let mut name = String::new();
    rest.iter().for_each(|byte| write!(name, "{byte:02x}").unwrap_or_default());
    let by_id = PathBuf::from(format!("{DEBUG}/.build-id/{first:02x}/{name}.debug"));
    let by_link = || {
        let section = elf.section(b".gnu_debuglink")?;
        let link = elf.bytes(section, LONGEST_LINK)?;
        let name = Path::new(OsStr::from_bytes(string_at(&link, 0))).file_name()?;
        let directory = Path::new(OsStr::from_bytes(path.strip_prefix(b"/")?)).parent()?;
        Some(Path::new(DEBUG).join(directory).join(name))
    };
    let open = |path: &Path| Elf::parse(ElfData::File(crate::file::open_regular(path)?));
    let same = |found: &Elf| found.build_id == elf.build_id;
    open(&by_id).filter(same).or_else(|| open(&by_link()?).filter(same))
}
