//! What the tests of several crates share. Only tests depend on this crate (`[dev-dependencies]`).
//!
//! It uses `event` and `syscalls` and nothing to their right, so the unit tests of every crate to the right of `event` can use it.
//! The unit tests inside `event` and `syscalls` themselves cannot: a unit test is compiled into a second copy of its crate, and a
//! [`stride_event::Call`] made here is of the first.
//!
//! | module | contents |
//! |---|---|
//! | [`calls`] | made-up calls and events, and the memory that a capture plan reads |
//! | [`written`] | a destination whose contents a test looks at, as small as a test wants |
//! | [`scratch`] | directories of a test's own |
//! | [`programs`] | the C programs in `tests/`, compiled |
//! | [`state`] | waiting for a state, with a deadline |
//! | [`skipped`] | leaving a test by name where the machine lacks what it needs |

pub mod calls;
pub mod programs;
pub mod scratch;
pub mod skipped;
pub mod state;
pub mod written;

pub use programs::{Program, compile};
pub use scratch::Scratch;
pub use skipped::test_name;
pub use state::{Killed, wait_for};
