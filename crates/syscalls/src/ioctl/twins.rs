//! Requests whose number differs on i386, because their structs have other sizes there. Tables of requests have the
//! number of x86-64.

use crate::Abi;
use crate::uapi::ioctls::{IOCTLS, IOCTLS_I386};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The numbers of i386, each with that of x86-64.
static TWINS: LazyLock<HashMap<u64, u64>> = LazyLock::new(|| {
    let named = IOCTLS.iter().flat_map(|&(number, names)| names.split(" or ").map(move |name| (name, number)));
    let named: HashMap<&str, u32> = named.collect();
    let mut twins = HashMap::new();
    for &(number, names) in IOCTLS_I386 {
        let usual: Vec<u32> = names.split(" or ").filter_map(|name| named.get(name).copied()).collect();
        // A number that has one of its names on x86-64, too, has the meaning of that name.
        if let Some(&first) = usual.first().filter(|_| !usual.contains(&number)) {
            twins.insert(number.into(), first.into());
        }
    }
    twins
});

/// The number that tables of requests have for a request of this ABI.
pub fn usual(request: u64, abi: Abi) -> u64 {
    if abi == Abi::I386 { TWINS.get(&request).copied().unwrap_or(request) } else { request }
}

/// The requests of i386 whose number differs, each with the number that tables have.
pub fn of_i386() -> impl Iterator<Item = (u64, u64)> {
    TWINS.iter().map(|(&own, &usual)| (own, usual))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uapi::consts as c;

    #[test]
    fn requests_of_i386() {
        // _IOW(0x12, 113, size_t)
        assert_eq!(usual(0x4004_1271, Abi::I386), c::BLKBSZSET);
        assert_eq!(usual(0x4004_1271, Abi::X86_64), 0x4004_1271);
        assert_eq!(usual(c::TCGETS, Abi::I386), c::TCGETS);
        // i386 has two names for this number, of which x86-64 has one for the same number.
        assert_eq!(usual(c::FS_IOC32_GETFLAGS, Abi::I386), c::FS_IOC32_GETFLAGS);
    }
}
