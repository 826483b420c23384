//! The kernel's answers about sockets and network interfaces.

pub mod connected;
pub mod diag;
pub mod families;
mod netlink;
pub mod socket;
pub mod unread;
