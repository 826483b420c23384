//! The meanings of members of structs as the kernel's headers tell them, and the requests whose structs have pointers.

pub use super::meaning::{Meaning, Pointee};
use super::members::{MEANINGS, POINTING};
use super::{arguments, twins};
use crate::Abi;
use crate::uapi::{F, IOCTL_ARGS_OF, IoctlArg};
use std::collections::BTreeMap;

/// A request of which the headers tell pointers within its struct.
pub struct Pointing {
    /// 1: the kernel reads the struct. 2: it writes it.
    pub dir: u8,
    /// The bytes of the struct.
    pub size: u16,
    /// Pointers, what they lead to, and the members that count it.
    pub pointers: Vec<(F, &'static Pointee, F)>,
}

/// The member of this name that lies beside another one.
pub fn beside(fields: &'static [F], member: &F, name: &str) -> Option<F> {
    let begin = member.name.rfind('.').map_or(0, |end| end + 1);
    let is_it = |field: &&F| field.name.strip_prefix(&member.name[..begin]) == Some(name);
    fields.iter().find(is_it).copied()
}

/// The requests with pointers that headers tell, by the number that an engine looks for.
pub fn pointing(abi: Abi) -> BTreeMap<u64, Pointing> {
    let own = IOCTL_ARGS_OF[abi as usize];
    let is_own = |number: &u32| own.binary_search_by_key(number, |row| row.0).is_ok();
    let mut found = BTreeMap::new();
    // (Structs of other requests are not touched, because they are many, and each run begins with this. The ABI's own numbers come last, because they count for the usual ones, too.)
    let common = POINTING.iter().filter(|number| !is_own(number));
    for &number in common.chain(POINTING.iter().filter(|number| is_own(number))) {
        // (A number with several types is shown without what its pointers lead to.)
        let &[(_, dir, IoctlArg::Struct(layout))] = arguments(abi, number) else { continue };
        let pointers: Vec<_> = layout.fields.iter().filter_map(|field| pointer(layout.fields, field, abi)).collect();
        if pointers.is_empty() || layout.size > 2048 {
            continue;
        }
        for number in [u64::from(number), twins::usual(number.into(), abi)] {
            found.insert(number, Pointing { dir, size: layout.size as u16, pointers: pointers.clone() });
        }
    }
    found
}

fn pointer(fields: &'static [F], field: &'static F, abi: Abi) -> Option<(F, &'static Pointee, F)> {
    let Some(Meaning::Points(to, count)) = meaning(field) else { return None };
    let count = beside(fields, field, count).filter(|count| count.bits.1 == 0 && count.size <= 8)?;
    (usize::from(field.size) >= abi.word() && to.size(abi) > 0).then_some((*field, to, count))
}

/// The meaning of a member, if the headers tell it.
pub fn meaning(member: &F) -> Option<&'static Meaning> {
    MEANINGS.get(usize::from(member.meaning).checked_sub(1)?)
}
