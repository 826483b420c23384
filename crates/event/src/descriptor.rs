//! What a descriptor referred to.

/// A descriptor of a call, as it was when the call was made. Engines that let the tracee run on see to that themselves,
/// where it is asked for ([`crate::TraceSpec::descriptors`]); of what is not here, /proc may still tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// `AT_FDCWD` for the working directory.
    pub fd: i32,
    /// As /proc/TID/fd would show it, without its mark of what is deleted.
    pub path: Vec<u8>,
    /// The file has no name any more.
    pub deleted: bool,
    /// `st_mode`.
    pub mode: u32,
    pub inode: u64,
    /// Of a device: major and minor number.
    pub device: (u32, u32),
    /// What the kernel calls a file that has no path: of a socket, its protocol.
    pub name: Vec<u8>,
}
