//! Changes that can be tried without touching the program.

use std::fmt;

/// How the program is to be started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trial {
    /// With these variables in its environment.
    Environment(&'static [(&'static str, &'static str)]),
    /// With a large buffer for its standard output, by stdbuf(1). (Only programs that use the C library's streams notice.)
    Buffered,
}

impl Trial {
    /// The program that starts the command, and its arguments.
    pub const BUFFERED: [&'static str; 2] = ["stdbuf", "-o65536"];
}

/// As it would stand before the command in a shell.
impl fmt::Display for Trial {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trial::Environment(variables) => {
                for (i, (name, value)) in variables.iter().enumerate() {
                    write!(out, "{}{name}={value}", if i > 0 { " " } else { "" })?;
                }
                Ok(())
            }
            Trial::Buffered => write!(out, "{}", Trial::BUFFERED.join(" ")),
        }
    }
}
