//! Symbolic links of the files that a run named, as they are now.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use stride_output::Links;

/// Follows symbolic links on this machine.
pub struct FileLinks;

impl Links for FileLinks {
    fn real(&self, path: &[u8]) -> Option<Vec<u8>> {
        let real = Path::new(OsStr::from_bytes(path)).canonicalize().ok()?;
        Some(real.into_os_string().into_vec())
    }
}
