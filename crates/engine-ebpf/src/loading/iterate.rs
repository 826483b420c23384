//! Running iterator programs, which look at each thread of the machine once.

use libbpf_rs::{Iter, Link};
use std::io::Read;

/// Runs the program for each thread. The programs write nothing, so reading ends with their run.
pub fn iterate(link: &Link) -> libbpf_rs::Result<()> {
    let (mut iter, mut none) = (Iter::new(link)?, [0; 64]);
    while iter.read(&mut none)? > 0 {}
    Ok(())
}
