//! Calls, callers and frames in few words, for views that put them into a table or a field.

pub mod call;
pub mod caller;
pub mod frames;
