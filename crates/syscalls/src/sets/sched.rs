//! Scheduling.
