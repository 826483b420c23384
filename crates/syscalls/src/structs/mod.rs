//! Struct layouts, by family.

pub mod files;
