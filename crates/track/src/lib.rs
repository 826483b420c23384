//! The process that makes each call, and the files and sockets that the call is about. They are followed from the events alone: processes and
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

mod causes;
mod copy;
mod descriptors;
mod file_locks;
mod objects;
mod processes;
mod stacks;
mod subject;
mod tracker;
mod waits;

pub use causes::Causes;
pub use causes::apart::TimeOwner;
pub use causes::critical_path::CriticalPath;
pub use causes::families::{family, has_numbers};
pub use causes::hand_over::{HandOver, HandOvers, HandedOver, Way};
pub use causes::requests::Requests;
pub use causes::requests::bands::{MoreTime, RequestGroup, SlowRequests};
pub use causes::requests::kinds::{LongestRequest, RequestKind};
pub use causes::shares::{TimeShare, TimeSpent, Who};
pub use causes::spent::{Activity, CallCount, CallOn, Spent};
pub use copy::{News, Teller, UnreadNews};
pub use descriptors::noted::Referent;
pub use file_locks::{sets_file_lock, takes_file_lock};
pub use objects::address::{name as address_name, port as address_port};
pub use objects::names::{base_name, directory};
pub use objects::{FoundAt, ObjectId, ObjectKind};
pub use processes::clone::Cloned;
pub use processes::{Process, Thread};
pub use stacks::ids::{StackId, StackIds};
pub use stacks::tally::{StackCount, StackTally};
pub use subject::shape::{names_thread, naming_calls};
pub use subject::{FileId, Seen};
pub use tracker::Tracker;
pub use waits::cause::Cause;
pub use waits::futex::Futex;
pub use waits::wait::{AtEnd, Awaited, Wait, Watched};
