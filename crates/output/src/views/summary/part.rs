//! The keys of a row of `--by`.

use stride_event::PowerBucket;
use stride_syscalls::Abi;
use stride_track::ObjectId;

/// An index into [`super::names::Names`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NameId(pub u32);

/// A row's value of one key. It holds numbers and no names, because it is looked up for every call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum KeyPart {
    Call(Abi, u64),
    Object(ObjectId),
    Name(NameId),
    /// Names of functions.
    Functions(NameId),
    Fd(i32, Option<ObjectId>),
    /// 0 for success.
    Errno(u32),
    Id(i32),
    Duration(PowerBucket),
    Size(PowerBucket),
    /// The calls have no such value, such as a path.
    None,
    /// The calls that came when there was no room for more rows.
    Others,
}
