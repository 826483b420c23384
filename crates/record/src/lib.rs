//! Recordings: an engine's events in a file, for looking at them later.
//!
//! A file begins with a magic number and a version; frames follow, each with its length and a checksum, and are only ever
//! appended. A frame holds a batch of events and needs no other to be read, so a file that was cut off anywhere reads up to its
//! last whole frame. ARCHITECTURE.md describes the format.
//!
//! Architecture invariant: a file is hostile until it has proven otherwise. No length in it is believed before it is checked, and
//! reading takes no more memory than [`MAX_BATCH`] allows for.

mod batch;
mod calls;
mod descriptors;
mod fact;
mod frame;
mod metadata;
mod read;
mod stream;
mod write;

pub use fact::{Asked, Fact, Question};
pub use frame::VERSION;
pub use metadata::{Metadata, Totals};
pub use read::{Ending, Item, OpenError, Reader};
pub use write::{Recorder, Written};

/// Bytes of a batch before compression, at most. Batches are meant to be much smaller ([`BATCH`]); one call with much memory
/// can make one that is not.
pub const MAX_BATCH: usize = 16 << 20;
/// A batch of this size is written.
const BATCH: usize = 1 << 20;
