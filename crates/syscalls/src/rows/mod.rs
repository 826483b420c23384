//! The rows, by family. Adding a syscall means adding its row here and its test in `tests/syscalls/`. The file of a
//! family has `ROWS`, for all ABIs, and `I386`: the i386 calls that differ from the call of the same name elsewhere.
//!
//! The structs and sets of a family are in the files of the same name in `structs/` and `sets/`. Their syntax is explained
//! at the macros [`structs!`](crate::structs!) and [`sets!`](crate::sets!), types at [`Ty`](crate::Ty), classes at
//! [`Class`](crate::Class).

use crate::Syscall;

/// Calls that belong together: one page of the reference.
#[derive(Debug)]
pub struct CallFamily {
    /// The name of its file.
    pub name: &'static str,
    /// The title of its page.
    pub title: &'static str,
    /// Rows that are the same on all ABIs.
    pub rows: &'static [Syscall],
    /// Rows of i386 calls that differ from the call of the same name elsewhere, by the kernel's i386 name.
    pub i386: &'static [(&'static str, Syscall)],
}

macro_rules! families {
    ($($family:ident $title:literal),* $(,)?) => {
        $(mod $family;)*

        static FAMILIES: &[CallFamily] = &[
            $(CallFamily { name: stringify!($family), title: $title, rows: $family::ROWS, i386: $family::I386 }),*
        ];
    };
}

families! {
    files "Open files",
    paths "Paths and directories",
    fcntl "Descriptors and file locks",
    mount "Mounts, quotas, swap",
    xattr "Extended attributes",
    notify "Notification of events",
    aio "Asynchronous input and output",
    uring "io_uring",
    keys "Keys and security modules",
    process "Processes",
    ptrace "Tracing of processes",
    prctl "Settings of a process",
    creds "Users, groups, capabilities",
    limits "Resource limits and usage",
    bpf "BPF and performance counters",
    system "The machine",
    obsolete "Numbers without a call",
    memory "Memory",
    sched "Scheduling",
    signal "Signals",
    time "Clocks, sleeps, timers",
    futex "Locks",
    socket "Sockets",
    sockopt "Socket options",
    poll "Waiting for descriptors",
    ipc "System V IPC and message queues",
    ioctl "Device control",
}

/// All families, in the order of the reference.
pub fn families() -> impl Iterator<Item = &'static CallFamily> {
    FAMILIES.iter()
}

/// Every row that is the same on all ABIs.
pub fn all() -> impl Iterator<Item = &'static Syscall> {
    FAMILIES.iter().flat_map(|family| family.rows.iter())
}

/// Rows of i386 calls that differ from the call of the same name elsewhere, by the kernel's i386 name.
pub fn i386() -> impl Iterator<Item = (&'static str, &'static Syscall)> {
    FAMILIES.iter().flat_map(|family| family.i386.iter().map(|(name, row)| (*name, row)))
}
