//! Stride as a user who is not root.

use super::{STRIDE, Scratch, copy_program, is_root};
use std::path::{Path, PathBuf};
use std::process::Command;

const SETPRIV: &str = "/usr/bin/setpriv";

/// `setpriv` for the user nobody, in a directory that this user can read. The error says why that is not possible.
pub fn as_nobody() -> Result<Command, &'static str> {
    if !is_root() || !Path::new(SETPRIV).exists() {
        return Err("only root, with setpriv, can become nobody");
    }
    let mut command = Command::new(SETPRIV);
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).current_dir("/");
    Ok(command)
}

/// A copy of Stride that every user can run.
pub struct PublicCopy(Scratch);

impl PublicCopy {
    pub fn new(name: &str) -> PublicCopy {
        let scratch = Scratch::public(name);
        copy_program(STRIDE, scratch.path("stride"));
        PublicCopy(scratch)
    }

    pub fn stride(&self) -> PathBuf {
        self.0.path("stride")
    }
}
