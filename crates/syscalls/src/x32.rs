//! The x32 ABI of x86-64: 64-bit programs with 32-bit pointers. Its calls have the numbers of x86-64 with a bit
//! (asm/unistd_x32.h), those with other layouts of memory have numbers of their own from 512 on, and x86-64's numbers
//! of these are for x86-64 alone.
//!
//! Few kernels serve it, so it is no ABI of its own here. Its calls have names and the values of their registers.
//! Engines copy no memory for them, and `-e trace=` chooses them with the calls that have no name.

use crate::{Arg, Class, Ret, Syscall, Ty, arg, rows};
use std::collections::HashMap;
use std::sync::LazyLock;
use stride_uapi::numbers::{X32, X86_64};

/// `__X32_SYSCALL_BIT`
pub const BIT: u64 = 0x4000_0000;

/// Calls that x32 lacks, without a number of its own for them: arch/x86/entry/syscalls/syscall_64.tbl, "64".
const LACKING: [&str; 11] = [
    "uselib",
    "_sysctl",
    "create_module",
    "get_kernel_syms",
    "query_module",
    "nfsservctl",
    "set_thread_area",
    "get_thread_area",
    "epoll_ctl_old",
    "epoll_wait_old",
    "vserver",
];

/// The row of a number with the bit.
pub fn row(nr: u64) -> Option<&'static Syscall> {
    static ROWS: LazyLock<HashMap<u64, &'static Syscall>> = LazyLock::new(all);
    ROWS.get(&(nr & !BIT)).copied().filter(|_| nr & BIT != 0)
}

fn all() -> HashMap<u64, &'static Syscall> {
    let named: HashMap<&str, &'static Syscall> = rows::all().map(|row| (row.name, row)).collect();
    let own = X32.iter().filter_map(|&(nr, name)| Some((nr.into(), *named.get(name)?)));
    let foreign = |name: &str| LACKING.contains(&name) || X32.iter().any(|&(_, own)| own == name);
    let shared = X86_64.iter().filter_map(|&(nr, name)| {
        let row = *named.get(name)?;
        Some((nr.into(), if foreign(name) { for_64_bit(row) } else { row }))
    });
    shared.chain(own).collect()
}

/// A call of x86-64 alone, which x32 can name all the same. Its registers are shown as they are. (Made once for each
/// such call.)
fn for_64_bit(row: &Syscall) -> &'static Syscall {
    let args: Vec<Arg> = row.args.iter().map(|a| arg(a.name, Ty::HexLong)).collect();
    Box::leak(Box::new(Syscall {
        name: Box::leak(format!("{}#64", row.name).into_boxed_str()),
        class: Class::NONE,
        ret: Ret::Int,
        args: Box::leak(args.into_boxed_slice()),
        forms: None,
        effects: &[],
        note: None,
        kernel_names: &[],
        may_need: &[],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_the_bit_have_names() {
        let name = |nr| row(nr).map(|row| row.name);
        assert_eq!(name(BIT | 39), Some("getpid"));
        assert_eq!(name(BIT | 512), Some("rt_sigaction"));
        assert_eq!(name(BIT | 515), Some("readv"));
        assert_eq!(name(BIT | 547), Some("pwritev2"));
        assert_eq!(name(BIT | 19), Some("readv#64"));
        assert_eq!(name(BIT | 174), Some("create_module#64"));
        for unknown in [39, BIT, BIT | 1000, BIT | 548, (2 * BIT) | 39, u64::MAX] {
            assert_eq!(name(unknown), if unknown == BIT { Some("read") } else { None }, "{unknown:#x}");
        }
    }
}
