//! Going from frame to frame.

pub mod cfi;
pub mod place;
pub mod registers;
pub mod walk;
