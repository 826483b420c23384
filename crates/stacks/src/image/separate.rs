//! Finds debug information in a separate file, as distributions ship it: by the build id, or by the name in
//! `.gnu_debuglink`.
//!
//! Files are looked for in this machine's own debug directory. If the user asked for it, a server is asked next
//! (`debuginfod`). A file counts only if it is of the same build.

use crate::elf::{Elf, ElfData};
use crate::files::bytes::string_at;
use crate::files::pool::FilePool;
use std::cell::RefCell;
use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

const DEBUG: &str = "/usr/lib/debug";
const LONGEST_LINK: usize = 4096;

/// Fetches the debug information of a build.
pub type Fetch = dyn FnMut(&str) -> Option<PathBuf>;

#[derive(Default)]
pub struct DebugFiles {
    pub pool: Rc<FilePool>,
    fetch: RefCell<Option<Box<Fetch>>>,
}

impl DebugFiles {
    /// Debug information that is not on this machine is asked for here. The argument is the build id in hexadecimal.
    pub fn fetch_with(&self, fetch: Box<Fetch>) {
        self.fetch.replace(Some(fetch));
    }

    pub fn find(&self, elf: &Elf, path: &[u8]) -> Option<Elf> {
        let (first, rest) = elf.build_id.split_first()?;
        let mut id = String::new();
        rest.iter().for_each(|byte| write!(id, "{byte:02x}").unwrap_or_default());
        let by_id = PathBuf::from(format!("{DEBUG}/.build-id/{first:02x}/{id}.debug"));
        let by_link = || {
            let section = elf.section(b".gnu_debuglink")?;
            let link = elf.bytes(section, LONGEST_LINK)?;
            let name = Path::new(OsStr::from_bytes(string_at(&link, 0))).file_name()?;
            let directory = Path::new(OsStr::from_bytes(path.strip_prefix(b"/")?)).parent()?;
            Some(Path::new(DEBUG).join(directory).join(name))
        };
        let fetched = || self.fetch.borrow_mut().as_mut()?(&format!("{first:02x}{id}"));
        let open = |path: PathBuf| {
            let found = Elf::parse(ElfData::File(self.pool.open(path)?))?;
            (found.build_id == elf.build_id).then_some(found)
        };
        open(by_id).or_else(|| open(by_link()?)).or_else(|| open(fetched()?))
    }
}
