//! The contents of programs and libraries that a run used, as they are now.

use std::cell::Cell;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use stride_output::CodeFiles;
use stride_proc::open_regular;

/// No file beyond this size is read, and no more than this in all. (The largest programs, such as browsers, have some 300 MiB.)
const MOST_OF_FILE: u64 = 512 << 20;
const MOST: u64 = 2 << 30;

/// Reads programs.
pub struct ProgramFiles {
    left: Cell<u64>,
}

impl Default for ProgramFiles {
    fn default() -> ProgramFiles {
        ProgramFiles { left: Cell::new(MOST) }
    }
}

impl CodeFiles for ProgramFiles {
    fn code(&self, path: &[u8]) -> Option<Vec<u8>> {
        let file = open_regular(Path::new(OsStr::from_bytes(path)))?;
        let most = MOST_OF_FILE.min(self.left.get());
        if file.metadata().ok()?.len() > most {
            return None;
        }
        let mut bytes = Vec::new();
        // (It may grow while it is read.)
        file.take(most).read_to_end(&mut bytes).ok()?;
        self.left.set(self.left.get() - bytes.len() as u64);
        Some(bytes)
    }
}
