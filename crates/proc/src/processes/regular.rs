//! Opening files by names from tracees, which may have put anything in their place.

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, open, openat};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

/// Opens a regular file for reading. Pipes and devices are not opened: to open them may wait, or do something.
pub fn open_regular(path: &Path) -> Option<File> {
    let found = open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let stat = fstat(&found).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return None;
    }
    // Exactly this file, whatever has the name by now.
    let own = format!("/proc/self/fd/{}", found.as_raw_fd());
    openat(CWD, own, OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK, Mode::empty())
        .ok()
        .map(File::from)
}
