//! Filters of the machine's processes.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use stride_output::shown;

/// A filter of `--all` as it was given: the long name of its option, and the argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineFilter {
    /// The long name of the option.
    pub option: &'static str,
    /// The argument.
    pub text: OsString,
}

/// As a message names it.
impl fmt::Display for MachineFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--{}={}", self.option, shown(self.text.as_bytes()))
    }
}
