//! The words about a process in the tree.

use super::environment::EnvironmentChange;
use crate::Palette;

/// How the tree looks.
#[derive(Clone, Debug, Default)]
pub struct TreeLayout {
    /// The width of the terminal, if the tree goes to one.
    pub width: Option<usize>,
    pub palette: Option<Palette>,
}

/// The words about a process in the tree.
#[derive(Clone, Debug, Default)]
pub struct TreeLabel {
    /// The name of its first thread.
    pub comm: Vec<u8>,
    /// For a shell. Empty if nobody knows it.
    pub command: String,
    /// The name of the process that made it, until it executes a program.
    pub fork_of: Option<Vec<u8>>,
    /// The command that the process ran before that one.
    pub earlier: Option<String>,
    pub environment: Option<EnvironmentChange>,
}
