//! Errors of the operating system as text.

use nix::errno::Errno;
use std::io;

/// The C library's text for an error, without the number that Rust appends.
pub fn os_error(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(errno) => Errno::from_raw(errno).desc().to_string(),
        None => error.to_string(),
    }
}
