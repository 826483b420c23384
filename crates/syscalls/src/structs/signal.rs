//! Signals.
