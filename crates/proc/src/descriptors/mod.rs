//! /proc about the descriptors of a process.

pub mod ends;
pub mod fdinfo;
pub mod link;
