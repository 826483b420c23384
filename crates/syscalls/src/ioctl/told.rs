//! The vocabulary for meanings that the kernel's headers tell of members of structs.

use crate::uapi::{F, Layout};
use crate::{Abi, Item, Ty, mask_of};

/// The meaning of a member.
#[derive(Debug)]
pub enum Meaning {
    /// The number in it is a value of this type.
    Value(Ty),
    /// It is an array of structs, which each ABI lays out in its way.
    Structs([&'static Layout; Abi::ALL.len()]),
}

/// The meaning of a member, if the headers tell it.
pub fn meaning(member: &F) -> Option<&'static Meaning> {
    super::members::MEANINGS.get(usize::from(member.meaning).checked_sub(1)?)
}

/// The generated file's short spelling of a name and its value.
pub(super) const fn i(name: &'static str, value: u64) -> Item {
    Item { name, value, mask: mask_of(value) }
}
