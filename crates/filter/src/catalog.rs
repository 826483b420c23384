//! The syscalls that an expression can name.

use std::sync::LazyLock;
use stride_syscalls::{Abi, Class, table};

/// One syscall, as selection needs it.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    pub abi: Abi,
    pub nr: u32,
    pub name: &'static str,
    pub class: Class,
}

/// Every syscall that a tracee on this machine can make by name.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    calls: Vec<Named>,
}

impl Catalog {
    /// The calls of the ABIs that the running kernel serves.
    pub fn native() -> &'static Catalog {
        static NATIVE: LazyLock<Catalog> =
            LazyLock::new(|| Abi::SERVED.iter().flat_map(|&abi| calls_of(abi)).collect());
        &NATIVE
    }

    pub fn iter(&self) -> impl Iterator<Item = &Named> {
        self.calls.iter()
    }
}

impl FromIterator<Named> for Catalog {
    fn from_iter<I: IntoIterator<Item = Named>>(calls: I) -> Catalog {
        Catalog { calls: calls.into_iter().collect() }
    }
}

/// The described calls, and the calls of which the kernel headers only give name and number. The latter can be traced,
/// but not decoded.
fn calls_of(abi: Abi) -> Vec<Named> {
    let described = table(abi);
    let mut calls: Vec<Named> =
        described.iter().map(|e| Named { abi, nr: e.nr, name: e.row.name, class: e.row.class }).collect();
    for &(nr, name) in abi.numbers() {
        if described.get(u64::from(nr)).is_none() {
            calls.push(Named { abi, nr, name, class: Class::NONE });
        }
    }
    calls
}
