//! Another Stride that looks at single calls, for what the kernel does not count: files, sockets, callers, and filters by these. It runs only while
//! a table asks for it, traces no more than this one, and writes its summaries to a pipe. A further one writes recordings.

pub mod process;
pub mod shared_options;
pub mod summaries;
