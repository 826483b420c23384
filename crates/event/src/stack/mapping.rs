//! Code that a process has mapped.

/// A mapping of executable memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeMapping {
    /// The address of its first byte.
    pub start: u64,
    /// The address behind its last byte.
    pub end: u64,
    /// Where its bytes come from.
    pub backing: CodeBacking,
}

/// Where the bytes of a mapping come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeBacking {
    /// A file.
    File {
        /// The place of the first byte, in bytes from the file's beginning.
        offset: u64,
        /// Major and minor number of the device, as `/proc/PID/maps` has them.
        device: (u32, u32),
        /// The inode.
        inode: u64,
        /// The path, without the mark of a deleted file.
        path: Box<[u8]>,
    },
    /// The code that the kernel maps into each process (vdso(7)).
    Vdso,
    /// Anonymous memory.
    Nothing,
}

/// A file's size and time of change, which differ between versions of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileVersion {
    /// In bytes.
    pub size: u64,
    /// The time of the last modification (`st_mtim` of stat(2)): seconds and nanoseconds since the Epoch.
    pub modified: (i64, i64),
}

/// A mapping that was noted when it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotedMapping {
    /// The mapping.
    pub mapping: CodeMapping,
    /// The version of the file that it is from.
    pub version: Option<FileVersion>,
}
