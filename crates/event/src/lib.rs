//! What engines hand on: events, calls with their captured bytes, ids and clocks.
//!
//! Architecture invariant: no I/O, no decoding, nothing that only one engine can provide.

mod call;
mod capture;
mod count;
mod counted;
mod descriptor;
mod event;
mod memory;
mod spec;

pub use call::{Call, Outcome};
pub use capture::{Limits, Peek, capture};
pub use count::{duration, grouped};
pub use counted::{CountBy, Counted, Histogram, SizeBucket, Tally, Times};
pub use descriptor::{Descriptor, Detail};
pub use event::{Event, Fate, Ns, Origin, SIGINFO_SIZE, Tid};
pub use memory::{BlockRef, Blocks, Memory, Phase};
pub use spec::{About, CallSet, Command, Counting, FdSet, Seccomp, TraceSpec};
