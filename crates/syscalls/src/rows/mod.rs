//! The rows, by family. Adding a syscall means adding its row here and its test in `tests/syscalls/`. The file of a
//! family has `ROWS`, for all ABIs, and `I386`: the i386 calls that differ from the call of the same name elsewhere.
//!
//! The structs and sets of a family are in the files of the same name in `structs/` and `sets/`. Their syntax is told at the
//! macros [`structs!`](crate::structs!) and [`sets!`](crate::sets!), types at [`Ty`](crate::Ty), classes at
//! [`Class`](crate::Class).

use crate::Syscall;

macro_rules! families {
    ($($family:ident),* $(,)?) => {
        $(mod $family;)*

        static FAMILIES: &[&[Syscall]] = &[$($family::ROWS),*];
        static I386: &[&[(&str, Syscall)]] = &[$($family::I386),*];
    };
}

families! {
    files, paths, fcntl,
    mount, xattr, notify, aio, uring, keys,
    process, ptrace, prctl, creds, limits, bpf, system, obsolete,
    memory, sched, signal, time, futex,
    socket, sockopt, poll, ipc,
    ioctl,
}

/// Every row that is the same on all ABIs.
pub fn all() -> impl Iterator<Item = &'static Syscall> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// Rows of i386 calls that differ from the call of the same name elsewhere, by the kernel's i386 name.
pub fn i386() -> impl Iterator<Item = (&'static str, &'static Syscall)> {
    I386.iter().flat_map(|family| family.iter().map(|(name, row)| (*name, row)))
}
