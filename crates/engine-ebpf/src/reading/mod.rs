//! From records of the ring to calls and events.

pub mod files;
pub mod queued;
pub mod records;
