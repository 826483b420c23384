//! Which process makes each call, and what the call is about. This is followed from the events alone: processes and
//! threads with their names, what each descriptor refers to, and where relative paths begin. So the result is the
//! same live and replayed, and with either engine.
//!
//! /proc is asked only about things from before the first event. For a command, these are its working directory and
//! its inherited descriptors. The question goes to `decode::TRACER`, that is, to Stride itself before the command
//! runs, because later /proc only shows what the command has become. If filters keep calls from being seen
//! (`RunInfo::partial`), descriptors cannot be followed, and each is looked up.
//!
//! Operations of io_uring are followed as calls are, as far as their arguments are known: the addresses of sockets are not.
//!
//! Waits ([`Wait`]) need more than events: what the other end of a pipe is, or which thread holds a lock. That is
//! looked up once per call, when it is quiet or when tracing ends, and the answers are recorded as facts.
//!
//! The events show which thread ended a wait ([`Causes`]): by a child's exit, a write to a pipe, a wake. The critical path of
//! the run ([`CriticalPath`]) follows from that.

mod address;
mod arguments;
mod awaited;
mod births;
mod causes;
mod changes;
mod clone;
mod critical_path;
mod descriptors;
mod files;
mod futex;
mod hand_over;
mod idle;
mod names;
mod network;
mod objects;
mod operations;
mod process;
mod referent;
mod seen;
mod shape;
mod stack_ids;
mod stack_tally;
mod tracker;
mod wait;
mod waits;

pub use address::{name as address_name, port as address_port};
pub use causes::Causes;
pub use clone::Cloned;
pub use critical_path::CriticalPath;
pub use futex::Futex;
pub use hand_over::{HandOver, HandOvers, HandedOver, Way};
pub use names::{base_name, directory};
pub use objects::{FoundAt, ObjectId, ObjectKind};
pub use process::{Process, Thread};
pub use referent::Referent;
pub use seen::{FileId, Seen};
pub use shape::naming_calls;
pub use stack_ids::{StackId, StackIds};
pub use stack_tally::{StackCount, StackTally};
pub use tracker::Tracker;
pub use wait::{Awaited, Wait, Watched};
