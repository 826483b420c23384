//! Opening files that a tracee chose, and reading those of /proc.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use stride_event::FileVersion;

/// Opens a file if it is a regular one. Opening another kind could block or have side effects.
pub fn open_regular(path: &Path) -> Option<File> {
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC)
        .open(path)
        .ok()?;
    file.metadata().ok()?.is_file().then_some(file)
}

/// Reads a file of /proc, whose size is not known beforehand.
pub fn read_up_to(path: &str, most: u64) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(1 << 14);
    File::open(path).ok()?.take(most).read_to_end(&mut text).ok()?;
    (!text.is_empty()).then_some(text)
}

/// Identifies a file and its version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    device: u64,
    pub inode: u64,
    version: FileVersion,
}

impl Identity {
    pub fn of(file: &File) -> Option<Identity> {
        let m = file.metadata().ok()?;
        let version = FileVersion { size: m.size(), modified: (m.mtime(), m.mtime_nsec()) };
        Some(Identity { device: m.dev(), inode: m.ino(), version })
    }

    pub fn new((major, minor): (u32, u32), inode: u64, version: FileVersion) -> Identity {
        Identity { device: libc::makedev(major, minor), inode, version }
    }
}
