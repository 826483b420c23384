//! Struct layouts, by family.

pub mod files;
pub mod paths;
pub mod fcntl;
pub mod mount;
pub mod xattr;
pub mod notify;
pub mod aio;
pub mod keys;
pub mod process;
pub mod prctl;
pub mod ptrace;
pub mod creds;
pub mod limits;
pub mod bpf;
pub mod system;
pub mod memory;
pub mod sched;
pub mod signal;
pub mod time;
pub mod futex;
pub mod socket;
pub mod sockopt;
pub mod poll;
pub mod ipc;
pub mod ioctl;
