//! Struct layouts, by family.

pub mod aio;
pub mod bpf;
pub mod creds;
pub mod fcntl;
pub mod files;
pub mod futex;
pub mod ioctl;
pub mod ipc;
pub mod keys;
pub mod limits;
pub mod memory;
pub mod mount;
pub mod notify;
pub mod paths;
pub mod poll;
pub mod prctl;
pub mod process;
pub mod ptrace;
pub mod sched;
pub mod signal;
pub mod socket;
pub mod sockopt;
pub mod system;
pub mod time;
pub mod uring;
pub mod xattr;
