//! Calls and their time, counted while events come.

pub mod by_thread;
pub mod callers;
pub mod index;
pub mod kinds;
pub mod lines;
pub mod observed;
pub mod open_file;
pub mod page_faults;
pub mod spans;
pub mod tallies;
