//! Facts about processes and threads: ids, contexts, locks, mounts, and their ends.

pub mod contexts;
pub mod doing;
pub mod interpreters;
pub mod last_event;
pub mod lock;
pub mod mounts;
mod namespace_ids;
pub mod pidns;
pub mod regular;
