//! The contents of inputs, as they are at the end of the run.

use stride_event::Ns;

/// The content of an input when the run is over, or the reason why it is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Digest {
    Sha256 {
        /// In hexadecimal.
        hex: String,
        /// The number of bytes.
        size: u64,
        /// When the file was changed last, in nanoseconds since 1970.
        modified: i128,
    },
    /// There is no such file any more.
    Gone,
    /// A pipe, a device or a directory.
    NotRegular,
    /// There is more to read than an honest program reads.
    TooLarge,
    /// The file cannot be read, or the kernel makes it up when it is read.
    Unreadable,
}

/// Reads files.
pub trait Digests {
    fn of(&self, path: &[u8]) -> Digest;
}

/// The clock of a file system may be late by one tick of the kernel.
const TICK: i128 = 10_000_000;

/// True if the file was changed at or after this time of the run.
pub fn changed_since(modified: i128, read: Ns, wall_offset: i128) -> bool {
    modified + TICK > i128::from(read) + wall_offset
}
