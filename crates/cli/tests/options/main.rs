//! What the options do, told by what comes out: one program, `stride`, from its arguments to its exit status.

mod choice;
#[path = "../common/mod.rs"]
mod common;
mod destinations;
mod ends;
mod looks;
mod mistakes;
mod targets;
