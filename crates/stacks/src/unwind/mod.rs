//! Going from frame to frame.

pub mod cfi;
pub mod registers;
pub mod walk;
