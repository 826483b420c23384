//! The destination of the trace, and its look.

mod arguments;
mod lines;
mod output;

pub use arguments::FLAGS as ARGUMENTS;
pub use lines::FLAGS as LINES;
pub use output::FLAGS as OUTPUT;
