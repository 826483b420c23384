//! Things that the kernel refused, or logged.

/// A thing that was refused, or logged because rules would refuse it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Denial {
    Call {
        /// The name of the call, or its number if it has none.
        name: String,
        abi: &'static str,
        action: &'static str,
    },
    /// A file, for these uses: letters of AppArmor's log.
    File { path: Vec<u8>, letters: String, action: &'static str },
    /// A use of a file or directory that needs a right of Landlock.
    Beneath { path: Vec<u8>, right: String },
    /// A port of TCP, for a right of Landlock.
    Port { port: u16, right: String },
    /// Something else, by the start of AppArmor's rule for it, if there is one. The manual tells more.
    Other { operation: String, rule: Option<String>, action: &'static str, manual: &'static str },
}
