//! The effects of the options, tested on the program `stride`, from its arguments to its output and exit status.

mod choice;
#[path = "../common/mod.rs"]
mod common;
mod destinations;
mod ends;
mod looks;
mod mistakes;
mod targets;
