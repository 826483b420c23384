//! Flag sets and enumerations, by family.

pub mod files;
