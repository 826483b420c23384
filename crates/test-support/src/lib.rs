//! The modules that the tests of several crates share. Only tests depend on this crate (`[dev-dependencies]`).
//!
//! The crate uses `event` and `syscalls` and nothing to their right, so the unit tests of every crate to the right of
//! `event` can use it. The unit tests inside `event` and `syscalls` cannot: a unit test is compiled into a second copy
//! of its crate, and a [`stride_event::Call`] made here belongs to the first copy.
//!
//! | module | contents |
//! |---|---|
//! | [`calls`] | made-up calls and events, and the memory that a capture plan reads |
//! | [`written`] | a destination whose contents a test can look at, with as little room as the test wants |
//! | [`scratch`] | a directory for each test |
//! | [`picture`] | pictures of terminals for the documents |
//! | [`programs`] | the C programs in `tests/`, compiled |
//! | [`noise`] | pseudo-random numbers that are the same in each run |
//! | [`stacks`] | made-up stacks |
//! | [`state`] | waiting for a state, with a deadline |
//! | [`skipped`] | leaving a test by name where the machine lacks what it needs |

pub mod calls;
pub mod noise;
pub mod picture;
pub mod programs;
pub mod scratch;
pub mod skipped;
pub mod stacks;
pub mod state;
pub mod written;

pub use programs::{Program, compile};
pub use scratch::Scratch;
pub use skipped::test_name;
pub use state::{Killed, wait_for};
