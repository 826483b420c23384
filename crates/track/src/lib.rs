//! Who makes the calls and what they are about, followed from the events alone: processes and threads with their names, what
//! each descriptor refers to, where relative paths begin. So it is the same live and replayed, for either engine, and nothing
//! is asked of /proc but what was there before the first event.

mod address;
mod descriptors;
mod names;
mod objects;
mod process;
mod seen;
mod shape;
mod tracker;
mod wait;

pub use address::name as address_name;
pub use names::{base_name, directory};
pub use objects::{ObjectId, ObjectKind};
pub use process::{Process, Thread};
pub use seen::{FileId, Seen};
pub use tracker::Tracker;
pub use wait::{Wait, Watched};
