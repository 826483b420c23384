//! The vocabulary for meanings that the kernel's headers tell of members of structs.

use crate::uapi::Layout;
use crate::{Abi, Item, Ty, mask_of};

/// The meaning of a member.
#[derive(Debug)]
pub enum Meaning {
    /// The number in it is a value of this type.
    Value(Ty),
    /// It is an array of structs, which each ABI lays out in its way.
    Structs([&'static Layout; Abi::ALL.len()]),
    /// It is the address of as many of these as the member of that name says, which lies in the same struct.
    Points(Pointee, &'static str),
}

/// The elements behind a pointer.
#[derive(Debug)]
pub enum Pointee {
    /// Structs, as each ABI lays them out.
    Structs([&'static Layout; Abi::ALL.len()]),
    /// Numbers.
    Numbers {
        /// The bytes of each.
        size: u8,
        /// True if they have signs.
        signed: bool,
    },
    /// Text or data.
    Bytes,
}

impl Pointee {
    /// The bytes of one element.
    pub fn size(&self, abi: Abi) -> usize {
        match self {
            Pointee::Structs(layouts) => layouts[abi as usize].size as usize,
            Pointee::Numbers { size, .. } => usize::from(*size),
            Pointee::Bytes => 1,
        }
    }
}

/// The generated file's short spelling of a name and its value.
pub(super) const fn i(name: &'static str, value: u64) -> Item {
    Item { name, value, mask: mask_of(value) }
}
