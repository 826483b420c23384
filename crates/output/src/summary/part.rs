//! What a row of `--by` is found by.

use stride_event::SizeBucket;
use stride_syscalls::Abi;
use stride_track::ObjectId;

/// A place in [`super::names::Names`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NameId(pub u32);

/// What a row's calls have in common of one key. Numbers and not names: it is looked up for every call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum KeyPart {
    Call(Abi, u64),
    Object(ObjectId),
    Name(NameId),
    Fd(i32, Option<ObjectId>),
    /// 0: it succeeded.
    Errno(u32),
    Id(i32),
    Size(SizeBucket),
    /// They have none: a call without a path.
    None,
    /// All that came when there was no room for more rows.
    Others,
}
