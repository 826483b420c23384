//! The threads: which are left out, which are blocked or stopped, and what is unusual about some.

pub mod held_signals;
pub mod left_out;
pub mod notable;
pub mod poller;
pub mod poller_programs;
